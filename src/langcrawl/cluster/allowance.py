"""How many pages each shard may download, so that all of them together keep to the limit.

The shards' allowances never add up to more than the limit. Each begins with an equal part of it;
one that has nearly used its own up gets more from what nobody has, and once that is gone, others
give back what they have not begun. So a shard seldom waits for its allowance: it would have to let
all its connections run empty first. What was taken from a shard counts as its own until it has
agreed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import inf

from langcrawl.cluster.messages import Allow, Report

_LOW = 256
"""Pages that a shard has left when it is given more: what it begins until it hears of that."""


class Allowance:
    """The limit of pages of a crawl, shared out."""

    def __init__(self, limit: int | None, downloaded: Iterable[int]) -> None:
        self.allowed: list[float] = list(map(float, downloaded))
        """What each shard may come to."""
        self._orders = 0
        self._waiting: dict[int, int] = {}
        """Shards that have not answered an order yet, and its number."""
        self._limit = inf if limit is None else limit
        part = self._part() if self._limit < inf else inf
        self.allowed = [now + part for now in self.allowed]

    def change(self, limit: int | None, reports: Mapping[int, Report]) -> dict[int, Allow]:
        """There is another limit: have the shards give back what they have not begun."""
        self._limit = inf if limit is None else limit
        if self._limit == inf:
            self.allowed = [inf] * len(self.allowed)
            return {shard: self._order(shard, inf) for shard in reports}
        return {shard: self._order(shard, report.begun) for shard, report in reports.items()}

    def orders(self, reports: Mapping[int, Report]) -> dict[int, Allow]:
        """What to tell which shards, as they stand now."""
        if self._limit == inf:
            return {}
        for shard, report in reports.items():
            if self._waiting.get(shard) == report.order:
                del self._waiting[shard]
                self.allowed[shard] = report.allowed
        hungry = [
            shard
            for shard, report in reports.items()
            if report.allowed >= self.allowed[shard] and (report.idle == "full" or _is_low(report))
        ]
        told: dict[int, Allow] = {}
        for shard in hungry:
            part = min(self._left(), max(1, self._part()))
            if part >= 1 and shard not in self._waiting:
                told[shard] = self._order(shard, self.allowed[shard] + part)
                self.allowed[shard] += part
        if hungry and self._left() < 1 and not told:
            least = 1 if any(reports[shard].idle == "full" for shard in hungry) else 2 * _LOW
            for shard, report in reports.items():
                spare = self.allowed[shard] - report.begun
                if spare >= (1 if report.idle else least) and report.idle != "full":
                    kept = 0 if report.idle else spare // 2
                    if shard not in self._waiting:
                        told[shard] = self._order(shard, report.begun + kept)
        return told

    def _order(self, shard: int, pages: float) -> Allow:
        self._orders += 1
        self._waiting[shard] = self._orders
        return Allow(self._orders, pages)

    def forget(self, shard: int) -> None:
        """A shard is gone with what it was told; it begins anew with what it may come to."""
        self._waiting.pop(shard, None)

    def _left(self) -> float:
        return max(0.0, self._limit - sum(self.allowed))

    def _part(self) -> float:
        return self._left() // len(self.allowed)


def _is_low(report: Report) -> bool:
    """Whether a shard that works will soon have used up what it may download."""
    return not report.idle and report.allowed - report.begun < _LOW
