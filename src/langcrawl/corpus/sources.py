"""Where the pages of a corpus come from: crawls by their logs, archives record by record."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from langcrawl.archive.message import read_answer
from langcrawl.archive.reader import find_archives
from langcrawl.archive.record import Record
from langcrawl.archive.texts import texts
from langcrawl.config import FILE, CrawlConfig
from langcrawl.corpus.documents import Found
from langcrawl.errors import BadInput
from langcrawl.importers.given import archives_given
from langcrawl.importers.warc import wanted_records
from langcrawl.log.segments import read_table, read_urls
from langcrawl.page import Answer, digest_of
from langcrawl.records import Verdict
from langcrawl.store.migrate import open_directory
from langcrawl.url import canonical, is_robots_txt

_LOGGED = [
    "id", "status", "relevant", "language", "script", "encoding", "score", "fetched_at", "digest",
    "warc_file", "warc_offset", "bytes", "fonts",
]  # fmt: skip
_PAGES = ("response", "resource", "revisit")
_BATCH_BYTES, _BATCH_PAGES = 1 << 20, 200


class Task(NamedTuple):
    """Some pages of a source, which a process reads."""

    source: int
    pages: Sequence[Any]
    """What the source needs to find them again: ids of the log, or records."""
    share: float
    """How much of all sources lies before their end."""


class Source(ABC):
    """Pages that can be gone through in a fixed order, in bundles."""

    name: str
    size: int
    """How much there is to do, in bytes."""

    @abstractmethod
    def bundles(self, tally: Counter[str]) -> Iterator[tuple[Sequence[Any], int]]:
        """Pages in bundles, and how many bytes lie before the end of each."""

    @abstractmethod
    def pages(self, bundle: Sequence[Any], dropped: Counter[str]) -> Iterator[Found]:
        """The pages of a bundle; what cannot be had is counted. Runs in any process."""

    @abstractmethod
    def state(self) -> list[Any]:
        """What makes this source the same one as before, for an export that goes on."""


class CrawlSource(Source):
    """The pages of a crawl or an import, by its log."""

    def __init__(self, directory: Path, only_relevant: bool, judged: bool) -> None:
        """With `judged`, the verdicts of the log count; else pages are judged anew."""
        open_directory(directory)
        self.name, self.config = str(directory), CrawlConfig.load(directory)
        self._judged = judged
        self._texts = texts(directory)
        table = read_table(directory, "pages", _LOGGED)
        table = table.take(pc.sort_indices(table, [("id", "ascending")]))
        self._table = table
        self._ids = table["id"].to_numpy()
        wanted = self._texts.ids
        if only_relevant and judged:
            relevant = pc.fill_null(table["relevant"], False).to_numpy()
            wanted = wanted[relevant[self._rows(wanted)]]
        self._other_language = len(self._texts.ids) - len(wanted)
        complete = self._complete(directory)[self._rows(wanted)]
        self._unreadable = int(np.count_nonzero(~complete))
        self._wanted = wanted = wanted[complete]
        self._sizes = pc.fill_null(table["bytes"], 0).to_numpy()[self._rows(wanted)]
        self.size = int(self._sizes.sum()) + len(wanted)

    def _complete(self, directory: Path) -> Any:
        """Which pages are in archive files that no crawl is writing any more."""
        written = (path.stem for path in (directory / "warc").glob("*.open"))
        names = pc.fill_null(self._table["warc_file"], "")
        return pc.invert(pc.is_in(names, pa.array(sorted(written), pa.string()))).to_numpy()

    def _rows(self, ids: Any) -> Any:
        return np.searchsorted(self._ids, ids)

    def bundles(self, tally: Counter[str]) -> Iterator[tuple[Sequence[int], int]]:
        tally["other-language"] += self._other_language
        tally["unreadable"] += self._unreadable
        unplaced = pc.is_null(self._table["warc_offset"]).to_numpy()
        files = self._table["warc_file"]
        bundle: list[int] = []
        size = done = 0
        for page, row, extent in zip(
            self._wanted.tolist(), self._rows(self._wanted).tolist(), self._sizes.tolist(),
            strict=True,
        ):  # fmt: skip
            # Pages of a file that is compressed as a whole are read together, in one go.
            together = bundle and unplaced[row] and files[row] == files[self._rows(bundle[-1])]
            if bundle and not together and (size >= _BATCH_BYTES or len(bundle) >= _BATCH_PAGES):
                yield bundle, done
                bundle, size = [], 0
            bundle.append(page)
            size += extent
            done += extent + 1
        if bundle:
            yield bundle, done

    def pages(self, bundle: Sequence[int], dropped: Counter[str]) -> Iterator[Found]:
        read = 0
        for page, answer in self._texts.answers(bundle):
            read += 1
            row = self._table.slice(int(self._rows(page)), 1).to_pylist()[0]
            yield Found(
                answer,
                row["fetched_at"] or 0.0,
                row["digest"] or "",
                row["warc_file"] or "",
                row["warc_offset"],
                _verdict(row) if self._judged else None,
                tuple(filter(None, (row["fonts"] or "").split(", "))),
            )
        if read < len(bundle):
            dropped["unreadable"] += len(bundle) - read

    def state(self) -> list[Any]:
        return [self.name, len(self._ids), len(self._wanted), int(self._sizes.sum())]


def _verdict(row: dict[str, Any]) -> Verdict:
    return Verdict(
        row["language"] or "und",
        row["script"] or "",
        row["encoding"] or "",
        row["score"] or 0.0,
        bool(row["relevant"]),
    )


class ArchiveSource(Source):
    """The pages of web archives, whoever made them; all are judged."""

    def __init__(self, files: Sequence[Path], limit: int) -> None:
        self.name = ", ".join(str(path) for path in files)
        self._files, self._limit = files, limit
        self._archives = [archive for path in files for archive in find_archives(path)]
        self.size = sum(archive.size for archive in self._archives)

    def bundles(self, tally: Counter[str]) -> Iterator[tuple[Sequence[Record], int]]:
        bundle: list[Record] = []
        size = done = 0
        for record, done in wanted_records(self._archives, _PAGES, self._limit, tally):
            bundle.append(record)
            size += len(record.block)
            if size >= _BATCH_BYTES or len(bundle) >= _BATCH_PAGES:
                yield bundle, done
                bundle, size = [], 0
        if bundle:
            yield bundle, done

    def pages(self, bundle: Sequence[Record], dropped: Counter[str]) -> Iterator[Found]:
        for record in bundle:
            found = self._found(record)
            if isinstance(found, str):
                dropped[found] += 1
            elif found is not None:
                yield found

    def _found(self, record: Record) -> Found | str | None:
        """The page of a record; None for a redirect, an error or robots.txt, which are none."""
        url, limit = canonical(record.url), self._limit
        if url is None or is_robots_txt(url):
            return None
        if record.kind == "resource":
            body, digest = record.block[:limit], record.digest
            page = Answer(url, 200, record.content_type, "", body, {})
        else:
            answer = read_answer(record.block, min(limit, record.page_limit or limit))
            if answer is None:
                return "unreadable"
            if answer.status != 200:
                return None
            kind, digest = answer.header("Content-Type"), record.digest or digest_of(answer.raw)
            page = Answer(url, 200, kind, "", answer.body, answer.heeded)
        return Found(page, record.fetched_at, digest, record.file, record.offset)

    def state(self) -> list[Any]:
        return [[str(path), path.stat().st_size, path.stat().st_mtime_ns] for path in self._files]


def find_sources(
    given: Sequence[Path], only_relevant: bool, judged: bool, limit: int
) -> list[Source]:
    """The crawl directories and archives that a user means, in the order given."""
    sources: list[Source] = []
    archives: list[Path] = []
    for path in given:
        if (path / FILE).is_file():
            sources.append(CrawlSource(path, only_relevant, judged))
        else:
            archives.append(path)
    if archives:
        sources.append(ArchiveSource(archives_given(archives), limit))
    if not sources:
        raise BadInput("there is nothing to export; name a crawl directory or WARC files.")
    return sources


def tasks(sources: Iterable[Source], tally: Counter[str]) -> Iterator[Task]:
    """All pages of all sources in bundles, always the same ones in the same order."""
    sources = list(sources)
    total, before = max(sum(source.size for source in sources), 1), 0
    for number, source in enumerate(sources):
        for pages, done in source.bundles(tally):
            yield Task(number, pages, (before + done) / total)
        before += source.size


def read_relevant_urls(directory: Path) -> Iterator[str]:
    """The relevant pages of a crawl."""
    open_directory(directory)
    pages = read_table(directory, "pages", ["id", "relevant"])
    wanted = pages.filter(pc.fill_null(pages["relevant"], False))["id"]
    yield from read_urls(directory, ["url"])["url"].take(wanted).to_pylist()
