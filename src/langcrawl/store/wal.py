"""The write-ahead log of ``frontier.db``: does SQLite still read all that was committed to it?

SQLite reads that log up to the first frame whose checksum is wrong. After a crash that is its end;
but where a byte in the middle is damaged, all later commits are gone without a word.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

import numpy as np

_HEAD, _FRAME_HEAD = 32, 24
_SALTS = slice(8, 16)
"""The place of the two salts in the head of a frame, which are those of the log's own head."""


def wal_of(database: Path) -> Path:
    return database.with_name(f"{database.name}-wal")


def committed_frames(database: Path) -> int:
    """How many frames were written up to the last commit, whatever their checksums say."""
    try:
        data = np.memmap(wal_of(database), np.uint8, "r")
    except (FileNotFoundError, ValueError):  # none, or an empty one
        return 0
    if len(data) < _HEAD:
        return 0
    head = data[:_HEAD].tobytes()
    size = _FRAME_HEAD + int.from_bytes(head[8:12], "big")
    count = (len(data) - _HEAD) // size
    if size <= _FRAME_HEAD or not count:
        return 0
    heads = data[_HEAD : _HEAD + count * size].reshape(count, size)[:, :_FRAME_HEAD]
    salts = np.frombuffer(head[16:24], np.uint8)
    ours = np.all(heads[:, _SALTS] == salts, axis=1)
    end = count if ours.all() else int(np.argmin(ours))
    commits = np.flatnonzero(heads[:end, 4:8].any(axis=1))
    return int(commits[-1]) + 1 if len(commits) else 0


def lost_frames(connection: sqlite3.Connection, committed: int) -> int:
    """How many of these frames SQLite does not read."""
    if not committed:
        return 0
    (_, read, _) = connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
    return max(0, committed - max(0, int(read)))
