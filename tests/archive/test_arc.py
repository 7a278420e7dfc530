"""ARC files: the lines before records, sizes, places, and what is broken."""

from __future__ import annotations

import gzip
from collections import Counter
from io import BytesIO

import pytest

from langcrawl.archive.arc import arc_records, is_arc
from langcrawl.archive.record import Record

FIRST = b"filedesc://x.arc 0.0.0.0 20200101000000 text/plain 6\n1 0 x\n\n"
LIMIT = 1000


def entry(url: bytes, block: bytes, date: bytes = b"20140216050221") -> bytes:
    return b"%s 1.2.3.4 %s text/html %d\n%s\n" % (url, date, len(block), block)


def read(data: bytes, limit: int = LIMIT, start: int = 0) -> tuple[list[Record], Counter[str]]:
    tally: Counter[str] = Counter()
    return list(arc_records(BytesIO(data), "x.arc", limit, tally, start)), tally


TWO = FIRST + entry(b"http://a.th/1", b"HTTP/1.1 200 OK\r\n\r\none") + entry(b"http://a.th/2", b"2")


def test_records_have_what_their_lines_say() -> None:
    (about, one, two), tally = read(TWO)
    assert (about.kind, one.kind) == ("warcinfo", "response")
    assert (one.url, one.ip, one.content_type) == ("http://a.th/1", "1.2.3.4", "text/html")
    assert one.fetched_at == 1392526941.0
    assert (one.block, two.block) == (b"HTTP/1.1 200 OK\r\n\r\none", b"2")
    assert (tally["read"], tally["broken"]) == (3, 0)


def test_a_record_is_read_again_at_its_place_unless_all_is_compressed() -> None:
    for record in read(TWO)[0]:
        assert record.offset is not None
        assert read(TWO, start=record.offset)[0][0] == record
    packed, _ = read(gzip.compress(TWO))
    assert [record.offset for record in packed] == [None] * 3
    assert [record.block for record in packed] == [record.block for record in read(TWO)[0]]


def test_each_record_may_be_a_gzip_member() -> None:
    parts = [FIRST, entry(b"http://a.th/1", b"one"), entry(b"http://a.th/2", b"two")]
    found, tally = read(b"".join(map(gzip.compress, parts)))
    assert [record.block for record in found[1:]] == [b"one", b"two"]
    assert not tally["broken"]


def test_a_block_is_cut_at_the_limit_and_the_next_record_is_found() -> None:
    found, _ = read(FIRST + entry(b"http://a.th/1", b"x" * 5000) + entry(b"http://a.th/2", b"2"))
    assert [len(record.block) for record in found[1:]] == [LIMIT, 1]


@pytest.mark.parametrize(
    ("data", "blocks", "broken"),
    [
        (TWO[:-2], 2, 1),
        (FIRST + b"garbage\nmore of it\n" + entry(b"http://a.th/1", b"one"), 2, 1),
        (FIRST + b"http://a.th/ 1.2.3.4 20140101 text/html many\n", 1, 1),
        (gzip.compress(TWO)[:-20], 1, 1),
        (FIRST, 1, 0),
    ],
    ids=["cut", "garbage", "no size", "gzip cut", "nothing else"],
)
def test_what_is_broken_is_counted_and_the_rest_is_read(
    data: bytes, blocks: int, broken: int
) -> None:
    found, tally = read(data)
    assert tally["broken"] == broken
    assert len(found) >= blocks


def test_a_date_that_is_none_is_no_time() -> None:
    (_, one), _ = read(FIRST + entry(b"http://a.th/1", b"x", b"20149999999999"))
    assert one.fetched_at == 0.0


@pytest.mark.parametrize(
    ("data", "arc"),
    [(TWO, True), (gzip.compress(TWO), True), (b"WARC/1.1\r\n", False), (b"", False),
     (gzip.compress(b"WARC/1.1\r\n"), False), (b"\x1f\x8b\x08broken", False)],
)  # fmt: skip
def test_an_arc_file_is_known_by_its_first_bytes(data: bytes, arc: bool) -> None:
    assert is_arc(BytesIO(data)) == arc
