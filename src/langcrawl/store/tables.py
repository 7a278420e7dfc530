"""The tables of a log at one moment: of a crawl that may be running, or of files alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

import pyarrow as pa

from langcrawl.log.segments import read_batches, segments
from langcrawl.store.database import NONSENSE, undamaged
from langcrawl.store.directory import CrawlDirectory
from langcrawl.store.view import open_view


class LogTables(Protocol):
    """What can be read of a log, in batches of the columns that are asked for."""

    def urls(self, columns: list[str]) -> Iterator[pa.Table]: ...

    def pages(self, columns: list[str]) -> Iterator[pa.Table]: ...

    def links(self, columns: list[str]) -> Iterator[pa.Table]: ...


@contextmanager
def open_tables(directory: Path) -> Iterator[LogTables]:
    """Read the log of a directory, with what its database has and its files do not have yet."""
    database = CrawlDirectory(directory).database
    if not database.exists():
        yield _Files(directory)
        return
    with undamaged(database, *NONSENSE), open_view(directory) as view:
        yield view


class _Files:
    """A log that only its files tell of: an import, a generated web, or a copy of a log alone."""

    def __init__(self, directory: Path) -> None:
        self._directory, self._names = directory, segments(directory)

    def urls(self, columns: list[str]) -> Iterator[pa.Table]:
        return read_batches(self._directory, "urls", columns, self._names)

    def pages(self, columns: list[str]) -> Iterator[pa.Table]:
        return read_batches(self._directory, "pages", columns, self._names)

    def links(self, columns: list[str]) -> Iterator[pa.Table]:
        return read_batches(self._directory, "links", columns, self._names)
