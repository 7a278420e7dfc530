"""What a strategy has learned, as it is kept in ``frontier.db``.

A page changes a dozen of its numbers, each with a row somewhere else in the table `learned`. So
what a commit changes stands together in one row of `lessons`, and is written into `learned` when
there is much of it, each name once. Who reads takes both.
"""

from __future__ import annotations

import sqlite3
import struct
from array import array
from collections.abc import Mapping

_MUCH = 1 << 21
"""Bytes of lessons that are written into the table together."""
_HAS_LESSONS = "SELECT 1 FROM main.sqlite_master WHERE name = 'lessons'"
_COUNT = struct.Struct("=I")
_WIDTH = 4
"""Bytes of a length."""


class Lessons:
    """What was learned since the table `learned` was written the last time."""

    def __init__(self) -> None:
        self._since: dict[str, bytes] = {}
        self._bytes = 0
        self._begun = False

    def save(self, connection: sqlite3.Connection, changed: Mapping[str, bytes]) -> None:
        """Keep what has changed, within a transaction."""
        if not self._begun:  # what an earlier process has left
            self._since, self._begun = _read_lessons(connection), True
            self._write(connection)
        row = packed(changed)
        self._since.update(changed)
        self._bytes += len(row)
        if self._bytes > _MUCH:
            self._write(connection)
        else:
            connection.execute("INSERT INTO lessons (rows) VALUES (?)", (row,))

    def _write(self, connection: sqlite3.Connection) -> None:
        """Have the table say all of it."""
        if self._since:
            rows = sorted(self._since.items())
            connection.executemany("INSERT OR REPLACE INTO learned VALUES (?, ?)", rows)
            connection.execute("DELETE FROM lessons")
        self._since.clear()
        self._bytes = 0


def read_learned(connection: sqlite3.Connection) -> dict[str, bytes]:
    """All that was learned, by name, so that its order does not depend on when it was written;
    ValueError where a row makes no sense."""
    table = dict(connection.execute("SELECT name, value FROM learned"))
    return dict(sorted((table | _read_lessons(connection)).items()))


def forget_learned(connection: sqlite3.Connection) -> None:
    """Drop what a strategy has learned."""
    connection.execute("DELETE FROM learned")
    connection.execute("DELETE FROM lessons")


def _read_lessons(connection: sqlite3.Connection) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    if not connection.execute(_HAS_LESSONS).fetchone():
        return found  # an earlier version made this database, and it is only read
    for (row,) in connection.execute("SELECT rows FROM lessons ORDER BY number"):
        found.update(unpacked(row))
    return found


def packed(changed: Mapping[str, bytes]) -> bytes:
    """Names and values in one row: how many, the length of each, then all of them."""
    names, values = [name.encode() for name in changed], list(changed.values())
    lengths = array("I", [*map(len, names), *map(len, values)])
    return b"".join((_COUNT.pack(len(names)), lengths.tobytes(), *names, *values))


def unpacked(row: bytes) -> dict[str, bytes]:
    """What stands in a row of the table `lessons`."""
    try:
        (count,) = _COUNT.unpack_from(row)
        at = _COUNT.size + 2 * _WIDTH * count
        lengths = array("I", row[_COUNT.size : at])
        if len(lengths) != 2 * count or at + sum(lengths) != len(row):
            raise ValueError("its lengths are wrong")
        parts = []
        for length in lengths:
            parts.append(row[at : at + length])
            at += length
        return dict(zip([name.decode() for name in parts[:count]], parts[count:], strict=True))
    except (struct.error, ValueError) as error:
        raise ValueError(f"a row of what was learned cannot be read: {error}") from None
