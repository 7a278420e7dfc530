"""The log of a live crawl while it is written: batches in the database, then Parquet segments.

The steps between two commits of the frontier go into its database as one row, in the very
transaction that changes the URLs they speak of, so log and frontier never disagree. When
enough has come together it becomes a segment of the log: the files are written first, and
the transaction that removes the rows registers them. Files that no transaction registered
are left from a process that died, or the database is older than they are: the next start sets them
aside.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pydantic_core import from_json, to_json

from langcrawl.log.schema import PAGES, TABLES, as_now, log_table
from langcrawl.log.segments import write_segment
from langcrawl.log.visits import move_visits
from langcrawl.records import Links, Step
from langcrawl.store.lost import LostAndFound, free_name
from langcrawl.store.sealed import remember
from langcrawl.url import host_of

_REGISTER = (
    "INSERT INTO archives VALUES (?, ?, ?) ON CONFLICT (file) DO UPDATE SET "
    "bytes = max(bytes, excluded.bytes), last = excluded.last"
)
"""What counts of a file never becomes less, in whatever order its answers are taken in."""
_URLS_AT_ONCE = 100_000
_BATCHES_AT_ONCE = 256
_ARROW = b"\xff\xff\xff\xff"
"""How a stream of Arrow begins."""


class LogWriter:
    """A sink whose steps last from the frontier's next commit on (`save`)."""

    def __init__(
        self,
        directory: Path,
        database: sqlite3.Connection,
        ids_of: Callable[[Iterable[str]], list[int]],
        pages: int = 10_000,
        seconds: float = 600.0,
    ) -> None:
        self._directory, self._ids_of = directory, ids_of
        self._every_pages, self._every_seconds = pages, seconds
        self._waiting = database.execute("SELECT coalesce(sum(size), 0) FROM batches").fetchone()[0]
        self._moved_at = time.monotonic()
        self._pages: list[tuple[Any, ...]] = []
        self._links = _LinkColumns()
        self._archived: dict[str, tuple[int, int]] = {}

    def take(self, step: Step) -> None:
        page = step.page
        (number,) = self._ids_of((page.url,))
        self._pages.append(self._page_row(number, step))
        if page.links:
            self._links.add(number, self._ids_of(page.links.urls), page.links)
        if page.warc_file:
            self._archived[page.warc_file] = page.warc_offset + page.warc_length, page.warc_offset

    def close(self) -> None:
        """Forget what was not saved; it is not part of any commit."""

    def save(self, database: sqlite3.Connection, *, all_of_it: bool = False) -> None:
        """Put the steps since the last call into the database, and those that wait into the log.

        Called within a transaction; with `all_of_it`, however few they are.
        """
        if self._pages:
            database.execute(
                "INSERT INTO batches (pages, links, size) VALUES (?, ?, ?)",
                (
                    _packed(_page_columns(self._pages)),
                    _packed(self._links.columns()),
                    len(self._pages),
                ),
            )
            register_archives(database, self._archived)
            self._waiting += len(self._pages)
            self._pages, self._links, self._archived = [], _LinkColumns(), {}
        late = time.monotonic() - self._moved_at >= self._every_seconds
        if self._waiting and (all_of_it or late or self._waiting >= self._every_pages):
            self._move(database)
        elif all_of_it:
            move_visits(self._directory, database)

    def _move(self, database: sqlite3.Connection) -> None:
        """Turn the batches that wait into a segment of the log."""
        number, first = database.execute(
            "SELECT coalesce(max(number) + 1, 0), coalesce(max(urls), 0) FROM segments"
        ).fetchone()
        pages, links = [], []
        for page_rows, link_rows in read_unmoved(database):
            pages.append(page_rows)
            links.append(link_rows)
        urls = new_urls(database, first)
        tables = {
            "urls": urls, "pages": pa.concat_tables(pages), "links": pa.concat_tables(links),
        }  # fmt: skip
        write_segment(self._directory, number, tables)
        database.execute("INSERT INTO segments VALUES (?, ?)", (number, first + urls.num_rows))
        remember(database, self._directory, segment_files(number))
        database.execute("DELETE FROM batches")
        move_visits(self._directory, database)
        self._waiting, self._moved_at = 0, time.monotonic()

    def _page_row(self, number: int, step: Step) -> tuple[Any, ...]:
        """A row of the table of pages, in the order of its columns."""
        visit, page, verdict = step.visit, step.page, step.verdict
        charsets, facts, archived = page.charsets, visit.facts, bool(page.warc_file)
        return (
            number,
            page.status,
            self._ids_of((page.redirect,))[0] if page.redirect else None,
            page.content_type,
            page.bytes,
            page.text_bytes,
            page.fetched_at,
            page.elapsed,
            page.ip,
            charsets.header,
            charsets.meta,
            charsets.detected,
            verdict.language,
            verdict.script,
            verdict.encoding,
            verdict.score,
            verdict.relevant,
            page.digest,
            facts.depth,
            facts.run,
            self._ids_of((visit.parent,))[0] if visit.parent else None,
            visit.priority,
            visit.found_by,
            visit.reason or None,
            page.error,
            page.warc_file if archived else None,
            page.warc_offset if archived else None,
            page.warc_length if archived else None,
            " ".join(page.notes),
            page.title,
            page.html_lang,
            page.content_language,
            None,
            "\n".join(verdict.evidence),
            ", ".join(page.fonts),
        )


