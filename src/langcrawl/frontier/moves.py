"""Moves of waiting URLs that the tables do not show yet.

When a better page links to URLs that wait already, they move forward: many URLs on many hosts,
one row here and one there, and each would cost reading and writing two pages of the database. So
moves wait until the turn of their host comes, when its rows are needed anyway, or until they are
many, when those of neighbouring hosts are written together. In the meantime they stand in a
journal, a row for each commit, so that none is lost.
"""

from __future__ import annotations

import sqlite3
import struct
from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from math import inf
from operator import attrgetter
from typing import Any, NamedTuple

from pydantic_core import from_json, to_json

from langcrawl.frontier import statements as sql
from langcrawl.records import Facts

_MANY = 1 << 19
_AT_ONCE = 1 << 17
_REGION_BITS = 12
"""Hosts are parted by the first bits of their fingerprints: those of a region lie together."""
_COUNTS = struct.Struct("=II")
_NONE = -1
"""The id of a parent that is not there."""


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
        self._hosts: dict[int, dict[int, Move]] = {}
        """The last move of each URL, by the fingerprints of its host and its own."""
        self._regions: list[set[int]] = [set() for _ in range(1 << _REGION_BITS)]
        """The hosts among them, by region."""
        self._count = 0
        self._not_in_journal: dict[tuple[int, int], Move] = {}
        """Those that a commit must keep; what it writes into the tables needs no journal."""
        self._turn = 0
        self._round = 0
        """The last row of the journal when the present round of all regions began."""

    def add(self, move: Move) -> None:
        host, fp = move[9], move[10]
        moves = self._hosts.get(host)
        if moves is None:
            moves = self._hosts[host] = {}
            self._regions[_region(host)].add(host)
        self._count += fp not in moves
        self._not_in_journal[host, fp] = moves[fp] = move

    def __len__(self) -> int:
        return self._count

    def __contains__(self, key: tuple[int, int]) -> bool:
        return key[1] in self._hosts.get(key[0], ())

    def pop(self, key: tuple[int, int]) -> Move | None:
        """The move of one URL, which is the caller's to write now."""
        moves = self._hosts.get(key[0])
        move = moves.pop(key[1], None) if moves else None
        if move is not None:
            self._count -= 1
            self._not_in_journal.pop(key, None)
        return move

    def write_host(self, host: int, connection: sqlite3.Connection) -> None:
        """Have the tables show the moves on a host."""
        moves = self._hosts.pop(host, None)
        if moves is None:
            return
        self._regions[_region(host)].remove(host)
        if moves:
            self._write(moves.values(), connection)
            for fp in moves:
                self._not_in_journal.pop((host, fp), None)

    def commit(self, connection: sqlite3.Connection) -> None:
        """Put what is new into the journal, and write what has become too much."""
        if self._not_in_journal:
            connection.execute(sql.ADD_TO_JOURNAL, (packed(list(self._not_in_journal.values())),))
            self._not_in_journal.clear()
        while self._count > _MANY:
            self.write_region(connection)

    def write_region(self, connection: sqlite3.Connection) -> None:
        """Write the moves of the next region; what the journal held a round ago is obsolete."""
        if self._turn == 0:
            connection.execute(sql.FORGET_JOURNAL, (self._round,))
            ((self._round,),) = connection.execute(sql.LAST_OF_JOURNAL)
        hosts = self._regions[self._turn]
        moves = chain.from_iterable(self._hosts[host].values() for host in sorted(hosts))
        self._write(moves, connection)
        for host in hosts:
            del self._hosts[host]
        hosts.clear()
        self._turn = (self._turn + 1) % len(self._regions)

    def _write(self, moves: Iterable[Move], connection: sqlite3.Connection) -> None:
        rows = [move.row() for move in moves]
        self._count -= len(rows)
        connection.executemany(sql.MOVE, rows)


def _region(host: int) -> int:
    return (host >> 64 - _REGION_BITS) + (1 << _REGION_BITS - 1)


def packed(moves: Sequence[Move]) -> bytes:
    """Moves as a row of the journal: columns of numbers, then in JSON how they were reached.

    Many moves of a commit come from one page and share their facts: these stand there once. The
    columns of the table make whole numbers of them again.
    """
    priority, arrival, facts, parents, *ways, host, fp = zip(*moves, strict=True)
    known: dict[int, int] = {}
    of_facts = [known.setdefault(each, len(known)) for each in map(id, facts)]
    distinct = {id(each): each for each in facts}  # as the moves hold them, their ids differ
    said: dict[tuple[Any, ...], int] = {}
    of_words = [said.setdefault(each, len(said)) for each in zip(*ways, strict=True)]
    parent = [_NONE if each is None else each for each in parents]
    columns = (arrival, of_facts, of_words, parent, host, fp)
    return b"".join(
        (
            _COUNTS.pack(len(moves), len(known)),
            array("d", priority).tobytes(),
            *[array("q", column).tobytes() for column in columns],
            array("d", chain.from_iterable(distinct.values())).tobytes(),
            to_json(list(said)),
        )
    )


def unpacked(row: bytes) -> Iterator[Move]:
    """The moves of a row of the journal; ValueError where it is not one."""
    width = len(Facts._fields)
    try:
        count, distinct = _COUNTS.unpack_from(row)
        columns, end = [], _COUNTS.size
        for kind, size in (*[(each, count) for each in "dqqqqqq"], ("d", width * distinct)):
            columns.append(array(kind, row[end : end + 8 * size]))
            end += 8 * size
        priority, arrival, of_facts, of_words, parent, host, fp, numbers = columns
        ways = [_way(*way) for way in from_json(row[end:])]
        facts = [Facts(*numbers[at : at + width]) for at in range(0, len(numbers), width)]
        reached = [(facts[at], ways[way]) for at, way in zip(of_facts, of_words, strict=True)]
        moves = list(zip(priority, arrival, reached, parent, host, fp, strict=True))
    except (struct.error, TypeError, IndexError) as error:
        raise ValueError(f"a row of its moves: {error}") from None
    for place, order, (its, words), number, *key in moves:
        yield Move._make((place, order, its, None if number == _NONE else number, *words, *key))


def _way(
    found_by: object, hops: object, tries: object, reason: object, evidence: object
) -> tuple[object, ...]:
    if not all(isinstance(word, str) for word in (found_by, reason, evidence)):
        raise ValueError("a row of its moves has a number where a word should be")
    if not all(isinstance(number, int) for number in (hops, tries)):
        raise ValueError("a row of its moves has a word where a number should be")
    return found_by, hops, tries, reason, evidence


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
