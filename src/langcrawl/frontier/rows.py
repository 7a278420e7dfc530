"""Waiting URLs as rows of the database, and what comes next on a host."""

from __future__ import annotations

from bisect import insort
from operator import itemgetter
from typing import Any

from langcrawl.frontier.heads import Head
from langcrawl.ports import QueueState
from langcrawl.records import Facts, Visit
from langcrawl.url import host_of

Row = tuple[Any, ...]
"""URL, id, fingerprint, priority and arrival of a waiting URL, its facts and how it was found."""
_PLACE = itemgetter(3, 4)
_NUMBERS = {int, float}


def visit_of(row: Row) -> Visit:
    """The visit in a row; ValueError where somebody else has written it."""
    url, rest = row[0], 5 + len(Facts._fields)
    if not _NUMBERS.issuperset(map(type, row[3:rest])) or type(url) is not str or "/" not in url:
        raise ValueError(f"what it says of {url!r} makes no sense")
    return Visit(url, host_of(url), Facts._make(row[5:rest]), row[3], *row[rest:])


def queue_state_of(visit: Visit) -> QueueState:
    """How a visit that waits stands in the queue."""
    run, depth, _, _, _, _, _, _, _, anchor_score, parent_share, _ = visit[2]
    return QueueState(visit[0], visit[3], run, depth, anchor_score, parent_share)


class Ahead:
    """The waiting URLs of one host that come first, as rows that were read together."""

    def __init__(self, rows: list[Row], most: int) -> None:
        """`most` is how many rows were asked for: where there are fewer, the host has no more."""
        self.rows = rows
        self._all = len(rows) < most

    @property
    def shows_two(self) -> bool:
        """Whether the first two are here, or as many as there are."""
        return self._all or len(self.rows) > 1

    def head(self, host: str) -> Head | None:
        """The bound of the host."""
        return (*_PLACE(self.rows[0]), host) if self.rows else None

    def first_waits_on(self, priority: float, arrival: int) -> None:
        """The first one has another place now; behind the last that is here, nobody knows where."""
        row = self.rows.pop(0)
        moved = (*row[:3], priority, arrival, *row[5:])
        if self._all or (priority, arrival) < _PLACE(self.rows[-1]):
            insort(self.rows, moved, key=_PLACE)
