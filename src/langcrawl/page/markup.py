"""The markup of a page read in one pass: its elements, its blocks of text and where they stand.

A tree of objects costs more than all that is asked of it here, so the bytes of a page are read by
compiled code into columns. Elements that authors do not end are ended as HTML says, near enough:
what is wanted is who stands within whom. Nothing here depends on words being parted by spaces.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
import numpy.typing as npt

from langcrawl.page.compiled import (
    ATTRIBUTES,
    BOOL,
    BYTES,
    HASHES,
    I8,
    INTS,
    READ,
    TAG_FOUND,
    U8,
    VALUE,
    compiled,
    compiled_within,
)  # fmt: skip
from langcrawl.page.elements import ENDS_P, INLINE, KINDS, RAW, SEED, TAG, UNSEEN, VOID, name_hash

Ints = npt.NDArray[np.int32]
Bytes = npt.NDArray[np.uint8]
Hashes = npt.NDArray[np.uint64]

DEEPEST = 400
"""What lies deeper is taken for a part of what it lies in."""
MOST_BLOCKS = 20_000
"""What comes after so many blocks is left out."""
_MOST_NAMES = 16
"""Names of an element (from its class, id and role) that are looked at."""

_A, _P, _BR, _LI, _DD, _DT = (TAG[name] for name in ("a", "p", "br", "li", "dd", "dt"))
_TD, _TH, _TR, _TABLE = (TAG[name] for name in ("td", "th", "tr", "table"))
_UL, _OL, _DL, _MENU = (TAG[name] for name in ("ul", "ol", "dl", "menu"))
_BODY, _HTML, _NOSCRIPT = TAG["body"], TAG["html"], TAG["noscript"]


@numba.njit(cache=True, nogil=True, inline="always")
def _hash(value: np.uint64, byte: int) -> np.uint64:
    return (value ^ np.uint64(byte)) * np.uint64(1099511628211)


TABLE = 512


def _tag_table() -> tuple[Hashes, Bytes]:
    """An open table from the hash of an element's name to its number."""
    keys, values = np.zeros(TABLE, np.uint64), np.zeros(TABLE, np.uint8)
    for name, number in TAG.items():
        place = name_hash(name) % TABLE
        while keys[place]:
            place = (place + 1) % TABLE
        keys[place], values[place] = name_hash(name), number
    return keys, values


_TAG_KEYS, _TAG_NUMBERS = _tag_table()
_CLASS, _ID, _ROLE, _STYLE, _HIDDEN, _ARIA, _PROP = (
    np.uint64(name_hash(name))
    for name in ("class", "id", "role", "style", "hidden", "aria-hidden", "itemprop")
)
_NONE = np.frombuffer(b"display:none", np.uint8)


class Markup(NamedTuple):
    """The elements of a page, the names they bear, its blocks, and the pieces of their text."""

    parent: Ints
    tag: Bytes
    unseen: Bytes
    """Whether an element, or one around it, says that it is hidden."""
    name_of: Ints
    """The element that bears a name."""
    name: Hashes
    block: Ints
    """The innermost element that is not inline around each block."""
    piece_block: Ints
    piece_from: Ints
    piece_to: Ints
    piece_link: Bytes
    """1 where a piece of text is within a link."""
    piece_gap: Bytes
    """What stands before a piece: 0 nothing, 1 space, 2 a line break."""


@numba.njit(cache=True, nogil=True, inline="always")
def _is_white(byte: int) -> bool:
    return byte == 32 or (9 <= byte <= 13)


@compiled_within(I8(READ, I8, I8))
def _find(html: Bytes, at: int, mark: int) -> int:
    end = len(html)
    while at < end and html[at] != mark:
        at += 1
    return at


@compiled_within(TAG_FOUND(READ, I8))
def _tag_number(html: Bytes, at: int) -> tuple[int, int]:
    """The number of the tag whose name begins here, and where the name ends."""
    value, end = SEED, len(html)
    while at < end:
        byte = html[at]
        if _is_white(byte) or byte == 47 or byte == 62:
            break
        if 65 <= byte <= 90:
            byte += 32
        value = _hash(value, byte)
        at += 1
    place = value % np.uint64(TABLE)
    while _TAG_KEYS[place] and _TAG_KEYS[place] != value:
        place = (place + np.uint64(1)) % np.uint64(TABLE)
    return (int(_TAG_NUMBERS[place]) if _TAG_KEYS[place] == value else 0), at


@compiled_within(I8(READ, I8, I8, U8, HASHES, I8))
def _names(html: Bytes, at: int, end: int, seed: np.uint64, out: Hashes, count: int) -> int:
    """Add the hashes of the names between two places: parts of words, in small letters."""
    value, letters, small_before = seed, 0, False
    for place in range(at, end + 1):
        byte = html[place] if place < end else 32
        capital = 65 <= byte <= 90
        small = (97 <= byte <= 122) or byte >= 128
        if letters and (not (capital or small) or (capital and small_before)):
            if letters > 1 and count < len(out):
                out[count] = value
                count += 1
            value, letters = seed, 0
        if capital or small:
            value = _hash(value, byte + 32 if capital else byte)
            letters += 1
        small_before = small
    return count


