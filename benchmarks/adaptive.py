"""The strategy that learns, against the rules, on real manuals and on generated webs.

The manuals are the crawl that ``python -m benchmarks debian`` keeps; another crawl of theirs may be
named in ``LANGCRAWL_MANUALS``. Where there is none, only generated webs are measured.
"""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

from benchmarks.debian import CRAWL, TARGETS
from langcrawl.log.graph import Graph, load_graph
from langcrawl.measure.results import Result
from langcrawl.ports import Offer, not_waiting
from langcrawl.records import Facts, Links
from langcrawl.simulate import Plan, simulate
from langcrawl.strategy import make_strategy
from langcrawl.strategy.learned import Adaptive
from langcrawl.strategy.learned.adaptive import SIGNALS
from langcrawl.virtualweb.synth import generate, load_profile

RULES = (
    "bfs", "soft", "best-first", "correlation", "limited:n=4,prioritized=true",
    "lswc:s=20,t=5", "lswc:s=100,t=5", "lswc:s=1000,t=20",
)  # fmt: skip
TUNED_ON = ("ja", "km", "ko", "el", "lt", "hi", "fi")
"""Targets in the runs by which variants were compared; the others had no part in that."""
WEBS = (("thai-2005", 3), ("thai-2005", 4), ("japanese-2005", 2), ("myanmar-2014", 2), ("today", 2))
PAGES = 100_000
LEVELS = ("0.5", "0.8", "0.9", "0.99")
LINKS = 50


def run() -> None:
    """adaptive against the rules: manuals in a dozen languages, and generated webs"""
    print(f"ranking {LINKS} links: {_per_offer() * 1e3:.3f} ms")
    manuals = Path(os.environ.get("LANGCRAWL_MANUALS", CRAWL))
    if manuals.is_dir():
        names = [(f"manuals {lang}", load_graph(manuals, lang=lang)) for lang in TARGETS]
        print(_table(names), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        webs = []
        for profile, seed in WEBS:
            directory = Path(folder) / f"{profile}-{seed}"
            generate(directory, load_profile(profile), PAGES, seed)
            webs.append((f"{profile}, seed {seed}", load_graph(directory)))
        print(_table(webs), flush=True)


def run_ablation() -> None:
    """adaptive without one signal after the other: downloads to 90 %, on the manuals"""
    manuals = Path(os.environ.get("LANGCRAWL_MANUALS", CRAWL))
    graphs = [load_graph(manuals, lang=lang) for lang in TARGETS]
    for left_out in ("", *SIGNALS):
        name = f"adaptive:without={left_out}" if left_out else "adaptive"
        cells = [_or_dash(_run(graph, name), "0.9") for graph in graphs]
        print(f"| `{name}` | {' | '.join(cells)} |", flush=True)


def _table(webs: Iterable[tuple[str, Graph]]) -> str:
    """Downloads to each level, what `perfect` needs, the best rule at 90 %, and the speed."""
    lines = [
        "| web | pages | 50 % | 80 % | 90 % | 99 % | `perfect` 90 % | times | best rule 90 % "
        "| times | pages/s |",
        "| --- |" + " ---: |" * 7 + " --- | ---: | ---: |",
    ]
    ratios_by_name = {}
    for name, graph in webs:
        result, perfect = _run(graph, "adaptive"), _run(graph, "perfect").summary.pages_to["0.9"]
        rules = {rule: _run(graph, rule).summary.pages_to["0.9"] for rule in RULES}
        reached = {rule: needed for rule, needed in rules.items() if needed}
        best = min(reached, key=lambda rule: reached[rule])
        needed = result.summary.pages_to["0.9"] or 0
        ratios_by_name[name] = needed / (perfect or 1)
        cells = " | ".join(_or_dash(result, level) for level in LEVELS)
        times = ratios_by_name[name]
        lines.append(
            f"| {name} | {graph.relevant_total:,} | {cells} | {perfect:,} | {times:.2f} "
            f"| {reached[best]:,} `{best}` | {needed / reached[best]:.2f} "
            f"| {result.summary.pages / result.seconds:,.0f} |"
        )
    ratios = list(ratios_by_name.values())
    lines.append(f"median {statistics.median(ratios):.2f}, worst {max(ratios):.2f}")
    apart = [ratio for name, ratio in ratios_by_name.items() if name[-2:] not in TUNED_ON]
    lines.append(f"of those that had no part in tuning: median {statistics.median(apart):.2f}")
    return "\n".join(lines)


def _run(graph: Graph, strategy: str) -> Result:
    return simulate(graph, make_strategy(strategy), Plan())


def _or_dash(result: Result, level: str) -> str:
    needed = result.summary.pages_to[level]
    return "-" if needed is None else f"{needed:,}"


def _per_offer() -> float:
    """Seconds to rank the links of one page, new ones and known ones, the best of some."""
    learner, best = Adaptive("th"), 1.0
    facts = Facts(1, 3, 0, 1, 0.0, 1, 0, 0, 0)
    for page in range(200):
        urls = [f"http://h{page % 7}.example/a/{page % 5}/p{at + page}.html" for at in range(LINKS)]
        texts = [f"read {at} more about {page}" for at in range(LINKS)]
        links = Links(urls, texts, tag_paths=["body/div.menu/ul/li"] * LINKS)
        states = [not_waiting(url) for url in urls]
        hosts = [url.split("/")[2] for url in urls]
        offer = Offer(links, states, hosts, [facts] * LINKS, "link", "http://h0.example/a/")
        began = time.perf_counter()
        learner.rank(offer)
        best = min(best, time.perf_counter() - began)
    return best
