"""The frontier in memory: a heap of (priority, arrival), with moved entries left behind."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from heapq import heappop, heappush

from langcrawl.records import Visit
from langcrawl.url import host_of

Entry = tuple[float, int, str]


class MemoryFrontier:
    """Waiting URLs in one heap; an entry counts only if its arrival is its URL's latest."""

    def __init__(self, last_first: bool = False) -> None:
        self._step = -1 if last_first else 1
        self._arrivals = 0
        self._heap: list[Entry] = []
        self._parked: dict[str, list[Entry]] = {}
        self._visits: dict[str, Visit] = {}
        self._arrival: dict[str, int] = {}
        self._by_host: dict[str, dict[str, None]] = {}
        self._taken: set[str] = set()

    def __len__(self) -> int:
        return len(self._visits)

    def is_taken(self, url: str) -> bool:
        return url in self._taken

    def waiting(self, url: str) -> Visit | None:
        return self._visits.get(url)

    def put(self, visit: Visit) -> None:
        url = visit.url
        before = self._visits.get(url)
        self._visits[url] = visit
        if before is None:
            self._by_host.setdefault(visit.host, {})[url] = None
        elif before.priority == visit.priority:
            return
        self._arrivals += self._step
        self._arrival[url] = self._arrivals
        heappush(self._heap, (visit.priority, self._arrivals, url))

    def drop(self, url: str) -> None:
        visit = self._visits.pop(url)
        del self._arrival[url]
        urls = self._by_host[visit.host]
        del urls[url]
        if not urls:
            del self._by_host[visit.host]

    def of_host(self, host: str) -> list[Visit]:
        return [self._visits[url] for url in self._by_host.get(host, ())]

    def mark_taken(self, url: str) -> None:
        if url in self._visits:
            self.drop(url)
        self._taken.add(url)

    def take(self, ready: Callable[[str], bool], overtake: bool) -> Visit | None:
        while self._heap:
            _, arrival, url = entry = self._heap[0]
            if self._arrival.get(url) != arrival:
                heappop(self._heap)
                self._unpark(host_of(url))  # what is left behind may have been its host's turn
                continue
            visit = self._visits[url]
            if ready(visit.host):
                heappop(self._heap)
                self.mark_taken(url)
                return visit
            if not overtake:
                return None
            heappop(self._heap)
            heappush(self._parked.setdefault(visit.host, []), entry)
        return None

    def wake(self, hosts: Iterable[str]) -> None:
        for host in hosts:
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
