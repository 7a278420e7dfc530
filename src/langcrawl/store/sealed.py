"""Files that are complete and never change again: their sizes, times and checksums.

They are kept in the database's table `files`. A checksum is worked out again only where size or
time differ from what is remembered, so that a start stays cheap; ``langcrawl verify`` works out
all of them.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from xxhash import xxh3_64

_BLOCK = 1 << 20


class Seal(NamedTuple):
    """How a file was when it was last known to be whole."""

    size: int
    mtime: int
    """In nanoseconds."""
    checksum: str


def checksum_of(path: Path) -> str:
    """The checksum of a file (XXH3, 64 bits)."""
    made = xxh3_64()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            made.update(block)
    return made.hexdigest()


def seal_of(path: Path) -> Seal:
    """How a file is now."""
    status = path.stat()
    return Seal(status.st_size, status.st_mtime_ns, checksum_of(path))


def read_seals(connection: sqlite3.Connection) -> dict[str, Seal]:
    """What is remembered of each file, by its path within the crawl directory."""
    rows = connection.execute("SELECT name, size, mtime, checksum FROM files")
    return {name: Seal(*rest) for name, *rest in rows}


def remember(connection: sqlite3.Connection, directory: Path, names: Iterable[str]) -> None:
    """Remember files as they are now."""
    rows = [(name, *seal_of(directory / name)) for name in names]
    connection.executemany("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?)", rows)


def forget(connection: sqlite3.Connection, names: Iterable[str]) -> None:
    """Remember these files no more."""
    connection.executemany("DELETE FROM files WHERE name = ?", [(name,) for name in names])


def problem_of(path: Path, seal: Seal, thorough: bool = False) -> str:
    """What has happened to a file since; empty where it is the same.

    Unless it is to be looked at thoroughly, a file of the same size and time is the same.
    """
    try:
        status = path.stat()
    except FileNotFoundError:
        return "is missing"
    except OSError as error:
        return f"cannot be read ({error.strerror})"
    if status.st_size != seal.size:
        return f"has {status.st_size:,} bytes in place of {seal.size:,}"
    if (thorough or status.st_mtime_ns != seal.mtime) and checksum_of(path) != seal.checksum:
        return "has changed: its checksum is another"
    return ""