@compiled_within(BOOL(READ, I8, I8))
def _says_hidden(html: Bytes, at: int, end: int) -> bool:
    """Whether a style has display:none, with or without a space."""
    matched = 0
    for place in range(at, end):
        byte = html[place]
        if byte == _NONE[matched]:
            matched += 1
            if matched == len(_NONE):
                return True
        elif not (byte == 32 and matched == 8):
            matched = 1 if byte == _NONE[0] else 0
    return False


@compiled_within(VALUE(READ, I8))
def _attribute(html: Bytes, at: int) -> tuple[np.uint64, int, int, int]:
    """The next attribute of a tag: hash of its name, where its value lies, where it ends.

    The hash is 0 at the end of the tag.
    """
    end = len(html)
    while at < end and (_is_white(html[at]) or html[at] == 47):
        at += 1
    if at >= end or html[at] == 62:
        return np.uint64(0), at, at, at
    value = SEED
    while at < end and not (_is_white(html[at]) or html[at] == 61 or html[at] == 62):
        byte = html[at]
        value = _hash(value, byte + 32 if 65 <= byte <= 90 else byte)
        at += 1
    after = at
    while after < end and _is_white(html[after]):
        after += 1
    if after >= end or html[after] != 61:
        return value, at, at, at
    at = after + 1
    while at < end and _is_white(html[at]):
        at += 1
    if at < end and (html[at] == 34 or html[at] == 39):
        close = _find(html, at + 1, html[at])
        return value, at + 1, close, min(close + 1, end)
    first = at
    while at < end and not (_is_white(html[at]) or html[at] == 62):
        at += 1
    return value, first, at, at


@compiled_within(ATTRIBUTES(READ, I8, HASHES))
def _attributes(html: Bytes, at: int, out: Hashes) -> tuple[int, int, bool]:
    """Read the attributes of a tag: where it ends, how many names it has, whether it is hidden."""
    count, unseen = 0, False
    while True:
        name, first, last, at = _attribute(html, at)
        if name == np.uint64(0):
            break
        if name in (_CLASS, _ID):
            count = _names(html, first, last, SEED, out, count)
        elif name in (_ROLE, _PROP):
            count = _names(html, first, last, name, out, count)
        elif name == _STYLE:
            unseen = unseen or _says_hidden(html, first, last)
        elif name == _HIDDEN or (
            name == _ARIA and first < last and (html[first] == 116 or html[first] == 84)
        ):
            unseen = True
    return min(at + 1, len(html)), count, unseen


@compiled_within(I8(READ, I8, I8, I8))
def _raw_end(html: Bytes, at: int, tag_from: int, tag_to: int) -> int:
    """Where the end tag of an element begins whose content is no markup."""
    end, size = len(html), tag_to - tag_from
    while True:
        at = _find(html, at, 60)
        if at + size + 2 > end:
            return end
        if html[at + 1] == 47:
            same = True
            for k in range(size):
                if (html[at + 2 + k] | 32) != (html[tag_from + k] | 32):
                    same = False
                    break
            if same:
                return at
        at += 1


@compiled_within(I8(I8, INTS, I8, BYTES))
def _ended_by(tag: int, stack: Ints, depth: int, tags: Bytes) -> int:
    """How deep the stack is once what this tag ends by beginning is ended."""
    kinds = KINDS[tag]
    low = max(1, depth - 24)
    for place in range(depth - 1, low - 1, -1):
        other = tags[stack[place]]
        if tag == _LI:
            if other == _LI:
                return place
            if other in (_UL, _OL, _MENU, _TABLE, _TD):
                break
        elif tag in (_DD, _DT):
            if other in (_DD, _DT):
                return place
            if other in (_DL, _TABLE, _TD):
                break
        elif tag in (_TD, _TH, _TR):
            if other == _TR and tag == _TR:
                return place
            if other in (_TD, _TH) and tag != _TR:
                return place
            if other == _TABLE or (other == _TR and tag != _TR):
                break
        elif tag == _A:
            if other == _A:
                return place
            if not KINDS[other] & INLINE:
                break
        elif kinds & ENDS_P:
            break
    if kinds & ENDS_P:
        for place in range(depth - 1, low - 1, -1):
            other = tags[stack[place]]
            if other == _P:
                return place
            if not KINDS[other] & INLINE:
                break
    return depth


@compiled_within(I8(I8, INTS, I8, BYTES))
def _closed_by(tag: int, stack: Ints, depth: int, tags: Bytes) -> int:
    """How deep the stack is after an end tag."""
    inline = KINDS[tag] & INLINE
    for place in range(depth - 1, 0, -1):
        other = tags[stack[place]]
        if other == tag:
            return place
        if inline and not KINDS[other] & INLINE:
            break
        if other in (_TD, _TH, _TABLE) and tag not in (_TR, _TABLE, _TD, _TH):
            break
    return depth


