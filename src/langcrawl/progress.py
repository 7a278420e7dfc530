"""What a user sees while work goes on: a live line on a terminal, plain lines elsewhere."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from types import FrameType
from typing import Self, TypeVar

from rich.console import Console
from rich.live import Live
from rich.progress import Progress
from rich.text import Text

from langcrawl.records import Step

Result = TypeVar("Result")

_TERMINAL_EVERY, _PLAIN_EVERY = 0.2, 5.0
_QUIET_FOR = 2.0
"""Work that is done within this time needs no plain lines."""


class ProgressBoard:
    """A line for each of several jobs on standard error."""

    def __init__(self, labels: Sequence[str], total: int | None = None) -> None:
        self._labels, self._total = labels, total
        self._began = time.monotonic()
        console = Console(stderr=True)
        self._live: Live | None = None
        if console.is_terminal:
            self._live = Live(console=console, transient=True, auto_refresh=False)
            self._live.start()
        self._lines = dict.fromkeys(range(len(labels)), "")
        self._next = dict.fromkeys(range(len(labels)), self._began + _QUIET_FOR)

    def show(
        self, number: int, pages: int, relevant: int, queue: int, errors: int = 0, before: int = 0
    ) -> None:
        """Show where a job stands, if it is time to; `before` pages are of an earlier run."""
        now = time.monotonic()
        due = self._next[number] - (_QUIET_FOR if self._live else 0.0)
        if now < due or not pages:
            return
        self._next[number] = now + (_TERMINAL_EVERY + _QUIET_FOR if self._live else _PLAIN_EVERY)
        of = f" of {self._total:,}" if self._total else ""
        line = (
            f"{self._labels[number]}: {pages:,}{of} pages, "
            f"{(pages - before) / max(now - self._began, 1e-9):,.0f}/s, "
            f"harvest {relevant / (pages - before):.1%}, queue {queue:,}"
            + (f", errors {errors:,}" if errors else "")
        )
        if self._live and line != self._lines[number]:
            self._lines[number] = line
            self._live.update(Text("\n".join(filter(None, self._lines.values()))), refresh=True)
        elif line != self._lines[number]:
            self._lines[number] = line
            print(line, file=sys.stderr, flush=True)

    def close(self) -> None:
        if self._live:
            self._live.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class ProgressLine(ProgressBoard):
    """A sink that shows pages, and speed, harvest, queue and errors of this run of a crawl."""

    def __init__(self, label: str, total: int | None = None) -> None:
        super().__init__([label], total)
        self._taken = self._relevant = self._errors = 0

    def take(self, step: Step) -> None:
        self._taken += 1
        self._relevant += step.verdict.relevant
        self._errors += not 0 < step.page.status < 400
        before = step.number - self._taken
        self.show(0, step.number, self._relevant, step.queue, self._errors, before)


class StageLine:
    """Says which stage a job is in: on a terminal at once, elsewhere once it takes long."""

    def __init__(self, label: str) -> None:
        self._label, self._began = label, time.monotonic()
        console = Console(stderr=True)
        self._status = console.status(f"{label} ...") if console.is_terminal else None

    def show(self, stage: str) -> None:
        """Say what is done next."""
        if self._status:
            self._status.update(f"{self._label}: {stage} ...")
        elif time.monotonic() - self._began >= _QUIET_FOR:
            print(f"{self._label}: {stage} ...", file=sys.stderr, flush=True)

    def __enter__(self) -> Self:
        if self._status:
            self._status.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._status:
            self._status.stop()


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
    """Turns the first Ctrl-C into a request to stop; the second stops at once."""

    def __init__(self) -> None:
        self.requested = False

    def __call__(self) -> bool:
        return self.requested

    def __enter__(self) -> Interrupt:
        self._before = {
            number: signal.signal(number, self._handle)
            for number in (signal.SIGINT, signal.SIGTERM)
        }
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.requested:
            raise KeyboardInterrupt
        self.requested = True
        print("stopping; Ctrl-C again to stop at once", file=sys.stderr, flush=True)


class ShareLine:
    """Shows how much of a job is done: a bar on a terminal, a line now and then elsewhere."""

    def __init__(self, label: str, unit: str = "pages") -> None:
        self._label, self._unit = label, unit
        self._next = time.monotonic() + _QUIET_FOR
        self._began = time.monotonic()
        console = Console(stderr=True)
        self._bar = Progress(console=console, transient=True) if console.is_terminal else None
        self._task = self._bar.add_task(label, total=1.0) if self._bar else None

    def show(self, share: float, done: int) -> None:
        """Show how far the job is, if it is time to."""
        now = time.monotonic()
        speed = done / max(now - self._began, 1e-9)
        words = f"{self._label}: {done:,} {self._unit}, {speed:,.0f}/s"
        if self._bar and self._task is not None:
            self._bar.update(self._task, completed=share, description=words)
        elif now >= self._next:
            self._next = now + _PLAIN_EVERY
            print(f"{words}, {share:.0%} done", file=sys.stderr, flush=True)

    def __enter__(self) -> Self:
        if self._bar:
            self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar:
            self._bar.stop()
