"""Several strategies side by side: a process each, as many as there are cores.

Every process opens the log for itself; the arrays are mapped, so they are in memory once.
"""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures import wait as wait_for
from multiprocessing.sharedctypes import SynchronizedArray
from typing import Any, NamedTuple

from langcrawl.simulate.plan import Plan, Progress, Result
from langcrawl.simulate.rejudge import Source, open_graph
from langcrawl.simulate.run import simulate
from langcrawl.strategy import make_strategy
from langcrawl.virtualweb.graph import Graph
from langcrawl.virtualweb.pool import cores

Board = Callable[[int, int, int, int], None]
"""Told now and then: which strategy, pages, relevant pages, URLs waiting."""
_SMALL = 2_000_000
"""Pages that are simulated sooner than a process is started."""
_INTERPRETED = 500
_shared: dict[str, Any] = {}


class _Job(NamedTuple):
    """What a process needs to know."""

    source: Source
    plan: Plan
    interpreted: bool


def simulate_all(
    source: Source,
    names: Sequence[str],
    plan: Plan,
    board: Board,
    stop: Callable[[], bool],
    interpreted: bool = False,
) -> tuple[Graph, list[Result]]:
    """Run strategies over a log; after a stop, the results of those that had begun."""
    strategies = [make_strategy(name) for name in names]
    graph = open_graph(source)
    slow = _INTERPRETED if interpreted or plan.timing else 1
    if len(names) > 1 and cores() > 1 and graph.pages * slow > _SMALL:
        job = _Job(source, plan, interpreted)
        return graph, _side_by_side(job, names, min(cores(), len(names)), board, stop)
    results = []
    for number, strategy in enumerate(strategies):
        if not stop():
            tell = _teller(board, number)
            results.append(simulate(graph, strategy, plan, tell, stop, interpreted))
    return graph, results


def _teller(board: Board, number: int) -> Progress:
    return lambda pages, relevant, queue: board(number, pages, relevant, queue)


def _side_by_side(
    job: _Job,
    names: Sequence[str],
    processes: int,
    board: Board,
    stop: Callable[[], bool],
) -> list[Result]:
    context = multiprocessing.get_context("spawn")
    counts = context.Array("q", 3 * len(names))
    halt = context.Event()
    with ProcessPoolExecutor(
        processes, context, initializer=_begin, initargs=(job, counts, halt)
    ) as pool:
        futures: list[Future[Result]] = [
            pool.submit(_one, number, name) for number, name in enumerate(names)
        ]
        while wait_for(futures, timeout=0.2).not_done:
            for number in range(len(names)):
                board(number, *counts[3 * number : 3 * number + 3])
            if stop() and not halt.is_set():
                halt.set()
                for future in futures:
                    future.cancel()
    return [future.result() for future in futures if not future.cancelled()]


def _begin(job: _Job, counts: SynchronizedArray[int], halt: Any) -> None:
    """In each process: leave Ctrl-C to the parent, open the log."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _shared.update(graph=open_graph(job.source), job=job, counts=counts, halt=halt)


def _one(number: int, name: str) -> Result:
    """In each process: run one strategy."""

    def tell(pages: int, relevant: int, queue: int) -> None:
        _shared["counts"][3 * number : 3 * number + 3] = (pages, relevant, queue)

    job: _Job = _shared["job"]
    return simulate(
        _shared["graph"], make_strategy(name), job.plan, tell, _shared["halt"].is_set,
        job.interpreted,
    )  # fmt: skip