@compiled_within(BOOL(READ, I8, I8))
def _has_letters(html: Bytes, at: int, end: int) -> bool:
    while at < end and html[at] <= 32:
        at += 1
    return at < end


@numba.njit(cache=True, nogil=True, inline="always")
def _veil(tag: int, scripts: bool) -> int:
    """2 for an element of which nothing is seen."""
    return 2 if KINDS[tag] & UNSEEN and (scripts or tag != _NOSCRIPT) else 0


@compiled
def read_markup(html: Bytes, scripts: bool) -> Markup:
    """Read the elements and the blocks of text of a page in UTF-8.

    Without scripts, what stands in NOSCRIPT elements is seen.
    """
    end, room = len(html), 2
    for place in range(end):
        room += html[place] == 60
    parent, tags = np.empty(room, np.int32), np.empty(room, np.uint8)
    unseen = np.zeros(room, np.uint8)
    name_of, names = np.empty(room * 4 + 16, np.int32), np.empty(room * 4 + 16, np.uint64)
    block = np.empty(room, np.int32)
    piece_block, piece_link = np.empty(room, np.int32), np.empty(room, np.uint8)
    piece_from, piece_to = np.empty(room, np.int32), np.empty(room, np.int32)
    piece_gap = np.empty(room, np.uint8)
    own, stack = np.empty(_MOST_NAMES, np.uint64), np.zeros(DEEPEST + 1, np.int32)
    parent[0], tags[0] = -1, 0
    elements, depth, named, blocks, pieces = 1, 1, 0, 0, 0
    is_open, gap, breaks, links = False, 0, 0, 0
    at = 0
    while at < end and blocks < MOST_BLOCKS:
        if (
            html[at] != 60
            or at + 1 >= end
            or not (html[at + 1] in (33, 47, 63) or 65 <= (html[at + 1] & 223) <= 90)
        ):
            last = _find(html, at + 1, 60)
            top = stack[depth - 1]
            hidden = unseen[top] & 2
            if not hidden:
                if _has_letters(html, at, last):
                    if not is_open:
                        inner = depth - 1
                        while inner and KINDS[tags[stack[inner]]] & INLINE:
                            inner -= 1
                        block[blocks] = stack[inner]
                        blocks, is_open, gap = blocks + 1, True, 0
                    piece_block[pieces], piece_link[pieces] = blocks - 1, links > 0
                    piece_from[pieces], piece_to[pieces] = at, last
                    piece_gap[pieces] = gap
                    pieces, gap, breaks = pieces + 1, 0, 0
                elif gap == 0:
                    gap = 1
            at = last
            continue
        mark = html[at + 1]
        if mark == 33 or mark == 63:
            if at + 3 < end and html[at + 2] == 45 and html[at + 3] == 45:
                at += 4
                while at < end and not (
                    html[at] == 62 and html[at - 1] == 45 and html[at - 2] == 45
                ):
                    at += 1
                at += 1
            else:
                at = _find(html, at, 62) + 1
            continue
        if mark == 47:
            tag, _ = _tag_number(html, at + 2)
            at = _find(html, at, 62) + 1
            if tag not in (_BODY, _HTML):
                left = _closed_by(tag, stack, depth, tags)
                for place in range(left, depth):
                    links -= tags[stack[place]] == _A
                depth = left
            if not KINDS[tag] & INLINE:
                is_open = False
            elif tag == _A and gap == 0:
                gap = 3
            continue
        name_from = at + 1
        tag, name_to = _tag_number(html, name_from)
        at, count, hides = _attributes(html, name_to, own)
        kinds = KINDS[tag]
        if tag == _BR:
            breaks += 1
            gap = 2
            is_open = is_open and breaks < 2
            continue
        if not kinds & INLINE:
            is_open = False
        elif tag == _A and gap == 3:
            gap = 1
        left = _ended_by(tag, stack, depth, tags)
        for place in range(left, depth):
            links -= tags[stack[place]] == _A
        depth = left
        above = stack[depth - 1]
        parent[elements], tags[elements] = above, tag
        unseen[elements] = unseen[above] | hides | _veil(tag, scripts)
        for k in range(count):
            if named < len(names):
                name_of[named], names[named] = elements, own[k]
                named += 1
        if kinds & RAW:
            at = _raw_end(html, at, name_from, name_to)
        elif not kinds & VOID and depth < DEEPEST:
            stack[depth] = elements
            depth += 1
            links += tag == _A
        elements += 1
    return Markup(
        parent[:elements], tags[:elements], unseen[:elements], name_of[:named], names[:named],
        block[:blocks], piece_block[:pieces], piece_from[:pieces], piece_to[:pieces],
        piece_link[:pieces], piece_gap[:pieces],
    )  # fmt: skip
