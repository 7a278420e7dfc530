"""The texts of a crawl: what its judge saw of each page, read again.

A log keeps no text. A page that was archived is read from its WARC record; where that is a
revisit, the body stands at the page of the same digest. A page of a generated web is written
anew from its number, as `langcrawl serve` does. Others have no text, and a sentence says why.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from langcrawl.archive.message import read_answer, with_body
from langcrawl.archive.reader import Archive, OpenArchive, read_records
from langcrawl.archive.record import Record
from langcrawl.archive.sources import find_sources
from langcrawl.config import CrawlConfig
from langcrawl.errors import BadInput
from langcrawl.log.segments import read_table, read_urls
from langcrawl.log.visits import read_visits
from langcrawl.page import Answer, ReadMain, is_html, is_pdf, is_text, understand
from langcrawl.records import OVER_BUDGET, PDF, UNJUDGED, Content, Verdict
from langcrawl.store.collected import collected
from langcrawl.url import canonical
from langcrawl.virtualweb.served import ServedLog

Ids = npt.NDArray[np.int64]
_COLUMNS = ["id", "status", "bytes", "digest", "warc_file", "warc_offset", "notes"]
_MOST_OPEN = 16
"""Archive files that are open at a time."""


class NoText(BadInput):
    """Raised for a page that has no text to read; the message says why."""


class Texts(ABC):
    """The texts of a crawl, by the ids that pages have in its log."""

    @property
    @abstractmethod
    def ids(self) -> Ids:
        """The pages that may have a text, in the order in which reading them is fastest."""

    @abstractmethod
    def some(self, ids: Iterable[int]) -> Iterator[tuple[int, Content]]:
        """The texts of some pages, each file of the archive gone through once.

        They come in the order in which they stand there. What has no text is left out.
        """

    @abstractmethod
    def content(self, page: int) -> Content:
        """The text of a page; NoText where there is none."""

    @abstractmethod
    def answers(self, ids: Iterable[int]) -> Iterator[tuple[int, Answer]]:
        """The same as `some`, with the bytes of each page before they are read."""

    def close(self) -> None:  # noqa: B027  (there may be nothing to close)
        """Close open files; reading afterwards opens them again."""

    def all(self) -> Iterator[tuple[int, Content]]:
        """Every text that there is, in the order of `ids`."""
        return self.some(self.ids.tolist())


def texts(directory: Path, folders: Sequence[Path] = (), main: bool | ReadMain = False) -> Texts:
    """The texts of a crawl directory; archives are also looked for in these folders.

    `main` asks for the main text of each page as well.
    """
    if CrawlConfig.load(directory).source.startswith("synth"):
        return GeneratedTexts(directory, main)
    return ArchivedTexts(directory, folders, main)


class GeneratedTexts(Texts):
    """The texts of a generated web, which are written anew."""

    def __init__(self, directory: Path, main: bool | ReadMain = False) -> None:
        self._directory, self._main = directory, main
        self.served = ServedLog(directory)
        graph = self.served.graph
        self._ids: Ids = np.asarray(graph.arrays.url_id[: graph.pages], np.int64)
        self._status = graph.arrays.status
        self._urls = read_urls(directory, ["url"])["url"]

    def __reduce__(self) -> tuple[type[GeneratedTexts], tuple[Path, bool | ReadMain]]:
        """Another process opens them for itself."""
        return GeneratedTexts, (self._directory, self._main)

    @property
    def ids(self) -> Ids:
        found: Ids = self._ids[self._status == 200]
        return found

    @property
    def encoded(self) -> Ids:
        """The pages that are written in an encoding of their own (docs/virtual-webs.md)."""
        words = self.served.encodings
        nodes = [node for node in np.flatnonzero(self._status == 200).tolist() if words[node]]
        found: Ids = self._ids[nodes]
        return found

    def some(self, ids: Iterable[int]) -> Iterator[tuple[int, Content]]:
        for page in ids:
            yield page, self.content(page)

    def answers(self, ids: Iterable[int]) -> Iterator[tuple[int, Answer]]:
        for page in ids:
            yield page, self._answer(page)

    def content(self, page: int) -> Content:
        answer = self._answer(page)
        return understood(answer.url, answer.content_type, answer.body, {}, self._main)

    def _answer(self, page: int) -> Answer:
        node = int(np.searchsorted(self._ids, page))
        if node == len(self._ids) or self._ids[node] != page:
            raise NoText(f"there is no page {page} in the log.")
        answer = self.served.answer_page(node)
        if answer.status != 200:
            raise NoText(_no_page(page, answer.status))
        url = self._urls[page].as_py()
        return Answer(url, 200, answer.content_type, "", answer.body, {})


class _Place(NamedTuple):
    """Where the answer of a page stands."""

    page: int
    row: int
    file: int
    offset: int
    """-1 where it is not known, because the file is compressed as a whole."""


class ArchivedTexts(Texts):
    """The texts of a crawl or an import, in the archives that its log names."""

    def __init__(
        self, directory: Path, folders: Sequence[Path] = (), main: bool | ReadMain = False
    ) -> None:
        self._directory, self._folders, self._main = directory, tuple(folders), main
        table = read_table(directory, "pages", _COLUMNS)
        self._table = table.take(pc.sort_indices(table, [("id", "ascending")]))
        self._page: Ids = self._table["id"].to_numpy()
        self._status = self._table["status"].to_numpy()
        files = self._table["warc_file"].combine_chunks().dictionary_encode()
        self._names: list[str] = files.dictionary.to_pylist()
        self._file = files.indices.fill_null(-1).to_numpy()
        self._offset = self._table["warc_offset"].fill_null(-1).to_numpy()
        self._revisit = self._noted("revisit")
        self._unread = self._noted(OVER_BUDGET)
        self._pdf = self._noted(PDF)
        self._size = self._table["bytes"].fill_null(0).to_numpy()
        asked = CrawlConfig.load(directory).max_page_bytes
        self._limit = max(asked, int(self._size.max(initial=0)))
        self._urls = read_urls(directory, ["url"])["url"]
        self._open: dict[int, list[OpenArchive]] = {}
        self._process = os.getpid()

    def _noted(self, word: str) -> npt.NDArray[np.bool_]:
        """Which pages have this note."""
        notes = pc.fill_null(self._table["notes"], "")
        found: npt.NDArray[np.bool_]
        found = pc.match_substring_regex(notes, rf"(^| ){word}($| )").to_numpy()
        return found

    def __reduce__(
        self,
    ) -> tuple[type[ArchivedTexts], tuple[Path, tuple[Path, ...], bool | ReadMain]]:
        """Another process opens them for itself."""
        return ArchivedTexts, (self._directory, self._folders, self._main)

    @cached_property
    def _in_order(self) -> Ids:
        """The rows of archived pages, by file and place."""
        rows = np.flatnonzero((self._status == 200) & (self._file >= 0) & ~self._unread)
        order = np.lexsort((rows, self._offset[rows], self._file[rows]))
        found: Ids = rows[order]
        return found

    @property
    def ids(self) -> Ids:
        return self._page[self._in_order]

    def content(self, page: int) -> Content:
        row = int(np.searchsorted(self._page, page))
        if row == len(self._page) or self._page[row] != page:
            raise NoText(f"there is no page {page} in the log of '{self._directory}'.")
        if self._status[row] != 200:
            raise NoText(_no_page(page, int(self._status[row])))
        if self._file[row] < 0:
            raise NoText(f"page {page} was not archived, so it has no text.")
        if self._unread[row]:
            raise NoText(f"page {page} would cost too much to read, so it has no text.")
        for _, content in self._contents([self._place(row)]):
            return content
        name = self._names[self._file[row]]
        raise NoText(
            f"page {page} has no text in '{name}': it is not a text page, or its record is lost."
        )

    def some(self, ids: Iterable[int]) -> Iterator[tuple[int, Content]]:
        wanted = np.fromiter(ids, np.int64)
        rows = self._in_order[np.isin(self._page[self._in_order], wanted)]
        yield from self._contents([self._place(int(row)) for row in rows])

    def answers(self, ids: Iterable[int]) -> Iterator[tuple[int, Answer]]:
        rows = np.searchsorted(self._page, np.fromiter(ids, np.int64))
        order = np.lexsort((self._offset[rows], self._file[rows]))
        yield from self._read([self._place(int(row)) for row in rows[order]])

    def _contents(self, places: Iterable[_Place]) -> Iterator[tuple[int, Content]]:
        for page, answer in self._read(places):
            headers = dict(answer.headers)
            url, kind, body = answer.url, answer.content_type, answer.body
            yield page, understood(url, kind, body, headers, self._main, is_pdf(body))

    def close(self) -> None:
        for opened in self._open.values():
            for archive in opened:
                archive.close()
        self._open = {}

    def _place(self, row: int) -> _Place:
        return _Place(int(self._page[row]), row, int(self._file[row]), int(self._offset[row]))

    def _read(self, places: Iterable[_Place]) -> Iterator[tuple[int, Answer]]:
        """Read pages in this order; those without a place by going through their file once."""
        unplaced: dict[int, list[_Place]] = {}
        for place in places:
            if place.offset < 0:
                unplaced.setdefault(place.file, []).append(place)
            elif (record := self._record(place)) is not None:
                yield from self._answer(place, record)
        for file, lost in unplaced.items():
            yield from self._scan(file, lost)

    def _record(self, place: _Place) -> Record | None:
        """The record of a page, with its body where it is a revisit."""
        record = self._record_at(place.file, place.offset, self._url(place.page))
        if record is None or not self._revisit[place.row]:
            return record
        body = self._bodies.get(self._table["digest"][place.row].as_py())
        if body is None:
            return None
        original = self._record_at(body.file, body.offset, self._url(body.page))
        block = with_body(record.block, original.block) if original else None
        return record._replace(block=block) if block is not None else None

    @cached_property
    def _bodies(self) -> dict[str, _Place]:
        """Where the bodies stand that some pages only repeat, by digest.

        They may be those of pages that have changed since: then an earlier visit had them.
        """
        repeats = np.flatnonzero(self._revisit & (self._file >= 0))
        digests = self._table["digest"]
        wanted = pc.unique(digests.take(pa.array(repeats)))
        whole = ~self._revisit & (self._file >= 0) & (self._offset >= 0)
        found: dict[str, _Place] = {}
        kept = whole & pc.is_in(digests, wanted).to_numpy()
        for row in np.flatnonzero(kept).tolist():
            found.setdefault(digests[row].as_py(), self._place(row))
        for table in read_visits(self._directory) if len(wanted) else ():
            for visit in table.filter(pc.is_in(table["digest"], wanted)).to_pylist():
                if visit["warc_file"] and not visit["revisit"]:
                    file = self._file_of(visit["warc_file"])
                    place = _Place(visit["id"], -1, file, visit["warc_offset"])
                    found.setdefault(visit["digest"], place)
        return found

    def _file_of(self, name: str) -> int:
        """The number of an archive file."""
        if name not in self._names:
            self._names.append(name)
        return self._names.index(name)

    def _record_at(self, file: int, offset: int, url: str) -> Record | None:
        """The record of a URL at a place; of several files of that name, in the right one."""
        for opened in self._opened(file):
            record = opened.record_at(offset, self._limit)
            if record is not None and canonical(record.url) == url:
                return record
        return None

    def _opened(self, file: int) -> list[OpenArchive]:
        if self._process != os.getpid():  # files of a parent process share its places in them
            self._open, self._process = {}, os.getpid()
        if file not in self._open:
            while len(self._open) >= _MOST_OPEN:
                for old in self._open.pop(next(iter(self._open))):
                    old.close()
            self._open[file] = [OpenArchive(archive) for archive in self._archives(file)]
        return self._open[file]

    def _archives(self, file: int) -> list[Archive]:
        name = self._names[file]
        found = find_sources(self._directory, name, self._folders)
        if not found and name in (elsewhere := collected(self._directory / "warc")):
            raise NoText(
                f"the archive '{name}' is in an object store ({elsewhere[name].uri}); bring it "
                f"back with 'langcrawl collect {self._directory} --back'."
            )
        if not found:
            raise NoText(
                f"the archive '{name}', which the log of '{self._directory}' names, is missing; "
                f"put it into '{self._directory / 'warc'}'."
            )
        return found

    def _scan(self, file: int, places: list[_Place]) -> Iterator[tuple[int, Answer]]:
        """Find pages by their URLs; of a URL that comes several times the first is the page."""
        waiting = {self._url(place.page): place for place in places}
        for archive in self._archives(file):
            for record in read_records(archive, self._limit, Counter()):
                url = canonical(record.url) if record.kind in ("response", "resource") else None
                if url in waiting:
                    yield from self._answer(waiting.pop(url), record)
                if not waiting:
                    return

    def _answer(self, place: _Place, record: Record) -> Iterator[tuple[int, Answer]]:
        """What a server sent, unless it is no page of text."""
        url, size = self._url(place.page), int(self._size[place.row])
        if record.kind == "resource":
            kind, body, headers = record.content_type, record.block[:size], dict[str, str]()
        else:
            answer = read_answer(record.block, self._limit, self._most(place.row, size))
            if answer is None:
                return
            kind, body, headers = answer.header("Content-Type"), answer.body, answer.heeded
        pdf = bool(self._pdf[place.row]) and is_pdf(body)
        if pdf or is_html(kind, body) or is_text(kind, body):
            yield place.page, Answer(url, 200, kind, "", body, headers)

    def _most(self, row: int, size: int) -> int:
        """Where the body was cut: the limit may have been another one then."""
        notes = self._table["notes"][row].as_py() or ""
        return size if "truncated" in notes.split() else self._limit

    def _url(self, page: int) -> str:
        url: str = self._urls[page].as_py()
        return url


class _Silent:
    """A judge that is not asked."""

    def judge(self, content: Content) -> Verdict:
        return UNJUDGED


_SILENT = _Silent()


def understood(
    url: str,
    kind: str,
    body: bytes,
    headers: dict[str, str],
    main: bool | ReadMain = False,
    pdf: bool = False,
) -> Content:
    """Decode and extract the body of a page, as a crawl or an import does.

    `main` asks for the main text as well (`Content.main`), `pdf` for the text of PDFs.
    """
    _, _, content = understand(
        url, 200, kind, "", body, _SILENT, headers=headers, fingerprinted=False, main=main, pdf=pdf
    )
    return content


def _no_page(page: int, status: int) -> str:
    return f"page {page} was answered with status {status}; only pages with status 200 have a text."
