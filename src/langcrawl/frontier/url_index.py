"""The URL index: every known URL in 16 bytes, with its fingerprint, its number and its state.

Most links lead to URLs that are known and need no change. They are told here without asking the
database. The table has a bound: once it is full, URLs that it does not hold may be known all the
same, and the database has to be asked for them.

How a URL stands is one of many thousand kinds at most, each a number of 16 bits; where a strategy
makes more kinds than that, the table says that it does not know.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from itertools import chain, pairwise
from pathlib import Path
from queue import Empty, Queue
from sqlite3 import DatabaseError
from threading import Event, Thread
from typing import NamedTuple

import adbc_driver_manager as adbc
import adbc_driver_sqlite
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from langcrawl.parallel import cores
from langcrawl.ports import not_waiting
from langcrawl.store.database import SEEN, TAKEN, WAITING

Kind = tuple[float, int, int, float, float] | None
"""Priority, `run`, `depth`, `anchor_score` and `parent_share` of a URL; None where it is taken."""

ABSENT = -1
BITS = 16
UNTOLD = (1 << BITS) - 1
"""The last of these bits of what is found are the number of a kind; all of them: it has none,
because there are too many kinds, or the URL is absent. The others are the number of the URL."""
_MOST_KINDS = UNTOLD
_SLOTS = 16
"""URLs in a bucket."""
_LARGEST = 1 << 20
"""Buckets."""
_FULL = 0.8
_MANY = 50_000
"""URLs from which on they are in a table, which takes a tenth of the memory; what is compiled to
search it takes a second to load."""
_AT_ONCE = 1 << 16
"""Buckets that move together into a larger table, and rows that are read together."""
_UNQUEUED: Kind = not_waiting("")[1:]
_NO_PLACE = -(1 << 63)
_COLUMNS = (
    f"fp, id, state, ifnull(priority, {_NO_PLACE}.0), ifnull(run, 0), ifnull(depth, 0), "
    f"ifnull(anchor_score, 0.0), ifnull(parent_share, 0.0), host, ifnull(arrival, {_NO_PLACE})"
)
"""Arrow would load pandas to fill what is missing."""
_READ_AHEAD = 4
"""Batches of a database that are read while others are worked on."""
_WORTH_THREADS = 500_000
"""URLs in a database from which on several threads read it."""
_MOST_THREADS = 4
"""More would wait for the one that fills the index."""
_MAPPED = 1 << 40
"""Bytes of a database that are looked at in place, as many as SQLite allows: threads that copied
them would wait for each other's memory."""
_PATIENCE = 60_000
"""Milliseconds for which a thread waits while another one opens or closes the database."""
_MIX = np.uint64(0x9E3779B97F4A7C15)

_Numbers = npt.NDArray[np.int64]


class Table:
    """A hash table of fingerprints with a number each, in buckets that are filled in their order.

    What finds its bucket full goes into the next. There is no fingerprint 0.
    """

    def __init__(self, buckets: int) -> None:
        self.room = buckets * _SLOTS
        self.used = 0
        self._keys = np.zeros((buckets, _SLOTS), dtype=np.int64)
        self._values = np.zeros((buckets, _SLOTS), dtype=np.int64)

    def find(self, keys: _Numbers) -> _Numbers:
        """The value of each key, or `ABSENT`."""
        from langcrawl.frontier.compiled import find

        values = np.full(len(keys), ABSENT, dtype=np.int64)
        find(self._keys, self._values, keys, values)
        return values

    def put(self, keys: _Numbers, values: _Numbers) -> None:
        """Keep keys, whether they are here or not; there must be room for all of them."""
        from langcrawl.frontier.compiled import put

        self.used += put(self._keys, self._values, keys, values)

    def doubled(self) -> Table:
        buckets = len(self._keys)
        table = Table(2 * buckets)
        for first in range(0, buckets, _AT_ONCE):
            keys = self._keys[first : first + _AT_ONCE]
            table.put(keys[keys != 0], self._values[first : first + _AT_ONCE][keys != 0])
        return table


