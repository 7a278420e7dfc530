"""Read a crawl directory without changing it, even while a crawl is running."""

from __future__ import annotations

import json
import re
import sqlite3
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from langcrawl.config import FILE, CrawlConfig
from langcrawl.errors import BadInput, BrokenLog, NoSuchLog
from langcrawl.languages import parse_targets
from langcrawl.log.schema import TABLES
from langcrawl.log.segments import read_batches, without
from langcrawl.log.visits import (
    read_visits,
    replaced_pages,
    unmoved_visits,
    visit_files,
    visit_names,
)
from langcrawl.log.writer import new_urls, read_unmoved, registered_segments
from langcrawl.records import UNKNOWN
from langcrawl.store.database import (
    COUNTERS,
    COUNTS,
    LEASES,
    NONSENSE,
    fingerprints,
    read_meta,
    seed_of,
    undamaged,
)
from langcrawl.store.directory import CrawlDirectory
from langcrawl.store.events import last_event
from langcrawl.store.history import HISTORY, History, Point
from langcrawl.store.lookup import Lookup
from langcrawl.store.migrate import open_directory
from langcrawl.store.snapshot import snapshot_of
from langcrawl.store.status import (
    FAILING_SHOWN,
    WATCHED,
    FailingHost,
    Sample,
    Status,
    Watched,
    estimated_end,
    rate_lately,
    sum_statuses,
)

_BY_WORD = ("errors", "discards", "notes", "answers", "silences")
HOST_ORDERS = {
    "pages": "downloads DESC",
    "relevant": "hits DESC",
    "wasted": "downloads - hits DESC",
    "failures": "failures DESC",
    "name": "name",
}
"""The orders in which hosts can be asked for."""
_MOST_COUNTED = 100_000


class HostRow(NamedTuple):
    """A host as a crawl knows it."""

    host: str
    pages: int
    relevant: int
    waiting: int
    """URLs that wait, counted up to 100,000."""
    failures: int
    """In a row."""
    error: str
    rests: float
    """Seconds until it may be asked again."""
    delay: float


