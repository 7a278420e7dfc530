"""The frontier in memory: a heap of (priority, arrival), with moved entries left behind."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from heapq import heappop, heappush
from math import inf
from sys import maxsize

from langcrawl.ports import QueueState
from langcrawl.records import Facts, Visit
from langcrawl.url import host_of

Entry = tuple[float, int, str]
GroupOf = Callable[[str, str], str]
_make = tuple.__new__
"""Makes a record of its values in a third of the time of its name."""
_UNKNOWN = Visit("", "", Facts(0, 0, 0, 0, 0.0, 0, 0, 0, 0), inf, "")
"""Stands for a URL that nobody has seen."""


class MemoryFrontier:
    """Waiting URLs in one heap; an entry counts only if its arrival is its URL's latest."""

    def __init__(self, last_first: bool = False, group_of: GroupOf | None = None) -> None:
        """`group_of` names the group of a URL, from it and its host; None: the host."""
        self._step = -1 if last_first else 1
        self._group_of = group_of
        self._arrivals = 0
        self._heap: list[Entry] = []
        self._parked: dict[str, list[Entry]] = {}
        self._asleep: set[str] = set()
        self._known: dict[str, Visit | None] = {}  # None: taken
        self._waiting = 0
        self._arrival: dict[str, int] = {}
        self._taken: dict[str, int] = {}  # with the arrival that they had; not finished yet
        self._by_host: dict[str, dict[str, None]] = {}
        self._by_group: dict[str, dict[str, None]] = {}
        self._numbered: list[str] = []

    def __len__(self) -> int:
        return self._waiting

    def lookup(self, urls: Iterable[str]) -> list[QueueState]:
        known, unknown, answer, new = self._known.get, _UNKNOWN, [], _make
        for url in urls:
            visit = known(url, unknown)
            if visit is unknown:
                answer.append(new(QueueState, (url, inf, maxsize, maxsize, 0.0, 0.0)))
            elif visit is not None:
                facts = visit[2]
                state = (url, visit[3], facts[0], facts[1], facts[9], facts[10])
                answer.append(new(QueueState, state))
        return answer

    def evidence(self, urls: Iterable[str]) -> list[str]:
        waiting = map(self._known.get, urls)
        return [visit.evidence if visit is not None else "" for visit in waiting]

    def put(self, visit: Visit) -> None:
        url, priority, known = visit[0], visit[3], self._known
        before = known.get(url)
        known[url] = visit
        if before is None:
            self._waiting += 1
            siblings = self._by_host.get(visit[1])
            if siblings is None:
                self._by_host[visit[1]] = {url: None}
            else:
                siblings[url] = None
            if self._group_of is not None:
                self._join_group(visit)
        elif before[3] == priority:
            return
        self._arrivals += self._step
        self._arrival[url] = self._arrivals
        heappush(self._heap, (priority, self._arrivals, url))

    def revise(self, state: QueueState, evidence: str | None = None) -> None:
        url, _, run, depth, anchor_score, parent_share = state
        visit = self._known[url]
        assert visit is not None, url
        old = visit[2]
        facts = _make(Facts, (run, depth, *old[2:9], anchor_score, parent_share, old[11]))
        kept = visit[9] if evidence is None else evidence
        self._known[url] = _make(Visit, (url, visit[1], facts, *visit[3:9], kept, visit[10]))

    def drop(self, url: str) -> None:
        visit = self._known.pop(url)
        if visit is None:
            raise KeyError(url)
        self._forget(visit)

    def waiting(self) -> Iterator[QueueState]:
        return iter(self.lookup([url for url, visit in self._known.items() if visit is not None]))

    def of_host(self, host: str) -> list[Visit]:
        return self._visits(self._by_host.get(host, ()))

    def of_groups(self, groups: Iterable[str]) -> Iterator[tuple[str, list[Visit]]]:
        known = self._by_host if self._group_of is None else self._by_group
        for group in dict.fromkeys(groups):
            if urls := known.get(group):
                yield group, self._visits(urls)

    def _visits(self, urls: Iterable[str]) -> list[Visit]:
        return list(map(self._known.__getitem__, urls))  # type: ignore[arg-type]

    def _join_group(self, visit: Visit, as_first: bool = False) -> None:
        if self._group_of is not None:
            group = self._group_of(visit.url, visit.host)
            urls = self._by_group.setdefault(group, {})
            if as_first:
                self._by_group[group] = {visit.url: None} | urls
            else:
                urls[visit.url] = None

    def put_back(self, visit: Visit) -> None:
        url = visit.url
        self._known[url] = visit
        self._waiting += 1
        self._arrival[url] = arrival = self._taken.pop(url)
        self._by_host[visit.host] = {url: None} | self._by_host.get(visit.host, {})
        self._join_group(visit, as_first=True)
        heappush(self._heap, (visit.priority, arrival, url))

    def finish(self, url: str) -> None:
        del self._taken[url]

    def forget(self, url: str) -> None:
        """A URL that was finished is unknown again."""
        self._known.pop(url, None)

    def commit(self) -> None:
        """Nothing here outlives the process."""

    def _forget(self, visit: Visit) -> None:
        """What waiting takes, without what is known of the URL."""
        url, host = visit[:2]
        self._waiting -= 1
        del self._arrival[url]
        urls = self._by_host[host]
        del urls[url]
        if not urls:
            del self._by_host[host]
        if self._group_of is not None:
            group = self._group_of(url, host)
            self._by_group[group].pop(url)
            if not self._by_group[group]:
                del self._by_group[group]

    def take(
        self,
        ready: Callable[[str], bool],
        overtake: bool,
        reconsider: Callable[[Visit], float] | None = None,
    ) -> Visit | None:
        while self._heap:
            _, arrival, url = entry = self._heap[0]
            if self._arrival.get(url) != arrival:
                heappop(self._heap)
                if self._parked:  # what is left behind may have been its host's turn
                    self._unpark(host_of(url))
                continue
            visit = self._known[url]
            assert visit is not None
            host = visit[1]
            asleep = host in self._asleep
            if not asleep and ready(host):
                if reconsider and (later := reconsider(visit)) > visit[3]:
                    self.put(visit._replace(priority=later))
                    continue
                heappop(self._heap)
                self._taken[url] = arrival
                self._known[url] = None
                self._forget(visit)
                return visit
            if not overtake and not asleep:
                return None
            heappop(self._heap)
            heappush(self._parked.setdefault(host, []), entry)
        return None

    def take_url(self, url: str) -> Visit | None:
        visit = self._known.get(url)
        if visit is None:
            return None
        self._taken[url] = self._arrival[url]
        self._known[url] = None
        self._forget(visit)
        return visit

    def waiting_at(self, place: float) -> str:
        if len(self._numbered) != len(self._known):
            self._numbered = list(self._known)
        url = self._numbered[int(place * len(self._numbered))] if self._numbered else ""
        return url if self._known.get(url) is not None else ""

    def hosts(self) -> Iterator[str]:
        return iter(self._by_host)

    def park(self, host: str) -> None:
        self._asleep.add(host)

    def wake(self, hosts: Iterable[str]) -> None:
        for host in hosts:
            self._asleep.discard(host)
            if host in self._parked:
                self._unpark(host)

    def _unpark(self, host: str) -> None:
        """Put the first of a host's parked URLs back in the queue; the others follow it."""
        parked = self._parked.get(host)
        while parked:
            entry = heappop(parked)
            if self._arrival.get(entry[2]) == entry[1]:
                heappush(self._heap, entry)
                break
        if parked is not None and not parked:
            del self._parked[host]
