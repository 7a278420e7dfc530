"""Content codings taken off a body, with a limit that no bomb gets past.

Every coding is read in steps that stop at the limit, so a body costs time and memory for
what is kept of it, whatever it would have become.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

import brotli  # type: ignore[import-untyped]
import zstandard
from zlib_ng import zlib_ng

ACCEPT_ENCODING = "gzip, deflate, br, zstd"

_MOST_CODINGS = 4
_MOST_MEMBERS = 1000
"""Members of a gzip body; each costs time even where it is empty."""
_STEP, _SMALL_STEP = 64 * 1024, 1024
"""Packed bytes taken at once. Where the data break, what came of a step is lost, so broken data
are read once more in smaller ones."""
_HEAD_CHECKSUM, _EXTRA, _NAME, _COMMENT = 2, 4, 8, 16
"""What the flags of a gzip header say that it has."""
_PIECE = 64 * 1024
"""Unpacked bytes asked for at once."""
_ZSTD_WINDOW = 8 * 1024 * 1024
"""The window that a browser takes as well (RFC 9659)."""
_GZIP_MAGIC = b"\x1f\x8b\x08"
_BadData: type[Exception] = zlib_ng.error  # type: ignore[assignment]  # its stub is wrong


class Unpacked(NamedTuple):
    """A body without its codings, and what was wrong with it."""

    body: bytes
    notes: tuple[str, ...] = ()
    """``truncated``: cut at the limit. ``encoding``: it is not coded as it says."""


class _Part(NamedTuple):
    data: bytes
    whole: bool
    """Whether the data ended where its coding says."""


_Coding = Callable[[bytes, int], _Part]


class _NotSo(ValueError):
    """The data are not in the coding that they are said to be in."""


def unpack(raw: bytes, content_encoding: str, limit: int) -> Unpacked:
    """Take the codings that Content-Encoding names off a body, the last one first.

    What is not coded as it says is left as it came; what breaks off is kept as far as it
    could be read. A body that was packed twice by mistake is unpacked twice, and not more often.
    """
    names = [name.strip().lower() for name in content_encoding.split(",")]
    codings = [_CODINGS.get(name) for name in reversed(names) if name not in _PLAIN]
    if not codings or not raw:
        return Unpacked(raw)
    if None in codings or len(codings) > _MOST_CODINGS:
        return Unpacked(raw, ("encoding",))
    body, notes = raw, list[str]()
    try:
        for coding in codings:
            assert coding is not None
            body = _without(coding, body, limit, notes)
    except _NotSo:
        return Unpacked(raw, ("encoding",))
    if body.startswith(_GZIP_MAGIC) and not notes:
        notes.append("encoding")
        with suppress(_NotSo):
            body = _without(_gunzip, body, limit, notes)
    return Unpacked(body, tuple(dict.fromkeys(notes)))


def _without(coding: _Coding, body: bytes, limit: int, notes: list[str]) -> bytes:
    """A body with one coding taken off, and notes of what was wrong."""
    body, whole = coding(body, limit + 1)
    if len(body) > limit:
        notes.append("truncated")
    elif not whole:
        notes.append("encoding")
    return body[:limit]


def _gunzip(data: bytes, most: int) -> _Part:
    parts: list[bytes] = []
    size = members = 0
    rest = memoryview(data)
    while rest and size < most and members < _MOST_MEMBERS:
        if members and bytes(rest[:2]) != _GZIP_MAGIC[:2]:
            break  # something behind the end, which browsers do not mind either
        try:
            found = _inflate(31, rest, most - size)
        except _NotSo:
            if not members:
                raise
            return _Part(b"".join(parts), False)
        parts.append(found.data)
        size += len(found.data)
        members += 1
        if not found.whole:
            return _Part(b"".join(parts), False)
        rest = rest[found.used :]
    return _Part(b"".join(parts), members < _MOST_MEMBERS)


def _deflate(data: bytes, most: int) -> _Part:
    """With the header of zlib, as the standard has it, or without, as many servers do."""
    packed = memoryview(data)
    for window in (15, -15):
        found = _in_steps(_STEP, window, packed, most)
        if not found.broken:
            return _Part(found.data, found.whole)
    try:
        found = _inflate(15, packed, most)
    except _NotSo:
        found = _inflate(-15, packed, most)
    return _Part(found.data, found.whole)


class _Inflated(NamedTuple):
    data: bytes
    used: int
    """Packed bytes that it took."""
    whole: bool
    broken: bool = False


def _inflate(window: int, data: memoryview, most: int) -> _Inflated:
    """At most so many bytes of a deflated stream.

    Where it breaks it is read once more, in smaller steps and without its checksum, so that
    nothing is lost but what is broken.
    """
    found = _in_steps(_STEP, window, data, most)
    if found.broken:
        start = _behind_header(window, data)
        found = _in_steps(_SMALL_STEP, -15, data[start:], most)
        if not found.data:
            raise _NotSo
        found = found._replace(used=len(data), whole=False)
    return found


def _behind_header(window: int, data: memoryview) -> int:
    """Where the packed bytes begin, behind the header of gzip or zlib (RFC 1952, RFC 1950)."""
    if window < 0:
        return 0
    if window == 15:
        if len(data) < 2 or data[0] & 15 != 8 or (data[0] << 8 | data[1]) % 31:
            raise _NotSo
        return 2
    head, at = bytes(data[: 1 << 16]), 10
    if not head.startswith(_GZIP_MAGIC) or len(head) < at:
        raise _NotSo
    flags = head[3]
    if flags & _EXTRA:
        at += 2 + int.from_bytes(head[at : at + 2], "little")
    for _ in range(bool(flags & _NAME) + bool(flags & _COMMENT)):
        at = head.find(b"\0", at) + 1 or len(head)
    return at + 2 * bool(flags & _HEAD_CHECKSUM)


def _in_steps(step: int, window: int, data: memoryview, most: int) -> _Inflated:
    inflater = zlib_ng.decompressobj(window)
    parts: list[bytes] = []
    size = at = 0
    try:
        while at < len(data) and size < most and not inflater.eof:
            piece = data[at : at + step]
            part = inflater.decompress(piece, most - size)
            parts.append(part)
            size += len(part)
            at += len(piece) - len(inflater.unused_data) - len(inflater.unconsumed_tail)
    except _BadData:
        return _Inflated(b"".join(parts), len(data), False, True)
    return _Inflated(b"".join(parts), at, inflater.eof or size >= most)


def _brotli(data: bytes, most: int) -> _Part:
    reader = brotli.Decompressor()
    parts: list[bytes] = []
    size = 0
    try:
        part = reader.process(data, output_buffer_limit=_PIECE)
        while part:
            parts.append(part)
            size += len(part)
            if size >= most:
                break
            part = b"" if reader.is_finished() else reader.process(b"", output_buffer_limit=_PIECE)
    except brotli.error as error:
        if not size:
            raise _NotSo(str(error)) from None
        return _Part(b"".join(parts), False)
    return _Part(b"".join(parts), reader.is_finished() or size >= most)


def _zstd(data: bytes, most: int) -> _Part:
    reader = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW).stream_reader(
        io.BytesIO(data), read_across_frames=True
    )
    parts: list[bytes] = []
    size = 0
    try:
        while size < most and (part := reader.read(min(_PIECE, most - size))):
            parts.append(part)
            size += len(part)
    except zstandard.ZstdError as error:
        if not size:
            raise _NotSo(str(error)) from None
        return _Part(b"".join(parts), False)
    return _Part(b"".join(parts), bool(parts))


_PLAIN = ("", "identity", "none", "utf-8", "binary")
"""Words that servers write and that change nothing."""
_CODINGS: dict[str, _Coding] = {
    "gzip": _gunzip,
    "x-gzip": _gunzip,
    "deflate": _deflate,
    "br": _brotli,
    "zstd": _zstd,
}
