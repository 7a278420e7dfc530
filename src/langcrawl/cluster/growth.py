"""More shards for a crawl: only hosts of the new shards move, and only what must go with them.

What moves is what decides about a host: that its pages were downloaded, so that nobody asks for
them again, its tally and clock, and what points to a trap. Pages, links and archives stay where
they were collected. What waits is handed over by the shards themselves, as links are. Each step is
a transaction that leaves a mark, so a growth that is cut off goes on where it was.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing

from langcrawl.cluster.owners import Owners
from langcrawl.config import CrawlConfig
from langcrawl.store.database import LEASES, TAKEN, connect, read_meta, write_meta
from langcrawl.store.directory import CrawlDirectory
from langcrawl.url import host_of

_MARK = "grown-to"
"""The key of `meta` with how many shards there were when this database last gave hosts away."""
_TAKEN_FROM = "hosts-of-{source}-for-{shards}"
"""The key of `meta` of a new shard that has what another one gave it."""
_ROWS = 10_000
_HOSTS = "name, downloads, hits, ready_at, delay, ip, failures, misses"


def grow(place: CrawlDirectory, config: CrawlConfig, before: int) -> int:
    """Give hosts of the first shards to those that have come; how many hosts of these moved.

    Nothing may run meanwhile, and the databases of all shards are there.
    """
    moved = 0
    for source in range(before):
        with closing(connect(CrawlDirectory(place.part(source)).database)) as connection:
            if read_meta(connection, _MARK) == str(config.shards):
                continue
            _rest_leased(connection, config.delay)
            for goal in range(before, config.shards):
                moved += _give(place, connection, source, goal, before, config.shards)
            _let_go(connection, source, before, config.shards)
    return moved


def _rest_leased(connection: sqlite3.Connection, delay: float) -> None:
    """Hosts that were being asked when a shard died rest a full delay, wherever they go."""
    numbers = (read_meta(connection, LEASES) or "").split()
    find = "SELECT url FROM urls WHERE id = ?"
    connection.execute("BEGIN")
    for number in numbers:
        host = host_of(connection.execute(find, (int(number),)).fetchone()[0])
        connection.execute(
            f"INSERT INTO hosts ({_HOSTS}) VALUES (?, 0, 0, ?, 0, '', 0, 0) ON CONFLICT DO UPDATE "
            "SET ready_at = max(ready_at, excluded.ready_at + delay)",
            (host, time.time() + delay),
        )
    connection.execute("COMMIT")


def _give(
    place: CrawlDirectory,
    connection: sqlite3.Connection,
    source: int,
    goal: int,
    before: int,
    after: int,
) -> int:
    """Write to a new shard what it is to know of its hosts, in one transaction."""
    key = _TAKEN_FROM.format(source=source, shards=after)
    path = CrawlDirectory(place.part(goal)).database
    with closing(connect(path)) as to:
        if read_meta(to, key) is not None:
            return 0
        to.execute("BEGIN")
        (first,) = to.execute("SELECT coalesce(max(id) + 1, 0) FROM urls").fetchone()
        leased = set((read_meta(connection, LEASES) or "").split())
        new, old = Owners(after), Owners(before)
        for url, row in _taken(connection):
            host = host_of(url)
            if new.of(host) == goal and old.of(host) == source and str(row[2]) not in leased:
                marks = ", ".join("?" * len(row))
                done = to.execute(
                    f"INSERT OR IGNORE INTO known VALUES ({marks})", (*row[:2], first, *row[3:])
                )
                if done.rowcount:
                    to.execute("INSERT INTO urls VALUES (?, ?)", (first, url))
                    first += 1
        hosts = 0
        for row in connection.execute(f"SELECT {_HOSTS} FROM hosts").fetchall():
            if new.of(row[0]) == goal and old.of(row[0]) == source:
                marks = ", ".join("?" * len(row))
                to.execute(f"INSERT OR REPLACE INTO hosts ({_HOSTS}) VALUES ({marks})", row)
                hosts += 1
        for name, memory in connection.execute("SELECT host, memory FROM traps").fetchall():
            if new.of(name.removeprefix("*.")) == goal:
                to.execute("INSERT OR REPLACE INTO traps VALUES (?, ?)", (name, memory))
        write_meta(to, key, str(hosts))
        to.execute("COMMIT")
    return hosts


def _taken(connection: sqlite3.Connection) -> Iterator[tuple[str, tuple[object, ...]]]:
    """The URLs that were handed out, and their rows without a parent: its id is another there."""
    columns = [name for _, name, *_ in connection.execute("PRAGMA table_info(known)")]
    wanted = ", ".join("NULL" if name == "parent" else f'k."{name}"' for name in columns)
    rows = connection.execute(
        f"SELECT u.url, {wanted} FROM known AS k JOIN urls AS u USING (id) WHERE state = {TAKEN}"
    )
    while some := rows.fetchmany(_ROWS):
        for url, *row in some:
            yield url, tuple(row)


def _let_go(connection: sqlite3.Connection, source: int, before: int, after: int) -> None:
    """Forget the tallies and clocks of hosts that have moved, in one transaction."""
    new = Owners(after)
    connection.execute("BEGIN")
    for table, column in (("hosts", "name"), ("traps", "host")):
        names = [row[0] for row in connection.execute(f"SELECT {column} FROM {table}")]
        gone = [(name,) for name in names if new.of(name.removeprefix("*.")) >= before]
        connection.executemany(f"DELETE FROM {table} WHERE {column} = ?", gone)
    write_meta(connection, _MARK, str(after))
    connection.execute("COMMIT")
