"""The n-gram profiles of languages: what is frequent in each, in order of rank.

``profiles/index.tsv`` names the languages (tag, script of the letters, name). For each script
there is one file, ``SCRIPT.txt.xz``, with a line a language: its tag and its n-grams, the
most frequent first. They are computed by `langcrawl.languages.build_profiles`. A text needs
to be compared with the languages of its own script only, so no more is read.
"""

from __future__ import annotations

import lzma
from collections.abc import Sequence
from functools import lru_cache
from importlib import resources
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from langcrawl.languages.ngrams import EDGE, words
from langcrawl.languages.scripts import parts_of, script_of
from langcrawl.languages.tags import parse_tag

RANKS = 4000
"""The n-grams that a profile keeps; one that it has not is out of place by so many ranks."""
FOLDER = "profiles"
_TELLING, _TOO_FEW = 2, 12
_TOO_FEW_IN = {"Jpan": 40}
_TELLING_IN = {"Latn": 3, "Cyrl": 3, "Hani": 1, "Jpan": 1, "Hang": 1, "Yiii": 1}
"""The size of the n-grams that a text should share with its language: the more signs a script
has, or the shorter its words are, the less often the same one is seen again."""


class Profile(NamedTuple):
    """A language that is known by its n-grams."""

    tag: str
    """With the script where the language is written in several: ``mn-Cyrl``, ``zh-Hant``."""
    script: str
    """Of its letters, as `langcrawl.languages.scripts` names it."""
    name: str

    @property
    def language(self) -> str:
        """The tag, without a script that the letters show anyway."""
        tag = parse_tag(self.tag)
        return tag.primary if tag.script in ("", self.script) else self.tag


def _read(name: str) -> bytes:
    return (resources.files("langcrawl.languages") / FOLDER / name).read_bytes()


@lru_cache(maxsize=1)
def all_profiles() -> tuple[Profile, ...]:
    """The languages that have a profile, by tag."""
    lines = _read("index.tsv").decode().splitlines()
    return tuple(Profile(*line.split("\t")) for line in lines)


@lru_cache(maxsize=8)
def ranked_ngrams(script: str) -> dict[str, list[str]]:
    """The n-grams of each language of a script, by tag, in order of rank."""
    lines = lzma.decompress(_read(f"{script}.txt.xz")).decode().splitlines()
    return {tag: pieces.split(" ") for tag, _, pieces in (x.partition("\t") for x in lines)}


@lru_cache(maxsize=512)
def _known(profile: Profile) -> frozenset[str]:
    return frozenset(ranked_ngrams(profile.script)[profile.tag])


def familiar(profile: Profile, text: str) -> float:
    """The share of a text's short n-grams that a language has; of garbled text it has few.

    Only the words in the language's own script count. A handful of letters proves nothing.
    """
    size = _TELLING_IN.get(profile.script, _TELLING)
    parts = parts_of(profile.script)
    own = [word for word in words(text) if script_of(word[0]) in parts]
    if sum(map(len, own)) < _TOO_FEW_IN.get(profile.script, _TOO_FEW):
        return 1.0
    found = {word[at : at + size] for word in own for at in range(len(word) - size + 1)}
    by_chance = 1
    shared = len(_known(profile).intersection(found)) - by_chance
    return max(0, shared) / max(1, len(found))


class Table:
    """The profiles of one script, turned round: for each n-gram, who has it at which rank."""

    def __init__(self, profiles: Sequence[Profile], ranked: Sequence[Sequence[str]]) -> None:
        self.profiles = tuple(profiles)
        self._number: dict[str, int] = {}
        number = self._number
        pieces = [number.setdefault(piece, len(number)) for each in ranked for piece in each]
        order = np.argsort(np.array(pieces, np.int32), kind="stable")
        lengths = [len(each) for each in ranked]
        owners = np.repeat(np.arange(len(ranked), dtype=np.int16), lengths)
        ranks = np.concatenate([np.arange(length, dtype=np.int16) for length in lengths])
        self._owner, self._rank = owners[order], ranks[order]
        counts = np.bincount(np.array(pieces, np.int64), minlength=len(number))
        self._start: NDArray[np.int64] = np.concatenate(([0], np.cumsum(counts)))

    def distances(self, ranked: Sequence[str]) -> NDArray[np.float64]:
        """How far a text's ranked n-grams are out of place in each profile, from 0 to 1.

        The sum of the differences in rank, where an n-gram that the profile has not counts
        `RANKS`, divided by the largest such sum.
        """
        known = [(self._number[piece], at) for at, piece in enumerate(ranked)
                 if piece in self._number]  # fmt: skip
        if not known:
            return np.ones(len(self.profiles))
        pieces, ranks = np.array(known, np.int64).T
        first, times = self._start[pieces], self._start[pieces + 1] - self._start[pieces]
        skipped = np.repeat(first - np.cumsum(times) + times, times)
        entries = skipped + np.arange(len(skipped))
        apart = np.abs(self._rank[entries] - np.repeat(ranks, times))
        saved = np.bincount(self._owner[entries], RANKS - apart, len(self.profiles))
        return np.asarray(1.0 - saved / (RANKS * len(ranked)))


@lru_cache(maxsize=64)
def table(script: str) -> Table | None:
    """The languages that are written in a script; None where there is none."""
    profiles = [profile for profile in all_profiles() if profile.script == script]
    if not profiles:
        return None
    ranked = ranked_ngrams(script)
    return Table(profiles, [ranked[profile.tag] for profile in profiles])


@lru_cache(maxsize=512)
def profile_of(tag: str, script: str = "") -> Profile | None:
    """The profile of a language, in the script if one is named."""
    wanted = parse_tag(tag)
    found = (each for each in all_profiles() if wanted.matches(each.tag, each.script))
    return next((each for each in found if script in ("", each.script)), None)


def windows(tag: str, size: int, across: bool = False) -> tuple[str, ...]:
    """The n-grams of one size, from the profile of a language; the frequent first.

    Those within words; with `across`, those with the space before or after a word, too. Windows
    that reach from one word into the next are in no profile: of size 2 there are none.
    """
    profile = profile_of(tag)
    if not profile:
        return ()
    ranked = ranked_ngrams(profile.script)[profile.tag]
    return tuple(
        piece.replace(EDGE, " ")
        for piece in ranked
        if len(piece) == size and (across or EDGE not in piece)
    )
