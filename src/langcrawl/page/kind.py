"""What an answer is: its declared type is believed until its first bytes say otherwise."""

from __future__ import annotations

import re
from collections import Counter

from langcrawl.page.decode import without_mark

_HTML_TYPES = {"text/html", "application/xhtml+xml"}
_VAGUE_TYPES = {"text/plain", "application/octet-stream", "text/xml", "application/xml"}
"""Servers send pages under these when they do not know better."""
_FIRST = 1024
_LOOKS_LIKE_HTML = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]{0,200}>\s*)?(?:<!doctype html|<html|<head|<body|<title)",
    re.IGNORECASE,
)
_BEGINNINGS = (
    b"%PDF-", b"\x89PNG", b"GIF8", b"\xff\xd8\xff", b"PK\x03\x04", b"\x1f\x8b", b"RIFF", b"ID3",
    b"OggS", b"\x7fELF", b"Rar!", b"\xd0\xcf\x11\xe0", b"\x00\x00\x01\x00",
)  # fmt: skip
_BYTE_ORDER_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")
_NO_TEXT = bytes(range(1, 8)) + bytes(range(14, 27)) + bytes(range(28, 32))
"""Control characters that no text has; ESC is not among them (ISO-2022), nor is NUL (UTF-16)."""


def media_type(content_type: str) -> str:
    """The media type of a Content-Type header, without its parameters."""
    return content_type.split(";", 1)[0].strip().lower()


def is_html(content_type: str, body: bytes) -> bool:
    """Whether an answer is a page of HTML; with a vague type or none, its first bytes decide."""
    kind = media_type(content_type)
    if kind in _HTML_TYPES:
        return not is_binary(body)
    if not kind and body[:_FIRST].lstrip().startswith(b"<!--"):
        return True
    return (not kind or kind in _VAGUE_TYPES) and bool(_LOOKS_LIKE_HTML.match(body))


def is_text(content_type: str, body: bytes) -> bool:
    """Whether an answer is plain text, which has a language but no links."""
    return media_type(content_type) == "text/plain" and not is_binary(body)


def is_binary(body: bytes) -> bool:
    """Whether the first bytes are those of an image, an archive or the like.

    In UTF-16 half of the bytes of most scripts are control characters: those that name the
    blocks of Unicode, of which a page has few.
    """
    first = body[:_FIRST]
    if first.startswith(_BEGINNINGS):
        return True
    if first.startswith(_BYTE_ORDER_MARKS):
        return False
    control = len(first) - len(first.translate(None, _NO_TEXT))
    return control > len(first) // 10 and not _of_few_blocks(first, without_mark(body))


def _of_few_blocks(first: bytes, wide: str) -> bool:
    """Whether bytes that could be UTF-16 have the letters of a few scripts."""
    half = first[wide.endswith("le") :: 2]
    return bool(wide) and sum(n for _, n in Counter(half).most_common(3)) > len(half) // 2
