"""Several judges in turn: the first that knows the language is believed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from langcrawl.ports import Judge
from langcrawl.records import UNKNOWN, Content, Verdict


@dataclass(frozen=True, slots=True)
class ChainJudge:
    """Asks its judges in order and collects what they say until one knows."""

    judges: tuple[Judge, ...]

    def judge(self, content: Content) -> Verdict:
        return first_known(judge.judge(content) for judge in self.judges)


def first_known(verdicts: Iterable[Verdict]) -> Verdict:
    """The first verdict that names a language, with the evidence of those before it."""
    evidence: tuple[str, ...] = ()
    for verdict in verdicts:
        evidence += verdict.evidence
        if verdict.language != UNKNOWN:
            return Verdict(
                verdict.language, verdict.script, verdict.encoding, verdict.score,
                verdict.relevant, evidence,
            )  # fmt: skip
    return Verdict(evidence=evidence)
