"""``langcrawl status`` where nothing can be written, and of databases that are damaged."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import Cli
from langcrawl.config import CrawlConfig
from langcrawl.store.events import last_event
from langcrawl.store.status import LATELY, Sample, estimated_end, rate_lately
from langcrawl.store.watch import milestone_up_to
from langcrawl.virtualweb.serve import Server
from running import Running, endless, wait_for
from warm import Warm

# In a mount namespace of its own: a directory in which not even root can write.
READ_ONLY = """
mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" || exit 99
touch "$1/x" 2> /dev/null && exit 98
shift
exec "$@"
"""


def status_read_only(directory: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["unshare", "-rm", "sh", "-c", READ_ONLY, "sh", str(directory),
         sys.executable, "-m", "langcrawl", "status", str(directory), *words],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


def test_a_read_only_copy_of_a_crawl_that_has_ended(
    cli: Cli, small_crawl: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(small_crawl, copy)
    for name in ("frontier.db-wal", "frontier.db-shm"):
        (copy / name).unlink(missing_ok=True)
    done = status_read_only(copy, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == json.loads(cli("status", small_crawl, "--json").stdout)


def test_a_read_only_copy_of_a_crawl_that_was_killed(cli: Cli, warm: Warm, tmp_path: Path) -> None:
    directory, copy = tmp_path / "c", tmp_path / "copy"
    with (
        Server(endless) as server,
        Running(
            directory, server.connect_to, "--delay", "0.05", "--workers", "1", warm=warm
        ) as crawl,
    ):
        wait_for(lambda: server.answered > 60)
        crawl.signal(signal.SIGKILL)
        crawl.wait()
    copy.mkdir()
    for name in ("crawl.toml", "events.jsonl", "frontier.db", "frontier.db-wal"):
        shutil.copy(directory / name, copy / name)
    assert (copy / "frontier.db-wal").stat().st_size > 0
    done = status_read_only(copy, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    assert found == json.loads(cli("status", "c", "--json").stdout)
    assert found["pages"] > 20
    assert status_read_only(copy, "--metrics").returncode == 0


@pytest.mark.parametrize("harm", ["text", "half", "page", "empty", "counts", "watched", "folder"])
def test_a_damaged_database_is_told_in_a_sentence(
    cli: Cli, small_crawl: Path, tmp_path: Path, harm: str
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(small_crawl, copy)
    path = copy / "frontier.db"
    body = path.read_bytes()
    if harm == "text":
        path.write_bytes(b"no database" * 1000)
    elif harm == "half":
        path.write_bytes(body[: len(body) // 2 - 100])
    elif harm == "page":
        path.write_bytes(body[:100] + b"\xff" * 8000 + body[8100:])
    elif harm == "empty":
        path.write_bytes(b"")
    elif harm == "folder":
        path.unlink()
        path.mkdir()
    else:
        query = f"UPDATE meta SET value = '[\"x\"]' WHERE key = '{harm}'"
        subprocess.run(
            [sys.executable, "-c", "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]);"
             "assert c.execute(sys.argv[2]).rowcount == 1; c.commit()", path, query], check=True,
        )  # fmt: skip
    for words in ((), ("--json",), ("--metrics",)):
        done = cli("status", copy, *words)
        assert (done.returncode, done.stdout) == (1, ""), words
        assert done.stderr.startswith("langcrawl: ")
        assert done.stderr.count("\n") == 1, done.stderr


def test_events_that_make_no_sense_are_passed_over(tmp_path: Path) -> None:
    assert last_event(tmp_path) is None
    path = tmp_path / "events.jsonl"
    for text, last in (
        ("", None),
        ("nonsense\n[1]\n3\n\xff\n", None),
        ('{"event": "start", "words": "a"}\n{"event": 3}\n{"event": "st', "start"),
        ('{"event": "a"}\n' + "[" * 100_000, None),
        ("x" * 70_000 + '\n{"event": "late"}\n', "late"),
    ):
        path.write_text(text, "latin-1")
        found = last_event(tmp_path)
        assert (found and found["event"]) == last, text[:40]


def samples(pages: int, queue: int, seconds: int = 100) -> list[Sample]:
    """A sample every ten seconds, in which so much has been added at the end."""
    return [
        Sample(1000.0 + at, pages * at // seconds, 0, 0, 500 + queue * at // seconds)
        for at in range(0, seconds + 1, 10)
    ]


def test_rates_are_those_of_the_last_minutes() -> None:
    found = samples(200, 0)
    assert rate_lately(found, "pages", found[-1]) == 2.0
    assert rate_lately([], "pages", found[-1]) is None
    late = found[-1]._replace(at=1000.0 + LATELY + 60)
    assert rate_lately(found, "pages", late) == pytest.approx(80 / 300)


@pytest.mark.parametrize(
    ("limits", "queue", "because", "seconds"),
    [
        ({}, 100, None, 0),
        ({}, -100, "queue-empty", 400),
        ({"max_pages": 300}, 100, "max-pages", 50),
        ({"max_time": 130}, 100, "max-time", 30),
        ({"max_time": 130, "max_pages": 220}, -100, "max-pages", 10),
    ],
)
def test_the_end_is_estimated_from_limits_or_from_a_queue_that_shrinks(
    limits: dict[str, int], queue: int, because: str | None, seconds: float
) -> None:
    config = CrawlConfig(lang="th", **limits)  # type: ignore[arg-type]
    found = samples(200, queue)
    end = estimated_end(config, 1000.0, found, found[-1])
    if because is None:
        assert end is None
    else:
        assert end is not None
        assert (end.because, end.seconds) == (because, pytest.approx(seconds))
        assert end.at == pytest.approx(1100 + seconds)


def test_milestones_are_round_numbers() -> None:
    assert [milestone_up_to(n) for n in (0, 99, 100, 199, 200, 999, 1000, 6_543_210)] == [
        0, 0, 100, 100, 200, 500, 1000, 5_000_000,
    ]  # fmt: skip
