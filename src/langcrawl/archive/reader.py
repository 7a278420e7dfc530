"""The records of web archives, as far as they can be read: WARC, ARC, and WACZ around them.

A record that is damaged is left out and counted, and reading goes on at the next place that
looks like the beginning of a record: the next gzip member, or the next line with ``WARC/``.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, NamedTuple

from fastwarc.warc import ArchiveIterator, WarcRecord

from langcrawl.archive.arc import arc_records, is_arc
from langcrawl.archive.record import GZIP, Record
from langcrawl.errors import BadInput

_ZIP = b"PK\x03\x04"
_GZIP_MEMBER, _WARC_LINE = b"\x1f\x8b\x08", b"\nWARC/"
_WINDOW = 1 << 20
_HEADERS = 1 << 18
"""Bytes that the headers of an answer may have on top of its body."""
_BAD_ZIP = (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError, zlib.error)
"""What Python says of a ZIP file that is damaged, or packed or encrypted in an unknown way."""
_SAME_BODY = "identical-payload-digest"
_PAGE_LIMIT = re.compile(rb"^max-page-bytes: *(\d{1,15})\r?$", re.MULTILINE)
"""The field of a warcinfo record in which a crawl says how much of a page it reads."""


class Archive(NamedTuple):
    """An archive on its own or within a WACZ file."""

    path: Path
    member: str
    size: int

    @property
    def name(self) -> str:
        return f"{self.path.name}/{self.member}" if self.member else self.path.name

    @property
    def at_random(self) -> bool:
        """Whether a place in it is reached at once: not where a WACZ file compresses it."""
        if not self.member:
            return True
        with zipfile.ZipFile(self.path) as whole:
            return whole.getinfo(self.member).compress_type == zipfile.ZIP_STORED

    @contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        if self.member:
            with zipfile.ZipFile(self.path) as whole, _member(whole, self.member) as file:
                yield file
        else:
            with self.path.open("rb") as file:
                yield file


def _member(whole: zipfile.ZipFile, name: str) -> IO[bytes]:
    """A file within a ZIP file, which may say that it lies where no file can."""
    try:
        return whole.open(name)
    except (OSError, ValueError) as error:
        raise zipfile.BadZipFile(str(error)) from None


def find_archives(path: Path, kind: str = "WARC") -> list[Archive]:
    """The archives in a file: itself, or those that a WACZ file holds; each is tried."""
    try:
        with path.open("rb") as file:
            zipped = file.read(len(_ZIP)) == _ZIP
        archives = _of_wacz(path) if zipped else [Archive(path, "", path.stat().st_size)]
    except FileNotFoundError:
        raise BadInput(f"there is no file '{path}'; check the path.") from None
    except (OSError, ValueError, *_BAD_ZIP) as error:
        raise BadInput(
            f"'{path}' cannot be read ({error}); check the file, or leave it out."
        ) from None
    for archive in archives:
        if not archive.size:
            raise BadInput(f"'{path}' is empty; leave it out.")
        if next(read_records(archive, 0, Counter()), None) is None:
            raise BadInput(
                f"'{path}' is not a {kind} file: no record can be read from it; leave it out."
            )
    return archives


def _of_wacz(path: Path) -> list[Archive]:
    with zipfile.ZipFile(path) as whole:
        archives = [
            Archive(path, entry.filename, entry.file_size)
            for entry in whole.infolist()
            if entry.filename.startswith("archive/") and not entry.is_dir()
        ]
    if not archives:
        raise BadInput(
            f"'{path}' is a ZIP file but not a WACZ file: it has no archive/ folder; leave it out."
        )
    return archives


def read_records(archive: Archive, limit: int, tally: Counter[str]) -> Iterator[Record]:
    """The records of an archive in their order; what cannot be read is counted as broken."""
    try:
        yield from _read_records(archive, limit, tally)
    except _BAD_ZIP:  # a WACZ file that is damaged: nothing behind that place can be had
        tally["broken"] += 1


def _read_records(archive: Archive, limit: int, tally: Counter[str]) -> Iterator[Record]:
    with archive.open() as file, archive.open() as beside:
        zipped = file.read(2) == GZIP
        if is_arc(beside):
            yield from arc_records(beside, archive.name, limit + _HEADERS, tally)
            return
        mark = _GZIP_MEMBER if zipped else _WARC_LINE
        start: int | None = 0
        page_limit = 0
        while start is not None:
            file.seek(start)
            last, before = start, tally["read"]
            try:
                for record in ArchiveIterator(file, parse_http=False):
                    last = max(last, record.stream_pos)
                    tally["read"] += 1
                    found = _record(record, archive.name, limit + _HEADERS, page_limit)
                    if found is None:
                        tally["broken"] += 1
                        continue
                    if found.kind == "warcinfo":
                        said = _PAGE_LIMIT.search(found.block)
                        page_limit = int(said[1]) if said else 0
                    if zipped and not _begins_member(beside, record.stream_pos):
                        found = found._replace(offset=None)
                    yield found
                tally["broken"] += _cut_short(beside, mark, last + 1)
                return
            except (OSError, ValueError):
                if start == 0 or tally["read"] > before:
                    tally["broken"] += 1
            start = _find(beside, mark, last + 1)


class OpenArchive:
    """An archive from which records are read at the places where they begin."""

    def __init__(self, archive: Archive) -> None:
        self._name = archive.name
        self._opened = ExitStack()
        self._file = self._opened.enter_context(archive.open())
        self._arc = is_arc(self._file)

    def close(self) -> None:
        self._opened.close()

    def record_at(self, place: int, limit: int) -> Record | None:
        """The record that begins there; None where none can be read."""
        limit += _HEADERS
        if self._arc:
            return next(arc_records(self._file, self._name, limit, Counter(), place), None)
        with suppress(OSError, ValueError):
            self._file.seek(place)
            for record in ArchiveIterator(self._file, parse_http=False):
                return _record(record, self._name, limit)
        return None


def _record(record: WarcRecord, name: str, limit: int, page_limit: int = 0) -> Record | None:
    """What the import needs of a record; None where it is cut short."""
    if record.headers.get("Content-Length") is None:
        return None
    block = record.reader.read(limit) if limit > _HEADERS else b""
    if limit > _HEADERS and len(block) < min(limit, record.content_length):
        return None
    headers = record.headers
    date, kind = record.record_date, str(record.record_type)
    return Record(
        kind=kind,
        url=(headers.get("WARC-Target-URI") or "").strip().strip("<>"),
        content_type=headers.get("Content-Type") or "",
        fetched_at=date.timestamp() if date else 0.0,
        ip=headers.get("WARC-IP-Address") or "",
        block=block,
        file=name,
        offset=record.stream_pos,
        digest=headers.get("WARC-Payload-Digest") or "",
        same_body=kind == "revisit" and _SAME_BODY in (headers.get("WARC-Profile") or ""),
        page_limit=page_limit,
    )


def _cut_short(file: IO[bytes], mark: bytes, start: int) -> bool:
    """Whether a record begins after the last one that could be read."""
    if (place := _find(file, mark, start)) is None:
        return False
    file.seek(place)
    rest = file.read(_HEADERS)
    if mark != _GZIP_MEMBER:
        return True
    with suppress(zlib.error):
        return b"WARC/".startswith(zlib.decompressobj(31).decompress(rest, 5))
    return False


def _begins_member(file: IO[bytes], place: int) -> bool:
    file.seek(place)
    return file.read(2) == GZIP


def _find(file: IO[bytes], mark: bytes, start: int) -> int | None:
    """Where the mark stands next; a line's mark begins with the end of the line before."""
    skip = int(mark.startswith(b"\n"))
    file.seek(start)
    place, window = start, file.read(_WINDOW)
    while window:
        found = window.find(mark)
        if found >= 0:
            return place + found + skip
        keep = min(len(mark) - 1, len(window))
        place += len(window) - keep
        more = file.read(_WINDOW)
        if not more:
            return None
        window = window[len(window) - keep :] + more
    return None
