"""Why a URL has its place in the queue, in words."""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from typing import TYPE_CHECKING, Final

from langcrawl.records import Visit
from langcrawl.strategy.learned.clues import SEED, Clues
from langcrawl.strategy.learned.places import NO_TONGUE, TARGET, Directory, File, places_of
from langcrawl.strategy.learned.rates import Rate
from langcrawl.strategy.learned.start import ANCHOR, FAME, HREFLANG, LEVEL, PAGE, URL_WORDS
from langcrawl.strategy.learned.weights import chance_of

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
    """Sentences, a line each: the chance and how sure it is, what speaks for it and what against
    it, each with its log-odds, and what one more page from there would make of it."""
    _, directory, file = learner.places.of(visit.url)
    keys, speaks = places_of(directory, file)
    base, pages, _, _ = learner.shown_by(keys, speaks)
    parts = [*_of_place(learner, keys, speaks, base), *_of_link(learner, directory, file, clues)]
    total = sum(worth for worth, _ in parts)
    more, less = chance_if(base, pages, total)
    lines = [f"chance {_share(chance_of(total))}, {_how_sure(learner, keys, pages)}"]
    for words, sign in (("For it", 1.0), ("Against it", -1.0)):
        some = sorted((part for part in parts if part[0] * sign > _SMALL), key=_by_size)
        if some:
            said = ", ".join(f"{text} ({worth:+.1f})" for worth, text in some)
            lines.append(f"{words}: {said}")
    slowness = learner.pace.slowness(directory.host, learner.connections)
    if slowness > 1.1:
        lines.append(f"Its host is slow and connections are busy: worth {slowness:.1f} times less")
    if clues.scout:
        lines.append("It is a look at a host that was never asked")
    lines.append(
        f"One relevant page from there would make it {_share(more)}, one in another "
        f"language {_share(less)}"
    )
    return ".\n".join(lines)


def chance_if(base: float, pages: float, total: float) -> tuple[float, float]:
    """The chance after one more relevant page there, and after one in another language."""
    rate, weight = chance_of(base), pages + 2.0
    after = [(rate * weight + hit) / (weight + 1) for hit in (1.0, 0.0)]
    more, less = (chance_of(log(each / (1 - each)) + total - base) for each in after)
    return more, less


def _of_place(
    learner: Adaptive, keys: Sequence[str], speaks: Sequence[int], base: float
) -> list[tuple[float, str]]:
    """What the place has shown, and what its name adds."""
    shown = learner.shown_by(keys, (NO_TONGUE,) * len(keys))[0]
    if not any(speaks):
        return [(base, "what its place has shown")]
    names = "the target" if [word for word in speaks if word][-1] == TARGET else "another language"
    return [(shown, "what its place has shown"), (base - shown, f"its place is named for {names}")]


def _of_link(
    learner: Adaptive, directory: Directory, file: File, clues: Clues
) -> list[tuple[float, str]]:
    """What the link and the kind of page add."""
    place, weight = learner._place(directory, file), learner.clues.values.get
    keys, speaks = places_of(directory, file)
    base = learner.shown_by(keys, speaks)[0]
    fame = 0.0
    if place.unseen and "fame" not in learner.left_out:
        fame = weight(FAME + learner.fame.of(directory.host), 0.0)
    urls = 0.0
    if directory.words and learner.hears_words(directory, file):
        score = learner.url_words.score(directory.words)
        urls = weight(URL_WORDS + place.level // LEVEL, 0.0) * score
    parts = [
        (fame, "the pages that link to its host"),
        (urls, "words of its URL that relevant pages had"),
        (place.total - base - fame - urls, "directories and files of such names"),
        (weight(PAGE + place.level + clues.page, 0.0), _of_page(clues.page // 3)),
        (weight(ANCHOR + place.level + clues.anchor, 0.0), _ANCHORS[clues.anchor]),
        (weight(HREFLANG + clues.hreflang, 0.0), _of_hreflang(clues.hreflang)),
        (learner.paths.values.get(clues.path, 0.0) if clues.path else 0.0,
         "links that stand there on pages"),
    ]  # fmt: skip
    if clues.words:
        known = learner.words.values.get
        worth = sum(known(word, 0.0) for word in clues.words) / len(clues.words)
        parts.append((worth, "the words of its anchor"))
    return parts


def _how_sure(learner: Adaptive, keys: Sequence[str], pages: float) -> str:
    """How much the chance rests on, by the smallest place of which something is known."""
    sure = "a guess" if pages < 2 else "fairly sure" if pages < 10 else "sure"
    for key in reversed(keys):
        known = learner.rates.known.get(key)
        if known is not None and known.pages >= 0.5:
            said = f"{_how_many(known)} came from {_name(key)} was relevant"
            if pages < 0.5:
                return f"{sure}: nothing has come from {_name(keys[-1])}; {said}"
            return f"{sure}: {said}"
    return f"{sure}: nothing has come from its host"


def _how_many(known: Rate) -> str:
    if known.hits == known.pages:
        return "all that"
    return f"{_share(known.hits / known.pages)} of what" if known.hits else "nothing that"


def _name(key: str) -> str:
    """The name of a place; that of a file name which names a language is its directory's."""
    return key.partition("|")[0]


def _by_size(part: tuple[float, str]) -> float:
    return -abs(part[0])


def _share(share: float) -> str:
    """A share in per cent that is never said to be certain."""
    return "under 1%" if share < 0.01 else "over 99%" if share > 0.99 else f"{share:.0%}"


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
