"""The crawl state that is saved besides URLs and log: counts, hosts, what was learned.

All of it is saved in the transaction in which the frontier commits, together with the
log's batch, so that whenever the process dies they agree with each other.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any, Protocol

from langcrawl.crawl import Crawl
from langcrawl.politeness import HostClock
from langcrawl.records import Counts, Tally
from langcrawl.store.database import COUNTS, read_meta, write_meta
from langcrawl.store.learned import Lessons, forget_learned, read_learned

_LEARNED_BY = "learned-by"
"""The key of `meta` with the name of the strategy whose knowledge and groups are kept."""
COUNTED_BY_WORD = ("errors", "discards", "notes", "silences", "answers")
"""What `Counts` counts by words; the directories of earlier versions lack some."""
ASKED_AGAIN = "asked-again"
"""The key of `meta` with the hosts that are being asked for pages that were downloaded before."""
_TRAPS_EVERY = 20.0
"""Seconds: what points to a trap is saved so often, and what is known to be one at once."""
_SAVE_HOSTS = (
    "INSERT OR REPLACE INTO hosts (name, downloads, hits, misses, ready_at, delay, ip, failures) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
)
_ARCHIVED = (
    "INSERT INTO archives (file, bytes) VALUES (?, ?) "
    "ON CONFLICT (file) DO UPDATE SET bytes = max(bytes, excluded.bytes)"
)
"""Answers to robots.txt are no pages: the log's writer, which owns the table, knows nothing of
them."""
_LAST_BREATH = 0.5
"""Seconds for which workers may outlive a coordinator that is killed, and still send a request."""
_READ_HOSTS = "SELECT name, downloads, hits, misses, ready_at, delay, ip, failures FROM hosts"


class Memory(Protocol):
    """What knows of traps: `langcrawl.scope.CrawlScope`."""

    @property
    def found_trap(self) -> bool: ...

    def changes(self) -> Mapping[str, str]: ...

    def restore(self, memory: Iterable[tuple[str, str]]) -> None: ...


class CrawlState:
    """Restores a crawl from the database of its frontier, and keeps it there."""

    def __init__(
        self, crawl: Crawl, connection: sqlite3.Connection, memory: Memory | None = None
    ) -> None:
        self._crawl, self._connection, self._memory = crawl, connection, memory
        self._saved, self._lessons = "", Lessons()
        self._traps_saved_at = time.monotonic()

    def restore(self, leased_hosts: Iterable[str] = ()) -> int:
        """Restore the state of an earlier run; hosts asked at its end rest once more.

        Answers how many clocks of hosts were so far ahead that they had to be set anew.
        """
        crawl, clocks, now = self._crawl, self._crawl.politeness, self._crawl.web.clock.now()
        execute = self._connection.execute
        text = read_meta(self._connection, COUNTS)
        hosts, wrong = {}, 0
        for name, downloads, hits, misses, *clock in execute(_READ_HOSTS):
            hosts[name] = Tally(downloads, hits, misses)
            wrong += clocks.restore(name, HostClock(*clock), now)
        groups: dict[str, Tally] = {}
        if read_meta(self._connection, _LEARNED_BY) == crawl.ranker.name:
            crawl.ranker.restore(read_learned(self._connection))
            if crawl.ranker.grouped:
                rows = execute("SELECT name, downloads, hits, misses FROM groups")
                groups = {name: Tally(*counts) for name, *counts in rows}
        crawl.restore(_counts(json.loads(text)) if text else Counts(), hosts, groups)
        if self._memory is not None:
            self._memory.restore(execute("SELECT host, memory FROM traps"))
        asked_again = json.loads(read_meta(self._connection, ASKED_AGAIN) or "[]")
        for host in {*leased_hosts, *asked_again}:
            clocks.rest_again(host, now + _LAST_BREATH)
        return wrong

    def save(self, connection: sqlite3.Connection, *, all_of_it: bool = False) -> None:
        """Called within the transaction that is about to be committed."""
        crawl = self._crawl
        if not self._saved:
            self._forget_other_strategy(connection)
        self._save_hosts(connection)
        if crawl.changed_groups:
            tallies = [(name, crawl.groups[name]) for name in crawl.changed_groups]
            rows = [(name, tally.downloads, tally.hits, tally.misses) for name, tally in tallies]
            connection.executemany("INSERT OR REPLACE INTO groups VALUES (?, ?, ?, ?)", rows)
            crawl.changed_groups.clear()
        if learned := crawl.ranker.save():
            self._lessons.save(connection, learned)
        self._save_traps(connection, all_of_it)
        if crawl.archived:
            connection.executemany(_ARCHIVED, crawl.archived.items())
            crawl.archived.clear()
        counts = {each.name: getattr(crawl.counts, each.name) for each in fields(Counts)}
        text = json.dumps(counts | {"under_way": crawl.under_way})
        if text != self._saved:
            write_meta(connection, COUNTS, text)
            self._saved = text

    def _forget_other_strategy(self, connection: sqlite3.Connection) -> None:
        """Drop what another strategy has learned."""
        if read_meta(connection, _LEARNED_BY) != self._crawl.ranker.name:
            forget_learned(connection)
            connection.execute("DELETE FROM groups")
            write_meta(connection, _LEARNED_BY, self._crawl.ranker.name)

    def _save_hosts(self, connection: sqlite3.Connection) -> None:
        hosts, changed, none = self._crawl.hosts, self._crawl.politeness.changed, Tally()
        if changed:
            rows = []
            for name, clock in changed.items():
                tally = hosts.get(name, none)
                rows.append((name, tally.downloads, tally.hits, tally.misses, *clock))
            connection.executemany(_SAVE_HOSTS, rows)
            changed.clear()

    def _save_traps(self, connection: sqlite3.Connection, all_of_it: bool) -> None:
        memory, now = self._memory, time.monotonic()
        if memory is None:
            return
        if all_of_it or memory.found_trap or now - self._traps_saved_at >= _TRAPS_EVERY:
            rows = memory.changes().items()
            connection.executemany("INSERT OR REPLACE INTO traps VALUES (?, ?)", rows)
            self._traps_saved_at = now


def _counts(saved: dict[str, Any]) -> Counts:
    del saved["under_way"]
    for name in COUNTED_BY_WORD:
        saved[name] = Counter(saved.get(name, {}))
    if saved["pages"] and not saved["answers"]:  # from an earlier version
        failed = sum(count for word, count in saved["errors"].items() if word.isdigit())
        saved["answers"] = Counter(error=failed, text=saved["pages"] - failed)
    numbers = [value for value in saved.values() if not isinstance(value, Counter)]
    for value in saved.values():
        numbers += value.values() if isinstance(value, Counter) else ()
    if not all(type(number) in (int, float) for number in numbers):
        raise ValueError("its counts make no sense")
    return Counts(**saved)
