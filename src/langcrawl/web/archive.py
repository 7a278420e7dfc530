"""Pages as web archives keep them: WARC 1.1, one gzip member a record.

Each worker process has an `Archive` and writes to a file of its own, which ends in
``.open`` until it is complete. The crawl's database is what counts: on start `mend` cuts off
whatever a killed process wrote that the database does not know of.
"""

from __future__ import annotations

import hashlib
import os
import re
import time
import zlib
from base64 import b32encode
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

from fastwarc.stream_io import GzipWriter
from fastwarc.warc import WarcRecord, WarcRecordType

from langcrawl import __version__
from langcrawl.records import Page, Verdict, Visit
from langcrawl.web.exchange import Exchange, Headers

_OPEN = ".open"
_NAME = re.compile(r"langcrawl-\d{8}T\d{6}-w(\d+)-\d{5,}\.warc\.gz")
_LEVEL = 6
_REMEMBERED = 100_000
"""How many archived bodies a worker knows again."""
_WORTH_A_REVISIT = 1024
"""Bytes; a shorter body takes hardly more room than the words that say where it stands."""
_SAME_BODY = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"

_Fields = Iterable[tuple[str, str]]


class Place(NamedTuple):
    """Where the archive holds an answer.

    The record is the last of those written for its page, so that the first
    ``offset + length`` bytes of the file hold all that was written up to it.
    """

    file: str
    """The name that the file has once it is complete."""
    offset: int
    length: int
    digest: str
    """``sha1:`` and base 32, of the body as the server sent it."""
    revisit: bool = False
    """The body is the same as that of an earlier page, and stands only there."""


class Archive:
    """What one worker process writes; no two processes may share a slot at the same time."""

    def __init__(
        self, directory: Path, slot: int, about: Mapping[str, str], max_bytes: int = 1_000_000_000
    ) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self._directory, self._slot, self._max_bytes = directory, slot, max_bytes
        self._about = {
            "software": f"langcrawl/{__version__}",
            "format": "WARC File Format 1.1",
            "conformsTo": "http://iipc.github.io/warc-specifications/"
            "specifications/warc-format/warc-1.1/",
            **about,
        }
        self._file: _File | None = None
        self._seen: OrderedDict[bytes, tuple[str, float]] = OrderedDict()
        self._packed = BytesIO()
        self._gzip = GzipWriter(self._packed, _LEVEL)

    def write(self, visit: Visit, exchange: Exchange, page: Page, verdict: Verdict) -> Place:
        """Archive a page: request, metadata, and the response or where its body stands.

        All of it has reached the operating system when this returns. Where there is no room
        for it an OSError says so, and the file is as it was.
        """
        digest = hashlib.sha1(exchange.raw, usedforsecurity=False).digest()
        known = self._seen.get(digest)
        answer = _answer_to(exchange) if known is None else _revisit_of(exchange, *known)
        about = _fields_block(_story(visit, exchange, page, verdict))
        metadata = _record(
            WarcRecordType.metadata, exchange, "application/warc-fields", about, answer.record_id
        )
        place = self._append(exchange, answer, digest, metadata)
        if known is None and _may_repeat(exchange):
            self._seen[digest] = (exchange.url, exchange.asked_at)
            if len(self._seen) > _REMEMBERED:
                self._seen.popitem(last=False)
        return place._replace(revisit=known is not None)

    def write_robots(self, exchange: Exchange) -> Place:
        """Archive an answer that is no page of the crawl: request and response."""
        digest = hashlib.sha1(exchange.raw, usedforsecurity=False).digest()
        return self._append(exchange, _answer_to(exchange), digest)

    def close(self) -> None:
        """Complete the file, if there is one."""
        if self._file is not None:
            self._file.complete()
            self._file = None

    def _append(
        self, exchange: Exchange, answer: WarcRecord, digest: bytes, *others: WarcRecord
    ) -> Place:
        """Write the request, other records, and the answer as the last one."""
        request = _record(
            WarcRecordType.request,
            exchange,
            "application/http; msgtype=request",
            _request_head(exchange),
            answer.record_id,
        )
        for record in (request, *others):
            self._pack(record)
        before = self._packed.tell()
        self._pack(answer, digest)
        packed = self._take_packed()
        file = self._ready_file()
        offset = file.append(packed) + before
        text = f"sha1:{b32encode(digest).decode()}"
        return Place(file.name, offset, len(packed) - before, text)

    def _pack(self, record: WarcRecord, payload_digest: bytes | None = None) -> None:
        """Compress a record as a gzip member of its own."""
        record.write(self._gzip, checksum_data=True, payload_digest=payload_digest)
        self._gzip.finish()

    def _take_packed(self) -> bytes:
        packed = self._packed.getvalue()
        self._packed.seek(0)
        self._packed.truncate()
        return packed

    def _ready_file(self) -> _File:
        """The file to write to: the one at hand, one that an earlier run left, or a new one."""
        if self._file is not None and self._file.size >= self._max_bytes:
            self.close()
        if self._file is None:
            file = _left_open(self._directory, self._slot) or _new(self._directory, self._slot)
            self._pack(_warcinfo(file.name, self._about))
            try:
                file.append(self._take_packed())
            except OSError:
                file.release()
                raise
            self._file = file
        return self._file