def archived_bytes(database: sqlite3.Connection) -> dict[str, int]:
    """How much of each archive file the log knows of."""
    found = dict(database.execute("SELECT file, bytes FROM archives"))
    if not all(type(size) is int and type(name) is str for name, size in found.items()):
        raise ValueError("a row of archives makes no sense")
    return found


def register_archives(database: sqlite3.Connection, ends: Mapping[str, tuple[int, int]]) -> None:
    """How much of archive files counts, and where the last answer in them begins."""
    rows = [(name, *numbers) for name, numbers in ends.items()]
    database.executemany(_REGISTER, rows)


def set_aside_unregistered(
    directory: Path, database: sqlite3.Connection, lost: LostAndFound
) -> None:
    """Move segments that the database does not know out of the log; drafts of files go."""
    known = registered_segments(database)
    folder: Path | None = None
    for name in TABLES:
        for path in sorted((directory / "log" / name).glob("*")):
            if path.suffix == ".tmp":  # part of what still stands in the database
                path.unlink()
            elif path.name not in known:
                folder = folder or free_name(lost.path, "crawl")
                (folder / "log" / name).mkdir(parents=True, exist_ok=True)
                lost.move(path, f"{folder.name}/log/{name}/{path.name}")


def registered_segments(database: sqlite3.Connection) -> dict[str, int]:
    """The segments that count, in order, and how many URLs there are up to each."""
    rows = database.execute("SELECT number, urls FROM segments ORDER BY number")
    return {f"{number:06}.parquet": urls for number, urls in rows}


def segment_files(number: int) -> list[str]:
    """The files of a segment, as paths within the crawl directory."""
    return [f"log/{name}/{number:06}.parquet" for name in TABLES]


class _LinkColumns:
    """The links of some pages, as columns of the log."""

    def __init__(self) -> None:
        self._src: list[tuple[int, int]] = []
        self._dst: list[int] = []
        self._texts: dict[str, list[Any]] = {name: [] for name in _COLUMNS}
        """Of each other column what is known; it may be shorter than the links are many."""
        self._nofollow: list[int] = []

    def add(self, src: int, dst: list[int], links: Links) -> None:
        """Add the links of a page."""
        before = len(self._dst)
        self._src.append((src, len(dst)))
        self._dst += dst
        for name, attribute in _COLUMNS.items():
            if values := getattr(links, attribute):
                column = self._texts[name]
                column += [None] * (before - len(column))
                column += values
        if links.nofollow:
            self._nofollow += [before + place for place in links.nofollow]

    def columns(self) -> dict[str, Any]:
        """What `_whole_columns` makes all columns of; None for one of which nothing is known."""
        total = len(self._dst)
        texts = {
            name: column + [None] * (total - len(column)) if column else None
            for name, column in self._texts.items()
        }
        return {"dst": self._dst} | texts | {_PAGES_OF: self._src, "nofollow": self._nofollow}


def _whole_columns(batches: list[dict[str, Any]]) -> dict[str, Any]:
    """The columns of the links of some batches: what a page says of all its links stood once."""
    sizes = [len(each["dst"]) for each in batches]
    merged = _merged(batches, "dst", ("dst", *_COLUMNS))
    total = len(merged["dst"])
    of = np.array([row for each in batches for row in each[_PAGES_OF]], np.int64).reshape(-1, 2)
    pages, counts = of.T
    firsts = np.cumsum(sizes) - sizes
    places = [
        np.array(each["nofollow"], np.int64) + first
        for each, first in zip(batches, firsts, strict=True)
    ]
    marked = np.concatenate([*places, np.empty(0, np.int64)])
    in_range = ((counts >= 0) & (counts <= total)).all() and (
        (marked >= 0) & (marked < total)
    ).all()
    if not in_range or counts.sum() != total:
        raise ValueError("it has another number of links than it says")
    nofollow = np.zeros(total, bool)
    nofollow[marked] = True
    before = np.repeat(np.cumsum(counts) - counts, counts)
    return merged | {
        "src": np.repeat(pages, counts),
        "position": np.arange(total) - before,
        "nofollow": nofollow,
    }


