"""ARC files, which web archives wrote before there was WARC."""

from __future__ import annotations

import gzip
import re
import zlib
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import IO

from langcrawl.archive.record import GZIP, Record

_FIRST = b"filedesc:"
_LINE = re.compile(
    rb"(?P<url>[a-z][a-z0-9+.-]{0,20}:.{1,4000}) (?P<ip>\S{1,45}) (?P<date>\d{8,14}) "
    rb"(?P<type>\S{1,200})(?: .{0,2000})? (?P<size>\d{1,12})\s*",
    re.IGNORECASE,
)
_LONGEST_LINE = 1 << 13


def is_arc(file: IO[bytes]) -> bool:
    """Whether a file, compressed or not, begins as an ARC file does."""
    try:
        return _opened(file).read(len(_FIRST)) == _FIRST
    except (OSError, EOFError, zlib.error):
        return False


def arc_records(
    file: IO[bytes], name: str, limit: int, tally: Counter[str], start: int = 0
) -> Iterator[Record]:
    """The records of an ARC file; an uncompressed one may be read from an offset on.

    Lines between them that are none count as broken, once.
    """
    lost = False
    plain = _opened(file)
    packed = plain is not file
    plain.seek(start)
    try:
        while line := plain.readline(_LONGEST_LINE):
            place = None if packed else file.tell() - len(line)
            head = _LINE.fullmatch(line)
            if head is None:
                tally["broken"] += bool(line.strip()) and not lost
                lost = lost or bool(line.strip())
                continue
            lost, size = False, int(head["size"])
            block = plain.read(min(size, limit))
            if len(block) < min(size, limit):
                tally["broken"] += 1
                return
            _skip(plain, size - len(block))
            tally["read"] += 1
            yield _record(head, block, name, place)
    except (OSError, EOFError, zlib.error):
        tally["broken"] += 1


def _opened(file: IO[bytes]) -> IO[bytes]:
    file.seek(0)
    packed = file.read(2) == GZIP
    file.seek(0)
    return gzip.GzipFile(fileobj=file) if packed else file  # type: ignore[return-value]


def _skip(file: IO[bytes], size: int) -> None:
    while size > 0 and (part := file.read(min(size, 1 << 20))):
        size -= len(part)


def _record(head: re.Match[bytes], block: bytes, name: str, start: int | None) -> Record:
    url = head["url"].decode("utf-8", errors="replace")
    return Record(
        kind="warcinfo" if url.startswith("filedesc:") else "response",
        url=url,
        content_type=head["type"].decode("latin-1"),
        fetched_at=_moment(head["date"].decode("ascii")),
        ip=head["ip"].decode("latin-1"),
        block=block,
        file=name,
        offset=start,
    )


def _moment(digits: str) -> float:
    """Seconds since 1970 of a time written as 20140216050221; 0 where it is none."""
    try:
        moment = datetime.strptime(digits.ljust(14, "0"), "%Y%m%d%H%M%S")
    except ValueError:
        return 0.0
    return moment.replace(tzinfo=UTC).timestamp()
