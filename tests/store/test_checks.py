"""The database of a crawl: what makes no sense in it is told, and what is taken back adds up."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from langcrawl.log.segments import outdated, read_table, segments
from langcrawl.store.again import LostPage, ask_again, finish_asking_again, uncount_all
from langcrawl.store.checks import check_rows, database_problems
from langcrawl.store.database import COUNTERS, COUNTS, TAKEN, WAITING, read_meta, write_meta
from langcrawl.url import host_of


@pytest.fixture
def database(small_crawl: Path, tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """The database of a complete crawl, in a copy."""
    for path in small_crawl.glob("frontier.db*"):
        shutil.copy(path, tmp_path / path.name)
    connection = sqlite3.connect(tmp_path / "frontier.db", isolation_level=None)
    yield connection
    connection.close()


def problems(database: sqlite3.Connection) -> list[str]:
    return list(database_problems(database))


def test_the_database_of_a_crawl_makes_sense(database: sqlite3.Connection) -> None:
    assert problems(database) == []
    check_rows(database)


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("UPDATE hosts SET downloads = 'many'", "rows of hosts make no sense"),
        ("UPDATE hosts SET delay = 'x'", "rows of hosts make no sense"),
        ("UPDATE archives SET bytes = 1.5", "rows of archives make no sense"),
        ("UPDATE segments SET urls = 'x'", "1 rows of segments make no sense"),
        ("UPDATE files SET checksum = x'07'", "rows of files make no sense"),
        ("INSERT INTO batches VALUES (99, 'text', x'00', 1)", "1 rows of batches make no sense"),
        ("INSERT INTO traps VALUES ('h', x'00')", "1 rows of traps make no sense"),
    ],
)
def test_rows_of_another_kind_are_told_by_their_table(
    database: sqlite3.Connection, statement: str, words: str
) -> None:
    database.execute(statement)
    (told,) = problems(database)
    assert words in told
    with pytest.raises(ValueError, match="make no sense"):
        check_rows(database)


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("UPDATE urls SET url = x'ff' WHERE id = 3", "1 rows of urls make no sense"),
        ("UPDATE known SET state = 'x' WHERE id = 3", "1 rows of known make no sense"),
        ("UPDATE known SET depth = 'deep' WHERE id < 2", "2 rows of known make no sense"),
    ],
)
def test_large_tables_are_looked_at_where_there_is_time(
    database: sqlite3.Connection, statement: str, words: str
) -> None:
    database.execute(statement)
    assert words in problems(database)
    check_rows(database)  # a start does not wait for it


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("DELETE FROM urls WHERE id = 5", "are not 0, 1, 2, ..."),
        ("DELETE FROM known WHERE id = 5", "rows of known"),
        (f"UPDATE known SET state = {WAITING} WHERE id = 5", "waiting URLs and has 1"),
        (f"UPDATE meta SET value = '0 7' WHERE key = '{COUNTERS}'", "it counts 7 waiting URLs"),
        (f"UPDATE meta SET value = 'x' WHERE key = '{COUNTERS}'", "a text in meta or traps"),
        (f"UPDATE meta SET value = '[1]' WHERE key = '{COUNTS}'", "its counts make no sense"),
        (f"UPDATE meta SET value = '{{' WHERE key = '{COUNTS}'", "a text in meta or traps"),
        ("INSERT INTO traps VALUES ('h', '[]')", "a text in meta or traps"),
    ],
)
def test_tables_that_disagree_are_told(
    database: sqlite3.Connection, statement: str, words: str
) -> None:
    database.execute(statement)
    assert any(words in told for told in problems(database)), problems(database)


class TestAskAgain:
    """Pages whose answers are lost wait once more, and are counted no longer."""

    @staticmethod
    def lost(crawl: Path, database: sqlite3.Connection, count: int) -> list[LostPage]:
        (name, *_) = segments(crawl)
        pages = read_table(crawl, "pages").to_pylist()[:count]
        urls = dict(database.execute("SELECT id, url FROM urls"))
        return [
            LostPage(row["id"], urls[row["id"]], name, row["status"], row["relevant"],
                     row["bytes"] or 0, row["notes"] or "", row["error"] or "")
            for row in pages
        ]  # fmt: skip

    @staticmethod
    def counts(database: sqlite3.Connection) -> dict[str, int]:
        found: dict[str, int] = json.loads(read_meta(database, COUNTS) or "{}")
        return found

    @staticmethod
    def hosts(database: sqlite3.Connection) -> dict[str, tuple[int, int]]:
        rows = database.execute("SELECT name, downloads, hits FROM hosts")
        return {name: (downloads, hits) for name, downloads, hits in rows}

    def test_they_wait_and_every_count_is_less_by_them(
        self, small_crawl: Path, database: sqlite3.Connection
    ) -> None:
        pages = self.lost(small_crawl, database, 12)
        before, hosts = self.counts(database), self.hosts(database)
        database.execute("BEGIN")
        assert ask_again(database, pages) == 12
        database.execute("COMMIT")
        after = self.counts(database)
        assert before["pages"] - after["pages"] == sum(page.status > 0 for page in pages)
        assert before["relevant"] - after["relevant"] == sum(page.relevant for page in pages)
        assert before["bytes"] - after["bytes"] == sum(page.bytes for page in pages)
        for name, (downloads, hits) in self.hosts(database).items():
            mine = [page for page in pages if host_of(page.url) == name]
            assert hosts[name][0] - downloads == sum(page.status > 0 for page in mine)
            assert hosts[name][1] - hits == sum(page.relevant for page in mine)
        states = database.execute(f"SELECT id FROM known WHERE state = {WAITING} ORDER BY id")
        assert [row[0] for row in states] == sorted(page.id for page in pages)
        assert problems(database) == []  # all tables still agree

    def test_a_page_that_waits_already_is_not_counted_twice(
        self, small_crawl: Path, database: sqlite3.Connection
    ) -> None:
        pages = self.lost(small_crawl, database, 3)
        for expected in (3, 0):
            database.execute("BEGIN")
            assert ask_again(database, pages) == expected
            database.execute("COMMIT")
        assert problems(database) == []

    def test_their_rows_count_no_more_once_it_is_committed(
        self, small_crawl: Path, database: sqlite3.Connection, tmp_path: Path
    ) -> None:
        (tmp_path / "log").mkdir()
        pages = self.lost(small_crawl, database, 2)
        database.execute("BEGIN")
        ask_again(database, pages)
        database.execute("COMMIT")
        assert outdated(tmp_path) == {}
        for _ in range(2):  # a start that finds it done does nothing
            finish_asking_again(tmp_path, database)
            assert outdated(tmp_path) == {pages[0].segment: sorted(page.id for page in pages)}

    def test_forgotten_pages_neither_count_nor_wait(
        self, small_crawl: Path, database: sqlite3.Connection
    ) -> None:
        pages = self.lost(small_crawl, database, 5)
        database.execute("BEGIN")
        ask_again(database, pages[:2])
        database.execute("COMMIT")
        before = self.counts(database)
        database.execute("BEGIN")
        uncount_all(database, pages[2:], [page.id for page in pages])
        database.execute("COMMIT")
        assert before["pages"] - self.counts(database)["pages"] == sum(
            page.status > 0 for page in pages[2:]
        )
        waiting = database.execute(f"SELECT count(*) FROM known WHERE state = {WAITING}")
        assert waiting.fetchone() == (0,)
        assert problems(database) == []

    def test_counts_never_fall_below_nothing(
        self, small_crawl: Path, database: sqlite3.Connection
    ) -> None:
        database.execute("BEGIN")
        write_meta(database, COUNTS, json.dumps({"pages": 1, "relevant": 0, "bytes": 5}))
        database.execute("UPDATE hosts SET downloads = 0, hits = 0")
        ask_again(database, self.lost(small_crawl, database, 4))
        database.execute("COMMIT")
        assert self.counts(database)["pages"] == self.counts(database)["bytes"] == 0
        assert set(self.hosts(database).values()) == {(0, 0)}
        taken = database.execute(f"SELECT count(*) FROM known WHERE state = {TAKEN}").fetchone()[0]
        assert taken > 0
