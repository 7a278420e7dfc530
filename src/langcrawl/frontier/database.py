"""The tables of ``frontier.db``, its connection, and what a full disk means for it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from functools import wraps
from hashlib import blake2b
from pathlib import Path
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from langcrawl.errors import DiskFull

SEEN, WAITING, LEASED, FINISHED = range(4)
"""The states of a URL: it has an id and no more; it waits; it is taken; it is answered."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS urls (
    id INTEGER PRIMARY KEY, host INTEGER NOT NULL, fp INTEGER NOT NULL, url TEXT NOT NULL,
    state INTEGER NOT NULL, priority REAL, arrival INTEGER, first INTEGER,
    run INTEGER, depth INTEGER, parent_relevant INTEGER, parent_bridge INTEGER,
    parent_score REAL, same_host INTEGER, host_downloads INTEGER, host_hits INTEGER,
    group_state INTEGER, anchor_score REAL, parent_share REAL, path_slashes INTEGER,
    parent TEXT, via TEXT
);
CREATE INDEX IF NOT EXISTS known ON urls (host, fp);
CREATE INDEX IF NOT EXISTS waiting ON urls (host, priority, arrival) WHERE state = 1;
CREATE INDEX IF NOT EXISTS leased ON urls (state) WHERE state = 2;
CREATE TABLE IF NOT EXISTS hosts (
    name TEXT PRIMARY KEY, downloads INTEGER NOT NULL, hits INTEGER NOT NULL,
    ready_at REAL NOT NULL, delay REAL NOT NULL, ip TEXT NOT NULL, failures INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
"""

_PAGE_CACHE_KB = 200_000
_CHECKPOINT_PAGES = 16_000
"""64 MB of write-ahead log: index pages that change in every batch are moved once for many."""
_STATEMENTS = 256
_NO_ROOM = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_SHMSIZE)

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


class HasConnection(Protocol):
    connection: sqlite3.Connection


Self = TypeVar("Self", bound=HasConnection)


def connect(path: Path) -> sqlite3.Connection:
    """A connection whose transactions are begun and ended by hand."""
    return sqlite3.connect(path, isolation_level=None, cached_statements=_STATEMENTS)


def set_up(connection: sqlite3.Connection) -> None:
    """Make the tables where there are none."""
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute(f"PRAGMA cache_size = -{_PAGE_CACHE_KB}")
    connection.execute(f"PRAGMA wal_autocheckpoint = {_CHECKPOINT_PAGES}")
    connection.executescript(_SCHEMA)


def fingerprint(text: str) -> int:
    """64 bits of a text, the same in every process."""
    digest = blake2b(text.encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True)


def guarded(
    method: Callable[Concatenate[Self, Parameters], Result],
) -> Callable[Concatenate[Self, Parameters], Result]:
    """On a full disk, give up what was not committed, close, and say what to do."""

    @wraps(method)
    def call(self: Self, /, *args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        try:
            return method(self, *args, **kwargs)
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode not in _NO_ROOM:
                raise
            self.connection.close()
            raise DiskFull from error

    return call
