"""Content codings taken off a body, with a limit that no bomb gets past.

Every coding is read in steps that stop at the limit, so a body costs time and memory for
what is kept of it, whatever it would have become.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import NamedTuple

import brotli  # type: ignore[import-untyped]
import zstandard
from zlib_ng import zlib_ng

ACCEPT_ENCODING = "gzip, deflate, br, zstd"

_MOST_CODINGS = 4
_MOST_MEMBERS = 1000
"""Members of a gzip body; each costs time even where it is empty."""
_STEPS = (64 * 1024, 1024)
"""Packed bytes taken at once. Where the data break, what came of a step is lost, so broken data
are read once more in smaller ones."""
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


class _NotSo(ValueError):
    """The data are not in the coding that they are said to be in."""


def unpack(raw: bytes, content_encoding: str, limit: int) -> Unpacked:
    """Take the codings that Content-Encoding names off a body, the last one first.

    What is not coded as it says is left as it came; what breaks off is kept as far as it
    could be read. A body that was packed twice by mistake is unpacked twice.
    """
    names = [name.strip().lower() for name in content_encoding.split(",")]
    codings = [_CODINGS.get(name) for name in reversed(names) if name not in _PLAIN]
    if not codings or not raw:
        return Unpacked(raw)
    if None in codings or len(codings) > _MOST_CODINGS:
        return Unpacked(raw, ("encoding",))
    body, notes = raw, []
    for coding in codings:
        assert coding is not None
        try:
            body, whole = coding(body, limit + 1)
        except _NotSo:
            return Unpacked(raw, ("encoding",))
        if len(body) > limit:
            body = body[:limit]
            notes.append("truncated")
        elif not whole:
            notes.append("encoding")
    if body.startswith(_GZIP_MAGIC) and not notes:
        again = unpack(body, "gzip", limit)
        return Unpacked(again.body, tuple(dict.fromkeys((*again.notes, "encoding"))))
    return Unpacked(body, tuple(dict.fromkeys(notes)))


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
    try:
        found = _inflate(15, memoryview(data), most)
    except _NotSo:
        found = _inflate(-15, memoryview(data), most)
    return _Part(found.data, found.whole)


class _Inflated(NamedTuple):
    data: bytes
    used: int
    """Packed bytes that it took."""
    whole: bool
    broken: bool = False


def _inflate(window: int, data: memoryview, most: int) -> _Inflated:
    """At most so many bytes of a deflated stream."""
    found = _Inflated(b"", 0, False)
    for step in _STEPS:
        found = _in_steps(step, window, data, most)
        if not found.broken:
            return found
    if not found.data:
        raise _NotSo
    return found


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
_CODINGS: dict[str, Callable[[bytes, int], _Part]] = {
    "gzip": _gunzip,
    "x-gzip": _gunzip,
    "deflate": _deflate,
    "br": _brotli,
    "zstd": _zstd,
}
