"""How long hosts take to answer: a connection that waits for a slow one could ask several others.

Where more URLs are ready than there are connections, what counts is the harvest of a second and
not of a download. A host that takes three times as long as is usual is then worth a third. Seconds
are those of the log, so what is decided by them follows from what was committed. A crawl with one
connection keeps the exact order, so there nobody is slow: pace counts from the first two visits
that overlap.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from math import exp, log
from typing import Final

ALL: Final = ""
"""In place of a host: the whole crawl."""
ENDS: Final = "|"
"""In place of a host: when the last answer ended, and whether any two visits have overlapped."""
LEANING: Final = 2.0
"""A host is taken to be like all others until it has answered more often than this."""
FOLLOWS: Final = 0.1
"""So much of a host's pace comes from its latest answer;"""
FOLLOWS_ALL: Final = 0.002
"""and so much of the usual one."""
SLOWEST: Final = 16.0
"""A host counts as at most so many times as slow as is usual."""
_LEAST: Final = 0.001
_PACK = struct.Struct("<dI")


class Pace:
    """The seconds that answers take: in the mean of a host, and usually."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[float, int]] = {}
        """Seconds and answers; the usual seconds are kept as a logarithm."""
        self._changed: set[str] = set()

    def hear(self, host: str, began: float, seconds: float) -> None:
        """A host has answered. Where no time passes, as in most simulations, none is slow."""
        if seconds <= 0.0:
            return
        seconds = max(seconds, _LEAST)
        ended, overlap = self._known.get(ENDS, (0.0, 0))
        self._known[ENDS] = max(ended, began + seconds), int(overlap or began + _LEAST < ended)
        self._changed.add(ENDS)
        for key, value, least in ((host, seconds, FOLLOWS), (ALL, log(seconds), FOLLOWS_ALL)):
            mean, answers = self._known.get(key, (0.0, 0))
            mean += (value - mean) * max(least, 1 / (answers + 1))
            self._known[key] = mean, answers + 1
            self._changed.add(key)

    def slowness(self, host: str) -> float:
        """How many times as long as is usual a host takes; 1 for one that is no slower."""
        known = self._known.get(host)
        if known is None or not self._known[ENDS][1]:
            return 1.0
        mean, answers = known
        usual = exp(self._known[ALL][0])
        times = (mean / usual * answers + LEANING) / (answers + LEANING)
        return 1.0 if times < 1.0 else SLOWEST if times > SLOWEST else times

    def save(self) -> Iterator[tuple[str, bytes]]:
        changed, self._changed = self._changed, set()
        for key in changed:
            yield key, _PACK.pack(*self._known[key])

    def restore(self, saved: Mapping[str, bytes]) -> None:
        self._known = {key: _PACK.unpack(value) for key, value in saved.items()}


def by_second(total: float, slowness: float) -> float:
    """The log-odds of a chance divided by so much: what a page is worth for the time it takes."""
    return total - log(slowness + (slowness - 1.0) * exp(min(total, 30.0)))
