"""The interpreted simulation: the crawl loop itself, on a replayed web. The reference."""

from __future__ import annotations

import time
from array import array
from collections.abc import Callable

import numpy as np

from langcrawl.crawl import Crawl
from langcrawl.frontier.memory import MemoryFrontier
from langcrawl.ports import Strategy
from langcrawl.records import Step
from langcrawl.simulate.plan import NOT_IN_LOG, Plan, Progress, Result, find_seeds, sum_up
from langcrawl.virtualweb.graph import Graph
from langcrawl.web.replay import ReplayedWeb

_TELL_EVERY = 1000


class _Recorder:
    """A sink that remembers the nodes in the order taken, and the queue after each."""

    def __init__(self, web: ReplayedWeb, progress: Progress) -> None:
        self.order, self.queue = array("i"), array("i")
        self._web, self._progress, self._relevant = web, progress, 0

    def take(self, step: Step) -> None:
        self.order.append(self._web.node(step.visit.url))
        self.queue.append(step.queue)
        self._relevant += step.verdict.relevant
        if step.number % _TELL_EVERY == 0:
            self._progress(step.number, self._relevant, step.queue)

    def close(self) -> None:
        """Nothing to release."""


def simulate_interpreted(
    graph: Graph,
    strategy: Strategy,
    plan: Plan,
    progress: Progress = lambda pages, relevant, queue: None,
    stop: Callable[[], bool] = lambda: False,
) -> Result:
    """Run a strategy over a log with one connection and without delay: the exact order."""
    web = ReplayedWeb(graph, unknown_fails=plan.unknown_fails)
    seeds, lost = find_seeds(graph, plan)
    recorder = _Recorder(web, progress)
    crawl = Crawl(
        web,
        MemoryFrontier(strategy.last_first),
        strategy,
        bridge=graph.config.bridge,
        limits=plan.limits,
        sinks=(recorder,),
        stop=stop,
    )
    began = time.perf_counter()
    outcome = crawl.run(graph.urls[node] for node in seeds)
    seconds = time.perf_counter() - began
    order, queue = np.array(recorder.order, np.int32), np.array(recorder.queue, np.int32)
    discards = dict(outcome.discards)
    if web.unknown_dropped + lost:
        discards[NOT_IN_LOG] = web.unknown_dropped + lost
    return Result(
        name=strategy.name,
        summary=sum_up(graph, plan, order, queue),
        max_queue=outcome.max_queue,
        discards=discards,
        seconds=seconds,
        partial=outcome.stopped == "interrupted",
        order=order,
    )
