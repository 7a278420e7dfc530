"""Exchanges with servers, archived, and archives as warcio reads them."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path
from random import Random

import brotli
from warcio.archiveiterator import ArchiveIterator
from warcio.recordloader import ArcWarcRecord

from langcrawl.archive.exchange import Exchange, Headers
from langcrawl.archive.warc_records import Normalized
from langcrawl.archive.writer import Archive, Place
from langcrawl.records import Facts, Page, Verdict, Visit

ABOUT = {"operator": "crawler@example.org", "robots": "obey"}
BODY = b"<p>" + b"the same words again and again " * 100
KIND = (b"Content-Type", b"text/html; charset=utf-8")


def exchange(
    url: str = "http://one.example/a?b=c",
    raw: bytes = BODY,
    *,
    status: int = 200,
    reason: str = "OK",
    headers: Headers = (KIND,),
    notes: tuple[str, ...] = (),
    asked_at: float = 1794809700.123456,
) -> Exchange:
    return Exchange(
        url=url,
        ip="192.0.2.7",
        asked_at=asked_at,
        elapsed=0.25,
        request_headers=((b"Host", b"one.example"), (b"User-Agent", b"langcrawl/1")),
        status=status,
        reason=reason,
        http_version="1.1",
        headers=headers,
        raw=raw,
        body=raw,
        notes=notes,
    )


def put(
    archive: Archive,
    asked: Exchange,
    verdict: Verdict | None = None,
    normalized: Normalized | None = None,
) -> Place:
    facts = Facts(1, 3, 0, 0, 0.5, 0, 0, 0, 0)
    visit = Visit(asked.url, "one.example", facts, 2.0, "http://parent.example/")
    page = Page(asked.url, asked.status)
    return archive.write(visit, asked, page, verdict or Verdict(), normalized)


class Read:
    """A record as warcio reads it, whole, with its digests verified."""

    def __init__(self, record: ArcWarcRecord) -> None:
        self.kind = record.rec_type
        self.fields, self.http = record.rec_headers, record.http_headers
        self.payload = record.raw_stream.read()
        assert record.digest_checker.passed is not False, record.digest_checker.problems

    def __getitem__(self, name: str) -> str:
        return str(self.fields.get_header(name))


def read(path: Path) -> list[Read]:
    """All records of a file; warcio raises where anything is wrong with them."""
    with path.open("rb") as stream:
        return [Read(record) for record in ArchiveIterator(stream, check_digests="raise")]


def read_at(directory: Path, place: Place) -> Read:
    """The one record that is to be found at a place."""
    data = (directory / place.file).read_bytes()[place.offset : place.offset + place.length]
    only = directory / "only.gz"
    only.write_bytes(data)
    (record,) = read(only)
    only.unlink()
    return record


def files(directory: Path) -> list[Path]:
    return sorted(directory.glob("*.warc.gz"))


def sizes(directory: Path) -> dict[str, int]:
    return {path.name: path.stat().st_size for path in directory.iterdir()}


def sample(number: int) -> Exchange:
    """One of many different pages; of every seven two have the same body."""
    url = f"http://www{number % 3}.host{number % 5}.example/Page/{number}?b=2&a=%E0%B8%81"
    body = b"<html><body>page %d " % (number - (number % 7 == 1)) + BODY
    raw, encoding = body, b"identity"
    if number % 7 == 2:
        raw, encoding = gzip.compress(body, mtime=0), b"gzip"
    elif number % 7 == 3:
        raw, encoding = brotli.compress(body, quality=4), b"br"
    elif number % 7 == 4:
        raw = body = body + Random(number).randbytes(1_000_000)
    headers = (KIND, (b"Transfer-Encoding", b"chunked"), (b"Content-Encoding", encoding))
    made = exchange(url, raw, headers=headers, asked_at=1794809700.25 + number)
    return replace(made, body=body)
