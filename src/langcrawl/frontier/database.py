"""The tables of ``frontier.db``, its connection, and what a full disk means for it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from functools import wraps
from pathlib import Path
from secrets import randbits
from threading import Thread
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from xxhash import xxh3_64_intdigest

from langcrawl.errors import BadInput, DiskFull

SEEN, WAITING, TAKEN = range(3)
"""The states of a URL: it has an id and no more; it waits; it was handed out."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS urls (id INTEGER PRIMARY KEY, url TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS known (
    host INTEGER NOT NULL, fp INTEGER NOT NULL, id INTEGER NOT NULL,
    state INTEGER NOT NULL, priority REAL, arrival INTEGER, first INTEGER,
    run INTEGER, depth INTEGER, parent_relevant INTEGER, parent_bridge INTEGER,
    parent_score REAL, same_host INTEGER, host_downloads INTEGER, host_hits INTEGER,
    group_state INTEGER, anchor_score REAL, parent_share REAL, path_slashes INTEGER,
    parent INTEGER, via TEXT, PRIMARY KEY (host, fp)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS waiting ON known (host, priority, arrival) WHERE state = 1;
CREATE TABLE IF NOT EXISTS moves (number INTEGER PRIMARY KEY AUTOINCREMENT, rows BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS hosts (
    name TEXT PRIMARY KEY, downloads INTEGER NOT NULL, hits INTEGER NOT NULL,
    ready_at REAL NOT NULL, delay REAL NOT NULL, ip TEXT NOT NULL, failures INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
"""

_VERSION = 3
_PAGE_CACHE_KB = 100_000
_CHANGES = 16_000
"""Rows that change until the write-ahead log, some 80 MB then, is moved into the file."""
_CHECKPOINT_PAGES = 64_000
"""Pages in that log at which SQLite moves it by itself, should our thread not keep up."""
_STATEMENTS = 256
_TO_SIGNED = 1 << 63
_CHECKPOINT = "PRAGMA wal_checkpoint(PASSIVE)"
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
    """Make the tables where there are none; those of an earlier version are left alone."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if tables and version != _VERSION:
        connection.close()
        raise BadInput(
            "the crawl in this directory was made by an earlier version and cannot be gone on "
            "with; 'langcrawl import' makes a new log of it, and a new crawl needs a new directory."
        )
    connection.execute(f"PRAGMA user_version = {_VERSION}")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute(f"PRAGMA cache_size = -{_PAGE_CACHE_KB}")
    connection.execute(f"PRAGMA wal_autocheckpoint = {_CHECKPOINT_PAGES}")
    connection.executescript(_SCHEMA)
    connection.execute("INSERT OR IGNORE INTO meta VALUES ('seed', ?)", (str(randbits(64)),))


class Checkpoints:
    """Moves the write-ahead log into the file from time to time, without commits that wait for it.

    A thread moves nearly all of it while the crawl goes on. The little that was committed in the
    meantime is moved between two transactions, after which SQLite begins its log anew.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._moved = 0
        self._thread: Thread | None = None

    def after_commit(self, connection: sqlite3.Connection) -> None:
        if connection.total_changes - self._moved < _CHANGES:
            return
        if self._thread is None:
            self._thread = Thread(target=self._move, daemon=True)
            self._thread.start()
        elif not self._thread.is_alive():
            self._thread = None
            self._moved = connection.total_changes
            connection.execute(_CHECKPOINT)

    def close(self) -> None:
        if self._thread is not None:
            self._thread.join()

    def _move(self) -> None:
        with closing(connect(self._path)) as connection, suppress(sqlite3.OperationalError):
            connection.execute(_CHECKPOINT)  # a full disk is met, and told, by the next commit
            connection.execute(_CHECKPOINT)  # what was committed meanwhile


def seed_of(connection: sqlite3.Connection) -> int:
    """The number from which the fingerprints in this database are made, which no site can know."""
    (seed,) = connection.execute("SELECT value FROM meta WHERE key = 'seed'").fetchone()
    return int(seed)


def fingerprints(texts: Sequence[str], seed: int) -> list[int]:
    """64 bits of each text, the same in every process, and never 0."""
    return [xxh3_64_intdigest(text.encode(), seed) - _TO_SIGNED or 1 for text in texts]


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
