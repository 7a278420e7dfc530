"""From labelled pages to a model: trials first, then one classifier that is trained on all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np

from langcrawl.errors import BadInput, BadValue
from langcrawl.languages import parse_tag
from langcrawl.parallel import Progress, silent
from langcrawl.topic.evaluate import Counts, Trial, count, cross_validate
from langcrawl.topic.folds import Labels
from langcrawl.topic.learn import fit, make_table, to_model
from langcrawl.topic.model import CLASSIFIERS, TopicModel, save_model
from langcrawl.topic.terms import RECIPES, Terms


class Labelled(Protocol):
    """A labelled page: `langcrawl.importers.labelled.Example` is one."""

    @property
    def site(self) -> str: ...
    @property
    def label(self) -> str: ...
    @property
    def terms(self) -> Counter[str]: ...


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be learned, and how it is tried."""

    topic: str
    lang: str = "en"
    classifier: str = "logistic"
    recipe: str = ""
    """Empty for that of the classifier: ``paper`` for naive Bayes, else ``places``."""
    by_site: tuple[bool, ...] = (True, False)
    folds: int = 10
    times: int = 10
    seed: int = 0

    def __post_init__(self) -> None:
        if self.classifier not in CLASSIFIERS:
            raise BadValue(
                f"--classifier must be {' or '.join(CLASSIFIERS)}, not '{self.classifier}'."
            )
        if self.recipe and self.recipe not in RECIPES:
            raise BadValue(f"--recipe must be {' or '.join(RECIPES)}, not '{self.recipe}'.")

    @property
    def terms(self) -> Terms:
        default = "paper" if self.classifier == "naive-bayes" else "places"
        return Terms(parse_tag(self.lang).primary, self.recipe or default)


class Trained(NamedTuple):
    """A model that was trained on all pages, and how its like did in trials."""

    model: TopicModel
    trials: tuple[Trial, ...]

    def save(self, path: Path) -> None:
        save_model(self.model, path)


def check_classes(pages: Sequence[Labelled], topic: str) -> None:
    """Refuse labels among which the topic, or anything else, is missing."""
    there = Counter(page.label for page in pages)
    if topic not in there:
        known = ", ".join(f"{label} ({times:,})" for label, times in there.most_common(8))
        raise BadInput(f"no page has the label '{topic}'; the labels are: {known}. Use --topic.")
    if len(there) < 2:
        raise BadInput(
            f"all {len(pages):,} labelled pages are about '{topic}'; a classifier needs pages "
            "about other things as well: add some, with any other label."
        )


def train_topic(plan: Plan, pages: Sequence[Labelled], progress: Progress = silent) -> Trained:
    """Try a classifier in folds, and train one on all pages."""
    labels: Labels = np.array([page.label == plan.topic for page in pages], bool)
    table = make_table([page.terms for page in pages], labels, [page.site for page in pages])
    trials = tuple(
        cross_validate(
            table,
            plan.classifier,
            site_wise=site_wise,
            folds=plan.folds,
            times=plan.times,
            seed=plan.seed,
            progress=progress,
        )
        for site_wise in (plan.by_site if plan.times else ())
    )
    made = fit(table, plan.classifier, np.random.default_rng(plan.seed))
    about = {"positive": float(labels.sum()), "negative": float((~labels).sum())}
    for trial in trials:
        about[f"g_mean_by_{'site' if trial.by_site else 'page'}"] = trial.mean("g_mean")
    terms = plan.terms
    model = to_model(table, made, plan.topic, terms.language, terms.recipe, about)
    return Trained(model, trials)


def test_model(model: TopicModel, pages: Sequence[Labelled]) -> Counts:
    """How a model judges pages that were kept apart."""
    scores = np.array([model.score(page.terms) for page in pages])
    return count(scores, np.array([page.label == model.topic for page in pages], bool))
