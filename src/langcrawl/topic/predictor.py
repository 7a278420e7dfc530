"""The segment predictor of paper 004, section 4.2: how probable a linked segment is relevant.

It looks at a pair of segments, a source and a goal that it links to, with all links of the pair
pooled. P_L is naive Bayes over what the links are like: seven values, of which one that was never
seen in training counts as missing. P_W is multinomial naive Bayes over their words. P_E is the
mean of both (formula 9). A model is a file of words and numbers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

from langcrawl import __version__
from langcrawl.topic.clues import TextReader
from langcrawl.topic.document import checksum_of, load_document, words_of, write_document
from langcrawl.topic.expectation import Expectation, logistic
from langcrawl.topic.tokenizer import Tokenizer

FORMAT, VERSION = "langcrawl-segments", 1
_TRAIN: Final = "make one with 'langcrawl train segments'"


class Features(NamedTuple):
    """What the links of a pair are like; None where it is not known."""

    degree: int | None
    """Of the source: relevant pages / pages, in ten steps."""
    anchors: int | None
    """The share of names in anchors and the text around them, in ten steps."""
    urls: int | None
    """The share of names in the known URLs of the goal, in ten steps."""
    source_country: str | None
    goal_country: str | None
    source_domain: str
    """The top-level domain."""
    goal_domain: str


@dataclass(frozen=True, slots=True)
class SegmentModel:
    """A trained predictor."""

    topic: str
    language: str
    names: tuple[str, ...]
    """The keywords that it looks for."""
    sounds: bool
    """Whether names match by their sound, too."""
    threshold: float
    """The relevance degree from which on a segment is relevant."""
    links: Mapping[str, Mapping[str, float]]
    """For each of the `Features`, what each of its values speaks for, in log-odds."""
    words: Mapping[str, float]
    """The same for each word."""
    about: Mapping[str, float] = field(default_factory=dict)
    expected: Expectation | None = None
    """How much of a segment is relevant, as `likely-segment` asks; old models do not know it."""

    def by_links(self, features: Features) -> float:
        """P_L."""
        total = 0.0
        for name, value in zip(Features._fields, features, strict=True):
            if value is not None:
                total += self.links[name].get(str(value), 0.0)
        return logistic(total)

    def worth(self, words: Sequence[str]) -> float:
        """What words speak for, in log-odds: P_W is the logistic function of it."""
        known = self.words.get
        return sum([known(word, 0.0) for word in words])

    def reader(self) -> TextReader[float]:
        tokenizer = Tokenizer(self.names, sounds=self.sounds)
        return TextReader(tokenizer, self.language, self.worth)

    @property
    def stamp(self) -> str:
        """Tells this model from any other."""
        return checksum_of(_document(self))


def save_segment_model(model: SegmentModel, path: Path) -> None:
    write_document(path, _document(model))


def load_segment_model(path: Path) -> SegmentModel:
    """A model that `save_segment_model` has written; anything else is refused in a sentence."""
    return load_document(path, FORMAT, VERSION, "segment model", _TRAIN, _read)


def _document(model: SegmentModel) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "version": VERSION,
        "langcrawl": __version__,
        "topic": model.topic,
        "language": model.language,
        "names": list(model.names),
        "sounds": model.sounds,
        "threshold": model.threshold,
        "links": {name: dict(values) for name, values in model.links.items()},
        "words": list(model.words),
        "weights": list(model.words.values()),
        "about": dict(model.about),
        **({"expected": model.expected._asdict()} if model.expected else {}),
    }


def _read(document: dict[str, Any]) -> SegmentModel:
    words, (weights,) = words_of(document, "weights")
    links = {
        name: {str(value): float(odds) for value, odds in document["links"][name].items()}
        for name in Features._fields
    }
    threshold = float(document["threshold"])
    odds = [each for values in links.values() for each in values.values()]
    if not all(map(math.isfinite, odds)) or not 0 < threshold <= 1:
        raise ValueError("a number of it cannot be")
    return SegmentModel(
        topic=str(document["topic"]),
        language=str(document["language"]),
        names=tuple(map(str, document["names"])),
        sounds=bool(document["sounds"]),
        threshold=threshold,
        links=links,
        words=dict(zip(words, weights, strict=True)),
        about={str(key): float(value) for key, value in document["about"].items()},
        expected=_expectation(document.get("expected")),
    )


def _expectation(given: dict[str, Any] | None) -> Expectation | None:
    if given is None:
        return None
    made = Expectation(*(float(given[name]) for name in Expectation._fields))
    if not all(map(math.isfinite, made)) or made.strength <= 0:
        raise ValueError("a number of it cannot be")
    return made
