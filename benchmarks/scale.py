"""The compiled loop at the size of paper 000's graph, against scipy's breadth-first search."""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order

from benchmarks.commands import run_command
from langcrawl.config import CrawlConfig
from langcrawl.log.build import Arrays, hash_strings
from langcrawl.log.graph import Graph, load_graph, log_stamp, save_arrays

RUNS = 3
STRATEGIES = ("soft", "lswc:s=3,t=5", "best-first")


def write_web(directory: Path, pages: int, urls: int, links: int, seed: int = 1) -> None:
    """A log of a given size, as arrays only: 21 pages a host, heavy-tailed; links near and far."""
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
    zeros = np.zeros(pages, dtype=np.int64)
    seeds = np.flatnonzero(relevant)[:3]
    names = [f"http://{node}.example/" for node in seeds]
    # No URL but the seeds' is ever looked up, so the others have hashes at random.
    hashes = rng.integers(0, 1 << 63, urls, dtype=np.uint64)
    hashes[seeds] = hash_strings(pa.chunked_array([pa.array(names)]))
    by_hash = np.argsort(hashes, kind="stable").astype(np.int32)
    arrays = Arrays(
        url_id=np.arange(urls),
        url_hash=hashes[by_hash],
        hash_node=by_hash,
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
    CrawlConfig(source="import", lang="th", seeds=tuple(names)).save(directory)
    save_arrays(directory / "log" / "graph", arrays, (("th", ""), ("en", "")), log_stamp(directory))


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
    """14.0 M pages, 39.1 M URLs, 124 M links: seconds of the loop, as ratios to scipy's search"""
    with tempfile.TemporaryDirectory() as folder:
        write_web(Path(folder), 13_999_847, 39_078_797, 123_836_342)
        began = time.perf_counter()
        graph = load_graph(Path(folder))
        print(f"opening a log that was used before   {time.perf_counter() - began:7.2f} s")
        peer = statistics.median(_scipy(graph) for _ in range(RUNS))
        print(f"{'scipy breadth_first_order':36} {peer:7.1f} s")
        for name in STRATEGIES:
            _report(Path(folder), name, peer, graph.links)


def run_huge() -> None:
    """100 M pages and 900 M links: time per link against a web of a seventh, and memory"""
    for pages, links in ((14_000_000, 126_000_000), (100_000_000, 900_000_000)):
        with tempfile.TemporaryDirectory() as folder:
            write_web(Path(folder), pages, pages, links)
            for name in ("soft", "lswc:s=3,t=5"):
                _report(Path(folder), name, None, links)


def run_start() -> None:
    """starting simulate on a small log, from the second call on"""
    with tempfile.TemporaryDirectory() as folder:
        write_web(Path(folder), 10_000, 20_000, 90_000)
        for call in ("first", "second", "third"):
            began = time.perf_counter()
            _simulate(Path(folder), "soft")
            print(f"{call} call {time.perf_counter() - began:5.2f} s")


def _report(folder: Path, name: str, peer: float | None, links: int) -> None:
    """Run a strategy alone, in a process of its own, as a user would."""
    runs = [_simulate(folder, name) for _ in range(RUNS if peer else 1)]
    result, peak = runs[0]
    seconds = statistics.median(run["seconds"] for run, _ in runs)
    ratio = f"{seconds / peer:5.2f} x scipy" if peer else f"{seconds / links * 1e9:5.1f} ns a link"
    print(
        f"{name:36} {seconds:7.1f} s  {ratio}   {result['pages']:>11,} pages, coverage "
        f"{result['coverage']:.1%}, peak {peak:.1f} GB",
        flush=True,
    )


def _simulate(folder: Path, name: str) -> tuple[dict[str, Any], float]:
    """The result of a run, and its peak memory."""
    done = run_command("simulate", str(folder), "--strategy", name, "--json")
    return done.document["strategies"][0], done.peak


def _scipy(graph: Graph) -> float:
    """The same search, by the peer: over the same rows, all URLs being nodes."""
    arrays = graph.arrays
    indptr = np.full(graph.nodes + 1, graph.links, dtype=np.int32)
    indptr[: len(arrays.offsets)] = arrays.offsets
    dst = np.array(arrays.dst)
    matrix = csr_array((np.ones(graph.links), dst, indptr), shape=(graph.nodes,) * 2)
    start = graph.find(graph.config.seeds)[0]
    began = time.perf_counter()
    breadth_first_order(matrix, start, return_predecessors=False)
    return time.perf_counter() - began
