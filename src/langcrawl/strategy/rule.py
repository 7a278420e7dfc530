"""A rule as a ranker: what the loop sees of a `Strategy`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from langcrawl.errors import StrategyFailed
from langcrawl.ports import Download, Offer, Ranking, Strategy
from langcrawl.records import Facts, Tally, Visit


class RuleRanker:
    """Ranks links by a rule over their facts; a host is a group, and nothing is learned."""

    step = 0.0
    reads_links = reads_context = keeps_evidence = grouped = False

    def __init__(self, strategy: Strategy) -> None:
        self.strategy = strategy
        self.name, self.last_first = strategy.name, strategy.last_first
        self.gathers, self.watches = strategy.gathers, strategy.group_state is not None
        self.reconsiders = False
        self._sign = -1.0 if strategy.highest_first else 1.0
        self._reasons = {-float(k): reason for k, reason in enumerate(strategy.reasons, 1)}

    def group_of(self, url: str, host: str) -> str:
        return host

    def rank(self, offer: Offer) -> Ranking:
        return self._ranking(offer.facts)

    def saw(self, download: Download) -> Iterable[str]:
        tally = download.tally
        state = self.state_of(tally)
        if state == tally.state:
            return ()
        tally.state = state
        return (download.group,)

    def rank_again(self, group: str, waiting: Sequence[Visit]) -> Ranking:
        return self._ranking([visit.facts for visit in waiting])

    def reconsider(self, visit: Visit) -> float:
        return visit.priority

    def state_of(self, tally: Tally) -> int:
        group_state = self.strategy.group_state
        if group_state is None:
            return 0
        try:
            return group_state(tally.downloads, tally.hits)
        except Exception as error:
            raise StrategyFailed(
                f"the strategy '{self.name}' failed on the state of a group with "
                f"{tally.downloads} downloads and {tally.hits} hits: {error!r}"
            ) from error

    def save(self) -> Mapping[str, bytes]:
        return {}

    def restore(self, saved: Mapping[str, bytes]) -> None:
        """A rule knows nothing that the loop does not."""

    def share(self) -> str:
        return ""

    def take_in(self, shared: str) -> None:
        """A rule learns nothing."""

    def why(self, visit: Visit) -> str:
        return f"{self.strategy.says}; its priority is {visit.priority:g}"

    def _ranking(self, links: Sequence[Facts]) -> Ranking:
        """Links that are alike have the very same facts, and are ranked once."""
        known: dict[int, tuple[float, str]] = {}
        priorities, discards = [], []
        last: Facts | None = None
        for facts in links:
            if facts is not last:
                last = facts
                answer = known.get(id(facts))
                if answer is None:
                    answer = known[id(facts)] = self.rank_facts(facts)
                priority, discard = answer
            priorities.append(priority)
            discards.append(discard)
        return Ranking(priorities, discards)

    def rank_facts(self, facts: Facts) -> tuple[float, str]:
        """The rule's priority, or its reason to discard."""
        try:
            priority = self.strategy.rank(facts)
            if priority >= 0:
                return self._sign * priority, ""
        except Exception as error:
            raise StrategyFailed(
                f"the strategy '{self.name}' failed on {facts}: {error!r}"
            ) from error
        if priority not in self._reasons:
            raise StrategyFailed(
                f"the strategy '{self.name}' returned {priority} for {facts}; a rule "
                "returns 0 or more to queue a link and -k to discard it for its k-th reason"
            )
        return priority, self._reasons[priority]
