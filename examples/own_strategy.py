"""A strategy of one's own: stay near the seeds, links of relevant pages first."""

from langcrawl.ports import Strategy
from langcrawl.records import Facts


def near(most: int = 3) -> Strategy:
    """Stay within `most` links of a seed; links of relevant pages first."""

    def rank(facts: Facts) -> float:
        if facts.depth > most:
            return -1.0  # discard, for the first of the reasons
        return 0.0 if facts.parent_relevant else 1.0

    return Strategy("near", rank, "near the seeds, relevant parents first", ("too-far",), lanes=2)
