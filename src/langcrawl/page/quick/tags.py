"""The tags of a page, as the HTML standard tells them apart (tokenization), in its bytes.

A place of -1 says that the markup is not in order, or ends too early, and is left to the parser.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import types

from langcrawl.page.compiled import BOOL, I8, READ, inlined, quickly_within
from langcrawl.page.elements import SEED as _UNSIGNED_SEED
from langcrawl.page.elements import name_hash
from langcrawl.page.quick.names import HASH, KINDS, NAMES, NUMBER, ODD, RAW
from langcrawl.page.quick.stack import NO_QUIRKS, PRIME, UNKNOWN
from langcrawl.page.quick.text import Bytes

_TABLE = 512
SEED: Any = _UNSIGNED_SEED.view(np.int64)


def _numbers() -> npt.NDArray[np.uint8]:
    """An open table from the hash of a name to its number."""
    table = np.zeros(_TABLE, np.uint8)
    for number in range(1, len(NAMES)):
        place = int(HASH[number]) & (_TABLE - 1)
        while table[place]:
            place = (place + 1) & (_TABLE - 1)
        table[place] = number
    return table


@cache
def attribute_hash(name: str) -> int:
    """The number that stands for the name of an attribute."""
    return int(np.uint64(name_hash(name)).view(np.int64))


_NUMBERS = _numbers()
_OPTION, _OPTGROUP, _SELECT = (NUMBER[name] for name in ("option", "optgroup", "select"))
_DOCTYPE, _HTML = np.frombuffer(b"doctype", np.uint8), np.frombuffer(b"html", np.uint8)
LESS, MORE, SLASH, MARK, QUESTION = 60, 62, 47, 33, 63
_DASH, _EQUAL, _QUOTE, _APOSTROPHE = 45, 61, 34, 39
_NAME = types.Tuple((I8, I8, I8))  # type: ignore[no-untyped-call]
_VALUE = types.Tuple((I8, I8, I8, I8))  # type: ignore[no-untyped-call]


@inlined
def parts(byte: int) -> bool:
    """White space within a tag."""
    return byte == 32 or byte == 10 or byte == 9 or byte == 13 or byte == 12


@inlined
def is_letter(byte: int) -> bool:
    return 97 <= byte | 32 <= 122


@quickly_within(I8(READ, I8, I8))
def find(html: Bytes, at: int, byte: int) -> int:
    """Where a byte is; the end if it is nowhere."""
    end = len(html)
    while at < end and html[at] != byte:
        at += 1
    return at


@quickly_within(_NAME(READ, I8))
def read_name(html: Bytes, at: int) -> tuple[int, int, int]:
    """The number and the hash of the element whose name begins here, and where it ends."""
    value, end = SEED, len(html)
    while at < end:
        byte = html[at]
        if parts(byte) or byte in (SLASH, MORE):
            break
        value = (value ^ (byte + 32 if 65 <= byte <= 90 else byte)) * PRIME
        at += 1
    place = value & (_TABLE - 1)
    number = _NUMBERS[place]
    while number and HASH[number] != value:
        place = (place + 1) & (_TABLE - 1)
        number = _NUMBERS[place]
    return int(number), value, at


@quickly_within(_VALUE(READ, I8))
def read_attribute(html: Bytes, at: int) -> tuple[int, int, int, int]:
    """The next attribute: hash of its name (0 behind the last), its value, where it ends.

    The end is -1 where a tag is not in order.
    """
    end, none = len(html), 0
    while at < end and (parts(html[at]) or html[at] == SLASH):
        at += 1
    if at >= end:
        return none, 0, 0, -1
    if html[at] == MORE:
        return none, 0, 0, at
    name = SEED
    first = at
    while at < end:
        byte = html[at]
        if parts(byte) or byte in (SLASH, MORE) or (byte == _EQUAL and at > first):
            break
        name = (name ^ (byte + 32 if 65 <= byte <= 90 else byte)) * PRIME
        at += 1
    while at < end and parts(html[at]):
        at += 1
    if at >= end or html[at] != _EQUAL:
        return name, at, at, at if at < end else -1
    at += 1
    while at < end and parts(html[at]):
        at += 1
    if at >= end:
        return none, 0, 0, -1
    if html[at] == _QUOTE or html[at] == _APOSTROPHE:
        close = find(html, at + 1, html[at])
        return name, at + 1, close, close + 1 if close < end else -1
    first = at
    while at < end and not (parts(html[at]) or html[at] == MORE):
        at += 1
    return name, first, at, at if at < end else -1


@quickly_within(I8(READ, I8))
def behind_end_tag(html: Bytes, at: int) -> int:
    """Where an end tag ends; -1 if it is not in order."""
    while True:
        name, _, _, at = read_attribute(html, at)
        if at < 0:
            return -1
        if name == 0:
            return at + 1


@quickly_within(I8(READ, I8, I8, I8))
def behind_raw(html: Bytes, at: int, name_from: int, name_to: int) -> int:
    """Where an element ends in which there is no markup: behind its end tag. -1 if it does not."""
    size, script, comment = name_to - name_from, html[name_from + 1] | 32 == 99, False
    while True:
        at = find(html, at, LESS)
        if at + size + 2 >= len(html):
            return -1
        first = at + 1
        if html[first] == MARK and html[first + 1] == _DASH and html[first + 2] == _DASH:
            comment = True
        ends = html[first] == SLASH
        first += ends
        same = first + size < len(html)
        for k in range(size):
            if not same:
                break
            same = html[first + k] | 32 == html[name_from + k] | 32
        after = html[first + size] if same else 0
        if same and (parts(after) or after in (SLASH, MORE)):
            if ends:
                return behind_end_tag(html, first + size)
            if script and comment:
                return -1  # a script within a comment within a script
        at += 1


@quickly_within(I8(READ, I8))
def behind_declaration(html: Bytes, at: int) -> int:
    """Where a comment ends, or what is taken for one. -1 if it does not."""
    end = len(html)
    if at + 4 < end and html[at + 1] == MARK and html[at + 2] == _DASH and html[at + 3] == _DASH:
        place = at + 4
        if html[place] == MORE or (html[place] == _DASH and html[place + 1] == MORE):
            return -1
        while True:
            place = find(html, place, MORE)
            if place >= end:
                return -1
            if html[place - 1] == _DASH and html[place - 2] == _DASH and place - 2 >= at + 4:
                return place + 1
            if html[place - 1] == MARK and html[place - 2] == _DASH and html[place - 3] == _DASH:
                return -1
            place += 1
    place = find(html, at, MORE)
    return place + 1 if place < end else -1


@quickly_within(I8(READ, I8))
def behind_text(html: Bytes, at: int) -> int:
    """Where text ends: before the next tag."""
    end = len(html)
    while True:
        at = find(html, at, LESS)
        if at + 1 >= end:
            return end
        after = html[at + 1]
        if is_letter(after) or after in (MARK, QUESTION) or (after == SLASH and at + 2 < end):
            return at
        at += 1


@quickly_within(I8(READ, I8, I8))
def behind_closed(html: Bytes, at: int, kind: int) -> int:
    """Where a SELECT or TEMPLATE element ends, of which nothing is seen. -1 if it does not."""
    depth = 1
    while True:
        at = find(html, at, LESS)
        if at + 2 >= len(html):
            return -1
        close, mark = at + 1, html[at + 1]
        if mark == MARK:
            close = behind_declaration(html, at)
        elif mark == SLASH or is_letter(mark):
            begins, ends = at + 1 + (mark == SLASH), mark == SLASH
            tag, _, name_to = read_name(html, begins)
            close = behind_end_tag(html, name_to)
            if tag == kind:
                depth += -1 if ends else 1
                if depth == 0:
                    return close
            if kind == _SELECT:
                if tag not in (_OPTION, _OPTGROUP):
                    return -1
            elif KINDS[tag] & RAW and not ends and close > 0:
                close = behind_raw(html, close, begins, name_to)
            elif KINDS[tag] & ODD and tag != kind:
                return -1
        if close < 0:
            return -1
        at = close


@quickly_within(I8(READ, I8))
def start_of_end_tag(html: Bytes, close: int) -> int:
    """Where an end tag begins that ends before `close`."""
    place = close - 1
    while html[place] != LESS:
        place -= 1
    return place


@quickly_within(BOOL(READ, I8, I8, READ))
def _says(html: Bytes, at: int, end: int, word: Bytes) -> bool:
    """Whether a word in small letters is next, in any case."""
    if at + len(word) > end:
        return False
    same = True
    for place in range(len(word)):
        same = same and html[at + place] | 32 == word[place]
    return same


@quickly_within(BOOL(READ, I8))
def is_document_type(html: Bytes, at: int) -> bool:
    """Whether what begins with "<!" is a document type, and no comment."""
    return _says(html, at + 2, len(html), _DOCTYPE)


@quickly_within(I8(READ, I8, I8))
def quirks_of(html: Bytes, at: int, end: int) -> int:
    """What a document type says of how tables stand in paragraphs: "<!doctype html>", no more."""
    place = at + 2 + len(_DOCTYPE)
    while place < end and parts(html[place]):
        place += 1
    if not _says(html, place, end, _HTML):
        return UNKNOWN
    place += len(_HTML)
    while place < end and parts(html[place]):
        place += 1
    return NO_QUIRKS if place == end - 1 else UNKNOWN
