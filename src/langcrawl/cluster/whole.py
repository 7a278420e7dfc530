"""One crawl directory made of those of the shards, for every command that reads one.

The directory of the crawl gets a log, a database and an archive in which all that the shards have
stands together: a URL that several of them know has one id, a page stands where its shard has
logged it, archive files are links to those of the shards. They are made when a command asks for
them and the shards have gone on since, also while the crawl runs, and are for reading only.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import sqlite3
from collections import ChainMap, Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from heapq import merge
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from langcrawl.archive.index import INDEX
from langcrawl.config import FILE, CrawlConfig
from langcrawl.errors import BrokenLog
from langcrawl.log.schema import TABLES, log_table
from langcrawl.log.segments import OUTDATED, write_segment
from langcrawl.log.writer import segment_files
from langcrawl.store.collected import collected, write_collected
from langcrawl.store.database import (
    COUNTERS,
    COUNTS,
    LEASES,
    NONSENSE,
    VERSION,
    connect,
    read_meta,
    set_up,
    undamaged,
    write_meta,
)
from langcrawl.store.directory import DATABASE, CrawlDirectory
from langcrawl.store.history import HISTORY, History, Point
from langcrawl.store.learned import read_learned
from langcrawl.store.sealed import remember
from langcrawl.store.snapshot import snapshot_of
from langcrawl.store.status import WATCHED, Watched
from langcrawl.store.view import View

_DRAFT, _LOCK, _STAMP = ".whole", ".whole.lock", "whole-of"
_IDS = {"pages": ("id", "redirect", "parent"), "links": ("src", "dst")}
"""Columns that hold ids of URLs."""
_KNOWN = (
    "host, fp, id, state, priority, arrival, first, run, depth, parent_relevant, parent_bridge, "
    "parent_score, same_host, host_downloads, host_hits, group_state, anchor_score, parent_share, "
    'path_slashes, parent, found_by, hops, tries, reason, evidence, "group"'
)
_AS_ONE = (
    "INSERT INTO whole.urls SELECT new, url FROM main.urls JOIN ids ON id = old WHERE is_first",
    f"INSERT INTO whole.known SELECT "
    f"{_KNOWN.replace('id, state', 'mine.new, state').replace('parent, found', 'its.new, found')} "
    "FROM main.known JOIN ids AS mine ON id = mine.old LEFT JOIN ids AS its ON parent = its.old "
    "WHERE true ON CONFLICT DO UPDATE SET "
    + ", ".join(f"{name} = excluded.{name}" for name in _KNOWN.split(", ")[2:])
    + " WHERE excluded.state > known.state",
    "INSERT INTO whole.hosts SELECT * FROM main.hosts WHERE true ON CONFLICT DO NOTHING",
    "INSERT INTO whole.groups SELECT * FROM main.groups WHERE true ON CONFLICT DO NOTHING",
    "INSERT INTO whole.traps SELECT * FROM main.traps WHERE true ON CONFLICT DO NOTHING",
    "INSERT INTO whole.archives SELECT * FROM main.archives",
    "INSERT INTO whole.files SELECT * FROM main.files WHERE name LIKE 'warc/%'",
)
"""What makes the rows of a shard rows of the whole. A host is in one shard, so that what is known
of it is; a URL may be seen by several, and what its own shard says counts."""
_LEARNED = "INSERT INTO whole.learned VALUES (?, ?)"
_META = "INSERT INTO whole.meta SELECT * FROM main.meta"
_MOST_POINTS = 400


def whole(directory: Path) -> Path:
    """The same directory; where its crawl has several shards, what they have stands in it."""
    place = CrawlDirectory(directory)
    parts = [part for part in place.parts if (part / FILE).exists()]
    if parts:
        if lost := place.lost_shard(CrawlConfig.load(directory).shards):
            raise BrokenLog(lost)
        with (directory / _LOCK).open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            stamp = "\n".join(map(_stamp_of, parts))
            if _made_of(place) != stamp:
                _make(place, parts, stamp)
    return directory


def _stamp_of(part: Path) -> str:
    """What changes whenever a shard has gone on, or its archive files were collected."""
    database = part / DATABASE
    with undamaged(database, *NONSENSE), snapshot_of(database) as connection:
        (segments,) = connection.execute("SELECT count(*) FROM segments").fetchone()
        kept = [read_meta(connection, key) for key in (COUNTS, COUNTERS)]
    watched = [part / "log" / OUTDATED, part / "warc"]
    moments = [path.stat().st_mtime_ns if path.exists() else 0 for path in watched]
    return f"{segments} {moments} {kept}"


def _made_of(place: CrawlDirectory) -> str | None:
    if not place.database.exists():
        return None
    try:
        with closing(connect(place.database)) as connection:
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            return read_meta(connection, _STAMP) if version == VERSION else None
    except NONSENSE:
        return None


def _make(place: CrawlDirectory, parts: Sequence[Path], stamp: str) -> None:
    """Make log and database as a draft, then put them where they belong, the database last."""
    draft = place.path / _DRAFT
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir()
    database = draft / DATABASE
    with closing(connect(database)) as connection:
        set_up(connection)
        connection.execute("DELETE FROM meta")
        connection.execute("PRAGMA journal_mode = DELETE")
    ends: list[int] = []
    states = []
    with ExitStack() as stack:
        opened = [stack.enter_context(_attached(part, database)) for part in parts]
        for part, connection, ids in zip(parts, opened, _ids(opened), strict=True):
            states.append(_State.read(connection, ids.new))
            _add_rows(connection, ids, is_main=part is parts[0])
            _add_log(draft, View(CrawlDirectory(part), connection), ids, ends)
            connection.execute("COMMIT")
    with closing(connect(database)) as connection:
        connection.execute("BEGIN")
        connection.executemany("INSERT INTO segments VALUES (?, ?)", enumerate(ends))
        for number in range(len(ends)):
            remember(connection, draft, segment_files(number))
        for key, value in _merged(states).items():
            write_meta(connection, key, value)
        write_meta(connection, _STAMP, stamp)
        connection.execute("COMMIT")
    _link_archives(place, parts)
    shutil.rmtree(place.log, ignore_errors=True)
    if (draft / "log").exists():
        (draft / "log").replace(place.log)
    database.replace(place.database)
    shutil.rmtree(draft)


@contextmanager
def _attached(part: Path, database: Path) -> Iterator[sqlite3.Connection]:
    """One moment of a shard's database, with that of the whole at hand to write to."""
    uri = f"{(part / DATABASE).resolve().as_uri()}?mode=ro"
    with closing(sqlite3.connect(uri, uri=True, isolation_level=None)) as connection:
        connection.execute("ATTACH ? AS whole", (f"{database.resolve().as_uri()}?mode=rw",))
        connection.execute("PRAGMA whole.synchronous = OFF")
        connection.execute("BEGIN")
        connection.execute("SELECT count(*) FROM main.segments").fetchone()
        yield connection


