"""Read a crawl directory without changing it, even while a crawl is running."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow as pa

from langcrawl.config import CrawlConfig
from langcrawl.errors import BrokenLog, NoSuchLog
from langcrawl.languages import parse_targets
from langcrawl.log.segments import read_batches
from langcrawl.log.writer import read_unmoved
from langcrawl.records import UNKNOWN
from langcrawl.store.database import COUNTERS, COUNTS, NONSENSE, read_meta, undamaged
from langcrawl.store.directory import CrawlDirectory
from langcrawl.store.migrate import open_directory


@dataclass(frozen=True, slots=True)
class Status:
    """How a crawl stands."""

    running: bool
    lang: str
    strategy: str
    pages: int
    relevant: int
    harvest: float
    queue: int
    under_way: int
    urls: int
    hosts: int
    bytes: int
    requests: int
    seconds: float
    pages_per_second: float
    errors: dict[str, int]
    discards: dict[str, int]
    notes: dict[str, int]
    languages: dict[str, int]
    """Relevant pages by target language."""

    def as_json(self) -> dict[str, Any]:
        """The document of ``langcrawl status``."""
        return asdict(self)


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
        numbers = [counts.get(name, 0) for name in ("pages", "relevant", "bytes", "spent")]
        words = [counts.get(name, {}) for name in ("errors", "discards", "notes")]
        for number in (*numbers, *chain.from_iterable(word.values() for word in words)):
            if type(number) not in (int, float):
                raise ValueError("its counts make no sense")
        pages, spent = counts.get("pages", 0), counts.get("spent", 0.0)
        running = self._directory.is_running
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
            errors=counts.get("errors", {}),
            discards=counts.get("discards", {}),
            notes=counts.get("notes", {}),
            languages=self.languages(config.lang, counts.get("relevant", 0)),
        )

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

    def _segments(self, name: str, columns: list[str]) -> Iterator[pa.Table]:
        """The segments that this moment knows of: a running crawl may write more meanwhile."""
        rows = self._connection.execute("SELECT number FROM segments ORDER BY number")
        known = [f"{number:06}.parquet" for (number,) in rows]
        yield from read_batches(self._directory.path, name, columns, known)


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
    uri = f"{directory.database.resolve().as_uri()}?mode=ro"
    with closing(sqlite3.connect(uri, uri=True, isolation_level=None)) as connection:
        connection.execute("BEGIN")
        yield View(directory, connection)


def count_languages(path: Path, lang: str, relevant: int) -> dict[str, int]:
    """Relevant pages of the crawl in a directory by target language."""
    if "," not in lang:
        return {lang: relevant}
    with open_view(path) as view:
        return view.languages(lang, relevant)


def read_status(path: Path) -> Status:
    """The status of the crawl in a directory."""
    database = CrawlDirectory(path).database
    with undamaged(database, *NONSENSE), open_view(path) as view:
        return view.status()
