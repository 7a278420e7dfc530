"""Which links are plain: canonical as they are, or once the host or directory stands before them.

Most are, and to see so while their bytes are read takes a tenth of the time that it takes later.
What is plain here is plain by the rules of `langcrawl.page.links` and `langcrawl.url`, too.
"""

from __future__ import annotations

from langcrawl.page.compiled import BOOL, I8, READ, inlined, quickly_within
from langcrawl.page.links import BEHIND_DIRECTORY, BEHIND_HOST, OTHER, WHOLE
from langcrawl.page.quick.text import Bytes

_MOST = 300
"""Bytes of a plain link."""
_SLASH, _DOT, _DASH, _COLON, _LETTER_S, _TILDE, _UNDERSCORE = b"/.-:s~_"
_HTTP = b"http"


@inlined
def _is_small_or_digit(byte: int) -> bool:
    return 97 <= byte <= 122 or 48 <= byte <= 57


@inlined
def _is_of_a_name(byte: int) -> bool:
    return (
        _is_small_or_digit(byte) or 65 <= byte <= 90 or byte in (_DASH, _UNDERSCORE, _TILDE)
    )  # fmt: skip


@quickly_within(BOOL(READ, I8, I8))
def _is_plain_path(html: Bytes, first: int, last: int) -> bool:
    """Whether there are only names, slashes and dots within names behind a slash."""
    before = _SLASH
    for place in range(first, last):
        byte = html[place]
        if not (_is_of_a_name(byte) or byte == _SLASH or (byte == _DOT and before != _SLASH)):
            return False
        if byte == _DASH and before == _DASH:  # it may be a name in Punycode
            return False
        before = byte
    return True


@quickly_within(I8(READ, I8, I8))
def _behind_host(html: Bytes, first: int, last: int) -> int:
    """Where the host of an absolute link ends; -1 if it is not in small letters, or has no dot."""
    for place in range(4):
        if first + place >= last or html[first + place] != _HTTP[place]:
            return -1
    at = first + 4
    if at < last and html[at] == _LETTER_S:
        at += 1
    if at + 3 > last or html[at] != _COLON or html[at + 1] != _SLASH or html[at + 2] != _SLASH:
        return -1
    begin, dot, before = at + 3, -1, _DOT
    for place in range(begin, last):
        byte = html[place]
        if byte == _SLASH:
            if dot < 0 or place - dot < 3:
                return -1
            for each in range(dot + 1, place):
                if not 97 <= html[each] <= 122:
                    return -1
            return place
        if byte == _DOT:
            dot = place
        elif not _is_small_or_digit(byte) and byte != _DASH:
            return -1
        if place == begin and not _is_small_or_digit(byte):
            return -1
        if byte == _DASH and before == _DASH:
            return -1
        before = byte
    return -1


@quickly_within(I8(READ, I8, I8))
def kind_of_href(html: Bytes, first: int, last: int) -> int:
    """How a link becomes a URL, if that is plain to see."""
    if first >= last or last - first > _MOST:
        return OTHER
    if html[first] == _SLASH:
        named = first + 1 < last and _is_of_a_name(html[first + 1])
        return BEHIND_HOST if named and _is_plain_path(html, first + 1, last) else OTHER
    path = _behind_host(html, first, last)
    if path >= 0:
        return WHOLE if _is_plain_path(html, path + 1, last) else OTHER
    named = _is_of_a_name(html[first])
    return BEHIND_DIRECTORY if named and _is_plain_path(html, first, last) else OTHER
