"""When a host may be asked again.

A host is asked one thing at a time, and then left alone for a delay that begins when its
answer has arrived. Many small sites share one server, so an address has a clock of its own
beside those of its hosts. A domain can have hosts without end, so its hosts share a few slots,
each of which rests as a host does. A host whose robots.txt lies on another host is bound to
that one for a turn. A host in trouble (429, 503, no answer) is left alone for longer
each time. Hosts that have not answered yet share a part of the connections, so that those that hang
cannot hold all of them. The clock of a host is kept here and
not with its queue, so it also holds for a host whose queue runs empty and fills again. A host that
has rested long enough is forgotten, but for its address, its own delay and its troubles.
"""

from __future__ import annotations

from heapq import heappop, heappush
from itertools import islice
from math import inf
from typing import NamedTuple

from langcrawl.url import domain_of

_DEAD = 10
"""Troubles in a row after which a host is given up."""
_GIVEN_UP_FOR = 86_400.0
"""Seconds until a host that was given up because it is silent is asked once more."""
_CHOICE = 64
"""Hosts that are woken beside those for which there is a slot, so that the best can be chosen."""
_make = tuple.__new__
"""Makes a record of its values in a third of the time of its name."""
_UNPROVEN = ""
"""What the slots of hosts that have not answered are kept under."""


