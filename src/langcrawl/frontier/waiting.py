"""Looks at the URLs that wait on disk: those of a host or a group, and those that come next.

What changes the queue is in `langcrawl.frontier.sqlite`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from langcrawl.errors import BrokenLog
from langcrawl.frontier import statements as sql
from langcrawl.frontier.ahead import MOST, Ahead, LookAhead, Next
from langcrawl.frontier.rows import next_of, queue_state_of, visit_of
from langcrawl.frontier.url_table import LOOK_UP, UrlTable
from langcrawl.records import Visit
from langcrawl.store.database import damaged, fingerprints, guarded, undamaged
from langcrawl.url import host_of


class WaitingUrls(UrlTable):
    """The waiting URLs of a SQLite file."""

    def __init__(
        self, path: Path, durable: bool, group_of: Callable[[str, str], str] | None
    ) -> None:
        super().__init__(path, durable)
        self._group_of = group_of
        self._ahead = LookAhead()

    @guarded
    def of_host(self, host: str) -> list[Visit]:
        self._flush()
        host_key = self._host_key(host)
        self._write_moves(host_key)
        return self._visits(sql.OF_HOST, host_key)

    def of_groups(self, groups: Iterable[str]) -> Iterator[tuple[str, list[Visit]]]:
        groups = list(dict.fromkeys(groups))
        if self._group_of is None:
            for group in groups:
                if waiting := self.of_host(group):
                    yield group, waiting
            return
        for first in range(0, len(groups), LOOK_UP):
            some = groups[first : first + LOOK_UP]
            keys = fingerprints(some, self._seed)
            wait = self._groups_that_wait(keys)
            for group, key in zip(some, keys, strict=True):
                if key in wait:
                    yield group, self._visits(sql.OF_GROUP, key)

    @guarded
    def _groups_that_wait(self, keys: Sequence[int]) -> set[int]:
        """Those of some groups that have waiting URLs; the tables show how these stand."""
        self._flush()
        rows = self.connection.execute(sql.hosts_of_groups(len(keys)), keys).fetchall()
        for host_key in {host_key for _, host_key in rows}:
            self._write_moves(host_key)
        return {key for key, _ in rows}

    @guarded
    def _visits(self, query: str, key: int) -> list[Visit]:
        rows = self.connection.execute(query, (key,)).fetchall()
        with undamaged(self._path, ValueError):
            visits = list(map(visit_of, rows))
        for row, visit in zip(rows, visits, strict=True):
            self._met[visit.url] = row[1], row[2], queue_state_of(visit)
        return visits

    def _looked_ahead(self, host: str, least: int) -> Ahead:
        """What comes next on a host: at least the first two waiting URLs, if there are so many.

        A host whose turn comes again and again is read in larger steps.
        """
        ahead = self._ahead.of(host)
        if ahead is None or not ahead.shows_two:
            asked = min(2 * ahead.asked, MOST) if ahead is not None else least
            ahead = Ahead(self._first_of(host, asked), asked)
            self._ahead.keep(host, ahead)
        return ahead

    @guarded
    def _first_of(self, host: str, most: int) -> list[Next]:
        """The waiting URLs of a host that come first."""
        host_key = self._host_key(host)
        if host_key in self._unwritten:
            self._flush()
        self._write_moves(host_key)
        rows = self.connection.execute(sql.FIRST_OF_HOST, (host_key, most)).fetchall()
        for row in rows:
            self._check_place(row[3], row[4])
        with undamaged(self._path, ValueError):
            first = list(map(next_of, rows))
            urls = [each.visit.url for each in first]
            # Taking a URL under another name than its own would leave it here, to be taken again.
            if any(each.visit.host != host for each in first) or (
                fingerprints(urls, self._seed) != [each.fp for each in first]
            ):
                raise ValueError(f"a URL that waits for {host} has the place of another")
        return first

    def _check_place(self, priority: object, arrival: object) -> None:
        """The place of a URL in the queue is numbers, unless somebody else has written the row."""
        if type(priority) is not float or type(arrival) is not int:
            problem = ValueError("a URL that waits has no place in the queue")
            raise BrokenLog(damaged(self._path, problem))

    def _not_ahead(self, url: str) -> None:
        """A URL waits no more, so it does not come next."""
        if (ahead := self._ahead.of(host_of(url))) is not None:
            ahead.remove(url)
