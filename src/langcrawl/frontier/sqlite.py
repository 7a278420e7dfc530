"""The frontier on disk: what was committed survives any end of the process.

The URLs are kept by `langcrawl.frontier.url_table`; this is the queue. Memory holds one small entry
for each host with URLs waiting. Changes last from the next `commit` on; moves of waiting URLs take
longer to be written, but last as well (`langcrawl.frontier.moves`).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from math import inf
from pathlib import Path

from langcrawl.errors import BrokenLog
from langcrawl.frontier import statements as sql
from langcrawl.frontier.ahead import Ahead, Next
from langcrawl.frontier.heads import Heads, read_heads
from langcrawl.frontier.moves import Move
from langcrawl.frontier.rows import queue_state_of, visit_of
from langcrawl.frontier.url_table import LOOK_UP
from langcrawl.frontier.waiting import WaitingUrls
from langcrawl.ports import QueueState, not_waiting
from langcrawl.records import Visit
from langcrawl.store.database import (
    COUNTERS,
    LEASES,
    NONSENSE,
    SEEN,
    TAKEN,
    WAITING,
    Checkpoints,
    damaged,
    fingerprints,
    guarded,
    read_meta,
    undamaged,
    write_meta,
)
from langcrawl.url import host_of

_AT_ONCE = 1 << 12
"""Moves that are written between two commits when all are."""
_AHEAD = 16
"""Waiting URLs of a host that are read at once where each is reconsidered before it is taken: then
several are looked at in turn."""
_make = tuple.__new__
"""Makes a record of its values in a third of the time of its name."""
_GROUPED_BY = "grouped-by"
"""The key of `meta` with the name of the strategy that named the groups of URLs."""


class SqliteFrontier(WaitingUrls):
    """A `Frontier` in a SQLite file, with an id for every URL that it ever met.

    Ids are dense from 0 in the order of first sight. One connection and one transaction:
    all that happened since the last `commit` is kept or lost together, and so is whatever
    the functions in `at_commit` write, which are called just before its end.
    """

    def __init__(
        self,
        path: Path,
        last_first: bool = False,
        group_of: Callable[[str, str], str] | None = None,
        grouped_by: str | None = None,
        durable: bool = False,
    ) -> None:
        """`group_of` names the group of a URL, from it and its host (None: the host), and
        `grouped_by` names that function: when it changes, waiting URLs are grouped anew. None:
        whoever opens this ranks nothing, and leaves the groups as they are."""
        super().__init__(path, durable, group_of)
        self._grouped_by = grouped_by
        self.at_commit: list[Callable[[sqlite3.Connection], None]] = []
        self.leased_hosts: list[str] = []
        """Hosts that the process before was asking when it died; each is due a full delay."""
        self._checkpoints = Checkpoints(path)
        self._step = -1 if last_first else 1
        self._leased: dict[str, tuple[int, int]] = {}
        """The ids and arrivals of the URLs that are taken and not answered."""
        self._heads = Heads()
        self._kept: dict[str, str] = {}
        """What `meta` says of this since it was opened."""
        try:
            self._open()
        except sqlite3.OperationalError:
            raise
        except NONSENSE as error:
            self.connection.close()
            raise BrokenLog(damaged(path, error)) from None

    @guarded
    def _open(self) -> None:
        self._open_urls()
        counters = read_meta(self.connection, COUNTERS) or "0 0"
        self._sequence, self._waiting = map(int, counters.split())
        if self._first_waiting is not None:
            read_heads(self._heads, self._first_waiting, self.connection)
            self._first_waiting = None
        self._end_leases()
        name, before = self._grouped_by, read_meta(self.connection, _GROUPED_BY) or ""
        if name is not None and name != before:
            self._group_anew(name)

    def _group_anew(self, name: str) -> None:
        """Put the waiting URLs into the groups of another strategy than before."""
        self._begin()
        rows = []
        for host, fp, url in self.connection.execute(sql.ALL_WAITING).fetchall():
            rows.append((self._group_key(url, host_of(url)), host, fp))
        self.connection.executemany(sql.GROUP, rows)
        write_meta(self.connection, _GROUPED_BY, name)

    def _end_leases(self) -> None:
        """URLs that were taken when the process died wait again, in the place they had."""
        urls = [
            self.url_of(int(number))
            for number in (read_meta(self.connection, LEASES) or "").split()
        ]
        if urls:
            self.leased_hosts = sorted({host_of(url) for url in urls})
            self._waiting += len(urls)
            self._sequence += 1
            self._begin()
        for url, fp in zip(urls, fingerprints(urls, self._seed), strict=True):
            key = self._key(url, fp)
            self.connection.execute(sql.END_LEASE, (-self._sequence, *key))
            (row,) = self.connection.execute(sql.look_up(1), key)
            self._note(url, row[1], fp, QueueState(url, *row[3:]))
            ((arrival,),) = self.connection.execute(sql.ARRIVAL, key)
            self._check_place(row[3], arrival)
            self._heads.lower(row[3], arrival, host_of(url))

    def __len__(self) -> int:
        return self._waiting

    def lookup(self, urls: Iterable[str]) -> list[QueueState]:
        return [state for _, _, state in self._all_known(list(urls)) if state is not None]

    def put(self, visit: Visit) -> None:
        url, host, facts, priority, parent = visit[:5]
        parent_number = self._known(parent)[0] if parent else None
        number, fp, before = self._known(url)
        assert before is not None, url
        if before[1] < inf and priority != before[1]:
            self._move(number, fp, parent_number, visit)
            return
        self._note(url, number, fp, queue_state_of(visit))
        key, ahead = (self._host_key(host), fp), self._ahead.of(host)
        if priority == before[1]:
            self._change(number, key, sql.RELATE, (*facts, parent_number, *visit[5:10]))
            if ahead is not None:
                ahead.change(visit, parent_number)
            return
        self._waiting += 1
        self._sequence += 1
        arrival = self._step * self._sequence
        self._heads.lower(priority, arrival, host)
        if ahead is not None:
            ahead.put(_make(Next, (priority, arrival, number, fp, parent_number, visit)))
        place = (priority, arrival, self._sequence, *facts, parent_number, *visit[5:10])
        if number in self._new:
            group = self._group_key(url, host)
            self._new[number] = url, (*key, number, group, WAITING, *place)
            self._unwritten.add(key[0])
        else:
            self._change(number, key, sql.QUEUE, (self._group_key(url, host), *place))

    def _move(self, number: int, fp: int, parent: int | None, visit: Visit) -> None:
        """Give a waiting URL another priority."""
        url, host, facts, priority = visit[:4]
        self._note(url, number, fp, queue_state_of(visit))
        self._sequence += 1
        arrival = self._step * self._sequence
        self._heads.lower(priority, arrival, host)
        if (ahead := self._ahead.of(host)) is not None:
            ahead.put(_make(Next, (priority, arrival, number, fp, parent, visit)))
        if number in self._new or parent in self._new or number in self._changed:
            self._flush()  # a move speaks of rows that are there
        key = (self._host_key(host), fp)
        self._moves.add(_make(Move, (priority, arrival, facts, parent, *visit[5:10], *key)))

    def _wait_on(self, ahead: Ahead, first: Next, later: float) -> None:
        """Give the URL that comes first on its host a later priority: `_move`, for what comes by
        the dozen. It is no new bound of its host."""
        _, _, number, fp, parent, visit = first
        url, host, facts = visit[:3]
        state = (url, later, facts[0], facts[1], facts[9], facts[10])
        self._note(url, number, fp, _make(QueueState, state))
        self._sequence += 1
        arrival = self._step * self._sequence
        visit = _make(Visit, (url, host, facts, later, *visit[4:]))
        ahead.wait_on(_make(Next, (later, arrival, number, fp, parent, visit)))
        if number in self._new or parent in self._new or number in self._changed:
            self._flush()  # a move speaks of rows that are there
        way = (*visit[5:10], self._host_key(host), fp)
        self._moves.add(_make(Move, (later, arrival, facts, parent, *way)))

    def revise(self, state: QueueState, evidence: str | None = None) -> None:
        url = state[0]
        number, fp, _ = self._known(url)
        self._note(url, number, fp, state)
        if (ahead := self._ahead.of(host_of(url))) is not None:
            ahead.revise(state, evidence)
        if evidence is None:
            self._change(number, self._key(url, fp), sql.REVISE, state[2:])
        else:
            values = (*state[2:], evidence)
            self._change(number, self._key(url, fp), sql.REVISE_EVIDENCE, values)

    @guarded
    def evidence(self, urls: Iterable[str]) -> list[str]:
        self._flush()
        urls = list(urls)
        keys = [self._key(url, fp) for url, fp in zip(urls, self._fps(urls), strict=True)]
        for host in {key[0] for key in keys if key in self._moves}:
            self._write_moves(host)
        found: dict[int, str] = {}
        for first in range(0, len(keys), LOOK_UP):
            some = keys[first : first + LOOK_UP]
            found.update(self.connection.execute(sql.evidence_of(len(some)), list(chain(*some))))
        return [found.get(fp) or "" for _, fp in keys]

    def _fps(self, urls: Sequence[str]) -> list[int]:
        return fingerprints(urls, self._seed)

    def drop(self, url: str) -> None:
        number, fp, state = self._known(url)
        if state is None or state[1] == inf:
            raise KeyError(url)
        self._waiting -= 1
        self._not_ahead(url)
        self._note(url, number, fp, not_waiting(url))
        self._change(number, self._key(url, fp), sql.TURN, (SEEN,))

    def waiting(self) -> Iterator[QueueState]:
        self.write_all()
        for url, *state in self.connection.execute(sql.STATES):
            yield QueueState(url, *state)

    def take(
        self,
        ready: Callable[[str], bool],
        overtake: bool,
        reconsider: Callable[[Visit], float] | None = None,
    ) -> Visit | None:
        heads = self._heads
        while head := heads.first():
            host = head[2]
            if overtake and not ready(host):
                heads.sleep()
                continue
            ahead = self._looked_ahead(host, _AHEAD if reconsider else 2)
            first = ahead.first
            if first is None or first[:2] != head[:2]:
                heads.put_right(ahead.head(host))
            elif overtake or ready(host):
                _, arrival, number, fp, _, visit = first
                if reconsider and (later := reconsider(visit)) > visit[3]:
                    self._wait_on(ahead, first, later)
                    heads.put_right(ahead.head(host))
                    continue
                self._lease(visit, number, fp, arrival)
                heads.put_right(ahead.head(host))
                return visit
            else:
                return None
        return None

    @guarded
    def take_url(self, url: str) -> Visit | None:
        _, fp, state = self._known(url)
        if state is None or state[1] == inf:
            return None
        self._flush()
        key = self._key(url, fp)
        self._write_moves(key[0])
        row = self.connection.execute(sql.ONE, key).fetchone()
        with undamaged(self._path, ValueError, TypeError):
            visit = visit_of(row)
        self._lease(visit, row[1], fp, row[4])
        return visit

    @guarded
    def waiting_at(self, place: float) -> str:
        number = int(place * self._ids)
        if number in self._new:
            url = self._new[number][0]
        else:
            found = self.connection.execute("SELECT url FROM urls WHERE id = ?", (number,))
            url = (found.fetchone() or ("",))[0]
        state = self._known(url)[2] if url else None
        return url if state is not None and state[1] < inf else ""

    def _lease(self, visit: Visit, number: int, fp: int, arrival: int) -> None:
        url, host = visit[:2]
        self._waiting -= 1
        self._not_ahead(url)
        self._note(url, number, fp, None)
        self._leased[url] = number, arrival
        key = (self._host_key(host), fp)
        if (move := self._moves.pop(key)) is None:
            self._change(number, key, sql.TURN, (TAKEN,))
        else:
            self._change(number, key, sql.MOVE_AND_TAKE, move.row()[:-2])

    def put_back(self, visit: Visit) -> None:
        url, parent = visit.url, visit.parent
        _, arrival = self._leased.pop(url)
        number, fp, _ = self._known(url)
        self._sequence += 1
        self._waiting += 1
        self._heads.lower(visit.priority, arrival, visit.host)
        if (ahead := self._ahead.of(visit.host)) is not None:
            parent_number = self._known(parent)[0] if parent else None
            ahead.put(Next(visit.priority, arrival, number, fp, parent_number, visit))
        self._note(url, number, fp, queue_state_of(visit))
        self._change(number, self._key(url, fp), sql.RETURN, (-self._sequence, visit.tries))

    def finish(self, url: str) -> None:
        del self._leased[url]

    def claim(self, visit: Visit) -> bool:
        """Take this very URL, as if its turn had come; False where it has been taken before.

        For pages that were downloaded by a process of which the database knows nothing.
        """
        url = visit.url
        if self._known(url)[2] is None:
            return False
        self.put(visit)
        number, fp, _ = self._known(url)
        self._lease(visit, number, fp, 0)
        return True

    def hosts(self) -> Iterator[str]:
        return self._heads.hosts()

    def park(self, host: str) -> None:
        self._heads.park(host)

    def wake(self, hosts: Iterable[str]) -> None:
        for host in hosts:
            self._heads.wake(host)

    @guarded
    def write_all(self) -> None:
        """Write and commit all moves: the next opening finds nothing to do."""
        self.commit()
        while len(self._moves):
            self._begin()
            most = len(self._moves) - _AT_ONCE
            while len(self._moves) > max(0, most):
                self._moves.write_region(self.connection)
            self.commit()
        self._begin()
        self.connection.execute(sql.FORGET_JOURNAL, (inf,))
        self.commit()

    @guarded
    def commit(self) -> None:
        self._flush()
        self._begin()
        for write in self.at_commit:
            write(self.connection)
        self._flush()
        self._moves.commit(self.connection)
        leases = " ".join(str(number) for number, _ in self._leased.values())
        counters = f"{self._sequence} {self._waiting}"
        for key, value in {LEASES: leases, COUNTERS: counters}.items():
            if self._kept.get(key) != value:
                self._kept[key] = value
                write_meta(self.connection, key, value)
        self.connection.execute("COMMIT")
        self._checkpoints.after_commit(self.connection)

    def close(self) -> None:
        """Release the file; what was not committed is lost."""
        self._checkpoints.close()
        self.connection.close()

    def _group_key(self, url: str, host: str) -> int | None:
        """The fingerprint of a URL's group; None where that is its host."""
        if self._group_of is None:
            return None
        return fingerprints((self._group_of(url, host),), self._seed)[0]
