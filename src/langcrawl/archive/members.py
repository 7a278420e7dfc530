"""The gzip members of a WARC file, one a record: where each stands, and whether it is whole."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import suppress
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import BinaryIO, NamedTuple

from langcrawl.archive.exchange import Headers
from langcrawl.page import digest_of

_BLOCK, _HEAD, _GZIP, _RAW = 1 << 16, 4096, 31, -15
_MAGIC = b"\x1f\x8b\x08"
_LONGEST_HEAD = 1 << 18


class Member(NamedTuple):
    """A whole record in a file."""

    start: int
    end: int
    head: bytes
    """The beginning of the record."""

    @property
    def kind(self) -> bytes:
        """Its type, as langcrawl writes it: in the second line."""
        return self.head.split(b"WARC-Type: ", 1)[-1].split(b"\r\n", 1)[0]


def members(path: Path, start: int = 0) -> Iterator[Member]:
    """The whole records of a file from a place on, up to the first that is not whole."""
    with path.open("rb") as stream, suppress(zlib.error):
        stream.seek(start)
        member, head = zlib.decompressobj(wbits=_GZIP), b""
        while data := stream.read(_BLOCK):
            while data:
                part = member.decompress(data)
                head += part[: _HEAD - len(head)]
                data = member.unused_data
                if member.eof:
                    end = stream.tell() - len(data)
                    yield Member(start, end, head)
                    start, member, head = end, zlib.decompressobj(wbits=_GZIP), b""


def whole_bytes(path: Path) -> int:
    """How many bytes from the start of a file are whole records."""
    return _last_end(path, 0)


def damaged_spans(path: Path) -> Iterator[tuple[int, int]]:
    """From where to where a file holds no whole records, but for its end."""
    place = 0
    with path.open("rb") as stream, mmap(stream.fileno(), 0, access=ACCESS_READ) as data:
        while (start := _last_end(path, place)) < len(data):
            place = data.find(_MAGIC, start + 1)
            while place >= 0 and not member_length(stream, place):
                place = data.find(_MAGIC, place + 1)
            if place < 0:
                return
            yield start, place


def _last_end(path: Path, start: int) -> int:
    """Where the whole records end that stand one behind the other from there on."""
    for member in members(path, start):
        start = member.end
    return start


def in_place_of(size: int, record: bytes) -> bytes | None:
    """A record packed into so many bytes; None where it needs more.

    What it is too short for stands in its gzip header as a file name, which every reader skips.
    """
    packer = zlib.compressobj(9, wbits=_RAW)
    packed = packer.compress(record) + packer.flush()
    trailer = zlib.crc32(record).to_bytes(4, "little") + len(record).to_bytes(4, "little")
    room = size - 10 - len(packed) - len(trailer) - 1
    if room < 0:
        return None
    header = _MAGIC + b"\x08" + bytes(5) + b"\xff"
    return b"".join((header, b"-" * room, b"\0", packed, trailer))


def member_length(stream: BinaryIO, start: int) -> int:
    """How long the member is that begins there; 0 where none does, or it is not whole."""
    stream.seek(start)
    member = zlib.decompressobj(wbits=_GZIP)
    with suppress(zlib.error):
        while data := stream.read(_BLOCK):
            member.decompress(data)
            if member.eof:
                return stream.tell() - len(member.unused_data) - start
    return 0


class AnswerHead(NamedTuple):
    """The head of an archived answer."""

    headers: Headers
    """Those of HTTP."""
    bytes: int
    """How many bytes the answer has, its body included; of a revisit, those of its head."""
    is_revisit: bool


def head_at(stream: BinaryIO, start: int) -> AnswerHead | None:
    """The head of the answer whose record begins there; None where none can be read."""
    stream.seek(start)
    with suppress(zlib.error, ValueError):
        record = zlib.decompressobj(wbits=_GZIP).decompress(stream.read(_BLOCK), _LONGEST_HEAD)
        fields, _, block = record.partition(b"\r\n\r\n")
        known = dict(_fields(fields))
        if known.get(b"warc-type") in (b"response", b"revisit"):
            headers = tuple(_fields(block.partition(b"\r\n\r\n")[0]))
            size = int(known.get(b"content-length", b""))
            return AnswerHead(headers, size, known[b"warc-type"] == b"revisit")
    return None


def _fields(lines: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The fields behind the first line, their names in small letters."""
    for line in lines.split(b"\r\n")[1:]:
        name, colon, value = line.partition(b":")
        if colon:
            yield name.strip().lower(), value.strip()


def problem_at(stream: BinaryIO, start: int, length: int, url: str, digest: str) -> str:
    """What is wrong with the answer of a URL that stands at a place; empty where nothing is."""
    stream.seek(start)
    data = stream.read(length)
    member = zlib.decompressobj(wbits=_GZIP)
    try:
        record = member.decompress(data)
    except zlib.error:
        return "is damaged"
    if len(data) < length or not member.eof:
        return "is cut short"
    head, _, block = record.partition(b"\r\n\r\n")
    lines = head.split(b"\r\n")
    if b"WARC-Target-URI: " + url.encode() not in lines:
        return "is another page's"
    if digest and b"WARC-Payload-Digest: " + digest.encode() not in lines:
        return "has another digest than the log says"
    if digest and b"WARC-Type: response" in lines:
        body = block.partition(b"\r\n\r\n")[2].removesuffix(b"\r\n\r\n")
        if digest_of(body) != digest:
            return "has a body that does not fit its digest"
    return ""
