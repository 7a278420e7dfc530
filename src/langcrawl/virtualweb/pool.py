"""Work on batches in as many processes as there are cores, with the results in order."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import TypeVar

from langcrawl.errors import LangcrawlError

T = TypeVar("T")
R = TypeVar("R")
_AHEAD = 3
"""Batches under way for each process: enough to keep it busy, few enough for memory."""
_WAY = "fork" if sys.platform == "linux" else "spawn"
"""Elsewhere libraries of the system do not bear to be copied, and processes start from nothing."""


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_order(work: Callable[[T], R], batches: Iterable[T], processes: int) -> Iterator[R]:
    """What `work` makes of each batch, in the order of the batches; one process is this one.

    The processes are copies of this one, with all that it has loaded, and begin at once. They
    are made before the pool has threads. Other threads that may be there are those of numpy and
    pyarrow, which prepare for being copied, and that of a progress bar: what these hold at that
    moment no process ever asks for.
    """
    if processes <= 1:
        yield from map(work, batches)
        return
    waiting: deque[Future[R]] = deque()
    pool = ProcessPoolExecutor(processes, multiprocessing.get_context(_WAY), initializer=_begin)
    try:
        for batch in batches:
            with _answering_later():
                waiting.append(pool.submit(work, batch))
            while len(waiting) >= processes * _AHEAD:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    except BrokenProcessPool:
        raise LangcrawlError(
            "a process was ended from outside, perhaps because memory ran out; "
            "do less at a time, as importing fewer files."
        ) from None
    except (KeyboardInterrupt, GeneratorExit):
        _kill(pool)
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _kill(pool: ProcessPoolExecutor) -> None:
    """End the processes at once; one that is still starting would complain of what is gone."""
    for process in list((pool._processes or {}).values()):
        process.kill()


@contextmanager
def _answering_later() -> Iterator[None]:
    """Answer Ctrl-C afterwards: a process that is only half started could not be ended."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    heard: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: heard.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if heard:
        signal.raise_signal(signal.SIGINT)


def _begin() -> None:
    """In each process: leave Ctrl-C to the parent, end when it is gone, make few collections."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    gc.freeze()
    gc.set_threshold(50_000)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
