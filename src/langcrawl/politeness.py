"""When a host may be asked again.

A host is asked one thing at a time, and then left alone for a delay that begins when its
answer has arrived. Many small sites share one server, so an address has a clock of its own
beside those of its hosts. A host in trouble (429, 503, no answer) is left alone for longer
each time. The clock of a host is kept here and not with its queue, so it also holds for a
host whose queue runs empty and fills again. A host that has rested long enough is
forgotten, but for its address, its own delay and its troubles.
"""

from __future__ import annotations

from heapq import heappop, heappush
from math import inf
from typing import NamedTuple

_DEAD = 10
"""Troubles in a row after which a host is given up."""


class HostClock(NamedTuple):
    """What must not be forgotten of a host when the process ends."""

    ready_at: float = 0.0
    delay: float = 0.0
    """Seconds that the host itself asks for between requests."""
    ip: str = ""
    troubles: int = 0


class Politeness:
    """The clocks of all hosts and addresses that are being asked or have to rest."""

    def __init__(
        self,
        delay: float = 0.0,
        ip_delay: float = 0.0,
        backoff: float = 30.0,
        longest: float = 3600.0,
    ) -> None:
        """`longest` is how many seconds a host can keep us waiting, whatever it asks for."""
        self.delay, self.ip_delay, self.backoff, self.longest = delay, ip_delay, backoff, longest
        self.changed: dict[str, HostClock] = {}
        """The clocks set since the owner of this last cleared it, to be made to last."""
        self._ready_at: dict[str, float] = {}
        self._resting: list[tuple[float, str]] = []
        self._addresses: dict[str, str] = {}
        self._address_ready_at: dict[str, float] = {}
        self._addresses_resting: list[tuple[float, str]] = []
        self._held: dict[str, set[str]] = {}  # hosts that wait for their address only
        self._own_delays: dict[str, float] = {}
        self._troubles: dict[str, int] = {}

    def restore(self, host: str, clock: HostClock) -> None:
        """Set a host's clock as an earlier run left it."""
        if clock.ip:
            self._addresses[host] = clock.ip
        if clock.delay:
            self._own_delays[host] = clock.delay
        if clock.troubles:
            self._troubles[host] = clock.troubles
        self._rest(host, clock.ready_at)

    def rest_again(self, host: str, now: float) -> None:
        """The host's last request is unknown: let it rest a full delay from now on.

        That is told as a change, because the next process must know of it as well.
        """
        own = self._own_delays.get(host, 0.0)
        moment = max(self._ready_at.get(host, 0.0), now + max(self.delay, min(own, self.longest)))
        self._rest(host, moment)
        troubles = self._troubles.get(host, 0)
        self.changed[host] = HostClock(moment, own, self._addresses.get(host, ""), troubles)

    def ready_at(self, host: str) -> float:
        """The moment from which the host may be asked: 0 for now, infinity while it is asked."""
        return self._ready_at.get(host, 0.0)

    def is_ready(self, host: str) -> bool:
        """Whether the host may be asked now; if not, `rested` names it when it may."""
        if host in self._ready_at:
            return False
        address = self._addresses.get(host)
        if address is None or address not in self._address_ready_at:
            return True
        self._held.setdefault(address, set()).add(host)
        return False

    def begin(self, host: str) -> None:
        """The host is being asked."""
        self._ready_at[host] = inf
        address = self._addresses.get(host)
        if address is not None and self.ip_delay:
            self._address_ready_at[address] = inf

    def end(
        self,
        host: str,
        answered_at: float,
        host_delay: float = 0.0,
        wait: float = 0.0,
        ip: str = "",
        *,
        trouble: bool = False,
    ) -> None:
        """The host has answered, or it was not asked after all (`answered_at` is 0).

        It rests for the longest of our delay, its own (the last that it named), what it asked
        for this time (`wait`), and what its troubles call for.
        """
        if host_delay:
            self._own_delays[host] = host_delay
        own = self._own_delays.get(host, 0.0)
        troubles = self._troubles.pop(host, 0) + 1 if trouble else 0
        if trouble:
            self._troubles[host] = troubles
            wait = max(wait, self.backoff * 2 ** min(troubles - 1, 20))
        elif not answered_at:
            troubles = self._troubles.get(host, 0)
        else:
            self._troubles.pop(host, None)
        address = self._addresses.get(host)
        if address is not None and self.ip_delay:
            self._rest_address(address, answered_at + self.ip_delay)
        if ip and ip != address:
            self._addresses[host] = ip
        moment = answered_at + max(self.delay, min(max(own, wait), self.longest))
        self._rest(host, moment)
        self.changed[host] = HostClock(moment, own, ip or address or "", troubles)

    def is_dead(self, host: str) -> bool:
        """Whether the host was in trouble so often in a row that it is not worth asking."""
        return self._troubles.get(host, 0) >= _DEAD

    def rested(self, now: float) -> list[str]:
        """Hosts that have become ready since the last call, as far as their own clocks go."""
        hosts = []
        while self._resting and self._resting[0][0] <= now:
            moment, host = heappop(self._resting)
            if self._ready_at.get(host) == moment:
                del self._ready_at[host]
                hosts.append(host)
        while self._addresses_resting and self._addresses_resting[0][0] <= now:
            _, address = heappop(self._addresses_resting)
            del self._address_ready_at[address]
            hosts.extend(self._held.pop(address, ()))
        return hosts

    def next_ready(self) -> float:
        """The moment when the next resting host or address is ready; infinity where none rests."""
        hosts = self._resting[0][0] if self._resting else inf
        return min(hosts, self._addresses_resting[0][0] if self._addresses_resting else inf)

    def _rest(self, host: str, until: float) -> None:
        self._ready_at[host] = until
        heappush(self._resting, (until, host))

    def _rest_address(self, address: str, until: float) -> None:
        self._address_ready_at[address] = until
        heappush(self._addresses_resting, (until, address))
