"""Find single URLs and pages in a crawl directory: by index, or within one segment of the log.

A URL stands in `known` under its fingerprints. Its number says which segment of the log has the
first page that links to it: the one in which that number was given. The page of a number is found
by the column of ids alone, which is small; then only its own row group is read. Rows are picked
with numpy: pyarrow's own functions take longer to load than these few take to find.
"""

from __future__ import annotations

import sqlite3
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from langcrawl.log.schema import as_now
from langcrawl.log.segments import outdated, read_batches
from langcrawl.log.visits import Visited, read_visits, unmoved_visits, visit_files, visit_names
from langcrawl.log.writer import read_unmoved, registered_segments
from langcrawl.records import Facts
from langcrawl.store.database import SEEN, TAKEN, WAITING, fingerprints, seed_of
from langcrawl.store.learned import read_learned
from langcrawl.url import host_of

_WORDS = {SEEN: "seen", WAITING: "waiting", TAKEN: "taken"}
_KNOWN = (
    f"SELECT known.id, state, priority, {', '.join(Facts._fields)}, "
    "coalesce((SELECT url FROM urls WHERE urls.id = parent), ''), found_by, tries, reason, "
    "evidence FROM known WHERE host = ? AND fp = ?"
)
_AHEAD = "SELECT count(*) FROM known WHERE state = 1 AND host = ? AND priority < ?"
_MOST_NEIGHBOURS = 2000
PAGE_COLUMNS = (
    "id", "status", "redirect", "content_type", "bytes", "fetched_at", "language", "script",
    "encoding", "score", "relevant", "digest", "depth", "irrelevant_run", "parent", "priority",
    "found_by", "reason", "error", "warc_file", "warc_offset", "notes", "title", "evidence",
)  # fmt: skip


class KnownUrl(NamedTuple):
    """How a URL stands in the queue, or stood when it was taken."""

    url: str
    number: int
    state: str
    """``seen`` (it has a number and does not wait), ``waiting`` or ``taken``."""
    priority: float | None
    facts: Facts | None
    """None where it never waited."""
    parent: str
    found_by: str
    tries: int
    reason: str
    evidence: str


@dataclass(frozen=True, slots=True)
class HostState:
    """What is known of a host."""

    host: str
    urls: int
    """How many of its URLs are known."""
    waiting: int
    downloads: int
    relevant: int
    failures: int
    """Requests in a row that failed."""
    ready_at: float
    """From when on it may be asked again."""


