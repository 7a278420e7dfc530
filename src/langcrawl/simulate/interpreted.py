"""The interpreted simulation: the crawl loop itself, on a replayed web. The reference."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from langcrawl.crawl import Crawl, Limits
from langcrawl.errors import BadInput
from langcrawl.frontier.memory import MemoryFrontier
from langcrawl.measure import Measures, Summary
from langcrawl.ports import Sink, Strategy
from langcrawl.records import Step
from langcrawl.virtualweb.graph import Graph
from langcrawl.web.replay import ReplayedWeb

NOT_IN_LOG = "not-in-log"


@dataclass(frozen=True, slots=True)
class Plan:
    """What all strategies of one simulation have in common."""

    seeds: tuple[str, ...] = ()
    """Empty for the seeds of the log."""
    limits: Limits = field(default_factory=Limits)
    unknown_fails: bool = False
    points: int = 200


@dataclass(frozen=True, slots=True)
class Result:
    """What one strategy did."""

    name: str
    summary: Summary
    max_queue: int
    discards: dict[str, int]
    seconds: float
    partial: bool
    order: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """The entry of this strategy in the JSON of ``simulate``."""
        summary = asdict(self.summary)
        curve = summary.pop("curve")
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
            "curve": curve,
        }


class _Order:
    """A sink that remembers the URLs in the order taken."""

    def __init__(self) -> None:
        self.urls: list[str] = []

    def take(self, step: Step) -> None:
        self.urls.append(step.visit.url)

    def close(self) -> None:
        """Nothing to release."""


def simulate(
    graph: Graph,
    strategy: Strategy,
    plan: Plan,
    sinks: Sequence[Sink] = (),
    stop: Callable[[], bool] = lambda: False,
) -> Result:
    """Run a strategy over a log with one connection and without delay: the exact order."""
    web = ReplayedWeb(graph, unknown_fails=plan.unknown_fails)
    seeds = _seeds(web, plan, graph.config.seeds)
    measures, order = Measures(), _Order()
    crawl = Crawl(
        web,
        MemoryFrontier(strategy.last_first),
        strategy,
        bridge=graph.config.bridge,
        limits=plan.limits,
        sinks=(measures, order, *sinks),
        stop=stop,
    )
    began = time.perf_counter()
    outcome = crawl.run(seeds)
    seconds = time.perf_counter() - began
    discards = dict(outcome.discards)
    if web.unknown_dropped:
        discards[NOT_IN_LOG] = web.unknown_dropped
    return Result(
        name=strategy.name,
        summary=measures.summary(graph.relevant_total, graph.pages, plan.points),
        max_queue=outcome.max_queue,
        discards=discards,
        seconds=seconds,
        partial=outcome.stopped == "interrupted",
        order=tuple(order.urls),
    )


def _seeds(web: ReplayedWeb, plan: Plan, recorded: Sequence[str]) -> list[str]:
    """The seeds to start from: those given, else those of the log, without what it lacks."""
    wanted = list(dict.fromkeys(plan.seeds or recorded))
    if not wanted:
        raise BadInput("the log names no seeds; give a URL or a file of URLs with --seeds.")
    known = [seed for seed in wanted if plan.unknown_fails or web.knows(seed)]
    if not known:
        raise BadInput(
            f"none of the {len(wanted)} seeds has a page in the log (the first is {wanted[0]}); "
            "give a URL of the log with --seeds."
        )
    web.unknown_dropped += len(wanted) - len(known)
    return known
