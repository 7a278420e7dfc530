"""Building the arrays of a log of paper 000's size, and analyzing it, against scipy."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from benchmarks.scale import write_web
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
    names = pa.array([f"h{n}.{ENDINGS[n * 7 % len(ENDINGS)]}" for n in range(count)])
    for number in range(SEGMENTS):
        tables = _segment(graph, names, number)
        write_segment(directory, number, tables)
    shutil.rmtree(directory / "log" / "graph")


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
