"""One strategy on one graph, by the loop that suits it."""

from __future__ import annotations

import warnings
from collections.abc import Callable

from langcrawl.ports import Strategy
from langcrawl.simulate.compiled import CannotCompile, simulate_compiled
from langcrawl.simulate.interpreted import simulate_interpreted
from langcrawl.simulate.plan import Plan, Progress, Result
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
    if not interpreted:
        try:
            return simulate_compiled(graph, strategy, plan, progress, stop)
        except CannotCompile as error:
            warnings.warn(
                f"the strategy '{strategy.name}' runs interpreted, some hundred times slower, "
                f"because its rule cannot be compiled: {error}",
                stacklevel=2,
            )
    return simulate_interpreted(graph, strategy, plan, progress, stop)
