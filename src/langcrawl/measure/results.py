"""What a simulation and a search for parameters answer: the records, and their JSON.

They stand here, below both, so that `simulate` can fill them and `report` can read them
without knowing each other.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from langcrawl.measure.collection import Collected
from langcrawl.measure.curve import Point, Summary


@dataclass(frozen=True, slots=True)
class WithoutDelay:
    """The same simulation where hosts need not rest between requests."""

    seconds: float
    seconds_to: dict[str, float | None]
    idle: float
    pages_per_second: float
    pages: int
    coverage: float
    partial: bool


@dataclass(frozen=True, slots=True)
class TimeReport:
    """What the virtual clock says of a simulation."""

    seconds: float
    seconds_to: dict[str, float | None]
    """Seconds to each level of coverage; None where it was not reached."""
    idle: float
    """The share of their time that connections had nothing to do."""
    pages_per_second: float
    delay: float
    connections: int
    hours: tuple[Collected, ...]
    without_delay: WithoutDelay | None = None
    """None where hosts need not rest anyhow, or the simulation was stopped before."""
    slowed_by_delay: float | None = None
    """How many times longer it took than without a delay, where both were complete."""

    def as_json(self) -> dict[str, Any]:
        """The entry `time` in the JSON of ``simulate``."""
        document = asdict(self) | {"hours": [_hour(row) for row in self.hours]}
        if self.without_delay is None:
            del document["without_delay"], document["slowed_by_delay"]
        return document


def _hour(row: Collected) -> dict[str, float]:
    return {
        "hour": row.hour,
        "pages": row.pages,
        "relevant": row.correct,
        "mb": row.information_mb,
        "relevant_mb": row.accurate_mb,
        "accuracy": row.accuracy,
        "relevant_mb_per_hour": row.speed,
    }


@dataclass(frozen=True, slots=True)
class Result:
    """What one strategy did."""

    name: str
    summary: Summary
    max_queue: int
    discards: dict[str, int]
    """Links that were not queued, by reason."""
    seconds: float
    partial: bool
    order: npt.NDArray[np.int32]
    """The nodes in the order taken."""
    time: TimeReport | None = None
    """What the clock says, where it ran."""
    drawn: npt.NDArray[np.int32] | None = None
    """The places in `order` of downloads that were drawn by chance."""
    ends: npt.NDArray[np.float64] | None = None
    """When each of them was finished, in seconds, where the clock ran."""
    error: str = ""
    """Why the strategy failed, where it did; then nothing else is known."""

    @property
    def pages(self) -> int:
        """How many pages it downloaded."""
        return self.summary.pages

    @property
    def relevant(self) -> int:
        """How many of them are relevant."""
        return self.summary.relevant

    @property
    def harvest(self) -> float:
        """Relevant downloads / downloads."""
        return self.summary.harvest

    @property
    def coverage(self) -> float:
        """Relevant downloads / relevant pages in the log."""
        return self.summary.coverage

    @property
    def curve(self) -> tuple[Point, ...]:
        """Harvest rate, coverage and queue size as pages were downloaded."""
        return self.summary.curve

    def as_json(self) -> dict[str, Any]:
        """The entry of this strategy in the JSON of ``simulate``."""
        summary = asdict(self.summary)
        curve = list(summary.pop("curve"))
        pages_to, auc = summary.pop("pages_to"), summary.pop("auc")
        return {
            "name": self.name,
            **summary,
            "max_queue": self.max_queue,
            "discards": self.discards,
            "pages_to": pages_to,
            "auc": auc,
            "seconds": self.seconds,
            "partial": self.partial,
            **({"error": self.error} if self.error else {}),
            **({"time": self.time.as_json()} if self.time else {}),
            "curve": curve,
        }


@dataclass(frozen=True, slots=True)
class Trial:
    """One simulation of a search: the strategy as a user would write it, and how it did."""

    name: str
    score: float
    pages: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Tuned:
    """What a search for parameters found."""

    log: str
    strategy: str
    """As a user wrote it."""
    measure: str
    held_out: float
    """The share of the hosts that the search did not see."""
    trials: tuple[Trial, ...]
    """On the web without the held-out hosts, the best first."""
    checked: tuple[Trial, ...]
    """The best of them and the strategy as it was given, on the held-out hosts."""
    given: str
    """The name of the strategy as it was given; the last of `checked`, unless it is a best one."""
    complete: bool

    @property
    def best(self) -> Trial:
        return self.trials[0]

    def on_held_out(self, name: str) -> float | None:
        """The score of a strategy on the held-out hosts, where it was checked there."""
        return next((trial.score for trial in self.checked if trial.name == name), None)

    def as_json(self) -> dict[str, Any]:
        """The document of ``langcrawl tune``."""
        return {
            "log": self.log,
            "strategy": self.strategy,
            "measure": self.measure,
            "held_out": self.held_out,
            "best": self.best.name if self.trials else None,
            "given": self.given,
            "given_held_out": self.on_held_out(self.given),
            "partial": not self.complete,
            "tried": [
                {
                    "name": trial.name,
                    "score": trial.score,
                    "held_out": self.on_held_out(trial.name),
                    "pages": trial.pages,
                    "seconds": trial.seconds,
                }
                for trial in self.trials
            ],
        }
