"""Weights that are learned online: logistic regression, a step for each download.

The step of a weight shrinks as it is used (AdaGrad), so that a clue seen for the first time
counts at once and one seen a thousand times hardly moves.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from math import exp, sqrt
from typing import Final

LIMIT: Final = 6.0
"""No weight says more than this, in log-odds."""
_PAIR = struct.Struct("<dd")


class Weights:
    """A table of weights by number, of which few are ever used."""

    def __init__(self, rate: float, start: Mapping[int, float] | None = None) -> None:
        self.rate = rate
        self.values: dict[int, float] = dict(start or {})
        self._start = {number: (value, 0.0) for number, value in self.values.items()}
        self._squares: dict[int, float] = {}
        self._changed: set[int] = set()

    def learn(self, number: int, error: float, most: float = LIMIT) -> None:
        """Move a weight against an error: what came true less what was foretold."""
        square = self._squares.get(number, 0.0) + error * error
        self._squares[number] = square
        moved = self.values.get(number, 0.0) + self.rate * error / sqrt(square + 0.25)
        self.values[number] = -most if moved < -most else most if moved > most else moved
        self._changed.add(number)

    def learn_all(self, numbers: Sequence[int], error: float) -> None:
        for number in numbers:
            self.learn(number, error)

    def give(self, number: int, value: float, tried: float) -> None:
        """Start from what an earlier crawl learned."""
        self.values[number], self._squares[number] = self._start[number] = value, tried
        self._changed.add(number)

    def add(self, number: int, moved: float, tried: float) -> float:
        """Take in what another shard has learned; how far the weight has moved for it."""
        before = self.values.get(number, 0.0)
        self.values[number] = max(-LIMIT, min(LIMIT, before + moved))
        self._squares[number] = self._squares.get(number, 0.0) + tried
        self._changed.add(number)
        return self.values[number] - before

    def start(self, number: int) -> tuple[float, float]:
        """What a weight was, and how sure, before this crawl learned anything."""
        return self._start.get(number, (0.0, 0.0))

    def tried(self) -> dict[str, tuple[float, float]]:
        """The weights that were learned, each with the sum of its squared errors."""
        return {str(number): (self.values[number], tried) for number, tried
                in self._squares.items()}  # fmt: skip

    def save(self) -> Iterator[tuple[str, bytes]]:
        changed, self._changed = self._changed, set()
        for number in changed:
            yield str(number), _PAIR.pack(self.values[number], self._squares[number])

    def restore(self, saved: Mapping[str, bytes]) -> None:
        for name, value in saved.items():
            self.values[int(name)], self._squares[int(name)] = _PAIR.unpack(value)


def chance_of(total: float) -> float:
    """The chance that log-odds stand for."""
    return 1 / (1 + exp(-max(-30.0, min(30.0, total))))
