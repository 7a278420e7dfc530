"""Learning from labelled pages: logistic regression, calibrated, and the paper's naive Bayes.

Logistic regression weighs the classes instead of dropping pages of the larger one, and its score
is calibrated on pages of sites that were kept apart (Platt's method): a score of 0.5 is where a
page is as probable in one class as in the other, were both as frequent. Naive Bayes is trained
on an under-sample, as in section 4.1 of the paper, and is left as sure of itself as it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from langcrawl.errors import BadInput
from langcrawl.topic.document import short
from langcrawl.topic.folds import Labels, by_page, by_site
from langcrawl.topic.logistic import Numbers, fit_logistic
from langcrawl.topic.model import Term, TopicModel

_SELDOM = 3
"""A term on fewer pages is left out; where there are few pages, one on a single page."""
_FEW = 60
_INNER = 5
"""Parts of the training pages that are kept apart in turn to calibrate."""


class Table(NamedTuple):
    """Labelled pages as a table of counts: a row each, a column for each term."""

    words: list[str]
    counts: Any
    """A scipy.sparse.csr_array of frequencies."""
    labels: Labels
    sites: list[str]

    def rows(self, chosen: npt.NDArray[np.int64]) -> Table:
        sites = [self.sites[row] for row in chosen.tolist()]
        return Table(self.words, self.counts[chosen], self.labels[chosen], sites)


class Linear(NamedTuple):
    """A fitted classifier, a number for each column."""

    classifier: str
    weights: Numbers
    rarities: Numbers
    bias: float
    slope: float = 1.0
    offset: float = 0.0

    def scores(self, counts: Any) -> Numbers:
        """How probable each row is to be about the topic."""
        values = self.slope * self.values(counts) + self.offset
        scores: Numbers = 1 / (1 + np.exp(-np.clip(values, -700, 700)))
        return scores

    def values(self, counts: Any) -> Numbers:
        rows = counts if self.classifier == "naive-bayes" else scaled(counts, self.rarities)
        values: Numbers = rows @ self.weights + self.bias
        return values


def make_table(pages: Sequence[Counter[str]], labels: Labels, sites: Sequence[str]) -> Table:
    """A table of pages; terms that hardly any page has are left out."""
    from scipy.sparse import csr_array

    seen: Counter[str] = Counter()
    for page in pages:
        seen.update(page.keys())
    least = _SELDOM if len(pages) >= _FEW else 2
    words = sorted(word for word, times in seen.items() if times >= least)
    if not words:
        raise BadInput("the labelled pages have no words in common; give more of them.")
    place = {word: at for at, word in enumerate(words)}
    columns, values, starts = list[int](), list[float](), [0]
    for page in pages:
        known = [(place[word], times) for word, times in page.items() if word in place]
        columns += [column for column, _ in known]
        values += [float(times) for _, times in known]
        starts.append(len(columns))
    counts = csr_array((values, columns, starts), shape=(len(pages), len(words)))
    return Table(words, counts, labels, list(sites))


def fit(table: Table, classifier: str, random: np.random.Generator) -> Linear:
    """Train a classifier on all rows of a table."""
    if classifier == "naive-bayes":
        return _naive_bayes(table.rows(under_sample(table.labels, random)))
    return _calibrated(table, random)


def to_model(
    table: Table, made: Linear, topic: str, language: str, recipe: str, about: dict[str, float]
) -> TopicModel:
    """The classifier as it is kept; terms that weigh nothing still count for a page's length."""
    kept = np.flatnonzero(made.rarities > 0).tolist()
    terms = {
        table.words[at]: Term(short(made.weights[at]), short(made.rarities[at])) for at in kept
    }
    return TopicModel(
        topic, language, made.classifier, recipe, terms,
        float(made.bias), float(made.slope), float(made.offset), about,
    )  # fmt: skip


def under_sample(labels: Labels, random: np.random.Generator) -> npt.NDArray[np.int64]:
    """All rows of the smaller class, and as many of the larger one, drawn at random."""
    ours, others = np.flatnonzero(labels), np.flatnonzero(~labels)
    size = min(len(ours), len(others))
    chosen = [random.choice(rows, size, replace=False) for rows in (ours, others)]
    return np.sort(np.concatenate(chosen))


