"""Logistic regression over sparse rows, both classes weighing the same.

The loss and its slopes are worked out in one compiled pass over the rows: a row is still in the
processor's cache when its slopes are added, which SciPy's two products read from memory twice.
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
_SETTINGS = {"maxiter": _ROUNDS, "maxcor": 10, "gtol": 1e-3, "ftol": 1e-5}


def fit_logistic(rows: Any, labels: npt.NDArray[np.bool_], start: Numbers) -> Numbers:
    """Weights and, last, the bias that minimise the loss; `start` is where the search begins."""
    from scipy.optimize import minimize

    inside, total = int(labels.sum()), len(labels)
    worth = np.where(labels, total / (2 * inside), total / (2 * (total - inside)))
    signed = np.where(labels, worth, -worth)
    data = rows.data.astype(np.float32)
    indices, starts = rows.indices.astype(np.int32), rows.indptr.astype(np.int64)

    def loss(point: Numbers) -> tuple[float, Numbers]:
        slopes = np.zeros(len(point))
        cost = _add_slopes(data, indices, starts, signed, point, slopes)
        slopes *= _STRENGTH
        slopes[:-1] += point[:-1]
        return _STRENGTH * cost + 0.5 * float(point[:-1] @ point[:-1]), slopes

    found: Numbers = minimize(loss, start, jac=True, method="L-BFGS-B", options=_SETTINGS).x
    return found


@numba.njit("f8(f4[::1], i4[::1], i8[::1], f8[::1], f8[::1], f8[::1])", cache=True, nogil=True)
def _add_slopes(
    data: npt.NDArray[np.float32],
    indices: npt.NDArray[np.int32],
    starts: npt.NDArray[np.int64],
    signed: Numbers,
    point: Numbers,
    slopes: Numbers,
) -> float:
    """The loss of all rows; their slopes are added to `slopes`.

    `signed` is what a row weighs, negative for those that are not about the topic.
    """
    bias, cost = point[-1], 0.0
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
