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
from uuid import uuid4

from fastwarc.stream_io import GzipWriter

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
_NAMED_FIELDS = "application/warc-fields"
_HTTP_RESPONSE = "application/http; msgtype=response"
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
        self._seen: OrderedDict[str, tuple[str, float]] = OrderedDict()
        self._gzipped = BytesIO()
        self._gzip = GzipWriter(self._gzipped, _LEVEL)

    def write(self, visit: Visit, exchange: Exchange, page: Page, verdict: Verdict) -> Place:
        """Archive a page: request, metadata, and the response or where its body stands.

        All of it has reached the operating system when this returns. Where there is no room
        for it an OSError says so, and the file is as it was.
        """
        digest, answer_id = _digest(exchange.raw), _new_id()
        known = self._seen.get(digest)
        if known is None:
            answer = _response(exchange, answer_id, digest)
        else:
            answer = _revisit(exchange, answer_id, digest, *known)
        records = [
            _request(exchange, answer_id),
            _metadata(exchange, answer_id, _story(visit, exchange, page, verdict)),
            answer,
        ]
        place = self._append(records, digest)._replace(revisit=known is not None)
        if known is None and _may_repeat(exchange):
            self._seen[digest] = (exchange.url, exchange.asked_at)
            if len(self._seen) > _REMEMBERED:
                self._seen.popitem(last=False)
        return place

    def write_robots(self, exchange: Exchange) -> Place:
        """Archive an answer that is no page of the crawl: request and response."""
        digest, answer_id = _digest(exchange.raw), _new_id()
        records = [_request(exchange, answer_id), _response(exchange, answer_id, digest)]
        return self._append(records, digest)

    def close(self) -> None:
        """Complete the file, if there is one."""
        if self._file is not None:
            self._file.complete()
            self._file = None

    def _append(self, records: list[bytes], digest: str) -> Place:
        """Write these records, of which the last is the answer."""
        packed = [self._packed(record) for record in records]
        file = self._ready_file()
        end = file.append(b"".join(packed))
        return Place(file.name, end - len(packed[-1]), len(packed[-1]), digest)

    def _packed(self, record: bytes) -> bytes:
        """A record as a gzip member of its own."""
        self._gzip.write(record)
        self._gzip.finish()
        packed = self._gzipped.getvalue()
        self._gzipped.seek(0)
        self._gzipped.truncate()
        return packed

    def _ready_file(self) -> _File:
        """The file to write to: the one at hand, one that an earlier run left, or a new one."""
        if self._file is not None and self._file.size >= self._max_bytes:
            self.close()
        if self._file is None:
            file = _left_open(self._directory, self._slot) or _new(self._directory, self._slot)
            try:
                file.append(self._packed(_warcinfo(file.name, self._about)))
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
        """Write data, all of it or nothing, and say where the file ends now."""
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[os.write(self._fd, rest) :]
        except OSError:
            os.ftruncate(self._fd, self.size)
            raise
        self.size += len(data)
        return self.size

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


def _warcinfo(name: str, about: Mapping[str, str]) -> bytes:
    fields = [("WARC-Date", warc_date(time.time())), ("WARC-Filename", name)]
    return _record("warcinfo", _new_id(), _NAMED_FIELDS, _named_fields(about.items()), fields)


def _request(exchange: Exchange, answer_id: str) -> bytes:
    path = exchange.url.split("/", 3)[3]
    block = _head(f"GET /{path} HTTP/1.1".encode(), exchange.request_headers)
    fields = [*_event(exchange), ("WARC-Concurrent-To", answer_id)]
    return _record("request", _new_id(), "application/http; msgtype=request", block, fields)


def _metadata(exchange: Exchange, answer_id: str, story: _Fields) -> bytes:
    fields = [*_event(exchange), ("WARC-Concurrent-To", answer_id)]
    return _record("metadata", _new_id(), _NAMED_FIELDS, _named_fields(story), fields)


def _response(exchange: Exchange, record_id: str, digest: str) -> bytes:
    block = _response_head(exchange) + exchange.raw
    fields = [
        *_event(exchange),
        ("WARC-IP-Address", exchange.ip),
        ("WARC-Payload-Digest", digest),
        ("WARC-Truncated", "length" if "truncated" in exchange.notes else ""),
    ]
    return _record("response", record_id, _HTTP_RESPONSE, block, fields)


def _revisit(exchange: Exchange, record_id: str, digest: str, url: str, asked_at: float) -> bytes:
    """The answer without its body, which stands where this URL was archived."""
    fields = [
        *_event(exchange),
        ("WARC-IP-Address", exchange.ip),
        ("WARC-Payload-Digest", digest),
        ("WARC-Profile", _SAME_BODY),
        ("WARC-Refers-To-Target-URI", url),
        ("WARC-Refers-To-Date", warc_date(asked_at)),
    ]
    return _record("revisit", record_id, _HTTP_RESPONSE, _response_head(exchange), fields)


def _event(exchange: Exchange) -> list[tuple[str, str]]:
    return [("WARC-Target-URI", exchange.url), ("WARC-Date", warc_date(exchange.asked_at))]


def _record(kind: str, record_id: str, content_type: str, block: bytes, fields: _Fields) -> bytes:
    """A record as it stands in a file, before it is compressed."""
    head = _named_fields(
        [
            ("WARC-Type", kind),
            ("WARC-Record-ID", record_id),
            *fields,
            ("Content-Type", content_type),
            ("Content-Length", str(len(block))),
            ("WARC-Block-Digest", _digest(block)),
        ]
    )
    return b"".join((b"WARC/1.1\r\n", head, b"\r\n", block, b"\r\n\r\n"))


def _new_id() -> str:
    return f"<urn:uuid:{uuid4()}>"


def _digest(data: bytes) -> str:
    return f"sha1:{b32encode(hashlib.sha1(data, usedforsecurity=False).digest()).decode()}"


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


def _named_fields(fields: _Fields) -> bytes:
    """Fields as a record's head and as ``application/warc-fields``; empty ones are left out."""
    lines = [f"{name}: {_printable(value)}\r\n" for name, value in fields if value]
    return "".join(lines).encode()


def _printable(text: str) -> str:
    """Text in which nothing ends a line, hides or is no Unicode: all that becomes blank."""
    if text.isprintable():
        return text
    return "".join([letter if letter.isprintable() else " " for letter in text])