class View:
    """A snapshot of a crawl: everything read from it belongs to the same transaction."""

    def __init__(self, directory: CrawlDirectory, connection: sqlite3.Connection) -> None:
        self._directory, self._connection = directory, connection

    def status(self) -> Status:
        """How the crawl stands."""
        config = CrawlConfig.load(self._directory.path)
        execute = self._connection.execute
        counts = json.loads(read_meta(self._connection, COUNTS) or "{}")
        queue = int((read_meta(self._connection, COUNTERS) or "0 0").split()[1])
        (urls,) = execute("SELECT coalesce(max(id) + 1, 0) FROM urls").fetchone()
        (hosts,) = execute("SELECT count(*) FROM hosts").fetchone()
        numbers = [
            counts.get(name, 0) for name in ("pages", "relevant", "bytes", "spent", "failures")
        ]
        words = [counts.get(name, {}) for name in _BY_WORD]
        for number in (*numbers, *chain.from_iterable(word.values() for word in words)):
            if type(number) not in (int, float):
                raise ValueError("its counts make no sense")
        pages, spent = counts.get("pages", 0), counts.get("spent", 0.0)
        running, now = self._directory.is_running, time.time()
        watched = Watched.from_text(read_meta(self._connection, WATCHED))
        sample = Sample(now, pages, counts.get("bytes", 0), counts.get("requests", 0), queue)
        lately = end = None
        if running:
            lately = rate_lately(watched.samples, "pages", sample)
            end = estimated_end(config, watched.started, watched.samples, sample)
        failing_hosts, failing = self._failing(watched, now)
        return Status(
            running=running,
            lang=config.lang,
            strategy=config.strategy,
            pages=pages,
            relevant=counts.get("relevant", 0),
            harvest=counts.get("relevant", 0) / pages if pages else 0.0,
            queue=queue,
            under_way=counts.get("under_way", 0) if running else 0,
            urls=urls,
            hosts=hosts,
            bytes=counts.get("bytes", 0),
            requests=counts.get("requests", 0),
            seconds=spent,
            pages_per_second=pages / spent if spent else 0.0,
            lately=lately,
            last_page=watched.last_page or None,
            failing_hosts=failing_hosts,
            failing=failing,
            estimated_end=end,
            last_event=last_event(self._directory.path),
            errors=counts.get("errors", {}),
            discards=counts.get("discards", {}),
            notes=counts.get("notes", {}),
            answers=counts.get("answers", {}),
            silences=counts.get("silences", {}),
            failures=counts.get("failures", 0),
            languages=self.languages(config.lang, counts.get("relevant", 0)),
            paused=running and watched.paused,
        )

    def lookup(self) -> Lookup:
        """To find single URLs and pages."""
        return Lookup(self._directory.path, self._connection)

    def taken(self) -> list[int]:
        """The numbers of the URLs that were handed out, whatever came of it."""
        return [row[0] for row in self._connection.execute("SELECT id FROM known WHERE state = 2")]

    def leased(self) -> frozenset[int]:
        """The numbers of the URLs that are being asked for, where the crawl runs."""
        if not self._directory.is_running:
            return frozenset()
        return frozenset(map(int, (read_meta(self._connection, LEASES) or "").split()))

    def history(self) -> list[Point]:
        """How the crawl has come along, the first point first."""
        return History.from_text(read_meta(self._connection, HISTORY)).points

    def waiting(self) -> Iterator[tuple[str, int]]:
        """The URLs that wait, and their depths."""
        yield from self._connection.execute(
            "SELECT url, depth FROM known JOIN urls USING (id) WHERE state = 1"
        )

    def downloads(self) -> dict[str, int]:
        """How many pages each host has given."""
        return dict(self._connection.execute("SELECT name, downloads FROM hosts"))

    def hosts(
        self, search: str = "", sort: str = "pages", first: int = 0, most: int = 50
    ) -> tuple[int, list[HostRow]]:
        """Hosts that were asked and whose names contain a text: how many, and some of them."""
        execute, now = self._connection.execute, time.time()
        pattern = "%" + re.sub(r"([%_\\])", r"\\\1", search.lower()) + "%"
        where = "FROM hosts WHERE name LIKE ? ESCAPE '\\'"
        (count,) = execute(f"SELECT count(*) {where}", (pattern,)).fetchone()
        rows = execute(
            f"SELECT name, downloads, hits, failures, ready_at, delay {where} "
            f"ORDER BY {HOST_ORDERS[sort]}, name LIMIT ? OFFSET ?",
            (pattern, most, first),
        ).fetchall()
        errors = Watched.from_text(read_meta(self._connection, WATCHED)).failing
        return count, [
            HostRow(
                name, pages, hits, self._waiting_for(name), int(failures),
                errors.get(name, "") if failures else "",
                round(ready - now, 1) if now < ready < inf else 0.0, delay,
            )
            for name, pages, hits, failures, ready, delay in rows
        ]  # fmt: skip

    def _waiting_for(self, host: str) -> int:
        """How many URLs of a host wait; counted up to a bound."""
        (key,) = fingerprints((host,), seed_of(self._connection))
        query = "SELECT 1 FROM known WHERE host = ? AND state = 1 LIMIT ?"
        rows = self._connection.execute(f"SELECT count(*) FROM ({query})", (key, _MOST_COUNTED))
        return int(rows.fetchone()[0])

    def latest(self, columns: list[str], most: int, relevant: bool = True) -> list[dict[str, Any]]:
        """The last downloads that are relevant, or that have failed; the newest first."""
        import pyarrow.compute as pc  # most questions do without, and it loads much

        wanted = list(dict.fromkeys(("status", "relevant", *columns)))
        found: list[dict[str, Any]] = []
        for table in chain(self._unmoved(wanted), self._segments_back("pages", wanted)):
            bad = pc.or_(pc.greater_equal(table["status"], 400), pc.equal(table["status"], 0))
            kept = table.filter(pc.fill_null(table["relevant"], False) if relevant else bad)
            found += kept.slice(max(0, len(kept) - most)).to_pylist()[::-1]
            if len(found) >= most:
                break
        return found[:most]

    def original_of(self, digest: str) -> tuple[str, str, int] | None:
        """URL, archive and place of the page whose body others of that digest repeat."""
        for table in self.pages(["id", "digest", "notes", "warc_file", "warc_offset"]):
            for row in _of_digest(table, digest):
                if row["warc_file"] and "revisit" not in (row["notes"] or "").split():
                    return self.lookup().url_of(row["id"]), row["warc_file"], row["warc_offset"]
        for table in self.visits():
            for row in _of_digest(table, digest):
                if row["warc_file"] and not row["revisit"]:
                    return self.lookup().url_of(row["id"]), row["warc_file"], row["warc_offset"]
        return None

    def visits(self) -> Iterator[pa.Table]:
        """The history of pages that were asked for again (`langcrawl.log.visits`)."""
        names = visit_names(visit_files(self._connection))
        yield from read_visits(self._directory.path, names)
        yield unmoved_visits(self._connection)

    def _unmoved(self, columns: list[str]) -> Iterator[pa.Table]:
        tables = [pages.select(columns) for pages, _ in read_unmoved(self._connection)]
        yield from reversed(tables)

    def _segments_back(self, name: str, columns: list[str]) -> Iterator[pa.Table]:
        for segment in reversed(registered_segments(self._connection)):
            yield from self._read(name, columns, [segment])

    def _failing(self, watched: Watched, now: float) -> tuple[int, tuple[FailingHost, ...]]:
        """How many hosts fail, and those with the most troubles."""
        execute = self._connection.execute
        (count,) = execute("SELECT count(*) FROM hosts WHERE failures > 0").fetchone()
        rows = execute(
            "SELECT name, failures, ready_at FROM hosts WHERE failures > 0 "
            "ORDER BY failures DESC, name LIMIT ?",
            (FAILING_SHOWN,),
        )
        hosts = [
            FailingHost(
                name, watched.failing.get(name, ""), int(troubles),
                float(moment) if moment > now else None,
            )
            for name, troubles, moment in rows
        ]  # fmt: skip
        return count, tuple(hosts)

    def languages(self, lang: str, relevant: int) -> dict[str, int]:
        """Relevant pages by target language; where there are several, as the log has them."""
        if "," not in lang:
            return {lang: relevant}
        found: Counter[tuple[str, str]] = Counter()
        for table in self.pages(["language", "script", "relevant"]):
            kept = table.filter(table["relevant"])
            groups = kept.group_by(["language", "script"]).aggregate([([], "count_all")])
            for row in groups.to_pylist():
                found[row["language"] or UNKNOWN, row["script"] or ""] += row["count_all"]
        return parse_targets(lang).tally(found.items())

    def tables(self) -> dict[str, pa.Table] | None:
        """The whole log; None where all of it is in Parquet files, to be read from there."""
        if next(read_unmoved(self._connection), None) is None:
            return None
        named = {"urls": self.urls, "pages": self.pages, "links": self.links}
        return {name: pa.concat_tables(read(TABLES[name].names)) for name, read in named.items()}

    def pages(self, columns: list[str]) -> Iterator[pa.Table]:
        """The pages that are logged, the newest last, with those not yet in a Parquet file."""
        yield from self._segments("pages", columns)
        for pages, _ in read_unmoved(self._connection):
            yield pages.select(columns)

    def links(self, columns: list[str]) -> Iterator[pa.Table]:
        """The links of these pages."""
        yield from self._segments("links", columns)
        for _, links in read_unmoved(self._connection):
            yield links.select(columns)

    def urls(self, columns: list[str]) -> Iterator[pa.Table]:
        """The URLs that are known, in the order of their ids: 0, 1, 2, ..."""
        yield from self._segments("urls", columns)
        listed = max(registered_segments(self._connection).values(), default=0)
        yield new_urls(self._connection, listed).select(columns)

    def _segments(self, name: str, columns: list[str]) -> Iterator[pa.Table]:
        """The segments that this moment knows of: a running crawl may write more meanwhile."""
        rows = self._connection.execute("SELECT number FROM segments ORDER BY number")
        known = [f"{number:06}.parquet" for (number,) in rows]
        yield from self._read(name, columns, known)

    def _read(self, name: str, columns: list[str], known: list[str]) -> Iterator[pa.Table]:
        """Segments, without rows of pages that have a newer one outside of them."""
        page = {"pages": "id", "links": "src"}.get(name)
        newer = replaced_pages(self._connection) if page else []
        if page is None or not newer:
            yield from read_batches(self._directory.path, name, columns, known)
            return
        wanted = list(dict.fromkeys((*columns, page)))
        for table in read_batches(self._directory.path, name, wanted, known):
            yield without(table, page, newer).select(columns)


