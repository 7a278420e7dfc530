"""Every URL that a crawl ever met: its id, and how it stands in the queue.

The database holds all of them. Memory holds an index, which answers most questions
(`langcrawl.frontier.url_index`), and the URLs that were met lately. Changes are gathered and
written in batches, before anything is asked of the database that they could change.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any

from langcrawl.frontier import statements as sql
from langcrawl.frontier.moves import Moves, write_move_journal
from langcrawl.frontier.url_index import ABSENT, BITS, UNTOLD, UrlIndex, Waiting, read_url_index
from langcrawl.ports import QueueState, not_waiting
from langcrawl.store.database import (
    SEEN,
    WAITING,
    connect,
    fingerprints,
    guarded,
    seed_of,
    set_up,
)
from langcrawl.url import host_of

_LATELY = 1 << 15
"""Of the URLs met lately, so many are kept, and once more the so many that were met before."""
_BATCH = 16
"""Changed URLs that are written together: more would make one `take` wait for them."""
LOOK_UP = 64
"""URLs that are looked up in one query."""
_NOT_QUEUED = (SEEN, *[None] * (3 + len(sql.FACTS)))

Values = tuple[Any, ...]
Known = tuple[int, int, QueueState | None]
"""The id of a URL, its fingerprint, and how it stands unless it is taken."""


class UrlTable:
    """The URLs of a SQLite file. Ids are dense from 0, in the order of first sight."""

    def __init__(self, path: Path, durable: bool) -> None:
        self._path, self._durable = path, durable
        self.connection = connect(path)
        self._ids = self._seed = 0
        self._met: dict[str, Known] = {}
        """URLs met lately."""
        self._met_before: dict[str, Known] = {}
        """Those that were met before them, as they stood then."""
        self._untold: set[str] = set()
        """URLs among them of which the index does not know yet how they stand."""
        self._host_keys: dict[str, int] = {}
        """The fingerprints of hosts met lately."""
        self._index = UrlIndex()
        self._first_waiting: Waiting | None = None
        """Of each host, as the database had it when it was opened."""
        self._moves = Moves()
        self._new: dict[int, tuple[str, Values]] = {}
        self._changed: dict[int, tuple[str, Values]] = {}
        """URLs that the database does not know yet as they are, by id: a change of each."""
        self._unwritten: set[int] = set()
        """Hosts of which the database does not know yet what waits, where, and why."""

    def _open_urls(self) -> None:
        set_up(self.connection, self._durable)
        write_move_journal(self.connection)
        ((last,),) = self.connection.execute("SELECT max(id) FROM urls")
        self._ids = 0 if last is None else last + 1
        self._seed = seed_of(self.connection)
        if self._ids:
            self._read_index()

    def _read_index(self) -> None:
        """Read all URLs once, while this process has the file not open otherwise."""
        self.connection.close()
        self._index, self._first_waiting = read_url_index(self._path, self._ids)
        self.connection = connect(self._path)
        set_up(self.connection, self._durable)

    def id_of(self, url: str) -> int:
        """The number of this URL; cheap for one that was met lately."""
        return self._known(url)[0]

    def ids_of(self, urls: Iterable[str]) -> list[int]:
        """The numbers of several URLs."""
        urls = list(urls)
        return [number for number, _, _ in self._all_known(urls)]

    def url_of(self, number: int) -> str:
        """The URL of this number, once it is committed."""
        row = self.connection.execute("SELECT url FROM urls WHERE id = ?", (number,)).fetchone()
        return str(row[0])

    def _begin(self) -> None:
        if not self.connection.in_transaction:
            self.connection.execute("BEGIN")

    def _host_key(self, host: str) -> int:
        key = self._host_keys.get(host)
        if key is None:
            if len(self._host_keys) >= _LATELY:
                self._host_keys.clear()
            key = self._host_keys[host] = fingerprints((host,), self._seed)[0]
        return key

    def _key(self, url: str, fp: int) -> tuple[int, int]:
        """The fingerprints of a URL's host and of the URL."""
        return self._host_key(host_of(url)), fp

    def _known(self, url: str) -> Known:
        known = self._met.get(url)
        if known is None:
            self._remember((url,))
            known = self._met[url]
        return known

    def _all_known(self, urls: Sequence[str]) -> Sequence[Known]:
        """What is known of several URLs; mostly they have all been met lately."""
        met = self._met
        try:
            return [met[url] for url in urls]
        except KeyError:
            self._remember(urls)
            met = self._met
            return [met[url] for url in urls]

    def _note(self, url: str, number: int, fp: int, state: QueueState | None) -> None:
        """A URL stands otherwise than before."""
        self._met[url] = number, fp, state
        self._untold.add(url)

    def _remember(self, urls: Iterable[str]) -> None:
        """Have these URLs among those met lately; new ones get the next ids, in order."""
        if len(self._new) >= _BATCH:
            self._flush()
        met = self._met
        missing, before = [], self._met_before.get
        for url in dict.fromkeys(urls):
            if url in met:
                continue
            if (known := before(url)) is None:
                missing.append(url)
            else:
                met[url] = known
        if not missing:
            return
        fps = fingerprints(missing, self._seed)
        index, asked = self._index, []
        kinds, complete, make = index.kinds, index.complete, tuple.__new__
        for url, fp, found in zip(missing, fps, index.find(fps), strict=True):
            if found == ABSENT and complete:
                self._is_new(url, fp)
            elif (number := found & UNTOLD) == UNTOLD:
                asked.append((url, fp))
            elif (kind := kinds[number]) is None:
                met[url] = found >> BITS, fp, None
            else:
                met[url] = found >> BITS, fp, make(QueueState, (url, *kind))
        self._look_up(asked)

    def _is_new(self, url: str, fp: int) -> None:
        number = self._ids
        self._ids += 1
        self._new[number] = url, (self._host_key(host_of(url)), fp, number, None, *_NOT_QUEUED)
        self._note(url, number, fp, not_waiting(url))

    @guarded
    def _look_up(self, asked: Sequence[tuple[str, int]]) -> None:
        """Find URLs in the database; those that are not there are new."""
        if asked and (self._new or self._changed):
            self._write()
        rest = iter(asked)
        met = self._met
        while some := list(islice(rest, LOOK_UP)):
            keys = [self._key(url, fp) for url, fp in some]
            for host in {key[0] for key in keys if key in self._moves}:
                self._write_moves(host)
            rows = self.connection.execute(sql.look_up(len(keys)), list(chain(*keys))).fetchall()
            found = {row[0]: row for row in rows}
            for url, fp in some:
                row = found.get(fp)
                if row is None:
                    self._is_new(url, fp)
                elif row[2] == WAITING:
                    met[url] = row[1], fp, QueueState(url, *row[3:])
                else:
                    met[url] = row[1], fp, not_waiting(url) if row[2] == SEEN else None

    def _write_moves(self, host_key: int) -> None:
        """Have the tables show the moves on a host."""
        self._begin()
        self._moves.write_host(host_key, self.connection)

    def _change(self, number: int, key: tuple[int, int], statement: str, values: Values) -> None:
        """Have a URL's row changed; a change that was there before is written first."""
        if number in self._new or number in self._changed:
            self._flush()
        if (move := self._moves.pop(key)) is not None:
            self._begin()
            self.connection.execute(sql.MOVE, move.row())
        self._changed[number] = statement, (*values, *key)
        self._unwritten.add(key[0])
        if len(self._changed) >= _BATCH:
            self._flush()

    def _flush(self) -> None:
        """Write what has changed, so that queries see it; then what is old may be forgotten."""
        if self._new or self._changed:
            self._write()
        if len(self._met) >= _LATELY:
            self._tell()
            self._met, self._met_before = {}, self._met

    def _tell(self) -> None:
        """Have the index know how URLs stand that are about to be forgotten."""
        known = (self._met[url] for url in self._untold)
        self._index.tell((fp, number, at and at[1:]) for number, fp, at in known)
        self._untold.clear()

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
