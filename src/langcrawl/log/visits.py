"""The history of pages that were asked for more than once: a row for each visit, the first too.

The table of pages has one row a page, the newest. Its older rows stand here, with every answer that
brought nothing new, so that an index of the archive can be made without reading it. Visits wait in
the database as batches of pages do, and become a file of ``log/visits`` in the transaction in which
those become a segment: only then do the rows count no more that they have replaced.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from langcrawl.errors import BrokenLog
from langcrawl.log.segments import mark_outdated, without, write_file
from langcrawl.store.database import read_meta, write_meta
from langcrawl.store.sealed import remember

VISITS = pa.schema(
    [
        ("id", pa.int64()),
        ("fetched_at", pa.float64()),
        ("outcome", pa.string()),
        ("status", pa.int16()),
        ("digest", pa.string()),
        ("content_type", pa.string()),
        ("revisit", pa.bool_()),
        ("wire_bytes", pa.int64()),
        ("error", pa.string()),
        ("warc_file", pa.string()),
        ("warc_offset", pa.int64()),
        ("warc_length", pa.int64()),
    ]
)
"""docs/crawl-log.md explains the columns."""
_TABLE = f"CREATE TABLE IF NOT EXISTS visits ({', '.join(VISITS.names)}, replaces)"
_FILES = "visits"
"""The key of `meta` with the number of files of visits that count."""


class Visited(NamedTuple):
    """One visit of a page."""

    id: int
    fetched_at: float
    outcome: str
    """``new``, ``changed``, ``unchanged``, ``gone`` or ``failed``."""
    status: int
    digest: str
    content_type: str
    revisit: bool
    """Whether the archive has it as a revisit record, without a body."""
    wire_bytes: int | None
    error: str
    warc_file: str | None
    warc_offset: int | None
    warc_length: int | None


def set_up_visits(database: sqlite3.Connection) -> None:
    """Make the table in which visits wait."""
    database.execute(_TABLE)


def save_visits(database: sqlite3.Connection, visits: Iterable[tuple[Visited, str | None]]) -> None:
    """Keep visits, each with the segment of the row in the table of pages that it replaces."""
    marks = ", ".join("?" * (len(VISITS) + 1))
    rows = [(*visit, segment) for visit, segment in visits]
    database.executemany(f"INSERT INTO visits VALUES ({marks})", rows)


def has_visits(database: sqlite3.Connection) -> bool:
    """Whether pages of this crawl were ever asked for again."""
    query = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'visits'"
    return database.execute(query).fetchone() is not None


def move_visits(directory: Path, database: sqlite3.Connection) -> None:
    """Turn the visits that wait into a file; the rows that they replace count no more."""
    if not has_visits(database):
        return
    rows = database.execute("SELECT * FROM visits ORDER BY rowid").fetchall()
    if not rows:
        return
    replaced: dict[str, list[int]] = {}
    for number, *_, segment in rows:
        if segment is not None:
            replaced.setdefault(segment, []).append(number)
    count = visit_files(database)
    name = _name(count)
    (directory / name).parent.mkdir(parents=True, exist_ok=True)
    write_file(directory / name, _table(row[:-1] for row in rows))
    if replaced:
        mark_outdated(directory, replaced)
    remember(database, directory, [name])
    write_meta(database, _FILES, str(count + 1))
    database.execute("DELETE FROM visits")


def visit_files(database: sqlite3.Connection) -> int:
    """How many files of visits count."""
    return int(read_meta(database, _FILES) or "0")


def visit_names(count: int) -> list[str]:
    """The first files of visits, as paths within the crawl directory."""
    return [_name(number) for number in range(count)]


def replaced_pages(database: sqlite3.Connection) -> list[int]:
    """Pages with a newer row among those that are in no segment yet."""
    if not has_visits(database):
        return []
    return [row[0] for row in database.execute("SELECT id FROM visits WHERE replaces IS NOT NULL")]


def read_visits(directory: Path, names: Collection[str] | None = None) -> Iterator[pa.Table]:
    """The visits of a log, a file at a time: of all, or of those named."""
    for name in visits_in(directory) if names is None else names:
        yield _read(directory / name)


def unmoved_visits(database: sqlite3.Connection) -> pa.Table:
    """The visits that are in no file yet."""
    rows = database.execute("SELECT * FROM visits").fetchall() if has_visits(database) else []
    return _table(row[:-1] for row in rows)


def visits_in(directory: Path) -> list[str]:
    """The files of visits that a directory has, as paths within it."""
    found = sorted((directory / "log" / "visits").glob("*.parquet"))
    return [str(path.relative_to(directory)) for path in found]


def change_visits(
    directory: Path, names: Iterable[str], change: Callable[[pa.Table], pa.Table]
) -> None:
    """Write files of visits anew where a change of their tables changes anything."""
    for name in names:
        before = _read(directory / name)
        after = change(before)
        if not after.equals(before):
            write_file(directory / name, after)


def without_pages(table: pa.Table, gone: Collection[int]) -> pa.Table:
    """A table of visits without those of some pages."""
    return without(table, "id", gone)


def without_places(table: pa.Table, lost: Collection[int]) -> pa.Table:
    """A table of visits whose rows at these places say no more where they are archived."""
    if not lost:
        return table
    rows = [
        row | dict.fromkeys(("warc_file", "warc_offset", "warc_length")) if at in lost else row
        for at, row in enumerate(table.to_pylist())
    ]
    return pa.Table.from_pylist(rows, VISITS)


def _name(number: int) -> str:
    return f"log/visits/{number:06}.parquet"


def _table(rows: Iterable[tuple[object, ...]]) -> pa.Table:
    columns = list(zip(*rows, strict=True)) or [()] * len(VISITS)
    arrays = [
        pa.array(map(bool, column) if field.name == "revisit" else column, field.type)
        for field, column in zip(VISITS, columns, strict=True)
    ]
    return pa.Table.from_arrays(arrays, schema=VISITS)


def _read(path: Path) -> pa.Table:
    try:
        with pq.ParquetFile(path) as file:
            table = file.read(VISITS.names).select(VISITS.names).cast(VISITS)
        table.validate(full=True)
        return table
    except (pa.ArrowException, OSError, KeyError, ValueError) as error:
        raise BrokenLog(
            f"the log file '{path}' is damaged ({str(error).splitlines()[0].rstrip('.')}); restore "
            "it from a backup, or move it away: then only the history of visits is lost."
        ) from None
