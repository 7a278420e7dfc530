"""The simple strategy of paper 002, section 3.3.1, in its hard and soft focused modes.

Both combine with a limited distance (`n`), as the paper's own data was collected.
"""

from __future__ import annotations

from langcrawl.errors import BadValue
from langcrawl.ports import Strategy
from langcrawl.records import Facts

NO_LIMIT = 1 << 30


def hard(n: int = NO_LIMIT) -> Strategy:
    """Follow only the links of relevant pages."""
    check_distance("hard", n)

    def rank(facts: Facts) -> float:
        if facts.run > n:
            return -2.0
        return 0.0 if facts.parent_relevant else -1.0

    says = "only the links of relevant pages are followed"
    return Strategy("hard", rank, says, ("irrelevant-parent", "distance"), lanes=1)


def soft(n: int = NO_LIMIT) -> Strategy:
    """Follow every link, those of relevant pages first."""
    check_distance("soft", n)

    def rank(facts: Facts) -> float:
        if facts.run > n:
            return -1.0
        return 0.0 if facts.parent_relevant else 1.0

    says = "every link is followed, those of relevant pages first"
    if n < NO_LIMIT:
        says += f", and none behind more than {n} irrelevant pages in a row"
    return Strategy("soft", rank, says, ("distance",), lanes=2)


def check_distance(name: str, n: int) -> None:
    """A distance counts irrelevant pages, so it is 0 or more."""
    if n < 0:
        raise BadValue(f"the strategy '{name}' needs n of 0 or more, not {n}.")
