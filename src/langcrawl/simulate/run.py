"""One strategy on one graph, by the loop that suits it."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace

from langcrawl.errors import BadInput
from langcrawl.ports import Strategy
from langcrawl.simulate.compiled import CannotCompile, memory_needed, simulate_compiled
from langcrawl.simulate.interpreted import simulate_interpreted
from langcrawl.simulate.oracle import prune
from langcrawl.simulate.plan import Plan, Progress, Result, find_seeds, with_politeness
from langcrawl.virtualweb.graph import Graph


def simulate(
    graph: Graph,
    strategy: Strategy,
    plan: Plan,
    progress: Progress = lambda pages, relevant, queue: None,
    stop: Callable[[], bool] = lambda: False,
    interpreted: bool = False,
) -> Result:
    """Run a strategy over a log in the exact order; compiled, unless that cannot be."""
    _check_memory(graph, strategy, plan)
    seeds = find_seeds(graph, plan)
    if strategy.oracle:
        graph, useful = prune(graph, seeds.nodes)
        seeds = replace(seeds, nodes=useful)
    if not interpreted and plan.timing is None:
        try:
            return simulate_compiled(graph, strategy, plan, seeds, progress, stop)
        except CannotCompile as error:
            warnings.warn(
                f"the strategy '{strategy.name}' runs interpreted, some hundred times slower, "
                f"because its rule cannot be compiled: {error}",
                stacklevel=2,
            )
    result = simulate_interpreted(graph, strategy, plan, seeds, progress, stop)
    if plan.timing and plan.timing.delay > 0 and not stop():
        impolite = replace(plan, timing=replace(plan.timing, delay=0.0))
        bare = simulate_interpreted(graph, strategy, impolite, seeds, progress, stop)
        result = replace(result, time=with_politeness(result, bare))
    return result


def _check_memory(graph: Graph, strategy: Strategy, plan: Plan) -> None:
    """Say before the start, not by dying half way, that the machine is too small."""
    needed, there = memory_needed(graph, strategy, plan), _memory_available()
    if needed > there:
        raise BadInput(
            f"'{strategy.name}' on this log needs {needed / 1e9:.1f} GB of memory, and "
            f"{there / 1e9:.1f} GB are free; end other work or use a larger machine."
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
