"""Building the arrays of a log of paper 000's size, and analyzing it, against scipy."""

from __future__ import annotations

import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from benchmarks.scale import RUNS, write_web
from langcrawl.measure.components import component_sizes
from langcrawl.virtualweb.graph import Graph, load_graph
from langcrawl.virtualweb.log import write_segment
from langcrawl.virtualweb.schema import TABLES

SEGMENTS = 28
ENDINGS = ("com", "com", "com", "com", "co.th", "or.jp", "de", "net", "org", "ac.th")


def write_log(directory: Path, pages: int, urls: int, links: int) -> None:
    """A complete log of a given size, in several segments, with host names and charsets."""
    write_web(directory, pages, urls, links)
    graph = load_graph(directory)
    count = int(graph.arrays.host.max()) + 1
    names = pa.array([_host_name(n) for n in range(count)])
    for number in range(SEGMENTS):
        write_segment(directory, number, _segment(graph, names, number))
    shutil.rmtree(directory / "log" / "graph")


def run() -> None:
    """14.0 M pages, 39.1 M URLs, 124 M links: building the arrays, analyze, and a peer's part"""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder)
        write_log(log, 13_999_847, 39_078_797, 123_836_342)
        seconds, peak = _timed(log)
        print(f"analyze, arrays built on the way  {seconds:7.1f} s, peak {peak:.1f} GB", flush=True)
        runs = [_timed(log) for _ in range(RUNS)]
        graph = load_graph(log)
        peer = statistics.median(_scipy(graph) for _ in range(RUNS))
        print(f"scipy connected_components        {peer:7.1f} s", flush=True)
        seconds = statistics.median(seconds for seconds, _ in runs)
        print(
            f"analyze, arrays built before      {seconds:7.1f} s, peak {runs[0][1]:.1f} GB, "
            f"{seconds / peer:.2f} x scipy's components alone"
        )
        own = statistics.median(_components(graph) for _ in range(RUNS))
        print(f"its connected components          {own:7.1f} s, {own / peer:.2f} x scipy")


def _timed(log: Path) -> tuple[float, float]:
    """Seconds and peak memory, in GB, of the whole command in a process of its own."""
    command = [sys.executable, "-m", "langcrawl", "analyze", str(log), "--json"]
    measure = (
        "import resource, subprocess, sys\n"
        "subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL,"
        " stderr=subprocess.DEVNULL)\n"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    began = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", measure, *command], check=True, capture_output=True
    )
    return time.perf_counter() - began, int(done.stdout) / 1e6


def _scipy(graph: Graph) -> float:
    """The peer's components, over the same links; making its matrix is not counted."""
    arrays = graph.arrays
    inside = arrays.dst < graph.pages
    kept = np.concatenate([[0], np.cumsum(inside, dtype=np.int64)])
    indptr = kept[arrays.offsets].astype(np.int32)
    dst = arrays.dst[inside]
    matrix = csr_array((np.ones(len(dst)), dst, indptr), shape=(graph.pages,) * 2)
    began = time.perf_counter()
    connected_components(matrix, connection="strong")
    return time.perf_counter() - began


def _components(graph: Graph) -> float:
    began = time.perf_counter()
    component_sizes(graph)
    return time.perf_counter() - began


def _segment(graph: Graph, names: pa.Array, number: int) -> dict[str, pa.Table]:
    arrays = graph.arrays
    first, last = _share(graph.nodes, number)
    ids = pa.array(np.arange(first, last))
    host = names.take(pa.array(arrays.host[first:last]))
    url = pc.binary_join_element_wise("http://", host, "/p", ids.cast(pa.string()), "")
    urls = {"id": ids, "url": url, "host": host}
    first, last = _share(graph.pages, number)
    relevant = graph.relevant[first:last].astype(bool)
    pages = {
        "id": np.arange(first, last),
        "status": arrays.status[first:last],
        "language": pa.array(np.where(relevant, "th", np.where(arrays.host[first:last] % 2, "en",
                                                               "und"))),
        "charset_meta": pa.array(np.where(relevant, "tis-620", "iso-8859-1")),
        "relevant": relevant,
        "score": graph.score[first:last],
    }  # fmt: skip
    rows = slice(arrays.offsets[first], arrays.offsets[last])
    degree = np.diff(arrays.offsets[first : last + 1])
    links = {
        "src": np.repeat(np.arange(first, last), degree),
        "dst": arrays.dst[rows].astype(np.int64),
    }
    return {
        "urls": _table("urls", urls),
        "links": _table("links", links),
        "pages": _table("pages", pages),
    }


def _host_name(number: int) -> str:
    """Three hosts share a registered domain."""
    return f"h{number}.d{number // 3}.{ENDINGS[number // 3 * 7 % len(ENDINGS)]}"


def _share(total: int, number: int) -> tuple[int, int]:
    return total * number // SEGMENTS, total * (number + 1) // SEGMENTS


def _table(name: str, columns: dict[str, Any]) -> pa.Table:
    """A table of the log's schema; columns that are not given are empty."""
    rows = len(next(iter(columns.values())))
    arrays = [
        pa.array(columns[field.name]).cast(field.type)
        if field.name in columns
        else pa.nulls(rows, field.type)
        for field in TABLES[name]
    ]
    return pa.Table.from_arrays(arrays, schema=TABLES[name])
