"""One record of a web archive, whatever the format of the archive."""

from __future__ import annotations

from typing import NamedTuple

GZIP = b"\x1f\x8b"
"""The first bytes of whatever gzip has compressed."""


class Record(NamedTuple):
    """What an import needs of a record; `block` is cut where it is longer than a page may be."""

    kind: str
    """As WARC names it: ``response``, ``resource``, ``revisit``, ..."""
    url: str
    content_type: str
    fetched_at: float
    ip: str
    block: bytes
    file: str
    offset: int | None
    """Where the record begins; None in an archive that is compressed as a whole."""
    digest: str = ""
    """Of the body, as the archive names it; empty where it does not."""
    same_body: bool = False
    """Of a revisit: whether the body is said to be that of another record, by its digest."""
    page_limit: int = 0
    """Bytes of a page that its crawler read, where the archive says so; else 0."""
