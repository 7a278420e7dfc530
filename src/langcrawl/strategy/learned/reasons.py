"""Why a URL has its place in the queue, in words."""

from __future__ import annotations

from math import exp, log
from typing import TYPE_CHECKING, Final

from langcrawl.records import Visit
from langcrawl.strategy.learned.clues import SEED, Clues
from langcrawl.strategy.learned.places import TARGET, places_of
from langcrawl.strategy.learned.start import ANCHOR, HREFLANG, PAGE

if TYPE_CHECKING:
    from langcrawl.strategy.learned.adaptive import Adaptive

_ANCHORS: Final = (
    "an anchor without letters", "an anchor in Latin letters", "an anchor with accents",
    "an anchor in letters that the target shares", "an anchor in the target's letters",
    "an anchor in other letters", "an anchor that names the target",
    "an anchor that names another language",
)  # fmt: skip
_SMALL: Final = 0.05


def in_words(learner: Adaptive, visit: Visit, clues: Clues) -> str:
    """The chance, the signals with what each adds in log-odds, how sure, and what changes it."""
    _, directory, file = learner.places.of(visit.url)
    keys, speaks = places_of(directory, file)
    base, pages, _, _ = learner.rates.chance(keys, speaks, learner.said.values)
    place = learner._place(directory, file)
    weight, start = learner.clues.values.get, place.level
    parts = [
        (base, _of_place(learner, keys)),
        (place.total - base, "directories and files of such names"),
        (weight(PAGE + start + clues.page, 0.0), _of_page(clues.page // 3)),
        (weight(ANCHOR + start + clues.anchor, 0.0), _ANCHORS[clues.anchor]),
        (weight(HREFLANG + clues.hreflang, 0.0), _of_hreflang(clues.hreflang)),
        (learner.paths.values.get(clues.path, 0.0) if clues.path else 0.0, "links in such a place"),
    ]
    if clues.words:
        known = learner.words.values.get
        worth = sum(known(word, 0.0) for word in clues.words) / len(clues.words)
        parts.append((worth, "the words of its anchor"))
    named = ["named the target's" if word == TARGET else "named another language's"
             for word in speaks if word]  # fmt: skip
    said = [f"{words} {worth:+.1f}" for worth, words in parts if abs(worth) > _SMALL]
    chance = _chance(sum(worth for worth, _ in parts))
    sure = "a guess" if pages < 2 else "fairly sure" if pages < 10 else "sure"
    scout = "; a look at a host that was never asked" if clues.scout else ""
    also = f"; its place is {named[-1]}" if named else ""
    rest = chance_if(parts, base, pages)
    return (
        f"chance {chance:.0%}, {sure} ({pages:.0f} pages seen there){scout}: "
        f"{', '.join(said)}{also}; a relevant page there would make it {rest[0]:.0%}, "
        f"another {rest[1]:.0%}"
    )


def chance_if(parts: list[tuple[float, str]], base: float, pages: float) -> tuple[float, float]:
    """The chance after one more relevant page there, and after one in another language."""
    rest = sum(worth for worth, _ in parts) - base
    rate, weight = _chance(base), pages + 2.0
    after = [(rate * weight + hit) / (weight + 1) for hit in (1.0, 0.0)]
    more, less = (_chance(log(each / (1 - each)) + rest) for each in after)
    return more, less


def _of_place(learner: Adaptive, keys: tuple[str, ...]) -> str:
    """The smallest place of which something is known."""
    for key in reversed(keys):
        known = learner.rates.known.get(key)
        if known is not None and known.pages >= 1:
            return f"{key.partition('|')[0]} ({known.hits:.0f} of {known.pages:.0f} relevant)"
    return "nothing seen near it"


def _of_page(page: int) -> str:
    if page == 0:
        return "linked from a relevant page"
    if page == SEED:
        return "a seed"
    kind = "a page in no language" if page > 3 else "an irrelevant page"
    run = (page - 1) % 3 + 1
    return f"linked from {kind}, {run if run < 3 else '3 or more'} in a row"


def _of_hreflang(hreflang: int) -> str:
    return "hreflang of the target" if hreflang == TARGET else "hreflang of another language"


def _chance(total: float) -> float:
    return 1 / (1 + exp(-max(-30.0, min(30.0, total))))
