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

from langcrawl.errors import BrokenLog
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
from langcrawl.frontier.heads import Head, Heads
from langcrawl.records import Facts, Visit
from langcrawl.url import host_of

_GENERATION = 1 << 17
"""URLs in a generation of the cache."""
_BATCH = 16
"""Changed URLs that are written together: more would make one `take` wait for them."""
_LOOK_UP = 64
"""URLs that are looked up in one query."""

_FACTS = (*Facts._fields, "parent", "via")
_PLACE = ("state", "priority", "arrival", "first")
_COLUMNS = ", ".join(("url", "id", *_PLACE, *_FACTS))
_INSERT = (
    f"INSERT INTO urls (host, fp, {_COLUMNS}) "
    f"VALUES (?, ?, ?, ?, {', '.join('?' * len(_PLACE + _FACTS))})"
)
_MOVE = (
    f"UPDATE urls SET ({', '.join(_PLACE + _FACTS)}) = ({', '.join('?' * len(_PLACE + _FACTS))}) "
    "WHERE id = ?"
)
_REVISE = f"UPDATE urls SET ({', '.join(_FACTS)}) = ({', '.join('?' * len(_FACTS))}) WHERE id = ?"
"""Names no column of an index: SQLite would write those anew, changed or not."""
_FIRST_OF_HOST = (
    f"SELECT {_COLUMNS} FROM urls WHERE host = ? AND state = 1 ORDER BY priority, arrival LIMIT 2"
)
_OF_HOST = f"SELECT {_COLUMNS} FROM urls WHERE host = ? AND state = 1 ORDER BY first"
_NEXT_HOST = (
    "SELECT host, priority, arrival, url FROM urls WHERE state = 1 AND host > ? "
    "ORDER BY host, priority, arrival LIMIT 1"
)
_NOT_QUEUED = (None,) * (len(_PLACE + _FACTS) - 1)
_Row = tuple[Any, ...]
"""A URL as it stands, in the order of `_COLUMNS`. A plain tuple of texts and numbers: hundreds of
thousands of these are kept, and the garbage collector never has to look at one again."""
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