class _File:
    """A WARC file that is being written, and holds complete records only."""

    def __init__(self, path: Path, fd: int) -> None:
        self._path, self._fd = path, fd
        self.name = _final(path)
        self.size = os.fstat(fd).st_size

    def append(self, data: bytes) -> int:
        """Write data and say where it begins; all of it or nothing."""
        begin, rest = self.size, memoryview(data)
        try:
            while rest:
                rest = rest[os.write(self._fd, rest) :]
        except OSError:
            os.ftruncate(self._fd, begin)
            raise
        self.size += len(data)
        return begin

    def release(self) -> None:
        """Leave the file as it is for a later try; an empty one goes."""
        os.close(self._fd)
        if not self.size:
            self._path.unlink()

    def complete(self) -> None:
        os.close(self._fd)
        self._path.rename(self._path.with_name(self.name))


def mend(directory: Path, committed: Mapping[str, int], slot: int | None = None) -> list[str]:
    """Make the archive hold what the crawl's database knows of, and nothing else.

    `committed` says how many bytes of a file count, by the name that the file has once it is
    complete. Called before any worker is started, and for the slot of a worker that died
    before another takes its place. Files of which nothing counts are removed where they were
    being written, and get the suffix ``.unknown`` where they were complete.

    Where the computer itself went down, a file may hold less than the database knows of. Such
    a file is completed with the records that are whole, so that nothing else ever stands
    where the lost ones were; the names of these files are returned.
    """
    short = []
    for path in _files(directory, slot):
        size, counts = path.stat().st_size, committed.get(_final(path), 0)
        if counts and size < counts:
            os.truncate(path, _whole_records(path))
            path.rename(path.with_name(_final(path)))
            short.append(_final(path))
        elif counts and size > counts:
            os.truncate(path, counts)
        elif not counts and path.name.endswith(_OPEN):
            path.unlink()
        elif not counts:
            path.rename(path.with_name(f"{path.name}.unknown"))
    return short


def seal(directory: Path) -> None:
    """Complete the files that nobody goes on writing, at the end of a crawl, once mended."""
    for path in _files(directory):
        path.rename(path.with_name(_final(path)))


def warc_date(seconds: float) -> str:
    """A moment as WARC-Date, to the microsecond."""
    moment = datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None)
    return moment.isoformat(timespec="microseconds") + "Z"


def _files(directory: Path, slot: int | None = None) -> Iterator[Path]:
    """The archive's files, of one slot or of all, complete or not; other files are not ours."""
    for path in sorted(directory.glob("langcrawl-*")):
        ours = _NAME.fullmatch(_final(path))
        if ours and slot in (None, int(ours[1])):
            yield path


def _final(path: Path) -> str:
    """The name that a file has once it is complete."""
    return path.name.removesuffix(_OPEN)


def _whole_records(path: Path) -> int:
    """How many bytes from the start of a file are complete gzip members."""
    whole, member = 0, zlib.decompressobj(wbits=31)
    with path.open("rb") as stream, suppress(zlib.error):
        while data := stream.read(1 << 16):
            while data:
                member.decompress(data)
                data = member.unused_data
                if member.eof:
                    whole = stream.tell() - len(data)
                    member = zlib.decompressobj(wbits=31)
    return whole


def _left_open(directory: Path, slot: int) -> _File | None:
    """The file that an earlier worker of the slot left, if it left one."""
    for path in _files(directory, slot):
        if path.name.endswith(_OPEN):
            return _File(path, os.open(path, os.O_WRONLY | os.O_APPEND))
    return None


def _new(directory: Path, slot: int) -> _File:
    """A file with a name that none has had: of the time, the slot and a number."""
    stem = f"langcrawl-{time.strftime('%Y%m%dT%H%M%S', time.gmtime())}-w{slot}"
    number = 1
    while any(directory.glob(f"{stem}-{number:05}.*")):
        number += 1
    path = directory / f"{stem}-{number:05}.warc.gz{_OPEN}"
    return _File(path, os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL, 0o644))


def _may_repeat(exchange: Exchange) -> bool:
    """Whether an equal body elsewhere is worth a revisit; a part of a page proves nothing."""
    return len(exchange.raw) >= _WORTH_A_REVISIT and "truncated" not in exchange.notes


