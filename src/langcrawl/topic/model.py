"""A topic classifier, and its file: JSON with words and numbers, and nothing that could run.

Both classifiers are linear. A page's value is the sum, over its known terms, of weight times
value, plus a bias; the score is the logistic function of the calibrated value. The value of a
term is its frequency (``naive-bayes``), or (1 + ln frequency) x rarity, scaled to length 1 over
the page (``logistic``).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from langcrawl import __version__
from langcrawl.topic.document import checksum_of, load_document, words_of, write_document
from langcrawl.topic.terms import MARKED, RECIPES

FORMAT, VERSION = "langcrawl-topic", 1
CLASSIFIERS = ("logistic", "naive-bayes")
_TRAIN = "make one with 'langcrawl train topic'"


class Term(NamedTuple):
    """What a model knows of a word."""

    weight: float
    rarity: float
    """How much rarer than others it is among the pages of the training; 1 for naive Bayes."""


@dataclass(frozen=True, slots=True)
class TopicModel:
    """A trained classifier of one topic in one language."""

    topic: str
    language: str
    classifier: str
    recipe: str
    terms: Mapping[str, Term]
    bias: float
    slope: float = 1.0
    offset: float = 0.0
    """The calibration: the score is the logistic function of slope x value + offset."""
    about: Mapping[str, float] = field(default_factory=dict)
    """How it did in its trials, and on how much it was trained."""

    def score(self, found: Counter[str]) -> float:
        """How probable it is that a page with these terms is about the topic, 0 to 1."""
        value = self.slope * self.value(found) + self.offset
        return 1 / (1 + math.exp(-value)) if value > -700 else 0.0

    def value(self, found: Counter[str]) -> float:
        total = square = 0.0
        known, scaled = self.terms, self.classifier == "logistic"
        for word, times in found.items():
            if (term := known.get(word)) is not None:
                worth = (1 + math.log(times)) * term.rarity if scaled else float(times)
                total += worth * term.weight
                square += worth * worth
        if scaled and square:
            total /= math.sqrt(square)
        return total + self.bias

    def reasons(self, found: Counter[str], most: int = 5) -> list[str]:
        """The words of a page that speak most for the topic, or most against it."""
        known = self.terms
        worth = {
            word: known[word].weight * (1 + math.log(times)) * known[word].rarity
            for word, times in found.items()
            if word in known
        }
        return sorted(worth, key=lambda word: (-abs(worth[word]), word))[:most]

    def words(self, most: int = 20, against: bool = False) -> list[str]:
        """The words that decide: those with the largest weights for the topic, or against it."""
        sign = 1 if against else -1
        worth = {word: term.weight * term.rarity for word, term in self.terms.items()}
        ranked = sorted(worth, key=lambda word: (sign * worth[word], word))
        return [word for word in ranked[:most] if sign * worth[word] < 0]

    @property
    def stamp(self) -> str:
        """Tells this model from any other."""
        return checksum_of(_document(self))


def save_model(model: TopicModel, path: Path) -> None:
    write_document(path, _document(model))


def load_model(path: Path) -> TopicModel:
    """A model that `save_model` has written; anything else is refused in a sentence."""
    return load_document(path, FORMAT, VERSION, "topic model", _TRAIN, _read)


def _document(model: TopicModel) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "version": VERSION,
        "langcrawl": __version__,
        "topic": model.topic,
        "language": model.language,
        "classifier": model.classifier,
        "recipe": model.recipe,
        "bias": model.bias,
        "slope": model.slope,
        "offset": model.offset,
        "about": dict(model.about),
        "marks": True,
        "words": list(model.terms),
        "weights": [term.weight for term in model.terms.values()],
        "rarities": [term.rarity for term in model.terms.values()],
    }


def _read(document: dict[str, Any]) -> TopicModel:
    words, (weights, rarities) = words_of(document, "weights", "rarities")
    if len(set(words)) < len(words):
        raise ValueError("a word stands there twice")
    if not document.get("marks") and any(map(MARKED.search, words)):
        raise ValueError("its words were cut at every vowel sign, and are whole now")
    if document["classifier"] not in CLASSIFIERS or document["recipe"] not in RECIPES:
        raise ValueError("its classifier or recipe is not known")
    numbers = {key: float(document[key]) for key in ("bias", "slope", "offset")}
    if not all(map(math.isfinite, numbers.values())):
        raise ValueError("a weight is no finite number")
    columns = zip(words, weights, rarities, strict=True)
    terms = {word: Term(weight, rarity) for word, weight, rarity in columns}
    return TopicModel(
        topic=str(document["topic"]),
        language=str(document["language"]),
        classifier=document["classifier"],
        recipe=document["recipe"],
        terms=terms,
        about={str(key): float(value) for key, value in document["about"].items()},
        **numbers,
    )
