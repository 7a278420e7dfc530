"""Moves of waiting URLs that the tables do not show yet.

When a better page links to URLs that wait already, they move forward: many URLs on many hosts,
one row here and one there, and each would cost reading and writing two pages of the database. So
moves wait until the turn of their host comes, when its rows are needed anyway, or until they are
many, when those of neighbouring hosts are written together. In the meantime they stand in a
journal, a row for each commit, so that none is lost.
"""

from __future__ import annotations

import json
import sqlite3
import struct
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from math import inf
from operator import attrgetter
from typing import Any, NamedTuple

from langcrawl.frontier import statements as sql
from langcrawl.records import Facts

_MANY = 1 << 19
_AT_ONCE = 1 << 17
_REGION_BITS = 12
"""Hosts are parted by the first bits of their fingerprints: those of a region lie together."""
_COUNT = struct.Struct("<I")
_PLACE = struct.Struct("<d5q")
"""Of a move: its priority, its arrival, the place of the first that was reached in the same way,
the id of its parent (-1 for none), and the fingerprints of host and URL."""


class Move(NamedTuple):
    """A new place for a URL that waits, and how it was reached."""

    priority: float
    arrival: int
    facts: Facts
    parent: int | None
    found_by: str
    hops: int
    tries: int
    reason: str
    evidence: str
    host: int
    fp: int

    def row(self) -> tuple[Any, ...]:
        """The values of `sql.MOVE`."""
        priority, arrival, facts, *rest = self
        return priority, arrival, *facts, *rest


class Moves:
    """What is to be written, by host, and the region whose turn is next."""

    def __init__(self) -> None:
        self._regions: list[dict[int, list[Move]]] = [{} for _ in range(1 << _REGION_BITS)]
        self._count = 0
        self._moved: set[int] = set()
        """The fingerprints of all URLs that have moved, some more than once."""
        self._not_in_journal: list[Move] = []
        self._turn = 0
        self._round = 0
        """The last row of the journal when the present round of all regions began."""

    def add(self, move: Move) -> None:
        self._regions[_region(move.host)].setdefault(move.host, []).append(move)
        self._not_in_journal.append(move)
        self._moved.add(move.fp)
        self._count += 1

    def __len__(self) -> int:
        return self._count

    def __contains__(self, fp: int) -> bool:
        return fp in self._moved

    def write_host(self, host: int, connection: sqlite3.Connection) -> None:
        """Have the tables show the moves on a host."""
        if moves := self._regions[_region(host)].pop(host, None):
            self._write(moves, connection)

    def commit(self, connection: sqlite3.Connection) -> None:
        """Put what is new into the journal, and write what has become too much."""
        if self._not_in_journal:
            connection.execute(sql.ADD_TO_JOURNAL, (packed(self._not_in_journal),))
            self._not_in_journal.clear()
        while self._count > _MANY:
            self.write_region(connection)

    def write_region(self, connection: sqlite3.Connection) -> None:
        """Write the moves of the next region; what the journal held a round ago is obsolete."""
        if self._turn == 0:
            connection.execute(sql.FORGET_JOURNAL, (self._round,))
            ((self._round,),) = connection.execute(sql.LAST_OF_JOURNAL)
        hosts = self._regions[self._turn]
        self._write(chain.from_iterable(hosts[host] for host in sorted(hosts)), connection)
        hosts.clear()
        self._turn = (self._turn + 1) % len(self._regions)

    def _write(self, moves: Iterable[Move], connection: sqlite3.Connection) -> None:
        rows = [move.row() for move in moves]
        self._count -= len(rows)
        self._moved.difference_update([row[-1] for row in rows])
        connection.executemany(sql.MOVE, rows)


def _region(host: int) -> int:
    return (host >> 64 - _REGION_BITS) + (1 << _REGION_BITS - 1)


def packed(moves: Sequence[Move]) -> bytes:
    """Moves as a row of the journal: numbers, and then in JSON the ways they were reached by.

    Many moves of a commit come from one page and share their facts.
    """
    ways: dict[tuple[Any, ...], int] = {}
    numbers: list[float] = []
    for at, move in enumerate(moves):
        priority, arrival, facts, parent, found_by, hops, tries, why, evidence, host, fp = move
        # The moves hold their facts, so no two facts have the same id.
        first = ways.setdefault((id(facts), found_by, hops, tries, why, evidence), at)
        numbers += (priority, arrival, first, -1 if parent is None else parent, host, fp)
    places = struct.pack("<" + _PLACE.format[1:] * len(moves), *numbers)
    told = {at: (moves[at].facts, *way[1:]) for way, at in ways.items()}
    return b"".join((_COUNT.pack(len(moves)), places, json.dumps(told).encode()))


def unpacked(row: bytes) -> Iterator[Move]:
    """The moves of a row of the journal; ValueError where it is not one."""
    try:
        (count,) = _COUNT.unpack_from(row)
        end = _COUNT.size + count * _PLACE.size
        ways = {int(at): _way(way) for at, way in json.loads(row[end:]).items()}
        places = [(*place, ways[place[2]]) for place in _PLACE.iter_unpack(row[_COUNT.size : end])]
    except (struct.error, TypeError, KeyError, AttributeError) as error:
        raise ValueError(f"a row of its moves: {error}") from None
    for priority, arrival, _, parent, host, fp, (facts, rest) in places:
        known = None if parent < 0 else parent
        yield Move._make((priority, arrival, facts, known, *rest, host, fp))


def _way(way: Any) -> tuple[Facts, tuple[str, int, int, str, str]]:
    facts, found_by, hops, tries, reason, evidence = way
    words, numbers = (found_by, reason, evidence), (*facts, hops, tries)
    if not all(isinstance(word, str) for word in words):
        raise ValueError("it has a number where a word should be")
    if not all(isinstance(number, int | float) for number in numbers):
        raise ValueError("it has a word where a number should be")
    return Facts(*facts), (found_by, hops, tries, reason, evidence)


def write_move_journal(connection: sqlite3.Connection) -> None:
    """Write the moves that a process has left behind, unless they are written or outdated."""
    connection.execute("BEGIN")
    journal = (unpacked(row) for (row,) in connection.execute(sql.READ_JOURNAL).fetchall())
    rest = chain.from_iterable(journal)
    while moves := sorted(islice(rest, _AT_ONCE), key=attrgetter("host", "fp")):
        rows = [(*move.row(), move.arrival) for move in moves]
        connection.executemany(sql.MOVE_UNLESS_OUTDATED, rows)
    connection.execute(sql.FORGET_JOURNAL, (inf,))
    connection.execute("COMMIT")
