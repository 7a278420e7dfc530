"""The crawl directory: who may write it, and what is in it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from langcrawl.errors import BadInput
from langcrawl.store.directory import CrawlDirectory

HOLD = """
import sys, time
from pathlib import Path
from langcrawl.store.directory import CrawlDirectory
with CrawlDirectory(Path(sys.argv[1])).locked():
    print("held", flush=True)
    sys.stdin.readline()
"""


def test_one_process_at_a_time_may_crawl_into_a_directory(tmp_path: Path) -> None:
    directory = CrawlDirectory(tmp_path / "a" / "b")
    assert not directory.is_running
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(directory.path)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert holder.stdout
    assert holder.stdout.readline() == "held\n"
    assert directory.is_running
    with pytest.raises(BadInput, match="another process is crawling"), directory.locked():
        pass
    holder.kill()  # however a process ends, its lock goes with it
    holder.communicate()
    assert not directory.is_running
    with directory.locked():
        assert directory.is_running


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(BadInput, match="cannot be written to"),
        CrawlDirectory(tmp_path / "file" / "x").locked(),
    ):
        pass


def test_only_a_lock_is_nothing(tmp_path: Path) -> None:
    directory = CrawlDirectory(tmp_path / "new")
    assert directory.is_empty
    with directory.locked():
        assert directory.is_empty
    (directory.path / "notes.txt").write_text("mine")
    assert not directory.is_empty
