"""How large things are: hosts with a heavy tail, domains of one host or many."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int32]
_DOMAIN_TAIL = 1.1
"""The exponent of the tail of hosts per domain, among domains with more than one."""


def host_sizes(
    rng: np.random.Generator, tail: float, pages: int, mean: float, largest: int
) -> Ints:
    """Host sizes with a heavy tail and exactly this sum."""
    if pages <= 0:
        return np.zeros(0, np.int32)
    count = max(1, min(pages, round(pages / mean), pages))
    count = max(count, -(-pages // largest))
    raw = rng.pareto(tail, count)
    low, high = 0.0, float(largest)
    for _ in range(60):  # the scale at which they sum up to `pages`
        scale = (low + high) / 2
        if np.minimum(1 + raw * scale, largest).sum() < pages:
            low = scale
        else:
            high = scale
    exact = np.minimum(1 + raw * high, largest)
    sizes = np.floor(exact).astype(np.int64)
    missing = pages - int(sizes.sum())
    for _ in range(8):
        if missing <= 0:
            break
        room = np.flatnonzero(sizes < largest)
        lucky = rng.permutation(room)[:missing]
        sizes[lucky] += 1
        missing = pages - int(sizes.sum())
    for place in np.argsort(sizes, kind="stable").tolist() if missing > 0 else ():
        more = min(missing, largest - int(sizes[place]))
        sizes[place] += more
        missing -= more
    return sizes.astype(np.int32)


def popularities(rng: np.random.Generator, spread: float, sizes: Ints) -> npt.NDArray[np.float64]:
    """In-links grow with size, and with luck."""
    luck = rng.normal(0.0, spread, len(sizes))
    return np.asarray(np.sqrt(sizes) * np.exp(luck))


def domain_sizes(rng: np.random.Generator, hosts: int, mean: float) -> Ints:
    """How many hosts each domain has: most one, some very many."""
    drawn = []
    left = hosts
    while left > 0:
        more = np.floor((1.0 - rng.random(max(16, left))) ** (-1 / _DOMAIN_TAIL)).astype(np.int64)
        single = rng.random(len(more)) > (mean - 1) / 2.0
        more = np.where(single, 1, np.minimum(more + 1, max(2, hosts // 50)))
        ends = np.cumsum(more)
        taken = int(np.searchsorted(ends, left, side="right"))
        drawn.append(more[:taken])
        left -= int(ends[taken - 1]) if taken else 0
        if taken < len(more) and left > 0:
            drawn.append(np.array([left]))
            left = 0
    return np.concatenate([*drawn, np.zeros(0, np.int64)]).astype(np.int32)


def rounded(rng: np.random.Generator, exact: npt.NDArray[np.floating[Any]]) -> Ints:
    """Whole numbers whose mean is right."""
    return np.floor(exact + rng.random(len(exact))).astype(np.int32)
