"""The judge of paper 000, section 2.1.1: the declared charset and n-grams, joined by a table."""

from __future__ import annotations

from dataclasses import dataclass

from langcrawl.judge.charset import CharsetJudge
from langcrawl.judge.ngram import NgramJudge, ngram
from langcrawl.languages import Tag, Target
from langcrawl.records import UNKNOWN, Content, Verdict

_ENGLISH = Tag("en")


@dataclass(frozen=True, slots=True)
class CharsetNgramJudge:
    """Asks META for a charset and the n-grams for languages, and decides as Table 1 says."""

    target: Target
    charset: CharsetJudge
    ngrams: NgramJudge

    def judge(self, content: Content) -> Verdict:
        declared = self.charset.judge(content)
        read = self._read(content.text)
        chosen = self._table_1(declared, read)
        evidence = declared.evidence + read.evidence
        return Verdict(
            chosen.language, chosen.script, "", chosen.score, chosen.relevant, evidence
        )  # fmt: skip

    def _read(self, text: str) -> Verdict:
        """Step 2 of the section: of several answers the target, else English, else the first."""
        answers = self.ngrams.answers(text)
        if not answers.found:
            return Verdict(script=next(iter(answers.scripts), ""), evidence=answers.evidence)
        for wanted in (self.target, _ENGLISH):
            for profile, near in answers.found:
                if wanted.matches(profile.tag, profile.script):
                    relevant = self.target.matches(profile.tag, profile.script)
                    score = near if relevant else 0.0
                    return Verdict(
                        profile.language, profile.script, "", score, relevant, answers.evidence
                    )
        first = answers.found[0][0]
        return Verdict(first.language, first.script, evidence=answers.evidence)

    @staticmethod
    def _table_1(declared: Verdict, read: Verdict) -> Verdict:
        """Table 1, where Thai is the target, row by row."""
        if declared.relevant:  # Thai, X: Thai
            return declared
        if read.relevant:  # X, Thai: Thai
            return read
        if declared.language != UNKNOWN:  # Y, unknown: Y, and Y, Z: Y
            return Verdict(declared.language, declared.script)
        return read  # unknown, Z: Z, and unknown, unknown: unknown


def charset_ngram(target: Target, factor: float = 1.05, most: int = 10) -> CharsetNgramJudge:
    """What META declares, and n-grams, as Table 1 of paper 000 joins them."""
    return CharsetNgramJudge(
        target, CharsetJudge(target, ("meta",)), ngram(target, factor, most)
    )  # fmt: skip
