"""Generating webs of the papers' size and beyond, against writing as many random links."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.commands import run_command


def run_huge() -> None:
    """thai-2005 with 100 M pages: seconds and memory of the whole command"""
    with tempfile.TemporaryDirectory() as folder:
        report_synth(Path(folder) / "web", 100_000_000)


def report_synth(web: Path, pages: int) -> None:
    """Generate a web and say what that took."""
    done = run_command("synth", str(web), "--pages", str(pages), "--json")
    made = done.document
    with tempfile.TemporaryDirectory() as folder:
        peer = _random_links(Path(folder) / "links.parquet", made["links"])
    print(
        f"synth: {made['pages']:,} pages, {made['urls']:,} URLs, {made['links']:,} links: "
        f"{done.seconds:.0f} s, peak {done.peak:.1f} GB; "
        f"{done.seconds / peer:.1f} x writing as many random pairs, which takes {peer:.0f} s",
        flush=True,
    )


def _random_links(path: Path, count: int, chunk: int = 4_000_000) -> float:
    """The peer: pairs of numbers, written by pyarrow in the same format."""
    rng = np.random.default_rng(1)
    schema = pa.schema([("src", pa.int64()), ("dst", pa.int64())])
    began = time.perf_counter()
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        for first in range(0, count, chunk):
            rows = min(chunk, count - first)
            columns = [np.sort(rng.integers(0, count, rows)), rng.integers(0, count, rows)]
            writer.write_table(pa.table(columns, schema=schema))
    return time.perf_counter() - began
