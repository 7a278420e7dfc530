"""The crawl log on disk: segments of three Parquet tables, written once, read by all.

A segment is a file of the same name in ``log/urls``, ``log/links`` and ``log/pages``,
written in that order and each renamed into place when complete. What has no file of pages
does not count, so a crawl that dies while writing leaves a log that ends one segment
earlier, never a broken one.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from langcrawl.errors import BrokenLog, NoSuchLog
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
