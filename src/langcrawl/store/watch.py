"""Looks at a running crawl once a second, and says how it stands to whoever wants to know.

The loop asks now and then whether it is to stop; that is when the watch looks. So it reads the
crawl's own state without a lock, in the one thread that changes it, and hands out copies: to the
display, to the local channel, and into the database for ``langcrawl status``.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from heapq import nsmallest
from math import inf
from pathlib import Path
from typing import Any, Protocol

from langcrawl import __version__
from langcrawl.config import CrawlConfig
from langcrawl.crawl import Crawl
from langcrawl.records import Counts, Outcome
from langcrawl.store.control import Command, ControlSocket
from langcrawl.store.database import read_meta, write_meta
from langcrawl.store.events import EventLog
from langcrawl.store.history import HISTORY, History
from langcrawl.store.live import Live
from langcrawl.store.status import (
    FAILING_SHOWN,
    LATELY,
    WATCHED,
    FailingHost,
    Sample,
    Status,
    Watched,
    estimated_end,
    rate_lately,
)

WARN_AFTER = 60.0
"""Seconds without an answer after which a crawl warns."""
_LOOK_EVERY, _SAMPLE_EVERY, _SAVE_EVERY = 1.0, 10.0, 2.0
_COUNT_FOR = 1_000
"""Of this much time one part may go into counting hosts."""
_LONGEST_SILENCE = 3600.0
"""Seconds between two warnings, which come ever more rarely."""
_MILESTONES = (1, 2, 5)
_FIRST_MILESTONE = 100
_HOSTS_NAMED = 3
_ERRORS_KEPT = 1_000
"""Hosts whose last error is kept in the database."""
_FAILING = "SELECT name, failures FROM hosts WHERE failures > 0 ORDER BY failures LIMIT ?"


class Trouble(Protocol):
    """Why a host failed when it was last asked, and how often in a row."""

    @property
    def error(self) -> str: ...

    @property
    def times(self) -> int: ...


class Failures(Protocol):
    """A web that remembers which hosts fail."""

    @property
    def troubles(self) -> Mapping[str, Trouble]: ...

    def recall_trouble(self, host: str, error: str, times: int) -> None:
        """A host failed when an earlier process asked it last."""


class Orders(Protocol):
    """What obeys the commands that come through the channel: `langcrawl.changes.Changes`."""

    @property
    def config(self) -> CrawlConfig: ...

    @property
    def stopping(self) -> bool: ...

    def obey(self, command: Command, /) -> dict[str, Any]: ...


class Audience(Protocol):
    """Who is told of a crawl while it runs: `cli.watching` shows it to a user."""

    warn_after: float
    """Seconds without an answer after which it wants to be warned."""

    def hear(self, event: str, words: str, /) -> None:
        """Something happened."""

    def look(self, status: Status, /) -> None:
        """The crawl stands like this; once a second."""


class Watch:
    """Watches one run of a crawl."""

    def __init__(
        self,
        directory: Path,
        config: CrawlConfig,
        web: Failures,
        tell: EventLog,
        audience: Audience,
        stop: Callable[[], bool],
    ) -> None:
        self._directory, self._config, self._web = directory, config, web
        self._tell, self._audience, self._stop = tell, audience, stop
        self._crawl: Crawl | None = None
        self._channel: ControlSocket | None = None
        self._orders: Orders | None = None
        self.live = Live()
        """A sink that is to see every step."""
        self._history = History()
        self._samples: deque[Sample] = deque()
        self._urls = self._hosts = self._milestone = 0
        self._look_at = self._save_at = self._count_at = 0.0
        self._started = self._last_page = 0.0
        self._answered = (0, 0)
        self._warn_at, self._silent = inf, 0.0

    def stop(self) -> bool:
        """Whether the loop is to stop; a good moment to look."""
        if self._crawl is None:
            return self._stop()
        obeyed = self._obey()
        if obeyed or time.monotonic() >= self._look_at:
            self._look_at = time.monotonic() + _LOOK_EVERY
            self._look(self._crawl)
        return self._stop() or (self._orders is not None and self._orders.stopping)

    def _obey(self) -> bool:
        """Take the commands that have come through the channel; whether there were any."""
        orders, any_came = self._orders, False
        if self._channel is not None and orders is not None:
            for command in self._channel.commands():
                command.take(orders.obey)
                any_came = True
        return any_came

    @contextmanager
    def following(
        self, crawl: Crawl, connection: sqlite3.Connection, orders: Orders | None = None
    ) -> Iterator[None]:
        """Watch this crawl while it runs, with the database that it is kept in."""
        self._orders = orders
        self._history = History.from_text(read_meta(connection, HISTORY))
        kept = Watched.from_text(read_meta(connection, WATCHED))
        for host, troubles in connection.execute(_FAILING, (_ERRORS_KEPT,)):
            self._web.recall_trouble(host, kept.failing.get(host, ""), troubles)
        self._last_page = kept.last_page
        self._count(connection)
        self._answered = _answered(crawl.counts)
        self._milestone = crawl.counts.pages
        self._started = crawl.web.clock.now()
        self._silent = time.monotonic()
        self._warn_at = self._silent + self._audience.warn_after
        counts = crawl.counts
        self._tell(
            "start",
            f"{'resuming' if counts.pages else 'starting'} the crawl for {self._config.lang} "
            f"with {counts.pages:,} pages and {len(crawl.frontier):,} URLs waiting.",
            version=__version__, pid=os.getpid(), lang=self._config.lang,
            strategy=self._config.strategy, pages=counts.pages, queue=len(crawl.frontier),
        )  # fmt: skip
        with ControlSocket(self._directory, self._tell.notice) as self._channel:
            self._crawl = crawl
            self._look(crawl)
            try:
                yield
                self._look(crawl)
            finally:
                self._crawl = None

    def tell_end(self, outcome: Outcome) -> None:
        """The crawl has ended in order, and all is written."""
        counts = outcome.counts
        self._tell(
            "stop",
            f"stopped ({outcome.stopped}) with {counts.pages:,} pages, {counts.relevant:,} of them "
            f"in {self._config.lang}, and {outcome.queue:,} URLs waiting.",
            stopped=outcome.stopped, pages=counts.pages, relevant=counts.relevant,
            queue=outcome.queue, bytes=counts.bytes, seconds=round(counts.spent, 1),
        )  # fmt: skip

    def save(self, connection: sqlite3.Connection, *, all_of_it: bool = False) -> None:
        """Keep what only this process knows; called within the transaction of a commit."""
        now = time.monotonic()
        if not all_of_it and now < self._save_at:
            return
        self._save_at = now + _SAVE_EVERY
        self._count(connection)
        troubles = self._web.troubles
        errors = {host: troubles[host].error for host in list(troubles)[-_ERRORS_KEPT:]}
        paused = self._crawl is not None and self._crawl.paused
        kept = Watched(self._started, self._last_page, tuple(self._samples), errors, paused)
        write_meta(connection, WATCHED, kept.as_text())
        if self._history.changed:
            write_meta(connection, HISTORY, self._history.as_text())

    def _count(self, connection: sqlite3.Connection) -> None:
        """Count what is known only to the database; hosts seldom, where there are many."""
        execute, began = connection.execute, time.monotonic()
        (self._urls,) = execute("SELECT coalesce(max(id) + 1, 0) FROM urls").fetchone()
        if began >= self._count_at:
            (self._hosts,) = execute("SELECT count(*) FROM hosts").fetchone()
            self._count_at = began + _COUNT_FOR * (time.monotonic() - began)

    def _look(self, crawl: Crawl) -> None:
        """Take the state of the crawl, and tell whoever is to know."""
        if self._orders is not None:
            self._config = self._orders.config
        counts, now = crawl.counts, crawl.web.clock.now()
        self._history.note(counts, len(crawl.frontier), now)
        sample = Sample(now, counts.pages, counts.bytes, counts.requests, len(crawl.frontier))
        if not self._samples or now - self._samples[-1].at >= _SAMPLE_EVERY:
            self._samples.append(sample)
        while self._samples[0].at < now - LATELY:
            self._samples.popleft()
        status = self._status(crawl, sample)
        self._notice_answers(crawl, status)
        self._notice_milestone(status)
        if self._channel is not None:
            self._channel.publish(status, self.live.document(crawl.visits, now))
        self._audience.look(status)

    def _notice_answers(self, crawl: Crawl, status: Status) -> None:
        """Warn when nothing has come for a while; say when something comes again."""
        now, answered = time.monotonic(), _answered(crawl.counts)
        if crawl.paused:
            self._silent, self._warn_at = now, now + self._audience.warn_after
        warned = self._warn_at > self._silent + self._audience.warn_after
        if answered[0] > self._answered[0] or answered[1] > self._answered[1]:
            if warned:
                spent = now - self._silent
                self._tell(
                    "again", f"answers come again, after {in_words(spent)}.", seconds=round(spent)
                )
            self._last_page = crawl.web.clock.now()
            self._silent, self._warn_at = now, now + self._audience.warn_after
        elif now >= self._warn_at:
            spent = now - self._silent
            self._tell(
                "silent",
                f"nothing has come for {in_words(spent)}: {why_silent(crawl, status)}.",
                seconds=round(spent), under_way=status.under_way, queue=status.queue,
                failing_hosts=status.failing_hosts,
            )  # fmt: skip
            self._warn_at = now + min(max(spent, self._audience.warn_after), _LONGEST_SILENCE)
        self._answered = answered

    def _notice_milestone(self, status: Status) -> None:
        reached = milestone_up_to(status.pages)
        if reached > self._milestone:
            self._tell(
                "milestone",
                f"{reached:,} pages, {status.relevant:,} in {status.lang}; {status.queue:,} wait.",
                pages=status.pages, relevant=status.relevant, queue=status.queue,
                bytes=status.bytes, seconds=round(status.seconds, 1),
            )  # fmt: skip
        self._milestone = max(self._milestone, status.pages)

    def _status(self, crawl: Crawl, now: Sample) -> Status:
        counts = crawl.counts
        most = nsmallest(
            FAILING_SHOWN, self._web.troubles.items(), key=lambda each: (-each[1].times, each[0])
        )
        failing = tuple(
            FailingHost(host, trouble.error, trouble.times, _moment(crawl, host, now.at))
            for host, trouble in most
        )
        return Status(
            running=True,
            lang=self._config.lang,
            strategy=self._config.strategy,
            pages=counts.pages,
            relevant=counts.relevant,
            harvest=counts.relevant / counts.pages if counts.pages else 0.0,
            queue=now.queue,
            under_way=crawl.under_way,
            urls=self._urls,
            hosts=self._hosts,
            bytes=counts.bytes,
            requests=counts.requests,
            seconds=counts.spent,
            pages_per_second=counts.pages / counts.spent if counts.spent else 0.0,
            lately=rate_lately(self._samples, "pages", now),
            last_page=self._last_page or None,
            failing_hosts=len(self._web.troubles),
            failing=failing,
            estimated_end=estimated_end(self._config, self._started, self._samples, now),
            last_event=self._tell.last,
            errors=dict(counts.errors),
            discards=dict(counts.discards),
            notes=dict(counts.notes),
            answers=dict(counts.answers),
            silences=dict(counts.silences),
            failures=counts.failures,
            languages={} if "," in self._config.lang else {self._config.lang: counts.relevant},
            paused=crawl.paused,
        )


def why_silent(crawl: Crawl, status: Status) -> str:
    """Why nothing may have come for a while, as far as the crawl knows."""
    now = crawl.web.clock.now()
    said = [f"{status.under_way:,} requests are under way, {status.queue:,} URLs wait"]
    ready = crawl.politeness.next_ready()
    if crawl.next_try:
        said.append(f"somebody is asked again in {in_words(crawl.next_try - now)}")
    elif status.queue and now < ready < inf:
        said.append(f"the next host that rests may be asked in {in_words(ready - now)}")
    if status.failing:
        kinds = Counter(host.error for host in status.failing).most_common(_HOSTS_NAMED)
        errors = ", ".join(kind for kind, _ in kinds)
        named = ", ".join(
            f"{host.host} ({host.error}"
            + (f", again in {in_words(host.asked_again - now)})" if host.asked_again else ")")
            for host in status.failing[:_HOSTS_NAMED]
        )
        said.append(f"{status.failing_hosts:,} hosts fail ({errors}), such as {named}")
        if all(host.error == "dns" for host in status.failing):
            said.append("no name is found: is there a network")
    return "; ".join(said)


def in_words(seconds: float) -> str:
    """About how long that is."""
    for size, unit in ((3600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{max(0.0, seconds):.0f} s"


def milestone_up_to(pages: int) -> int:
    """The greatest of 100, 200, 500, 1,000, ... that is not above this; 0 where none is."""
    reached, size = 0, _FIRST_MILESTONE
    while size <= pages:
        reached = max(size * step for step in _MILESTONES if size * step <= pages)
        size *= 10
    return reached


def _moment(crawl: Crawl, host: str, now: float) -> float | None:
    moment = max(crawl.politeness.ready_at(host), crawl.next_try)
    return moment if now < moment < inf else None


def _answered(counts: Counts) -> tuple[int, int]:
    """Two numbers of which one grows with each answer of a server."""
    unanswered = sum(n for reason, n in counts.errors.items() if not reason.isdigit())
    return counts.pages + counts.visits - unanswered, counts.bytes
