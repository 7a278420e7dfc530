"""A lock ends with the process that took it, though copies of that process live on."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from langcrawl.errors import BadInput
from langcrawl.store.lock import is_locked, locked_file

# Takes a lock and makes a copy of itself, which does not end with it and says its id once it runs.
PARENT = """
import os, sys, time
from pathlib import Path
from langcrawl.store.lock import locked_file
with locked_file(Path(sys.argv[1]), "taken"):
    if not os.fork():
        print(os.getpid(), flush=True)
    os.close(1)
    time.sleep(60)
"""


@contextmanager
def holder(path: Path) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A process that has the lock, and the id of a copy of it that outlives it."""
    process = subprocess.Popen(
        [sys.executable, "-c", PARENT, str(path)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout
    copy = int(process.stdout.readline())
    try:
        yield process, copy
    finally:
        process.kill()
        os.kill(copy, signal.SIGKILL)
        process.communicate()


def test_a_copy_of_a_process_that_was_killed_has_no_lock(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with holder(path) as (process, copy):
        assert is_locked(path)
        with pytest.raises(BadInput, match="taken by another"):
            locked_file(path, "taken by another")
        process.kill()
        process.wait()
        os.kill(copy, 0)  # it lives
        assert not is_locked(path)
        with locked_file(path, "taken by another"):
            assert is_locked(path)


def test_the_end_of_a_copy_takes_no_lock_away(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with locked_file(path, "taken"):
        copy = os.fork()
        if not copy:
            os._exit(0)
        os.waitpid(copy, 0)
        assert is_locked(path)
    assert not is_locked(path)
    assert not is_locked(tmp_path / "none")


# Looks again and again whether somebody has the lock, and says so once it has begun.
WATCHER = """
import sys
from pathlib import Path
from langcrawl.store.lock import is_locked
path = Path(sys.argv[1])
is_locked(path)
print("begun", flush=True)
for _ in range(10_000_000):
    is_locked(path)
"""


def test_who_only_looks_is_not_taken_for_somebody_at_work(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    path.touch()
    watcher = subprocess.Popen([sys.executable, "-c", WATCHER, str(path)], stdout=subprocess.PIPE)
    try:
        assert watcher.stdout
        assert watcher.stdout.readline() == b"begun\n"
        until = time.monotonic() + 1.0
        while time.monotonic() < until:
            locked_file(path, "taken").close()
        assert watcher.poll() is None
    finally:
        watcher.kill()
        watcher.communicate()


def test_a_lock_that_was_removed_with_its_folder_is_taken_anew(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "lock"
    lock = locked_file(path, "taken")

    def remove() -> None:
        shutil.rmtree(path.parent)
        lock.close()

    timer = threading.Timer(0.1, remove)
    timer.start()
    with locked_file(path, "taken"):
        timer.join()
        assert is_locked(path)
        with pytest.raises(BadInput, match="taken"):
            locked_file(path, "taken")
    assert not is_locked(path)
