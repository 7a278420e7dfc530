"""Depth first: everything, the newest first (named in paper 000, section 4.2)."""

from __future__ import annotations

from langcrawl.ports import Strategy
from langcrawl.records import Facts


def dfs() -> Strategy:
    """Follow every link, last come first served."""

    def rank(facts: Facts) -> float:
        return 0.0

    says = "every link is followed, last come first served"
    return Strategy("dfs", rank, says, lanes=1, last_first=True)
