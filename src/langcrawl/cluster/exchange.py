"""A shard's side of the exchange: links for others go out, links of others come in.

Links to hosts of others stand in the table `outbox` from the commit on that has the page on which
they were found. They are sent until their receiver says that it has committed them. It commits how
far it has come (`exchanged`) together with what it makes of the links, takes each batch only as
the next one, and so knows one that comes twice. Whatever dies, nothing is lost or taken twice.
"""

from __future__ import annotations

import sqlite3
import time
from collections import Counter, deque
from typing import Any

from langcrawl.changes import Changes
from langcrawl.cluster.messages import Ack, Allow, Batch, Channel, Order, Report, Start, Stop
from langcrawl.cluster.owners import Owners
from langcrawl.cluster.wire import as_text, columns_for, pack, unpack
from langcrawl.crawl import Crawl
from langcrawl.frontier.sqlite import SqliteFrontier
from langcrawl.records import Found, Links
from langcrawl.store.control import Command

_TABLES = (
    "CREATE TABLE IF NOT EXISTS outbox (shard INTEGER, number INTEGER, offers TEXT NOT NULL, "
    "PRIMARY KEY (shard, number)) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS exchanged (shard INTEGER PRIMARY KEY, sent INTEGER NOT NULL, "
    "received INTEGER NOT NULL)",
)
_NEXT = "SELECT number, offers FROM outbox WHERE shard = ? AND number > ? ORDER BY number LIMIT ?"
_WINDOW = 64
"""Batches to one receiver that are under way at a time."""
_AGAIN = 5.0
"""Seconds without news from a receiver after which it is sent the same again."""
_BLINK = 0.2
"""Seconds to wait for a message while there is nothing to do, and between two reports."""
_AT_ONCE = 64
"""Messages that are taken between two turns of the loop."""
_REMEMBERED = 1 << 18
"""Links that are known to have been handed over."""
_STRAYS = 1_000
"""URLs of hosts that have moved that are handed over in one transaction."""
_SLOTS = 10_000
"""Numbers of workers for each shard."""
_LEAST_NEWS, _MOST_NEWS = 20, 10_000
"""What was learned is told when there are a tenth more pages than the last time, within these."""


