"""How much of a segment is expected to be relevant, before and after pages of it are read.

Before: the chance that the segments give that link to it. It is a logistic function of P_L and
P_W, each the mean over these sources, and of how many sources there are. After: that chance
counts as `strength` pages would, beside those that were read.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

_HIGHEST: Final = 500.0
MIDDLE: Final = 0.5
"""P_L and P_W that speak neither for a segment nor against it."""


class Expectation(NamedTuple):
    """Five numbers that were learned from what came of other segments."""

    bias: float
    links: float
    """What P_L weighs."""
    words: float
    """What P_W weighs."""
    sources: float
    """What the logarithm of the number of sources weighs."""
    strength: float
    """How many pages the chance counts for."""

    def said(self, by_links: float, by_words: float) -> float:
        """What one source says, by its P_L and P_W."""
        return self.links * (by_links - MIDDLE) + self.words * (by_words - MIDDLE)

    def chance(self, said: float, sources: int) -> float:
        """The share of relevant pages before any was read, by the mean of what sources say."""
        return logistic(self.bias + said + self.sources * math.log(sources))

    def share(self, chance: float, scores: float, pages: int) -> float:
        """The share of relevant pages that is expected now that so many pages were read."""
        return (self.strength * chance + scores) / (self.strength + pages)


def logistic(value: float) -> float:
    return 1 / (1 + math.exp(-max(-_HIGHEST, min(_HIGHEST, value))))
