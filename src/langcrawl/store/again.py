"""Pages whose answers are lost wait once more, and are counted no longer; others are forgotten.

Everything changes in one transaction: the queue, the counts of the crawl and those of the hosts.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from langcrawl.crawl import kind_of
from langcrawl.log.segments import mark_outdated
from langcrawl.records import Page
from langcrawl.store.database import (
    COUNTERS,
    COUNTS,
    TAKEN,
    WAITING,
    fingerprints,
    read_meta,
    seed_of,
    write_meta,
)
from langcrawl.url import host_of

_OUTDATING = "outdating"
"""The rows of the log, by segment, that are to count no more."""


class LostPage(NamedTuple):
    """A page in the log whose answer is not in the archive any more."""

    id: int
    url: str
    segment: str
    status: int
    relevant: bool
    bytes: int
    notes: str
    error: str = ""
    kind: str = ""
    """What the answer was counted as: see `langcrawl.records.Counts.answers`."""


KIND_COLUMNS = ("redirect", "content_type", "text_bytes")
"""Columns of the log's pages that say, with the status, what an answer was counted as."""


def kind_of_row(row: Mapping[str, Any]) -> str:
    """What the answer in a row of the log was counted as."""
    elsewhere = "" if row["redirect"] is None else "elsewhere"
    kind, size = row["content_type"] or "", row["text_bytes"] or 0
    return kind_of(Page("", row["status"], elsewhere, kind, text_bytes=size))


def ask_again(connection: sqlite3.Connection, pages: Collection[LostPage]) -> int:
    """Have URLs wait that were answered; how many did not wait before. Within a transaction.

    Once it is committed, `finish_asking_again` has their rows in the log count no more.
    """
    segments: dict[str, list[int]] = {}
    for page in pages:
        segments.setdefault(page.segment, []).append(page.id)
    write_meta(connection, _OUTDATING, json.dumps(segments))
    seed = seed_of(connection)
    sequence, waiting = map(int, (read_meta(connection, COUNTERS) or "0 0").split())
    counts = json.loads(read_meta(connection, COUNTS) or "{}")
    changed = 0
    for page in pages:
        host = host_of(page.url)
        key = fingerprints((host, page.url), seed)
        done = connection.execute(
            "UPDATE known SET state = ?, first = ?, tries = 0 WHERE host = ? AND fp = ? "
            "AND state = ?",
            (WAITING, -sequence - 1, *key, TAKEN),
        )
        if done.rowcount:
            changed += 1
            _uncount(connection, counts, page)
    if changed:
        write_meta(connection, COUNTERS, f"{sequence + 1} {waiting + changed}")
        if counts:
            write_meta(connection, COUNTS, json.dumps(counts))
    return changed


def finish_asking_again(directory: Path, connection: sqlite3.Connection) -> None:
    """Have the rows of pages whose URLs wait again count no more.

    Before they are committed to wait, a kill would lose them; after, the next start calls this.
    """
    if segments := json.loads(read_meta(connection, _OUTDATING) or "{}"):
        mark_outdated(directory, segments)
        connection.execute("BEGIN")
        write_meta(connection, _OUTDATING, "{}")
        connection.execute("COMMIT")


def uncount_all(
    connection: sqlite3.Connection, pages: Iterable[LostPage], known: Iterable[int]
) -> None:
    """Have pages count no longer, and none of the known URLs wait. Within a transaction."""
    counts = json.loads(read_meta(connection, COUNTS) or "{}")
    for page in pages:
        _uncount(connection, counts, page)
    if counts:
        write_meta(connection, COUNTS, json.dumps(counts))
    sequence, waiting = map(int, (read_meta(connection, COUNTERS) or "0 0").split())
    done = connection.executemany(
        "UPDATE known SET state = ?, reason = NULL, evidence = NULL WHERE id = ? AND state = ?",
        [(TAKEN, number, WAITING) for number in known],
    )
    write_meta(connection, COUNTERS, f"{sequence} {waiting - max(0, done.rowcount)}")


def _uncount(connection: sqlite3.Connection, counts: dict[str, object], page: LostPage) -> None:
    """Take a page out of the counts of its host and of its crawl, if these are known."""
    connection.execute(
        "UPDATE hosts SET downloads = max(0, downloads - ?), hits = max(0, hits - ?) "
        "WHERE name = ?",
        (int(page.status > 0), int(page.relevant), host_of(page.url)),
    )
    if not counts:
        return
    kind = "pages" if page.status else "failures"
    for name, less in ((kind, 1), ("relevant", int(page.relevant)), ("bytes", page.bytes)):
        counts[name] = max(0, int(str(counts.get(name, 0))) - less)
    words = {"notes": page.notes.split()}
    if page.status >= 400 or not page.status:
        words["errors"] = [page.error or str(page.status)]
    if page.status:
        words["answers"] = [page.kind or ("text" if page.status == 200 else "error")]
    for name, gone in words.items():
        known = counts.get(name)
        if isinstance(known, dict):
            for word in gone:
                if known.get(word, 0) > 0:
                    known[word] -= 1
