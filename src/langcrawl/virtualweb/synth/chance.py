"""Random numbers by place: a number drawn for a page depends on the page and nothing else.

So chunks of pages can be made in any order, on any number of cores, with the same result.
"""
# mypy: disable-error-code="no-untyped-def, untyped-decorator"

from __future__ import annotations

import numba
import numpy as np
from numba import uint64

_STEP = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_UNIT = 1.0 / (1 << 53)


@numba.njit(cache=True, inline="always")
def start(seed, place, stream):
    """The state of the generator for one place; advance it by adding `_STEP`."""
    return uint64(seed) * _MIX_1 + uint64(place) * _MIX_2 + uint64(stream) * _STEP


@numba.njit(cache=True, inline="always")
def mixed(state):
    """The 64 random bits of a state (splitmix64)."""
    z = uint64(state)
    z = (z ^ (z >> uint64(30))) * _MIX_1
    z = (z ^ (z >> uint64(27))) * _MIX_2
    return z ^ (z >> uint64(31))


@numba.njit(cache=True, inline="always")
def unit(state):
    """A number from 0 to below 1."""
    return float(mixed(state) >> uint64(11)) * _UNIT


@numba.njit(cache=True, inline="always")
def following(state):
    """The next state."""
    return uint64(state) + _STEP


@numba.njit(cache=True)
def units(seed, first, last, stream):
    """A number from 0 to below 1 for each of these places."""
    found = np.empty(last - first)
    for place in range(first, last):
        found[place - first] = unit(mixed(start(seed, place, stream)))
    return found


@numba.njit(cache=True, inline="always")
def about(mean, chance_1, chance_2):
    """A whole number of about this mean, often none, sometimes many."""
    if chance_1 < 0.4:
        return 0
    drawn = mean / 0.6 * -np.log(1.0 - chance_2)
    whole = int(drawn)
    return whole + (1 if (chance_1 - 0.4) / 0.6 < drawn - whole else 0)
