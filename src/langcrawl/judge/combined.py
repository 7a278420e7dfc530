"""Several judges in turn: the first that knows the language is believed."""

from __future__ import annotations

from dataclasses import dataclass

from langcrawl.ports import Judge
from langcrawl.records import UNKNOWN, Content, Verdict


@dataclass(frozen=True, slots=True)
class ChainJudge:
    """Asks its judges in order and collects what they say until one knows."""

    judges: tuple[Judge, ...]

    def judge(self, content: Content) -> Verdict:
        evidence: tuple[str, ...] = ()
        for judge in self.judges:
            verdict = judge.judge(content)
            evidence += verdict.evidence
            if verdict.language != UNKNOWN:
                return Verdict(
                    verdict.language, verdict.script, verdict.encoding, verdict.score,
                    verdict.relevant, evidence,
                )  # fmt: skip
        return Verdict(evidence=evidence)
