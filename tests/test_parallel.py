"""Work that is spread over processes: many batches, or a few long jobs."""

from __future__ import annotations

import fcntl
import multiprocessing
import os
import signal
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from rich.console import Console
from rich.progress import Progress

from langcrawl.errors import BadInput, LangcrawlError
from langcrawl.parallel import Board, Job, Pool, _Board, cores, in_order, side_by_side, spread_over


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


def _wide_pipes(number: int) -> int:
    """How many pipes of this process take a batch of 1 MB in one step."""
    wide = 0
    for fd in map(int, os.listdir("/proc/self/fd")):
        with suppress(OSError):
            wide += fcntl.fcntl(fd, fcntl.F_GETPIPE_SZ) >= 1 << 20
    return wide


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere pipes are as wide as they are")
def test_a_batch_is_handed_over_in_one_step() -> None:
    before = _wide_pipes(0)
    assert min(in_order(_wide_pipes, range(4), 2)) >= before + 2  # one to and one from it


def test_batches_are_not_read_far_ahead_of_the_results() -> None:
    read = []
    results = in_order(_slow_if_even, (read.append(n) or n for n in range(1_000)), 2)
    next(results)
    assert len(read) < 20
    results.close()


def test_a_process_that_is_ended_is_told_in_our_own_words() -> None:
    with pytest.raises(LangcrawlError, match="ended from outside"):
        list(in_order(_end, [1, 2], 2))


_first_is_taken = multiprocessing.Event()


def _cut_off(number: int) -> int:
    """One of these is caught in the middle of its result."""
    if number:
        assert _first_is_taken.wait(60)
        frame = sys._getframe()
        while "result_queue" not in frame.f_locals:
            assert frame.f_back is not None
            frame = frame.f_back
        os.write(frame.f_locals["result_queue"]._writer.fileno(), struct.pack("!i", 1_000) + b"x")
        time.sleep(600)
    return number


def test_work_that_is_given_up_in_the_middle_of_a_result_ends() -> None:
    results = in_order(_cut_off, [0, 1], 2)
    assert next(results) == 0
    _first_is_taken.set()
    time.sleep(0.5)
    ending = threading.Thread(target=results.close, daemon=True)
    ending.start()
    ending.join(60)
    assert not ending.is_alive()


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


def _fail(number: int) -> int:
    if number == 3:
        raise BadInput("the third is bad.")
    return number


def test_an_error_of_one_batch_ends_the_work() -> None:
    with pytest.raises(BadInput, match="third"):
        list(in_order(_fail, range(1_000), 2))


class _Heavy:
    """Work that must not be sent to another process."""

    def __call__(self, number: int) -> int:
        return number + 1

    def __reduce__(self) -> str:
        raise AssertionError("it was copied")


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere processes start from nothing")
def test_work_is_not_copied_to_the_processes_that_do_it() -> None:
    assert list(in_order(_Heavy(), range(5), 2)) == [1, 2, 3, 4, 5]


def _count(target: int, job: Job) -> tuple[str, int, int]:
    """Count up slowly; -1 fails, and -2 is killed."""
    if target == -1:
        raise BadInput("cannot count to -1.")
    if target == -2:
        os.kill(os.getpid(), signal.SIGKILL)
    for number in range(target):
        job.progress(number + 1, (number + 1) / target, f"at {number + 1} \u0e01")
        time.sleep(0.05)
        if job.stop():
            return "stopped", number + 1, os.getpid()
    return "done", target, os.getpid()


def _failed(target: int, error: LangcrawlError) -> tuple[str, int, int]:
    return str(error), target, 0


class _Told:
    """Remembers what it was told of each job."""

    def __init__(self) -> None:
        self.of: dict[int, list[tuple[int, float | None, str]]] = {}

    def __call__(
        self, done: int, share: float | None = None, words: str = "", job: int = 0, /
    ) -> None:
        self.of.setdefault(job, []).append((done, share, words))


@pytest.mark.parametrize("processes", [1, 2])
def test_long_jobs_tell_where_they_stand_and_one_that_fails_leaves_the_others(
    processes: int,
) -> None:
    told = _Told()
    results = side_by_side(_count, [12, -1, 10, 0], processes, _failed, told)
    assert [result[:2] for result in results] == [
        ("done", 12), ("cannot count to -1.", -1), ("done", 10), ("done", 0),
    ]  # fmt: skip
    assert (os.getpid() in {result[2] for result in results}) == (processes == 1)
    assert set(told.of) == {0, 2}
    for job, target in ((0, 12), (2, 10)):
        steps = told.of[job]
        assert len(set(steps)) >= 2  # more, where the machine has time for it
        assert steps == sorted(steps)
        assert steps[-1] == (target, 1.0, f"at {target} \u0e01")


@pytest.mark.parametrize("processes", [1, 2])
def test_a_stop_reaches_the_jobs_and_those_that_had_not_begun_have_no_result(
    processes: int,
) -> None:
    began = time.monotonic()
    results = side_by_side(
        _count, [1_000] * 6, processes, _failed, stop=lambda: time.monotonic() > began + 0.7
    )
    assert time.monotonic() - began < 20
    assert len(results) == processes
    assert {result[0] for result in results} == {"stopped"}


