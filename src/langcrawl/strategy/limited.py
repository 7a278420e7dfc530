"""The limited distance strategy of paper 002, section 3.3.2, in both its modes."""

from __future__ import annotations

from langcrawl.ports import Strategy
from langcrawl.records import Facts
from langcrawl.strategy.simple import check_distance


def limited(n: int = 2, prioritized: bool = False) -> Strategy:
    """Follow links behind at most n irrelevant pages in a row; prioritized: the nearest first."""
    check_distance("limited", n)

    def rank(facts: Facts) -> float:
        if facts.run > n:
            return -1.0
        return float(facts.run) if prioritized else 0.0

    says = f"links behind at most {n} irrelevant pages in a row are followed"
    says += ", the nearest to a relevant page first" if prioritized else ""
    lanes = n + 1 if prioritized else 1
    return Strategy("limited", rank, says, ("distance",), lanes=lanes)
