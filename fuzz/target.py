"""What can be fuzzed: seeds, and a promise that every input must keep."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_IN_MEMORY = Path("/dev/shm")


class Broken(AssertionError):
    """Raised when a promise is broken, with a sentence that says which."""


@dataclass(frozen=True, slots=True)
class Target:
    """One door through which strangers' bytes come in."""

    name: str
    promise: str
    """In a few words, for the report."""
    seeds: Callable[[], Sequence[bytes]]
    """Sound inputs, and inputs that did harm once."""
    check: Callable[[bytes], object]
    """Raises if a promise is broken; else gives what came of the input, in short. An input of
    which something new came is kept, and changed further."""
    words: tuple[bytes, ...] = ()
    """Words that mean something to this target."""
    most: int = 100_000
    """Bytes of an input."""
    seconds: int = 5
    """Of processor time that an input may take."""
    memory: int = 700_000_000
    """Bytes that it may take."""
    patience: float = 60.0
    """Seconds by the clock."""
    pending: str = ""
    """What is being mended: until then its findings are told, but do not fail the run."""


def demand(kept: bool, sentence: str) -> None:
    """Say which promise is broken, if it is."""
    if not kept:
        raise Broken(sentence)


@cache
def scratch() -> Path:
    """A folder for files that are in the way of nobody, and gone at the end."""
    folder = Path(
        tempfile.mkdtemp(prefix="langcrawl-fuzz-", dir=_IN_MEMORY if _IN_MEMORY.is_dir() else None)
    )
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def place_of(pid: int) -> Path:
    """Where a process has its files."""
    return scratch() / f"work-{pid}"


@contextmanager
def workplace() -> Iterator[Path]:
    """An empty folder for one input."""
    folder = place_of(os.getpid())
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
