"""When a host may be asked again.

A host is asked one thing at a time, and then left alone for a delay that begins when its
answer has arrived. The clock of a host is kept here and not with its queue, so it also
holds for a host whose queue runs empty and fills again. A host that has rested long enough
is forgotten, so memory is bounded by the hosts asked within one delay.
"""

from __future__ import annotations

from heapq import heappop, heappush
from math import inf


class Politeness:
    """The clocks of all hosts that are being asked or have to rest."""

    def __init__(self, delay: float = 0.0) -> None:
        self.delay = delay
        self._ready_at: dict[str, float] = {}
        self._resting: list[tuple[float, str]] = []

    def ready_at(self, host: str) -> float:
        """The moment from which the host may be asked: 0 for now, infinity while it is asked."""
        return self._ready_at.get(host, 0.0)

    def __contains__(self, host: str) -> bool:
        """Whether the host is being asked or has to rest."""
        return host in self._ready_at

    def begin(self, host: str) -> None:
        """The host is being asked."""
        self._ready_at[host] = inf

    def end(self, host: str, answered_at: float, host_delay: float = 0.0) -> None:
        """The host has answered; it rests for the longer of our delay and its own."""
        moment = answered_at + max(self.delay, host_delay)
        self._ready_at[host] = moment
        heappush(self._resting, (moment, host))

    def rested(self, now: float) -> list[str]:
        """Hosts that have become ready since the last call."""
        hosts = []
        while self._resting and self._resting[0][0] <= now:
            _, host = heappop(self._resting)
            del self._ready_at[host]
            hosts.append(host)
        return hosts

    def next_ready(self) -> float:
        """The moment when the next resting host becomes ready; infinity where none rests."""
        return self._resting[0][0] if self._resting else inf
