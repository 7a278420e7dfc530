"""Time left: how often its interval holds, on generated webs where a virtual clock runs.

The clock is that of ``simulate --timed``: hosts rest between requests, answers take a while, and
the speed changes as giving hosts run dry. The interval goes by the speed of the last minutes, as
that of a live crawl does.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from langcrawl.log.graph import Graph, load_graph
from langcrawl.measure.crawled import of_simulation
from langcrawl.measure.estimate import ENOUGH, estimate
from langcrawl.parallel import never, silent
from langcrawl.simulate import Plan, Timing
from langcrawl.simulate.interpreted import simulate_interpreted
from langcrawl.simulate.plan import find_seeds, hits_of
from langcrawl.store.status import LATELY
from langcrawl.strategy import make_strategy
from langcrawl.virtualweb.synth import generate, load_profile

_TIMING = Timing(delay=1.0, connections=64, latency=0.3)


class Left(NamedTuple):
    """How long it took until most was found, and what was said of it before."""

    level: float
    truth: float
    said: tuple[float, float]

    @property
    def holds(self) -> bool:
        return self.said[0] <= self.truth <= self.said[1]


def timed_crawls(
    sizes: dict[str, int], crawls: int, first: int, share: float, levels: tuple[float, ...]
) -> Iterator[Left]:
    """Crawls by `soft` of generated webs, each looked at when so much of it was found."""
    for number in range(crawls):
        name, seed = list(sizes)[number % len(sizes)], first + number // len(sizes)
        with tempfile.TemporaryDirectory() as folder:
            generate(Path(folder) / "web", load_profile(name), sizes[name], seed)
            yield from _looked_at(load_graph(Path(folder) / "web"), share, seed, levels)


def _looked_at(graph: Graph, share: float, seed: int, levels: tuple[float, ...]) -> Iterator[Left]:
    plan = Plan(timing=_TIMING, sample=share, sample_seed=seed)
    strategy = make_strategy("soft")
    done = simulate_interpreted(graph, strategy, plan, find_seeds(graph, plan), silent, never)
    assert done.ends is not None
    assert done.drawn is not None
    found = np.cumsum(hits_of(graph, done.order))
    enough = done.ends[np.searchsorted(found, ENOUGH * found[-1] - 1e-9)]
    for level in levels:
        end = int(np.searchsorted(found, level * found[-1] - 1e-9)) + 1
        seen = of_simulation(graph, done.order[:end], done.drawn[done.drawn < end])
        said = estimate(seen, _TIMING.delay)
        now = done.ends[end - 1]
        since = max(0.0, now - LATELY)
        speed = (end - np.searchsorted(done.ends[:end], since)) / (now - since)
        if said is not None and (left := said.seconds_left(float(speed))) is not None:
            yield Left(level, float(enough - now), left)
