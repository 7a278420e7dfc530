"""What a user is shown of a crawl while it runs: a live line on a terminal, plain lines elsewhere.

Under nohup or systemd there is a line at least once a minute, also while nothing comes.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from contextlib import suppress
from enum import Enum
from typing import Self

from langcrawl.cli.progress import ProgressDisplay
from langcrawl.errors import UsageError
from langcrawl.parallel import crawl_words
from langcrawl.records import Step
from langcrawl.store.events import UNTOLD
from langcrawl.store.status import Status
from langcrawl.store.watch import WARN_AFTER, in_words

_QUIET_FOR = 2.0
"""Seconds that a crawl may take before its first plain line."""
_PATIENT_FOR = 6.0
"""Seconds that it may take before that line, as long as it has no page."""
_OFTEN, _SELDOM, _AT_FIRST = 5.0, 30.0, 60.0
"""Seconds between plain lines in the first minute, those after it, and how long that minute is."""
_MOST_OF_A_KIND = 20
"""Events of one kind that are shown; events.jsonl has all of them."""


class Loudness(Enum):
    """How much a user wants to be told."""

    QUIET, NORMAL, VERBOSE = range(3)

    @classmethod
    def of(cls, verbose: bool, quiet: bool) -> Loudness:
        if verbose and quiet:
            raise UsageError("--verbose and --quiet contradict each other; give one of them.")
        return cls.VERBOSE if verbose else cls.QUIET if quiet else cls.NORMAL


class CrawlDisplay:
    """Shows a crawl on standard error: an `Audience`, a sink, and a context manager."""

    def __init__(
        self, total: int | None, loudness: Loudness, warn_after: float | None = None
    ) -> None:
        self.warn_after = WARN_AFTER if warn_after is None else warn_after
        self._loudness, self._total = loudness, total
        self._live: ProgressDisplay | None = None
        if loudness is not Loudness.QUIET and sys.stderr.isatty():
            self._live = ProgressDisplay("crawling", total=total)
        self._began = 0.0
        self._next = 0.0
        self._heard: Counter[str] = Counter()
        self._failing: dict[str, int] = {}

    def hear(self, event: str, words: str, /) -> None:
        """Something happened: say it, unless the user sees it in another way."""
        if self._loudness is Loudness.QUIET:
            return
        self._heard[event] += 1
        if self._loudness is Loudness.NORMAL:
            if event in UNTOLD or self._heard[event] > _MOST_OF_A_KIND:
                return
            if self._heard[event] == _MOST_OF_A_KIND:
                words += f" (More events '{event}' are told only in events.jsonl, or with -v.)"
        _say(words)

    def look(self, status: Status, /) -> None:
        """The crawl stands like this: show it when it is time to."""
        if self._loudness is Loudness.QUIET:
            return
        if self._loudness is Loudness.VERBOSE:
            self._name_failing(status)
        if self._live is not None:
            self._live.show(status.pages, None, _words(status))
            return
        now = time.monotonic()
        if not self._began:
            self._began, self._next = now, now + _QUIET_FOR
        if now >= self._next and (status.pages or now - self._began >= _PATIENT_FOR):
            self._next = next_line(self._began, now)
            _print(self.line(status))

    def line(self, status: Status) -> str:
        """Where the crawl stands, in a plain line."""
        return crawl_line(status, self._total)

    def _name_failing(self, status: Status) -> None:
        """Say which hosts have failed since the last look."""
        failing = {host.host: host.troubles for host in status.failing}
        for host in status.failing:
            if host.troubles > self._failing.get(host.host, 0):
                again = ""
                if host.asked_again is not None:
                    again = f", and is asked again in {in_words(host.asked_again - time.time())}"
                _say(f"{host.host} fails ({host.error}), {host.troubles} times in a row{again}.")
        self._failing = failing

    def take(self, step: Step) -> None:
        """Name each page that failed, if the user wants to know everything."""
        page = step.page
        if self._loudness is Loudness.VERBOSE and not 0 < page.status < 400:
            _say(f"{page.url} failed: {page.error or page.status}.")

    def close(self) -> None:
        """Nothing to release."""

    def __enter__(self) -> Self:
        if self._live is not None:
            self._live.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        if self._live is not None:
            self._live.__exit__(*error)


def next_line(began: float, now: float) -> float:
    """When the next plain line is due: soon at first, and then twice a minute."""
    return now + (_OFTEN if now - began < _AT_FIRST else _SELDOM)


def crawl_line(status: Status, total: int | None) -> str:
    """Where a crawl stands, in one line."""
    of = f" of {total:,}" if total else ""
    said = [f"crawling: {status.pages:,}{of} pages"]
    if status.lately is not None:
        rate = status.lately
        said.append(f"{rate:,.0f}/s" if rate >= 10 else f"{rate:.1f}/s")
    return ", ".join([*said, _words(status)])


def _words(status: Status) -> str:
    failed = sum(status.errors.values())
    said = crawl_words(status.pages, status.relevant, status.queue, failed)
    if status.failing_hosts:
        said += f", {status.failing_hosts:,} hosts failing"
    if status.estimated_end is not None:
        said += f", about {in_words(status.estimated_end.seconds)} left"
    return said


def _say(words: str) -> None:
    _print(f"langcrawl: {words}")


def _print(line: str) -> None:
    """A crawl does not end because nobody listens to it any more."""
    with suppress(OSError):
        print(line, file=sys.stderr, flush=True)
