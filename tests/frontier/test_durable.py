"""What the frontier on disk keeps: after a clean end, a killed process and a full disk."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

import langcrawl.store.database as database_module
from langcrawl.errors import BadInput
from langcrawl.frontier.sqlite import SqliteFrontier
from langcrawl.ports import not_waiting
from langcrawl.records import Facts, Visit
from langcrawl.store.database import read_meta, write_meta
from langcrawl.url import host_of

FACTS = Facts(1, 2, 0, 1, 0.25, 1, 7, 3, 4)


def visit(name: str, priority: float = 0.0) -> Visit:
    url = f"http://{name}"
    return Visit(url, host_of(url), FACTS, priority, "", "redirect")


def anyone(host: str) -> bool:
    return True


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "frontier.db"


def test_what_was_committed_is_there_again_and_the_rest_is_not(path: Path) -> None:
    frontier = SqliteFrontier(path)
    frontier.put(visit("a/1", 0.5))
    frontier.put(visit("a/2"))
    frontier.put(visit("b/1", 0.25))
    frontier.drop("http://b/1")
    write_meta(frontier.connection, "target", "th")
    frontier.commit()
    frontier.put(visit("c/1"))
    write_meta(frontier.connection, "target", "ja")
    frontier.close()
    frontier = SqliteFrontier(path)
    assert len(frontier) == 2
    assert read_meta(frontier.connection, "target") == "th"
    assert read_meta(frontier.connection, "nothing") is None
    assert frontier.lookup(["http://b/1", "http://c/1"]) == [
        not_waiting("http://b/1"),
        not_waiting("http://c/1"),
    ]
    assert [frontier.take(anyone, overtake=True) for _ in range(3)] == [
        visit("a/2"),
        visit("a/1", 0.5),
        None,
    ]
    frontier.close()


def test_ids_are_dense_in_the_order_of_first_sight_and_for_good(path: Path) -> None:
    frontier = SqliteFrontier(path)
    frontier.lookup(["http://a/1", "http://b/1", "http://a/1"])
    frontier.put(visit("c/1"))
    assert frontier.id_of("http://d/1") == 3
    assert [frontier.id_of(f"http://{host}/1") for host in "abcd"] == [0, 1, 2, 3]
    frontier.commit()
    frontier.lookup(["http://lost/"])
    frontier.close()
    frontier = SqliteFrontier(path)
    assert frontier.id_of("http://e/1") == 4
    assert [frontier.id_of(f"http://{host}/1") for host in "dcba"] == [3, 2, 1, 0]
    frontier.commit()
    stored = frontier.connection.execute("SELECT id, url FROM urls ORDER BY id").fetchall()
    assert stored == [(number, f"http://{host}/1") for number, host in enumerate("abcde")]
    frontier.close()


def test_leases_of_a_dead_process_wait_again_in_their_place(path: Path) -> None:
    frontier = SqliteFrontier(path)
    for name in ("a/1", "b/1", "c/1", "a/2"):
        frontier.put(visit(name))
    taken = [frontier.take(anyone, overtake=True) for _ in range(3)]
    frontier.finish("http://b/1")
    frontier.commit()
    frontier.close()
    frontier = SqliteFrontier(path)
    assert frontier.leased_hosts == ["a", "c"]
    assert len(frontier) == 3
    frontier.close()
    frontier = SqliteFrontier(path)
    assert frontier.leased_hosts == ["a", "c"], "until a commit says that they have rested"
    frontier.commit()
    frontier.close()
    frontier = SqliteFrontier(path)
    assert frontier.leased_hosts == []
    again = [frontier.take(anyone, overtake=True) for _ in range(3)]
    assert again == [taken[0], taken[2], visit("a/2")]
    frontier.close()


def test_what_others_write_at_a_commit_is_kept_or_lost_with_it(path: Path) -> None:
    frontier = SqliteFrontier(path)
    frontier.connection.execute("CREATE TABLE log (id INTEGER)")
    seen = iter(["http://a/1", "http://a/2"])

    def write(connection: sqlite3.Connection) -> None:
        assert connection.in_transaction
        connection.execute("INSERT INTO log VALUES (?)", (frontier.id_of(next(seen)),))

    frontier.at_commit.append(write)
    frontier.put(visit("a/0"))
    frontier.commit()
    frontier.commit()
    with pytest.raises(StopIteration):
        frontier.commit()
    frontier.put(visit("a/9"))
    frontier.close()
    frontier = SqliteFrontier(path)
    assert frontier.connection.execute("SELECT id FROM log").fetchall() == [(1,), (2,)]
    assert frontier.id_of("http://a/2") == 2
    assert len(frontier) == 1
    frontier.close()


def test_a_commit_of_nothing_writes_nothing(path: Path) -> None:
    frontier = SqliteFrontier(path)
    frontier.put(visit("a/0"))
    frontier.commit()
    size = path.with_name("frontier.db-wal").stat().st_size
    began = time.process_time()
    for _ in range(1000):
        frontier.commit()
    assert time.process_time() - began < 1.0
    assert path.with_name("frontier.db-wal").stat().st_size == size
    frontier.close()


def test_a_host_with_very_many_urls_is_ranked_again_in_seconds(path: Path) -> None:
    frontier = SqliteFrontier(path)
    for number in range(30_000):
        frontier.put(visit(f"a/{number}", 1.0))
    frontier.commit()
    frontier.close()
    frontier = SqliteFrontier(path)
    began = time.process_time()
    for number, waiting in enumerate(frontier.of_host("a")):
        if number % 2:
            frontier.drop(waiting.url)
        else:
            frontier.put(waiting._replace(priority=0.5))
    frontier.commit()
    assert time.process_time() - began < 6.0
    assert len(frontier) == 15_000
    assert frontier.take(anyone, overtake=True) == visit("a/0", 0.5)
    frontier.close()


def test_a_database_of_an_earlier_version_is_refused_and_left_as_it_is(path: Path) -> None:
    database = sqlite3.connect(path)
    database.execute("CREATE TABLE urls (id INTEGER PRIMARY KEY, host INTEGER, url TEXT)")
    database.close()
    before = path.read_bytes()
    with pytest.raises(BadInput, match="another version"):
        SqliteFrontier(path)
    assert path.read_bytes() == before


def test_the_write_ahead_log_is_moved_while_commits_go_on(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database_module, "_CHANGES", 200)
    frontier = SqliteFrontier(path)
    number, size, before, end = 0, 1, 0, time.monotonic() + 60
    while size != before:  # it is only ever added to, until all of it is moved
        assert time.monotonic() < end
        frontier.put(visit(f"host{number % 20}/{number}"))
        frontier.commit()
        number += 1
        before, size = size, path.with_name("frontier.db-wal").stat().st_size
    frontier.close()
    assert number > 50
    assert len(SqliteFrontier(path)) == number


KILLED = """
import sys
from pathlib import Path
from langcrawl.frontier.sqlite import SqliteFrontier
from langcrawl.records import Facts, Visit

