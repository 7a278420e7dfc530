"""The LSWC strategy of paper 000, section 3: server and distance thresholds, priorities."""

from __future__ import annotations

from langcrawl.errors import BadValue
from langcrawl.ports import Strategy
from langcrawl.records import Facts

UNDECIDED, RELEVANT, IRRELEVANT = 0, 1, 2


def lswc(s: int = 3, t: int = 5) -> Strategy:
    """Prefer hosts with a relevant page; give up hosts after s pages, paths after t."""
    if s < 1:
        raise BadValue(f"the strategy 'lswc' needs s of 1 or more, not {s}.")
    if t < 0:
        raise BadValue(f"the strategy 'lswc' needs t of 0 or more, not {t}.")

    def group_state(downloads: int, hits: int) -> int:
        if hits > 0:
            return RELEVANT
        return IRRELEVANT if downloads >= s else UNDECIDED

    def rank(facts: Facts) -> float:
        if facts.run > t:
            return -1.0
        if facts.group_state == IRRELEVANT:
            return -2.0
        if facts.group_state == RELEVANT:
            return 0.0
        if facts.parent_relevant:
            return 1.0 if facts.same_host else 2.0
        if facts.run == 1 and facts.parent_bridge:
            return 2.0
        return 2.0 + facts.run

    says = (
        f"hosts with a relevant page first, then by distance up to {t} irrelevant pages; "
        f"a host without a relevant page after {s} downloads is given up"
    )
    reasons = ("distance", "irrelevant-host")
    return Strategy("lswc", rank, says, reasons, lanes=3 + t, group_state=group_state)
