"""Records of a WARC file, as bytes before they are compressed.

Whatever of them comes from a page is made harmless: it can end no line and no record.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from typing import NamedTuple
from uuid import uuid4

from langcrawl.archive.exchange import Exchange, Headers
from langcrawl.page import digest_of
from langcrawl.records import Page, Verdict, Visit
from langcrawl.script import Conversion

_NAMED_FIELDS = "application/warc-fields"
_HTTP_RESPONSE = "application/http; msgtype=response"
_PLAIN_TEXT = "text/plain; charset=utf-8"
_PROFILES = "http://netpreserve.org/warc/1.1/revisit/"
SAME_BODY, NOT_MODIFIED = "identical-payload-digest", "server-not-modified"
"""The two kinds of revisits that the WARC standard has."""

_Fields = Iterable[tuple[str, str]]


class Normalized(NamedTuple):
    """The text of a page in the encoding that the crawl was asked for."""

    encoding: str
    conversion: Conversion


def warcinfo(name: str, about: Mapping[str, str]) -> bytes:
    """A warcinfo record: what describes the records that follow in this file."""
    fields = [("WARC-Date", warc_date(time.time())), ("WARC-Filename", name)]
    return _record("warcinfo", new_id(), _NAMED_FIELDS, _named_fields(about.items()), fields)


def damaged(name: str, start: int) -> bytes:
    """What stands in place of a record that was damaged."""
    fields = [("WARC-Date", warc_date(time.time())), ("WARC-Filename", name)]
    story = [("damaged", f"the record at {start}; its bytes are in lost+found")]
    return _record("metadata", new_id(), _NAMED_FIELDS, _named_fields(story), fields)


def forgotten() -> bytes:
    """What stands in place of a record that was taken out for good."""
    fields = [("WARC-Date", warc_date(time.time()))]
    return _record("metadata", new_id(), _NAMED_FIELDS, b"", fields)


def request(exchange: Exchange, answer_id: str) -> bytes:
    """The request that was answered by the record of that id."""
    path = exchange.url.split("/", 3)[3]
    block = _head(f"GET /{path} HTTP/1.1".encode(), exchange.request_headers)
    fields = [*_event(exchange), ("WARC-Concurrent-To", answer_id)]
    return _record("request", new_id(), "application/http; msgtype=request", block, fields)


def metadata(
    visit: Visit,
    exchange: Exchange,
    page: Page,
    verdict: Verdict,
    answer_id: str,
    normalized: Normalized | None = None,
) -> bytes:
    """Why the page was crawled and what it turned out to be."""
    story = [*_story(visit, exchange, page, verdict), *_losses(normalized)]
    fields = [*_event(exchange), ("WARC-Concurrent-To", answer_id)]
    return _record("metadata", new_id(), _NAMED_FIELDS, _named_fields(story), fields)


def conversion(exchange: Exchange, answer_id: str, normalized: Normalized) -> bytes:
    """The text of the answer of that id, in one encoding."""
    block = normalized.conversion.text.encode("utf-8", errors="replace")
    fields = [*_event(exchange), ("WARC-Refers-To", answer_id)]
    return _record("conversion", new_id(), _PLAIN_TEXT, block, fields)


def response(exchange: Exchange, record_id: str, digest: str) -> bytes:
    """The answer with its body, whose digest this is."""
    block = _response_head(exchange) + exchange.raw
    fields = [
        *_event(exchange),
        ("WARC-IP-Address", exchange.ip),
        ("WARC-Payload-Digest", digest),
        ("WARC-Truncated", "length" if "truncated" in exchange.notes else ""),
    ]
    return _record("response", record_id, _HTTP_RESPONSE, block, fields)


def again(visit: Visit, exchange: Exchange, profile: str, answer_id: str) -> bytes:
    """The metadata of an answer that brought nothing new."""
    story = [("via", visit.parent), ("outcome", "unchanged"), ("revisit", profile),
             ("fetchTimeMs", f"{exchange.elapsed * 1000:.0f}")]  # fmt: skip
    fields = [*_event(exchange), ("WARC-Concurrent-To", answer_id)]
    return _record("metadata", new_id(), _NAMED_FIELDS, _named_fields(story), fields)


def revisit(
    exchange: Exchange,
    record_id: str,
    digest: str,
    url: str,
    asked_at: float,
    profile: str = SAME_BODY,
) -> bytes:
    """A revisit record: the answer without its body, which that URL had at that time.

    A server's word that nothing has changed has no headers either, as the standard allows: a
    program that replays the page then takes those of the answer with the body, and not a 304.
    """
    fields = [
        *_event(exchange),
        ("WARC-IP-Address", exchange.ip),
        ("WARC-Payload-Digest", digest),
        ("WARC-Profile", _PROFILES + profile),
        ("WARC-Refers-To-Target-URI", url),
        ("WARC-Refers-To-Date", warc_date(asked_at)),
    ]
    block = b"" if profile == NOT_MODIFIED else _response_head(exchange)
    return _record("revisit", record_id, _HTTP_RESPONSE, block, fields)


@lru_cache(maxsize=16)
def warc_date(seconds: float) -> str:
    """A moment as WARC-Date, to the microsecond; all records of an exchange have the same."""
    moment = datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None)
    return moment.isoformat(timespec="microseconds") + "Z"


def new_id() -> str:
    """An id for a record that others refer to."""
    return f"<urn:uuid:{uuid4()}>"


def _event(exchange: Exchange) -> list[tuple[str, str]]:
    return [("WARC-Target-URI", exchange.url), ("WARC-Date", warc_date(exchange.asked_at))]


def _record(kind: str, record_id: str, content_type: str, block: bytes, fields: _Fields) -> bytes:
    """A record as it stands in a file, before it is compressed."""
    head = _named_fields(
        [
            ("WARC-Type", kind),
            ("WARC-Record-ID", record_id),
            *fields,
            ("Content-Type", content_type),
            ("Content-Length", str(len(block))),
            ("WARC-Block-Digest", digest_of(block)),
        ]
    )
    return b"".join((b"WARC/1.1\r\n", head, b"\r\n", block, b"\r\n\r\n"))


def _story(visit: Visit, exchange: Exchange, page: Page, verdict: Verdict) -> _Fields:
    """The fields of a metadata record, named as the log's columns or as in the WARC standard."""
    yield "via", visit.parent
    yield "found_by", visit.found_by
    yield "depth", str(visit.facts.depth)
    yield "irrelevant_run", str(visit.facts.run)
    yield "priority", f"{visit.priority:g}"
    yield "fetchTimeMs", f"{exchange.elapsed * 1000:.0f}"
    yield "language", verdict.language
    yield "script", verdict.script
    yield "encoding", verdict.encoding
    yield "score", f"{verdict.score:.4g}"
    yield "relevant", str(verdict.relevant).lower()
    for evidence in verdict.evidence:
        yield "evidence", evidence
    yield "notes", " ".join(dict.fromkeys(exchange.notes + page.notes))


