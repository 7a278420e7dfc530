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
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

from langcrawl.errors import BrokenLog
from langcrawl.frontier import statements as sql
from langcrawl.frontier.database import (
    FINISHED,
    LEASED,
    SEEN,
    WAITING,
    Checkpoints,
    connect,
    fingerprints,
    guarded,
    set_up,
)
from langcrawl.frontier.heads import Head, Heads
from langcrawl.ports import Standing, unknown
from langcrawl.records import Facts, Visit
from langcrawl.url import host_of

_GENERATION = 1 << 17
"""URLs in a generation of the cache."""
_BATCH = 16
"""Changed URLs that are written together: more would make one `take` wait for them."""
_LOOK_UP = 64
"""URLs that are looked up in one query."""

_NOT_QUEUED = (SEEN, *[None] * (3 + len(sql.FACTS)))
_Values = tuple[Any, ...]
_Key = tuple[int, int]
"""The fingerprints of a URL's host and of the URL."""
_Known = tuple[int, _Key, Standing | None]
"""The id of a URL, its key, and how it stands unless it is taken. Plain tuples of texts and
numbers: many are kept, and the garbage collector never has to look at one again."""
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


def _visit_of(row: _Values) -> Visit:
    """The visit in a row of `_VISITS`."""
    url = row[0]
    return Visit(url, host_of(url), Facts._make(row[5:-2]), row[3], row[-2], row[-1])


def _standing_of(visit: Visit) -> Standing:
    run, depth, _, _, _, _, _, _, _, anchor_score, parent_share, _ = visit[2]
    return visit[0], visit[3], run, depth, anchor_score, parent_share


