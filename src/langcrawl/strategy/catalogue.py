"""The strategies by name, and those that a user brings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import Any

from langcrawl import spec
from langcrawl.errors import UsageError
from langcrawl.ports import Learned, Learner, Ranker, Strategy
from langcrawl.records import UNKNOWN
from langcrawl.strategy.best_first import best_first
from langcrawl.strategy.bfs import bfs
from langcrawl.strategy.correlation import correlation
from langcrawl.strategy.dfs import dfs
from langcrawl.strategy.limited import limited
from langcrawl.strategy.lswc import lswc
from langcrawl.strategy.perfect import perfect
from langcrawl.strategy.rule import RuleRanker
from langcrawl.strategy.simple import hard, soft

Maker = Callable[..., Strategy | Learner]
_RULES: dict[str, Maker] = {
    "bfs": bfs,
    "dfs": dfs,
    "hard": hard,
    "soft": soft,
    "limited": limited,
    "lswc": lswc,
    "best-first": best_first,
    "correlation": correlation,
    "perfect": perfect,
}
_LEARNERS = {
    "adaptive": "adaptive:Adaptive",
    "url-classifier": "url_classifier:UrlClassifier",
    "tag-paths": "tag_paths:TagPaths",
    "segments": "segments:Segments",
    "best-segment": "segments:BestSegment",
    "likely-segment": "likely_segment:LikelySegment",
}
"""Where each learner stands in `langcrawl.strategy.learned`."""


class _Catalogue(Mapping[str, Maker]):
    """Who makes the strategy of a name. A learner is loaded when it is asked for, not before:
    all of them together take longer than many a command that only needs a rule."""

    def __getitem__(self, name: str) -> Maker:
        if name in _RULES:
            return _RULES[name]
        module, _, maker = _LEARNERS[name].partition(":")
        made: Maker = getattr(import_module(f"langcrawl.strategy.learned.{module}"), maker)
        return made

    def __iter__(self) -> Iterator[str]:
        return iter((*_RULES, *_LEARNERS))

    def __len__(self) -> int:
        return len(_RULES) + len(_LEARNERS)


STRATEGIES: Mapping[str, Maker] = _Catalogue()
NEED_A_MODEL = frozenset({"segments", "likely-segment"})
"""Strategies that cannot be made by their name alone."""


def make_strategy(text: str) -> Strategy | Learned:
    """The strategy that a user names; it carries the name as given."""
    made = _make(text, UNKNOWN)
    if isinstance(made, Strategy):
        return replace(made, name=text)
    if isinstance(made, Learner):
        return Learned(text, partial(_start, text), made.says)
    place = ":".join(text.split(":")[:2])
    raise UsageError(
        f"the strategy '{place}' cannot be used: it should return a langcrawl.ports.Strategy or a "
        "langcrawl.ports.Learner."
    )


def make_rule(text: str) -> Strategy:
    """The same, for whom only a rule will do."""
    made = make_strategy(text)
    if isinstance(made, Learned):
        raise UsageError(f"'{text}' is a learning strategy; name a rule.")
    return made


def start_ranker(strategy: Strategy | Learned, lang: str = UNKNOWN, connections: int = 0) -> Ranker:
    """A ranker for one run in search of a language: a rule, or a learner that knows nothing yet."""
    if isinstance(strategy, Strategy):
        return RuleRanker(strategy)
    ranker = strategy.start(lang)
    if isinstance(ranker, Learner):
        ranker.connections = connections
    return ranker


def _make(text: str, lang: str) -> Any:
    if spec.is_own(text, STRATEGIES):
        return spec.make_own("strategy", text, lang=lang)
    return spec.make("strategy", text, STRATEGIES, lang=lang)


def _start(text: str, lang: str) -> Ranker:
    """A learner of its own for each run: what one has learned is not known to another."""
    made: Learner = _make(text, lang)
    made.name = text
    return made
