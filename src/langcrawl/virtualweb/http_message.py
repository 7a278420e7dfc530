"""HTTP answers as archives keep them: with their headers, chunked and compressed as they came."""

from __future__ import annotations

import io
import re
import zlib
from typing import NamedTuple

from fastwarc.stream_io import BrotliReader, ZstdReader

_STATUS = re.compile(rb"HTTP/\d(?:\.\d)?[ \t]+(\d{3})\b")
_END_OF_HEADERS = re.compile(rb"\r?\n\r?\n")
_CHUNK = re.compile(rb"[ \t]*([0-9a-fA-F]{1,8})[ \t]*(?:;[^\r\n]{0,1024})?\r?\n")
_PIECE = 1 << 16
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"


class Answer(NamedTuple):
    """An HTTP answer; the names of its headers are in small letters."""

    status: int
    headers: dict[str, str]
    body: bytes


def parse_answer(block: bytes, limit: int) -> Answer | None:
    """An answer with its body decoded and cut at the limit; None where it is no HTTP."""
    status = _STATUS.match(block)
    if not status:
        return None
    end = _END_OF_HEADERS.search(block)
    head, body = (block[: end.start()], block[end.end() :]) if end else (block, b"")
    headers: dict[str, str] = {}
    for line in head.decode("utf-8", errors="surrogateescape").split("\n")[1:]:
        name, colon, value = line.partition(":")
        if colon:
            headers.setdefault(name.strip().lower(), value.strip())
    if "chunked" in headers.get("transfer-encoding", "").lower():
        body = join_chunks(body)
    codings = headers.get("content-encoding", "").lower().split(",")
    for coding in reversed([coding.strip() for coding in codings]):
        body = decompress(body, coding, limit)
    return Answer(int(status[1]), headers, body[:limit])


def join_chunks(body: bytes) -> bytes:
    """The body of a chunked message, as far as its chunks are sound.

    Some crawlers join the chunks and keep the header: such a body is given back as it is.
    """
    parts: list[bytes] = []
    place = 0
    while chunk := _CHUNK.match(body, place):
        size = int(chunk[1], 16)
        if size == 0:
            return b"".join(parts)
        parts.append(body[chunk.end() : chunk.end() + size])
        place = chunk.end() + size
        place += 2 if body.startswith(b"\r\n", place) else body.startswith(b"\n", place)
    return b"".join(parts) if parts else body


def decompress(body: bytes, coding: str, limit: int) -> bytes:
    """Undo a content coding, up to the limit; what is not coded that way stays as it is."""
    if coding in ("gzip", "x-gzip"):
        return _inflate(body, 31, limit) or body
    if coding == "deflate":
        return _inflate(body, 15, limit) or _inflate(body, -15, limit) or body
    if coding == "br":
        return _read(BrotliReader(io.BytesIO(body)), limit) or body
    if coding == "zstd" and body.startswith(_ZSTD_MAGIC):
        return _read(ZstdReader(io.BytesIO(body)), limit) or body
    return body


def _inflate(body: bytes, window: int, limit: int) -> bytes:
    """Inflate as far as it goes: a message that is cut short still says something."""
    machine, parts, size = zlib.decompressobj(window), [], 0
    for place in range(0, len(body), _PIECE):
        try:
            part = machine.decompress(body[place : place + _PIECE], limit - size)
        except zlib.error:
            break
        parts.append(part)
        size += len(part)
        if size >= limit or machine.eof:
            break
    return b"".join(parts)


def _read(reader: BrotliReader | ZstdReader, limit: int) -> bytes:
    parts, size = [], 0
    try:
        while size < limit and (part := reader.read(min(_PIECE, limit - size))):
            parts.append(part)
            size += len(part)
    except OSError:
        pass
    return b"".join(parts)
