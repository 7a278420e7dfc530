"""A request and its answer as they went over the wire: what is read, judged and archived."""

from __future__ import annotations

from dataclasses import dataclass

Headers = tuple[tuple[bytes, bytes], ...]


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request and its answer, as the server sent it but for chunked transfer coding."""

    url: str
    """In canonical form."""
    ip: str
    asked_at: float
    """When the request was sent, in seconds since 1970."""
    elapsed: float
    request_headers: Headers
    """In the order sent; the request line is ``GET path HTTP/1.1``."""
    status: int
    reason: str
    """The words behind the status, as the server put them, read as Latin-1."""
    http_version: str
    """``1.0`` or ``1.1``, as the server answered."""
    headers: Headers
    """As received, names and values as they were."""
    raw: bytes
    """The body as received: still compressed where Content-Encoding says so."""
    body: bytes
    """The body decompressed, cut at the limit."""
    notes: tuple[str, ...] = ()
    """What went wrong on the way, a word each: ``truncated``, ``length``, ``encoding``, ..."""

    def header(self, name: str) -> str:
        """A header as text, the first of that name; empty where there is none."""
        return header_of(self.headers, name)

    @property
    def wire_bytes(self) -> int:
        """Bytes of the answer as it came, but for its first line and for chunked coding."""
        return len(self.raw) + sum(len(name) + len(value) + 4 for name, value in self.headers)


def header_of(headers: Headers, name: str) -> str:
    """A header as text, the first of that name; empty where there is none."""
    wanted = name.lower().encode()
    for key, value in headers:
        if key.lower() == wanted:
            return value.decode("utf-8", errors="surrogateescape").strip()
    return ""