@lru_cache(1 << 14)
def _host_key(host: str) -> int:
    return fingerprints((host,))[0]


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
        self._checkpoints = Checkpoints(path)
        self._step = -1 if last_first else 1
        self._young: dict[str, _Known] = {}
        self._old: dict[str, _Known] = {}
        self._leased: dict[str, int] = {}
        """The arrival of the URLs that are taken and not answered."""
        self._new: dict[int, tuple[str, _Values]] = {}
        self._changed: dict[int, tuple[str, _Values]] = {}
        """URLs that the database does not know yet as they are, by id: a change of each."""
        self._unwritten: set[int] = set()
        """Hosts of which the database does not know yet what waits, where, and why."""
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
        self._ids = 0 if last is None else last + 1
        self._counters = self.meta("counters") or "0 0"
        self._sequence, self._waiting = map(int, self._counters.split())
        self._end_leases()
        host = _BEFORE_ALL_HOSTS
        while row := self.connection.execute(sql.NEXT_HOST, (host,)).fetchone():
            host, priority, arrival, url = row
            self._heads.lower(priority, arrival, host_of(url))

    def _end_leases(self) -> None:
        """URLs that were taken when the process died wait again, in the place they had."""
        leased = self.connection.execute(
            "SELECT url FROM known JOIN urls USING (id) WHERE state = 2"
        ).fetchall()
        if leased:
            self.leased_hosts = sorted({host_of(url) for (url,) in leased})
            self._waiting += len(leased)
            self._sequence += 1
            self._begin()
            self.connection.execute(
                "UPDATE known SET state = 1, first = ? WHERE state = 2", (-self._sequence,)
            )

    def __len__(self) -> int:
        return self._waiting

    def id_of(self, url: str) -> int:
        """The number of this URL; cheap for one that was met lately."""
        return self._known(url)[0]

    def url_of(self, number: int) -> str:
        """The URL of this number, once it is committed."""
        row = self.connection.execute("SELECT url FROM urls WHERE id = ?", (number,)).fetchone()
        return str(row[0])

    def untaken(self, urls: Iterable[str]) -> list[Standing]:
        urls = list(urls)
        self._remember(urls)
        young = self._young
        return [standing for url in urls if (standing := young[url][2]) is not None]

    def put(self, visit: Visit) -> None:
        url, host, facts, priority, parent, via = visit
        reached = (*facts, self._known(parent)[0] if parent else None, via)
        number, key, before = self._known(url)
        assert before is not None, url
        self._young[url] = number, key, _standing_of(visit)
        if priority == before[1]:
            self._change(number, key, sql.RELATE, reached)
            return
        self._sequence += 1
        arrival = self._step * self._sequence
        self._heads.lower(priority, arrival, host)
        if before[1] < inf:
            self._change(number, key, sql.MOVE, (priority, arrival, *reached))
            return
        self._waiting += 1
        place = (priority, arrival, self._sequence, *reached)
        if number in self._new:
            self._new[number] = url, (*key, number, WAITING, *place)
            self._unwritten.add(key[0])
        else:
            self._change(number, key, sql.QUEUE, place)

    def revise(self, standing: Standing) -> None:
        url = standing[0]
        number, key, _ = self._known(url)
        self._young[url] = number, key, standing
        self._change(number, key, sql.REVISE, standing[2:])

    def drop(self, url: str) -> None:
        number, key, standing = self._known(url)
        if standing is None or standing[1] == inf:
            raise KeyError(url)
        self._waiting -= 1
        self._young[url] = number, key, unknown(url)
        self._change(number, key, sql.TURN, (SEEN,))

    @guarded
    def of_host(self, host: str) -> list[Visit]:
        self._flush()
        host_key = _host_key(host)
        rows = self.connection.execute(sql.OF_HOST, (host_key,)).fetchall()
        visits = list(map(_visit_of, rows))
        for row, visit in zip(rows, visits, strict=True):
            self._young[visit.url] = row[1], (host_key, row[2]), _standing_of(visit)
        return visits

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
                self._lease(row, host)
                return _visit_of(row)
            else:
                return None
        return None

    def _lease(self, row: _Values, host: str) -> None:
        url, number, fp, _, arrival = row[:5]
        key = (_host_key(host), fp)
        self._waiting -= 1
        self._young[url] = number, key, None
        self._leased[url] = arrival
        self._change(number, key, sql.TURN, (LEASED,))

    def put_back(self, visit: Visit) -> None:
        url = visit.url
        arrival = self._leased.pop(url)
        number, key, _ = self._known(url)
        self._sequence += 1
        self._waiting += 1
        self._heads.lower(visit.priority, arrival, visit.host)
        self._young[url] = number, key, _standing_of(visit)
        self._change(number, key, sql.RETURN, (-self._sequence,))

    def finish(self, url: str) -> None:
        del self._leased[url]
        number, key, _ = self._known(url)
        self._change(number, key, sql.TURN, (FINISHED,))

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
        self._checkpoints.after_commit(self.connection)

    def close(self) -> None:
        """Release the file; what was not committed is lost."""
        self._checkpoints.close()
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

    def _known(self, url: str) -> _Known:
        known = self._young.get(url)
        if known is None:
            self._remember((url,))
            known = self._young[url]
        return known

    def _remember(self, urls: Iterable[str]) -> None:
        """Have these URLs in the young generation of the cache."""
        if len(self._new) >= _BATCH:
            self._flush()
        young, old = self._young, self._old
        missing = [url for url in urls if url not in young]
        young.update((url, old[url]) for url in missing if url in old)
        self._look_up([url for url in missing if url not in young])

    @guarded
    def _look_up(self, urls: Iterable[str]) -> None:
        """Find URLs in the database; those that are not there get the next ids, in order."""
        rest = iter(dict.fromkeys(urls))
        young = self._young
        while some := list(islice(rest, _LOOK_UP)):
            keys = [
                (_host_key(host_of(url)), fp)
                for url, fp in zip(some, fingerprints(some), strict=True)
            ]
            rows = self.connection.execute(sql.look_up(len(keys)), list(chain(*keys))).fetchall()
            found = {row[0]: row for row in rows}
            for url, key in zip(some, keys, strict=True):
                row = found.get(key[1])
                if row is None:
                    number = self._ids
                    self._ids += 1
                    self._new[number] = url, (*key, number, *_NOT_QUEUED)
                    young[url] = number, key, unknown(url)
                elif row[2] == WAITING:
                    young[url] = row[1], key, (url, *row[3:])
                else:
                    young[url] = row[1], key, unknown(url) if row[2] == SEEN else None

    @guarded
    def _first_of(self, host: str) -> list[_Values | None]:
        """The host's waiting URL that comes first, and the one after it."""
        host_key = _host_key(host)
        if host_key in self._unwritten:
            self._flush()
        rows = self.connection.execute(sql.FIRST_OF_HOST, (host_key,)).fetchall()
        return [*rows, None, None][:2]

    def _change(self, number: int, key: _Key, statement: str, values: _Values) -> None:
        """Have a URL's row changed; a change that was there before is written first."""
        if number in self._new or number in self._changed:
            self._flush()
        self._changed[number] = statement, (*values, *key)
        self._unwritten.add(key[0])
        if len(self._changed) >= _BATCH:
            self._flush()

    def _flush(self) -> None:
        """Write what has changed, so that queries see it; then what is old may be forgotten."""
        if self._new or self._changed:
            self._write()
        if len(self._young) >= _GENERATION:
            self._young, self._old = {}, self._young

    @guarded
    def _write(self) -> None:
        new, changed = self._new, self._changed
        self._begin()
        write = self.connection.executemany
        if new:
            write(sql.INSERT_TEXT, [(number, url) for number, (url, _) in new.items()])
            write(sql.INSERT, [values for _, values in new.values()])
        for statement in {statement for statement, _ in changed.values()}:
            write(statement, [values for its, values in changed.values() if its is statement])
        new.clear()
        changed.clear()
        self._unwritten.clear()


def _head(row: _Values | None, host: str) -> Head | None:
    return None if row is None else (row[3], row[4], host)
