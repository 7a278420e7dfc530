"""A process that tries inputs, and may die of them.

It is a copy of the process that needs it, as `langcrawl.page.helper` is. The system ends it if an
input takes more processor time or memory than its target allows. How it died, and where, is then
the finding.
"""

from __future__ import annotations

import faulthandler
import gc
import os
import pickle
import re
import resource
import shutil
import signal
import traceback
import warnings
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NamedTuple, NoReturn

from fuzz.target import Broken, Target, place_of, scratch
from langcrawl.page import limit_memory

_INPUTS = 2_000
"""Inputs after which a process makes room for the next, lest what it keeps for later count."""
_FRAME = re.compile(r'File "([^"]+)", line \d+,? in (\S+)')
_OURS = "/langcrawl/"
_LONGEST = 4_000
"""Characters of a traceback that are kept."""


class Fault(NamedTuple):
    """What was wrong with an input, or rather with us."""

    kind: str
    """``broken`` promise, ``raised``, ``time``, ``memory``, ``crash`` or ``hang``."""
    where: str
    """The function of langcrawl in which it happened, and what was raised."""
    text: str
    """A sentence or a traceback."""

    @property
    def key(self) -> tuple[str, str]:
        """The same for faults that are likely the same."""
        return self.kind, self.where


class Trial(NamedTuple):
    """What came of an input."""

    fault: Fault | None
    came: str
    """What the check gave; the same for inputs that are alike."""


class Child:
    """Tries inputs on a target, in one process after the other."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._pid, self._left = 0, 0
        self._pipe: Connection | None = None

    def try_input(self, data: bytes) -> Trial:
        """Check one input; whatever it does, this comes back."""
        if self._pipe is not None and not self._left:
            self.close()
        if self._pipe is None:
            self._start()
        assert self._pipe is not None
        self._left -= 1
        try:
            self._pipe.send_bytes(data)
            if self._pipe.poll(self._target.patience):
                return Trial(*pickle.loads(self._pipe.recv_bytes()))
            os.kill(self._pid, signal.SIGXCPU)  # it writes down where it is, and ends
            return Trial(self._post_mortem("hang"), "")
        except (EOFError, OSError):
            return Trial(self._post_mortem(""), "")

    def close(self) -> None:
        """End the process, if there is one."""
        if self._pipe is not None:
            self._pipe.close()
            self._pipe = None
            with suppress(ProcessLookupError):
                os.kill(self._pid, signal.SIGKILL)
            os.waitpid(self._pid, 0)
            self._tidy()

    def _start(self) -> None:
        mine, theirs = Pipe()
        scratch()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # threads of libraries
            self._pid = os.fork()
        if not self._pid:
            _work(theirs, self._target)
        theirs.close()
        self._pipe, self._left = mine, _INPUTS

    def _post_mortem(self, kind: str) -> Fault:
        """How the process died; it is gone afterwards."""
        assert self._pipe is not None
        self._pipe.close()
        self._pipe = None
        status = os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])
        text = ""
        with suppress(OSError):
            text = _trace_of(self._pid).read_text("utf-8", "replace")[:_LONGEST]
        self._tidy()
        name = signal.Signals(-status).name if status < 0 else f"status {status}"
        if not kind:
            kind = "time" if name == "SIGXCPU" else "crash"
        return Fault(kind, f"{_place(text, last=False)} ({name})", f"ended by {name}\n{text}")

    def _tidy(self) -> None:
        shutil.rmtree(place_of(self._pid), ignore_errors=True)
        _trace_of(self._pid).unlink(missing_ok=True)


def _trace_of(pid: int) -> Path:
    """Where a process writes how it dies."""
    return scratch() / f"trace-{pid}"


def _work(pipe: Connection, target: Target) -> NoReturn:
    """What the process does until its pipe is closed."""
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        os.closerange(3, pipe.fileno())
        os.closerange(pipe.fileno() + 1, os.sysconf("SC_OPEN_MAX"))
        nowhere = os.open(os.devnull, os.O_RDWR)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        trace = _trace_of(os.getpid()).open("w")
        faulthandler.enable(trace, all_threads=False)
        faulthandler.register(signal.SIGXCPU, trace, all_threads=False, chain=True)
        gc.freeze()
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        limit_memory(target.memory)
        while True:
            data = pipe.recv_bytes()
            _limit_time(target.seconds)
            pipe.send_bytes(pickle.dumps(_tried(target, data)))
    except EOFError:
        pass
    finally:
        os._exit(1)


def _tried(target: Target, data: bytes) -> tuple[Fault | None, str]:
    try:
        return None, repr(target.check(data))
    except MemoryError:
        text = traceback.format_exc()[-_LONGEST:]
        return Fault("memory", f"{_place(text)} (MemoryError)", text), ""
    except Exception as error:
        text = traceback.format_exc()[-_LONGEST:]
        kind = "broken" if isinstance(error, Broken) else "raised"
        said = str(error) if kind == "broken" else type(error).__name__
        return Fault(kind, f"{_place(text)} ({_without_figures(said)})", text), ""


def _place(text: str, last: bool = True) -> str:
    """The function of langcrawl where it happened: the innermost in a traceback.

    A traceback of Python has it at its end, and one of a dying process at its beginning.
    """
    frames = [(file, name) for file, name in _FRAME.findall(text) if _OURS in file]
    if not frames:
        return "the check"
    file, name = frames[-1 if last else 0]
    return f"{file.rpartition(_OURS)[2]} {name}"


def _without_figures(sentence: str) -> str:
    """A sentence without what differs from input to input."""
    return re.sub(r"\d+", "N", sentence.split(":")[0])[:100]


def _limit_time(seconds: int) -> None:
    """Let the system end this process when it has worked for so long from now on."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    limit = int(used.ru_utime + used.ru_stime) + seconds + 1
    resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.getrlimit(resource.RLIMIT_CPU)[1]))
