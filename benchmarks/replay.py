"""The interpreted replay: pages a second, against the barest crawl that Python can do."""

from __future__ import annotations

import time
from collections import deque

from benchmarks.webs import random_graph
from langcrawl.log.graph import Graph
from langcrawl.simulate import Plan, simulate
from langcrawl.strategy import make_strategy

RUNS = 3
"""The best of so many counts, for the peer too: other work on the machine only slows."""
STRATEGIES = (
    "bfs", "hard", "soft", "limited:n=2,prioritized=true", "lswc:s=3,t=5", "best-first",
    "correlation",
)  # fmt: skip


def run() -> None:
    """interpreted replay at nine links a page: in the caches and beyond them"""
    for pages in (20_000, 200_000):
        graph = random_graph(pages)
        peer = pages / min(_bare_bfs(graph) for _ in range(RUNS))
        print(f"{pages:,} pages")
        print(f"{'a bare breadth-first search over URLs':40} {peer:10,.0f} pages/s")
        for name in STRATEGIES:
            speed = max(_speed(graph, name) for _ in range(RUNS))
            print(f"{name:40} {speed:10,.0f} pages/s   {peer / speed:5.1f} x the bare search")


def _speed(graph: Graph, name: str) -> float:
    result = simulate(graph, make_strategy(name), Plan(), interpreted=True)
    return result.summary.pages / result.seconds


def _bare_bfs(graph: Graph) -> float:
    """A deque, a set and a dict of lists of URLs: no facts, no priorities, no measures."""
    urls, arrays = graph.urls, graph.arrays
    offsets, dst = arrays.offsets.tolist(), arrays.dst.tolist()
    links = {
        url: [urls[target] for target in dst[offsets[number] : offsets[number + 1]]]
        for number, url in enumerate(urls)
    }
    began = time.perf_counter()
    seen, queue = {urls[0]}, deque([urls[0]])
    while queue:
        for url in links[queue.popleft()]:
            if url not in seen:
                seen.add(url)
                queue.append(url)
    return time.perf_counter() - began
