"""Reads an HTTP/1 answer from bytes as they arrive, and makes the best of broken ones.

There is no input or output here: `feed` takes what came from a socket or stands in an archive,
`end` says that no more will come. Whatever has a status line and headers that end is an answer;
a body that does not keep its word about its length is kept as far as it came, with the note
``length``.
"""

from __future__ import annotations

import re

from langcrawl.archive.exchange import Headers

_HEAD_LIMIT = 128 * 1024
_LINE_LIMIT = 8 * 1024
"""Bytes of the line with a chunk's size."""
_INTERIM_LIMIT = 10
_OVERHEAD_LIMIT = 1_000_000
"""Bytes spent on framing chunks: a hostile server can send little else."""
_SMALL = 4096
"""Parts of a body up to this size are put together."""
_BLANK_LINE = re.compile(rb"\r?\n\r?\n")
_STATUS_LINE = re.compile(rb"HTTP/(\d(?:\.\d)?)[ \t]+([1-9]\d\d)(?:[ \t]+(.*))?[ \t]*")
_CHUNK_SIZE = re.compile(rb"[ \t]*([0-9a-fA-F]{1,15})[ \t]*(?:;.*)?\r?")
_DIGITS = re.compile(r"[0-9]{1,15}")
_BODILESS = (204, 304)


class BrokenAnswer(ValueError):
    """The bytes are not an HTTP answer; the message says what is wrong with them."""


class AnswerReader:
    """One answer to a GET request; at most `limit` bytes of its body are kept.

    With `head_only` it is over with its headers, as that of a proxy to CONNECT. With `archived`
    it is fed whole, from an archive: it ends where its record ends, whatever Content-Length
    says, its head may be of any size, and its chunks may have been joined before.
    """

    def __init__(self, limit: int, head_only: bool = False, archived: bool = False) -> None:
        self.status = 0
        """0 until the headers are complete."""
        self.version = ""
        self.reason = ""
        self.headers: Headers = ()
        self.notes: list[str] = []
        self.done = False
        self.reusable = False
        """Whether the connection may carry another request; known when the answer is done."""
        self.size = 0
        """Bytes of the body so far."""
        self._limit = limit
        self._head_only, self._archived = head_only, archived
        self._head = b""
        self._searched = 0
        self._interim = 0
        self._parts: list[bytes] = []
        self._small = bytearray()
        self._length: int | None = None
        self._chunks: _Chunks | None = None

    @property
    def begun(self) -> bool:
        """Whether a single byte has come."""
        return bool(self._head or self._interim or self.status)

    @property
    def codings(self) -> str:
        """What Content-Encoding says, in one header or several."""
        said = [value for name, value in self.headers if name.lower() == b"content-encoding"]
        return b",".join(said).decode("latin-1")

    @property
    def body(self) -> bytes:
        """The body, still compressed, without chunked transfer coding."""
        if len(self._parts) == 1 and not self._small:
            return self._parts[0]
        return b"".join((*self._parts, self._small))

    def feed(self, data: bytes) -> bool:
        """Take bytes from the socket; True once the answer is complete."""
        if not self.status:
            self._feed_head(data)
        else:
            self._feed_body(data)
        return self.done

    def end(self) -> bool:
        """The connection is closed: True where what came makes an answer."""
        if not self.status:
            return False
        if not self.done:
            promised = self._length is not None or self._chunks is not None
            self._finish("length" if promised else "")
        self.reusable = False
        return True

    def cut(self, note: str) -> None:
        """Stop here and keep what came."""
        self._finish(note)

    def _finish(self, note: str = "") -> None:
        self.done = True
        if note and note not in self.notes:
            self.notes.append(note)
        if self.notes:
            self.reusable = False

    def _feed_head(self, data: bytes) -> None:
        data = self._head + data if self._head else data
        while not self.status:
            if not self._searched:  # the first answer begins here, or one behind an interim one
                data = data.lstrip(b"\r\n")
            if not b"HTTP/".startswith(data[:5]):
                raise BrokenAnswer("the answer does not begin with HTTP/")
            blank = _BLANK_LINE.search(data, max(0, self._searched - 3))
            if blank is None:
                self._head, self._searched = data, len(data)
                if self._searched > _HEAD_LIMIT and not self._archived:
                    raise BrokenAnswer("the headers do not end")
                return
            self._searched = 0
            self._read_head(data[: blank.start()])
            data = data[blank.end() :]
        self._head = b""
        if self.done:
            self.reusable = self.reusable and not data
        elif data or self._length == 0:
            if self._archived and not _begins_with_chunk(data):
                self._chunks = None
            self._feed_body(data)

    def _read_head(self, head: bytes) -> None:
        """Read a head; one with an interim status (100, 103) is read and forgotten."""
        if len(head) > _HEAD_LIMIT and not self._archived:
            raise BrokenAnswer("the headers are too long")
        plain = head.replace(b"\r\n", b"\n").replace(b"\r", b" ").replace(b"\0", b" ")
        first, *lines = plain.split(b"\n")
        matched = _STATUS_LINE.fullmatch(first)
        if matched is None:
            raise BrokenAnswer("the status line cannot be read")
        status = int(matched[2])
        if status < 200:
            self._interim += 1
            if status == 101 or self._interim > _INTERIM_LIMIT:
                raise BrokenAnswer(f"unexpected status {status} in place of an answer")
            return
        self.status = status
        self.version = matched[1].decode()
        self.reason = (matched[3] or b"").decode("latin-1").strip()
        self._read_headers(lines)
        self._frame()

    def _read_headers(self, lines: list[bytes]) -> None:
        headers: list[tuple[bytes, bytes]] = []
        for line in lines:
            name, colon, value = line.partition(b":")
            if line[:1] in (b" ", b"\t") and headers:  # folded, as it was once allowed
                name, before = headers.pop()
                headers.append((name, (before + b" " + line.strip()).strip()))
            elif colon and name.strip():
                headers.append((name.strip(), value.strip()))
        self.headers = tuple(headers)

    def _frame(self) -> None:
        """Find out how the body ends: by a length, by chunks, or with the connection."""
        lengths, codings, connection = [], "", ""
        for name, value in self.headers:
            lower = name.lower()
            if lower == b"content-length":
                lengths += [part.strip() for part in value.decode("latin-1").split(",")]
            elif lower == b"transfer-encoding":
                codings += value.decode("latin-1").lower()
            elif lower == b"connection":
                connection += value.decode("latin-1").lower()
        old = self.version.startswith(("0", "1.0"))
        self.reusable = "keep-alive" in connection if old else "close" not in connection
        if self._head_only or self.status in _BODILESS:
            self._finish()
        elif "chunked" in codings:
            self._chunks = _Chunks()
        elif not lengths or self._archived:
            self.reusable = False
        elif len(set(lengths)) == 1 and _DIGITS.fullmatch(lengths[0]):
            self._length = int(lengths[0])
        else:
            self.notes.append("length")
            self.reusable = False

    def _feed_body(self, data: bytes) -> None:
        if self._chunks is not None:
            self._feed_chunks(self._chunks, data)
            return
        if self._length is not None and self.size + len(data) > self._length:
            self._keep(data[: self._length - self.size])
            self._finish("length")
            return
        self._keep(data)
        if not self.done and self.size == self._length:
            self._finish()

    def _feed_chunks(self, chunks: _Chunks, data: bytes) -> None:
        for part in chunks.feed(data):
            self._keep(part)
        if self.done:
            return
        if chunks.broken or (chunks.done and chunks.rest):
            self._finish("length")
        elif chunks.done:
            self._finish()
        elif chunks.overhead > _OVERHEAD_LIMIT:
            self._finish("truncated")

    def _keep(self, data: bytes) -> None:
        """Keep a part of the body; tiny ones are put together, lest their number cost more."""
        room = self._limit - self.size
        if len(data) > room:
            data = data[:room]
            self._finish("truncated")
        self.size += len(data)
        if len(data) > _SMALL and not self._small:
            self._parts.append(data)
            return
        self._small += data
        if len(self._small) > 16 * _SMALL:
            self._parts.append(bytes(self._small))
            self._small.clear()


