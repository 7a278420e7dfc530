"""Learning to predict segments: naive Bayes of both kinds, and trials of it (004, section 5.3).

An example is a pair of segments as a crawler knew it when it came to the second one, with what
that one turned out to be. Folds are parted by pair, as the paper did, and by the site of the goal,
as one must: the pairs of one site are alike.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from langcrawl.errors import BadInput
from langcrawl.parallel import Progress, silent
from langcrawl.topic.document import short
from langcrawl.topic.evaluate import Counts, Trial, sum_counts
from langcrawl.topic.expectation import Expectation, logistic
from langcrawl.topic.folds import by_page, by_site, possible_folds
from langcrawl.topic.learn import under_sample
from langcrawl.topic.predictor import Features, SegmentModel

WITHIN_SITE: Final = ("remove", "dedupe", "keep")
_SELDOM: Final = 2
"""A word in fewer examples is left out."""


class Example(NamedTuple):
    """A pair of segments as it was known at the moment of the choice, and what came of it."""

    source: str
    goal: str
    features: Features
    words: tuple[str, ...]
    """Of anchors, the text around them and URLs."""
    relevant: bool
    pages: int = 1
    """Of the goal, that were read."""
    hits: int = 0
    """Relevant ones among them."""

    @property
    def within_site(self) -> bool:
        return self.source.partition("/")[0] == self.site

    @property
    def site(self) -> str:
        return self.goal.partition("/")[0]


class Odds(NamedTuple):
    """Both classifiers, fitted."""

    links: dict[str, dict[str, float]]
    words: dict[str, float]

    def chances(self, example: Example) -> tuple[float, float, float]:
        """P_L, P_W and P_E."""
        by_links = sum(
            self.links[name].get(str(value), 0.0)
            for name, value in zip(Features._fields, example.features, strict=True)
            if value is not None
        )
        by_words = sum(self.words.get(word, 0.0) for word in example.words)
        first, second = logistic(by_links), logistic(by_words)
        return first, second, (first + second) / 2


class Trials(NamedTuple):
    """How each of the three did."""

    links: Trial
    words: Trial
    both: Trial


def chosen(examples: Sequence[Example], within_site: str) -> list[Example]:
    """Without pairs within a site, or with each kind of these once, or all."""
    if within_site == "keep":
        return list(examples)
    kept, seen = [], set()
    for example in examples:
        if example.within_site:
            key = (example.features, frozenset(example.words), example.relevant)
            if within_site == "remove" or key in seen:
                continue
            seen.add(key)
        kept.append(example)
    return kept


def check_examples(examples: Sequence[Example], within_site: str) -> None:
    """Refuse what no predictor can be learned from."""
    relevant = sum(example.relevant for example in examples)
    if relevant and relevant < len(examples):
        return
    found = "relevant" if relevant else "irrelevant"
    which = {"remove": " between sites", "dedupe": "", "keep": ""}[within_site]
    hint = "; keep pairs within a site with --within-site dedupe" if which else ""
    if not examples:
        raise BadInput(f"the log has no links{which} to a segment with a page in it{hint}.")
    raise BadInput(
        f"all {len(examples):,} pairs of segments{which} lead to {found} ones: a predictor needs "
        f"both; use a larger log, another judge or another --threshold{hint}."
    )


def fit(examples: Sequence[Example], random: np.random.Generator) -> Odds:
    """Train both classifiers on an under-sample."""
    labels = np.array([example.relevant for example in examples], bool)
    rows = [examples[row] for row in under_sample(labels, random).tolist()]
    links = {
        name: _odds([(str(value), row.relevant) for row in rows
                     if (value := row.features[at]) is not None])
        for at, name in enumerate(Features._fields)
    }  # fmt: skip
    seen = Counter(word for row in rows for word in set(row.words))
    words = _odds([(word, row.relevant) for row in rows for word in row.words
                   if seen[word] >= _SELDOM])  # fmt: skip
    return Odds(links, words)


def _odds(values: Sequence[tuple[str, bool]]) -> dict[str, float]:
    """What each value speaks for, with Laplace's smoothing over the values that there are."""
    inside = Counter(value for value, relevant in values if relevant)
    outside = Counter(value for value, relevant in values if not relevant)
    known = sorted({*inside, *outside})
    if not known:
        return {}
    ours, others = inside.total() + len(known), outside.total() + len(known)
    bias = math.log(others / ours)
    return {
        value: short(bias + math.log((inside[value] + 1) / (outside[value] + 1))) for value in known
    }


def try_out(
    examples: Sequence[Example],
    *,
    site_wise: bool,
    folds: int = 10,
    times: int = 10,
    seed: int = 0,
    progress: Progress = silent,
) -> Trials:
    """Train on all folds but one and test on that one, for each of them, so many times."""
    labels = np.array([example.relevant for example in examples], bool)
    sites = [example.site for example in examples]
    folds = possible_folds(labels, sites, folds, site_wise)
    rounds: list[list[Counts]] = [[], [], []]
    for number in range(times):
        random = np.random.default_rng((seed, number))
        fold = (by_site(labels, sites, folds, random) if site_wise
                else by_page(labels, folds, random))  # fmt: skip
        parts = [_one_fold(examples, fold, each, random) for each in range(folds)]
        for kind in range(3):
            rounds[kind].append(sum_counts([part[kind] for part in parts]))
        progress(number + 1, (number + 1) / times)
    return Trials(*(Trial(folds, site_wise, tuple(each)) for each in rounds))


def _one_fold(
    examples: Sequence[Example],
    fold: npt.NDArray[np.int64],
    number: int,
    random: np.random.Generator,
) -> list[Counts]:
    """How P_L, P_W and P_E, learned from the other folds, do on this one."""
    made = fit([examples[row] for row in np.flatnonzero(fold != number).tolist()], random)
    found = [[0, 0, 0, 0] for _ in range(3)]
    for row in np.flatnonzero(fold == number).tolist():
        relevant = examples[row].relevant
        for counts, chance in zip(found, made.chances(examples[row]), strict=True):
            counts[(0 if chance >= 0.5 else 1) if relevant else (2 if chance >= 0.5 else 3)] += 1
    return [Counts(*counts) for counts in found]


def to_model(
    made: Odds,
    *,
    topic: str,
    language: str,
    names: Sequence[str],
    sounds: bool,
    threshold: float,
    about: dict[str, float],
    expected: Expectation | None = None,
) -> SegmentModel:
    return SegmentModel(
        topic, language, tuple(names), sounds, threshold, made.links, made.words, about, expected
    )