def _visit_of(row: _Row) -> Visit:
    url = row[0]
    return Visit(url, host_of(url), Facts._make(row[6:-2]), row[3], row[-2], row[-1])


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
        self._young: dict[str, _Row] = {}
        self._old: dict[str, _Row] = {}
        self._new: list[tuple[int, int, str]] = []
        self._moved: dict[int, _Row] = {}
        self._revised: dict[int, _Row] = {}
        self._unwritten: set[str] = set()
        """Hosts of which the database does not know yet what waits, and where."""
        self._heads = Heads()
        try:
            self._open()
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError as error:
            self.connection.close()
            raise BrokenLog(
                f"'{path}' is damaged ({error}); bring it back from a backup, or start a new crawl "
                "in another directory."
            ) from None

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
        number: int = self._row(url)[1]
        return number

    def url_of(self, number: int) -> str:
        """The URL of this number, once it is committed."""
        row = self.connection.execute("SELECT url FROM urls WHERE id = ?", (number,)).fetchone()
        return str(row[0])

    def untaken(self, urls: Iterable[str]) -> list[tuple[str, Visit | None]]:
        urls = list(urls)
        self._remember(urls)
        young = self._young
        answer: list[tuple[str, Visit | None]] = []
        for url in urls:
            row = young[url]
            state = row[2]
            if state == WAITING:
                answer.append((url, _visit_of(row)))
            elif state == SEEN:
                answer.append((url, None))
        return answer

    def put(self, visit: Visit) -> None:
        url, _, facts, priority, parent, via = visit
        _, number, state, before, arrival, first = self._row(url)[:6]
        stays = state == WAITING and before == priority
        if not stays:
            self._sequence += 1
            arrival = self._step * self._sequence
            self._heads.lower(priority, arrival, visit.host)
            self._unwritten.add(visit.host)
            if state != WAITING:
                first = self._sequence
                self._waiting += 1
        revised = stays and number not in self._moved
        self._change(
            (url, number, WAITING, priority, arrival, first, *facts, parent, via),
            self._revised if revised else self._moved,
        )

    def drop(self, url: str) -> None:
        row = self._row_in(WAITING, url)
        self._waiting -= 1
        self._unwritten.add(host_of(url))
        self._change((url, row[1], SEEN, *_NOT_QUEUED), self._moved)

    @guarded
    def of_host(self, host: str) -> list[Visit]:
        self._flush()
        rows = self.connection.execute(_OF_HOST, (_host_key(host),)).fetchall()
        self._young.update((row[0], row) for row in rows)
        return list(map(_visit_of, rows))

    def take(self, ready: Callable[[str], bool], overtake: bool) -> Visit | None:
        heads = self._heads
        while head := heads.first():
            host = head[2]
            if overtake and not ready(host):
                heads.sleep()
                continue
            row, following = self._first_of(host)
            if row is None or row[3:5] != head[:2]:
                heads.put_right(_head(row, host))
            elif overtake or ready(host):
                heads.put_right(_head(following, host))
                self._waiting -= 1
                self._unwritten.add(host)
                self._change((*row[:2], LEASED, *row[3:]), self._moved)
                return _visit_of(row)
            else:
                return None
        return None

    def put_back(self, visit: Visit) -> None:
        url, host, facts, priority, parent, via = visit
        _, number, _, _, arrival = self._row_in(LEASED, url)[:5]
        self._sequence += 1
        self._waiting += 1
        self._heads.lower(priority, arrival, host)
        self._unwritten.add(host)
        place = (priority, arrival, -self._sequence)
        self._change((url, number, WAITING, *place, *facts, parent, via), self._moved)

    def finish(self, url: str) -> None:
        row = self._row_in(LEASED, url)
        self._change((url, row[1], FINISHED, *_NOT_QUEUED), self._moved)

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

    def _row(self, url: str) -> _Row:
        row = self._young.get(url)
        if row is None:
            self._remember((url,))
            row = self._young[url]
        return row

    def _row_in(self, state: int, url: str) -> _Row:
        row = self._row(url)
        if row[2] != state:
            raise KeyError(url)
        return row

    def _remember(self, urls: Iterable[str]) -> None:
        """Have these URLs in the young generation of the cache."""
        if len(self._new) >= _BATCH:
            self._flush()
        young, old = self._young, self._old
        missing = []
        for url in urls:
            if url not in young:
                row = old.get(url)
                if row is None:
                    missing.append(url)
                else:
                    young[url] = row
        if missing:
            self._look_up(missing)

    @guarded
    def _look_up(self, urls: Iterable[str]) -> None:
        """Find URLs in the database; those that are not there get the next ids, in order."""
        rest = iter(dict.fromkeys(urls))
        while some := list(islice(rest, _LOOK_UP)):
            keys = [(_host_key(host_of(url)), fingerprint(url)) for url in some]
            rows = self.connection.execute(_look_up(len(keys)), list(chain(*keys))).fetchall()
            found = {row[0]: row for row in rows}
            for url, (host, fp) in zip(some, keys, strict=True):
                row = found.get(url)
                if row is None:
                    row = (url, self._ids, SEEN, *_NOT_QUEUED)
                    self._ids += 1
                    self._new.append((host, fp, url))
                self._young[url] = row

    @guarded
    def _first_of(self, host: str) -> list[_Row | None]:
        """The host's waiting URL that comes first, and the one after it."""
        if host in self._unwritten:
            self._flush()
        rows = self.connection.execute(_FIRST_OF_HOST, (_host_key(host),)).fetchall()
        return [*rows, None, None][:2]

    def _change(self, row: _Row, changes: dict[int, _Row]) -> None:
        """A URL's row is another now; one that is not written yet will be anyway."""
        url, number = row[:2]
        self._young[url] = row
        if number < self._stored:
            changes[number] = row
            if len(changes) >= _BATCH:
                self._flush()

    def _flush(self) -> None:
        """Write what has changed, so that queries see it; then what is old may be forgotten."""
        if self._new or self._moved or self._revised:
            self._write()
        if len(self._young) >= _GENERATION:
            self._young, self._old = {}, self._young

    @guarded
    def _write(self) -> None:
        self._begin()
        write, young = self.connection.executemany, self._young
        write(_INSERT, [(host, fp, *young[url]) for host, fp, url in self._new])
        write(_REVISE, [(*row[6:], row[1]) for row in self._revised.values()])
        write(_MOVE, [(*row[2:], row[1]) for row in self._moved.values()])
        self._stored = self._ids
        self._new.clear()
        self._revised.clear()
        self._moved.clear()
        self._unwritten.clear()


def _head(row: _Row | None, host: str) -> Head | None:
    return None if row is None else (row[3], row[4], host)


@lru_cache(_LOOK_UP)
def _look_up(count: int) -> str:
    """A query for so many pairs of host and fingerprint."""
    pairs = ", ".join(["(?, ?)"] * count)
    return (
        f"WITH wanted (h, f) AS (VALUES {pairs}) "
        f"SELECT {_COLUMNS} FROM wanted CROSS JOIN urls ON host = h AND fp = f"
    )
