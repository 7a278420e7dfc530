"""Which host's turn it is: in memory, one small entry for each host that has URLs waiting.

The entry of a host is a bound: none of its waiting URLs stands before it. A better URL
lowers the bound at once; when the URL that set it goes away, the bound stays, and is put
right when its turn comes. So nothing has to be looked up for a host before its turn.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from heapq import heapify, heappop, heappush, heapreplace

import numpy as np

from langcrawl.frontier.statements import URLS_OF
from langcrawl.frontier.url_index import Waiting
from langcrawl.url import host_of

Head = tuple[float, int, str]
"""Priority and arrival that no waiting URL of the host comes before, and the host."""

_SLACK = 1024
_NAMES = 10_000
"""Hosts whose names are read at a time."""


class Heads:
    """The bounds of all hosts, and a heap of those whose hosts are awake.

    An entry of the heap counts only if it is its host's bound, the very object; others are
    left behind and cleared away when they are as many as the bounds.
    """

    def __init__(self) -> None:
        self._bounds: dict[str, Head] = {}
        self._heap: list[Head] = []
        self._asleep: set[str] = set()

    def lower(self, priority: float, arrival: int, host: str) -> None:
        """A URL of this host waits in that place."""
        head = (priority, arrival, host)
        bound = self._bounds.get(host)
        if bound is None or head < bound:
            self._bounds[host] = head
            if host not in self._asleep:
                heappush(self._heap, head)
                self._clear_away()

    def fill(self, heads: list[Head]) -> None:
        """Begin with these, of a host each."""
        self._bounds = {head[2]: head for head in heads}
        self._heap = heads
        heapify(self._heap)

    def first(self) -> Head | None:
        """The first bound among the hosts that are awake."""
        heap, bounds = self._heap, self._bounds
        while heap:
            head = heap[0]
            if bounds.get(head[2]) is head:
                return head
            heappop(heap)
        return None

    def put_right(self, head: Head | None) -> None:
        """The host of the first bound begins, as it turns out, here; None: it has nothing."""
        host = self._heap[0][2]
        if head is None:
            heappop(self._heap)
            del self._bounds[host]
        else:
            heapreplace(self._heap, head)
            self._bounds[host] = head

    def sleep(self) -> None:
        """The host of the first bound has to rest: leave it out until it is woken."""
        self._asleep.add(heappop(self._heap)[2])

    def hosts(self) -> Iterator[str]:
        """The hosts with a bound."""
        return iter(self._bounds)

    def park(self, host: str) -> None:
        """Leave a host out until it is woken, wherever it stands."""
        if host in self._asleep:
            return
        self._asleep.add(host)
        if bound := self._bounds.get(host):
            self._bounds[host] = (bound[0], bound[1], host)  # what is in the heap counts no more

    def wake(self, host: str) -> None:
        if host in self._asleep:
            self._asleep.remove(host)
            if host in self._bounds:
                heappush(self._heap, self._bounds[host])

    def _clear_away(self) -> None:
        if len(self._heap) > 2 * len(self._bounds) + _SLACK:
            bounds = self._bounds
            self._heap = [head for head in self._heap if bounds.get(head[2]) is head]
            heapify(self._heap)


def read_heads(heads: Heads, first: Waiting, connection: sqlite3.Connection) -> None:
    """Put hosts where their first waiting URLs are; names are read in the order of ids."""
    order = np.argsort(first.number)
    columns = (first.priority[order], first.arrival[order], first.number[order])
    found: list[Head] = []
    for begin in range(0, len(order), _NAMES):
        some = [column[begin : begin + _NAMES].tolist() for column in columns]
        urls = dict(connection.execute(URLS_OF, (json.dumps(some[2]),)))
        hosts = [host_of(urls[number]) for number in some[2]]
        found += zip(some[0], some[1], hosts, strict=True)
    heads.fill(found)
