"""How much the text of a link is in the target: the anchor similarity of paper 001, section 3."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from langcrawl.errors import BadInput
from langcrawl.judge.mean_distance import MeanDistanceJudge, mean_distance
from langcrawl.languages import Pack
from langcrawl.languages.scripts import script_shares
from langcrawl.script import detect, roughly_unicode

_LONGEST = 200
"""Characters of an anchor that are looked at."""


class Scorer(Protocol):
    """Scores anchors from 0 to 1."""

    def score(self, anchor: str, fonts: tuple[str, ...] = ()) -> float:
        """How much an anchor is in the target."""


@dataclass(frozen=True, slots=True)
class SeveralScorer:
    """Of several targets, the score of the one that an anchor is most in."""

    scorers: tuple[AnchorScorer, ...]

    def score(self, anchor: str, fonts: tuple[str, ...] = ()) -> float:
        """The likeness of an anchor to the nearest target."""
        return max(scorer.score(anchor, fonts) for scorer in self.scorers)


@dataclass(frozen=True, slots=True)
class AnchorScorer:
    """Scores anchors from 0 to 1; can be sent to workers, as a judge can."""

    scripts: tuple[str, ...]
    near: MeanDistanceJudge | None
    """None where the target has no n-gram profile: then its script counts alone."""

    def score(self, anchor: str, fonts: tuple[str, ...] = ()) -> float:
        """The likeness of an anchor to the target; 0 for an image or an empty one.

        Legacy encodings are read as Unicode first. Saiyin, whose letters nobody can name,
        counts 1: it is in the target's script, and no more can be said.
        """
        anchor = anchor[:_LONGEST]
        if not anchor.strip():
            return 0.0
        found = detect(anchor, fonts)
        if found.encoding in ("", "saiyin"):
            return float(found.script in self.scripts)
        text = roughly_unicode(anchor, found, fonts)
        if self.near is not None:
            return _as_kept(self.near.similarity(text))
        shares = script_shares(text)
        return _as_kept(sum(shares.get(script, 0.0) for script in self.scripts))


def _as_kept(score: float) -> float:
    """As precise as the log keeps it, so that a replay ranks as the crawl did."""
    return float(np.float32(score))


def make_anchor_scorer(packs: Pack | tuple[Pack, ...]) -> Scorer:
    """The scorer for a language: the mean distance of its n-grams, where it has a profile."""
    if isinstance(packs, Pack):
        return _scorer_of(packs)
    scorers = tuple(map(_scorer_of, packs))
    return scorers[0] if len(scorers) == 1 else SeveralScorer(scorers)


def _scorer_of(pack: Pack) -> AnchorScorer:
    try:
        near = mean_distance(pack.target)
    except BadInput:
        near = None
    return AnchorScorer(pack.scripts, near)
