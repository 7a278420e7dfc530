"""URLs that failed wait once more: those that nobody answered for, or answered with an error."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from contextlib import closing

import pyarrow.compute as pc

from langcrawl.archive.index import forget_index
from langcrawl.log.segments import outdated, read_batches
from langcrawl.log.writer import LogWriter, registered_segments
from langcrawl.store.again import LostPage, ask_again, finish_asking_again
from langcrawl.store.database import (
    COUNTS,
    NONSENSE,
    connect,
    read_meta,
    set_up,
    undamaged,
)
from langcrawl.store.directory import CrawlDirectory

NETWORK = ("closed", "connect", "refused", "reset", "timeout", "unreach", "proxy")
"""Failures of the network, or of a server for a while; a later run asks again by itself."""
_TEMPORARY = (429, 500, 502, 503, 504)
_COLUMNS = ["id", "status", "relevant", "bytes", "notes", "error"]

Wanted = Callable[[int, str], bool]
"""Whether a page of this status, or this error, is to be asked for again."""


def failed_for(reasons: Collection[str]) -> Wanted:
    """Failures for these reasons: an error, a status, or ``5xx``; with none, all that may pass."""

    def wanted(status: int, error: str) -> bool:
        if not reasons:
            return not status or status in _TEMPORARY
        names = {error} if not status else {str(status), f"{status // 100}xx"}
        return (not status or status >= 400) and not names.isdisjoint(reasons)

    return wanted


def retry_failures(directory: CrawlDirectory, wanted: Wanted) -> Counter[str]:
    """Have URLs wait again whose last answer is wanted no more; how many, by reason.

    The directory is locked, and its frontier is not open.
    """
    path = directory.database
    if not path.exists():
        return Counter()
    with undamaged(path, *NONSENSE), closing(connect(path)) as connection:
        set_up(connection)
        finish_asking_again(directory.path, connection)
        if not _has_any(connection, wanted):
            return Counter()
        connection.execute("BEGIN")
        log = LogWriter(directory.path, connection, lambda urls: [])
        log.save(connection, all_of_it=True)  # what counts no more must stand in a segment
        connection.execute("COMMIT")
        found = dict(_failed(directory, connection, wanted))
        if any(page.status for page in found):  # what nobody answered is in no archive
            forget_index(directory.warc)
        connection.execute("BEGIN")
        ask_again(connection, found)
        connection.execute("COMMIT")
        finish_asking_again(directory.path, connection)
    return Counter(found.values())


def _has_any(connection: sqlite3.Connection, wanted: Wanted) -> bool:
    """Whether there is such a page, as far as the counts of the crawl know."""
    counts = json.loads(read_meta(connection, COUNTS) or "{}")
    return any(
        wanted(int(word), "") if word.isdigit() else wanted(0, word)
        for word, count in counts.get("errors", {}).items()
        if count
    )


def _failed(
    directory: CrawlDirectory, connection: sqlite3.Connection, wanted: Wanted
) -> Iterator[tuple[LostPage, str]]:
    """The pages of the log that are wanted again, and why."""
    gone = outdated(directory.path)
    for segment in registered_segments(connection):
        (table,) = read_batches(directory.path, "pages", _COLUMNS, [segment])
        status = table["status"]
        table = table.filter(pc.or_(pc.equal(status, 0), pc.greater_equal(status, 400)))
        rows = zip(*(table[name].to_pylist() for name in _COLUMNS), strict=True)
        not_here = set(gone.get(segment, ()))
        for number, status, relevant, size, notes, error in rows:
            if number in not_here or not wanted(status, error or ""):
                continue
            (url,) = connection.execute("SELECT url FROM urls WHERE id = ?", (number,)).fetchone()
            page = LostPage(
                number, url, segment, status, bool(relevant), size or 0, notes or "", error or ""
            )
            yield page, str(status) if status else error or "no-answer"
