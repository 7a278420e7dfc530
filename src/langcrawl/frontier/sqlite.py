"""The frontier on disk: what was committed is there again after any end of the process.

The database holds every URL; memory holds the URLs that were met lately, in two
generations of bounded size, and one small entry for each host with URLs waiting. Changes
are gathered in memory, written in batches before anything is asked of the database that
they could change, and last from the next `commit` on.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

from langcrawl.frontier.database import (
    FINISHED,
    LEASED,
    SEEN,
    WAITING,
    connect,
    fingerprint,
    guarded,
    set_up,
)
from langcrawl.frontier.heads import Heads
from langcrawl.records import Facts, Visit
from langcrawl.url import host_of

_GENERATION = 1 << 17
"""URLs in a generation of the cache; two of them take about 150 MB."""
_BATCH = 16
"""Changed URLs that are written together: more would make one `take` wait for them."""
_LOOK_UP = 64
"""URLs that are looked up in one query."""

_COLUMNS = (
    "id, url, state, priority, arrival, first, run, depth, parent_relevant, parent_bridge, "
    "parent_score, same_host, host_downloads, host_hits, group_state, parent, via"
)
_INSERT = f"INSERT INTO urls (host, fp, {_COLUMNS}) VALUES ({', '.join('?' * 19)})"
_MOVE = (
    f"UPDATE urls SET ({_COLUMNS.removeprefix('id, url, ')}) = ({', '.join('?' * 15)}) WHERE id = ?"
)
_REVISE = (  # names no column of an index: SQLite would write that anew, changed or not
    "UPDATE urls SET (run, depth, parent_relevant, parent_bridge, parent_score, same_host, "
    "host_downloads, host_hits, group_state, parent, via) = "
    f"({', '.join('?' * 11)}) WHERE id = ?"
)
_FIRST_OF_HOST = (
    f"SELECT {_COLUMNS} FROM urls WHERE host = ? AND state = 1 ORDER BY priority, arrival LIMIT 1"
)
_OF_HOST = f"SELECT {_COLUMNS} FROM urls WHERE host = ? AND state = 1 ORDER BY first"
_NEXT_HOST = (
    "SELECT host, priority, arrival, url FROM urls WHERE state = 1 AND host > ? "
    "ORDER BY host, priority, arrival LIMIT 1"
)
_NOT_QUEUED = (None,) * 14
_BEFORE_ALL_HOSTS = -(1 << 63)


class HostRow(NamedTuple):
    """What a crawl knows of a host and wants to know again after a restart."""

    name: str
    downloads: int
    hits: int
    ready_at: float
    delay: float
    ip: str
    failures: int


class _Entry:
    """A URL as it stands; `visit` where it waits or is leased, and its two places in line."""

    __slots__ = ("arrival", "first", "id", "state", "visit")

    def __init__(self, number: int, state: int, visit: Visit | None, arrival: int, first: int):
        self.id = number
        self.state = state
        self.visit = visit
        self.arrival = arrival
        self.first = first

    def row(self) -> tuple[Any, ...]:
        """The columns that change, in the order of the table."""
        visit = self.visit
        if visit is None:
            return (self.state, *_NOT_QUEUED)
        _, _, facts, priority, parent, via = visit
        return (self.state, priority, self.arrival, self.first, *facts, parent, via)


@lru_cache(1 << 14)
def _host_key(host: str) -> int:
    return fingerprint(host)


class SqliteFrontier:
    """A `Frontier` in a SQLite file, with an id for every URL that it ever met.

    Ids are dense from 0 in the order of first sight. One connection and one transaction:
    all that happened since the last `commit` is kept or lost together, and so is whatever
    the functions in `at_commit` write, which are called just before its end.
    """

    def __init__(self, path: Path, last_first: bool = False) -> None:
        self.connection = connect(path)
        self.at_commit: list[Callable[[sqlite3.Connection], None]] = []
        self.leased_hosts: list[str] = []
        """Hosts that the process before was asking when it died; each is due a full delay."""
        self._step = -1 if last_first else 1
        self._young: dict[str, _Entry] = {}
        self._old: dict[str, _Entry] = {}
        self._new: list[tuple[int, int, str, _Entry]] = []
        self._moved: dict[int, _Entry] = {}
        self._revised: dict[int, Visit] = {}
        self._heads = Heads()
        self._open()

    @guarded
    def _open(self) -> None:
        set_up(self.connection)
        ((last,),) = self.connection.execute("SELECT max(id) FROM urls")
        self._ids = self._stored = 0 if last is None else last + 1
        self._counters = self.meta("counters") or "0 0"
        self._sequence, self._waiting = map(int, self._counters.split())
        self._end_leases()
        host = _BEFORE_ALL_HOSTS
        while row := self.connection.execute(_NEXT_HOST, (host,)).fetchone():
            host, priority, arrival, url = row
            self._heads.lower(priority, arrival, host_of(url))

    def _end_leases(self) -> None:
        """URLs that were taken when the process died wait again, in the place they had."""
        leased = self.connection.execute("SELECT url FROM urls WHERE state = 2").fetchall()
        if leased:
            self.leased_hosts = sorted({host_of(url) for (url,) in leased})
            self._waiting += len(leased)
            self._sequence += 1
            self._begin()
            self.connection.execute(
                "UPDATE urls SET state = 1, first = ? WHERE state = 2", (-self._sequence,)
            )

    def __len__(self) -> int:
        return self._waiting

    def id_of(self, url: str) -> int:
        """The number of this URL; cheap for one that was met lately."""
        return self._entry(url).id

    def untaken(self, urls: Iterable[str]) -> list[tuple[str, Visit | None]]:
        urls = list(urls)
        self._remember(urls)
        young = self._young
        answer = []
        for url in urls:
            entry = young[url]
            if entry.state == WAITING:
                answer.append((url, entry.visit))
            elif entry.state == SEEN:
                answer.append((url, None))
        return answer

    def put(self, visit: Visit) -> None:
        entry = self._entry(visit.url)
        before = entry.visit if entry.state == WAITING else None
        entry.visit = visit
        if before is not None and before.priority == visit.priority:
            self._revise(entry.id, visit)
            return
        self._sequence += 1
        entry.arrival = self._step * self._sequence
        if before is None:
            entry.first = self._sequence
            entry.state = WAITING
            self._waiting += 1
        self._heads.lower(visit.priority, entry.arrival, visit.host)
        self._move(entry)

    def drop(self, url: str) -> None:
        entry = self._entry_in(WAITING, url)
        entry.state, entry.visit = SEEN, None
        self._waiting -= 1
        self._move(entry)

    @guarded
    def of_host(self, host: str) -> list[Visit]:
        self._flush()
        rows = self.connection.execute(_OF_HOST, (_host_key(host),)).fetchall()
        visits = []
        for row in rows:
            visit = self._met(row).visit
            assert visit is not None
            visits.append(visit)
        return visits

    def take(self, ready: Callable[[str], bool], overtake: bool) -> Visit | None:
        heads = self._heads
        while head := heads.first():
            host = head[2]
            if overtake and not ready(host):
                heads.sleep()
                continue
            entry = self._first_of(host)
            if entry is None:
                heads.put_right(None)
                continue
            visit = entry.visit
            assert visit is not None
            if (visit.priority, entry.arrival) != head[:2]:
                heads.put_right((visit.priority, entry.arrival, host))
                continue
            if not overtake and not ready(host):
                return None
            entry.state = LEASED
            self._waiting -= 1
            self._move(entry)
            return visit
        return None

    def put_back(self, visit: Visit) -> None:
        entry = self._entry_in(LEASED, visit.url)
        self._sequence += 1
        entry.state, entry.visit, entry.first = WAITING, visit, -self._sequence
        self._waiting += 1
        self._heads.lower(visit.priority, entry.arrival, visit.host)
        self._move(entry)

    def finish(self, url: str) -> None:
        entry = self._entry_in(LEASED, url)
        entry.state, entry.visit = FINISHED, None
        self._move(entry)

    def wake(self, hosts: Iterable[str]) -> None:
        for host in hosts:
            self._heads.wake(host)

    @guarded
    def commit(self) -> None:
        self._flush()
        self._begin()
        for write in self.at_commit:
            write(self.connection)
        self._flush()
        counters = f"{self._sequence} {self._waiting}"
        if counters != self._counters:
            self.set_meta("counters", counters)
        self.connection.execute("COMMIT")
        self._counters = counters

    def close(self) -> None:
        """Release the file; what was not committed is lost."""
        self.connection.close()

    @guarded
    def set_meta(self, key: str, value: str) -> None:
        """Keep a text under a name, from the next commit on."""
        self._begin()
        self.connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    def meta(self, key: str) -> str | None:
        row = self.connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return None if row is None else row[0]

    @guarded
    def save_hosts(self, rows: Iterable[HostRow]) -> None:
        """Keep what is known of these hosts, in place of what was known before."""
        self._begin()
        self.connection.executemany(
            "INSERT OR REPLACE INTO hosts VALUES (?, ?, ?, ?, ?, ?, ?)", rows
        )

    def hosts(self) -> Iterator[HostRow]:
        """All hosts that were saved, by name."""
        return map(HostRow._make, self.connection.execute("SELECT * FROM hosts"))

    def _begin(self) -> None:
        if not self.connection.in_transaction:
            self.connection.execute("BEGIN")

    def _entry(self, url: str) -> _Entry:
        entry = self._young.get(url)
        if entry is None:
            self._remember((url,))
            entry = self._young[url]
        return entry

    def _entry_in(self, state: int, url: str) -> _Entry:
        entry = self._entry(url)
        if entry.state != state:
            raise KeyError(url)
        return entry

    def _remember(self, urls: Iterable[str]) -> None:
        """Have these URLs in the young generation of the cache."""
        if len(self._new) >= _BATCH:
            self._flush()
        if len(self._young) >= _GENERATION:
            self._flush()
            self._young, self._old = {}, self._young
        young, old = self._young, self._old
        missing = []
        for url in urls:
            if url not in young:
                entry = old.get(url)
                if entry is None:
                    missing.append(url)
                else:
                    young[url] = entry
        if missing:
            self._look_up(missing)

    @guarded
    def _look_up(self, urls: Iterable[str]) -> None:
        """Find URLs in the database; those that are not there get the next ids, in order."""
        rest = iter(dict.fromkeys(urls))
        while some := list(islice(rest, _LOOK_UP)):
            keys = [(_host_key(host_of(url)), fingerprint(url)) for url in some]
            for row in self.connection.execute(_look_up(len(keys)), list(chain(*keys))).fetchall():
                self._met(row)
            for url, (host, fp) in zip(some, keys, strict=True):
                if url not in self._young:
                    entry = self._young[url] = _Entry(self._ids, SEEN, None, 0, 0)
                    self._ids += 1
                    self._new.append((host, fp, url, entry))

    @guarded
    def _first_of(self, host: str) -> _Entry | None:
        """The host's waiting URL that comes first."""
        self._flush()
        row = self.connection.execute(_FIRST_OF_HOST, (_host_key(host),)).fetchone()
        return None if row is None else self._met(row)

    def _met(self, row: tuple[Any, ...]) -> _Entry:
        """The entry of a URL that the database returned; the one in the cache, if it is there."""
        url = row[1]
        entry = self._young.get(url) or self._old.get(url)
        if entry is None:
            number, _, state, priority, arrival, first = row[:6]
            visit = None
            if priority is not None:
                facts = Facts._make(row[6:15])
                visit = Visit(url, host_of(url), facts, priority, row[15], row[16])
            entry = _Entry(number, state, visit, arrival, first)
        self._young[url] = entry
        return entry

    def _move(self, entry: _Entry) -> None:
        """Have this URL's row written anew; one that is not written yet will be anyway."""
        if entry.id < self._stored:
            self._moved[entry.id] = entry
            if len(self._moved) >= _BATCH:
                self._flush()

    def _revise(self, number: int, visit: Visit) -> None:
        """Have what is known of a URL written anew, where its place stays."""
        if number < self._stored:
            self._revised[number] = visit
            if len(self._revised) >= _BATCH:
                self._flush()

    @guarded
    def _flush(self) -> None:
        """Write what has changed, so that queries see it."""
        if self._new:
            self._begin()
            self.connection.executemany(
                _INSERT,
                [(host, fp, entry.id, url, *entry.row()) for host, fp, url, entry in self._new],
            )
            self._new.clear()
            self._stored = self._ids
        if self._revised:
            self._begin()
            revised = self._revised.items()
            self.connection.executemany(
                _REVISE, [(*visit.facts, visit.parent, visit.via, id) for id, visit in revised]
            )
            self._revised.clear()
        if self._moved:
            self._begin()
            moved = self._moved.values()
            self.connection.executemany(_MOVE, [(*entry.row(), entry.id) for entry in moved])
            self._moved.clear()


@lru_cache(_LOOK_UP)
def _look_up(count: int) -> str:
    """A query for so many pairs of host and fingerprint."""
    pairs = ", ".join(["(?, ?)"] * count)
    return (
        f"WITH wanted (h, f) AS (VALUES {pairs}) "
        f"SELECT {_COLUMNS} FROM wanted CROSS JOIN urls ON host = h AND fp = f"
    )
