"""What comes next on hosts: of each, the waiting URLs that come first, in memory.

The database has all that wait. Those that come first are read together, and from then on whatever
happens to the queue happens here too, so that most URLs are taken without a query.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from typing import NamedTuple

from langcrawl.frontier.heads import Head
from langcrawl.ports import QueueState
from langcrawl.records import Facts, Visit

MOST = 32
"""Waiting URLs of a host that are read at once, at most."""
_MOST_KEPT = 2 * MOST
"""So many are kept, where more come."""
_URLS_KEPT = 1 << 16
"""So many waiting URLs are kept for all hosts together."""
_BETWEEN = 256
"""Hosts are read so many times until somebody looks how much is kept."""
_make = tuple.__new__


class Next(NamedTuple):
    """A waiting URL: its place in the queue, its id, its fingerprint, and the id of its parent."""

    priority: float
    arrival: int
    number: int
    fp: int
    parent: int | None
    visit: Visit


class Ahead:
    """The waiting URLs of one host that come first: no other comes before the last of them."""

    __slots__ = ("_all", "_places", "_urls", "asked")

    def __init__(self, first: list[Next], asked: int) -> None:
        """`asked` is how many were asked for: where there are fewer, the host has no more."""
        self.asked = asked
        self._all = len(first) < asked
        self._urls = {each[5][0]: each for each in first}
        self._places = [(each[0], each[1], each[5][0]) for each in first]

    @property
    def size(self) -> int:
        return len(self._places)

    @property
    def shows_two(self) -> bool:
        """Whether the first two are here, or as many as there are."""
        return self._all or len(self._places) > 1

    @property
    def first(self) -> Next | None:
        return self._urls[self._places[0][2]] if self._places else None

    def head(self, host: str) -> Head | None:
        """The bound of the host."""
        return (*self._places[0][:2], host) if self._places else None

    def put(self, new: Next) -> None:
        """A URL has a place, whether it waited before or not; behind the last, nobody knows it."""
        url = new[5][0]
        if url in self._urls:
            self.remove(url)
        place = (new[0], new[1], url)
        if self._all or (self._places and place < self._places[-1]):
            insort(self._places, place)
            self._urls[url] = new
            if len(self._places) > _MOST_KEPT:
                self._all = False
                for _, _, late in self._places[MOST:]:
                    del self._urls[late]
                del self._places[MOST:]

    def wait_on(self, new: Next) -> None:
        """The first URL has a later place, which may be behind the last that is known here."""
        places, url = self._places, new[5][0]
        del places[0]
        place = (new[0], new[1], url)
        if self._all or (places and place < places[-1]):
            insort(places, place)
            self._urls[url] = new
        else:
            del self._urls[url]

    def remove(self, url: str) -> None:
        """A URL waits no more, or elsewhere."""
        known = self._urls.pop(url, None)
        if known is not None:
            del self._places[bisect_left(self._places, (known[0], known[1], url))]

    def change(self, visit: Visit, parent: int | None) -> None:
        """More is known of a URL that stays in its place."""
        known = self._urls.get(visit[0])
        if known is not None:
            self._urls[visit[0]] = _make(Next, (*known[:4], parent, visit))

    def revise(self, state: QueueState, evidence: str | None) -> None:
        """A better path to a URL is known, or more has gathered; its place stays."""
        known = self._urls.get(state[0])
        if known is not None:
            _, _, run, depth, anchor_score, parent_share = state
            visit, old = known[5], known[5][2]
            facts = _make(Facts, (run, depth, *old[2:9], anchor_score, parent_share, old[11]))
            kept = visit[9] if evidence is None else evidence
            self.change(_make(Visit, (*visit[:2], facts, *visit[3:9], kept, visit[10])), known[4])


class LookAhead:
    """What comes next on the hosts whose turn it was lately."""

    def __init__(self) -> None:
        self._hosts: dict[str, Ahead] = {}
        self._read = 0
        self.of = self._hosts.get

    def keep(self, host: str, ahead: Ahead) -> None:
        """Know this of a host, which was asked about just now."""
        self._hosts.pop(host, None)
        self._hosts[host] = ahead
        self._read += 1
        if self._read % _BETWEEN == 0:
            self._make_room()

    def _make_room(self) -> None:
        """Forget the hosts that were asked about the longest ago, where there is too much."""
        room = _URLS_KEPT
        for at, ahead in enumerate(reversed(self._hosts.values())):
            room -= 1 + ahead.size
            if room < 0:
                for host in list(self._hosts)[: len(self._hosts) - at]:
                    del self._hosts[host]
                return
