"""One judge for several targets: a page is relevant if it is in any of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

from langcrawl.judge.combined import first_known
from langcrawl.languages import Target
from langcrawl.ports import Judge
from langcrawl.records import UNKNOWN, Content, Verdict


class Part(NamedTuple):
    """A judge in the chain of some targets."""

    wide: Judge
    """For the targets of all chains that it stands in: it is asked once a page."""
    own: Judge
    """For the targets of this chain alone."""
    target: Target


@dataclass(frozen=True, slots=True)
class SeveralJudge:
    """Asks the chain of each target, and gives the best verdict.

    A relevant one is best, of several the one with the highest score; then one that knows the
    language. Of equals the first counts, so the order of the targets decides.
    """

    chains: tuple[tuple[Part, ...], ...]

    def judge(self, content: Content) -> Verdict:
        heard: dict[int, Verdict] = {}
        verdicts = [_verdict(chain, content, heard) for chain in self.chains]
        best = max(verdicts, key=_worth)
        if best.language != UNKNOWN:
            return best
        words = dict.fromkeys(said for verdict in verdicts for said in verdict.evidence)
        return replace(best, evidence=tuple(words))


def _verdict(chain: tuple[Part, ...], content: Content, heard: dict[int, Verdict]) -> Verdict:
    """What a chain says; a judge alone is believed as it is, also where it knows no language."""
    asked = (_ask(part, content, heard) for part in chain)
    return next(asked) if len(chain) == 1 else first_known(asked)


def _ask(part: Part, content: Content, heard: dict[int, Verdict]) -> Verdict:
    """What a judge says, for the targets of its chain.

    Most pages are in no target at all, so one answer serves all chains. Only a page that is in
    the target of another chain is looked at again: it may be in two languages.
    """
    verdict = heard.get(id(part.wide))
    if verdict is None:
        verdict = heard[id(part.wide)] = part.wide.judge(content)
    if not verdict.relevant or part.target.matches(verdict.language, verdict.script):
        return verdict
    return verdict if part.own is part.wide else part.own.judge(content)


def _worth(verdict: Verdict) -> tuple[bool, bool, float]:
    return verdict.relevant, verdict.language != UNKNOWN, verdict.score
