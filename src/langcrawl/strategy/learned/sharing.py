"""What the shards of one crawl tell each other of what they have learned, as sums.

Each shard tells only what it has learned itself since it last did, so nothing goes around in a
circle. What it has told so far is saved with what it knows: in one transaction with the message. So
after a kill nothing is told twice, and nothing is left out.

Places below a top-level domain belong to one shard, and are no business of the others.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from math import sqrt
from typing import Final

from langcrawl.strategy.learned.rates import Rates
from langcrawl.strategy.learned.weights import Weights

_DIGITS: Final = 4
"""What is rounded off is told the next time."""
_RATES: Final = "rates"

Sums = dict[str, tuple[float, float]]
"""By name: the steps of a weight and its squared errors; relevant pages and pages of a place."""


class Sharing:
    """What a learner has told others, and what they tell it."""

    def __init__(self, weights: Mapping[str, Weights], rates: Rates) -> None:
        self._weights, self._rates = weights, rates
        self._told: dict[str, Sums] = {name: {} for name in (*weights, _RATES)}
        """What each number was when it was last told, with all that others have added since.
        Nothing is kept before the first time, so that a crawl without shards pays nothing."""
        self._changed: set[tuple[str, str]] = set()

    def share(self) -> str:
        """What was learned here since the last call; empty where that is nothing."""
        news: dict[str, Sums] = {}
        for name, known in self._known().items():
            for key, now in known.items():
                before = self._before(name, key, now[1])
                value, times = now[0] - before[0], now[1] - before[1]
                if name == _RATES:
                    value = max(0.0, min(value, times))
                added = round(value, _DIGITS), round(times, _DIGITS)
                if added[1] > 0.0:
                    news.setdefault(name, {})[key] = added
                    self._add(name, key, before, added)
        return json.dumps(news, separators=(",", ":")) if news else ""

    def take_in(self, shared: str) -> None:
        """Another shard has learned this."""
        known = self._known()
        for name, sums in json.loads(shared).items():
            for key, (value, times) in sums.items():
                now = known[name].get(key, (0.0, 0.0))
                before = self._before(name, key, now[1])
                if name == _RATES:
                    self._rates.add(key, value, times)
                else:
                    value *= _as_if_later(now[1], times)
                    value = self._weights[name].add(int(key), value, times)
                self._add(name, key, before, (value, times))

    def _known(self) -> dict[str, Sums]:
        known = {name: weights.tried() for name, weights in self._weights.items()}
        return known | {_RATES: {key: self._rates.sums(key) for key in self._rates.common()}}

    def _before(self, name: str, key: str, times: float) -> tuple[float, float]:
        """What was told; a place that has forgotten half of its pages has told half as much."""
        if (start := self._told[name].get(key)) is None:
            is_rate = name == _RATES
            start = self._rates.start(key) if is_rate else self._weights[name].start(int(key))
        value, told = start
        while name == _RATES and told > times + 0.1**_DIGITS:
            value, told = value / 2, told / 2
        return value, told

    def _add(
        self, name: str, key: str, before: tuple[float, float], added: tuple[float, float]
    ) -> None:
        self._told[name][key] = before[0] + added[0], before[1] + added[1]
        self._changed.add((name, key))

    def save(self) -> Iterator[tuple[str, bytes]]:
        changed, self._changed = self._changed, set()
        for name, key in changed:
            yield f"{name} {key}", json.dumps(self._told[name][key]).encode()

    def restore(self, saved: Mapping[str, bytes]) -> None:
        for place, value in saved.items():
            name, _, key = place.partition(" ")
            told, times = json.loads(value)
            self._told[name][key] = float(told), float(times)


def _as_if_later(tried: float, added: float) -> float:
    """How much less the steps of others move a weight than they moved theirs.

    A step shrinks with the squares of all errors before it, here those of this shard too.
    """
    return (sqrt(tried + added) - sqrt(tried)) / sqrt(added) if added > 0.0 else 0.0
