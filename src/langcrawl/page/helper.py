"""A process that reads what could be dear, and may be ended for it.

The helper is a copy of the process that needs it, made when the first such page comes, so it has
loaded all that reading takes. The system ends it where it takes more memory or processor time than
a page may: no parser escapes that. Then the page was over budget, and the next one gets another
helper. It leaves the processor to whoever reads ordinary pages.

Where processes cannot be copied safely (outside Linux) the work is done on the spot, unbounded.
"""

from __future__ import annotations

import gc
import os
import pickle
import resource
import signal
import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from threading import Lock
from typing import Any, Generic, NamedTuple, NoReturn, ParamSpec, TypeVar

from langcrawl.page.budget import Budget, OverBudget, limit_memory
from langcrawl.page.quick import READER

P = ParamSpec("P")
R = TypeVar("R")
_NICE = 5
_CAN_COPY = sys.platform == "linux"


class _Process(NamedTuple):
    pid: int
    pipe: Connection


class Helper(Generic[P, R]):
    """Does `work` in a process of its own, one thing at a time."""

    def __init__(self, work: Callable[P, R], budget: Budget | None = None) -> None:
        self._work, self._budget = work, budget or Budget()
        self._process: _Process | None = None
        self._lock = Lock()

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """What the work gives; OverBudget where it took too much, and else what it raised."""
        if not _CAN_COPY:
            return self._work(*args, **kwargs)
        with self._lock:
            if self._process is None:
                self._process = self._start()
            try:
                self._process.pipe.send_bytes(pickle.dumps((args, kwargs), protocol=5))
                if not self._process.pipe.poll(self._budget.patience):
                    raise OverBudget("reading the page took too long")
                result, error = pickle.loads(self._process.pipe.recv_bytes())
            except (EOFError, OSError):
                self._end()
                raise OverBudget("reading the page took too much time or memory") from None
            except BaseException:
                self._end()
                raise
        if error is not None:
            raise error
        return result  # type: ignore[no-any-return]

    def close(self) -> None:
        """End the process, if there is one."""
        with self._lock:
            self._end()

    def __getstate__(self) -> tuple[Callable[P, R], Budget]:
        return self._work, self._budget

    def __setstate__(self, state: tuple[Callable[P, R], Budget]) -> None:
        self.__init__(*state)  # type: ignore[misc]

    def _end(self) -> None:
        if self._process is not None:
            process, self._process = self._process, None
            with suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGKILL)
            with suppress(ChildProcessError):
                os.waitpid(process.pid, 0)
            process.pipe.close()

    def _start(self) -> _Process:
        mine, theirs = Pipe()
        with warnings.catch_warnings():
            # Threads of ours hold nothing that the copy asks for: it reads, computes and writes.
            warnings.simplefilter("ignore", DeprecationWarning)
            pid = _fork()
        if not pid:
            _help(theirs, self._work, self._budget)
        theirs.close()
        return _Process(pid, mine)


def _fork() -> int:
    try:
        return os.fork()
    except OSError as error:  # no room for another process
        raise MemoryError(str(error)) from None


def _help(pipe: Connection, work: Callable[..., Any], budget: Budget) -> NoReturn:
    """What the helper does until its pipe is closed; nothing of its parent's is touched."""
    status = 1
    try:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        signal.set_wakeup_fd(-1)
        os.closerange(3, pipe.fileno())
        os.closerange(pipe.fileno() + 1, os.sysconf("SC_OPEN_MAX"))
        os.nice(_NICE)
        READER.stay()
        gc.freeze()
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        limit_memory(budget.memory)
        much = _peak() + budget.memory // 2
        while True:
            args, kwargs = pickle.loads(pipe.recv_bytes())
            _limit_time(budget.seconds)
            pipe.send_bytes(_done(work, args, kwargs, much, budget.memory))
    except EOFError:
        status = 0
    finally:  # the parent sees that we are gone
        os._exit(status)


def _done(work: Callable[..., Any], args: Any, kwargs: Any, much: int, allowed: int) -> bytes:
    """The result of the work, or its error, as bytes.

    An error after much memory was taken is for want of more, whatever a library calls it: then
    this process ends.
    """
    try:
        return pickle.dumps((work(*args, **kwargs), None), protocol=5)
    except Exception as error:
        if _peak() > much or (isinstance(error, MemoryError) and _has_room(allowed // 2)):
            raise
        with suppress(Exception):
            return pickle.dumps((None, error), protocol=5)
        return pickle.dumps((None, RuntimeError(f"{type(error).__name__}: {error}")), protocol=5)


def _has_room(size: int) -> bool:
    """Whether there is so much memory: if not, the machine is short of it, not the work greedy."""
    try:
        bytearray(size)
    except MemoryError:
        return False
    return True


def _peak() -> int:
    """The most bytes of memory that this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _limit_time(seconds: int) -> None:
    """Let the system end this process when it has worked for so long from now on."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    limit = int(used.ru_utime + used.ru_stime) + seconds + 1
    _, most = resource.getrlimit(resource.RLIMIT_CPU)
    if most != resource.RLIM_INFINITY:
        limit = min(limit, most)
    resource.setrlimit(resource.RLIMIT_CPU, (limit, most))
