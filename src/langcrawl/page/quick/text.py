"""The visible text of a page as it is put together: lines, lists, tables, paragraphs.

Text arrives piece by piece, and elements as they begin and end. The result is, to the letter, what
resiliparse's `extract_plain_text` makes of the same tree, without its copies of all text so far.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import types

from langcrawl.page.compiled import BOOL, BYTES, I8, READ, inlined, quickly, quickly_within
from langcrawl.page.quick.names import BLOCK, KINDS, NUMBER

Bytes = npt.NDArray[np.uint8]
Numbers = npt.NDArray[np.int64]
NUMBERS = types.int64[::1]
VOID = types.void

(
    SIZE, AFTER_SPACE, MARGIN, LISTS, STRIPS, BEGUN, SPACE, PRE, LEVEL, TAG, PREFIX, ITEM, BULLET,
    ANY, STATES,
) = range(15)  # fmt: skip
"""What is kept between two pieces of text, in the first places of the memory: the size
of the text and whether its last character is a space; empty lines that are due; the lists around;
of the node whether white space before it goes, whether it has begun and its last character is a
space, PRE elements around, its depth and element; the bullet or number that is due and whether an
item has begun; whether there is a node."""
ROOM, ITEMS, MOST_LISTS = 47, 48, 500
"""Where the room for text ends; where the numbers of the next items are, by list."""
_BULLET, _NUMBER = 1, 2
_UNSURE, _NONE = -1, -2
_SPACE, _TAB, _LINE, _AND = 32, 9, 10, 38
_P, _H1, _H2, _H3, _H4 = (NUMBER[name] for name in ("p", "h1", "h2", "h3", "h4"))
_UL, _OL, _LI, _BR, _PRE = (NUMBER[name] for name in ("ul", "ol", "li", "br", "pre"))
_TD, _TH = NUMBER["td"], NUMBER["th"]


@inlined
def is_space(byte: int) -> bool:
    return byte == 32 or 9 <= byte <= 13


@quickly_within(VOID(NUMBERS, I8, I8, BOOL))
def begin_node(m: Numbers, tag: int, level: int, ends: bool) -> None:
    """An element begins or ends, or text begins: it may part what follows from what was before."""
    block = KINDS[tag] & BLOCK != 0
    if m[ANY] and not block and level >= m[LEVEL]:
        return
    m[ANY], m[LEVEL], m[TAG] = 1, level, tag
    if tag == _PRE:
        m[PRE] += -1 if ends else 1
    if tag in (_UL, _OL) or (tag == _LI and m[LISTS] == 0):
        if ends:
            m[LISTS] -= 1
            m[BULLET], m[PREFIX] = 0, 0
        else:
            m[ITEMS + m[LISTS]] = tag == _OL
            m[LISTS] += 1
    if tag == _LI:
        item = m[ITEMS + m[LISTS] - 1]
        m[PREFIX], m[ITEM] = _NUMBER if item else _BULLET, item
        if item and not ends:
            m[ITEMS + m[LISTS] - 1] += 1
        m[BULLET] = not ends
    if block:
        big = tag in (_P, _H1, _H2, _H3, _H4)
        if tag == _BR:
            m[MARGIN] += 1
        else:
            m[MARGIN] = max(m[MARGIN], 2 if big and m[PRE] == 0 else 1)
    m[STRIPS] = block or m[AFTER_SPACE]
    m[BEGUN], m[SPACE] = 0, 0


@quickly_within(I8(BYTES, I8, I8, I8))
def _fill(out: Bytes, size: int, byte: int, times: int) -> int:
    for _ in range(times):
        out[size] = byte
        size += 1
    return size


@quickly_within(I8(BYTES, I8))
def stripped(out: Bytes, size: int) -> int:
    """The size without the white space at the end."""
    while size > 0 and is_space(out[size - 1]):
        size -= 1
    return size


@quickly_within(VOID(NUMBERS, BYTES))
def _begin_text(m: Numbers, out: Bytes) -> None:
    """What stands before the first letter: empty lines, indents, tabs, bullets."""
    size = m[SIZE]
    if m[MARGIN]:
        if m[PRE] == 0:
            size = stripped(out, size)
        if size:
            size = _fill(out, size, _LINE, m[MARGIN])
        m[MARGIN] = 0
    if m[LISTS]:
        size = _fill(out, size, _SPACE, 2 * (m[LISTS] + (1 - m[BULLET])))
        m[BULLET] = 0
    if (m[TAG] == _TD or m[TAG] == _TH) and size and out[size - 1] != _LINE:
        size = _fill(out, size, _TAB, 2)
    if m[PREFIX] == _BULLET:
        out[size], out[size + 1], out[size + 2], out[size + 3] = 226, 128, 162, _SPACE
        size += 4
    elif m[PREFIX] == _NUMBER:
        digits, number = 1, m[ITEM]
        while number >= 10:
            digits, number = digits + 1, number // 10
        number = m[ITEM]
        for place in range(size + digits - 1, size - 1, -1):
            out[place] = 48 + number % 10
            number //= 10
        out[size + digits], out[size + digits + 1] = 46, _SPACE
        size += digits + 2
    m[PREFIX], m[SIZE], m[BEGUN] = 0, size, 1


@quickly(BOOL(I8))
def is_plain_number(number: int) -> bool:
    """Whether a reference to a character stands for that character, which is no white space."""
    if number < 0xD800:
        return 33 <= number < 127 or number >= 160
    return number >= 0xE000 and number & 0xFFFF < 0xFFFE and not 0xFDD0 <= number < 0xFDF0


@quickly_within(I8(READ, I8, I8, BOOL))
def _reference(html: Bytes, at: int, end: int, value: bool) -> int:
    """Where a character reference ends that begins at `at`.

    `_UNSURE` if only the parser knows: it could be white space, or text behind it could be a part
    of it. `_NONE` if it is none, but text behind it could make it one.
    """
    place, number, base = at + 1, 0, 10
    if place < end and html[place] == 35:
        place += 1
        if place < end and html[place] | 32 == 120:
            base = 16
            place += 1
        first = place
        while place < end and number <= 0x10FFFF:
            byte = int(html[place])
            if 48 <= byte <= 57:
                number = number * base + byte - 48
            elif base == 16 and 97 <= byte | 32 <= 102:
                number = number * base + (byte | 32) - 87
            else:
                break
            place += 1
        ended = place > first and place < end and html[place] == 59
        return place if ended and number <= 0x10FFFF and is_plain_number(number) else _UNSURE
    first = place
    while place < end and (48 <= html[place] <= 57 or 97 <= html[place] | 32 <= 122):
        place += 1
    if place == end or (value and html[place] != 59):
        # All names have two letters and more.
        return _NONE if place - first < 2 else _UNSURE
    if place - first < 3:
        return place
    one, two, three = html[first], html[first + 1], html[first + 2]
    # &Tab; and &NewLine; are white space.
    white = (one == 84 and two == 97 and three == 98) or (one == 78 and two == 101 and three == 119)
    return _UNSURE if white else place


@quickly_within(BOOL(READ, I8, I8))
def is_plain(html: Bytes, at: int, end: int) -> bool:
    """Whether text is free of character references."""
    plain = True
    for place in range(at, end):
        plain = plain and html[place] != _AND
    return plain


@quickly_within(BOOL(NUMBERS, BYTES, READ, I8, I8, BOOL))
def add_text(m: Numbers, out: Bytes, html: Bytes, at: int, end: int, value: bool) -> bool:
    """Add a piece of text, or the value of an attribute; False if it is not plain.

    Character references are left as they are.
    """
    if at == end:
        return True
    size = m[SIZE]
    if m[ROOM] - size < end - at + 2 * m[LISTS] + m[MARGIN] + 64:
        return False
    begun, space, strips, pre = m[BEGUN], m[SPACE], m[STRIPS], m[PRE]
    while at < end:
        byte = html[at]
        white = is_space(byte)
        if white and not pre and (space or (strips and not begun)):
            at += 1
            continue
        if not begun:
            _begin_text(m, out)
            begun, size = 1, m[SIZE]
        space = white
        if white:
            at += 1
            if not pre:
                byte = _SPACE
            elif byte == 13:
                if at < end and html[at] == _LINE:
                    continue
                byte = _LINE
            out[size] = byte
            size += 1
            continue
        last = _reference(html, at, end, value) if byte == _AND else at + 1
        if last == _NONE:
            out[size], out[size + 1], out[size + 2] = _AND, 97, 109  # &amp;
            out[size + 3], out[size + 4] = 112, 59
            size, at = size + 5, at + 1
            if m[ROOM] - size < end - at + 64:
                return False
            continue
        if last < 0:
            return False
        while at < last or (at < end and html[at] > _AND):
            out[size] = html[at]
            size += 1
            at += 1
    m[SIZE], m[BEGUN], m[SPACE] = size, begun, space
    if begun:
        m[AFTER_SPACE] = space
    return True
