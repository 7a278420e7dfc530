"""Kept messages: read as the live web reads them, with what only archives do."""

from __future__ import annotations

import gzip
from random import Random

import brotli  # type: ignore[import-untyped]
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exchanges import exchange
from langcrawl.archive.http1 import AnswerReader
from langcrawl.archive.message import read_answer, with_body
from langcrawl.archive.unpack import unpack
from langcrawl.archive.warc_records import response

LIMIT = 1_000_000
PLAIN = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
CHUNKED = PLAIN + b"Transfer-Encoding: chunked\r\n\r\n"
TEXT = b"".join(b"%d " % (n * n * 7919) for n in range(30_000))


def body(block: bytes, limit: int = LIMIT) -> bytes:
    answer = read_answer(block, limit)
    assert answer is not None
    return answer.body


def live(wire: bytes, limit: int = LIMIT) -> tuple[AnswerReader, bytes]:
    """What the live web makes of the bytes of a server that then hangs up."""
    reader = AnswerReader(limit)
    if not reader.feed(wire):
        assert reader.end()
    return reader, unpack(reader.body, reader.codings, limit).body


def kept(reader: AnswerReader) -> bytes:
    """The block of the record that is archived for an answer."""
    asked = exchange(raw=reader.body, headers=reader.headers, reason=reader.reason)
    return response(asked, "<urn:x>", "sha1:X").split(b"\r\n\r\n", 1)[1][:-4]


def damaged(data: bytes) -> bytes:
    middle = len(data) // 2
    return data[:middle] + bytes([data[middle] ^ 0xFF]) + data[middle + 1 :]


TWO = gzip.compress(b"a" * 1000) + gzip.compress(b"b" * 1000)


@pytest.mark.parametrize(
    ("sent", "coding"),
    [
        (TWO, b"gzip"),
        (gzip.compress(gzip.compress(b"a" * 1000)), b"gzip"),
        (damaged(gzip.compress(TEXT)), b"gzip"),
        (gzip.compress(TEXT)[:-5000], b"gzip"),
        (brotli.compress(gzip.compress(TEXT), quality=4), b"gzip\r\nContent-Encoding: br"),
        (gzip.compress(bytes(3 * LIMIT)), b"gzip"),
        (TEXT, b"gzip"),
        (TWO + b"\x1f\x8band no more of it", b"gzip"),
    ],
    ids=["members", "twice", "damaged", "cut", "two headers", "bomb", "not packed", "tail"],
)
@pytest.mark.parametrize("limit", [LIMIT, 5_000])
@pytest.mark.parametrize("chunked", [True, False])
def test_what_is_read_back_is_what_was_judged(
    sent: bytes, coding: bytes, limit: int, chunked: bool
) -> None:
    head = PLAIN + b"Content-Encoding: " + coding + b"\r\n"
    if chunked:
        wire = head + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n" % (len(sent), sent)
    else:
        wire = head + b"Content-Length: %d\r\n\r\n" % len(sent) + sent
    reader, judged = live(wire, limit)
    again = read_answer(kept(reader), limit)
    assert again is not None
    assert (again.status, again.raw) == (200, reader.body)
    assert again.body == judged
    assert judged


def test_two_members_of_gzip_are_both_read() -> None:
    assert len(body(PLAIN + b"Content-Encoding: gzip\r\n\r\n" + TWO)) == 2000


PARTS = st.sampled_from(
    [b"Content-Length: ", b"5", b"\r\n", b"\n", b"A: b\r\n", b" folded\r\n", b"\0", b"\xff", b":",
     b"Transfer-Encoding: chunked\r\n", b"Content-Encoding: gzip\r\n", b"\r\n\r\n",
     b"5\r\nhello\r\n", b"0\r\n\r\n", TWO, b"x" * 50]
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.lists(PARTS, max_size=20))
def test_whatever_a_server_sends_reads_the_same_from_the_archive(parts: list[bytes]) -> None:
    wire = b"HTTP/1.1 200 N\xf8\r\n" + b"".join(parts)
    reader = AnswerReader(LIMIT)
    if not reader.feed(wire) and not reader.end():
        return
    judged = unpack(reader.body, reader.codings, LIMIT).body
    again = read_answer(kept(reader), LIMIT)
    assert again is not None
    assert (again.raw, again.body) == (reader.body, judged)
    plain = [header for header in reader.headers if header[0].lower() != b"transfer-encoding"]
    assert [h for h in again.headers if not h[0].startswith(b"X-Archive-Orig-")] == plain


