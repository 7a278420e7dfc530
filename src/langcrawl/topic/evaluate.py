"""How good a classifier is on pages that it has not seen: counts, and what follows from them.

Ten folds, ten times; each fold in turn is tested and the classifier learns from the others. The
counts of the ten folds of a round are added up, so that a fold with few positive pages weighs no
more than it has; the mean and the deviation are over the rounds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from langcrawl.parallel import Progress, cores, in_order, silent
from langcrawl.topic.folds import Labels, by_page, by_site, possible_folds
from langcrawl.topic.learn import Table, fit
from langcrawl.topic.logistic import Numbers

_RELEVANT = 0.5


class Counts(NamedTuple):
    """How many pages were judged rightly and wrongly."""

    hits: int
    misses: int
    """Pages about the topic that were not found."""
    false_alarms: int
    rejected: int
    """Pages about other things that were not taken for it."""

    @property
    def g_mean(self) -> float:
        """Formula 1 of paper 004, from counts: 0 where a class has no page."""
        inside, outside = self.hits + self.misses, self.false_alarms + self.rejected
        if not inside or not outside:
            return 0.0
        return math.sqrt(self.hits / inside * (self.rejected / outside))

    @property
    def literal_g_mean(self) -> float:
        """Formula 1 with formulas 2 to 5 as they are printed.

        These divide false positives by the positive pages and false negatives by the negative
        ones, so that the result depends on how many pages of either class there are.
        """
        inside, outside = self.hits + self.misses, self.false_alarms + self.rejected
        if not inside or not outside:
            return 0.0
        tp, fp = self.hits / inside, self.false_alarms / inside
        fn, tn = self.misses / outside, self.rejected / outside
        if not tp + fn or not tn + fp:
            return 0.0
        return math.sqrt(tp / (tp + fn) * (tn / (tn + fp)))

    @property
    def precision(self) -> float:
        return self.hits / found if (found := self.hits + self.false_alarms) else 0.0

    @property
    def recall(self) -> float:
        return self.hits / there if (there := self.hits + self.misses) else 0.0


class Trial(NamedTuple):
    """The outcome of all rounds."""

    folds: int
    by_site: bool
    rounds: tuple[Counts, ...]

    def mean(self, what: str) -> float:
        return float(np.mean([getattr(each, what) for each in self.rounds]))

    def deviation(self, what: str) -> float:
        return float(np.std([getattr(each, what) for each in self.rounds]))


class _Job(NamedTuple):
    number: int
    fold: int
    folds: int
    site_wise: bool


def count(scores: Numbers, labels: Labels) -> Counts:
    """Compare scores with labels."""
    found = scores >= _RELEVANT
    return Counts(
        int((found & labels).sum()), int((~found & labels).sum()),
        int((found & ~labels).sum()), int((~found & ~labels).sum()),
    )  # fmt: skip


def cross_validate(
    table: Table,
    classifier: str,
    *,
    site_wise: bool,
    folds: int = 10,
    times: int = 10,
    seed: int = 0,
    progress: Progress = silent,
) -> Trial:
    """Train on all folds but one and test on that one, for each of them, so many times."""
    folds = possible_folds(table.labels, table.sites, folds, site_wise)
    jobs = [
        _Job(number, fold, folds, site_wise) for number in range(times) for fold in range(folds)
    ]
    found: list[Counts] = []
    work = partial(_one_fold, table, classifier, seed)
    for done, counts in enumerate(in_order(work, jobs, cores()), 1):
        found.append(counts)
        progress(done, done / len(jobs))
    rounds = [found[first : first + folds] for first in range(0, len(found), folds)]
    return Trial(folds, site_wise, tuple(map(sum_counts, rounds)))


def _one_fold(table: Table, classifier: str, seed: int, job: _Job) -> Counts:
    random = np.random.default_rng((seed, job.number))
    if job.site_wise:
        fold = by_site(table.labels, table.sites, job.folds, random)
    else:
        fold = by_page(table.labels, job.folds, random)
    kept, apart = np.flatnonzero(fold != job.fold), np.flatnonzero(fold == job.fold)
    made = fit(table.rows(kept), classifier, np.random.default_rng((seed, job.number, job.fold)))
    return count(made.scores(table.counts[apart]), table.labels[apart])


def sum_counts(parts: Sequence[Counts]) -> Counts:
    return Counts(*(sum(column) for column in zip(*parts, strict=True)))
