"""The compiled loop at the size of paper 000's graph, against scipy's breadth-first search."""

from __future__ import annotations

import resource
import time
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order

from langcrawl.config import CrawlConfig
from langcrawl.simulate import Plan, simulate
from langcrawl.strategy import make_strategy
from langcrawl.virtualweb.build import Arrays
from langcrawl.virtualweb.graph import Graph

STRATEGIES = ("soft", "lswc:s=3,t=5", "bfs", "hard", "limited:n=3,prioritized=true")


def paper_web(pages: int, urls: int, links: int, seed: int = 1) -> Graph:
    """A web of a given size: 21 pages a host, heavy-tailed; links near, on hosts, and to hubs."""
    rng = np.random.default_rng(seed)
    host = np.empty(urls, dtype=np.int32)
    host[:pages] = _hosts(rng, pages)
    host[pages:] = rng.integers(0, host[pages - 1] + 1, urls - pages, dtype=np.int32)
    thai = rng.random(int(host[pages - 1]) + 1, dtype=np.float32)[host[:pages]]
    relevant = (thai + rng.normal(0, 0.05, pages).astype(np.float32) < 0.12).astype(np.uint8)
    degree = np.minimum(rng.pareto(1.8, pages) * 7.0, 400).astype(np.int64)
    degree = (degree * (links / degree.sum())).astype(np.int64)
    degree[: links - int(degree.sum())] += 1
    offsets = np.concatenate([[0], np.cumsum(degree)])
    dst = np.empty(links, dtype=np.int32)
    for first in range(0, pages, 1 << 20):
        last = min(first + (1 << 20), pages)
        part = slice(offsets[first], offsets[last])
        dst[part] = _targets(
            rng, np.repeat(np.arange(first, last), degree[first:last]), pages, urls
        )
    seeds = np.flatnonzero(relevant)[:3]
    zeros = np.zeros(pages, dtype=np.int64)
    arrays = Arrays(
        url_id=np.arange(urls),
        host=host,
        offsets=offsets,
        dst=dst,
        status=np.full(pages, 200, dtype=np.int16),
        redirect=np.full(pages, -1, dtype=np.int32),
        tongue=(1 - relevant).astype(np.int16),
        relevant=relevant,
        score=relevant.astype(np.float64),
        bytes=zeros,
        elapsed=zeros.astype(np.float32),
    )
    config = CrawlConfig(lang="th", seeds=tuple(f"http://{node}/" for node in seeds))
    return _Numbered(config, arrays, (("th", ""), ("en", "")), relevant, arrays.score)


class _Numbered(Graph):
    """A graph whose URLs are numbers: a web this large needs no strings to be crawled."""

    def find(self, urls: Sequence[str]) -> list[int]:
        return [int(url.split("/")[2]) for url in urls]


def _hosts(rng: np.random.Generator, pages: int) -> npt.NDArray[np.int32]:
    sizes = np.minimum(rng.pareto(1.1, pages // 12) * 3.0 + 1, 50_000).astype(np.int64)
    sizes = sizes[: int(np.searchsorted(np.cumsum(sizes), pages)) + 1]
    return np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)[:pages].astype(np.int32)


def _targets(
    rng: np.random.Generator, src: npt.NDArray[np.int64], pages: int, urls: int
) -> npt.NDArray[np.int32]:
    """Half near the page, a quarter to popular pages, a quarter to URLs never fetched."""
    count = len(src)
    kind = rng.random(count, dtype=np.float32)
    near = np.clip(src + rng.integers(-40, 41, count), 0, pages - 1)
    hub = (rng.random(count) ** 2 * pages).astype(np.int64)
    unknown = rng.integers(pages, max(urls, pages + 1), count)
    target = np.where(kind < 0.52, near, np.where(kind < 0.77, hub, unknown))
    return np.minimum(target, urls - 1).astype(np.int32)


def run() -> None:
    """14.0 M pages, 39.1 M URLs, 124 M links; seconds of the loop, as ratios to scipy's search"""
    graph = paper_web(13_999_847, 39_078_797, 123_836_342)
    peer = _scipy(graph)
    print(f"{'scipy breadth_first_order':40} {peer:7.1f} s")
    for name in STRATEGIES:
        result = simulate(graph, make_strategy(name), Plan())
        print(
            f"{name:40} {result.seconds:7.1f} s  {result.seconds / peer:5.2f} x scipy   "
            f"{result.summary.pages:>10,} pages, coverage {result.summary.coverage:.1%}"
        )
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.1f} GB")


def _scipy(graph: Graph) -> float:
    """The same search, by the peer: over the same rows, all URLs being nodes."""
    arrays = graph.arrays
    indptr = np.full(graph.nodes + 1, graph.links, dtype=np.int32)
    indptr[: len(arrays.offsets)] = arrays.offsets
    matrix = csr_array(
        (np.ones(graph.links, dtype=np.float64), arrays.dst, indptr), shape=(graph.nodes,) * 2
    )
    start = graph.find(graph.config.seeds)[0]
    began = time.perf_counter()
    breadth_first_order(matrix, start, return_predecessors=False)
    return time.perf_counter() - began
