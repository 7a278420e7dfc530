"""What a user sees while work goes on: a live line on a terminal, plain lines elsewhere."""

from __future__ import annotations

import signal
import sys
import time
from types import FrameType

from rich.console import Console
from rich.status import Status

from langcrawl.records import Step

_TERMINAL_EVERY, _PLAIN_EVERY = 0.2, 5.0
_QUIET_FOR = 2.0
"""Work that is done within this time needs no plain lines."""


class ProgressLine:
    """A sink that shows pages, speed, harvest and queue on standard error."""

    def __init__(self, label: str, total: int | None = None) -> None:
        self._label, self._total = label, total
        self._console = Console(stderr=True)
        self._status: Status | None = None
        if self._console.is_terminal:
            self._status = self._console.status(label)
            self._status.start()
        self._began = time.monotonic()
        self._next = self._began + (0.0 if self._status else _QUIET_FOR)
        self._relevant = 0

    def take(self, step: Step) -> None:
        self._relevant += step.verdict.relevant
        self.show(step.number, self._relevant, step.queue)

    def show(self, pages: int, relevant: int, queue: int) -> None:
        """Show where the work stands, if it is time to."""
        now = time.monotonic()
        if now < self._next or not pages:
            return
        self._next = now + (_TERMINAL_EVERY if self._status else _PLAIN_EVERY)
        of = f" of {self._total:,}" if self._total else ""
        line = (
            f"{self._label}: {pages:,}{of} pages, {pages / max(now - self._began, 1e-9):,.0f}/s, "
            f"harvest {relevant / pages:.1%}, queue {queue:,}"
        )
        if self._status:
            self._status.update(line)
        else:
            print(line, file=sys.stderr, flush=True)

    def close(self) -> None:
        if self._status:
            self._status.stop()

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


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
