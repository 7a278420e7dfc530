"""What was learned, kept as lessons and as a table."""

from __future__ import annotations

import random
import sqlite3
from pathlib import Path

import pytest

from langcrawl.store import learned
from langcrawl.store.database import connect, create_tables
from langcrawl.store.learned import Lessons, forget_learned, packed, read_learned, unpacked


@pytest.fixture
def connection(tmp_path: Path) -> sqlite3.Connection:
    opened = connect(tmp_path / "frontier.db")
    create_tables(opened)
    return opened


def rows(connection: sqlite3.Connection, table: str) -> int:
    (count,) = connection.execute(f"SELECT count(*) FROM {table}").fetchone()
    return int(count)


@pytest.mark.parametrize("much", [0, 300, 1 << 21])
def test_the_last_that_was_learned_counts_whoever_reads_it(
    connection: sqlite3.Connection, much: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Through processes that end anywhere, and tables that are written often, rarely, or never."""
    monkeypatch.setattr(learned, "_MUCH", much)
    rng, known, lessons = random.Random(much), {}, Lessons()
    for commit in range(200):
        if rng.random() < 0.05:
            lessons = Lessons()  # another process
        names = [f"n{rng.randrange(40)}ไทย" for _ in range(rng.randrange(1, 6))]
        changed = {name: rng.randbytes(rng.randrange(0, 30)) for name in names}
        lessons.save(connection, changed)
        known |= changed
        if commit % 20 == 0:
            assert read_learned(connection) == known
    assert read_learned(connection) == known
    assert (rows(connection, "lessons") == 0) == (much == 0)


def test_what_a_process_has_left_is_written_into_the_table_by_the_next(
    connection: sqlite3.Connection,
) -> None:
    Lessons().save(connection, {"a": b"1", "b": b"2"})
    assert (rows(connection, "learned"), rows(connection, "lessons")) == (0, 1)
    Lessons().save(connection, {"a": b"3"})
    assert (rows(connection, "learned"), rows(connection, "lessons")) == (2, 1)
    assert read_learned(connection) == {"a": b"3", "b": b"2"}


def test_what_is_forgotten_is_in_neither(connection: sqlite3.Connection) -> None:
    lessons = Lessons()
    lessons.save(connection, {"a": b"1"})
    Lessons().save(connection, {"b": b"2"})
    forget_learned(connection)
    assert read_learned(connection) == {}


def test_a_database_of_an_earlier_version_has_no_lessons_and_is_read(
    connection: sqlite3.Connection,
) -> None:
    """`why` and the view over shards read what nobody has converted yet."""
    connection.execute("INSERT INTO learned VALUES ('a', x'31')")
    connection.execute("DROP TABLE lessons")
    assert read_learned(connection) == {"a": b"1"}


@pytest.mark.parametrize("changed", [{}, {"": b""}, {"a": b"", "ข": b"\x00\xff"}])
def test_a_row_says_what_was_put_into_it(changed: dict[str, bytes]) -> None:
    assert unpacked(packed(changed)) == changed


def test_a_row_that_was_harmed_is_refused_or_read_and_nothing_else() -> None:
    row = packed({"name": b"value", "other": b"more"})
    rng = random.Random(4)
    for _ in range(2000):
        harmed = bytearray(row)
        harmed[rng.randrange(len(row))] = rng.randrange(256)
        cut = bytes(harmed[: rng.randrange(len(row) + 1)]) if rng.random() < 0.5 else bytes(harmed)
        refusal = ""
        try:
            read = unpacked(cut)
        except ValueError as error:
            read, refusal = {}, str(error)
        assert len(read) <= 2
        assert not refusal or "cannot be read" in refusal
    with pytest.raises(ValueError, match="cannot be read"):
        unpacked(row + b"x")
    with pytest.raises(ValueError, match="cannot be read"):
        unpacked(b"\xff\xff\xff\xff")


def test_what_was_learned_has_the_order_of_its_names(connection: sqlite3.Connection) -> None:
    """Else it would depend on the process that wrote it what a strategy does next."""
    lessons = Lessons()
    for name in ("b", "d", "a", "c", "b"):
        lessons.save(connection, {name: b"1"})
    assert list(read_learned(connection)) == ["a", "b", "c", "d"]
