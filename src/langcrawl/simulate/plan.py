"""What is asked of a simulation, and what its loops share to answer it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from langcrawl.errors import BadInput
from langcrawl.log.graph import Graph
from langcrawl.measure import Summary, summarize
from langcrawl.measure.results import Result, TimeReport, WithoutDelay
from langcrawl.records import Limits
from langcrawl.simulate.timing import Timing

NOT_IN_LOG = "not-in-log"


@dataclass(frozen=True, slots=True)
class Plan:
    """What all strategies of one simulation have in common."""

    seeds: tuple[str, ...] = ()
    """Empty for the seeds of the log."""
    limits: Limits = field(default_factory=Limits)
    unknown_fails: bool = False
    points: int = 200
    timing: Timing | None = None
    """How time passes; None where only the order counts."""
    sample: float = 0.0
    """The share of downloads that are drawn from the queue by chance."""
    sample_seed: int = 0


def with_politeness(polite: Result, bare: Result) -> TimeReport:
    """The time of a run, and what leaving hosts alone between requests made of it.

    `bare` is the same run without a delay. Where hosts need not rest the best URL goes
    first more often, so not only the clock differs but also what is found.
    """
    assert polite.time
    assert bare.time
    slower = polite.time.seconds / bare.time.seconds if bare.time.seconds else None
    return replace(
        polite.time,
        without_delay=WithoutDelay(
            seconds=bare.time.seconds,
            seconds_to=bare.time.seconds_to,
            idle=bare.time.idle,
            pages_per_second=bare.time.pages_per_second,
            pages=bare.summary.pages,
            coverage=bare.summary.coverage,
            partial=bare.partial,
        ),
        slowed_by_delay=None if polite.partial or bare.partial else slower,
    )


@dataclass(frozen=True, slots=True)
class Seeds:
    """The nodes to start from, and how many seeds the log has no page for."""

    nodes: list[int]
    lost: int


def find_seeds(graph: Graph, plan: Plan) -> Seeds:
    """The seeds that are given, else those of the log, without what the log lacks.

    With `unknown_fails`, a seed without a page is kept if the log has heard of it.
    """
    wanted = list(dict.fromkeys(plan.seeds or graph.config.seeds))
    if not wanted:
        raise BadInput("the log has no seeds; give a URL or a file of URLs with --seeds.")
    last = graph.nodes if plan.unknown_fails else graph.pages
    known = [node for node in graph.find(wanted) if 0 <= node < last]
    if not known:
        raise BadInput(
            f"none of the {len(wanted)} seeds has a page in the log (the first is {wanted[0]}); "
            "give a URL of the log with --seeds."
        )
    return Seeds(known, len(wanted) - len(known))


def sum_up(
    graph: Graph, plan: Plan, order: npt.NDArray[np.int32], queue: npt.NDArray[np.int32]
) -> Summary:
    """The measures of a crawl that took these nodes in this order."""
    return summarize(hits_of(graph, order), queue, graph.relevant_total, graph.pages, plan.points)


def hits_of(graph: Graph, order: npt.NDArray[np.int32]) -> npt.NDArray[np.bool_]:
    """Whether each of these nodes is relevant."""
    hits = np.zeros(len(order), dtype=bool)
    fetched = order < graph.pages
    hits[fetched] = graph.relevant[order[fetched]]
    return hits


def as_urls(graph: Graph, order: Sequence[int] | npt.NDArray[np.int32]) -> list[str]:
    """Nodes as URLs."""
    urls = graph.urls
    return [urls[node] for node in order]
