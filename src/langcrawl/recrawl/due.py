"""Where due pages wait, apart from the crawl's own queue, and how the crawl's web is borrowed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from math import inf

from langcrawl.frontier.memory import MemoryFrontier
from langcrawl.ports import Clock, Web
from langcrawl.records import NO_LINKS, Finished, Later, Page, Refused, Visit
from langcrawl.recrawl.plan import DuePage

_ENOUGH = 20_000
"""Pages that wait in memory, so that there are ready hosts among them."""


class DueFrontier(MemoryFrontier):
    """A frontier that is filled in the order of a plan; what is done is told by `dropped`.

    The URLs are those of pages that were downloaded, so the crawl's own frontier has them as taken
    for good: whatever happens to this process, they are not lost and not queued there.
    """

    def __init__(
        self,
        pages: Iterator[DuePage],
        commit: Callable[[], None],
        rules_out: Callable[[str, str], str],
        dropped: Callable[[DuePage, str], None],
    ) -> None:
        """`rules_out` says why a URL may not be asked for now, in a word; `dropped` is told of
        pages for which nobody was asked in the end, and why."""
        super().__init__()
        self._pages, self._commit, self._rules_out = pages, commit, rules_out
        self._dropped = dropped
        self._due: dict[str, DuePage] = {}
        self._place = 0.0
        self.left_out: Counter[str] = Counter()
        """Pages that the user's rules leave out by now, by reason."""

    def take(
        self,
        ready: Callable[[str], bool],
        overtake: bool,
        reconsider: Callable[[Visit], float] | None = None,
    ) -> Visit | None:
        self._fill()
        while visit := super().take(ready, overtake, reconsider):
            reason = self._rules_out(visit.url, visit.host)
            if not reason:
                return visit
            self.left_out[reason] += 1
            super().finish(visit.url)
            self.settle(visit.url)
            self.wake((visit.host,))  # the next one of its host may be asked for
        return None

    def _fill(self) -> None:
        if len(self) >= _ENOUGH // 2:
            return
        with suppress(StopIteration):
            while len(self) < _ENOUGH:
                page = next(self._pages)
                self._place += 1
                self._due[page.visit.url] = page
                self.put(page.visit._replace(priority=self._place))

    def settle(self, url: str) -> DuePage | None:
        """The page of a URL, which has been answered for and is due no more."""
        self.forget(url)
        return self._due.pop(url, None)

    def refused(self, url: str, reason: str) -> None:
        """Nobody was asked for a page, for this reason."""
        if (page := self.settle(url)) is not None:
            self._dropped(page, reason)

    def drop(self, url: str) -> None:
        super().drop(url)
        self.refused(url, "unreachable")

    def commit(self) -> None:
        self._commit()


class BorrowedWeb:
    """The crawl's own web, used to ask for pages that are due, and handed back with its workers.

    The loop is shown pages without their links, which the crawl itself is to be offered.
    """

    def __init__(self, web: Web, interrupted: Callable[[], bool], due: DueFrontier) -> None:
        self._web, self._interrupted, self._due = web, interrupted, due
        self._under_way = 0
        self._whole: dict[str, Page] = {}

    @property
    def clock(self) -> Clock:
        return self._web.clock

    def begin(self, visits: Sequence[Visit]) -> None:
        self._under_way += len(visits)
        self._web.begin(visits)

    def next_done(self, until: float) -> Sequence[Finished]:
        done = self._web.next_done(until)
        self._under_way -= len(done)
        return [self._shown(finished) for finished in done]

    def stop(self) -> Sequence[Finished]:
        """Wait for what is under way; only where the user wants an end do the workers end too."""
        done: list[Finished] = []
        while self._under_way and not self._interrupted():
            done += self.next_done(inf)
        if self._under_way:
            done += [self._shown(finished) for finished in self._web.stop()]
            self._under_way = 0
        return done

    def close(self) -> None:
        """It is not ours."""

    def whole(self, page: Page) -> Page:
        """A page with the links that it came with."""
        return self._whole.pop(page.url, page)

    def _shown(self, finished: Finished) -> Finished:
        answer = finished.answer
        if isinstance(answer, Refused):
            self._due.refused(finished.visit.url, answer.reason)
        if isinstance(answer, Later):
            return finished._replace(answer=answer._replace(sitemaps=()))
        if isinstance(answer, Page) and (answer.links or answer.redirect):
            self._whole[answer.url] = answer
            return finished._replace(answer=answer._replace(links=NO_LINKS, redirect=""))
        return finished
