"""What a user sees while work goes on: live lines on a terminal, plain lines elsewhere."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from functools import partial
from types import FrameType
from typing import Self, TypeVar

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from langcrawl.parallel import Progress, crawl_words
from langcrawl.records import Step

Result = TypeVar("Result")

_DRAWN_A_SECOND, _PLAIN_EVERY = 5, 5.0
_QUIET_FOR = 2.0
"""Work that is done within this time needs no plain lines."""
_ENOUGH_TO_GUESS = 1.0
"""Seconds of work after which it is said how long the rest may take."""
_COUNTED_EVERY = 0.1
_BAR = 24
_HOUR, _MINUTE = 3600, 60


class _Line:
    """Where one job stands, in words; its speed is that since it was first heard of."""

    def __init__(self, label: str, unit: str, total: int | None) -> None:
        self._label, self._unit = label, unit
        self._of = f" of {total:,}" if total else ""
        self._first: tuple[float, int, float] | None = None
        self.share: float | None = None
        self.text = ""
        self.is_stage = False
        """Whether it says what begins, and not how far it is."""

    def take(self, now: float, done: int, share: float | None, words: str) -> None:
        began, before, share_before = self._first = self._first or (now, done, share or 0.0)
        spent = now - began
        self.share, self.is_stage = share, not done and share is None
        if self.is_stage:
            self._first = None
            self.text = f"{self._label}: {words} ..."
            return
        said = [f"{done:,}{self._of} {self._unit}"]
        if spent > 0 and done > before:
            said.append(_speed((done - before) / spent))
        said += [words] if words else []
        if share is not None:
            said.append(f"{share:.0%} done")
            if spent >= _ENOUGH_TO_GUESS and share_before < share < 1:
                said.append(f"{_span(spent * (1 - share) / (share - share_before))} left")
        self.text = f"{self._label}: {', '.join(said)}"


def _speed(each_second: float) -> str:
    return f"{each_second:,.0f}/s" if each_second >= 10 else f"{each_second:.1f}/s"


def _span(seconds: float) -> str:
    """About how long that is."""
    for size, unit in ((_HOUR, "h"), (_MINUTE, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"


@contextmanager
def explained(why: str) -> Iterator[None]:
    """Say on standard error why a user waits, if it takes longer than two seconds."""
    timer = threading.Timer(_QUIET_FOR, partial(print, why, file=sys.stderr, flush=True))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def load_main_text_explained(size: int | None = None) -> None:
    """Have what reads main text ready before processes are copied, so that it is compiled once.

    A few pages do not need it compiled: `size` is how many bytes there are, where that is known.
    """
    from langcrawl.page.main_text import LITTLE, load_main_text, load_plain_main_text

    if size is not None and size <= LITTLE:
        load_plain_main_text()
        return
    with explained(
        "preparing the code that finds the main text; the first time on a machine it is compiled, "
        "which takes 10 to 30 seconds ..."
    ):
        load_main_text()


class ProgressDisplay:
    """Shows where one or several jobs stand, on standard error; `show` is a `Progress`.

    On a terminal every job has a line that is drawn anew. Elsewhere it has a plain line now and
    then, the first when the work has taken two seconds.
    """

    def __init__(self, *labels: str, unit: str = "pages", total: int | None = None) -> None:
        self._lines = [_Line(label, unit, total) for label in labels]
        self._printed = [""] * len(labels)
        self._loud_from = time.monotonic() + _QUIET_FOR
        self._next = [self._loud_from] * len(labels)
        self._spinner = Spinner("dots")
        console = Console(stderr=True)
        self._live: Live | None = None
        if console.is_terminal:
            self._live = Live(
                console=console, transient=True, get_renderable=self._draw,
                refresh_per_second=_DRAWN_A_SECOND,
            )  # fmt: skip

    def show(self, done: int, share: float | None = None, words: str = "", job: int = 0, /) -> None:
        """Take where a job stands; it is shown when it is time to."""
        now, line = time.monotonic(), self._lines[job]
        if not line.text and len(self._lines) > 1:  # others have been at work before
            self._next[job] = now + _QUIET_FOR
        line.take(now, done, share, words)
        due = self._loud_from if line.is_stage else self._next[job]
        if self._live is None and now >= due and line.text != self._printed[job]:
            self._next[job], self._printed[job] = now + _PLAIN_EVERY, line.text
            print(line.text, file=sys.stderr, flush=True)

    def _draw(self) -> RenderableType:
        """All lines as they stand: a spinner before a stage, a bar where a share is known."""
        return Group(*(self._draw_line(line) for line in self._lines if line.text))

    def _draw_line(self, line: _Line) -> RenderableType:
        text = Text(line.text, no_wrap=True, overflow="ellipsis")
        if line.share is None and not line.is_stage:
            return text
        row = Table.grid(padding=(0, 1))
        if line.is_stage:
            row.add_row(self._spinner, text)
        else:
            row.add_row(ProgressBar(1.0, line.share or 0.0, _BAR), text)
        return row

    def __enter__(self) -> Self:
        if self._live:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live:
            self._live.stop()


class CrawlProgress:
    """A sink that tells pages, and harvest, queue and errors of this run of a crawl."""

    def __init__(self, progress: Progress) -> None:
        self._progress, self._next = progress, 0.0
        self._taken = self._relevant = self._errors = 0

    def take(self, step: Step) -> None:
        self._taken += 1
        self._relevant += step.verdict.relevant
        self._errors += not 0 < step.page.status < 400
        now = time.monotonic()
        if now >= self._next:
            self._next = now + _COUNTED_EVERY
            words = crawl_words(self._taken, self._relevant, step.queue, self._errors)
            self._progress(step.number, None, words)

    def close(self) -> None:
        """Nothing to release."""


def interruptible(work: Callable[[], Result]) -> Result:
    """Do work that does not listen to Ctrl-C, in a thread that Ctrl-C leaves behind.

    Compiled code cannot be interrupted; it ends with the process.
    """
    outcome: Future[Result] = Future()

    def run() -> None:
        try:
            outcome.set_result(work())
        except BaseException as error:
            outcome.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return outcome.result()


class Interrupt:
    """Turns the first Ctrl-C into a request to stop; the second stops at once.

    SIGTERM is such a request too, and so is SIGHUP, the end of the terminal, unless it is ignored
    as under nohup. However often these come, what is being written is completed, and in a command
    (`ends_process`) also what it says at its end: it is about to end, as they ask it to.
    """

    def __init__(self, *, ends_process: bool = True) -> None:
        self._ends_process = ends_process
        self.requested = False
        self.by_service = False
        """Whether it was not Ctrl-C that asked first: then ending early is no failure."""

    def __call__(self) -> bool:
        return self.requested

    def __enter__(self) -> Interrupt:
        self._terminals = [stream for stream in (1, 2) if os.isatty(stream)]
        numbers = [signal.SIGINT, signal.SIGTERM]
        if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
            numbers.append(signal.SIGHUP)
        self._before = {number: signal.signal(number, self._handle) for number in numbers}
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            is_heard = number == signal.SIGINT or not (self.by_service and self._ends_process)
            signal.signal(number, handler if is_heard else signal.SIG_IGN)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if number == signal.SIGHUP:
            _leave(self._terminals)
        if number != signal.SIGINT:
            self.by_service = self.by_service or not self.requested
            self.requested = True
            return
        if self.requested:
            raise KeyboardInterrupt
        self.requested = True
        with suppress(OSError):
            print("stopping; press Ctrl-C again to stop at once", file=sys.stderr, flush=True)


def _leave(terminals: Sequence[int]) -> None:
    """The terminal is gone: whatever is still written to it goes nowhere, and is no error."""
    for stream in terminals:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream)
        os.close(nowhere)
