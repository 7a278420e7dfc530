"""How complete is a crawl? An estimate, where nobody knows how much there is.

Three parts of the relevant pages that the seeds lead to are told apart: those downloaded, those
known and not downloaded, and those that nothing downloaded links to yet. The first are counted.
Draws from the queue (`langcrawl.draws`) are a random sample of the second. No sample reaches the
third: their number follows from signs (`langcrawl.measure.signs`), as it did on many generated webs
where the truth is known. How far the signs were off on webs that had no part in it makes the
interval. Pages that no link from a downloaded page can lead to are not part of the whole.
docs/decisions/0014-how-complete-a-crawl-is.md says what was measured.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from functools import cache
from importlib import resources
from math import prod
from typing import Any

import numpy as np

from langcrawl.measure.signs import DOUBT, Crawled, Floats, scaled, signs_of

LEVEL = 0.9
ENOUGH = 0.9
"""The coverage from which on little is left to find."""
FEWEST_DRAWS, FEWEST_FOUND = 20, 20
Terms = dict[str, float]
"""A sum of products of signs, each times a number: ``{"": 1.5, "waiting new": 0.9}``."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """How complete a crawl is, with an interval that holds the truth nine times of ten."""

    coverage: float
    low: float
    high: float
    found: int
    """Relevant pages that were downloaded."""
    whole: float
    """Relevant pages that the seeds lead to."""
    waiting: float
    """Those of them that are known and not downloaded."""
    draws: int
    next_percent: float | None
    """Downloads that the next hundredth of the whole will cost, at the harvest of lately."""
    host_seconds: tuple[float, float] = (0.0, 0.0)
    """Seconds until nine tenths are reached, at least and at most, by what hosts can give if each
    is asked without a break: what is left may be on few of them."""

    def as_json(self, pages_per_second: float | None = None) -> dict[str, Any]:
        made = asdict(self) | {"seconds_left": self.seconds_left(pages_per_second)}
        del made["host_seconds"]  # a part of the seconds left
        return made

    def sentence(self) -> str:
        """The estimate in words."""
        said = (
            f"about {self.coverage:.0%} of the relevant pages that these seeds lead to are "
            f"collected ({self.low:.0%} to {self.high:.0%}, by {self.draws:,} random draws)"
        )
        if self.next_percent is not None:
            said += f"; the next percent costs about {self.next_percent:,.0f} downloads"
        return said

    def advice(self) -> str:
        """Whether to stop here."""
        if self.low >= ENOUGH:
            return "There is little left to find from these seeds."
        if self.high < ENOUGH:
            return "There is much left to find."
        return "Whether to stop here depends on what the next percent is worth."

    def seconds_left(self, pages_per_second: float | None) -> tuple[float, float] | None:
        """In how many seconds nine tenths are reached, at least and at most, at this speed.

        The harvest will not stay as it is: how far it went up or down on webs where the truth is
        known is part of the interval. Nor will the speed, where few hosts have what is left, and
        each rests between two requests. None where they are reached already, or where nothing is
        known of the speed.
        """
        if self.coverage >= ENOUGH or self.next_percent is None or not pages_per_second:
            return None
        each = self.next_percent * 100 * self.coverage / pages_per_second
        least, most = _calibration()["downloads"]
        return (
            max(self.host_seconds[0], (ENOUGH / self.high - 1) * each * least),
            max(self.host_seconds[1], (ENOUGH / self.low - 1) * each * most),
        )

    def time_left(self, pages_per_second: float | None, running: bool) -> str:
        """The same as a sentence; empty where there is nothing to say."""
        from langcrawl.store.watch import in_words

        left = self.seconds_left(pages_per_second)
        if left is None:
            return ""
        when = f"{in_words(left[0])} to {in_words(left[1])}"
        if running:
            return f"At this pace {ENOUGH:.0%} is reached in {when}."
        return f"Resumed, and at the speed of before, it would reach {ENOUGH:.0%} in {when}."


def estimate(crawl: Crawled, delay: float = 0.0) -> Estimate | None:
    """Estimate the coverage; None where there are too few draws or relevant pages to say.

    `delay` is how many seconds a host rests between two requests.
    """
    draws, found = int(np.count_nonzero(crawl.drawn)), int(np.count_nonzero(crawl.relevant))
    if draws < FEWEST_DRAWS or found < FEWEST_FOUND:
        return None
    signs = signs_of(crawl)
    calibration = _calibration()
    known = scaled(signs.values, calibration["spans"])
    left = max(_sum(calibration["left"], known), surely_left(signs.values))
    spread = float(np.exp(_sum(calibration["spread"], known)))
    low, high = calibration["low"], calibration["high"]
    coverage = _share(-left)
    interval = _share(-(left + high * spread)), _share(-(left + low * spread))
    if not crawl.waits.any():
        coverage, interval = 1.0, (1.0, 1.0)
    order = crawl.order
    lately = crawl.relevant[order[-max(200, len(order) // 10) :]]
    harvest = float(lately.mean())
    return Estimate(
        coverage=coverage,
        low=interval[0],
        high=interval[1],
        found=found,
        whole=found / coverage,
        waiting=signs.waiting,
        draws=draws,
        next_percent=0.01 * found / coverage / harvest if harvest else None,
        host_seconds=(
            delay * _rounds(crawl, signs.chance, found / interval[1], 0.0),
            delay * _rounds(crawl, signs.chance, found / interval[0], 1.0),
        ),
    )


def _rounds(crawl: Crawled, chance: Floats, whole: float, behind: float) -> float:
    """How often each host must be asked, all side by side, until most of the whole is found.

    `behind` is the share of what nobody knows yet that lies behind URLs of the same hosts.
    """
    urls = np.bincount(crawl.host[crawl.waits]).astype(np.float64)
    worth = np.bincount(crawl.host[crawl.waits], weights=chance[crawl.waits])
    found, known = np.count_nonzero(crawl.relevant), float(worth.sum())
    if not known or found >= ENOUGH * whole:
        return 0.0
    urls *= 1 + behind * max(0.0, (whole - found) / known - 1)
    goal = known * (ENOUGH * whole - found) / (whole - found)
    low, high = 0.0, float(urls.max())
    for _ in range(40):
        middle = (low + high) / 2
        enough = worth @ np.minimum(1.0, middle / np.maximum(urls, 1.0)) >= goal
        low, high = (low, middle) if enough else (middle, high)
    return high


def surely_left(values: dict[str, float]) -> float:
    """What surely waits for each page found, by the draws alone, as a logarithm."""
    error = np.exp(values["doubt"]) - DOUBT
    sure = np.exp(values["waiting"]) * (min(1.0, np.exp(values["surprise"])) - 2 * error)
    return float(np.log(max(sure, 1e-9)))


@cache
def _calibration() -> dict[str, Any]:
    """What was learned on webs where the truth is known, by ``python -m benchmarks calibrate``."""
    text = (resources.files("langcrawl.measure") / "calibration.json").read_text("ascii")
    return dict(json.loads(text))


def _sum(terms: Terms, values: dict[str, float]) -> float:
    return sum(
        times * prod(values[name] for name in product.split()) for product, times in terms.items()
    )


def _share(logit: float) -> float:
    return float(1 / (1 + np.exp(-logit)))
