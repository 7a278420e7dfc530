"""The one way to spread work over processes, and the one kind of progress.

`in_order` is for many small batches: the results come in the order of the batches, and only
some batches are read ahead. `side_by_side` is for a few long jobs: each may tell where it stands
while it runs and is asked to stop early, and one that fails leaves the others alone.

The processes are copies of this one, with all that it has loaded, and begin at once. So a graph
that is mapped here is mapped there, and nothing of it is copied. They leave Ctrl-C to the parent
and end when it is gone. Within `spread_over` the work goes elsewhere instead: to a cluster.
"""

from __future__ import annotations

import fcntl
import gc
import math
import multiprocessing
import os
import signal
import struct
import sys
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures import wait as wait_for
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, contextmanager, suppress
from contextvars import ContextVar
from functools import partial
from typing import Any, NamedTuple, Protocol, TypeVar
from zlib import crc32

from langcrawl.errors import LangcrawlError

T = TypeVar("T")
R = TypeVar("R")
Stop = Callable[[], bool]
"""Whether work should end early."""
_AHEAD = 3
"""Batches under way for each process: enough to keep it busy, few enough for memory."""
_LOOK_EVERY = 0.2
"""Seconds between two looks at where jobs in other processes stand."""
_ON_ITS_WAY = 1 << 20
"""Bytes that a process sends to another before it waits for it to read: about a batch."""
_WAY = "fork" if sys.platform == "linux" else "spawn"
"""Elsewhere libraries of the system do not bear to be copied, and processes start from nothing."""
_SIGNALS = (signal.SIGINT, signal.SIGTERM)
KILLED = (
    "a process was ended from outside, perhaps because memory ran out; "
    "end other work, or do less at a time."
)
_given: list[Callable[[Any], Any]] = []
"""In a process that was started here: what it does with each item."""


class Progress(Protocol):
    """Called now and then with the progress of some work."""

    def __call__(
        self, done: int, share: float | None = None, words: str = "", job: int = 0, /
    ) -> None:
        """How much is done, which share of the whole where that is known, and what else to say.

        `job` is the number of the job, where there are several. Words alone, with nothing done
        and no share, say which stage begins.
        """


def silent(done: int, share: float | None = None, words: str = "", job: int = 0, /) -> None:
    """The progress that nobody looks at."""


def never() -> bool:
    """Nobody asks the work to stop."""
    return False


def crawl_words(pages: int, relevant: int, queue: int, errors: int = 0) -> str:
    """What is said of a crawl beside its pages, real or simulated."""
    harvest = f"harvest {relevant / max(pages, 1):.1%}, queue {queue:,}"
    return harvest + (f", errors {errors:,}" if errors else "")


class Job(NamedTuple):
    """What a long job is given: where to report progress, and whether to stop."""

    progress: Progress
    stop: Stop


class Pool(Protocol):
    """Takes items of one kind of work."""

    def submit(self, item: Any, /) -> Future[Any]: ...


class Board(Protocol):
    """Where jobs in other processes stand, and whether they should stop. Jobs have a copy of it."""

    def halt(self) -> None: ...

    def halted(self) -> bool: ...

    def write(
        self, done: int, share: float | None = None, words: str = "", job: int = 0, /
    ) -> None:
        """Note where a job stands; this is a `Progress`."""

    def tell(self, progress: Progress) -> None:
        """Tell where every job stands that has said so."""


class Place(Protocol):
    """Where work can be done other than in processes of this machine.

    There `work` and items are sent, and not inherited; files are those of a shared file system.
    """

    @property
    def cores(self) -> int: ...

    def pool(
        self, processes: int, work: Callable[[Any], Any], /
    ) -> AbstractContextManager[Pool]: ...

    def board(self, jobs: int, /) -> Board: ...


_place: ContextVar[Place | None] = ContextVar("place", default=None)


@contextmanager
def spread_over(place: Place) -> Iterator[None]:
    """Have all work that could go to several processes go there."""
    before = _place.set(place)
    try:
        yield
    finally:
        _place.reset(before)