class _Ids(NamedTuple):
    """By the id of a URL in a shard."""

    new: npt.NDArray[np.int64]
    """Its id in the whole."""
    is_first: npt.NDArray[np.bool_]
    """Whether this is the first shard that has it."""


def _ids(parts: Sequence[sqlite3.Connection]) -> list[_Ids]:
    """Ids for all URLs: those of the first shard in their order, then what the second adds, ..."""
    prints = []
    for connection in parts:
        rows = connection.execute("SELECT fp FROM main.known ORDER BY id")
        prints.append(np.fromiter((row[0] for row in rows), np.int64))
    together = np.concatenate(prints)
    _, first, inverse = np.unique(together, return_index=True, return_inverse=True)
    is_first = np.zeros(len(together), bool)
    is_first[first] = True
    new = (np.cumsum(is_first) - 1)[first][inverse]
    ends = np.cumsum([len(some) for some in prints])[:-1]
    return list(map(_Ids, np.split(new, ends), np.split(is_first, ends)))


def _add_rows(connection: sqlite3.Connection, ids: _Ids, is_main: bool) -> None:
    connection.execute("CREATE TEMP TABLE ids (old INTEGER PRIMARY KEY, new INTEGER, is_first)")
    rows = zip(range(len(ids.new)), ids.new.tolist(), ids.is_first.tolist(), strict=True)
    connection.executemany("INSERT INTO ids VALUES (?, ?, ?)", rows)
    for statement in _AS_ONE:
        connection.execute(statement)
    if is_main:  # what the others learned is not one knowledge with it
        connection.executemany(_LEARNED, read_learned(connection).items())
        connection.execute(_META)


