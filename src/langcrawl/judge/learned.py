"""The judge of a learned pack: nearer to its own profile than to any language that is known."""

from __future__ import annotations

from dataclasses import dataclass

from langcrawl.errors import BadValue
from langcrawl.languages import Pack, Tag, parse_tag
from langcrawl.languages.ngrams import count_ngrams, rank, words
from langcrawl.languages.profiles import RANKS, Profile, Table, table
from langcrawl.languages.scripts import script_shares
from langcrawl.records import Content, Verdict

_SAMPLE = 3000
_SHORTEST = 12
"""Fewer letters than this say nothing."""
_FAIR = 0.25
"""The share of the letters that must be in the language's script."""


@dataclass(frozen=True, slots=True)
class LearnedJudge:
    """Compares a text with the learned profile and with those of the same script."""

    target: Tag
    script: str
    pieces: tuple[str, ...]
    threshold: float

    def judge(self, content: Content) -> Verdict:
        text = content.text[:_SAMPLE]
        scripts = script_shares(text)
        main = next(iter(scripts), "")
        letters = sum(map(len, words(text)))
        if letters < _SHORTEST:
            return Verdict(script=main, evidence=(f"only {letters} letters of text",))
        if scripts.get(self.script, 0.0) < _FAIR:
            return Verdict(script=main, evidence=(f"hardly a letter in {self.script} script",))
        near, rival, rival_near = self.compare(text)
        said = f"n-grams: {self.target} {near:.2f}, {rival or 'no other'} {rival_near:.2f}"
        if near < rival_near:
            return Verdict(rival, main, evidence=(said,))
        if near < self.threshold:
            return Verdict(script=main, evidence=(f"{said}; below {self.threshold:.2f}",))
        return Verdict(str(self.target), main, "", near, True, (said,))

    def compare(self, text: str) -> tuple[float, str, float]:
        """How near a text is to the language, and the nearest of the others."""
        ranked = rank(count_ngrams(text), RANKS)
        own = Table((Profile(str(self.target), self.script, ""),), (self.pieces,))
        near = 1.0 - float(own.distances(ranked)[0])
        others = table(self.script)
        if others is None:
            return near, "", 0.0
        found = sorted(
            (float(far), profile.language)
            for far, profile in zip(others.distances(ranked), others.profiles, strict=True)
            if parse_tag(profile.tag).primary != self.target.primary
        )
        return (near, found[0][1], 1.0 - found[0][0]) if found else (near, "", 0.0)


def learned(target: Tag, pack: Pack) -> LearnedJudge:
    """The n-gram profile that 'langcrawl learn' has put into the language's pack."""
    if not pack.profile:
        raise BadValue(
            f"the pack of {target} was not learned; make one with 'langcrawl learn {target} TEXTS'."
        )
    return LearnedJudge(target, pack.scripts[0], tuple(pack.profile.split()), pack.threshold)
