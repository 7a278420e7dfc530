"""The crawl log on disk: segments of three Parquet tables, written by a crawl, read by all.

A segment is a file of the same name in ``log/urls``, ``log/links`` and ``log/pages``,
written in that order and each renamed into place when complete. What has no file of pages
does not count, so a crawl that dies while writing leaves a log that ends one segment
earlier, never a broken one.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from langcrawl.errors import BrokenLog, NoSuchLog
from langcrawl.records import Step
from langcrawl.url import host_of
from langcrawl.virtualweb.schema import TABLES


def segments(directory: Path) -> list[str]:
    """The names of the complete segments of a crawl's log, in order."""
    return sorted(path.name for path in (directory / "log" / "pages").glob("*.parquet"))


def write_segment(directory: Path, number: int, tables: dict[str, pa.Table]) -> None:
    """Write one segment; it counts from the moment its pages are in place."""
    for name in TABLES:
        folder = directory / "log" / name
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{number:06}.parquet"
        draft = path.with_suffix(".tmp")
        # Without Arrow's own schema a column of words is text to every reader.
        pq.write_table(tables[name], draft, compression="zstd", store_schema=False)
        draft.replace(path)


def read_table(directory: Path, name: str, columns: list[str] | None = None) -> pa.Table:
    """One of the three tables of a log, all its segments together."""
    names = segments(directory)
    if not names:
        raise NoSuchLog(
            f"the crawl in '{directory}' has no log yet; run 'langcrawl crawl {directory}' first."
        )
    return pa.concat_tables([_read_file(directory / "log" / name / n, columns) for n in names])


def read_batches(directory: Path, name: str, columns: list[str]) -> Iterator[pa.Table]:
    """One of the three tables of a log, a segment at a time."""
    for segment in segments(directory):
        yield _read_file(directory / "log" / name / segment, columns)


def read_urls(directory: Path, columns: list[str]) -> pa.Table:
    """The URLs of a log, whose ids must be 0, 1, 2, ... without a gap."""
    table = read_table(directory, "urls", ["id", *columns])
    if not np.array_equal(table["id"].to_numpy(), np.arange(table.num_rows)):
        raise BrokenLog(
            f"the ids in '{directory}/log/urls' are not 0, 1, 2, ... in order; a segment of the "
            "log is missing, so put it back or move the later ones out of the log."
        )
    return table


def _read_file(path: Path, columns: list[str] | None) -> pa.Table:
    try:
        table = pq.read_table(path, columns=columns, partitioning=None)
        missing = set(columns or TABLES[path.parent.name].names) - set(table.column_names)
        if not missing:
            return table
        problem = f"has no column '{min(missing)}'"
    except FileNotFoundError:
        problem = "is missing"
    except (pa.ArrowException, OSError, KeyError) as error:
        problem = f"is cut short or damaged ({_clean(error)})"
    remedy = (
        "move the files of that name and of later ones out of log/urls, log/links and log/pages"
    )
    raise BrokenLog(f"the log file '{path}' {problem}; to use what came before it, {remedy}.")


def _clean(error: Exception) -> str:
    return str(error).split(". ")[0].splitlines()[0].rstrip(".")


class LogWriter:
    """A sink that writes the steps of a crawl to its log, a segment at a time."""

    def __init__(self, directory: Path, pages: int = 5000, seconds: float = 20.0) -> None:
        self._directory, self._every_pages, self._every_seconds = directory, pages, seconds
        self._ids: dict[str, int] = {}
        self._segment = 0
        if names := segments(directory):
            urls = read_urls(directory, ["url"])["url"].to_pylist()
            self._ids = {url: number for number, url in enumerate(urls)}
            self._segment = int(Path(names[-1]).stem) + 1
        self._clear()

    def take(self, step: Step) -> None:
        page = step.page
        number = self._id(page.url)
        self._pages.append(self._page_row(number, step))
        for position, link in enumerate(page.links):
            self._links.append((number, self._id(link.url), position, *link[1:]))
        late = time.monotonic() - self._began >= self._every_seconds
        if len(self._pages) >= self._every_pages or late:
            self.flush()

    def close(self) -> None:
        self.flush()

    def flush(self) -> None:
        """Write what has been taken since the last segment."""
        if self._pages:
            write_segment(self._directory, self._segment, self._tables())
            self._segment += 1
        self._clear()

    def _clear(self) -> None:
        self._urls: list[str] = []
        self._pages: list[dict[str, Any]] = []
        self._links: list[tuple[int, int, int, str, bool, float | None]] = []
        self._began = time.monotonic()

    def _id(self, url: str) -> int:
        number = self._ids.get(url)
        if number is None:
            number = self._ids[url] = len(self._ids)
            self._urls.append(url)
        return number

    def _page_row(self, number: int, step: Step) -> dict[str, Any]:
        visit, page, verdict = step.visit, step.page, step.verdict
        return {
            "id": number,
            "status": page.status,
            "redirect": self._id(page.redirect) if page.redirect else None,
            "content_type": page.content_type,
            "bytes": page.bytes,
            "text_bytes": page.text_bytes,
            "fetched_at": page.fetched_at,
            "elapsed": page.elapsed,
            "ip": page.ip,
            "charset_header": page.charsets.header,
            "charset_meta": page.charsets.meta,
            "charset_detected": page.charsets.detected,
            "language": verdict.language,
            "script": verdict.script,
            "encoding": verdict.encoding,
            "score": verdict.score,
            "relevant": verdict.relevant,
            "digest": page.digest,
            "depth": visit.facts.depth,
            "irrelevant_run": visit.facts.run,
            "parent": self._id(visit.parent) if visit.parent else None,
            "priority": visit.priority,
            "reason": visit.via,
            "error": page.reason,
            "warc_file": page.warc_file or None,
            "warc_offset": page.warc_offset if page.warc_file else None,
            "warc_length": page.warc_length if page.warc_file else None,
            "notes": " ".join(page.notes),
        }

    def _tables(self) -> dict[str, pa.Table]:
        first = len(self._ids) - len(self._urls)
        urls = {
            "id": range(first, len(self._ids)),
            "url": self._urls,
            "host": [host_of(url) for url in self._urls],
        }
        names = ("src", "dst", "position", "anchor", "nofollow", "anchor_score")
        columns = list(zip(*self._links, strict=True)) or [()] * len(names)
        links: dict[str, Sequence[Any]] = dict(zip(names, columns, strict=True))
        links["context"] = [None] * len(self._links)
        return {
            "urls": pa.Table.from_pydict(urls, schema=TABLES["urls"]),
            "links": pa.Table.from_pydict(links, schema=TABLES["links"]),
            "pages": pa.Table.from_pylist(self._pages, schema=TABLES["pages"]),
        }
