"""The replayed web: answers visits from a crawl log, in virtual time."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from heapq import heappop, heappush

from langcrawl.records import UNJUDGED, Finished, Link, Page, Visit
from langcrawl.virtualweb.graph import NEVER_FETCHED, Graph
from langcrawl.web.clock import VirtualClock


class ReplayedWeb:
    """A log as a web. An answer takes the recorded time where `timed`, else none.

    Links to URLs that were never fetched are dropped and counted, because nobody knows what
    is there; with `unknown_fails` they are left in, and fail when asked for.
    """

    def __init__(self, graph: Graph, *, unknown_fails: bool = False, timed: bool = False) -> None:
        self.clock = VirtualClock()
        self.unknown_dropped = 0
        self._graph, self._unknown_fails, self._timed = graph, unknown_fails, timed
        self._urls = graph.urls
        self._links_to = [
            Link(url) if unknown_fails or status != NEVER_FETCHED else None
            for url, status in zip(graph.urls, graph.status.tolist(), strict=True)
        ]
        self._ids = {url: number for number, url in enumerate(self._urls)}
        self._status: list[int] = graph.status.tolist()
        self._verdict_index: list[int] = graph.verdict_index.tolist()
        self._offsets: list[int] = graph.offsets.tolist()
        self._dst: list[int] = graph.dst.tolist()
        self._redirect: list[int] = graph.redirect.tolist()
        self._bytes: list[int] = graph.bytes.tolist()
        self._elapsed: list[float] = graph.elapsed.tolist()
        self._under_way: list[tuple[float, int, Finished]] = []
        self._begun = 0

    def knows(self, url: str) -> bool:
        """Whether the log has a page for this URL."""
        number = self._ids.get(url)
        return number is not None and self._status[number] != NEVER_FETCHED

    def begin(self, visits: Sequence[Visit]) -> None:
        now = self.clock.now()
        for visit in visits:
            finished = self._answer(visit, now)
            self._begun += 1
            heappush(self._under_way, (now + finished.page.elapsed, self._begun, finished))

    def next_done(self, until: float) -> Sequence[Finished]:
        moment = self._under_way[0][0]
        if moment > until:
            self.clock.sleep_until(until)
            return ()
        self.clock.sleep_until(moment)
        return (heappop(self._under_way)[2],)

    def close(self) -> None:
        self._under_way.clear()

    def _answer(self, visit: Visit, now: float) -> Finished:
        number = self._ids.get(visit.url, -1)
        if number < 0 or self._status[number] == NEVER_FETCHED:
            return Finished(visit, Page(visit.url, 0, reason="not in the log"), UNJUDGED)
        target = self._redirect[number]
        redirect = self._kept((target,)) if target >= 0 else ()
        page = Page(
            visit.url,
            self._status[number],
            redirect[0].url if redirect else "",
            bytes=self._bytes[number],
            fetched_at=now,
            elapsed=self._elapsed[number] if self._timed else 0.0,
            links=self._links(number),
        )
        return Finished(visit, page, self._graph.verdicts[self._verdict_index[number]])

    def _links(self, number: int) -> tuple[Link, ...]:
        """The page's links; redirects and failures have none."""
        if self._status[number] != 200 or self._redirect[number] >= 0:
            return ()
        first, last = self._offsets[number], self._offsets[number + 1]
        return self._kept(dict.fromkeys(self._dst[first:last]))

    def _kept(self, numbers: Collection[int]) -> tuple[Link, ...]:
        """Links to these URLs, without those of which the log does not know what is there."""
        links = tuple([link for number in numbers if (link := self._links_to[number])])
        self.unknown_dropped += len(numbers) - len(links)
        return links
