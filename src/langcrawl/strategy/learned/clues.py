"""What a link says by itself: its anchor, its hreflang, where it stands, and its page.

Each clue is a small number, so that a link's clues fit in a short text that is kept while its URL
waits, and weights can be tables.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple
from zlib import crc32

from langcrawl.records import UNKNOWN, Facts, Verdict
from langcrawl.strategy.learned.places import NO_TONGUE, OTHER, TARGET
from langcrawl.strategy.learned.tongues import primary, targets_of

SILENT, PLAIN, ACCENTED, SHARED, OWN, FOREIGN, NAMES_TARGET, NAMES_OTHER = range(8)
"""Anchors: no letters; plain Latin; accented Latin; letters that the target shares; its own
letters; others' letters; the name of the target; the name of another language."""
ANCHORS: Final = 8
SAME_PLACE, SAME_HOST, OTHER_HOST = range(3)
PAGES: Final = 8
"""What the page with the link is: relevant; in another language, 1, 2 or more pages in a row
without the target; in no language, the same; none, as for seeds."""
SEED: Final = 7
PATHS: Final = 32
"""A host has so many weights for the tag paths of its links."""
PATH_SLOTS: Final = 1 << 16
WORD_SLOTS: Final = 1 << 15
KEPT_OF_ANCHOR: Final = 60
"""So many characters of an anchor are read, and kept while its URL waits."""
_WORDS: Final = 6
_KEPT: Final = 1 << 16
_KEPT_TEXTS: Final = 1 << 14
_WORD = re.compile(r"[^\W\d_]+")
_ACCENTED = re.compile("[\u00c0-\u024f\u1e00-\u1eff]")
_BEYOND_LATIN = re.compile("[\u0370-\u1dff\u1f00-\u1fff\u3040-\ud7ff]")


class Clues(NamedTuple):
    """The clues of one link."""

    page: int
    """What the page with the link is, and whether the link leaves its place: `page_clue`."""
    anchor: int
    hreflang: int
    path: int
    """The number of the tag path on its host; 0 where there is none."""
    scout: bool
    """It was sent to look at a host that was never asked."""
    words: tuple[int, ...]
    """The numbers of the anchor's words."""


class Anchors:
    """Reads anchors for one target or several."""

    def __init__(self, lang: str) -> None:
        self._targets = targets_of(lang)
        letters, own = self._targets.letters, self._targets.own_letters
        self._shared = re.compile(f"[{letters}]") if letters else None
        self._own = re.compile(f"[{own}]") if own else None
        self._known: dict[str, tuple[int, tuple[int, ...]]] = {"": (SILENT, ())}

    def read(self, text: str) -> tuple[int, tuple[int, ...]]:
        """What kind of anchor it is, and the numbers of its words."""
        found = self._known.get(text)
        if found is None:
            if len(self._known) > _KEPT:
                self._known.clear()
                self._known[""] = (SILENT, ())
            words = _WORD.findall(text.lower())
            kind = self._kind(text) if words else SILENT
            found = self._known[text] = (kind, _numbers(words[:_WORDS]))
        return found

    def _kind(self, text: str) -> int:
        """The kind of an anchor that has letters."""
        if len(text) < 30:
            named = self._targets.named_by("".join(text.split()))
            if named:
                return NAMES_TARGET if named in self._targets.codes else NAMES_OTHER
        if text.isascii():
            return PLAIN
        if self._own is not None and self._own.search(text):
            return OWN
        if self._shared is not None and self._shared.search(text):
            return SHARED
        if _BEYOND_LATIN.search(text):
            return FOREIGN
        return ACCENTED if _ACCENTED.search(text) else PLAIN

    def hreflang(self, tag: str) -> int:
        if not tag:
            return NO_TONGUE
        return TARGET if primary(tag) in self._targets.codes else OTHER


def _numbers(words: Sequence[str]) -> tuple[int, ...]:
    """The numbers of words, and of the single letters of those beyond ASCII."""
    found: dict[int, None] = {}
    for word in words:
        if word.isascii():
            found[_number(word)] = None
        else:
            for letter in word[:8]:
                if not letter.isascii():
                    found[_number(letter)] = None
            found[_number(word[:16])] = None
    return tuple(found)[: 2 * _WORDS]


@lru_cache(1 << 15)
def _number(word: str) -> int:
    return crc32(word.encode()) % WORD_SLOTS


class Kept:
    """What is kept of the best link to a URL while it waits: a short text, read when it is asked
    for, and the numbers of tag paths."""

    def __init__(self, anchors: Anchors) -> None:
        self._anchors = anchors
        self._clues: dict[str, Clues] = {"": Clues(SEED * 3, 0, 0, 0, False, ())}
        self._paths: dict[tuple[str, str], int] = {}

    def unpack(self, evidence: str) -> Clues:
        clues = self._clues.get(evidence)
        if clues is None:
            if len(self._clues) > _KEPT_TEXTS:
                self._clues = {"": self._clues[""]}
            head, _, anchor = evidence.partition("|")
            page, kind, href, path, scout = head.split(".")
            clues = self._clues[evidence] = Clues(
                int(page), int(kind), int(href), int(path), scout == "s",
                self._anchors.read(anchor)[1],
            )  # fmt: skip
        return clues

    def path(self, host: str, tag_path: str) -> int:
        """The number of a tag path on a host."""
        number = self._paths.get((host, tag_path))
        if number is None:
            if len(self._paths) > _KEPT_TEXTS:
                self._paths.clear()
            number = self._paths[host, tag_path] = path_number(host, tag_path)
        return number


def page_clue(verdict: Verdict | None, facts: Facts) -> int:
    """What the page with some links is; of a redirect only the facts are known."""
    if facts.run == 0:
        return SEED if verdict is None and facts.depth == 0 else 0
    run = min(facts.run, 3)
    unknown = verdict is not None and verdict.language == UNKNOWN
    return run + 3 if unknown else run


def path_number(host: str, tag_path: str) -> int:
    """The weight of a tag path: links in one menu of a host share it."""
    return 1 + crc32(f"{crc32(tag_path.encode()) % PATHS} {host}".encode()) % PATH_SLOTS
