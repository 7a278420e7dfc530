"""Bytes to text: the charset of a page is declared, guessed, or both and contradictory."""

from __future__ import annotations

import codecs
import re
from collections import Counter
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
_BLOCKS = bytes(range(1, 9)) + bytes(range(14, 32))
"""First bytes of UTF-16 that are control characters in all else: U+0100 to U+1FFF."""
_A_FEW = 10
_UTF_8_OF_THREE = re.compile(rb"(?:[\xe0-\xef][\x80-\xbf]{2}){3}")
_BEYOND = re.compile("[\u0800-\U0010ffff]")
# Charsets of many bytes that are read as they say, and as their vendor's only where they must.
_AS_NAMED = {"shift_jis", "gb2312", "big5"}


class Decoded(NamedTuple):
    """The text of a page, the codec that read it, and what each source said."""

    text: str
    codec: str
    charsets: Charsets
    utf_8: bytes = b""
    """The same text as bytes, where it came so."""


def decode(body: bytes, content_type: str = "") -> Decoded:
    """Make text of a page's bytes; what cannot be read becomes U+FFFD."""
    header = declared_charset(content_type)
    meta = _first(_META.search(body[:_META_WITHIN].decode("latin-1")))
    begins = (each for each in _BYTE_ORDER_MARKS if body.startswith(each[0]))
    mark, codec = next(begins, (b"", ""))
    if not mark and (text := _plain_utf_8(body)):
        return Decoded(text, "utf-8", Charsets(header, meta, "utf-8"), body)
    detected, sure = _detect(body)
    charsets = Charsets(header, meta, detected)
    if mark:
        return Decoded(_read(body[len(mark) :], codec), codec, charsets)
    codec = _choose(body, codec_name(header), codec_name(meta), codec_name(detected), sure)
    return Decoded(_read(body, codec), codec, charsets)


def _plain_utf_8(body: bytes) -> str:
    """The text of a page in UTF-8, as most are; empty where it is in ASCII or anything else."""
    if body.isascii() or b"\0" in body[:_META_WITHIN]:
        return ""
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError:
        return ""


def declared_charset(content_type: str) -> str:
    """The charset that a Content-Type names, in small letters; empty where it names none."""
    return _first(_HEADER.search(content_type))


def _choose(body: bytes, header: str, meta: str, detected: str, sure: bool) -> str:
    """The codec to believe: the first declared one that fits the bytes and is not weak."""
    if detected.startswith("utf-") and sure:
        return detected
    declared = [codec for codec in (header, meta) if codec]
    strong = [codec for codec in declared if codec not in _WEAK]
    found = [detected] if detected and detected not in _WEAK else []
    candidates = strong + found + declared if sure else strong + declared + found
    for codec in candidates:
        if codec in _AS_NAMED and _fits(body, codec):
            return codec
        if _fits(body, reading_codec(codec)):
            return reading_codec(codec)
    return reading_codec(candidates[0]) if candidates else "cp1252"


def _detect(body: bytes) -> tuple[str, bool]:
    """The charset that the bytes look like, and whether that is sure."""
    wide = without_mark(body)
    if wide:
        return wide, True
    if body.isascii() and b"\x1b" not in body:
        return "ascii", False
    if _fits(body, "utf-8") and not body.isascii():
        return "utf-8", True
    if _nearly_utf_8(body):
        return "utf-8", True
    answer = cchardet.detect(body[:_DETECT_WITHIN])
    name = codec_name(answer["encoding"] or "")
    if name == "utf-8" and not _mostly_utf_8(body):
        return "", False
    return name, bool(name) and (answer["confidence"] or 0.0) >= _SURE


def without_mark(body: bytes) -> str:
    """UTF-16 or UTF-32 that does not say so: the zeros of its ASCII stand at fixed places.

    Text with zeros strewn in is something else: without them it can be read.
    """
    sample = body[:_META_WITHIN]
    if b"\0" not in sample:
        return _of_one_block(sample)
    bare = sample.replace(b"\0", b"")
    if not bare.isascii() and _fits(bare, "utf-8"):
        return ""
    count = len(sample) // 4
    zeros = [sample[place : 4 * count : 4].count(0) for place in range(4)]
    if count and zeros[0] == count and zeros[1] > count // 2:
        return "utf-32-be" if _fits(body, "utf-32-be") else ""
    if count and zeros[3] == count and zeros[2] > count // 2:
        return "utf-32-le" if _fits(body, "utf-32-le") else ""
    even, odd = zeros[0] + zeros[2], zeros[1] + zeros[3]
    for codec, many, few in (("utf-16-be", even, odd), ("utf-16-le", odd, even)):
        if many > count // 20 and few <= many // 2 and _fits(body, codec):
            return codec
    return _of_one_block(sample)


def _of_one_block(sample: bytes) -> str:
    """UTF-16 without ASCII: every other byte is the same, and one that no text has."""
    if len(sample) - len(sample.translate(None, _BLOCKS)) <= len(sample) // 4:
        return ""
    for codec, first in (("utf-16-be", 0), ("utf-16-le", 1)):
        half = sample[first::2]
        block, times = Counter(half).most_common(1)[0]
        if block in _BLOCKS and times > len(half) // 2:
            return codec
    return ""


def _mostly_utf_8(body: bytes) -> bool:
    """Whether broken UTF-8 is UTF-8 all the same: most characters beyond ASCII can be read."""
    beyond = [c for c in _read(body[:_DETECT_WITHIN], "utf-8") if c > "\x7f"]
    return beyond.count("\ufffd") <= len(beyond) // 2


def _nearly_utf_8(body: bytes) -> bool:
    """Whether all but a few characters are UTF-8 of three bytes and more: no accident does that."""
    if not _UTF_8_OF_THREE.search(body, 0, _DETECT_WITHIN // 2):
        return False
    text = _read(body[:_DETECT_WITHIN], "utf-8")
    lost = text.count("\ufffd")
    return len(_BEYOND.findall(text)) - lost >= max(_A_FEW, 5 * lost)


def _fits(body: bytes, codec: str) -> bool:
    """Whether a codec reads the bytes, but for a character cut off at the end."""
    try:
        codecs.getincrementaldecoder(codec)("strict").decode(body)
    except (UnicodeError, LookupError):
        return False
    return True


def _read(body: bytes, codec: str) -> str:
    return body.decode(codec, errors="replace")


def _first(match: re.Match[str] | None) -> str:
    """The label that a match has found, in small letters."""
    return next((group.lower() for group in match.groups() if group), "") if match else ""
