"""What happened in a crawl, a line each, in events.jsonl: for people and for monitoring.

A line is written in one piece. A process that is killed leaves half a line at most: readers leave
it out, and the next start ends it.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

FILE = "events.jsonl"
_TAIL = 1 << 16
"""Bytes at the end of the file in which the last event is looked for."""
NOTICE = "notice"
"""The event of a sentence that has no event of its own."""
UNTOLD = frozenset({"start", "stop", "failed", "milestone"})
"""Events that a user is not shown unless he asks: what he sees in other ways."""

Hear = Callable[[str, str], None]
"""Is told the name and the words of each event."""


class EventLog:
    """Appends events to a file, and passes their words on to whoever is to read them.

    It is a `Tell`. A full disk raises an OSError, as it does wherever else a crawl writes. The
    file is there from the first event on; an error that ends the crawl is the last one.
    """

    def __init__(self, directory: Path, hear: Hear) -> None:
        self._path, self._hear = directory / FILE, hear
        self._file: int | None = None
        self.last: dict[str, Any] | None = None
        """What happened last."""

    def __call__(self, event: str, words: str, /, **about: object) -> None:
        line = {"time": round(time.time(), 3), "event": event, "words": words, **about}
        if self._file is None:
            self._file = _open(self._path)
        _write(self._file, json.dumps(line, ensure_ascii=False))
        self.last = line
        self._hear(event, words)

    def notice(self, sentence: str) -> None:
        """Tell something that has no event of its own."""
        self(NOTICE, sentence)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: BaseException | None, _: object) -> None:
        if self._file is not None:
            if error is not None:
                words = str(error) or type(error).__name__
                if isinstance(error, KeyboardInterrupt):
                    words = "stopped at once by Ctrl-C."
                with suppress(OSError):  # the disk may be full, which is being told already
                    self("failed", words)
            os.close(self._file)
            self._file = None


def _open(path: Path) -> int:
    """Open a file to append lines to; half a line that was left there is ended."""
    file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o666)
    size = os.fstat(file).st_size
    if size and os.pread(file, 1, size - 1) != b"\n":
        _write(file, "")
    return file


def _write(file: int, line: str) -> None:
    left = line.encode("utf-8", "backslashreplace") + b"\n"
    while left:
        left = left[os.write(file, left) :]


def read_events(directory: Path, most: int = _TAIL) -> Iterator[dict[str, Any]]:
    """The events in the last bytes of the file, the oldest first; half lines are left out."""
    try:
        with (directory / FILE).open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - most))
            lines = file.read(most).split(b"\n")
    except OSError:
        return
    for line in lines:
        try:
            event = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(event, dict) and isinstance(event.get("event"), str):
            yield event


def last_event(directory: Path) -> dict[str, Any] | None:
    """What happened last, if anything is known."""
    last = None
    for last in read_events(directory):  # noqa: B007
        pass
    return last


def moment_of(event: dict[str, Any]) -> float:
    """When it was, in seconds since 1970; 0 where the line does not say so."""
    moment = event.get("time")
    return float(moment) if isinstance(moment, (int, float)) else 0.0
