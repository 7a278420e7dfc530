"""The replayed web: answers visits from a crawl log, in virtual time."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from heapq import heappop, heappush

import numpy as np
import numpy.typing as npt

from langcrawl.records import UNJUDGED, UNKNOWN, Finished, Link, Page, Verdict, Visit
from langcrawl.virtualweb.graph import Graph
from langcrawl.web.clock import VirtualClock


class ReplayedWeb:
    """A log as a web. An answer takes the page's `seconds` where they are given, else none.

    Links to URLs that were never fetched are dropped and counted, because nobody knows what
    is there; with `unknown_fails` they are left in, and fail when asked for. Links have the
    scores of their anchors where those are given.
    """

    def __init__(
        self,
        graph: Graph,
        *,
        unknown_fails: bool = False,
        seconds: npt.NDArray[np.float64] | None = None,
        anchors: npt.NDArray[np.float32] | None = None,
    ) -> None:
        self.clock = VirtualClock()
        self.unknown_dropped = 0
        arrays = graph.arrays
        self._pages = graph.pages
        self._urls = graph.urls
        self._nodes = {url: node for node, url in enumerate(self._urls)}
        known = len(self._urls) if unknown_fails else graph.pages
        self._links_to: list[Link | None] = [Link(url) for url in self._urls[:known]]
        self._links_to += [None] * (len(self._urls) - known)
        self._status: list[int] = arrays.status.tolist()
        self._offsets: list[int] = arrays.offsets.tolist()
        self._dst: list[int] = arrays.dst.tolist()
        self._redirect: list[int] = arrays.redirect.tolist()
        self._bytes: list[int] = arrays.bytes.tolist()
        self._seconds: list[float] = [] if seconds is None else seconds.tolist()
        self._anchors = anchors
        self._verdicts = _verdicts(graph)
        self._under_way: list[tuple[float, int, Finished]] = []
        self._begun = 0

    def node(self, url: str) -> int:
        """The node of a URL that the log has heard of."""
        return self._nodes[url]

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
        node = self._nodes.get(visit.url, self._pages)
        if node >= self._pages:
            page = Page(visit.url, 0, fetched_at=now, reason="not in the log")
            return Finished(visit, page, UNJUDGED)
        target = self._redirect[node]
        redirect = self._kept((target,)) if target >= 0 else ()
        links = self._links(node)
        page = Page(
            visit.url,
            self._status[node],
            redirect[0].url if redirect else "",
            bytes=self._bytes[node],
            fetched_at=now,
            elapsed=self._seconds[node] if self._seconds else 0.0,
            links=links,
            links_left_out=self._offsets[node + 1] - self._offsets[node] - len(links),
        )
        return Finished(visit, page, self._verdicts[node])

    def _links(self, node: int) -> tuple[Link, ...]:
        first, last = self._offsets[node], self._offsets[node + 1]
        goals = self._dst[first:last]
        links = self._kept(goals)
        if self._anchors is None:
            return links
        scores = self._anchors[first:last].tolist()
        kept = [score for goal, score in zip(goals, scores, strict=True) if self._links_to[goal]]
        return tuple(
            link._replace(anchor_score=score) for link, score in zip(links, kept, strict=True)
        )

    def _kept(self, nodes: Collection[int]) -> tuple[Link, ...]:
        """Links to these nodes, without those of which the log does not know what is there."""
        links = tuple([link for node in nodes if (link := self._links_to[node])])
        self.unknown_dropped += len(nodes) - len(links)
        return links


def _verdicts(graph: Graph) -> list[Verdict]:
    """The verdict on every page; pages with the same one share it."""
    tongues = [*graph.tongues, (UNKNOWN, "")]
    made: dict[tuple[int, float, int], Verdict] = {}
    verdicts = []
    columns = (graph.arrays.tongue, graph.score, graph.relevant)
    for key in zip(*(column.tolist() for column in columns), strict=True):
        verdict = made.get(key)
        if verdict is None:
            (language, script), score, relevant = tongues[key[0]], key[1], bool(key[2])
            verdict = made[key] = Verdict(language, script, "", score, relevant)
        verdicts.append(verdict)
    return verdicts
