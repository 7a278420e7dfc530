"""Work on batches in several processes."""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from rich.console import Console
from rich.progress import Progress

from langcrawl.errors import LangcrawlError
from langcrawl.virtualweb.pool import in_order


def _slow_if_even(number: int) -> tuple[int, int]:
    time.sleep(0.02 * (number % 2 == 0))
    return number, os.getpid()


def _end(number: int) -> int:
    os._exit(number)


def test_results_come_in_order_from_as_many_processes_as_asked_for() -> None:
    results = list(in_order(_slow_if_even, range(40), 3))
    assert [number for number, _ in results] == list(range(40))
    processes = {process for _, process in results}
    assert len(processes) == 3
    assert os.getpid() not in processes


def test_batches_are_not_read_far_ahead_of_the_results() -> None:
    read = []
    results = in_order(_slow_if_even, (read.append(n) or n for n in range(1_000)), 2)
    next(results)
    assert len(read) < 20
    results.close()


def test_a_process_that_is_ended_is_told_in_our_own_words() -> None:
    with pytest.raises(LangcrawlError, match="ended from outside"):
        list(in_order(_end, [1, 2], 2))


def test_processes_begin_while_other_threads_are_at_work(tmp_path: Path) -> None:
    """Those of pyarrow and numpy, and a progress bar on a terminal."""
    table = pa.table({"a": np.arange(100_000), "b": [str(n) for n in range(100_000)]})
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=5_000)
    with (
        (tmp_path / "terminal").open("w") as terminal,
        Progress(
            console=Console(file=terminal, force_terminal=True), refresh_per_second=200
        ) as bar,
    ):
        bar.add_task("importing")
        for _ in range(10):
            pq.read_table(tmp_path / "a.parquet", use_threads=True)
            np.ones((200, 200)) @ np.ones((200, 200))
            assert len(list(in_order(_rows, [tmp_path / "a.parquet"] * 4, 2))) == 4


def _rows(path: Path) -> int:
    return int(pq.read_table(path, use_threads=True).num_rows)
