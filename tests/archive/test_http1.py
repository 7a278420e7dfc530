"""Reading answers: the same however the bytes are cut, and nothing that stops the reader."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langcrawl.archive.http1 import AnswerReader, BrokenAnswer

Result = tuple[int, str, str, object, bytes, tuple[str, ...], bool]
LIMIT = 1000
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
ANSWERS = {
    "length": b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nA: b\r\n c\r\n\r\nhello",
    "line feeds": b"HTTP/1.1 200\nContent-Length: 5\n\nhello",
    "interim": b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n",
    "closing": b"\r\nHTTP/1.0 200 OK\r\n\r\n" + b"x" * 999,
    "too long": b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 1001,
    "chunked": CHUNKED + b"5\r\nhello\r\nA;x=y\r\n0123456789\r\n0\r\nT: 1\r\n\r\n",
    "chunks cut": CHUNKED + b"5\r\nhello\r\n5\r\nhel",
    "chunks broken": CHUNKED + b"5\r\nhello\r\n-5\r\n",
    "chunk longer": CHUNKED + b"5\r\nhello world\r\n0\r\n\r\n",
    "chunks too long": CHUNKED + b"3e9\r\n" + b"x" * 1001 + b"\r\n0\r\n\r\n",
    "no body": b"HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n",
    "garbage length": b"HTTP/1.1 200 OK\r\nContent-Length: 5, 6\r\n\r\nhello",
}


def read(parts: list[bytes]) -> Result:
    reader = AnswerReader(LIMIT)
    for part in parts:
        if part and reader.feed(part):
            break
    else:
        assert reader.end()
    return (
        reader.status, reader.reason, reader.version, reader.headers, reader.body,
        tuple(reader.notes), reader.reusable,
    )  # fmt: skip


@pytest.mark.parametrize("name", ANSWERS)
def test_it_does_not_matter_how_the_bytes_are_cut(name: str) -> None:
    raw = ANSWERS[name]
    whole = read([raw])
    assert read([raw[n : n + 1] for n in range(len(raw))]) == whole
    for cut in range(1, len(raw)):
        assert read([raw[:cut], raw[cut:]]) == whole


@pytest.mark.parametrize("behind", [b"C", b"no answer", b"\r\n\r\nHTTP/1.1 204 No\r\n\r\n"])
def test_what_comes_behind_an_interim_answer_is_read_alike_in_one_piece_and_in_two(
    behind: bytes,
) -> None:
    interim = b"HTTP/1.1 100 Continue\r\n\r\n"
    came = []
    for pieces in ([interim + behind], [interim, behind]):
        reader = AnswerReader(1000)
        try:
            came.append([reader.feed(piece) for piece in pieces][-1])
        except BrokenAnswer:
            came.append("broken")
    assert came[0] == came[1]


@pytest.mark.parametrize("length", [8_180, 8_192, 8_193, 9_000])
def test_a_long_line_between_chunks_is_read_alike_in_one_piece_and_in_many(length: int) -> None:
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    raw = head + b"1\r\nx\r\n" + b"5;".ljust(length, b"x") + b"\r\nhello\r\n0\r\n\r\n"
    whole = read([raw])
    assert whole == read([raw[n : n + 1] for n in range(len(raw))])
    assert whole[4:6] == ((b"xhello", ()) if length < 8_192 else (b"x", ("length",)))


@pytest.mark.parametrize(
    ("name", "body", "notes", "reusable"),
    [
        ("length", b"hello", (), True),
        ("line feeds", b"hello", (), True),
        ("interim", b"", (), True),
        ("closing", b"x" * 999, (), False),
        ("too long", b"x" * 1000, ("truncated",), False),
        ("chunked", b"hello0123456789", (), True),
        ("chunks cut", b"hellohel", ("length",), False),
        ("chunks broken", b"hello", ("length",), False),
        ("chunk longer", b"hello", ("length",), False),
        ("chunks too long", b"x" * 1000, ("truncated",), False),
        ("no body", b"", (), True),
        ("garbage length", b"hello", ("length",), False),
    ],
)
def test_what_is_read(name: str, body: bytes, notes: tuple[str, ...], reusable: bool) -> None:
    assert read([ANSWERS[name]])[4:] == (body, notes, reusable)


def test_a_connection_with_something_behind_the_answer_is_not_used_again() -> None:
    for name in ("length", "chunked", "no body", "interim"):
        assert not read([ANSWERS[name] + b"more"])[-1]
    for line in (b"Connection: close", b"Connection: Upgrade, Close"):
        raw = ANSWERS["length"].replace(b"A: b", line)
        assert not read([raw])[-1]
    old = ANSWERS["length"].replace(b"1.1", b"1.0")
    assert not read([old])[-1]
    assert read([old.replace(b"A: b", b"Connection: keep-alive")])[-1]


PIECES = st.sampled_from(
    [b"HTTP/1.1 200 OK\r\n", b"HTTP/", b"\r\n", b"\n", b"\r", b":", b" ", b"\0", b"\xff", b"5",
     b"Content-Length: ", b"Transfer-Encoding: chunked\r\n", b"-1", b"f" * 16, b";", b"x" * 50]
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.lists(PIECES, max_size=30), st.booleans())
def test_nothing_but_a_broken_answer_comes_of_nonsense(parts: list[bytes], begun: bool) -> None:
    reader = AnswerReader(LIMIT)
    try:
        for part in ([b"HTTP/1.1 200 OK\r\n"] if begun else []) + parts:
            if reader.feed(part):
                break
        else:
            reader.end()
    except BrokenAnswer:
        assert reader.status == 0
    assert len(reader.body) <= LIMIT
