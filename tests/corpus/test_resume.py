"""An export that is killed, or has no room, goes on, and gives the same bytes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import langcrawl.corpus.kernels  # noqa: F401  (compiled before a test limits what may be written)
from conftest import Cli
from corpus.pages import archive, html, sentences

PAGES = {f"http://{n % 7}.example/{n}": html(sentences(n)) for n in range(60)}
WORDS = ("export", "a.warc.gz", "--lang", "th", "--to", "c.parquet", "--processes", "2")
# A part for each bundle of five pages; after so many parts the process is killed.
KILLED = """
import os, signal, sys
from langcrawl.corpus import parts, sources
from langcrawl.cli import main
parts._BUNDLES, sources._BATCH_PAGES = 1, 5
most, flush = int(sys.argv.pop(1)), parts.Parts.flush

def flush_or_die(self):
    flush(self)
    if len(self.files) == most:
        os.kill(os.getpid(), signal.SIGKILL)

parts.Parts.flush = flush_or_die
main()
"""


@pytest.fixture
def web(tmp_path: Path) -> Path:
    return archive(tmp_path / "a.warc.gz", PAGES)


def run(cli: Cli, most: int) -> int:
    return cli("-c", KILLED, str(most), *WORDS).returncode


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != "a.warc.gz"}


def test_killed_half_way_and_run_again_gives_the_same_bytes(cli: Cli, web: Path) -> None:
    folder = web.parent
    assert run(cli, 99) == 0
    undisturbed = files(folder)
    for name in undisturbed:
        (folder / name).unlink()
    assert run(cli, 5) == -9
    assert sorted(path.name for path in folder.iterdir()) == [".c.parquet.export", "a.warc.gz"]
    parts = sorted((folder / ".c.parquet.export").glob("*.arrow"))
    assert len(parts) == 5
    before = [path.stat().st_mtime_ns for path in parts]
    assert run(cli, 9) == -9
    parts = sorted((folder / ".c.parquet.export").glob("*.arrow"))
    assert len(parts) == 9
    assert [path.stat().st_mtime_ns for path in parts][:5] == before
    assert run(cli, 99) == 0
    assert files(folder) == undisturbed


def test_the_number_of_processes_changes_no_byte(cli: Cli, web: Path) -> None:
    found = []
    for processes in ("1", "3"):
        words = [*WORDS[:-1], processes, "--overwrite", "--shard-size", "5kB"]
        assert cli(*words).returncode == 0
        folder = web.parent / "c"
        found.append({path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()})
    assert found[0] == found[1]
    assert len(found[0]) > 3


def test_other_options_begin_anew(cli: Cli, web: Path) -> None:
    assert run(cli, 5) == -9
    assert cli(*WORDS, "--min-chars", "200").returncode == 0
    assert not (web.parent / ".c.parquet.export").exists()
    assert (web.parent / "c.parquet").exists()


def test_a_full_disk_is_said_and_the_export_goes_on_when_there_is_room(cli: Cli, web: Path) -> None:
    line = " ".join([sys.executable, "-m", "langcrawl", *WORDS])
    limited = subprocess.run(
        ["bash", "-c", f"ulimit -f 8; {line}"], cwd=web.parent, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert limited.returncode == 1
    assert "the disk is full" in limited.stderr
    assert "run the same command again" in limited.stderr
    assert "Traceback" not in limited.stderr
    assert not (web.parent / "c.parquet").exists()
    assert cli(*WORDS).returncode == 0
    once = files(web.parent)
    for name in once:
        (web.parent / name).unlink()
    assert cli(*WORDS).returncode == 0
    assert files(web.parent) == once


def test_two_exports_of_one_corpus_do_not_meet(cli: Cli, web: Path) -> None:
    import fcntl

    folder = web.parent / ".c.parquet.export"
    folder.mkdir()
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = cli(*WORDS)
    assert done.returncode == 1
    assert "another export is at work" in done.stderr
