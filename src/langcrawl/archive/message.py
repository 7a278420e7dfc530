"""HTTP answers as archives keep them, read as the live web reads them from servers."""

from __future__ import annotations

import re
from typing import NamedTuple

from langcrawl.archive.exchange import Headers, header_of
from langcrawl.archive.http1 import AnswerReader, BrokenAnswer
from langcrawl.archive.unpack import unpack
from langcrawl.page import HEEDED_HEADERS

_END_OF_HEAD = re.compile(rb"\r?\n\r?\n")


class Answer(NamedTuple):
    """An HTTP answer from an archive."""

    status: int
    headers: Headers
    raw: bytes
    """The body without chunks, still compressed."""
    body: bytes
    """The body decompressed, cut at the limit."""
    notes: tuple[str, ...]
    """What was wrong with it, a word each, as in `Exchange`."""

    def header(self, name: str) -> str:
        """A header as text, the first of that name; empty where there is none."""
        return header_of(self.headers, name)

    @property
    def heeded(self) -> dict[str, str]:
        """Headers that say something of the page, by their names in small letters."""
        return {name: self.header(name) for name in HEEDED_HEADERS}


def read_answer(block: bytes, limit: int, most: int | None = None) -> Answer | None:
    """Read an answer, cut at the limit as the live web cuts it; None where it is no HTTP.

    `most` is the limit of the body once it is decompressed, where that is another one.
    """
    reader = AnswerReader(limit, archived=True)
    try:
        reader.feed(block)
        if not reader.status:  # headers, and nothing behind them
            reader.feed(b"\r\n\r\n")
    except BrokenAnswer:
        return None
    if not reader.end():
        return None
    raw = reader.body
    unpacked = unpack(raw, reader.codings, limit if most is None else most)
    notes = tuple(dict.fromkeys((*reader.notes, *unpacked.notes)))
    return Answer(reader.status, reader.headers, raw, unpacked.body, notes)


def with_body(head: bytes, original: bytes) -> bytes | None:
    """The message of a revisit: its own head, or else the original's, and the original's body.

    None where the original is no HTTP.
    """
    reader = AnswerReader(len(original), archived=True)
    try:
        reader.feed(original)
    except BrokenAnswer:
        return None
    if not reader.end():
        return None
    own = _END_OF_HEAD.split(head, 1)[0] or _END_OF_HEAD.split(original, 1)[0]
    return own + b"\r\n\r\n" + reader.body