def _record(
    kind: WarcRecordType, exchange: Exchange, content_type: str, block: bytes, with_id: str | None
) -> WarcRecord:
    """A record about an exchange, at the same time as the record with that id."""
    record = WarcRecord()
    record.init_headers(kind)
    record.set_bytes_content(block)
    fields = [
        ("WARC-Date", warc_date(exchange.asked_at)),
        ("WARC-Target-URI", exchange.url),
        ("Content-Type", content_type),
    ]
    if with_id:
        fields.append(("WARC-Concurrent-To", with_id))
    _describe(record, fields)
    return record


def _answer_to(exchange: Exchange) -> WarcRecord:
    record = _answer(WarcRecordType.response, exchange, exchange.raw)
    if "truncated" in exchange.notes:
        record.headers.set("WARC-Truncated", "length")
    return record


def _revisit_of(exchange: Exchange, url: str, asked_at: float) -> WarcRecord:
    """The answer without its body, which stands where this URL was archived."""
    record = _answer(WarcRecordType.revisit, exchange, b"")
    _describe(
        record,
        [
            ("WARC-Profile", _SAME_BODY),
            ("WARC-Refers-To-Target-URI", url),
            ("WARC-Refers-To-Date", warc_date(asked_at)),
        ],
    )
    return record


def _answer(kind: WarcRecordType, exchange: Exchange, body: bytes) -> WarcRecord:
    block = _response_head(exchange) + body
    record = _record(kind, exchange, "application/http; msgtype=response", block, None)
    if exchange.ip:
        _describe(record, [("WARC-IP-Address", exchange.ip)])
    return record


def _warcinfo(name: str, about: Mapping[str, str]) -> WarcRecord:
    record = WarcRecord()
    record.init_headers(WarcRecordType.warcinfo)
    record.set_bytes_content(_fields_block(about.items()))
    _describe(
        record,
        [
            ("WARC-Date", warc_date(time.time())),
            ("WARC-Filename", name),
            ("Content-Type", "application/warc-fields"),
        ],
    )
    return record


def _story(visit: Visit, exchange: Exchange, page: Page, verdict: Verdict) -> _Fields:
    """Why the page was crawled and what it turned out to be; the log's columns have these names.

    ``via`` and ``fetchTimeMs`` are those of the WARC standard.
    """
    yield "via", visit.parent
    yield "reason", visit.via
    yield "depth", str(visit.facts.depth)
    yield "irrelevant_run", str(visit.facts.run)
    yield "priority", f"{visit.priority:g}"
    yield "fetchTimeMs", f"{exchange.elapsed * 1000:.0f}"
    yield "language", verdict.language
    yield "script", verdict.script
    yield "encoding", verdict.encoding
    yield "score", f"{verdict.score:.4g}"
    yield "relevant", str(verdict.relevant).lower()
    for evidence in verdict.evidence:
        yield "evidence", evidence
    yield "notes", " ".join(dict.fromkeys(exchange.notes + page.notes))


def _request_head(exchange: Exchange) -> bytes:
    path = exchange.url.split("/", 3)[3]
    return _head(f"GET /{path} HTTP/1.1".encode(), exchange.request_headers)


def _response_head(exchange: Exchange) -> bytes:
    """The head as it was sent, but for the name of a transfer coding that is undone."""
    reason = exchange.reason.encode("utf-8", errors="surrogateescape")
    first = f"HTTP/{exchange.http_version} {exchange.status} ".encode() + reason
    return _head(
        first,
        tuple(
            (b"X-Archive-Orig-" + name, value)
            if name.lower() == b"transfer-encoding"
            else (name, value)
            for name, value in exchange.headers
        ),
    )


def _head(first: bytes, headers: Headers) -> bytes:
    lines = [first, *(name + b": " + value for name, value in headers)]
    return b"\r\n".join([_one_line(line) for line in lines]) + b"\r\n\r\n"


def _one_line(line: bytes) -> bytes:
    return line.replace(b"\r", b" ").replace(b"\n", b" ")


def _fields_block(fields: _Fields) -> bytes:
    """Named fields (``application/warc-fields``); empty ones are left out."""
    lines = [f"{name}: {_printable(value)}\r\n" for name, value in fields if value]
    return "".join(lines).encode()


def _describe(record: WarcRecord, fields: _Fields) -> None:
    headers = record.headers
    for name, value in fields:
        headers.set(name, _printable(value))


def _printable(text: str) -> str:
    """Text in which nothing ends a line, hides or is no Unicode: all that becomes blank."""
    if text.isprintable():
        return text
    return "".join([letter if letter.isprintable() else " " for letter in text])