def cores() -> int:
    """How many cores work may use: those of this process, or of where it goes instead."""
    if place := _place.get():
        return place.cores
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_order(
    work: Callable[[T], R], batches: Iterable[T], processes: int
) -> Generator[R, None, None]:
    """What `work` makes of each batch, in the order of the batches; one process is this one.

    Processes get `work` once, when they start, and then only batches. Who does not take all
    results closes the generator, which ends the processes.
    """
    if processes <= 1:
        yield from map(work, batches)
        return
    waiting: deque[Future[R]] = deque()
    with _pool(processes, work) as pool:
        for batch in batches:
            waiting.append(pool.submit(batch))
            while len(waiting) >= processes * _AHEAD:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def side_by_side(
    work: Callable[[T, Job], R],
    items: Sequence[T],
    processes: int,
    failed: Callable[[T, LangcrawlError], R],
    progress: Progress = silent,
    stop: Stop = never,
) -> list[R]:
    """What `work` makes of each item, in their order; after a stop, of those that had begun.

    `failed` says what becomes of an item whose job raised an error of ours, or whose process was
    killed. Where one is killed, all that were under way run once more, each alone.
    """
    if processes <= 1:
        return _one_by_one(work, items, failed, progress, stop)
    place = _place.get()
    board: Board = place.board(len(items)) if place else _Board(len(items))
    made: dict[int, R] = {}

    def run(numbers: Iterable[int], width: int) -> list[int]:
        """Run the jobs of these numbers; those whose process was killed."""
        with _pool(width, partial(_watched, work, board)) as pool:
            futures = {number: pool.submit((number, items[number])) for number in numbers}
            while wait_for(futures.values(), timeout=_LOOK_EVERY).not_done:
                board.tell(progress)
                if stop():
                    board.halt()
        board.tell(progress)
        killed = []
        for number, future in futures.items():
            error = future.exception()
            if isinstance(error, BrokenProcessPool):
                killed.append(number)
            elif isinstance(error, LangcrawlError):
                made[number] = failed(items[number], error)
            elif result := future.result():
                made[number] = result[0]
        return killed

    for number in run(range(len(items)), min(processes, len(items))):
        if run([number], 1):
            made[number] = failed(items[number], LangcrawlError(KILLED))
    return [made[number] for number in sorted(made)]


def _one_by_one(
    work: Callable[[T, Job], R],
    items: Sequence[T],
    failed: Callable[[T, LangcrawlError], R],
    progress: Progress,
    stop: Stop,
) -> list[R]:
    """The same in this process."""
    made: list[R] = []
    for number, item in enumerate(items):
        if stop():
            break
        try:
            made.append(work(item, Job(_numbered(progress, number), stop)))
        except LangcrawlError as error:
            made.append(failed(item, error))
    return made


def _numbered(progress: Progress, job: int) -> Progress:
    """A progress that speaks of one job."""

    def tell(done: int, share: float | None = None, words: str = "", _: int = 0, /) -> None:
        progress(done, share, words, job)

    return tell


class _Board:
    """A `Board` in memory that all processes share.

    It has no lock, which a process that is killed could not give back. What is read while it is
    written does not fit its checksum, and is read again at the next look.
    """

    _HEAD = struct.Struct("=qdB")
    _WORDS = 200
    _SLOT = 4 + _HEAD.size + _WORDS

    def __init__(self, jobs: int) -> None:
        context = multiprocessing.get_context(_WAY)
        self._jobs = jobs
        self._slots: Any = context.RawArray("c", jobs * self._SLOT)
        self._halted = context.RawValue("b", 0)

    def halt(self) -> None:
        self._halted.value = 1

    def halted(self) -> bool:
        return bool(self._halted.value)

    def write(
        self, done: int, share: float | None = None, words: str = "", job: int = 0, /
    ) -> None:
        said = words.encode()[: self._WORDS]
        facts = self._HEAD.pack(done, math.nan if share is None else share, len(said)) + said
        slot = crc32(facts).to_bytes(4, "little") + facts
        start = job * self._SLOT
        self._slots[start : start + len(slot)] = slot

    def tell(self, progress: Progress) -> None:
        for job in range(self._jobs):
            slot = self._slots[job * self._SLOT : (job + 1) * self._SLOT]
            done, share, length = self._HEAD.unpack_from(slot, 4)
            end = 4 + self._HEAD.size + length
            if any(slot[:4]) and crc32(slot[4:end]).to_bytes(4, "little") == slot[:4]:
                words = slot[end - length : end].decode(errors="ignore")
                progress(done, None if math.isnan(share) else share, words, job)


