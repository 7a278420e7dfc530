"""Directories of earlier versions, converted when they are opened.

A directory of version 0.1 has logs with fewer columns and a database with fewer tables. Each file
is replaced as a whole and the database changes in one transaction, so a conversion that is cut off
goes on where it was. A directory of a later version is refused, and nothing in it is touched.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing, suppress
from itertools import chain
from pathlib import Path
from sqlite3 import Connection

import pyarrow as pa
import pyarrow.parquet as pq

from langcrawl import __version__
from langcrawl.config import CrawlConfig
from langcrawl.errors import BadInput
from langcrawl.log.schema import ADDED, as_now
from langcrawl.log.segments import columns_of, write_file
from langcrawl.records import Facts
from langcrawl.store.database import NONSENSE, VERSION, connect, create_tables, undamaged
from langcrawl.store.directory import CrawlDirectory
from langcrawl.store.old_journal import read_old_journal

_FIRST_CONVERTED = 3
"""The version of the tables in directories of langcrawl 0.1."""
_FROM_3 = (
    "ALTER TABLE known RENAME COLUMN via TO found_by",
    "ALTER TABLE known ADD COLUMN hops INTEGER DEFAULT 0",
    "ALTER TABLE known ADD COLUMN tries INTEGER DEFAULT 0",
    "ALTER TABLE known ADD COLUMN reason TEXT DEFAULT ''",
    "ALTER TABLE known ADD COLUMN evidence TEXT DEFAULT ''",
    'ALTER TABLE known ADD COLUMN "group" INTEGER',
    "ALTER TABLE hosts ADD COLUMN misses INTEGER NOT NULL DEFAULT 0",
    "UPDATE hosts SET misses = downloads WHERE hits = 0",
)
_FROM_4 = (
    "ALTER TABLE archives ADD COLUMN last INTEGER",
    "DELETE FROM moves",
)
_STEPS = {3: _FROM_3, 4: _FROM_4}
"""What a database of a version is told to become one of the next."""
_MOVED = {
    3: (*Facts._fields, "parent", "via"),
    4: (*Facts._fields, "parent", "found_by", "hops", "tries", "reason", "evidence"),
}
"""What a move changes besides the place of a URL, by the version of the tables."""


def open_directory(path: Path, say: Callable[[str], None] = lambda sentence: None) -> None:
    """Convert a directory before it is read, unless that is not possible.

    One that cannot be written to, or that a crawl is writing, is read as it is.
    """
    directory = CrawlDirectory(path)
    if not directory.config.is_file() or not _is_old(directory):
        return
    with suppress(BadInput, OSError), directory.locked():
        convert(directory, say)


def _is_old(directory: CrawlDirectory) -> bool:
    """Whether the directory says that another version than this made it."""
    return CrawlConfig.load(directory.path).version != __version__


def convert(directory: CrawlDirectory, say: Callable[[str], None] = lambda sentence: None) -> None:
    """Bring a directory to the present version, if it is of an earlier one.

    Whoever calls this holds the directory's lock, or nobody is crawling into it.
    """
    if directory.database.exists():
        _convert_database(directory, say)
    for name, added in ADDED.items():
        for path in sorted((directory.log / name).glob("*.parquet")):
            if added - columns_of(path):
                write_file(path, as_now(name, _read(path)))
    if directory.config.exists() and _is_old(directory):
        config = CrawlConfig.load(directory.path)
        config.model_copy(update={"version": __version__}).save(directory.path)


def _read(path: Path) -> pa.Table:
    return pq.read_table(path, partitioning=None)


def _convert_database(directory: CrawlDirectory, say: Callable[[str], None]) -> None:
    with (
        undamaged(directory.database, *NONSENSE),
        closing(connect(directory.database)) as connection,
    ):
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if not tables or version == VERSION:
            return
        if version > VERSION:
            raise BadInput(
                f"the crawl in '{directory.path}' was made by a later version of langcrawl; "
                "install that version to resume it."
            )
        if version < _FIRST_CONVERTED:
            raise BadInput(
                f"the crawl in '{directory.path}' was made before version 0.1 and cannot be "
                "resumed; 'langcrawl import' makes a new log of it, and a new crawl needs a new "
                "directory."
            )
        say(f"converting the crawl in '{directory.path}' to the current version; this happens once")
        connection.execute("BEGIN IMMEDIATE")
        if version in _MOVED:
            _write_moves(connection, _MOVED[version])
        for earlier, statements in _STEPS.items():
            for statement in statements if version <= earlier else ():
                connection.execute(statement)
        create_tables(connection)
        connection.execute("COMMIT")


def _write_moves(connection: Connection, columns: tuple[str, ...]) -> None:
    """Have the tables show the moves that stand in the journal of an earlier version."""
    move = (
        f"UPDATE known SET priority = ?, arrival = ?, ({', '.join(columns)}) = "
        f"({', '.join('?' * len(columns))}) "
        "WHERE host = ? AND fp = ? AND state = 1 AND abs(arrival) < abs(?)"
    )
    rows = connection.execute("SELECT rows FROM moves ORDER BY number").fetchall()
    for priority, arrival, facts, *rest in chain.from_iterable(
        read_old_journal(row) for (row,) in rows
    ):
        connection.execute(move, (priority, arrival, *facts, *rest, arrival))
