"""The oracle of paper 000, section 4.1: what could be reached at best."""

from __future__ import annotations

from langcrawl.ports import Strategy
from langcrawl.records import Facts


def perfect() -> Strategy:
    """Simulation only, an oracle: follow just the links that lead to relevant pages."""

    def rank(facts: Facts) -> float:
        return 0.0

    says = "an oracle: only links that lead to relevant pages are followed, breadth first"
    return Strategy("perfect", rank, says, lanes=1, oracle=True)
