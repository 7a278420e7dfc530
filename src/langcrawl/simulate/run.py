"""One strategy on one graph, by the loop that suits it."""

from __future__ import annotations

import warnings
from dataclasses import replace

from langcrawl.errors import BadInput
from langcrawl.log.graph import Graph
from langcrawl.measure.results import Result
from langcrawl.parallel import Progress, Stop, never, silent
from langcrawl.ports import Learned, Strategy
from langcrawl.records import Limits
from langcrawl.simulate.compiled import CannotCompile, memory_needed, simulate_compiled
from langcrawl.simulate.interpreted import simulate_interpreted
from langcrawl.simulate.oracle import prune
from langcrawl.simulate.plan import Plan, find_seeds, with_politeness
from langcrawl.strategy import start_ranker
from langcrawl.strategy.learned.adaptive import Adaptive

_WORTH_COMPILING = 5000
"""Pages from which on a learner is compiled: the first time on a machine that takes a while."""


def simulate(
    graph: Graph,
    strategy: Strategy | Learned,
    plan: Plan,
    progress: Progress = silent,
    stop: Stop = never,
    interpreted: bool = False,
) -> Result:
    """Run a strategy over a log in the exact order; compiled, unless that cannot be."""
    rule = strategy if isinstance(strategy, Strategy) else None
    if rule is not None:
        _check_memory(graph, rule, plan)
    seeds = find_seeds(graph, plan)
    if strategy.oracle:
        graph, useful = prune(graph, seeds.nodes)
        seeds = replace(seeds, nodes=useful)
    if rule is not None and not interpreted and plan.timing is None and not plan.sample:
        try:
            return simulate_compiled(graph, rule, plan, seeds, progress, stop)
        except CannotCompile as error:
            warnings.warn(
                f"the strategy '{strategy.name}' runs interpreted, some hundred times slower, "
                f"because its rule cannot be compiled: {error}",
                stacklevel=2,
            )
    if rule is None and not interpreted and _suits_kernel(graph, plan):
        learner = start_ranker(strategy, graph.lang or graph.config.lang)
        if type(learner) is Adaptive:
            from langcrawl.simulate.adaptive.run import simulate_adaptive  # compiles for 20 s once

            return simulate_adaptive(graph, learner, plan, seeds, progress, stop)
    result = simulate_interpreted(graph, strategy, plan, seeds, progress, stop)
    if plan.timing and plan.timing.delay > 0 and not stop():
        impolite = replace(plan, timing=replace(plan.timing, delay=0.0))
        bare = simulate_interpreted(graph, strategy, impolite, seeds, progress, stop)
        result = replace(result, time=with_politeness(result, bare))
    return result


def _suits_kernel(graph: Graph, plan: Plan) -> bool:
    """Whether what is asked for is within what the compiled `adaptive` does, and worth it."""
    plain = plan.timing is None and not plan.sample and not plan.unknown_fails
    limits, most = plan.limits, plan.limits.max_pages
    pages = graph.pages if most is None else min(most, graph.pages)
    return plain and limits == Limits(max_pages=most) and pages >= _WORTH_COMPILING


def _check_memory(graph: Graph, strategy: Strategy, plan: Plan) -> None:
    """Say before the start, not by dying half way, that the machine is too small."""
    needed, there = memory_needed(graph, strategy, plan), _memory_available()
    if needed > there:
        raise BadInput(
            f"'{strategy.name}' on this log needs {needed / 1e9:.1f} GB of memory, and "
            f"{there / 1e9:.1f} GB are free; close other programs or use a larger machine."
        )


def _memory_available() -> float:
    """Bytes that can be had, as the kernel says; without such a kernel, no limit is known."""
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            for line in lines:
                if line.startswith("MemAvailable:"):
                    return float(line.split()[1]) * 1024
    except OSError:
        pass
    return float("inf")
