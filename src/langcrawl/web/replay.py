"""The replayed web: answers visits from a crawl log, in virtual time."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush

import numpy as np
import numpy.typing as npt

from langcrawl.log.details import LinkDetails, PageDetails
from langcrawl.log.graph import Graph
from langcrawl.records import NO_LINKS, UNKNOWN, Asked, Finished, Links, Page, Verdict, Visit
from langcrawl.web.clock import VirtualClock

_make = tuple.__new__
"""Makes a record of all its values in less time than its name does."""
_BLANK = Page("", 0)
_TO_LINKS, _TO_LEFT_OUT, _BEHIND = _BLANK[8:11], _BLANK[12:18], _BLANK[19:]
"""The fields of a page that no rule reads, between those that are filled."""


class ReplayedWeb:
    """A log as a web. An answer takes the page's `seconds` where they are given, else none.

    Links to URLs that were never fetched are dropped and counted, because nobody knows what
    is there; with `unknown_fails` they are left in, and fail when asked for. Links have the
    scores of their anchors where those are given. With `details`, pages and links have all that
    the log knows of them, as they had it live; without, only what a rule reads.
    """

    def __init__(
        self,
        graph: Graph,
        *,
        unknown_fails: bool = False,
        seconds: npt.NDArray[np.float64] | None = None,
        anchors: npt.NDArray[np.float32] | None = None,
        details: bool = False,
    ) -> None:
        self.clock = VirtualClock()
        self.unknown_dropped = 0
        arrays = graph.arrays
        self._pages = graph.pages
        self._urls = graph.urls
        self._nodes = {url: node for node, url in enumerate(self._urls)}
        self._known = len(self._urls) if unknown_fails else graph.pages
        """Nodes below this are URLs that may be asked for."""
        self._status: list[int] = arrays.status.tolist()
        self._offsets: list[int] = arrays.offsets.tolist()
        self._dst: list[int] = arrays.dst.tolist()
        self._redirect: list[int] = arrays.redirect.tolist()
        self._bytes: list[int] = arrays.bytes.tolist()
        self._seconds: list[float] = [] if seconds is None else seconds.tolist()
        self._anchors = anchors
        self._page_details = PageDetails.of(graph) if details else None
        self._link_details = LinkDetails.of(graph) if details else None
        self._verdicts = _verdicts(graph)
        self._under_way: list[tuple[float, int, Finished]] = []
        self._begun = 0
        self._asked = Asked()

    def node(self, url: str) -> int:
        """The node of a URL that the log has heard of."""
        return self._nodes[url]

    def begin(self, visits: Sequence[Visit]) -> None:
        now = self.clock.now()
        for visit in visits:
            finished = self._answer(visit, now)
            self._begun += 1
            heappush(self._under_way, (now + finished.asked.elapsed, self._begun, finished))

    def next_done(self, until: float) -> Sequence[Finished]:
        moment = self._under_way[0][0]
        if moment > until:
            self.clock.sleep_until(until)
            return ()
        self.clock.sleep_until(moment)
        return (heappop(self._under_way)[2],)

    def stop(self) -> Sequence[Finished]:
        self._under_way.clear()
        return ()

    def close(self) -> None:
        self._under_way.clear()

    def _answer(self, visit: Visit, now: float) -> Finished:
        node = self._nodes.get(visit.url, self._pages)
        if node >= self._pages:
            page = Page(visit.url, 0, fetched_at=now, error="not in the log")
            return Finished(visit, page, asked=Asked(now))
        elapsed = self._seconds[node] if self._seconds else 0.0
        target, redirect = self._redirect[node], ""
        if target >= self._known:
            self.unknown_dropped += 1
        elif target >= 0:
            redirect = self._urls[target]
        links, left_out = self._links(node)
        known = (visit[0], self._status[node], redirect, "", self._bytes[node], 0, now, elapsed)
        page = _make(Page, (*known, *_TO_LINKS, links, *_TO_LEFT_OUT, left_out, *_BEHIND))
        verdict = self._verdicts[node]
        if self._page_details is not None:
            page, verdict = self._page_details.filled(node, page, verdict)
        asked = self._asked
        if asked[0] != now or asked[1] != elapsed:  # without time, all are alike
            asked = self._asked = Asked(now, elapsed)
        return _make(Finished, (visit, page, verdict, asked))

    def _links(self, node: int) -> tuple[Links, int]:
        """The links of a page, and how many lead to where the log does not know what is there."""
        first, last = self._offsets[node], self._offsets[node + 1]
        if first == last:
            return NO_LINKS, 0
        goals, known, urls = self._dst[first:last], self._known, self._urls
        targets = [urls[goal] for goal in goals if goal < known]
        left_out = len(goals) - len(targets)
        self.unknown_dropped += left_out
        if self._anchors is None and self._link_details is None:
            return Links(targets), left_out
        places = [first + at for at, goal in enumerate(goals) if goal < known]
        scores = () if self._anchors is None else self._anchors[places].tolist()
        if self._link_details is None:
            return Links(targets, anchor_scores=scores), left_out
        return self._link_details.links(targets, places, scores), left_out


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
