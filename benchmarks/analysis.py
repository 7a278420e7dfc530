"""A web of paper 000's size, generated and analyzed by the commands, against peers."""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from benchmarks.commands import run_command
from benchmarks.generate import report_synth
from langcrawl.log.graph import Graph, load_graph
from langcrawl.measure.components import component_sizes

RUNS = 3


def run() -> None:
    """14.0 M pages, 39.1 M URLs, 124 M links: synth, building the arrays, analyze"""
    with tempfile.TemporaryDirectory() as folder:
        web = Path(folder) / "web"
        report_synth(web, 13_999_847)
        first = run_command("analyze", str(web), "--json")
        print(f"analyze, arrays built on the way  {first.seconds:7.1f} s, peak {first.peak:.1f} GB")
        again = run_command("analyze", str(web), "--json")
        graph = load_graph(web)
        peer = statistics.median(_scipy(graph) for _ in range(RUNS))
        print(f"scipy connected_components        {peer:7.1f} s", flush=True)
        print(
            f"analyze, arrays built before      {again.seconds:7.1f} s, peak {again.peak:.1f} GB, "
            f"{again.seconds / peer:.2f} x scipy's components alone"
        )
        own = statistics.median(_components(graph) for _ in range(RUNS))
        print(f"its connected components          {own:7.1f} s, {own / peer:.2f} x scipy")


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
