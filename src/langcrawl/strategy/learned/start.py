"""The signals, what clues are worth at first, in log-odds, and how their table is laid out."""

from __future__ import annotations

from collections.abc import Collection
from math import log2
from typing import Final

from langcrawl.strategy.learned.clues import (
    ACCENTED,
    ANCHORS,
    FOREIGN,
    NAMES_OTHER,
    NAMES_TARGET,
    OWN,
    PAGES,
    PLAIN,
    SEED,
    SHARED,
)
from langcrawl.strategy.learned.places import OTHER, TARGET

SIGNALS: Final = {
    "codes": "languages that the URL names",
    "anchor": "letters of the anchor, languages that it names",
    "words": "words of the anchor",
    "hreflang": "language that the link names",
    "paths": "where on the page the link stands",
    "page": "verdict on the page with the link",
    "kinds": "names of directories, endings of files",
    "urls": "words of the URL that relevant pages have had",
    "behind": "what such pages link to",
    "scouts": "one look at hosts that were never asked",
    "fame": "who links to hosts that were never asked",
    "pace": "how long hosts take to answer, where time passes",
}
"""What `without` can leave out, in words."""
LEVEL: Final = PAGES * 3
"""Clues have other weights for places with few pages, some and many: so far apart."""
PAGE, ANCHOR, HREFLANG, FAME, URL_WORDS, CLUES = 0, 200, 400, 500, 520, 523
"""Where each kind of clue begins in the table, and where it ends."""
SAID: Final = (0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 2.5, -2.5, 0.0, 2.5, -2.5)
"""What the name of a place is worth: of a top-level domain, domain, host, and of a directory or
file; where it says nothing, names the target, names another language."""
NEAR, FARTHEST = 3, 16
"""More pages in a row without the target than this are far from it; beyond the last, all alike."""
FAR: Final = tuple(log2(max(run, NEAR) / NEAR) for run in range(FARTHEST + 1))
"""How much less a URL behind so many pages without the target is worth, in log-odds, where it is
not likely to be relevant: a search in breadth for what nothing is known of."""
_RELEVANT_PAGE, _EACH_MISS = 1.0, -0.3
_FAME: Final = (
    0.0, 0.0, 0.0, 0.0, -0.2, -0.4, 0.7, 0.5, 0.3, 1.4, 1.0, 0.7, 2.0, 1.5, 1.0
)  # fmt: skip
"""Links from 0, 1, 2, 3 or more relevant hosts, and with each from none, some or more others."""
_BY_PAGES: Final = (1.0, 0.6, 0.3)
"""A place with many pages speaks for itself."""
_URL_WORDS: Final = (0.5, 0.2, 0.0)
"""What the words of a URL are worth, of what they say, by the pages of its place."""


def first_clues(has_letters: bool, left_out: Collection[str] = ()) -> dict[int, float]:
    """The weights at first; a target with letters of its own expects anchors in these."""
    anchors = {
        NAMES_TARGET: 3.0,
        NAMES_OTHER: -2.0,
        OWN: 2.0,
        SHARED: 0.5,
        FOREIGN: -2.0,
        ACCENTED: -1.0 if has_letters else 0.3,
        PLAIN: -0.3 if has_letters else 0.0,
    }
    start = {}
    if "hreflang" not in left_out:
        start = {HREFLANG + TARGET: 3.0, HREFLANG + OTHER: -2.0}
    start |= {FAME + step: worth for step, worth in enumerate(_FAME)}
    for number, share in enumerate(_BY_PAGES):
        if "urls" not in left_out:
            start[URL_WORDS + number] = _URL_WORDS[number]
        for page in range(PAGES if "page" not in left_out else 0):
            worth = _RELEVANT_PAGE if page == 0 else _EACH_MISS * ((page - 1) % 3 + 1)
            for relation in range(3):
                at = PAGE + number * LEVEL + page * 3 + relation
                start[at] = 0.0 if page == SEED else worth * share
        for kind in range(ANCHORS if "anchor" not in left_out else 0):
            start[ANCHOR + number * LEVEL + kind] = anchors.get(kind, 0.0) * share
    return start
