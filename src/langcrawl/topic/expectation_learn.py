"""Learning what to expect of a segment from what came of others.

The five numbers of an `Expectation` are those that make the relevant pages of all segments of the
training most probable, as draws from a beta-binomial distribution. P_L and P_W of a segment come
from classifiers that had not seen its site: what they say of pages that they know is too sure.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from langcrawl.topic.document import short
from langcrawl.topic.expectation import MIDDLE, Expectation
from langcrawl.topic.folds import by_site
from langcrawl.topic.segment_learn import Example, fit

Numbers = npt.NDArray[np.float64]
_FOLDS: Final = 10
_START: Final = (-1.0, 1.0, 1.0, 0.0, 0.0)
_SPREAD: Final = 10.0
"""Weights are held back as if one of this size were seldom; without it, classes that P_L or P_W
part perfectly would ask for an endless one."""
_BOUNDS: Final = (*[(-30.0, 30.0)] * 4, (-3.0, 5.0))
"""Of the weights, and of the logarithm of the strength: 0.05 to 150 pages."""


def learn_expectation(examples: Sequence[Example], random: np.random.Generator) -> Expectation:
    """The expectation that fits what came of these segments best."""
    from scipy.optimize import minimize
    from scipy.special import gammaln

    columns, pages, hits = _segments(examples, random)

    def loss(point: Numbers) -> float:
        value = np.clip(columns @ point[:-1], -15, 15)
        strength = np.exp(point[-1])
        ours = strength / (1 + np.exp(-value))
        others = strength - ours
        likely = (
            gammaln(ours + hits) - gammaln(ours) + gammaln(others + pages - hits)
            - gammaln(others) - gammaln(strength + pages) + gammaln(strength)
        )  # fmt: skip
        return float(0.5 * np.square(point[1:-1] / _SPREAD).sum() - likely.sum())

    found = minimize(loss, np.array(_START), method="L-BFGS-B", bounds=_BOUNDS).x
    return Expectation(*map(short, (*found[:-1], np.exp(found[-1]))))


def _segments(
    examples: Sequence[Example], random: np.random.Generator
) -> tuple[Numbers, Numbers, Numbers]:
    """For each segment that is linked to: what is known of it, its pages, and the relevant ones."""
    chances = held_out_chances(examples, random)
    names, place = np.unique([example.goal for example in examples], return_inverse=True)
    sources = np.bincount(place).astype(float)
    means = [np.bincount(place, column) / sources - MIDDLE for column in chances.T]
    columns = np.stack([np.ones(len(names)), *means, np.log(sources)], axis=1)
    pages, hits = np.zeros(len(names)), np.zeros(len(names))
    for at, example in zip(place.tolist(), examples, strict=True):
        pages[at], hits[at] = example.pages, example.hits
    return columns, pages, hits


def held_out_chances(examples: Sequence[Example], random: np.random.Generator) -> Numbers:
    """P_L and P_W of each pair, by classifiers that had not seen the site that it leads to.

    Where relevant segments, or the others, are all of one site, it is the segment in its place.
    """
    labels = np.array([example.relevant for example in examples], bool)
    sites = np.array([example.site for example in examples])
    if min(len(np.unique(sites[labels == kind])) for kind in (True, False)) < 2:
        sites = np.array([example.goal for example in examples])
    fold = by_site(labels, sites.tolist(), _FOLDS, random)
    found = np.full((len(examples), 2), MIDDLE)
    for number in np.unique(fold).tolist():
        kept = np.flatnonzero(fold != number)
        if labels[kept].all() or not labels[kept].any():
            continue
        made = fit([examples[row] for row in kept.tolist()], random)
        for row in np.flatnonzero(fold == number).tolist():
            found[row] = made.chances(examples[row])[:2]
    return found