def _of_digest(table: pa.Table, digest: str) -> list[dict[str, Any]]:
    import pyarrow.compute as pc  # as above

    rows: list[dict[str, Any]] = table.filter(pc.equal(table["digest"], digest)).to_pylist()
    return rows


@contextmanager
def open_view(path: Path) -> Iterator[View]:
    """Look at the crawl in a directory; nothing there changes."""
    CrawlConfig.load(path)
    open_directory(path)
    directory = CrawlDirectory(path)
    if not directory.database.exists():
        if any(directory.warc.glob("langcrawl-*")):
            raise BrokenLog(
                f"'{directory.database}' is missing, but '{path}' holds pages; restore it from a "
                f"backup, or let 'langcrawl recover {path}' make it anew from the archive."
            )
        raise NoSuchLog(
            f"'{path}' holds no live crawl (there is no {directory.database.name}); "
            "'langcrawl analyze' describes the logs of imports and generated webs."
        )
    with snapshot_of(directory.database) as connection:
        yield View(directory, connection)


def count_languages(path: Path, lang: str, relevant: int) -> dict[str, int]:
    """Relevant pages of the crawl in a directory by target language."""
    if "," not in lang:
        return {lang: relevant}
    with open_view(path) as view:
        return view.languages(lang, relevant)


def read_status(path: Path) -> Status:
    """The status of the crawl in a directory; of one with several shards, from all of them."""
    if parts := CrawlDirectory(path).parts:
        config = CrawlConfig.load(path)
        begun = {int(part.name): read_status(part) for part in parts if (part / FILE).exists()}
        if not begun:
            raise NoSuchLog(
                f"the shards of the crawl in '{path}' have not begun; let the same 'langcrawl "
                "crawl' command start them."
            )
        return sum_statuses(begun, last_event(path), config.max_pages)
    database = CrawlDirectory(path).database
    try:
        with undamaged(database, *NONSENSE), open_view(path) as view:
            return view.status()
    except sqlite3.OperationalError as error:
        raise BadInput(
            f"'{database}' cannot be read ({error}); check its permissions and those of its "
            "directory, or look at a copy of the directory."
        ) from None
