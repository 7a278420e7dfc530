"""Coverage: how often the interval of the estimate holds the truth, where the truth is known."""

from __future__ import annotations

import os
import statistics
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np

from langcrawl.log.graph import Graph, load_graph
from langcrawl.measure.crawled import of_simulation
from langcrawl.measure.estimate import Estimate, estimate
from langcrawl.records import Limits
from langcrawl.simulate import Plan, simulate
from langcrawl.strategy import make_strategy
from langcrawl.virtualweb.synth import generate, load_profile

WEBS = {
    "thai-2005": 100_000,
    "myanmar-2014": 100_000,
    "mongolian-2014": 200_000,
    "japanese-2005": 40_000,
}
"""Profiles, and pages of a web of each."""
LEVELS = (0.2, 0.5, 0.8)
_SHARE = 0.02


class Case(NamedTuple):
    """One estimate, and what is true."""

    web: str
    seed: int
    truth: float
    draws: int
    found: Estimate | None

    @property
    def holds(self) -> bool:
        return self.found is not None and self.found.low <= self.truth <= self.found.high


def run() -> None:
    """how often the 90 % interval of the estimated coverage holds the truth"""
    crawls = int(os.environ.get("LANGCRAWL_CRAWLS", "200"))
    first = int(os.environ.get("LANGCRAWL_FIRST_SEED", "1001"))
    strategy = os.environ.get("LANGCRAWL_STRATEGY", "soft")
    cases: list[Case] = []
    for number in range(crawls):
        web = list(WEBS)[number % len(WEBS)]
        seed = first + number // len(WEBS)
        with tempfile.TemporaryDirectory() as folder:
            generate(Path(folder) / "web", load_profile(web), WEBS[web], seed)
            cases += estimates(load_graph(Path(folder) / "web"), web, seed, strategy)
        if number % 8 == 7 or number == crawls - 1:
            _show(cases, number + 1, strategy)


def estimates(graph: Graph, web: str, seed: int, strategy: str) -> list[Case]:
    """The estimates of one crawl at each level of true coverage that it reaches."""
    reached = simulate(graph, make_strategy("bfs"), Plan()).order
    whole = int(np.count_nonzero(graph.relevant[reached]))
    plain = simulate(graph, make_strategy(strategy), Plan()).order
    needed = int(np.searchsorted(np.cumsum(graph.relevant[plain] != 0), LEVELS[-1] * whole))
    plan = Plan(limits=Limits(max_pages=int(needed * 1.15) + 100), sample=_SHARE, sample_seed=seed)
    result = simulate(graph, make_strategy(strategy), plan)
    assert result.drawn is not None
    found = np.cumsum(graph.relevant[result.order] != 0)
    cases = []
    for level in LEVELS:
        if found[-1] < level * whole:
            continue
        end = int(np.searchsorted(found, level * whole)) + 1
        drawn = result.drawn[result.drawn < end]
        said = estimate(of_simulation(graph, result.order[:end], drawn))
        cases.append(Case(web, seed, float(found[end - 1] / whole), len(drawn), said))
        if said is not None:
            print(f"{web} {seed} {cases[-1].truth:.3f} {said.low:.3f} {said.coverage:.3f} "
                  f"{said.high:.3f} {len(drawn)}", flush=True)  # fmt: skip
    return cases


def _show(cases: list[Case], crawls: int, strategy: str) -> None:
    """A table of what was found so far."""
    print(f"\n{crawls} crawls by {strategy}, {_SHARE:.0%} drawn")
    print("| web | true coverage | estimates | hold the truth | median half-width | mean error |")
    print("| --- | --- | --- | --- | --- | --- |")
    for web in (*WEBS, "all"):
        for level in LEVELS:
            some = [
                case for case in cases
                if web in (case.web, "all") and abs(case.truth - level) < 0.05
            ]  # fmt: skip
            said = [case for case in some if case.found is not None]
            if not said:
                continue
            widths = [(c.found.high - c.found.low) / 2 for c in said if c.found]
            errors = [c.found.coverage - c.truth for c in said if c.found]
            holds = sum(case.holds for case in said) / len(said)
            print(
                f"| {web} | {level:.0%} | {len(said)} of {len(some)} | {holds:.1%} "
                f"| {statistics.median(widths):.3f} | {statistics.mean(errors):+.3f} |"
            )
    print(flush=True)
