"""Best first: the content analysis of paper 001, the best page of paper 004."""

from __future__ import annotations

from langcrawl.ports import Strategy
from langcrawl.records import Facts


def best_first() -> Strategy:
    """Follow every link, those of the pages with the highest score first."""

    def rank(facts: Facts) -> float:
        return 1.0 - facts.parent_score

    says = "every link is followed, those of the pages with the highest score first"
    return Strategy("best-first", rank, says)
