"""Several strategies on one log, side by side where the log is large.

With fork the processes have the graph of this one: the arrays are mapped, so they are in memory
once. Elsewhere every process opens the log for itself, to the same effect.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from langcrawl.errors import LangcrawlError
from langcrawl.log.graph import Graph
from langcrawl.measure.results import Result
from langcrawl.parallel import Job, Progress, Stop, cores, side_by_side
from langcrawl.ports import Learned, Strategy
from langcrawl.simulate.plan import Plan, find_seeds, sum_up
from langcrawl.simulate.rejudge import Source, open_graph
from langcrawl.simulate.run import simulate
from langcrawl.strategy import make_strategy

_SMALL = 1_000_000
"""Pages that are simulated sooner than a process is started."""
_INTERPRETED = 500
Named = str | Strategy | Learned
"""A strategy: as a user writes it, or made already."""


@dataclass(frozen=True, slots=True)
class _Opened:
    """A graph that is never sent to another process: that one opens the log instead."""

    source: Source
    graph: Graph

    def __reduce__(self) -> tuple[Callable[[Source], _Opened], tuple[Source]]:
        return _open, (self.source,)


def _open(source: Source) -> _Opened:
    return _Opened(source, open_graph(source))


def simulate_all(
    source: Source,
    strategies: Sequence[Named],
    plan: Plan,
    progress: Progress,
    stop: Stop,
    interpreted: bool = False,
) -> tuple[Graph, list[Result]]:
    """Run strategies over a log; after a stop, the results of those that had begun.

    A strategy that fails has a result as well: its `error` says why. Only what has a name can be
    made in another process, so where a strategy is made already, all run in this one.
    """
    for each in strategies:
        _made(each)  # a name that is wrong is said before anything runs
    opened = _open(source)
    find_seeds(opened.graph, plan)  # so are seeds that the log does not have
    slow = _INTERPRETED if interpreted or plan.timing else 1
    large = opened.graph.pages * slow > _SMALL
    work = partial(_simulate, opened, plan, interpreted)
    failed = partial(_failed, opened.graph, plan)
    apart = large and all(isinstance(each, str) for each in strategies)
    processes = min(cores(), len(strategies)) if apart else 1
    return opened.graph, side_by_side(work, strategies, processes, failed, progress, stop)


def _made(strategy: Named) -> Strategy | Learned:
    return make_strategy(strategy) if isinstance(strategy, str) else strategy


def _simulate(opened: _Opened, plan: Plan, interpreted: bool, strategy: Named, job: Job) -> Result:
    """One strategy, in whichever process."""
    made = _made(strategy)
    return simulate(opened.graph, made, plan, job.progress, job.stop, interpreted)


def _failed(graph: Graph, plan: Plan, strategy: Named, error: LangcrawlError) -> Result:
    """The result of a strategy that failed: that of no page, and why."""
    none: Any = np.empty(0, np.int32)
    return Result(
        name=strategy if isinstance(strategy, str) else strategy.name,
        summary=sum_up(graph, plan, none, none),
        max_queue=0,
        discards={},
        seconds=0.0,
        partial=True,
        order=none,
        error=str(error),
    )
