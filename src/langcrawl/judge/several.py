"""One judge for several targets: a page is relevant if it is in any of them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from langcrawl.ports import Judge
from langcrawl.records import UNKNOWN, Content, Verdict


@dataclass(frozen=True, slots=True)
class SeveralJudge:
    """Asks the judge of each target, and gives the best verdict.

    A relevant one is best, of several the one with the highest score; then one that knows the
    language. Of equals the first counts, so the order of the targets decides.
    """

    judges: tuple[Judge, ...]

    def judge(self, content: Content) -> Verdict:
        verdicts = [judge.judge(content) for judge in self.judges]
        best = max(verdicts, key=_worth)
        if best.language != UNKNOWN:
            return best
        heard = dict.fromkeys(words for verdict in verdicts for words in verdict.evidence)
        return replace(best, evidence=tuple(heard))


def _worth(verdict: Verdict) -> tuple[bool, bool, float]:
    return verdict.relevant, verdict.language != UNKNOWN, verdict.score