frontier = SqliteFrontier(Path(sys.argv[1]))
frontier.connection.execute("CREATE TABLE IF NOT EXISTS log (visits INTEGER)")
pages = frontier.connection.execute("SELECT count(*) FROM log").fetchone()[0]
frontier.at_commit.append(lambda db: db.execute("INSERT INTO log VALUES (?)", (10 * pages,)))
if not len(frontier):
    frontier.put(Visit("http://h0/", "h0", Facts(0, 0, 1, 0, 1.0, 0, 0, 0, 0), 0.0, ""))
while True:
    taken = frontier.take(lambda host: True, overtake=True)
    for number in range(10 * pages, 10 * pages + 10):
        host = f"h{number % 7}"
        frontier.put(Visit(f"http://{host}/{number}", host, taken.facts, number % 3, taken.url))
    frontier.finish(taken.url)
    pages += 1
    frontier.commit()
    print(pages, flush=True)
"""


def test_a_killed_process_leaves_its_last_commit(path: Path) -> None:
    said = 0
    for wait in (0.0, 0.003, 0.05, 0.011, 0.2, 0.037, 0.007, 0.12):
        command = [sys.executable, "-c", KILLED, str(path)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            process.stdout.readline()
            time.sleep(wait)
            os.kill(process.pid, signal.SIGKILL)
            lines = process.stdout.read().split()
        said = max([said, *map(int, lines[:-1])])
        frontier = SqliteFrontier(path)
        pages = frontier.connection.execute("SELECT count(*) FROM log").fetchone()[0]
        assert pages >= said
        assert len(frontier) == 9 * pages + 1
        counted = "SELECT count(*) FILTER (WHERE state = 1), count(*), max(id) FROM known"
        urls = 10 * pages + 1
        assert frontier.connection.execute(counted).fetchone() == (len(frontier), urls, urls - 1)
        assert frontier.connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        frontier.close()
    assert said > 20


FILLS_THE_DISK = """
import subprocess, sys
from pathlib import Path
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", sys.argv[1]], check=True)
from langcrawl.errors import DiskFull
from langcrawl.frontier.sqlite import SqliteFrontier
from langcrawl.records import Facts, Visit

folder = Path(sys.argv[1])
ballast = folder / "ballast"
ballast.write_bytes(bytes(1_000_000))
frontier = SqliteFrontier(folder / "frontier.db")
committed = 0
try:
    for number in range(1_000_000):
        url = f"http://host{number % 50}/{number}"
        visit = Visit(url, url.split("/")[2], Facts(0, 0, 1, 0, 1.0, 0, 0, 0, 0), 0.0, "")
        frontier.put(visit)
        if number % int(sys.argv[2]) == 0:
            frontier.commit()
            committed = number + 1
except DiskFull as error:
    print(error)
ballast.unlink()
frontier = SqliteFrontier(folder / "frontier.db")
print(len(frontier) - committed)
ok = frontier.connection.execute("PRAGMA integrity_check").fetchone()[0]
assert frontier.take(lambda host: True, overtake=True).url == "http://host0/0"
frontier.commit()
print(ok)
"""


@pytest.mark.parametrize("batch", [100, 10_000])
def test_a_full_disk_stops_it_at_the_last_commit(tmp_path: Path, batch: int) -> None:
    command = [sys.executable, "-c", FILLS_THE_DISK, str(tmp_path), str(batch)]
    done = subprocess.run(
        ["unshare", "-rm", *command], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stdout.splitlines() == [
        "the disk is full; make room and run the same command again.",
        "0",
        "ok",
    ], done.stderr
