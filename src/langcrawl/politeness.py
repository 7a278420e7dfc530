"""When a host may be asked again.

A host is asked one thing at a time, and then left alone for a delay that begins when its
answer has arrived. Many small sites share one server, so an address has a clock of its own
beside those of its hosts. A domain can have hosts without end, so its hosts share a few slots,
each of which rests as a host does. A host whose robots.txt lies on another host is bound to
that one for a turn. A host in trouble (429, 503, no answer) is left alone for longer
each time. The clock of a host is kept here and not with its queue, so it also holds for a
host whose queue runs empty and fills again. A host that has rested long enough is
forgotten, but for its address, its own delay and its troubles.
"""

from __future__ import annotations

from heapq import heappop, heappush
from itertools import islice
from math import inf
from typing import NamedTuple

from langcrawl.url import domain_of

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
        domain_slots: int = 0,
    ) -> None:
        """`longest` is how many seconds a host can keep us waiting, whatever it asks for.

        `domain_slots` are shared by the hosts of a registered domain: that many may be asked at
        a time or rest for our delay. A domain of fewer hosts never notices. 0: no bound.
        """
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
        self._bound: dict[str, str] = {}  # hosts whose next turn asks another host
        self._behind: dict[str, set[str]] = {}  # by that other host: those that wait for it only
        self._domains = _Slots(domain_slots)

    def restore(self, host: str, clock: HostClock, now: float = inf) -> bool:
        """Set a host's clock as an earlier run left it.

        No clock of ours can be further ahead than the longest wait and a delay. One that is
        was set when the computer's clock was wrong: it is set anew, which is answered by True.
        """
        wrong = clock.ready_at > now + self.longest + self.delay
        if wrong:
            clock = clock._replace(ready_at=now + max(self.delay, min(clock.delay, self.longest)))
            self.changed[host] = clock
        if clock.ip:
            self._addresses[host] = clock.ip
        if clock.delay:
            self._own_delays[host] = clock.delay
        if clock.troubles:
            self._troubles[host] = clock.troubles
        self._rest(host, clock.ready_at)
        return wrong

    def bind(self, host: str, other: str) -> None:
        """The next turn of a host asks another host: it begins when both are ready."""
        self._bound[host] = other

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
        asked = self._bound.get(host, host)
        if asked in self._ready_at:
            self._behind.setdefault(asked, set()).add(host)
            return False
        address = self._addresses.get(asked)
        if address is not None and address in self._address_ready_at:
            self._held.setdefault(address, set()).add(host)
            return False
        return self._domains.has_room(asked, host)

    def begin(self, host: str) -> None:
        """The host is being asked, or the one that it is bound to, and then both count as asked."""
        asked = self._bound.get(host, host)
        self._ready_at[host] = self._ready_at[asked] = inf
        self._domains.take(asked)
        address = self._addresses.get(asked)
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
        for this time (`wait`), and what its troubles call for. `ip` is the address of the host
        that was asked; if that was the one it was bound to, that one rests as well.
        """
        if host_delay:
            self._own_delays[host] = host_delay
        troubles = self._troubles.pop(host, 0) + 1 if trouble else 0
        patience = wait
        if trouble:
            self._troubles[host] = troubles
            patience = max(wait, self.backoff * 2 ** min(troubles - 1, 20))
        elif not answered_at:
            troubles = self._troubles.get(host, 0)
        else:
            self._troubles.pop(host, None)
        asked = self._bound.pop(host, host)
        self._domains.give_back(asked, answered_at + self.delay)
        address = self._addresses.get(asked)
        if address is not None and self.ip_delay:
            self._rest_address(address, answered_at + self.ip_delay)
        if ip and ip != address:
            self._addresses[asked] = ip
        if asked != host:
            self._let_rest(asked, answered_at, wait, self._troubles.get(asked, 0))
        self._let_rest(host, answered_at, patience, troubles)

    def _let_rest(self, host: str, answered_at: float, wait: float, troubles: int) -> None:
        own = self._own_delays.get(host, 0.0)
        moment = answered_at + max(self.delay, min(max(own, wait), self.longest))
        self._rest(host, moment)
        self.changed[host] = HostClock(moment, own, self._addresses.get(host, ""), troubles)

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
                hosts.extend(self._behind.pop(host, ()))
        while self._addresses_resting and self._addresses_resting[0][0] <= now:
            moment, address = heappop(self._addresses_resting)
            if self._address_ready_at.get(address) == moment:
                del self._address_ready_at[address]
                hosts.extend(self._held.pop(address, ()))
        hosts.extend(self._domains.rested(now))
        return hosts

    def next_ready(self) -> float:
        """The moment when the next of those that rest is ready; infinity where none rests."""
        hosts = self._resting[0][0] if self._resting else inf
        addresses = self._addresses_resting[0][0] if self._addresses_resting else inf
        return min(hosts, addresses, self._domains.next_ready())

    def _rest(self, host: str, until: float) -> None:
        self._ready_at[host] = until
        heappush(self._resting, (until, host))

    def _rest_address(self, address: str, until: float) -> None:
        self._address_ready_at[address] = until
        heappush(self._addresses_resting, (until, address))


class _Slots:
    """How many hosts of a domain are asked at a time, or rest after it: so many as it has slots.

    Hosts that wait for a slot are woken one for each that is free, first come, first served, so
    that a domain of a million hosts costs no more for each visit than one of ten.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._used: dict[str, int] = {}
        self._resting: list[tuple[float, str]] = []
        self._waiting: dict[str, dict[str, None]] = {}
        self._free: set[str] = set()
        """Domains with slots for hosts that wait."""

    def has_room(self, asked: str, host: str) -> bool:
        """Whether there is a slot for asking a host; if not, `rested` names `host` later."""
        if not self._most:
            return True
        domain = domain_of(asked)
        if self._used.get(domain, 0) < self._most:
            return True
        self._waiting.setdefault(domain, {})[host] = None
        return False

    def take(self, asked: str) -> None:
        if self._most:
            domain = domain_of(asked)
            self._used[domain] = self._used.get(domain, 0) + 1

    def give_back(self, asked: str, moment: float) -> None:
        if self._most:
            heappush(self._resting, (moment, domain_of(asked)))

    def rested(self, now: float) -> list[str]:
        """Hosts for which there are slots now, as far as those go."""
        while self._resting and self._resting[0][0] <= now:
            _, domain = heappop(self._resting)
            used = self._used.pop(domain, 1) - 1
            if used:
                self._used[domain] = used
            if domain in self._waiting:
                self._free.add(domain)
        hosts = []
        for domain in list(self._free):
            waiting = self._waiting[domain]
            room = self._most - self._used.get(domain, 0)
            woken = list(islice(waiting, max(0, room)))
            for host in woken:
                del waiting[host]
            hosts += woken
            if not waiting:
                del self._waiting[domain]
            if not waiting or room <= 0:
                self._free.discard(domain)
        return hosts

    def next_ready(self) -> float:
        """When `rested` may have something to say; at once where more hosts wait for free slots."""
        if self._free:
            return 0.0
        return self._resting[0][0] if self._resting and self._waiting else inf
