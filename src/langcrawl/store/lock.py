"""Locks that a process has until it ends, however it ends.

A lock belongs to the process that took it. Without care its copies would have it, too, and those
of a process that was killed need a moment to notice: who came back at once would be sent away.
"""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path
from typing import TextIO
from weakref import WeakSet

from langcrawl.errors import BadInput

_PATIENCE, _BLINK = 0.25, 0.005
"""Seconds for which a lock is asked for, and between two attempts: who looks whether somebody has
it (`is_locked`) has it himself for an instant."""
_held: WeakSet[TextIO] = WeakSet()


def locked_file(path: Path, refusal: str) -> TextIO:
    """A file that is locked until it is closed; the refusal where another process has the lock.

    File and folder are made. Whoever had the lock may have removed both: then it is another file.
    """
    asked_since = time.monotonic()
    while True:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = path.open("w")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.close()
            if time.monotonic() - asked_since > _PATIENCE:
                raise BadInput(refusal) from None
            time.sleep(_BLINK)
            continue
        if _is_at(path, lock):
            _held.add(lock)
            return lock
        lock.close()


def _is_at(path: Path, file: TextIO) -> bool:
    """Whether this file, and no other, is at that place."""
    try:
        return os.path.samestat(path.stat(), os.fstat(file.fileno()))
    except FileNotFoundError:
        return False


def is_locked(path: Path) -> bool:
    """Whether a process has the lock of this file."""
    try:
        with path.open() as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False


def _leave_to_parent() -> None:
    """In a copy of this process: close the files, which takes no lock from the one that has it."""
    for lock in list(_held):
        lock.close()


os.register_at_fork(after_in_child=_leave_to_parent)
