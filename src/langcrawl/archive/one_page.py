"""One page out of the archive, found by the place that the log names; also while a crawl runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from langcrawl.archive.message import read_answer, with_body
from langcrawl.archive.reader import OpenArchive
from langcrawl.archive.record import Record
from langcrawl.archive.sources import find_sources
from langcrawl.archive.texts import understood
from langcrawl.page import decode, is_html, is_text
from langcrawl.page.budget import is_ordinary
from langcrawl.records import Content
from langcrawl.url import canonical


class Place(NamedTuple):
    """Where the answer to a URL stands."""

    url: str
    file: str
    offset: int


class ArchivedPage(NamedTuple):
    """A page as its server sent it."""

    url: str
    kind: str
    """Its Content-Type."""
    body: bytes
    headers: dict[str, str]

    @property
    def is_readable(self) -> bool:
        """Whether it is a page of HTML or text."""
        return is_html(self.kind, self.body) or is_text(self.kind, self.body)

    @property
    def is_html(self) -> bool:
        return is_html(self.kind, self.body)

    @property
    def is_harmless(self) -> bool:
        """Whether reading it takes a moment only."""
        return is_ordinary(self.body)

    def content(self) -> Content:
        """What the judge saw of it."""
        return understood(self.url, self.kind, self.body, self.headers)

    def source(self) -> str:
        """Its HTML as text, whatever charset it came in."""
        return decode(self.body, self.kind).text


def read_page(
    directory: Path, place: Place, limit: int, original: Place | None = None
) -> ArchivedPage | None:
    """The page at a place; `original` has the body of one that only repeats another's."""
    record = _record(directory, place, limit)
    if record is None:
        return None
    block = record.block
    if record.kind == "revisit":
        first = original and _record(directory, original, limit)
        whole = with_body(block, first.block) if first else None
        if whole is None:
            return None
        block = whole
    if record.kind == "resource":
        return ArchivedPage(place.url, record.content_type, block, {})
    answer = read_answer(block, limit)
    if answer is None:
        return None
    return ArchivedPage(place.url, answer.header("Content-Type"), answer.body, answer.heeded)


def _record(directory: Path, place: Place, limit: int) -> Record | None:
    return next(_records(directory, place, limit), None)


def _records(directory: Path, place: Place, limit: int) -> Iterator[Record]:
    """The record there; of several files of that name, in the right one."""
    for archive in find_sources(directory, place.file):
        with closing(OpenArchive(archive)) as opened:
            record = opened.record_at(place.offset, limit)
        if record is not None and canonical(record.url) == place.url:
            yield record
