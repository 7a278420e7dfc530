"""Breadth first: everything, in order of arrival."""

from __future__ import annotations

from langcrawl.ports import Strategy
from langcrawl.records import Facts


def bfs() -> Strategy:
    """Follow every link, first come first served."""

    def rank(facts: Facts) -> float:
        return 0.0

    return Strategy("bfs", rank, "every link is followed, first come first served", lanes=1)