def _losses(normalized: Normalized | None) -> _Fields:
    """What became of the text where it was converted: nothing is lost without a count."""
    if normalized is not None:
        yield "normalized", normalized.encoding
        for name in ("unmapped", "merged"):
            for letter, count in sorted(getattr(normalized.conversion, name).items()):
                yield name, f"U+{ord(letter):04X} {count}"


def _response_head(exchange: Exchange) -> bytes:
    """The head as it was sent, but for the name of a transfer coding that is undone."""
    reason = exchange.reason.encode("latin-1", errors="replace")
    first = f"HTTP/{exchange.http_version} {exchange.status} ".encode() + reason
    return _head(
        first,
        tuple(
            (b"X-Archive-Orig-" + name, value)
            if name.lower() == b"transfer-encoding"
            else (name, value)
            for name, value in exchange.headers
        ),
    )


def _head(first: bytes, headers: Headers) -> bytes:
    lines = [first, *(name + b": " + value for name, value in headers)]
    return b"\r\n".join([_one_line(line) for line in lines]) + b"\r\n\r\n"


def _one_line(line: bytes) -> bytes:
    return line.replace(b"\r", b" ").replace(b"\n", b" ")


def _named_fields(fields: _Fields) -> bytes:
    """Fields as a record's head and as ``application/warc-fields``; empty ones are left out."""
    lines = [f"{name}: {_printable(value)}\r\n" for name, value in fields if value]
    return "".join(lines).encode()


def _printable(text: str) -> str:
    """Text in which nothing ends a line, hides or is no Unicode: all that becomes blank."""
    if text.isprintable():
        return text
    return "".join([letter if letter.isprintable() else " " for letter in text])