def _begins_with_chunk(data: bytes) -> bool:
    """Whether a body has its chunks: some crawlers join them and keep the header."""
    end = data.find(b"\n", 0, _LINE_LIMIT)
    matched = _CHUNK_SIZE.fullmatch(data[: max(end, 0)])
    if matched is None:
        return False
    size = int(matched[1], 16)
    behind = data[end + 1 + size : end + 3 + size]
    return not size or behind in (b"", b"\r", b"\r\n") or behind.startswith(b"\n")


class _Chunks:
    """Takes chunked transfer coding off a body."""

    def __init__(self) -> None:
        self.done = False
        self.broken = False
        self.overhead = 0
        """Bytes spent on sizes and line ends."""
        self.rest = b""
        """What came behind the end, where nothing should."""
        self._left = 0
        """Bytes of the present chunk that are still to come, with its line end."""
        self._trailers = False

    def feed(self, data: bytes) -> list[bytes]:
        parts = []
        data, at = self.rest + data, 0
        while at < len(data) and not (self.done or self.broken):
            if self._left > 2:
                part = data[at : at + self._left - 2]
                parts.append(part)
                at += len(part)
                self._left -= len(part)
                continue
            end = data.find(b"\n", at)
            if end < 0:
                break
            if end - at > _LINE_LIMIT:
                self.broken = True
                break
            self._read_line(data[at:end])
            self.overhead += end + 1 - at
            at = end + 1
        self.rest = data[at:]
        self.broken = self.broken or (not self.done and len(self.rest) > _LINE_LIMIT)
        return parts

    def _read_line(self, line: bytes) -> None:
        """A line between chunks: the end of one, the size of the next, or a trailer."""
        if self._left:
            self.broken = line not in (b"", b"\r")
            self._left = 0
        elif self._trailers:
            self.done = line in (b"", b"\r")
        elif matched := _CHUNK_SIZE.fullmatch(line):
            size = int(matched[1], 16)
            self._trailers = size == 0
            self._left = size + 2 if size else 0
        else:
            self.broken = True
