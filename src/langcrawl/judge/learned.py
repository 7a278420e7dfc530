"""The judge of a learned pack: is a text nearer to its profile than to any known language?

A page is judged piece by piece: how near a text is to a profile depends on its length, so only
texts of one length can be measured against one threshold; and a page has other things on it
than the language, such as a menu.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from langcrawl.errors import BadValue
from langcrawl.languages import Pack, Tag, parse_tag
from langcrawl.languages.ngrams import count_ngrams, rank, without_joints, words
from langcrawl.languages.profiles import RANKS, Profile, Table, table
from langcrawl.languages.scripts import script_shares
from langcrawl.records import UNKNOWN, Content, Verdict

PIECE = 300
"""Characters of a piece, as of a short page."""
_MOST = 10
"""Pieces of a page that are looked at."""
_SHORTEST = 12
"""Fewer letters than this say nothing."""
_FAIR = 0.25
"""The share of a piece's letters that must be in the language's script."""
_SHARE = 0.3
"""The share of a page's pieces that must be in the language, as of the judge ``cld``."""


class Nearness(NamedTuple):
    """How near a text is to the language, and to the nearest of the others."""

    own: float
    rival: str
    rivals: float


@dataclass(frozen=True, slots=True)
class LearnedJudge:
    """Compares pieces of a text with the learned profile and with those of the same script."""

    target: Tag
    script: str
    ngrams: tuple[str, ...]
    threshold: float
    rivals: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """N-grams of other languages that were learned with it, by what the user calls them."""
    neighbours: tuple[str, ...] = ()
    _learned: Table = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        names = [str(self.target), *self.rivals]
        learned = Table(
            [Profile(name, self.script, "") for name in names], [self.ngrams, *self.rivals.values()]
        )
        object.__setattr__(self, "_learned", learned)

    def judge(self, content: Content) -> Verdict:
        pieces = _looked_at(without_joints(content.text))
        main = next(iter(script_shares(" ".join(pieces))), "")
        letters = sum(len(word) for piece in pieces for word in words(piece))
        if letters < _SHORTEST:
            return Verdict(script=main, evidence=(f"only {letters} letters of text",))
        found = Counter(map(self.language, pieces))
        own = str(self.target)
        share = found[own] / len(pieces)
        said = ", ".join(f"{name} {number}" for name, number in found.most_common(4))
        evidence = (f"n-grams of {len(pieces)} pieces of the text: {said}",)
        if share >= _SHARE and found[own] >= max((found[each] for each in self._near()), default=0):
            return Verdict(own, self.script, "", share, True, evidence)
        others = [name for name, _ in found.most_common() if name not in (own, UNKNOWN)]
        return Verdict(others[0] if others else UNKNOWN, main, evidence=evidence)

    def language(self, piece: str) -> str:
        """The language of a piece of text: the target, a rival, or unknown."""
        if script_shares(piece).get(self.script, 0.0) < _FAIR:
            return UNKNOWN
        near = self.compare(piece)
        if near.own < near.rivals:
            return near.rival
        return str(self.target) if near.own >= self.threshold else UNKNOWN

    def compare(self, text: str) -> Nearness:
        """How near a text is to the language, and the nearest of the others."""
        ranked = rank(count_ngrams(text), RANKS)
        own, *rest = (1.0 - self._learned.distances(ranked)).tolist()
        found = list(zip(rest, self.rivals, strict=True))
        if (others := table(self.script)) is not None:
            near = 1.0 - others.distances(ranked)
            for place in np.argsort(-near):
                profile = others.profiles[place]
                if parse_tag(profile.tag).primary != self.target.primary:
                    found.append((float(near[place]), profile.language))
                    break
        best, rival = max(found, default=(0.0, ""))
        return Nearness(own, rival, best)

    def _near(self) -> set[str]:
        """The languages of which a page must not have more: those that it is taken for."""
        return {*self.neighbours, *self.rivals}


def cut(text: str) -> list[str]:
    """Pieces of about a short page, cut between words; what is left at the end is dropped."""
    text = " ".join(text.split())
    pieces: list[str] = []
    first = 0
    while first < len(text):
        last = first + PIECE
        gap = text.rfind(" ", first + PIECE // 2, last) if last < len(text) else -1
        last = gap if gap > first else last
        if len(text) - first >= PIECE // 2 or not pieces:
            pieces.append(text[first:last])
        first = last
    return pieces


def _looked_at(text: str) -> list[str]:
    """The pieces of a text; of a long one some from the beginning to the end."""
    if len(text) <= _MOST * PIECE:
        return cut(text)
    apart = (len(text) - PIECE) // (_MOST - 1)
    pieces = (text[at * apart : at * apart + PIECE] for at in range(_MOST))
    return [" ".join(piece.split()) for piece in pieces]


def learned(target: Tag, pack: Pack) -> LearnedJudge:
    """The n-gram profile that 'langcrawl learn' has put into the language's pack."""
    if not pack.profile:
        raise BadValue(
            f"the pack of {target} was not learned; make one with 'langcrawl learn {target} TEXTS'."
        )
    rivals = {name: tuple(ngrams.split()) for name, ngrams in pack.rivals.items()}
    ngrams = tuple(pack.profile.split())
    return LearnedJudge(target, pack.scripts[0], ngrams, pack.threshold, rivals, pack.neighbours)