def _watched(work: Callable[[T, Job], R], board: Board, numbered: tuple[int, T]) -> tuple[R] | None:
    """In each process: one job, whose progress all can see; nothing where it is too late."""
    number, item = numbered
    if board.halted():
        return None
    return (work(item, Job(_numbered(board.write, number), board.halted)),)


def _pool(processes: int, work: Callable[[Any], Any]) -> AbstractContextManager[Pool]:
    place = _place.get()
    return place.pool(processes, work) if place else _processes(processes, work)


class _Processes:
    """A `Pool` of processes of this machine.

    A process may be killed before all items are handed out. Then the futures of the rest say so,
    as those of the items that were under way do.
    """

    def __init__(self, pool: ProcessPoolExecutor) -> None:
        self._pool = pool

    def submit(self, item: Any, /) -> Future[Any]:
        with _answering_later():
            try:
                return self._pool.submit(_do, item)
            except BrokenProcessPool as error:
                broken: Future[Any] = Future()
                broken.set_exception(error)
                return broken


@contextmanager
def _processes(processes: int, work: Callable[[Any], Any]) -> Iterator[Pool]:
    """Processes that do this work; where it is not waited for, they are ended.

    They are made before the pool has threads. Other threads that may be there are those of numpy
    and pyarrow, which prepare for being copied, and that of a progress bar: what these hold at
    that moment no process ever asks for.
    """
    context = multiprocessing.get_context(_WAY)
    pool = ProcessPoolExecutor(processes, context, initializer=_begin, initargs=(work,))
    _widen(pool)
    try:
        yield _Processes(pool)
    except BrokenProcessPool:
        raise LangcrawlError(KILLED) from None
    except BaseException:
        _kill(pool)
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _widen(pool: ProcessPoolExecutor) -> None:
    """Hand batches over in one step, where the system can: with its 64 KB they take sixteen."""
    queues: tuple[Any, Any] = (pool._call_queue, pool._result_queue)  # type: ignore[attr-defined]
    for queue in queues:
        with suppress(OSError, AttributeError):
            fcntl.fcntl(queue._writer, fcntl.F_SETPIPE_SZ, _ON_ITS_WAY)


def _kill(pool: ProcessPoolExecutor) -> None:
    """End the processes at once; one that is still starting would complain of what is gone.

    One of them may be cut off within a result. The pool would wait for the rest as long as anybody
    could still send it, and this process could.
    """
    for process in list((pool._processes or {}).values()):
        process.kill()
    pool._result_queue._writer.close()  # type: ignore[attr-defined]


@contextmanager
def _answering_later() -> Iterator[None]:
    """Answer Ctrl-C afterwards: a process that is only half started could not be ended."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    heard: list[int] = []
    before = {
        number: signal.signal(number, lambda number, _: heard.append(number)) for number in _SIGNALS
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    for each in heard:
        signal.raise_signal(each)


def _begin(work: Callable[[Any], Any]) -> None:
    """In each process: leave Ctrl-C to the parent, end when it is gone, make few collections.

    The handlers of the parent are not ours, nor are its streams, which may belong to a live line.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    sys.stdout, sys.stderr = _stream(1), _stream(2)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    gc.freeze()
    gc.set_threshold(50_000)
    _given[:] = [work]


def _stream(descriptor: int) -> Any:
    """A stream of this process's own; none where it was closed."""
    with suppress(OSError):
        return open(descriptor, "w", 1, "utf-8", "backslashreplace", closefd=False)


def _do(item: Any) -> Any:
    """In each process: the work on one item."""
    return _given[0](item)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
