"""How long hosts take to answer: a connection that waits for a slow one could ask several others.

Where all connections are busy, what counts is the harvest of a second and not of a download: a
slow host is worth less. Where some are idle, as in most polite crawls, a slow host keeps none from
work, and nothing is gained by leaving it for later. Seconds are those of the log, so what is
decided by them follows from what was committed. A crawl with one connection keeps the exact order,
so there nobody is slow: pace counts from the first two visits that overlap.
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
BUSY, CLOCK = "|busy", "|clock"
"""In place of a host: the seconds that an answer takes, and those from one to the next, of late.
The one over the other is how many connections are busy."""
LEANING: Final = 2.0
"""A host is taken to be like all others until it has answered more often than this."""
FOLLOWS: Final = 0.1
"""So much of a host's pace comes from its latest answer;"""
FOLLOWS_ALL: Final = 0.002
"""and so much of the usual one;"""
FOLLOWS_BUSY: Final = 0.01
"""and so much of how many connections are busy."""
SLOWEST: Final = 16.0
"""A host counts as at most so many times as slow as is usual."""
IDLE, SCARCE = 0.6, 0.9
"""Below the first share of busy connections pace does not count, above the second in full."""
POWER: Final = 0.5
"""A host is worth less by so many times as it is slow, to this power: what is left for later in
full is all that is left at the end."""
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
        last, overlap = self._known.get(ENDS, (began, 0))
        ended = max(last, began + seconds)
        self._known[ENDS] = ended, int(overlap or began + _LEAST < last)
        self._changed.add(ENDS)
        for key, value, least in (
            (host, seconds, FOLLOWS),
            (ALL, log(seconds), FOLLOWS_ALL),
            (BUSY, seconds, FOLLOWS_BUSY),
            (CLOCK, ended - last, FOLLOWS_BUSY),
        ):
            mean, answers = self._known.get(key, (0.0, 0))
            mean += (value - mean) * max(least, 1 / (answers + 1))
            self._known[key] = mean, answers + 1
            self._changed.add(key)

    def scarcity(self, connections: int) -> float:
        """How far pace counts: from 0, where connections are idle, to 1, where all are busy.

        Where nobody knows how many there are (0), all are taken to be busy.
        """
        if not self._known[ENDS][1]:
            return 0.0
        if not connections or BUSY not in self._known:
            return 1.0
        clock = max(self._known[CLOCK][0], 1e-9)
        share = self._known[BUSY][0] / (clock * connections)
        return min(1.0, max(0.0, (share - IDLE) / (SCARCE - IDLE)))

    def slowness(self, host: str, connections: int = 0) -> float:
        """How many times less a host is worth for the time it takes; 1 for one that is not slow."""
        known = self._known.get(host)
        if known is None:
            return 1.0
        mean, answers = known
        usual = exp(self._known[ALL][0])
        times = (mean / usual * answers + LEANING) / (answers + LEANING)
        if times <= 1.0:
            return 1.0
        counts: float = min(times, SLOWEST) ** (POWER * self.scarcity(connections))
        return counts

    def save(self) -> Iterator[tuple[str, bytes]]:
        changed, self._changed = self._changed, set()
        for key in changed:
            yield key, _PACK.pack(*self._known[key])

    def restore(self, saved: Mapping[str, bytes]) -> None:
        self._known = {key: _PACK.unpack(value) for key, value in saved.items()}


def by_second(total: float, slowness: float) -> float:
    """The log-odds of a chance divided by so much: what a page is worth for the time it takes."""
    return total - log(slowness + (slowness - 1.0) * exp(min(total, 30.0)))
