"""One moment of a database, for who only reads: beside a running crawl, or where nothing can be
written."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from langcrawl.store.wal import wal_of

_NO_SIDE_FILES = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY)
"""What SQLite says where it cannot make the files that it needs beside a database."""


@contextmanager
def snapshot_of(database: Path) -> Iterator[sqlite3.Connection]:
    """A connection that reads one moment of a database, also where nothing can be written.

    SQLite wants to make a file beside a database with a write-ahead log. Where it cannot, the
    database is read as one that does not change; with a log that has to be heeded, a copy is read.
    """
    try:
        connection = _connect(database, "mode=ro")
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF not in _NO_SIDE_FILES:
            raise
        with database.open("rb"):  # says so where the file itself cannot be read
            pass
    else:
        with closing(connection):
            yield connection
        return
    log = wal_of(database)
    if not log.exists() or not log.stat().st_size:
        with closing(_connect(database, "mode=ro&immutable=1")) as connection:
            yield connection
        return
    with TemporaryDirectory(prefix="langcrawl-") as folder:
        for path in (database, log):
            shutil.copy(path, folder)
        with closing(_connect(Path(folder) / database.name, "mode=rw")) as connection:
            yield connection


def _connect(database: Path, how: str) -> sqlite3.Connection:
    uri = f"{database.resolve().as_uri()}?{how}"
    connection = sqlite3.connect(uri, uri=True, isolation_level=None)
    try:
        connection.execute("BEGIN")
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except BaseException:
        connection.close()
        raise
    return connection