class UrlIndex:
    """All URLs: a dictionary while they are few, then a table that grows to a bound."""

    def __init__(self, expected: int = 0) -> None:
        """`expected` URLs are about to come."""
        self.complete = True
        """Whether every URL that it was ever told of is here."""
        self.kinds: list[Kind] = [None, _UNQUEUED]
        self._numbers: dict[Kind, int] = {None: 0, _UNQUEUED: 1}
        self._few: dict[int, int] = {}
        self._table = _table_for(expected) if expected >= _MANY else None

    def find(self, fingerprints: Sequence[int]) -> list[int]:
        """The value of each URL, to be split by `BITS`; `ABSENT` if it is not known."""
        if self._table is None:
            few = self._few.get
            return [few(fp, ABSENT) for fp in fingerprints]
        found: list[int] = self._table.find(np.array(fingerprints, np.int64)).tolist()
        return found

    def tell(self, urls: Iterable[tuple[int, int, Kind]]) -> None:
        """Store fingerprint, number and kind of URLs; earlier values are replaced."""
        fps: list[int] = []
        values: list[int] = []
        for fp, number, kind in urls:
            fps.append(fp)
            values.append(number << BITS | self._number_of(kind))
        self._keep(np.array(fps, np.int64), np.array(values, np.int64))

    def read(self, batch: pa.RecordBatch) -> None:
        """The same for rows of a database, by the thousand."""
        fp, number, state = (batch.column(at).to_numpy() for at in range(3))
        columns = [batch.column(at).to_numpy() for at in range(3, 8)]
        mixed = state.astype(np.uint64)
        for column in columns:
            mixed = (mixed ^ column.view(np.uint64)) * _MIX
            mixed ^= mixed >> np.uint64(29)
        _, firsts, which = np.unique(mixed, return_index=True, return_inverse=True)
        kinds = []
        for at in firsts.tolist():
            kind: Kind = tuple(column[at].item() for column in columns)
            kind = {SEEN: _UNQUEUED, TAKEN: None}.get(state[at], kind)
            kinds.append(self._number_of(kind))
        self._keep(fp.copy(), number << BITS | np.array(kinds)[which])  # Arrow's own is read-only

    def _keep(self, fps: _Numbers, values: _Numbers) -> None:
        if self._table is None:
            self._few.update(zip(fps.tolist(), values.tolist(), strict=True))
            if len(self._few) < _MANY:
                return
            fps = np.fromiter(self._few.keys(), np.int64)
            values = np.fromiter(self._few.values(), np.int64)
            self._few.clear()
            self._table = _table_for(len(fps))
        table = self._table
        while self.complete and table.used + len(fps) > _FULL * table.room:
            if table.room == _LARGEST * _SLOTS:
                self.complete = False
            else:
                table = self._table = table.doubled()
        if not self.complete:
            known = table.find(fps) != ABSENT
            fps, values = fps[known], values[known]
        table.put(fps, values)

    def _number_of(self, kind: Kind) -> int:
        number = self._numbers.get(kind)
        if number is None:
            number = len(self.kinds)
            if number == _MOST_KINDS:
                return UNTOLD
            self.kinds.append(kind)
            self._numbers[kind] = number
        return number


def _table_for(urls: int) -> Table:
    """A table with room for so many, as far as tables go."""
    return Table(min(1 << int(urls / (_FULL * _SLOTS)).bit_length(), _LARGEST))


class Waiting(NamedTuple):
    """The waiting URL of each host that comes first, as columns."""

    host: _Numbers
    priority: npt.NDArray[np.float64]
    arrival: _Numbers
    number: _Numbers

    @classmethod
    def read(cls, batch: pa.RecordBatch) -> Waiting:
        """The same among rows of a database that are sorted by host."""
        waits = batch.column(2).to_numpy() == WAITING
        host, priority, arrival, number = (
            batch.column(at).to_numpy()[waits] for at in (8, 3, 9, 1)
        )
        found = cls(host, priority, arrival, number)
        is_odd = any(column.dtype.kind not in "if" for column in found)
        if is_odd or (priority == _NO_PLACE).any() or (arrival == _NO_PLACE).any():
            raise ValueError("a URL that waits has no place in the queue")
        return found.firsts()

    def firsts(self) -> Waiting:
        """Of rows that are sorted by host, the first in the queue of each."""
        host, priority, arrival, _ = self
        if not len(host):
            return self
        begins = np.flatnonzero(np.concatenate(([True], host[1:] != host[:-1])))
        sizes = np.diff(begins, append=len(host))
        late = priority > np.repeat(np.minimum.reduceat(priority, begins), sizes)
        arrival = np.where(late, np.iinfo(np.int64).max, arrival)
        later = arrival > np.repeat(np.minimum.reduceat(arrival, begins), sizes)
        place = np.where(later, len(host), np.arange(len(host)))
        chosen = np.minimum.reduceat(place, begins)
        return Waiting._make(column[chosen] for column in self)


