"""Clocks: real time, and virtual time that passes only when the crawl waits."""

from __future__ import annotations

import time

_BLINK = 0.2
"""The longest sleep in one go, so that a crawl notices soon that it is to stop."""


class WallClock:
    """Seconds since 1970 that never jump: the system's monotonic clock, set once."""

    def __init__(self) -> None:
        self._offset = _offset()

    def now(self) -> float:
        return self._offset + time.monotonic()

    def sleep_until(self, moment: float) -> None:
        time.sleep(max(0.0, min(moment - self.now(), _BLINK)))


def _offset() -> float:
    """From one clock of the system to the other, by the try that was disturbed the least.

    Processes compare their moments: one that is held up between two looks would let hosts rest for
    less than their delay.
    """
    tries = [(time.monotonic(), time.time(), time.monotonic()) for _ in range(5)]
    before, moment, after = min(tries, key=lambda each: each[2] - each[0])
    return moment - (before + after) / 2


class VirtualClock:
    """Seconds since the start of a simulation."""

    def __init__(self) -> None:
        self._now = 0.0

    def now(self) -> float:
        return self._now

    def sleep_until(self, moment: float) -> None:
        self._now = max(self._now, moment)
