"""The interpreted simulation: the crawl loop itself, on a replayed web. The reference."""

from __future__ import annotations

import gc
import time
from array import array
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import numpy.typing as npt

from langcrawl.crawl import Crawl
from langcrawl.draws import MARK, Draws
from langcrawl.frontier.memory import MemoryFrontier
from langcrawl.log.graph import Graph
from langcrawl.measure.results import Result
from langcrawl.parallel import Progress, crawl_words
from langcrawl.politeness import NobodyRests, Politeness, unproven_slots
from langcrawl.ports import Learned, Strategy
from langcrawl.records import Step
from langcrawl.simulate.plan import NOT_IN_LOG, Plan, Seeds, hits_of, sum_up
from langcrawl.simulate.timing import Timing, time_report
from langcrawl.strategy import start_ranker
from langcrawl.web.replay import ReplayedWeb

_TELL_EVERY = 1000


class _Recorder:
    """A sink that remembers the nodes in the order taken, the queue and the time after each."""

    def __init__(self, web: ReplayedWeb, progress: Progress, draws: bool) -> None:
        self.order, self.queue, self.ends, self.busy = array("i"), array("i"), array("d"), 0.0
        self._web, self._progress, self._relevant = web, progress, 0
        self._draws, self.drawn = draws, array("i")

    def take(self, step: Step) -> None:
        number, visit, page, verdict, queue = step
        self.order.append(self._web.node(visit[0]))
        self.queue.append(queue)
        if self._draws and visit.reason.startswith(MARK):
            self.drawn.append(len(self.order) - 1)
        elapsed = page.elapsed
        self.ends.append(page.fetched_at + elapsed)
        self.busy += elapsed
        self._relevant += verdict.relevant
        if number % _TELL_EVERY == 0:
            words = crawl_words(number, self._relevant, queue)
            self._progress(number, None, words)

    def close(self) -> None:
        """Nothing to release."""


@contextmanager
def _without_collector() -> Iterator[None]:
    """Do not look for cycles among millions of records that hold none: a fifth of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _clocks(timing: Timing | None) -> Politeness:
    if timing is None:
        return NobodyRests()
    return Politeness(timing.delay, unproven_slots=unproven_slots(timing.connections))


def _sizes(graph: Graph, order: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
    """How many bytes each of these nodes has."""
    sizes = np.zeros(len(order), np.int64)
    fetched = order < graph.pages
    sizes[fetched] = graph.arrays.bytes[order[fetched]]
    return sizes


def simulate_interpreted(
    graph: Graph,
    strategy: Strategy | Learned,
    plan: Plan,
    seeds: Seeds,
    progress: Progress,
    stop: Callable[[], bool],
) -> Result:
    """Run a strategy over a log: in the exact order, or with the plan's timing in its time."""
    timing = plan.timing or Timing(delay=0.0, connections=1)
    ranker = start_ranker(strategy, graph.lang or graph.config.lang, timing.connections)
    web = ReplayedWeb(
        graph,
        unknown_fails=plan.unknown_fails,
        seconds=timing.seconds(graph) if plan.timing else None,
        anchors=graph.anchor_scores if ranker.gathers else None,
        details=ranker.reads_links,
    )
    recorder = _Recorder(web, progress, draws=plan.sample > 0)
    crawl = Crawl(
        web,
        MemoryFrontier(ranker.last_first, ranker.group_of if ranker.grouped else None),
        ranker,
        politeness=_clocks(plan.timing),
        bridge=graph.config.bridge,
        limits=plan.limits,
        connections=timing.connections,
        sinks=(recorder,),
        stop=stop,
        draws=Draws(plan.sample, plan.sample_seed) if plan.sample else None,
    )
    with _without_collector():
        began = time.perf_counter()
        outcome = crawl.run(graph.urls[node] for node in seeds.nodes)
        seconds = time.perf_counter() - began
    order, queue = np.array(recorder.order, np.int32), np.array(recorder.queue, np.int32)
    discards = dict(outcome.counts.discards)
    if web.unknown_dropped + seeds.lost:
        discards[NOT_IN_LOG] = web.unknown_dropped + seeds.lost
    hits, ends = hits_of(graph, order), np.array(recorder.ends)
    return Result(
        name=strategy.name,
        summary=sum_up(graph, plan, order, queue),
        max_queue=outcome.counts.max_queue,
        discards=discards,
        seconds=seconds,
        partial=outcome.stopped == "interrupted",
        order=order,
        drawn=np.array(recorder.drawn, np.int32),
        ends=ends if plan.timing else None,
        time=time_report(
            timing, ends, recorder.busy, hits, _sizes(graph, order), graph.relevant_total
        )
        if plan.timing
        else None,
    )
