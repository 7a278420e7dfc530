"""Which pages of a crawl are due, and in which order: the likeliest to have changed first."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from langcrawl.log.segments import read_batches, read_urls
from langcrawl.log.visits import Visited, read_visits, visit_files, visit_names
from langcrawl.log.writer import registered_segments
from langcrawl.records import Facts, Known, Page, Visit
from langcrawl.recrawl.change_rate import Floats, Ints, change_probability
from langcrawl.recrawl.history import NEW, History
from langcrawl.url import host_of

_AT_ONCE = 20_000
"""Pages that are read together."""
_CHOICE = ["id", "fetched_at", "relevant", "status", "depth"]
_COLUMNS = [
    "id", "status", "redirect", "content_type", "bytes", "text_bytes", "fetched_at", "relevant",
    "digest", "depth", "irrelevant_run", "parent", "priority", "found_by", "reason", "error",
    "warc_file", "warc_offset", "warc_length", "notes",
]  # fmt: skip


class Wanted(NamedTuple):
    """Which pages a user wants to be asked for again."""

    older_than: float = 0.0
    """Seconds since a page was last answered for."""
    hosts: frozenset[str] = frozenset()
    """Only those of these hosts; none: of all."""
    everything: bool = False
    """Pages in other languages, redirects and errors, too."""
    numbers: Sequence[int] | None = None
    """Only those with these ids."""


class DuePage(NamedTuple):
    """A page that is to be asked for again, and how it stands in the log."""

    number: int
    visit: Visit
    """As it was when the page was last downloaded, with what is known of it."""
    segment: str
    """Where its row stands."""
    row: Visited
    """That row as a visit."""
    has_history: bool
    page: Page
    """What of that row tells which kind of answer it was."""
    relevant: bool
    probability: float
    """That it has changed."""
    asked_at: float
    """When it was last asked for."""


class Plan:
    """The pages that are due at a moment. The log is read as it is on disk then."""

    def __init__(
        self, directory: Path, connection: sqlite3.Connection, wanted: Wanted, began: float,
        now: float,
    ) -> None:  # fmt: skip
        """Pages that were asked since the round `began` are not due in it any more."""
        self._directory, self._connection = directory, connection
        self._segments = list(registered_segments(connection))
        self._files = visit_names(visit_files(connection))
        rows = [self._rows(segment) for segment in self._segments]
        columns = {name: np.concatenate([_EMPTY, *(row[name] for row in rows)]) for name in _CHOICE}
        segment = np.repeat(np.arange(len(rows)), [len(row["id"]) for row in rows])
        order = np.argsort(columns["id"], kind="stable")
        ids = columns["id"][order].astype(np.int64)
        fetched_at = columns["fetched_at"][order]
        history = History.of(ids, fetched_at, read_visits(directory, self._files))
        hosts = read_urls(directory, ["host"])["host"].combine_chunks().dictionary_encode()
        host = hosts.indices.to_numpy()[ids]
        due = (columns["relevant"][order] > 0) | history.is_gone
        if wanted.everything:
            due = columns["status"][order] > 0
        due &= (history.asked_at < began) & (history.answered_at <= now - wanted.older_than)
        if wanted.hosts:
            names = hosts.dictionary.to_pylist()
            chosen = [at for at, name in enumerate(names) if name in wanted.hosts]
            due &= np.isin(host, chosen)
        if wanted.numbers is not None:
            due &= np.isin(ids, np.array(wanted.numbers, np.int64))
        chance = change_probability(
            now - history.answered_at, host.astype(np.int64),
            columns["depth"][order].astype(np.int64), history.intervals,
        )  # fmt: skip
        worth = chance * 0.5**history.failures
        best = np.lexsort((history.answered_at, -worth))
        best = best[due[best]]
        self.ids: Ints = ids[best]
        """The pages that are due, in their order."""
        self.probabilities: Floats = chance[best]
        self._asked_at: Floats = history.asked_at[best]
        self._segment = segment[order][best]
        self._again: npt.NDArray[np.bool_] = history.visited_again[best]

    def _rows(self, segment: str) -> dict[str, Floats]:
        (table,) = read_batches(self._directory, "pages", _CHOICE, [segment])
        return {
            name: pc.fill_null(table[name].cast(pa.float64()), 0.0).to_numpy() for name in _CHOICE
        }

    def __len__(self) -> int:
        return len(self.ids)

    def urls(self, most: int) -> list[str]:
        """The first URLs that are due."""
        return [self._url(int(number)) for number in self.ids[:most]]

    def pages(self) -> Iterator[DuePage]:
        """All pages that are due, in their order."""
        for start in range(0, len(self), _AT_ONCE):
            some = slice(start, start + _AT_ONCE)
            rows = self._read(self.ids[some], self._segment[some])
            seen = self._last_whole(self.ids[some][self._again[some]])
            shared = self._originals([row for row in rows.values() if _is_revisit(row)])
            for place, number in enumerate(self.ids[some].tolist(), start):
                if (row := rows.get(number)) is not None:
                    name = self._segments[self._segment[place]]
                    yield self._page(place, row, name, seen.get(number), shared)

    def _read(self, ids: Ints, segments: Ints) -> dict[int, dict[str, Any]]:
        found = {}
        for at in np.unique(segments).tolist():
            (table,) = read_batches(self._directory, "pages", _COLUMNS, [self._segments[at]])
            wanted = pa.array(ids[segments == at], pa.int64())
            for row in table.filter(pc.is_in(table["id"], wanted)).to_pylist():
                found[row["id"]] = row
        return found

    def _last_whole(self, ids: Ints) -> dict[int, dict[str, Any]]:
        """The last visits of pages that brought the whole page, changed or not."""
        found: dict[int, dict[str, Any]] = {}
        for table in read_visits(self._directory, self._files) if len(ids) else ():
            wanted = pc.and_(pc.is_in(table["id"], pa.array(ids)), pc.equal(table["status"], 200))
            for row in table.filter(wanted).to_pylist():
                before = found.get(row["id"])
                if before is None or before["fetched_at"] < row["fetched_at"]:
                    found[row["id"]] = row
        return found

    def _originals(self, rows: Sequence[dict[str, Any]]) -> dict[str, tuple[str, float]]:
        """Where the bodies stand that some pages only repeat: URL and time, by digest."""
        found: dict[str, tuple[str, float]] = {}
        digests = pa.array({row["digest"] for row in rows}, pa.string())
        for table in whole_answers(self._directory, self._files) if len(digests) else ():
            for row in table.filter(pc.is_in(table["digest"], digests)).to_pylist():
                found.setdefault(row["digest"], (self._url(row["id"]), row["fetched_at"]))
        return found

    def _url(self, number: int) -> str:
        (url,) = self._connection.execute("SELECT url FROM urls WHERE id = ?", (number,)).fetchone()
        return str(url)

    def _page(
        self, place: int, row: dict[str, Any], segment: str, last: dict[str, Any] | None,
        shared: dict[str, tuple[str, float]],
    ) -> DuePage:  # fmt: skip
        url, notes = self._url(row["id"]), tuple((row["notes"] or "").split())
        known = self._known(url, row, last, shared)
        parent = "" if row["parent"] is None else self._url(row["parent"])
        found_by = row["found_by"] or "link"
        path = row["irrelevant_run"] or 0, row["depth"] or 0
        visit = Visit(
            url, host_of(url), Facts(*path, 1, 0, 0.0, 0, 0, 0, 0), row["priority"] or 0.0, parent,
            "link" if found_by == "sitemap" else found_by, reason=row["reason"] or "", known=known,
        )  # fmt: skip
        target = "" if row["redirect"] is None else self._url(row["redirect"])
        page = Page(
            url, row["status"], target, row["content_type"] or "", row["bytes"] or 0,
            text_bytes=row["text_bytes"] or 0, digest=row["digest"] or "",
            error=row["error"] or "", notes=notes,
        )  # fmt: skip
        first = Visited(
            row["id"], row["fetched_at"] or 0.0, NEW, row["status"], row["digest"] or "",
            row["content_type"] or "", _is_revisit(row), None, row["error"] or "", row["warc_file"],
            row["warc_offset"], row["warc_length"],
        )  # fmt: skip
        return DuePage(
            row["id"], visit, segment, first, bool(self._again[place]), page,
            bool(row["relevant"]), float(self.probabilities[place]), float(self._asked_at[place]),
        )  # fmt: skip

    def _known(
        self, url: str, row: dict[str, Any], last: dict[str, Any] | None,
        shared: dict[str, tuple[str, float]],
    ) -> Known:  # fmt: skip
        """What a worker is told of a page."""
        if row["status"] != 200:
            return NOTHING
        file, offset, size = row["warc_file"] or "", row["warc_offset"] or 0, 0
        if file and last is not None and last["warc_file"] and last["digest"] == row["digest"]:
            file, offset = last["warc_file"], last["warc_offset"]
            size = last["wire_bytes"] or 0
        original = (url, row["fetched_at"] or 0.0)
        if _is_revisit(row):
            if row["digest"] not in shared:
                return NOTHING
            original = shared[row["digest"]]
        whole = "truncated" not in (row["notes"] or "").split()
        return Known(row["digest"] or "", file, offset, *original, size, whole)


NOTHING = Known("", "", 0, "", 0.0, 0, False)
"""What is known of a page that has to be downloaded as if it were new."""
_EMPTY: Floats = np.zeros(0)


def whole_answers(directory: Path, files: Sequence[str]) -> Iterable[pa.Table]:
    """Archived answers with their bodies: id, digest and time; present ones first."""
    columns = ["id", "digest", "fetched_at", "notes", "warc_file"]
    for table in read_batches(directory, "pages", columns):
        repeats = pc.match_substring_regex(pc.fill_null(table["notes"], ""), r"(^| )revisit($| )")
        kept = pc.and_(pc.invert(repeats), pc.is_valid(table["warc_file"]))
        yield table.filter(kept).select(["id", "digest", "fetched_at"])
    for table in read_visits(directory, files):
        kept = pc.and_(pc.invert(table["revisit"]), pc.is_valid(table["warc_file"]))
        yield table.filter(kept).select(["id", "digest", "fetched_at"])


def _is_revisit(row: dict[str, Any]) -> bool:
    return "revisit" in (row["notes"] or "").split()