class Exchange:
    """What makes a crawl one shard of several (`langcrawl.run.Part`)."""

    def __init__(self, start: Start, channel: Channel) -> None:
        self.number, self.first_slot = start.number, start.number * _SLOTS
        self._owners, self._channel = Owners(start.shards), channel
        self._allowed, self._order = start.allowed, 0
        self._crawl: Crawl | None = None
        self._changes: Changes | None = None
        self._columns: tuple[str, ...] = ()
        self._others = [shard for shard in range(start.shards) if shard != start.number]
        self._share_at = 0.0
        """So many pages must be there before the others are told again what was learned."""
        self._pending: dict[int, list[list[Any] | str]] = {}
        """Links for each receiver, and what was learned, since the last commit."""
        self._handed: set[tuple[Any, ...]] | None = None
        self._saved: Counter[int] = Counter()
        """The last batch for each receiver that is committed."""
        self._sent: Counter[int] = Counter()
        self._acked: Counter[int] = Counter()
        self._deleted: Counter[int] = Counter()
        self._news: dict[int, float] = {}
        """When each receiver was last heard of, or first sent something."""
        self._received: Counter[int] = Counter()
        """The last batch of each sender that was taken."""
        self._committed: Counter[int] = Counter()
        self._told: Counter[int] = Counter()
        """The last batch of each sender that is committed, and of which it knows that."""
        self._heard = 0
        self._come: deque[Batch] = deque()
        """Batches of others that wait until visits are under way."""
        self._idle, self._resting = "", False
        self._stopping = False
        self._report: Report | None = None
        self._reported_at = 0.0

    def join(self, crawl: Crawl, frontier: SqliteFrontier, changes: Changes) -> None:
        self._crawl, self._changes = crawl, changes
        self._connection = frontier.connection
        ranker = crawl.ranker
        self._columns = columns_for(ranker)
        if ranker.rank_facts is not None and not ranker.gathers and not ranker.watches:
            self._handed = set()  # such a rule says the same of the same link every time
        for table in _TABLES:
            self._connection.execute(table)
        for shard, sent, received in self._connection.execute("SELECT * FROM exchanged"):
            self._saved[shard] = sent
            self._received[shard] = self._committed[shard] = self._told[shard] = received
        self._sent.update(self._saved)
        for shard, first in self._connection.execute(
            "SELECT shard, min(number) FROM outbox GROUP BY shard"
        ):
            self._sent[shard] = first - 1
        self._acked.update(self._sent)
        self._deleted.update(self._sent)
        self._share_at = crawl.counts.pages + _next_share(crawl.counts.pages)
        self._hand_over_strays(frontier)

    def _hand_over_strays(self, frontier: SqliteFrontier) -> None:
        """What waits here for hosts that have moved to new shards goes there, as links do."""
        handed = 0
        for host in list(frontier.hosts()):
            owner = self._owners.of(host)
            if owner == self.number:
                continue
            for visit in frontier.of_host(host):
                links = Links((visit.url,))
                how = (visit.parent, visit.found_by, False, visit.hops)
                self._hand_over(owner, Found(links, visit.facts, *how))
                frontier.drop(visit.url)
                handed += 1
                if handed % _STRAYS == 0:
                    frontier.commit()
        if handed:
            frontier.commit()

    def keep(self, found: Found) -> Links:
        links, mine, owner_of = found.links, self.number, self._owners.of
        owners = [owner_of(url.split("/", 3)[2]) for url in links.urls]
        if owners.count(mine) == len(owners):
            return links
        if found.found_by != "seed":  # every shard is given all seeds
            for owner in sorted(set(owners) - {mine}):
                places = [at for at, its in enumerate(owners) if its == owner]
                self._hand_over(owner, found._replace(links=links.at(places)))
        return links.at([at for at, owner in enumerate(owners) if owner == mine])

    def _hand_over(self, owner: int, found: Found) -> None:
        handed = self._handed
        if handed is not None:
            about = (found.origin, found.found_by, found.hops)
            new = [url for url in dict.fromkeys(found.links.urls) if (url, *about) not in handed]
            if len(handed) >= _REMEMBERED:
                handed.clear()
            handed.update((url, *about) for url in new)
            if not new:
                return
            found = found._replace(links=Links(new))
        self._pending.setdefault(owner, []).append(pack(found, self._columns))

    def owns(self, host: str) -> bool:
        """Whether a host is this shard's."""
        return self._owners.of(host) == self.number

    def room(self, begun: int) -> float:
        return self._allowed - begun

    def save(self, connection: sqlite3.Connection) -> None:
        execute = connection.execute
        for shard, rows in self._pending.items():
            self._saved[shard] += 1
            execute(
                "INSERT INTO outbox VALUES (?, ?, ?)", (shard, self._saved[shard], as_text(rows))
            )
        changed = self._pending.keys() | (self._received - self._committed).keys()
        for shard in changed:
            state = (shard, self._saved[shard], self._received[shard])
            execute("INSERT OR REPLACE INTO exchanged VALUES (?, ?, ?)", state)
        for shard, number in (self._acked - self._deleted).items():
            execute(
                "DELETE FROM outbox WHERE shard = ? AND number <= ?", (shard, self._acked[shard])
            )
            self._deleted[shard] += number
        self._pending = {}
        self._committed = self._received.copy()

    def turn(self) -> bool:
        """Take what has come, send what is committed; whether the crawl is to stop.

        The loop asks once in every turn, after its commit and before it begins visits. So links
        of others wait until it has, unless there is nothing else to do.
        """
        for _ in range(_AT_ONCE):
            if not self._channel.poll(0.0):
                break
            self._take(self._channel.receive())
        if self._crawl is not None and not self._crawl.under_way:
            self.meanwhile()
        self._share()
        self._send()
        self._tell_how_it_stands("" if not self._resting else self._idle)
        self._resting = False
        return self._stopping

    def meanwhile(self) -> None:
        """Take in the links of others: after visits have begun, so that none waits for that."""
        while self._come:
            self._take_in(self._come.popleft())

    def _share(self) -> None:
        """Tell all others what was learned; it goes with the next commit, as links do."""
        assert self._crawl is not None
        pages = self._crawl.counts.pages
        if pages < self._share_at:
            return
        self._share_at = pages + _next_share(pages)
        if learned := self._crawl.ranker.share():
            for shard in self._others:
                self._pending.setdefault(shard, []).append(learned)

    def rest(self, why: str) -> None:
        self._idle, self._resting = why, True
        self._send()
        self._tell_how_it_stands(why)
        self._channel.poll(_BLINK)

    def _take(self, message: Any) -> None:
        assert self._crawl is not None
        if isinstance(message, Batch):
            self._come.append(message)
        elif isinstance(message, Ack):
            self._news[message.receiver] = time.monotonic()
            self._acked[message.receiver] = max(message.number, self._acked[message.receiver])
            self._sent[message.receiver] = max(message.number, self._sent[message.receiver])
        elif isinstance(message, Allow):
            begun = self._crawl.counts.pages + self._crawl.under_way
            self._allowed, self._order = max(message.pages, begun), message.order
            self._resting = False
        elif isinstance(message, Order):
            assert self._changes is not None
            Command(message.do, message.about).take(self._changes.obey)
        elif isinstance(message, Stop):
            self._stopping = True

    def _take_in(self, batch: Batch) -> None:
        assert self._crawl is not None
        self._heard += 1
        self._resting = False
        sender, number = batch.sender, batch.number
        if number == self._received[sender] + 1:
            for row in unpack(batch.offers):
                if isinstance(row, str):
                    self._crawl.ranker.take_in(row)
                else:
                    self._crawl.offer(row)
            self._received[sender] = number
        elif number <= self._committed[sender]:
            self._told[sender] = number - 1  # it does not know: tell it again

    def _send(self) -> None:
        """Send batches and acknowledge others; all that is committed, and nothing else."""
        for sender, number in self._committed.items():
            if number > self._told[sender]:
                self._channel.send(Ack(sender, self.number, number))
                self._told[sender] = number
        now = time.monotonic()
        for receiver, last in self._saved.items():
            acked = self._acked[receiver]
            if self._sent[receiver] > acked and now - self._news.get(receiver, now) > _AGAIN:
                self._sent[receiver], self._news[receiver] = acked, now
            room = _WINDOW - (self._sent[receiver] - acked)
            if self._sent[receiver] == last or room <= 0:
                continue
            if self._sent[receiver] == acked:
                self._news[receiver] = now
            after = (receiver, self._sent[receiver], room)
            for number, offers in self._connection.execute(_NEXT, after).fetchall():
                self._channel.send(Batch(self.number, receiver, number, offers))
                self._sent[receiver] = number

    def _tell_how_it_stands(self, idle: str) -> None:
        assert self._crawl is not None
        crawl, now = self._crawl, time.monotonic()
        counts = crawl.counts
        unsent = (self._saved - self._acked).total() + len(self._pending)
        report = Report(
            self._heard, unsent, idle, counts.pages + crawl.under_way, counts.pages, counts.bytes,
            counts.requests, self._order, self._allowed,
        )  # fmt: skip
        before = self._report
        if report == before:
            return
        is_news = before is None or (report.idle, report.order) != (before.idle, before.order)
        if is_news or idle or now - self._reported_at >= _BLINK:
            self._channel.send(report)
            self._report, self._reported_at = report, now


def _next_share(pages: int) -> int:
    """Pages until what was learned is told again: often at first, when all is new."""
    return max(_LEAST_NEWS, min(pages // 10, _MOST_NEWS))
