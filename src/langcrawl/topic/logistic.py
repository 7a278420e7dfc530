"""Logistic regression over sparse rows, both classes weighing the same.

The search (L-BFGS) is compiled as a whole. A row is still in the processor's cache when its
slopes are added, and no library of linear algebra starts threads of its own: several trials run
side by side, and such threads would wait for each other longer than they work.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.float64]
_STRENGTH = 8.0
"""The inverse of the penalty on large weights: measured in docs/topics.md."""
_ROUNDS = 200
_REMEMBERED = 12
"""Steps from which the search guesses how the loss bends."""
_ENOUGH = 1e-5
"""A round that lowers the loss by a smaller share than this is the last one."""
_ARMIJO, _HALVINGS = 1e-4, 30


def fit_logistic(rows: Any, labels: npt.NDArray[np.bool_], start: Numbers) -> Numbers:
    """Weights and, last, the bias that minimise the loss; `start` is where the search begins."""
    inside, total = int(labels.sum()), len(labels)
    worth = np.where(labels, total / (2 * inside), total / (2 * (total - inside)))
    signed = _STRENGTH * np.where(labels, worth, -worth)
    data = rows.data.astype(np.float32)
    indices, starts = rows.indices.astype(np.int32), rows.indptr.astype(np.int64)
    found: Numbers = _search(data, indices, starts, signed, start)
    return found


@numba.njit("f8(f4[::1], i4[::1], i8[::1], f8[::1], f8[::1], f8[::1])", cache=True, nogil=True)
def _loss(
    data: npt.NDArray[np.float32],
    indices: npt.NDArray[np.int32],
    starts: npt.NDArray[np.int64],
    signed: Numbers,
    point: Numbers,
    slopes: Numbers,
) -> float:
    """The loss of all rows and of large weights; `slopes` becomes its derivative.

    `signed` is what a row weighs, negative for those that are not about the topic.
    """
    bias, cost = point[-1], 0.0
    for at in range(len(point) - 1):
        slopes[at] = point[at]
        cost += 0.5 * point[at] * point[at]
    slopes[-1] = 0.0
    for row in range(len(starts) - 1):
        first, last = starts[row], starts[row + 1]
        value = bias
        for at in range(first, last):
            value += data[at] * point[indices[at]]
        sign = 1.0 if signed[row] > 0 else -1.0
        margin = sign * value
        small = np.exp(-abs(margin))
        cost += abs(signed[row]) * (np.log1p(small) + max(-margin, 0.0))
        chance = small / (1 + small) if margin > 0 else 1 / (1 + small)
        pull = -signed[row] * chance
        for at in range(first, last):
            slopes[indices[at]] += data[at] * pull
        slopes[-1] += pull
    return cost


@numba.njit("f8(f8[::1], f8[::1])", cache=True, nogil=True)
def _product(one: Numbers, other: Numbers) -> float:
    total = 0.0
    for at in range(len(one)):
        total += one[at] * other[at]
    return total


@numba.njit("void(f8, f8[::1], f8[::1])", cache=True, nogil=True)
def _add(times: float, what: Numbers, to: Numbers) -> None:
    for at in range(len(to)):
        to[at] += times * what[at]


@numba.njit("void(f8[:,::1], f8[:,::1], f8[::1], i8, f8[::1])", cache=True, nogil=True)
def _turn(steps: Numbers, turns: Numbers, products: Numbers, count: int, way: Numbers) -> None:
    """Make of a slope the way to go, by the last steps and how the slopes turned in them."""
    most = len(products)
    first = max(0, count - most)
    shares = np.zeros(most)
    for number in range(count - 1, first - 1, -1):
        at = number % most
        shares[at] = _product(steps[at], way) / products[at]
        _add(-shares[at], turns[at], way)
    if count:
        at = (count - 1) % most
        way *= products[at] / _product(turns[at], turns[at])
    for number in range(first, count):
        at = number % most
        _add(shares[at] - _product(turns[at], way) / products[at], steps[at], way)


@numba.njit("f8[::1](f4[::1], i4[::1], i8[::1], f8[::1], f8[::1])", cache=True, nogil=True)
def _search(
    data: npt.NDArray[np.float32],
    indices: npt.NDArray[np.int32],
    starts: npt.NDArray[np.int64],
    signed: Numbers,
    start: Numbers,
) -> Numbers:
    """The point with the least loss: L-BFGS, each step halved until it lowers the loss enough."""
    size = len(start)
    point, trial = start.copy(), np.empty(size)
    slopes, new = np.empty(size), np.empty(size)
    steps, turns = np.empty((_REMEMBERED, size)), np.empty((_REMEMBERED, size))
    products = np.empty(_REMEMBERED)
    cost = _loss(data, indices, starts, signed, point, slopes)
    for count in range(_ROUNDS):
        way = -slopes
        _turn(steps, turns, products, count, way)
        fall = _product(way, slopes)
        length = 1.0 if count else 1 / max(1.0, np.sqrt(-fall))
        for _ in range(_HALVINGS):
            trial[:] = point
            _add(length, way, trial)
            now = _loss(data, indices, starts, signed, trial, new)
            if now <= cost + _ARMIJO * length * fall:
                break
            length /= 2
        at = count % _REMEMBERED
        steps[at] = trial - point
        turns[at] = new - slopes
        products[at] = _product(steps[at], turns[at])
        if now >= cost or products[at] <= 0:
            break
        gain = cost - now
        point[:], slopes[:], cost = trial, new, now
        if gain <= _ENOUGH * max(cost, 1.0):
            break
    return point