def read_url_index(path: Path, expected: int) -> tuple[UrlIndex, Waiting]:
    """The index of the URLs in a database that nobody in this process has open, and the heads.

    It is read by another copy of SQLite, which gives up this process's locks on the file when it
    closes it. Where URLs are many, several threads read a range of hosts each.
    """
    index = UrlIndex(expected)
    ranges = _ranges(cores() if expected >= _WORTH_THREADS else 1)
    parts: list[list[Waiting]] = [[] for _ in ranges]
    with closing(_ahead([_batches(path, *hosts) for hosts in ranges])) as batches:
        for number, batch in batches:
            parts[number].append(Waiting.read(batch))
            if index.complete:
                index.read(batch)
    if not (found := list(chain(*parts))):
        none = np.empty(0, np.int64)
        return index, Waiting(none, np.empty(0), none, none)
    return index, Waiting._make(map(np.concatenate, zip(*found, strict=True))).firsts()


def _ranges(count: int) -> list[tuple[int, int]]:
    """The first and the last fingerprint of hosts in ranges that are equally large."""
    count = min(count, _MOST_THREADS)
    edges = [(number << 64) // count - (1 << 63) for number in range(count + 1)]
    return [(first, after - 1) for first, after in pairwise(edges)]


def _batches(path: Path, first: int, last: int) -> Iterator[pa.RecordBatch]:
    """The rows of a range of hosts, in their order."""
    try:
        with (  # and not the dbapi module, which loads pandas and polars where they are installed
            adbc_driver_sqlite.connect(f"{path.absolute().as_uri()}?mode=ro") as db,
            adbc.AdbcConnection(db) as connection,
            adbc.AdbcStatement(connection) as statement,
        ):
            for setting in (f"busy_timeout = {_PATIENCE}", f"mmap_size = {_MAPPED}"):
                statement.set_sql_query(f"PRAGMA {setting}")
                with pa.RecordBatchReader.from_stream(statement.execute_query()[0]) as said:
                    said.read_all()
            statement.set_options(**{"adbc.sqlite.query.batch_rows": str(_AT_ONCE)})
            statement.set_sql_query(
                f"SELECT {_COLUMNS} FROM known WHERE host BETWEEN {first} AND {last} ORDER BY host"
            )
            stream, _ = statement.execute_query()
            with pa.RecordBatchReader.from_stream(stream) as batches:
                yield from batches
    except adbc.Error as error:
        raise DatabaseError(error) from None


_Ready = Queue[tuple[int, pa.RecordBatch | None, Exception | None]]


def _ahead(
    sources: Sequence[Iterator[pa.RecordBatch]],
) -> Generator[tuple[int, pa.RecordBatch], None, None]:
    """The items of all sources as they come, with the number of their source.

    Each source is read by a thread of its own while earlier items are worked on.
    """
    ready: _Ready = Queue(_READ_AHEAD)
    given_up = Event()

    def read(number: int, items: Iterator[pa.RecordBatch]) -> None:
        error = None
        try:
            for item in items:
                ready.put((number, item, None))
                if given_up.is_set():
                    break
        except Exception as caught:
            error = caught
        ready.put((number, None, error))

    threads = [Thread(target=read, args=each, daemon=True) for each in enumerate(sources)]
    for thread in threads:
        thread.start()
    left = len(threads)
    try:
        while left:
            number, item, error = ready.get()
            if error is not None:
                raise error
            if item is None:
                left -= 1
            else:
                yield number, item
    finally:
        given_up.set()
        while any(thread.is_alive() for thread in threads):
            with suppress(Empty):
                ready.get(timeout=0.05)
