"""Clocks: real time, and virtual time that passes only when the crawl waits."""

from __future__ import annotations

import time

_BLINK = 0.2
"""The longest sleep in one go, so that a crawl notices soon that it is to stop."""


class WallClock:
    """Seconds since 1970 that never jump: the system's monotonic clock, set once."""

    def __init__(self) -> None:
        self._offset = time.time() - time.monotonic()

    def now(self) -> float:
        return self._offset + time.monotonic()

    def sleep_until(self, moment: float) -> None:
        time.sleep(max(0.0, min(moment - self.now(), _BLINK)))


class VirtualClock:
    """Seconds since the start of a simulation."""

    def __init__(self) -> None:
        self._now = 0.0

    def now(self) -> float:
        return self._now

    def sleep_until(self, moment: float) -> None:
        self._now = max(self._now, moment)
