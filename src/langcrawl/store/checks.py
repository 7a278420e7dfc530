"""Does the database of a crawl make sense, row by row?"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator

from langcrawl.records import Facts
from langcrawl.store.database import COUNTERS, COUNTS, LEASES, TAKEN, WAITING, read_meta, seed_of

_INTEGERS = {
    "urls": ("id",),
    "known": ("host", "fp", "id", "state"),
    "hosts": ("downloads", "hits", "failures", "misses"),
    "groups": ("downloads", "hits", "misses"),
    "segments": ("number", "urls"),
    "archives": ("bytes",),
    "files": ("size", "mtime"),
    "batches": ("size",),
}
_NUMBERS = {"hosts": ("ready_at", "delay")}
_TEXTS = {
    "urls": ("url",),
    "hosts": ("name", "ip"),
    "groups": ("name",),
    "traps": ("host", "memory"),
    "meta": ("key", "value"),
    "archives": ("file",),
    "files": ("name", "checksum"),
}
_BLOBS = {
    "learned": ("value",),
    "lessons": ("rows",),
    "moves": ("rows",),
    "batches": ("pages", "links"),
}
_KINDS = (
    (_INTEGERS, "('integer')"), (_NUMBERS, "('real', 'integer')"), (_TEXTS, "('text')"),
    (_BLOBS, "('blob')"),
)  # fmt: skip
_LARGE = ("urls", "known")
_WAITING = (*Facts._fields, "priority", "arrival", "first", "hops", "tries")


def database_problems(connection: sqlite3.Connection) -> Iterator[str]:
    """What is wrong with the file, with single rows, and with tables that should agree."""
    for (said,) in connection.execute("PRAGMA integrity_check(5)").fetchall():
        if said != "ok":
            yield ", ".join(line for line in str(said).splitlines() if line[:3] != "***")
            return
    wrong = list(_wrong_rows(connection))
    yield from wrong
    if not wrong:
        yield from _disagreements(connection)


def check_rows(connection: sqlite3.Connection) -> None:
    """Raise ValueError where a row makes no sense, but for the tables that are as large as a crawl.

    What the frontier reads of those it looks at itself.
    """
    for problem in _wrong_rows(connection, _LARGE):
        raise ValueError(problem)


def _wrong_rows(connection: sqlite3.Connection, but: tuple[str, ...] = ()) -> Iterator[str]:
    """Tables with rows that hold something of another kind than they should."""
    for tables, kinds in _KINDS:
        for table, columns in tables.items():
            if table in but:
                continue
            others = " OR ".join(f"typeof({column}) NOT IN {kinds}" for column in columns)
            (count,) = connection.execute(f"SELECT count(*) FROM {table} WHERE {others}").fetchone()
            if count:
                yield f"{count:,} rows of {table} make no sense"
    if "known" in but:
        return
    others = " OR ".join(f"typeof({name}) NOT IN ('integer', 'real')" for name in _WAITING)
    (count,) = connection.execute(
        f"SELECT count(*) FROM known WHERE state IN ({WAITING}, {TAKEN}) AND ({others})"
    ).fetchone()
    if count:
        yield f"{count:,} rows of known make no sense"


def _disagreements(connection: sqlite3.Connection) -> Iterator[str]:
    (urls, last), (known,) = (
        connection.execute(query).fetchone()
        for query in (
            "SELECT count(*), coalesce(max(id) + 1, 0) FROM urls",
            "SELECT count(*) FROM known",
        )
    )
    if urls != last:
        yield f"the ids of its {urls:,} URLs are not 0, 1, 2, ..."
    if urls != known:
        yield f"it has {urls:,} URLs and {known:,} rows of known"
    try:
        seed_of(connection)
        leases = [int(number) for number in (read_meta(connection, LEASES) or "").split()]
        _, waiting = map(int, (read_meta(connection, COUNTERS) or "0 0").split())
        counts = json.loads(read_meta(connection, COUNTS) or "{}")
        for (memory,) in connection.execute("SELECT memory FROM traps"):
            if not isinstance(json.loads(memory), dict):
                raise ValueError("no object")
    except (ValueError, TypeError) as error:
        yield f"a text in meta or traps makes no sense ({error})"
        return
    (queued,) = connection.execute(f"SELECT count(*) FROM known WHERE state = {WAITING}").fetchone()
    if queued != waiting:
        yield f"it counts {waiting:,} waiting URLs and has {queued:,}"
    (unknown,) = connection.execute(
        "SELECT count(*) FROM json_each(?) WHERE value NOT IN (SELECT id FROM urls)",
        (json.dumps(leases),),
    ).fetchone()
    if unknown:
        yield f"{unknown:,} URLs that are being asked for are not in it"
    if not isinstance(counts, dict) or not isinstance(counts.get("pages", 0), int):
        yield "its counts make no sense"