def unproven_slots(connections: int) -> int:
    """How many of the connections hosts may hold that have not answered: half of them.

    One connection keeps the exact order, so nobody overtakes there.
    """
    return max(2, connections // 2) if connections > 1 else 0


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
        unproven_slots: int = 0,
    ) -> None:
        """`longest` is how many seconds a host can keep us waiting, whatever it asks for.

        `domain_slots` are shared by the hosts of a registered domain: that many may be asked at
        a time or rest for our delay. A domain of fewer hosts never notices. 0: no bound.
        `unproven_slots` are shared by hosts that have not answered: so many are asked at a time.
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
        self._unproven = _Unproven(unproven_slots)
        self._proven: set[str] = set()
        """Hosts that answered when they were last asked."""

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
        if clock.troubles:  # one that was given up has one more chance in every run
            self._troubles[host] = min(clock.troubles, _DEAD - 1)
        self._rest(host, clock.ready_at)
        return wrong

    def prove(self, host: str) -> None:
        """A host has answered in an earlier run, and was not in trouble at its end."""
        if host not in self._troubles:
            self._proven.add(host)

    def forgive(self, host: str, now: float) -> None:
        """It was not the host's fault that it was silent: let it rest for our delay only."""
        self._troubles.pop(host, None)
        if self._ready_at.get(host, 0.0) < inf:
            self._let_rest(host, now, 0.0, 0)

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
        if self._domains.bounded and not self._domains.has_room(domain_of(asked), host):
            return False
        unproven = self._unproven
        return not unproven.bounded or asked in self._proven or unproven.has_room(host)

    def begin(self, host: str) -> None:
        """The host is being asked, or the one that it is bound to, and then both count as asked."""
        asked = self._bound.get(host, host)
        self._ready_at[host] = self._ready_at[asked] = inf
        if self._domains.bounded:
            self._domains.take(domain_of(asked))
        if self._unproven.bounded and asked not in self._proven:
            self._unproven.begin(host)
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
        trouble: bool = False,
        silent: bool = False,
    ) -> None:
        """The host has answered, or it was not asked after all (`answered_at` is 0).

        It rests for the longest of our delay, its own (the last that it named), what it asked
        for this time (`wait`), and what its troubles call for. `ip` is the address of the host
        that was asked; if that was the one it was bound to, that one rests as well. A host that
        was `silent` gave no answer at all. The next process asks it sooner: by then the network, or
        the host, may have been mended.
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
        if self._domains.bounded:
            self._domains.give_back(domain_of(asked), answered_at + self.delay)
        if self._unproven.bounded:
            self._unproven.end(host, answered_at)
        if silent:
            self._proven.discard(asked)
        elif answered_at:
            self._proven.add(asked)
        address = self._addresses.get(asked)
        if address is not None and self.ip_delay:
            self._rest_address(address, answered_at + self.ip_delay)
        if ip and ip != address:
            self._addresses[asked] = ip
        if asked != host:
            self._let_rest(asked, answered_at, wait, self._troubles.get(asked, 0))
        if silent:
            patience = _GIVEN_UP_FOR if troubles >= _DEAD else min(patience, self.longest)
            self._let_rest(host, answered_at, wait, troubles, patience)
        else:
            self._let_rest(host, answered_at, patience, troubles)

    def _let_rest(
        self, host: str, answered_at: float, wait: float, troubles: int, longer: float = 0.0
    ) -> None:
        """Let a host rest; the next process need not know of `longer`."""
        own = self._own_delays.get(host, 0.0)
        asked_for = own if own > wait else wait
        if asked_for > self.longest:
            asked_for = self.longest
        moment = answered_at + (asked_for if asked_for > self.delay else self.delay)
        until = max(moment, answered_at + longer) if longer else moment
        self._ready_at[host] = until
        heappush(self._resting, (until, host))
        clock = (moment, own, self._addresses.get(host, ""), troubles)
        self.changed[host] = _make(HostClock, clock)

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
        if self._domains.bounded:
            hosts.extend(self._domains.rested(now))
        if self._unproven.bounded:
            hosts.extend(self._unproven.rested(now))
        return hosts

    def next_ready(self) -> float:
        """The moment when the next of those that rest is ready; infinity where none rests."""
        while self._resting and self._ready_at.get(self._resting[0][1]) != self._resting[0][0]:
            heappop(self._resting)  # it was forgiven, or rests longer now
        hosts = self._resting[0][0] if self._resting else inf
        addresses = self._addresses_resting[0][0] if self._addresses_resting else inf
        slots = min(self._domains.next_ready(), self._unproven.next_ready())
        return min(hosts, addresses, slots)

    def _rest(self, host: str, until: float) -> None:
        self._ready_at[host] = until
        heappush(self._resting, (until, host))

    def _rest_address(self, address: str, until: float) -> None:
        self._address_ready_at[address] = until
        heappush(self._addresses_resting, (until, address))


class NobodyRests(Politeness):
    """For a web on which nothing takes time: every host may be asked again at once."""

    def is_ready(self, host: str) -> bool:
        return True

    def begin(self, host: str) -> None:
        """No host is in use for any time."""

    def end(self, host: str, *_: object, **__: object) -> None:
        """No host has to rest."""

    def rested(self, now: float) -> list[str]:
        return []

    def next_ready(self) -> float:
        return inf


class _Unproven:
    """Hosts that had not answered when they were last asked: only some are asked at a time."""

    def __init__(self, slots: int) -> None:
        self._slots = _Slots(slots, _CHOICE)
        self.bounded = self._slots.bounded
        self._asked: set[str] = set()
        """Those that are being asked."""

    def has_room(self, host: str) -> bool:
        return self._slots.has_room(_UNPROVEN, host)

    def begin(self, host: str) -> None:
        self._asked.add(host)
        self._slots.take(_UNPROVEN)

    def end(self, host: str, answered_at: float) -> None:
        if host in self._asked:
            self._asked.remove(host)
            self._slots.give_back(_UNPROVEN, answered_at)

    def rested(self, now: float) -> list[str]:
        return self._slots.rested(now)

    def next_ready(self) -> float:
        return self._slots.next_ready()


class _Slots:
    """How many hosts of a domain are asked at a time, or rest after it: so many as it has slots.

    Hosts that wait for a slot are woken one for each that is free, first come, first served, so
    that a domain of a million hosts costs no more for each visit than one of ten; and `more` hosts,
    where the best of several are to be chosen.
    """

    def __init__(self, most: int, more: int = 0) -> None:
        self.bounded = most > 0
        self.most, self._more = most, more
        self._used: dict[str, int] = {}
        self._resting: list[tuple[float, str]] = []
        self._waiting: dict[str, dict[str, None]] = {}
        self._free: set[str] = set()
        """Domains with slots for hosts that wait."""

    def has_room(self, domain: str, host: str) -> bool:
        """Whether there is a slot for asking a host; if not, `rested` names `host` later."""
        if self._used.get(domain, 0) < self.most:
            return True
        self._waiting.setdefault(domain, {})[host] = None
        return False

    def take(self, domain: str) -> None:
        self._used[domain] = self._used.get(domain, 0) + 1

    def give_back(self, domain: str, moment: float) -> None:
        heappush(self._resting, (moment, domain))

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
            room = self.most - self._used.get(domain, 0)
            woken = list(islice(waiting, room + self._more if room > 0 else 0))
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
