"""Every URL that a crawl knows, in 16 bytes each: its fingerprint, its number, how it stands.

Most links lead to URLs that are known and need no change. They are told here without asking the
database. The table has a bound: once it is full, URLs that it does not hold may be known all the
same, and the database has to be asked for them.

How a URL stands is one of many thousand kinds at most, each a number of 16 bits; where a strategy
makes more kinds than that, the table says that it does not know.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import inf
from pathlib import Path
from sqlite3 import DatabaseError
from sys import maxsize

import adbc_driver_sqlite.dbapi as adbc
import numba
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from langcrawl.frontier.database import SEEN, TAKEN

Kind = tuple[float, int, int, float, float] | None
"""Priority, `run`, `depth`, `anchor_score` and `parent_share` of a URL; None where it is taken."""

ABSENT = -1
BITS = 16
UNTOLD = (1 << BITS) - 1
"""The last of these bits of what is found are the number of a kind; all of them: it has none,
because there are too many kinds, or the URL is absent. The others are the number of the URL."""
_MOST_KINDS = UNTOLD
_SMALLEST, _LARGEST = 1 << 16, 1 << 24
_FULL = 0.8
_UNQUEUED: Kind = (inf, maxsize, maxsize, 0.0, 0.0)
_COLUMNS = "fp, id, state, priority, run, depth, anchor_score, parent_share"
_ROWS = 1 << 16
"""Rows that are read from a database at a time."""
_MIX = np.uint64(0x9E3779B97F4A7C15)

_Table = npt.NDArray[np.int64]


class Cover:
    """A table of fingerprints that grows to a bound."""

    def __init__(self) -> None:
        self.complete = True
        """Whether every URL that it was ever told of is here."""
        self.kinds: list[Kind] = [None, _UNQUEUED]
        self._numbers: dict[Kind, int] = {None: 0, _UNQUEUED: 1}
        self._table = np.zeros((_SMALLEST, 2), dtype=np.int64)
        self._used = 0

    def find(self, fingerprints: Sequence[int]) -> list[int]:
        """What is here of each URL, to be parted by `BITS`; or `ABSENT`."""
        wanted = np.array(fingerprints, dtype=np.int64)
        found = np.empty(len(wanted), dtype=np.int64)
        _find(self._table, wanted, found)
        answer: list[int] = found.tolist()
        return answer

    def tell(self, urls: Iterable[tuple[int, int, Kind]]) -> None:
        """Keep fingerprint, number and kind of URLs, in place of what was known of them."""
        rows: list[int] = []
        for fp, number, kind in urls:
            rows += fp, number << BITS | self._number_of(kind)
        self._keep(np.array(rows, dtype=np.int64).reshape(-1, 2))

    def read(self, batch: pa.RecordBatch) -> None:
        """The same for rows of a database, by the thousand."""
        fp, number, state = (batch.column(at).to_numpy() for at in range(3))
        standing = [batch.column(at).fill_null(0).to_numpy() for at in range(3, 8)]
        mixed = state.astype(np.uint64)
        for column in standing:
            mixed = (mixed ^ column.view(np.uint64)) * _MIX
            mixed ^= mixed >> np.uint64(29)
        _, firsts, which = np.unique(mixed, return_index=True, return_inverse=True)
        kinds = []
        for at in firsts.tolist():
            kind: Kind = tuple(column[at].item() for column in standing)
            kind = {SEEN: _UNQUEUED, TAKEN: None}.get(state[at], kind)
            kinds.append(self._number_of(kind))
        self._keep(np.stack([fp, number << BITS | np.array(kinds)[which]], axis=1))

    def _keep(self, rows: _Table) -> None:
        while self.complete and self._used + len(rows) > _FULL * len(self._table):
            if len(self._table) == _LARGEST:
                self.complete = False
            else:
                smaller, self._table = self._table, np.zeros((2 * len(self._table), 2), np.int64)
                _keep(self._table, smaller, True)
        self._used += _keep(self._table, rows, self.complete)

    def _number_of(self, kind: Kind) -> int:
        number = self._numbers.get(kind)
        if number is None:
            number = len(self.kinds)
            if number == _MOST_KINDS:
                return UNTOLD
            self.kinds.append(kind)
            self._numbers[kind] = number
        return number


def cover_of(path: Path) -> Cover:
    """The cover of the URLs in a database that nobody in this process has open.

    It is read by another copy of SQLite, which gives up this process's locks on the file when it
    closes it.
    """
    cover = Cover()
    try:
        with adbc.connect(f"{path.absolute().as_uri()}?mode=ro") as db, db.cursor() as cursor:
            cursor.adbc_statement.set_options(**{"adbc.sqlite.query.batch_rows": str(_ROWS)})
            cursor.execute(f"SELECT {_COLUMNS} FROM known")
            for batch in cursor.fetch_record_batch():
                cover.read(batch)
    except adbc.Error as error:
        raise DatabaseError(error) from None
    return cover


@numba.njit(cache=True, nogil=True)
def _find(table: _Table, wanted: _Table, found: _Table) -> None:
    mask = len(table) - 1
    for at in range(len(wanted)):
        fp = wanted[at]
        slot = fp & mask
        while table[slot, 0] != fp and table[slot, 0] != 0:
            slot = (slot + 1) & mask
        found[at] = table[slot, 1] if table[slot, 0] == fp else ABSENT


@numba.njit(cache=True, nogil=True)
def _keep(table: _Table, rows: _Table, new_ones: bool) -> int:
    """Put rows into the table; how many are new. A row with the fingerprint 0 is an empty place."""
    mask = len(table) - 1
    new = 0
    for at in range(len(rows)):
        fp = rows[at, 0]
        slot = fp & mask
        while table[slot, 0] != fp and table[slot, 0] != 0:
            slot = (slot + 1) & mask
        if fp != 0 and (new_ones or table[slot, 0] == fp):
            new += table[slot, 0] != fp
            table[slot, 0] = fp
            table[slot, 1] = rows[at, 1]
    return new
