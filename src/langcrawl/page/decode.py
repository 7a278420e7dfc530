"""Bytes to text: the charset of a page is declared, guessed, or both and contradictory."""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple

import cchardet

from langcrawl.languages.charsets import codec_name, reading_codec
from langcrawl.records import Charsets

_META = re.compile(
    r"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w.:-]{2,40})|"""
    r"""^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{2,40})""",
    re.IGNORECASE,
)
_HEADER = re.compile(r"""charset\s*=\s*["']?\s*([\w.:-]{2,40})""", re.IGNORECASE)
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_META_WITHIN = 4096
_DETECT_WITHIN = 1 << 16
# Servers and editors declare these without looking, so another finding outweighs them.
_WEAK = {"cp1252", "iso8859-1", "ascii"}
_SURE = 0.5


class Decoded(NamedTuple):
    """The text of a page, the codec that read it, and what each source said."""

    text: str
    codec: str
    charsets: Charsets


def decode(body: bytes, content_type: str = "") -> Decoded:
    """Make text of a page's bytes; what cannot be read becomes U+FFFD."""
    header = declared_charset(content_type)
    meta = _first(_META.search(body[:_META_WITHIN].decode("latin-1")))
    detected, sure = _detect(body)
    charsets = Charsets(header, meta, detected)
    for mark, codec in _BYTE_ORDER_MARKS:
        if body.startswith(mark):
            return Decoded(_read(body[len(mark) :], codec), codec, charsets)
    codec = _choose(body, codec_name(header), codec_name(meta), codec_name(detected), sure)
    return Decoded(_read(body, codec), codec, charsets)


def declared_charset(content_type: str) -> str:
    """The charset that a Content-Type names, in small letters; empty where it names none."""
    return _first(_HEADER.search(content_type))


def _choose(body: bytes, header: str, meta: str, detected: str, sure: bool) -> str:
    """The codec to believe: the first declared one that fits the bytes and is not weak."""
    if detected == "utf-8" and sure:
        return "utf-8"
    declared = [codec for codec in (header, meta) if codec]
    strong = [codec for codec in declared if codec not in _WEAK]
    found = [detected] if detected and detected not in _WEAK else []
    candidates = strong + found + declared if sure else strong + declared + found
    for codec in candidates:
        if _fits(body, codec):
            return reading_codec(codec)
    return reading_codec(candidates[0]) if candidates else "cp1252"


def _detect(body: bytes) -> tuple[str, bool]:
    """The charset that the bytes look like, and whether that is sure."""
    if body.isascii() and b"\x1b" not in body:
        return "ascii", False
    if _fits(body, "utf-8") and not body.isascii():
        return "utf-8", True
    answer = cchardet.detect(body[:_DETECT_WITHIN])
    name = codec_name(answer["encoding"] or "")
    return name, bool(name) and (answer["confidence"] or 0.0) >= _SURE


def _fits(body: bytes, codec: str) -> bool:
    """Whether a codec reads the bytes, but for a character cut off at the end."""
    try:
        codecs.getincrementaldecoder(reading_codec(codec))("strict").decode(body)
    except (UnicodeError, LookupError):
        return False
    return True


def _read(body: bytes, codec: str) -> str:
    return body.decode(codec, errors="replace")


def _first(match: re.Match[str] | None) -> str:
    """The label that a match has found, in small letters."""
    return next((group.lower() for group in match.groups() if group), "") if match else ""