def test_chunks_are_joined_also_where_they_break_off() -> None:
    chunks = b"5;x=y\r\nhello\r\n6\r\n world\r\n0\r\n\r\n"
    assert body(CHUNKED + chunks) == b"hello world"
    assert body(CHUNKED + chunks[:-5]) == b"hello world"
    assert body(CHUNKED + chunks[:17]) == b"hello"
    assert body(CHUNKED + b"0\r\n\r\n") == b""


@pytest.mark.parametrize("text", [b"<p>hello", b"bad\n" + TEXT, b"2024\n" + TEXT, b""])
def test_a_body_whose_chunks_were_joined_before_is_taken_as_it_is(text: bytes) -> None:
    assert body(CHUNKED + text) == text


def test_the_record_says_where_a_body_ends_not_its_header() -> None:
    """Some crawlers unpack bodies and keep the length that they had on the way."""
    assert body(PLAIN + b"Content-Length: 3\r\n\r\nhello") == b"hello"
    assert body(PLAIN + b"Content-Length: 3000\r\n\r\nhello") == b"hello"


def test_headers_that_tell_of_the_original_change_nothing() -> None:
    orig = b"X-Archive-Orig-Content-Encoding: gzip\r\nX-Archive-Orig-Transfer-Encoding: chunked\r\n"
    assert body(PLAIN + orig + b"\r\nhello") == b"hello"


def test_heads_of_any_size_are_read_and_so_are_heads_without_an_end() -> None:
    answer = read_answer(PLAIN + b"X: " + b"x" * 300_000 + b"\r\n\r\nhello", LIMIT)
    assert answer is not None
    assert (len(answer.header("x")), answer.body) == (300_000, b"hello")
    answer = read_answer(PLAIN + b"Link: </a>; rel=canonical", LIMIT)
    assert answer is not None
    assert answer.heeded == {
        "content-language": "",
        "link": "</a>; rel=canonical",
        "x-robots-tag": "",
    }
    assert answer.body == b""


@pytest.mark.parametrize(
    "block", [b"", b"<html>", b"HTTP/1.1 abc OK\r\n\r\n", b"SSH-2.0", b"HTTP/1.1 101 Up\r\n\r\n"]
)
def test_what_is_no_http_is_nothing(block: bytes) -> None:
    assert read_answer(block, LIMIT) is None
    assert with_body(b"", block) is None


def test_the_limit_cuts_the_body_as_it_came_and_unpacked() -> None:
    answer = read_answer(PLAIN + b"\r\n" + TEXT, 1000)
    assert answer is not None
    assert (answer.body, answer.notes) == (TEXT[:1000], ("truncated",))
    packed = PLAIN + b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(TEXT)
    assert body(packed, 1000) == unpack(gzip.compress(TEXT)[:1000], "gzip", 1000).body
    more = read_answer(packed, LIMIT, 77)
    assert more is not None
    assert more.body == TEXT[:77]


def test_a_revisit_has_its_own_head_and_the_body_of_the_other() -> None:
    data = Random(1).randbytes(3000)
    original = CHUNKED + b"%x\r\n%s\r\n0\r\n\r\n" % (len(data), data)
    own = b"HTTP/1.1 404 Gone\r\nTransfer-Encoding: chunked\r\nA: b\r\n\r\n"
    joined = with_body(own, original)
    assert joined is not None
    answer = read_answer(joined, LIMIT)
    assert answer is not None
    assert (answer.status, answer.header("a"), answer.body) == (404, "b", data)
    joined = with_body(b"", PLAIN + b"\r\n" + data)
    assert joined == PLAIN + b"\r\n" + data


def test_the_words_behind_the_status_are_archived_byte_for_byte() -> None:
    reader, _ = live(b"HTTP/1.1 200 D\xe9j\xe0 vu \xe0\xb8\x81\r\n\r\n")
    assert kept(reader).startswith(b"HTTP/1.1 200 D\xe9j\xe0 vu \xe0\xb8\x81\r\n")