def test_a_process_that_is_killed_takes_no_other_result_with_it() -> None:
    results = side_by_side(_count, [30, -2, 8, 9], 2, _failed)
    assert [result[1] for result in results] == [30, -2, 8, 9]
    assert [result[0] for result in results if result[1] > 0] == ["done"] * 3
    assert "ended from outside" in results[1][0]


class _HandedOutSlowly(list[int]):
    """The processes are at work on the first items long before the last is handed out."""

    def __getitem__(self, at: Any) -> Any:
        time.sleep(0.2)
        return super().__getitem__(at)


def test_a_process_may_be_killed_before_all_work_is_handed_out() -> None:
    results = side_by_side(_count, _HandedOutSlowly([-2, 3, 4]), 2, _failed)
    assert [result[1] for result in results] == [-2, 3, 4]
    assert [result[0] for result in results[1:]] == ["done"] * 2
    assert "ended from outside" in results[0][0]


def test_a_mistake_of_our_own_is_not_taken_for_a_failed_job() -> None:
    with pytest.raises(ZeroDivisionError):
        side_by_side(_divide, [1, 0], 2, _failed)


def _divide(number: int, job: Job) -> tuple[str, int, int]:
    return "", 1 // number, 0


def test_the_board_keeps_long_words_and_passes_over_what_is_half_written() -> None:
    board, told = _Board(3), _Told()
    board.tell(told)
    assert told.of == {}
    board.write(5, None, "\u0e01" * 100, 1)
    board.write(0, 0.25, "", 2)
    board.tell(told)
    assert told.of == {1: [(5, None, "\u0e01" * 66)], 2: [(0, 0.25, "")]}
    board._slots[board._SLOT + 30 : board._SLOT + 33] = b"..."
    told.of.clear()
    board.tell(told)
    assert set(told.of) == {2}


PARENT = """
import os, signal, sys, time
from langcrawl.cli.progress import Interrupt
from langcrawl.parallel import in_order

def work(number):
    print(os.getpid(), flush=True)
    if number == 3 and sys.argv[1] == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(60 if number else 0)

with Interrupt() as stop:
    for _ in in_order(work, range(6), 2):
        if sys.argv[1] == "SIGINT":
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)
        elif sys.argv[1] != "kill":
            os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="processes are looked for in /proc")
@pytest.mark.parametrize("ending", ["SIGINT", "SIGKILL"])
def test_processes_end_with_their_parent(ending: str, tmp_path: Path) -> None:
    (tmp_path / "parent.py").write_text(PARENT)
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "parent.py", ending], cwd=tmp_path, capture_output=True, text=True,
        timeout=50, check=False,
    )  # fmt: skip
    assert done.returncode in (1, 130, -signal.SIGINT, -signal.SIGKILL)
    children = {int(word) for word in done.stdout.split()}
    assert children
    while any(_runs(child) for child in children) and time.monotonic() < began + 50:
        time.sleep(0.05)
    assert not any(_runs(child) for child in children)


@pytest.mark.skipif(sys.platform != "linux", reason="processes are looked for in /proc")
def test_the_others_end_at_once_when_one_is_killed_also_where_ctrl_c_is_heard(
    tmp_path: Path,
) -> None:
    """The pool ends them by SIGTERM, which the parent takes for a request to stop."""
    (tmp_path / "parent.py").write_text(
        PARENT.replace("60 if number else 0", "60 if number == 1 else 0")
    )
    done = subprocess.run(
        [sys.executable, "parent.py", "kill"], cwd=tmp_path, capture_output=True, text=True,
        timeout=50, check=False,
    )  # fmt: skip
    assert "ended from outside" in done.stderr
    assert "stopping" not in done.stderr


def _runs(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


class _Threads:
    """Threads as the place where work goes."""

    cores = 5

    def __init__(self) -> None:
        self.pools = 0

    @contextmanager
    def pool(self, processes: int, work: Callable[[Any], Any], /) -> Iterator[Pool]:
        self.pools += 1
        with ThreadPoolExecutor(processes) as threads:

            class Submits:
                def submit(self, item: Any, /) -> Future[Any]:
                    return threads.submit(work, item)

            yield Submits()

    def board(self, jobs: int, /) -> Board:
        return _Board(jobs)


def _told(number: int, job: Job) -> tuple[int, int]:
    job.progress(number, 0.5, f"job {number}")
    return number, os.getpid()


def test_work_goes_where_it_is_sent_and_nowhere_else_afterwards() -> None:
    place, here, before = _Threads(), os.getpid(), cores()
    said: dict[int, str] = {}

    def progress(done: int, share: float | None = None, words: str = "", job: int = 0, /) -> None:
        said[job] = words

    def failed(number: int, error: LangcrawlError) -> tuple[int, int]:
        raise error

    with spread_over(place):
        assert cores() == 5
        assert list(in_order(_slow_if_even, range(20), 2)) == [(n, here) for n in range(20)]
        assert side_by_side(_told, [0, 1], 2, failed, progress) == [(0, here), (1, here)]
        assert list(in_order(_slow_if_even, range(3), 1)) == [(n, here) for n in range(3)]
    assert said == {0: "job 0", 1: "job 1"}
    assert place.pools == 2, "one process is this one, wherever others are"
    assert cores() == before
    assert here not in {process for _, process in in_order(_slow_if_even, range(4), 2)}
