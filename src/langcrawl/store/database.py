"""The tables of ``frontier.db``, its connection, and what a full disk means for it.

Each table has one owner that writes it: the frontier `urls`, `known` and `moves`, the log's writer
`batches`, `segments` and `archives`, `langcrawl.store.sealed` `files`, `langcrawl.store.state` the
others, and in `archives` what the log does not know of: answers to robots.txt.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from functools import wraps
from pathlib import Path
from secrets import randbits
from threading import Thread
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from pyarrow import ArrowException
from xxhash import xxh3_64_intdigest

from langcrawl.errors import BadInput, BrokenLog, DiskFull

VERSION = 6
"""Of the tables, as SQLite's ``user_version``."""
SEEN, WAITING, TAKEN = range(3)
"""The states of a URL: it has an id and no more; it waits; it was handed out."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS files (
    name TEXT PRIMARY KEY, size INTEGER NOT NULL, mtime INTEGER NOT NULL, checksum TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS urls (id INTEGER PRIMARY KEY, url TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS known (
    host INTEGER NOT NULL, fp INTEGER NOT NULL, id INTEGER NOT NULL,
    state INTEGER NOT NULL, priority REAL, arrival INTEGER, first INTEGER,
    run INTEGER, depth INTEGER, parent_relevant INTEGER, parent_bridge INTEGER,
    parent_score REAL, same_host INTEGER, host_downloads INTEGER, host_hits INTEGER,
    group_state INTEGER, anchor_score REAL, parent_share REAL, path_slashes INTEGER,
    parent INTEGER, found_by TEXT, hops INTEGER, tries INTEGER, reason TEXT, evidence TEXT,
    "group" INTEGER, PRIMARY KEY (host, fp)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS waiting ON known (host, priority, arrival) WHERE state = 1;
CREATE INDEX IF NOT EXISTS grouped ON known ("group", first)
    WHERE state = 1 AND "group" IS NOT NULL;
CREATE TABLE IF NOT EXISTS moves (number INTEGER PRIMARY KEY AUTOINCREMENT, rows BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS hosts (
    name TEXT PRIMARY KEY, downloads INTEGER NOT NULL, hits INTEGER NOT NULL,
    ready_at REAL NOT NULL, delay REAL NOT NULL, ip TEXT NOT NULL, failures INTEGER NOT NULL,
    misses INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS groups (
    name TEXT PRIMARY KEY, downloads INTEGER NOT NULL, hits INTEGER NOT NULL,
    misses INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS learned (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS lessons (number INTEGER PRIMARY KEY AUTOINCREMENT, rows BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS traps (host TEXT PRIMARY KEY, memory TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS batches (id INTEGER PRIMARY KEY, pages BLOB, links BLOB, size INTEGER);
CREATE TABLE IF NOT EXISTS segments (number INTEGER PRIMARY KEY, urls INTEGER);
CREATE TABLE IF NOT EXISTS archives (file TEXT PRIMARY KEY, bytes INTEGER, last INTEGER);
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
"""
"""docs/frontier.md describes every table."""

COUNTS, COUNTERS, LEASES = "counts", "counters", "leases"
"""Keys of `meta`: the counts of the crawl; the frontier's sequence and how many URLs wait; the ids
of URLs that are being asked for."""
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
    """A connection without automatic transactions."""
    return sqlite3.connect(path, isolation_level=None, cached_statements=_STATEMENTS)


def set_up(connection: sqlite3.Connection, durable: bool = False) -> None:
    """Make the tables where there are none; those of another version are left alone.

    What is committed to a `durable` database is on the disk, and not only with the system.
    """
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if tables and version != VERSION:
        connection.close()
        raise BadInput(
            "this frontier was made by another version of langcrawl; 'langcrawl crawl' converts "
            "the directory of an earlier one."
        )
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
    connection.execute(f"PRAGMA cache_size = -{_PAGE_CACHE_KB}")
    connection.execute(f"PRAGMA wal_autocheckpoint = {_CHECKPOINT_PAGES}")
    connection.execute("BEGIN")
    create_tables(connection)
    connection.execute("INSERT OR IGNORE INTO meta VALUES ('seed', ?)", (str(new_seed()),))
    connection.execute("COMMIT")


def new_seed() -> int:
    """A number from which the fingerprints of a new database can be made."""
    return randbits(64)


def create_tables(connection: sqlite3.Connection) -> None:
    """Make the tables that are not there, within a transaction: all of them or none."""
    for statement in _SCHEMA.split(";"):
        connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {VERSION}")


def damaged(path: Path, error: Exception) -> str:
    """What to say of a database that cannot be read."""
    return (
        f"'{path}' is damaged ({error}); restore it from a backup, or let 'langcrawl recover "
        f"{path.parent} --rebuild' make database and log anew from the archive."
    )


NONSENSE: tuple[type[Exception], ...] = (
    sqlite3.DatabaseError, ValueError, TypeError, KeyError, IndexError, AttributeError,
    ArithmeticError, ArrowException,
)  # fmt: skip
"""What reading a row that makes no sense may raise."""


@contextmanager
def undamaged(path: Path, *also: type[Exception]) -> Iterator[None]:
    """What SQLite says of a damaged file, and other errors that are named, becomes a sentence."""
    caught: tuple[type[Exception], ...] = (sqlite3.DatabaseError, *also)
    try:
        yield
    except sqlite3.OperationalError as error:
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)  # Python's own have none
        if code != sqlite3.SQLITE_ERROR and "malformed" not in str(error):
            raise  # not the file's fault: no room, no right to write, in use
        raise BrokenLog(damaged(path, error)) from None
    except caught as error:
        raise BrokenLog(damaged(path, error)) from None


def read_meta(connection: sqlite3.Connection, key: str) -> str | None:
    """The text that is kept under a name."""
    row = connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    return None if row is None else row[0]


def write_meta(connection: sqlite3.Connection, key: str, value: str) -> None:
    """Keep a text under a name, from the next commit on."""
    if not connection.in_transaction:
        connection.execute("BEGIN")
    connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))


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


def take_seed(connection: sqlite3.Connection, seed: int) -> None:
    """Have a database that knows no URL yet make the fingerprints of another one."""
    if not connection.execute("SELECT count(*) FROM urls").fetchone()[0]:
        connection.execute("UPDATE meta SET value = ? WHERE key = 'seed'", (str(seed),))


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
            if getattr(error, "sqlite_errorcode", 0) not in _NO_ROOM:
                raise
            self.connection.close()
            raise DiskFull from error

    return call
