"""How a crawl has come along, from its first second to now: a few hundred points, for charts.

A point is kept for each second at first. When there are too many, every other one is forgotten
and the next come half as often, so that the whole of a crawl is always there and never large.
"""

from __future__ import annotations

import json
from typing import NamedTuple

from langcrawl.records import Counts

HISTORY = "history"
"""The key of `meta` under which a running crawl keeps it."""
_MOST = 480
_FIRST_STEP = 1.0


class Point(NamedTuple):
    """How a crawl stood once."""

    spent: float
    """Seconds that it had run by then, in all its runs."""
    at: float
    pages: int
    relevant: int
    queue: int
    bytes: int
    failures: int
    """URLs that got no answer or an error."""


class History:
    """The points of a crawl."""

    def __init__(self, points: list[Point] | None = None, step: float = _FIRST_STEP) -> None:
        self.points = points or []
        self._step = step
        self.changed = False
        """Whether there is something that is not saved."""

    def note(self, counts: Counts, queue: int, at: float) -> None:
        """The crawl stands like this; kept where the last point is long enough ago."""
        if self.points and counts.spent < self.points[-1].spent + self._step:
            return
        failed = sum(counts.errors.values())
        numbers = (counts.pages, counts.relevant, queue, counts.bytes, failed)
        self.points.append(Point(round(counts.spent, 2), round(at, 1), *numbers))
        self.changed = True
        if len(self.points) > _MOST:
            self.points = self.points[::2]
            self._step *= 2

    def as_text(self) -> str:
        self.changed = False
        return json.dumps({"step": self._step, "points": self.points})

    @classmethod
    def from_text(cls, text: str | None) -> History:
        """What was kept; a crawl of an earlier version has kept nothing."""
        if not text:
            return cls()
        kept = json.loads(text)
        points = [Point(*map(float, point)) for point in kept["points"]]  # type: ignore[arg-type]
        return cls(points, float(kept["step"]))