def _add_log(draft: Path, view: View, ids: _Ids, ends: list[int]) -> None:
    """Add the log of a shard, in its segments; `ends` are the URLs up to each of all segments."""
    new, old = pa.array(ids.new), 0
    streams = [getattr(view, name)(TABLES[name].names) for name in TABLES]
    for tables in zip_longest(*streams):
        named = dict(zip(TABLES, tables, strict=True))
        for name, table in named.items():
            if table is None:
                named[name] = log_table(name, 0, {})
        urls = named["urls"]
        rows = slice(old, old + urls.num_rows)
        old = rows.stop
        named["urls"] = _with(urls, "id", pa.array(ids.new[rows])).filter(
            pa.array(ids.is_first[rows])
        )
        for name, columns in _IDS.items():
            for column in columns:
                taken = pc.take(new, named[name][column])
                named[name] = _with(named[name], column, taken)
        write_segment(draft, len(ends), named)
        ends.append((ends[-1] if ends else 0) + named["urls"].num_rows)


def _with(table: pa.Table, name: str, column: pa.Array | pa.ChunkedArray) -> pa.Table:
    place = table.schema.get_field_index(name)
    return table.set_column(place, table.schema.field(name), column)


class _State(NamedTuple):
    """What a shard keeps in `meta`."""

    counts: dict[str, Any]
    waiting: int
    leases: list[int]
    history: list[Point]
    watched: Watched

    @classmethod
    def read(cls, connection: sqlite3.Connection, new: npt.NDArray[np.int64]) -> _State:
        leases = map(int, (read_meta(connection, LEASES) or "").split())
        return cls(
            json.loads(read_meta(connection, COUNTS) or "{}"),
            int((read_meta(connection, COUNTERS) or "0 0").split()[1]),
            [int(new[number]) for number in leases],
            History.from_text(read_meta(connection, HISTORY)).points,
            Watched.from_text(read_meta(connection, WATCHED)),
        )


def _merged(states: Sequence[_State]) -> dict[str, str]:
    """What `meta` says of all shards together."""
    counts: dict[str, Any] = {}
    for state in states:
        for name, value in state.counts.items():
            if isinstance(value, dict):
                counts[name] = dict(Counter(counts.get(name, {})) + Counter(value))
            elif name == "spent":
                counts[name] = max(counts.get(name, 0.0), value)
            else:
                counts[name] = counts.get(name, 0) + value
    watched = [state.watched for state in states]
    seen = Watched(
        max(each.started for each in watched),
        max(each.last_page for each in watched),
        failing={host: error for each in watched for host, error in each.failing.items()},
        paused=all(each.paused for each in watched),
    )
    points = _points([state.history for state in states])
    return {
        COUNTS: json.dumps(counts),
        COUNTERS: f"0 {sum(state.waiting for state in states)}",
        LEASES: " ".join(str(number) for state in states for number in state.leases),
        HISTORY: json.dumps({"step": 1.0, "points": points}),
        WATCHED: seen.as_text(),
    }


def _points(histories: Sequence[Sequence[Point]]) -> list[Point]:
    """How the crawl as a whole has come along: at each moment, what each shard had come to."""
    last: dict[int, Point] = {}
    points: list[Point] = []
    moments = sorted(
        (point.at, number, point) for number, some in enumerate(histories) for point in some
    )
    for at, number, point in moments:
        last[number] = point
        sums = [sum(column) for column in zip(*(each[2:] for each in last.values()), strict=True)]
        points.append(Point(max(each.spent for each in last.values()), at, *sums))
    return points[:: max(1, len(points) // _MOST_POINTS)]


def _link_archives(place: CrawlDirectory, parts: Sequence[Path]) -> None:
    """Have the archive files of all shards in one directory, with one index."""
    shutil.rmtree(place.warc, ignore_errors=True)
    place.warc.mkdir()
    for part in parts:
        for path in (part / "warc").glob("langcrawl-*"):
            try:
                os.link(path, place.warc / path.name)
            except FileNotFoundError:
                continue  # it has just been completed, and has another name
            except OSError:  # another file system
                (place.warc / path.name).symlink_to(path.resolve())
    elsewhere = [collected(part / "warc") for part in parts]
    if any(elsewhere):
        write_collected(place.warc, dict(ChainMap(*elsewhere)))
    with ExitStack() as stack:
        indexes = [part / "warc" / INDEX for part in parts]
        files = [stack.enter_context(path.open("rb")) for path in indexes if path.exists()]
        with (place.warc / INDEX).open("wb") as index:
            index.writelines(merge(*files))
