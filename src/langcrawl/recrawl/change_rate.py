"""How likely is it that a page has changed since it was last asked for?

Pages are taken to change at random moments, each at a rate of its own (a Poisson process, as in Cho
and Garcia-Molina, "Estimating frequency of change", 2003). A visit tells only whether a page has
changed at least once since the visit before. Their estimator is for visits at equal distances; here
every rate of a grid is weighed by how well it explains the visits at the moments at which they
were. Before a page has been visited twice, its rate is guessed from pages of its host and depth:
the weights of a prior are those of a first guess and of the pages that were visited twice.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_HOUR, _DAY = 3600.0, 86_400.0
RATES: Final[Floats] = 1 / np.geomspace(_HOUR, 3 * 365 * _DAY, 28)
"""Changes a second: from once an hour to once in three years."""
_FIRST_GUESS: Final = 7 * _DAY
"""Mean time between changes of a page at depth 0; three times as long for each step down."""
_SPREAD: Final = np.log(10.0)
"""Of the first guess: one in three pages changes more than ten times as often, or as rarely."""
_DEEPEST: Final = 3
"""From this depth on all pages are taken to be alike."""
_AS_MANY: Final = 5.0
"""A guess counts as much as so many pages of a group that were visited twice."""
_AT_ONCE: Final = 100_000


class Intervals(NamedTuple):
    """Times between two visits of a page, and whether it had changed meanwhile."""

    page: Ints
    """The place of the page among those that are asked about."""
    seconds: Floats
    changed: npt.NDArray[np.bool_]


def change_probability(since: Floats, host: Ints, depth: Ints, seen: Intervals) -> Floats:
    """For each page, how likely it has changed in the seconds since it was last asked for."""
    depth = np.minimum(depth, _DEEPEST)
    first = _guesses()
    fits, places = _likelihood(seen)
    found = _normed(first[depth[places]] * fits)
    by_depth = _with_guess(first, found, depth[places], len(first))
    found = _normed(by_depth[depth[places]] * fits)
    hosts = int(host.max(initial=-1)) + 1
    group = host * (_DEEPEST + 1) + depth
    chosen, kind = np.unique(group, return_inverse=True)
    evidence = _sums(found, host[places], hosts)
    at, deep = chosen // (_DEEPEST + 1), chosen % (_DEEPEST + 1)
    priors = _normed(evidence[at] + _AS_MANY * by_depth[deep])
    answer = np.empty(len(since))
    for start in range(0, len(since), _AT_ONCE):
        some = slice(start, start + _AT_ONCE)
        answer[some] = _changed(priors[kind[some]], since[some])
    answer[places] = _changed(_normed(priors[kind[places]] * fits), since[places])
    return answer


def _changed(weights: Floats, since: Floats) -> Floats:
    """The chance of a change within these times, where rates have these weights."""
    kept = np.exp(-np.maximum(since, 0.0)[:, None] * RATES)
    chance: Floats = 1.0 - np.einsum("ij,ij->i", weights, kept)
    return chance


def _guesses() -> Floats:
    """Weights of the rates by depth, before any page has been visited twice."""
    means = np.log(_FIRST_GUESS * 3.0 ** np.arange(_DEEPEST + 1))
    away = (np.log(1 / RATES) - means[:, None]) / _SPREAD
    return _normed(np.exp(-0.5 * away**2))


def _likelihood(seen: Intervals) -> tuple[Floats, Ints]:
    """How well each rate explains the visits of each page that was visited twice, and which."""
    places, which = np.unique(seen.page, return_inverse=True)
    logs = np.zeros((len(places), len(RATES)))
    for start in range(0, len(which), _AT_ONCE):
        some = slice(start, start + _AT_ONCE)
        expected = np.maximum(seen.seconds[some], 1.0)[:, None] * RATES
        log = np.where(seen.changed[some, None], np.log(-np.expm1(-expected)), -expected)
        np.add.at(logs, which[some], log)
    return np.exp(logs - logs.max(axis=1, keepdims=True, initial=-np.inf)), places


def _with_guess(guess: Floats, found: Floats, group: Ints, groups: int) -> Floats:
    """The guess for each group, with what its pages have shown."""
    sums = _sums(found, group, groups)
    return _normed(_AS_MANY * guess + sums)


def _sums(found: Floats, group: Ints, groups: int) -> Floats:
    """The weights that were found, added up over each group."""
    sums = np.zeros((groups, len(RATES)))
    np.add.at(sums, group, found)
    return sums


def _normed(weights: Floats) -> Floats:
    """Weights that add up to one in every row."""
    total: Floats = weights / np.maximum(weights.sum(axis=1, keepdims=True), 1e-300)
    return total
