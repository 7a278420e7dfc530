"""Targets: HTTP answers as they come from a socket, and what they are packed in."""

from __future__ import annotations

import gzip
import zlib
from random import Random
from typing import NamedTuple

import brotli  # type: ignore[import-untyped]
import zstandard

from benchmarks import costly
from fuzz.target import Target, demand
from langcrawl.archive.http1 import AnswerReader, BrokenAnswer
from langcrawl.archive.message import read_answer
from langcrawl.archive.unpack import unpack

_LIMITS = (0, 10, 1_000, 100_000)
_CODINGS = ("gzip", "deflate", "br", "zstd")
_PIECES = (1, 2, 7, 100, 5_000)


class _Read(NamedTuple):
    """An answer as it was read."""

    broken: bool
    status: int = 0
    version: str = ""
    reason: str = ""
    headers: tuple[tuple[bytes, bytes], ...] = ()
    body: bytes = b""
    notes: tuple[str, ...] = ()
    unread: int = 0
    """Bytes that came when the answer was over already."""


def _read(data: bytes, limit: int, sizes: list[int]) -> _Read:
    """Feed an answer in pieces of these sizes, as a connection does."""
    reader, at = AnswerReader(limit), 0
    try:
        for size in sizes:
            if reader.feed(data[at : at + size]):
                at += size
                break
            at += size
        else:
            reader.end()
    except BrokenAnswer:
        return _Read(True)
    demand(len(reader.body) == reader.size <= limit, f"a body is within its limit: {reader.size}")
    return _Read(
        False, reader.status, reader.version, reader.reason, reader.headers, reader.body,
        tuple(reader.notes), max(0, len(data) - at),
    )  # fmt: skip


def _sizes(data: bytes) -> list[int]:
    """Sizes of pieces, of which each may be a byte or thousands; the same for the same data."""
    rng, left, sizes = Random(zlib.crc32(data)), len(data), list[int]()
    most = rng.choice(_PIECES)
    while left > 0:
        sizes.append(min(left, rng.randint(1, most)))
        left -= sizes[-1]
        most = most if len(sizes) < 2_000 else len(data)
    return sizes


def _check_http(data: bytes) -> object:
    limit = _LIMITS[len(data) % len(_LIMITS)]
    whole, pieces = _read(data, limit, [len(data)]), _read(data, limit, _sizes(data))
    if pieces.unread:  # what came too late for one was seen by the other
        late = tuple(note for note in whole.notes if note != "length")
        whole, pieces = whole._replace(notes=late), pieces._replace(unread=0)
        pieces = pieces._replace(notes=tuple(n for n in pieces.notes if n != "length"))
    for name, first, second in zip(_Read._fields, whole, pieces, strict=True):
        same = first == second
        demand(same, f"in pieces, an answer has the same {name}: {first!r:.80} {second!r:.80}")
    kept = read_answer(data, limit)
    if kept is not None:
        demand(len(kept.raw) <= limit, f"an archived body is within its limit: {len(kept.raw)}")
    return whole.broken, whole.status, whole.notes, len(whole.headers), kept and kept.notes


def _http_seeds() -> list[bytes]:
    body = b"<p>Hello, world.</p>"
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
    chunks = b"5;x=y\r\n<p>hi\r\n1\r\n!\r\n0\r\nT: 1\r\n\r\n"
    chunked = head + b"Transfer-Encoding: chunked\r\n\r\n"
    packed = gzip.compress(body)
    return [
        head + b"Content-Length: 20\r\n\r\n" + body,
        head + b"\r\n" + body,
        chunked + chunks,
        chunked + b"5;" + b"x" * 200 + b"\r\n<p>hi\r\n0\r\n\r\n",
        b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nLink: </x>\r\n\r\n" + head + b"\r\n",
        b"\r\n\r\nHTTP/1.0 404 Not found\nX: 1\n folded\nContent-Length: 5, 5\n\nabcde",
        b"HTTP/1.1 204\r\n\r\nmore",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 7\r\n\r\nabcdefg",
        head + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(packed) + packed,
        b"HTTP/1.1 301 Moved\r\nLocation: /\xff\r\nConnection: close\r\n\r\n",
    ]


def _check_unpack(data: bytes) -> object:
    """What Content-Encoding says in the first line, and the body."""
    said, _, raw = data.partition(b"\n")
    limit = _LIMITS[len(data) % len(_LIMITS)]
    body, notes = unpack(raw, said.decode("latin-1"), limit)
    most = max(limit, len(raw))
    demand(len(body) <= most, f"an unpacked body is within its limit: {len(body)}")
    demand(set(notes) <= {"truncated", "encoding"}, f"notes are known: {notes}")
    known = [name for name in _CODINGS if name.encode() in said]
    return known, notes, len(body).bit_length(), body == raw


def _unpack_seeds() -> list[bytes]:
    body = b"<p>Hello, world.</p>" * 20
    bare = zlib.compressobj(wbits=-15)
    twice = gzip.compress(gzip.compress(body))
    named = zlib.compressobj(wbits=31)
    return [
        b"gzip\n" + gzip.compress(body),
        b"gzip\n" + gzip.compress(body) * 3,
        b"gzip\n" + twice,
        b"gzip, gzip\n" + twice,
        b"gzip\n" + costly.packed(body, 50),
        b"deflate\n" + zlib.compress(body),
        b"deflate\n" + bare.compress(body) + bare.flush(),
        b"x-gzip\n" + named.compress(body) + named.flush() + b"behind",
        b"gzip\n\x1f\x8b\x08\x1e\0\0\0\0\0\3\2\0ab" + b"name\0comment\0" + b"xx" + b"\3\0",
        b"br\n" + brotli.compress(body),
        b"zstd\n" + zstandard.compress(body) * 2,
        b"zstd, br, identity\n" + brotli.compress(zstandard.compress(body)),
        b"gzip\n" + gzip.compress(b"\0" * 1_000_000),
    ]


_IN_HTTP = (
    b"\r\n", b"\n\n", b"HTTP/1.1 200 OK\r\n", b"HTTP/1.0 ", b"Content-Length: ", b"chunked",
    b"Transfer-Encoding: chunked\r\n", b"0\r\n\r\n", b"1\r\nx\r\n", b"ffffffff\r\n",
    b"Connection: close\r\n", b"Content-Encoding: gzip\r\n", b"100 Continue\r\n\r\n",
    b";" + b"x" * 9_000,
)  # fmt: skip
_IN_PACKED = (
    b"gzip,", b"deflate,", b"br,", b"zstd,", b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd", b"\x78\x9c",
    b"\x50\x2a\x4d\x18", b"\x03\x00", b"identity,",
)  # fmt: skip

ANSWERS = (
    Target("http", "an answer in pieces is the answer in one, within its limit",
           _http_seeds, _check_http, _IN_HTTP, most=200_000),
    Target("unpack", "a body is unpacked within its limit, whatever is wrong with it",
           _unpack_seeds, _check_unpack, _IN_PACKED, most=100_000),
)  # fmt: skip