_PAGES_OF = "of"
"""Of a batch of links: the pages that they are on, each with how many they are."""
_COLUMNS = {
    "anchor": "anchors", "context": "contexts", "hreflang": "hreflangs", "rel": "rels",
    "tag_path": "tag_paths", "anchor_score": "anchor_scores",
}  # fmt: skip
"""Columns of the log's links, and of `Links`."""


def _packed(columns: dict[str, Any]) -> bytes:
    return to_json(columns, inf_nan_mode="constants")


def _page_columns(rows: list[tuple[Any, ...]]) -> dict[str, Any]:
    return dict(zip(PAGES.names, zip(*rows, strict=True), strict=True))


def read_unmoved(database: sqlite3.Connection) -> Iterator[tuple[pa.Table, pa.Table]]:
    """Pages and links of the batches that are not in a segment of the log yet, in order.

    A batch is columns in JSON: Arrow would take longer to write the few pages of a commit than all
    else that is done with them. Many batches together become tables. Earlier versions wrote Arrow.
    """
    rows = database.execute("SELECT id, pages, links FROM batches ORDER BY id")
    while some := rows.fetchmany(_BATCHES_AT_ONCE):
        for is_arrow, group in groupby(some, key=_is_arrow):
            numbers, pages, links = zip(*group, strict=True)
            try:
                for blobs in zip(pages, links, strict=True) if is_arrow else [(pages, links)]:
                    yield _tables(*blobs)
            except (pa.ArrowException, OSError, ValueError, TypeError, KeyError) as error:
                why = str(error).splitlines()[0].rstrip(".")
                named = f"batch {numbers[0]}"
                if len(numbers) > 1:
                    named = f"one of the batches {numbers[0]} to {numbers[-1]}"
                raise ValueError(f"{named} cannot be read: {why}") from None


def _is_arrow(row: tuple[object, ...]) -> bool:
    return isinstance(row[1], bytes) and row[1].startswith(_ARROW)


def _tables(pages: bytes | Sequence[bytes], links: bytes | Sequence[bytes]) -> tuple[pa.Table, ...]:
    """The tables of one batch in Arrow, or of many in JSON."""
    tables = []
    for name, packed in (("pages", pages), ("links", links)):
        if isinstance(packed, bytes):
            table = as_now(name, pa.ipc.open_stream(packed).read_all())
        else:
            table = pa.concat_tables(
                _table_of(name, list(alike), is_short)
                for is_short, alike in groupby(
                    map(from_json, packed), lambda each: _PAGES_OF in each
                )
            )
        table.validate(full=True)
        tables.append(table)
    if tables[0].schema.names != PAGES.names or tables[0]["id"].type != pa.int64():
        raise ValueError("it has other columns")
    return tuple(tables)


def _table_of(name: str, batches: list[dict[str, Any]], is_short: bool) -> pa.Table:
    """The table of some batches: of links, or of pages or links as earlier versions wrote them."""
    first = TABLES[name].names[0]
    merged = _whole_columns(batches) if is_short else _merged(batches, first, batches[0])
    return log_table(name, len(merged[first]), merged)


def _merged(
    batches: list[dict[str, Any]], first: str, names: Iterable[str]
) -> dict[str, list[Any]]:
    """Columns of several batches, one behind the other; all are as long as the first."""

    def values(columns: dict[str, Any], name: str) -> Sequence[Any]:
        found: Sequence[Any] | None = columns[name]
        return [None] * len(columns[first]) if found is None else found

    return {
        name: list(chain.from_iterable(values(each, name) for each in batches)) for name in names
    }


def new_urls(database: sqlite3.Connection, first: int, end: float = inf) -> pa.Table:
    """The URLs that the log has not listed yet, or some before, in the order of their ids."""
    between = "SELECT id, url FROM urls WHERE id >= ? AND id < ? ORDER BY id"
    rows = database.execute(between, (first, end))
    tables = []
    while part := rows.fetchmany(_URLS_AT_ONCE):
        ids, urls = zip(*part, strict=True)
        hosts = [host_of(url) for url in urls]
        tables.append(log_table("urls", len(part), {"id": ids, "url": urls, "host": hosts}))
    return pa.concat_tables(tables) if tables else log_table("urls", 0, {})