def scaled(counts: Any, rarities: Numbers) -> Any:
    """Rows of length 1, with (1 + ln frequency) x rarity for each term."""
    rows = counts.copy()
    rows.data = (1 + np.log(rows.data)) * rarities[rows.indices]
    per_row = np.diff(rows.indptr)
    number = np.repeat(np.arange(len(per_row)), per_row)
    square = np.bincount(number, rows.data**2, len(per_row))
    rows.data /= np.sqrt(np.where(square > 0, square, 1.0))[number]
    return rows


def _rarities(counts: Any) -> Numbers:
    """ln((1 + pages) / (1 + pages with the term)) + 1; 0 for a term that is too rare to count."""
    pages = counts.shape[0]
    with_term = np.bincount(counts.indices, minlength=counts.shape[1])
    least = _SELDOM if pages >= _FEW else 1
    rarities: Numbers = np.log((1 + pages) / (1 + with_term)) + 1
    return np.where(with_term >= least, rarities, 0.0)


def _naive_bayes(table: Table) -> Linear:
    """Multinomial, with Laplace's smoothing; both classes are equally many."""
    labels, width = table.labels, len(table.words)
    inside = np.asarray(table.counts[labels].sum(axis=0)).ravel() + 1.0
    outside = np.asarray(table.counts[~labels].sum(axis=0)).ravel() + 1.0
    weights = np.log(inside / inside.sum()) - np.log(outside / outside.sum())
    return Linear("naive-bayes", weights, np.ones(width), 0.0)


def _calibrated(table: Table, random: np.random.Generator) -> Linear:
    """Logistic regression; the calibration is learned on parts that it was not trained on."""
    rarities = _rarities(table.counts)
    rows = scaled(table.counts, rarities)
    fold = _inner_folds(table, random)
    values = np.zeros(len(table.labels))
    start = np.zeros(rows.shape[1] + 1)
    for part in range(int(fold.max()) + 1):
        kept, apart = np.flatnonzero(fold != part), np.flatnonzero(fold == part)
        if table.labels[kept].all() or not table.labels[kept].any():
            continue
        start = fit_logistic(rows[kept], table.labels[kept], start)
        values[apart] = rows[apart] @ start[:-1] + start[-1]
    found = fit_logistic(rows, table.labels, start)
    slope, offset = platt(values, table.labels)
    return Linear("logistic", found[:-1], rarities, float(found[-1]), slope, offset)


def _inner_folds(table: Table, random: np.random.Generator) -> npt.NDArray[np.int64]:
    """By site where both classes come from enough sites, else by page."""
    names = np.asarray(table.sites)
    sites = [len(np.unique(names[table.labels == kind])) for kind in (True, False)]
    if min(sites) >= _INNER:
        return by_site(table.labels, table.sites, _INNER, random)
    smaller = min(int(table.labels.sum()), int((~table.labels).sum()))
    return by_page(table.labels, max(2, min(_INNER, smaller)), random)


def platt(values: Numbers, labels: Labels) -> tuple[float, float]:
    """Slope and offset that make probabilities of values, both classes weighing the same.

    Newton's method; targets are drawn in a little, as Platt does, so that values that part the
    classes perfectly do not ask for an infinite slope.
    """
    inside, outside = int(labels.sum()), int((~labels).sum())
    goal = np.where(labels, (inside + 1) / (inside + 2), 1 / (outside + 2))
    worth = np.where(labels, 0.5 / inside, 0.5 / outside)
    columns = np.stack([values, np.ones(len(values))], axis=1)
    point = np.array([1.0, 0.0])
    for _ in range(100):
        guess = 1 / (1 + np.exp(-np.clip(columns @ point, -500, 500)))
        slopes = columns.T @ (worth * (guess - goal)) + 1e-9 * point
        bend = (columns * (worth * guess * (1 - guess))[:, None]).T @ columns + 1e-9 * np.eye(2)
        step = np.linalg.solve(bend, slopes)
        point = point - np.clip(step, -2.0, 2.0)
        if np.abs(step).max() < 1e-8:
            break
    return max(float(point[0]), 1e-3), float(point[1])