class Lookup:
    """Single rows of one moment of a crawl."""

    def __init__(self, directory: Path, connection: sqlite3.Connection) -> None:
        self._directory, self._connection = directory, connection
        self._seed = seed_of(connection)
        self._segments = registered_segments(connection)
        self._ids: dict[str, np.ndarray[Any, Any]] = {}

    def known(self, url: str) -> KnownUrl | None:
        """How a URL stands; None for one that was never seen."""
        row = self._connection.execute(_KNOWN, self._key(url)).fetchone()
        if row is None:
            return None
        number, state, priority, *rest = row
        width = len(Facts._fields)
        facts = Facts(*rest[:width]) if rest[0] is not None else None
        parent, found_by, tries, reason, evidence = rest[width:]
        return KnownUrl(
            url, number, _WORDS[state], priority, facts, parent, found_by or "", tries or 0,
            reason or "", evidence or "",
        )  # fmt: skip

    def ahead(self, known: KnownUrl) -> int:
        """How many URLs of the same host come before a waiting one, for their priority."""
        key = self._key(known.url)[0]
        (count,) = self._connection.execute(_AHEAD, (key, known.priority)).fetchone()
        return int(count)

    def url_of(self, number: int) -> str:
        row = self._connection.execute("SELECT url FROM urls WHERE id = ?", (number,)).fetchone()
        return "" if row is None else str(row[0])

    def host(self, host: str) -> HostState | None:
        """What is known of a host; None where no URL of it is."""
        key = fingerprints((host,), self._seed)[0]
        (urls,) = self._connection.execute(
            "SELECT count(*) FROM known WHERE host = ?", (key,)
        ).fetchone()
        if not urls:
            return None
        (waiting,) = self._connection.execute(
            "SELECT count(*) FROM known WHERE state = 1 AND host = ?", (key,)
        ).fetchone()
        row = self._connection.execute(
            "SELECT downloads, hits, failures, ready_at FROM hosts WHERE name = ?", (host,)
        ).fetchone()
        return HostState(host, urls, waiting, *(row or (0, 0, 0, 0.0)))

    def neighbours(self, url: str, most: int = 5) -> list[str]:
        """Known URLs of the same host, those first that begin most like this one."""
        key = self._key(url)[0]
        rows = self._connection.execute(
            "SELECT url FROM known JOIN urls USING (id) WHERE host = ? LIMIT ?",
            (key, _MOST_NEIGHBOURS),
        )
        return sorted((row[0] for row in rows), key=lambda other: -_alike(url, other))[:most]

    def memory_of_traps(self, hosts: Iterable[str]) -> list[tuple[str, str]]:
        """What is remembered of traps on these hosts."""
        found = []
        for host in hosts:
            found += self._connection.execute(
                "SELECT host, memory FROM traps WHERE host = ?", (host,)
            ).fetchall()
        return found

    def learned(self) -> dict[str, bytes]:
        """What the strategy has learned."""
        return read_learned(self._connection)

    def pages(self, numbers: Iterable[int]) -> dict[int, dict[str, Any]]:
        """The rows of pages in the log, by number; those that are not there are left out."""
        wanted = np.array(sorted(set(numbers)), np.int64)
        found: dict[int, dict[str, Any]] = {}
        for table in self._rows_of(wanted):
            for row in table.to_pylist():
                found[row["id"]] = row
        return found

    def _rows_of(self, wanted: np.ndarray[Any, Any]) -> Iterator[pa.Table]:
        gone = outdated(self._directory)
        for name in self._segments:
            path = self._directory / "log" / "pages" / name
            ids = self._ids_in(path)
            dead = set(gone.get(name, ()))
            rows = [
                row
                for row in np.flatnonzero(np.isin(ids, wanted)).tolist()
                if int(ids[row]) not in dead
            ]
            if rows:
                yield _take_rows(path, rows)
        for pages, _ in read_unmoved(self._connection):
            ids = pages["id"].to_numpy()
            yield _picked(pages.select(PAGE_COLUMNS), np.flatnonzero(np.isin(ids, wanted)).tolist())

    def _ids_in(self, path: Path) -> np.ndarray[Any, Any]:
        """The ids of the pages in a segment; a second question does not read them again."""
        if path.name not in self._ids:
            with pq.ParquetFile(path) as file:
                self._ids[path.name] = file.read(["id"])["id"].to_numpy()
        return self._ids[path.name]

    def visits(self, number: int) -> list[Visited]:
        """Every visit of a page that was asked for again, the first one first."""
        names = visit_names(visit_files(self._connection))
        found: list[Visited] = []
        for table in (*read_visits(self._directory, names), unmoved_visits(self._connection)):
            rows = np.flatnonzero(table["id"].to_numpy() == number).tolist()
            found += [Visited(**row) for row in _picked(table, rows).to_pylist()]
        return sorted(found, key=lambda visit: visit.fetched_at)

    def linking(self, number: int, most: int = 5) -> list[int]:
        """The pages that link to a URL, as far as they stand where its number was given."""
        ends = list(self._segments.values())
        place = bisect_right(ends, number)
        if place < len(ends):
            name = list(self._segments)[place]
            batches = read_batches(self._directory, "links", ["src", "dst"], [name])
        else:
            batches = (links for _, links in read_unmoved(self._connection))
        found: dict[int, None] = {}
        for links in batches:
            src = links["src"].to_numpy()[links["dst"].to_numpy() == number]
            found |= dict.fromkeys(src.tolist())
        return list(found)[:most]

    def _key(self, url: str) -> tuple[int, int]:
        host, fp = fingerprints((host_of(url), url), self._seed)
        return host, fp


def _take_rows(path: Path, rows: list[int]) -> pa.Table:
    """Some rows of a file of pages, of which only the row groups that hold them are read."""
    file = pq.ParquetFile(path)
    there = file.schema_arrow.names
    columns = [name for name in PAGE_COLUMNS if name in there]
    taken, first = [], 0
    for group in range(file.metadata.num_row_groups):
        size = file.metadata.row_group(group).num_rows
        inside = [row - first for row in rows if first <= row < first + size]
        if inside:
            taken.append(_picked(file.read_row_group(group, columns=columns), inside))
        first += size
    return as_now("pages", pa.concat_tables(taken)).select(PAGE_COLUMNS)


def _picked(table: pa.Table, rows: Iterable[int]) -> pa.Table:
    """A few rows of a table."""
    return pa.concat_tables([table.slice(0, 0), *(table.slice(row, 1) for row in rows)])


def _alike(url: str, other: str) -> int:
    """How many characters two texts have in common from their start."""
    for place, (one, two) in enumerate(zip(url, other, strict=False)):
        if one != two:
            return place
    return min(len(url), len(other))


def lane_of(priority: float | None) -> float | None:
    """A priority as JSON can write it."""
    return None if priority is None or abs(priority) == inf else priority
