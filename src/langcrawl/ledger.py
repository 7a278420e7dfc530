"""What of a crawl outlasts its process, besides the URLs: counts, hosts and their clocks.

All of it is saved in the transaction in which the frontier commits, together with the
log's batch, so that whenever the process dies they agree with each other.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from dataclasses import fields
from typing import Any

from langcrawl.counts import Counts
from langcrawl.crawl import Crawl
from langcrawl.frontier.sqlite import HostRow, SqliteFrontier
from langcrawl.politeness import HostClock

DATABASE = "frontier.db"
COUNTS = "counts"
"""The key under which the database keeps the counts of the crawl."""


class Ledger:
    """Restores a crawl from the database of its frontier, and keeps it there."""

    def __init__(self, crawl: Crawl, frontier: SqliteFrontier) -> None:
        self._crawl, self._frontier = crawl, frontier
        self._saved = ""

    def restore(self) -> None:
        """Put the crawl where an earlier run left it; hosts asked at its end rest once more."""
        crawl, clocks, now = self._crawl, self._crawl.politeness, self._crawl.web.clock.now()
        rows = {row.name: row for row in self._frontier.hosts()}
        text = self._frontier.meta(COUNTS)
        counts = _counts(json.loads(text)) if text else Counts()
        crawl.restore(counts, [(row.name, row.downloads, row.hits) for row in rows.values()])
        for host, row in rows.items():
            clocks.restore(host, HostClock(row.ready_at, row.delay, row.ip, row.failures))
        for host in self._frontier.leased_hosts:
            clocks.rest_again(host, now)

    def save(self, _: sqlite3.Connection) -> None:
        """Called within the transaction that is about to be committed."""
        crawl, changed = self._crawl, self._crawl.politeness.changed
        if changed:
            rows = []
            for host, clock in changed.items():
                tally = crawl.hosts.get(host)
                downloads, hits = (tally.downloads, tally.hits) if tally else (0, 0)
                rows.append(HostRow(host, downloads, hits, *clock))
            self._frontier.save_hosts(rows)
            changed.clear()
        counts = {each.name: getattr(crawl.counts, each.name) for each in fields(Counts)}
        text = json.dumps(counts | {"under_way": crawl.under_way})
        if text != self._saved:
            self._frontier.set_meta(COUNTS, text)
            self._saved = text


def _counts(saved: dict[str, Any]) -> Counts:
    del saved["under_way"]
    for name in ("errors", "discards", "notes"):
        saved[name] = Counter(saved[name])
    return Counts(**saved)
