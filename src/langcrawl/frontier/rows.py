"""Waiting URLs as rows of the database."""

from __future__ import annotations

from typing import Any

from langcrawl.frontier.ahead import Next
from langcrawl.ports import QueueState
from langcrawl.records import Facts, Visit
from langcrawl.url import host_of

Row = tuple[Any, ...]
"""URL, id, fingerprint, priority and arrival of a waiting URL, its facts, how it was found, and the
id of its parent."""
_NUMBERS = {int, float}
_make = tuple.__new__
"""Makes a record of its values in a third of the time of its name."""


def visit_of(row: Row) -> Visit:
    """The visit in a row; ValueError where somebody else has written it."""
    url, rest = row[0], 5 + len(Facts._fields)
    if not _NUMBERS.issuperset(map(type, row[3:rest])) or type(url) is not str or "/" not in url:
        raise ValueError(f"what it says of {url!r} makes no sense")
    facts = _make(Facts, row[5:rest])
    return _make(Visit, (url, host_of(url), facts, row[3], *row[rest:-1], None))


def next_of(row: Row) -> Next:
    """The waiting URL in a row, in its place."""
    return _make(Next, (row[3], row[4], row[1], row[2], row[-1], visit_of(row)))


def queue_state_of(visit: Visit) -> QueueState:
    """How a visit that waits stands in the queue."""
    run, depth, _, _, _, _, _, _, _, anchor_score, parent_share, _ = visit[2]
    return _make(QueueState, (visit[0], visit[3], run, depth, anchor_score, parent_share))
