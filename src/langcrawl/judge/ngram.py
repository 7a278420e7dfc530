"""Ranked n-grams: the method of Cavnar and Trenkle, which paper 000 used as TextCat (2.1.1)."""

from __future__ import annotations

from dataclasses import dataclass

from langcrawl.errors import BadValue, UnknownName
from langcrawl.languages import Target, parse_tag
from langcrawl.languages.find import tag_or_unknown
from langcrawl.languages.ngrams import count_ngrams, rank, without_joints, words
from langcrawl.languages.profiles import RANKS, Profile, Table, all_profiles, familiar, table
from langcrawl.languages.scripts import script_shares
from langcrawl.records import Content, Verdict

_SAMPLE = 2000
"""Characters of a page that are looked at: more of them change no answer and cost time."""
_ENOUGH = 1000
"""Characters that show whether a text is gibberish."""
_FAIR = 0.25
"""The share of the letters from which on a script's languages are compared."""
_ALONE = {"Thai": 0.35, "Laoo": 0.35, "Khmr": 0.35}
"""Scripts of one language, which is the nearest of anything: what a text must have of it."""
_ANY: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Answers:
    """The languages that a text may be in, the nearest first, and how near; or why none."""

    found: tuple[tuple[Profile, float], ...]
    scripts: dict[str, float]
    why: str

    @property
    def evidence(self) -> tuple[str, ...]:
        """What was found, in words, with the scripts of a page in several."""
        said: tuple[str, ...] = (self.why,)
        if len(self.scripts) > 1:
            parts = ", ".join(f"{script} {share:.0%}" for script, share in self.scripts.items())
            said += (f"letters: {parts}",)
        return said


@dataclass(frozen=True, slots=True)
class NgramJudge:
    """Compares the ranks of a text's n-grams with those of the languages of its script."""

    target: Target
    factor: float
    most: int
    shortest: int
    least: float
    among: frozenset[str] = _ANY

    def judge(self, content: Content) -> Verdict:
        answers = self.answers(content.text)
        if not answers.found:
            return Verdict(script=next(iter(answers.scripts), ""), evidence=answers.evidence)
        best, near = answers.found[0]
        relevant = self.target.matches(best.tag, best.script)
        score = near if relevant else 0.0
        return Verdict(best.language, best.script, "", score, relevant, answers.evidence)

    def answers(self, text: str) -> Answers:
        """The languages within `factor` of the nearest; none where the text says too little."""
        text = without_joints(text[:_SAMPLE])
        scripts = script_shares(text)
        letters = sum(map(len, words(text[: 4 * self.shortest])))
        if letters < self.shortest:
            return Answers((), scripts, f"only {letters} letters of text")
        tables = self._tables(scripts)
        if not tables:
            return Answers((), scripts, "no language to compare with is written in this script")
        ranked = rank(count_ngrams(text), RANKS)
        compared = self._compare(ranked, tables)
        first, best = compared[0]
        known = familiar(best, text[:_ENOUGH])
        if known < max(self.least, _ALONE.get(best.script, 0.0)):
            said = f"no language: of {best.language}, the nearest, it has {known:.0%}"
            return Answers((), scripts, said)
        close = [(each, 1 - far) for far, each in compared if far <= self.factor * first]
        said = ", ".join(f"{each.language} {near:.2f}" for each, near in close[: self.most])
        if len(close) > self.most:
            return Answers((), scripts, f"{len(close)} languages are about as near: {said}, ...")
        return Answers(tuple(close), scripts, f"n-grams: {said}")

    def _tables(self, scripts: dict[str, float]) -> list[Table]:
        """The languages of each script that has a fair share of the letters."""
        found = [table(script) for script, share in scripts.items() if share >= _FAIR]
        return [each for each in found if each and any(map(self._asked, each.profiles))]

    def _compare(self, ranked: list[str], tables: list[Table]) -> list[tuple[float, Profile]]:
        """Distances to the languages that are asked for, the nearest first."""
        found: list[tuple[float, Profile]] = []
        for each in tables:
            found += zip(each.distances(ranked).tolist(), each.profiles, strict=True)
        return sorted(each for each in found if self._asked(each[1]))

    def _asked(self, profile: Profile) -> bool:
        return not self.among or parse_tag(profile.tag).primary in self.among


def ngram(
    target: Target,
    factor: float = 1.05,
    most: int = 10,
    shortest: int = 12,
    least: float = 0.1,
    among: str = "",
) -> NgramJudge:
    """Ranked n-grams of 450 languages (Cavnar-Trenkle): the nearest, unless too many are near."""
    if factor < 1:
        raise BadValue(f"ngram's factor must be 1 or more, not {factor:g}.")
    if most < 1 or shortest < 1:
        raise BadValue("ngram's most and shortest must be 1 or more.")
    if not 0 <= least < 1:
        raise BadValue(f"ngram's least must be from 0 to below 1, not {least:g}.")
    known = {parse_tag(profile.tag).primary for profile in all_profiles()}
    wanted = frozenset(tag_or_unknown(text).primary for text in among.split("+") if text)
    for name in sorted(wanted - known):
        raise UnknownName("profile of a language", name, known)
    return NgramJudge(target, factor, most, shortest, least, wanted)
