"""A page read in one pass, as `extract` wants it: the same as from its tree, in less time.

`langcrawl.page.quick.one_pass` reads the bytes by compiled code; here its notes become text. A page
whose markup is not in order is left to the parser.
"""

from __future__ import annotations

import re
from html import unescape
from html.entities import html5
from threading import local
from typing import NamedTuple

import numpy as np

from langcrawl.page.declared import Element
from langcrawl.page.place import one_deeper
from langcrawl.page.quick import NotPlain
from langcrawl.page.quick.names import NAMES, NUMBER
from langcrawl.page.quick.notes import (
    AROUND,
    ATTRIBUTE,
    ATTRIBUTES,
    ATTRIBUTES_FROM,
    ATTRIBUTES_TO,
    FIRST_OF_ALL,
    FONT,
    HREF_FROM,
    HREF_KIND,
    HREF_TO,
    IMAGE_FROM,
    IMAGE_TO,
    LAST_ATTRIBUTE,
    NOTE,
    NOTES,
    PATH,
    SAID_FROM,
    TAG,
    TITLE_FROM,
    TITLE_TO,
)
from langcrawl.page.quick.one_pass import read_in_one_pass
from langcrawl.page.quick.stack import ELEMENT, ELEMENTS, MEMORY, ROWS, SAID, SAID_TO
from langcrawl.page.quick.tags import attribute_hash
from langcrawl.page.quick.text import ROOM, Bytes, Numbers, is_plain_number

_REFERENCE = re.compile(
    r"&(?:#([xX]?)([0-9a-fA-F]+)|([A-Za-z][A-Za-z0-9]*))(;?)(?=(.?))", re.DOTALL
)
_LINKS = frozenset(NUMBER[name] for name in ("a", "area", "iframe"))
_META, _LINK, _BASE, _HTML = (NUMBER[name] for name in ("meta", "link", "base", "html"))
_NOSCRIPT = -2
"""The element around what stands in a NOSCRIPT element of the head."""


class Parent(NamedTuple):
    """The element around another one."""

    tag: str


class Noted:
    """A META, LINK or BASE element: what `langcrawl.page.declared` asks of it."""

    __slots__ = ("_page", "_row")

    def __init__(self, page: QuickPage, row: list[int]) -> None:
        self._page, self._row = page, row

    def getattr(self, name: str, default: str | None = None) -> str | None:
        """The value of an attribute."""
        value = self._page.attribute(self._row, name)
        return default if value is None else value

    @property
    def parent(self) -> Parent:
        """The element around it."""
        return Parent(self._page.name_of(self._row[AROUND]))


class QuickPage:
    """What one pass has found: see `read_quickly`."""

    def __init__(self, raw: bytes, memory: Numbers, notes: int, said: bytes, text: str) -> None:
        self._text, self.is_cut = text, False
        self._raw, self._memory, self._said = raw, memory, said
        self._first = int(memory[ROWS])
        self._attributes = memory[memory[FIRST_OF_ALL] : memory[ATTRIBUTES]].tolist()
        rows = memory[notes : memory[NOTES]].reshape(-1, NOTE).tolist()
        self._rows = rows
        self.metas: list[Element] = [Noted(self, row) for row in rows if row[TAG] == _META]
        self.related: list[Element] = [Noted(self, row) for row in rows if row[TAG] == _LINK]
        self._links = [row for row in rows if row[TAG] in _LINKS]
        self._paths: dict[int, str] = {}

    @property
    def title(self) -> str:
        """The title, as it stands there."""
        said = self._raw[self._memory[TITLE_FROM] : self._memory[TITLE_TO]].decode()
        return unescape(said) if "&" in said else said

    @property
    def lang(self) -> str:
        """The language that the page says it is in."""
        said = (self.attribute(row, "lang") for row in self._rows if row[TAG] == _HTML)
        return next((lang for lang in said if lang is not None), "")

    @property
    def base(self) -> str:
        """What the links are relative to, if the page says so."""
        bases = (self.attribute(row, "href") for row in self._rows if row[TAG] == _BASE)
        return next((href for href in bases if href is not None), "")

    def text(self) -> str:
        """What its readers see."""
        return self._text

    @property
    def has_fonts(self) -> bool:
        """Whether there is a FONT element."""
        return bool(self._memory[FONT])

    def hrefs(self) -> list[str | None]:
        """Where the elements lead that may be links; None for those that lead nowhere."""
        raw, letters = self._raw, self._raw.decode("latin-1")
        simple = "\r" not in letters
        found: list[str | None] = []
        for row in self._links:
            if (first := row[HREF_FROM]) < 0:
                found.append(None)
                continue
            href = letters[first : row[HREF_TO]]
            if not simple or "&" in href or not href.isascii():
                href = _value(raw[first : row[HREF_TO]])
            found.append(href)
        return found

    def kinds(self) -> list[int]:
        """What kinds of links they are."""
        return [row[HREF_KIND] for row in self._links]

    def values(self, places: list[int], attribute: str) -> list[str]:
        """What the links say in an attribute."""
        return [self.attribute(self._links[place], attribute) or "" for place in places]

    def said(self, places: list[int]) -> list[str]:
        """The text in the links."""
        said, links = self._said, self._links
        rows = [links[place] for place in places]
        texts = [said[row[SAID_FROM] : row[SAID_TO]].decode() for row in rows]
        return [unescape(text) for text in texts] if b"&" in said else texts

    def unwritten(self, place: int) -> str:
        """What a link without text says."""
        row = self._links[place]
        text = self.attribute(row, "alt") or self.attribute(row, "title") or ""
        if not text.strip() and row[IMAGE_FROM] >= 0:
            return _value(self._raw[row[IMAGE_FROM] : row[IMAGE_TO]])
        return text

    def tag_paths(self, places: list[int]) -> list[str]:
        """The elements above the links."""
        known, links = self._paths, self._links
        rows = [links[place] for place in places]
        return [
            self._path_of(row[AROUND]) if (path := known.get(row[PATH])) is None else path
            for row in rows
        ]

    def attribute(self, row: list[int], name: str) -> str | None:
        """The value of an attribute; None if an element has none of that name."""
        attributes, wanted = self._attributes, attribute_hash(name)
        for place in range(row[ATTRIBUTES_FROM], row[ATTRIBUTES_TO], ATTRIBUTE):
            if attributes[place] == wanted:
                return _value(self._raw[attributes[place + 1] : attributes[place + 2]])
        return None

    def name_of(self, element: int) -> str:
        """The name of an element."""
        if element < 0:
            return "noscript" if element == _NOSCRIPT else "head"
        memory = self._memory
        written = self._raw[memory[element + 2] : memory[element + 3]]
        return written.decode().lower() if written else NAMES[memory[element + 1]]

    def _path_of(self, element: int) -> str:
        around, _, _, _, first, last, path = self._memory[element : element + ELEMENT].tolist()
        if (known := self._paths.get(path)) is None:
            above = "" if element == self._first else self._path_of(around)
            known = one_deeper(above, self.name_of(element), _value(self._raw[first:last]))
            self._paths[path] = known
        return known

    def contexts(self, places: list[int]) -> list[str]:
        """The text around links is read from a tree only."""
        raise NotPlain


class _Scratch(local):
    """Memory for one page after the other: to ask the system for it takes as long as reading."""

    def __init__(self) -> None:
        self._out, self._memory = np.empty(0, np.uint8), np.empty(0, np.int64)

    def room_for(self, text: int, numbers: int) -> tuple[Bytes, Numbers]:
        if len(self._out) < text:
            self._out = np.empty(2 * text, np.uint8)
        if len(self._memory) < numbers:
            self._memory = np.empty(2 * numbers, np.int64)
        return self._out, self._memory


_SCRATCH = _Scratch()


def read_quickly(raw: bytes, tags: int) -> QuickPage | None:
    """Read a page in UTF-8 with so many tags in one pass; None if its markup is not in order.

    What is read is there until the next page is.
    """
    room, notes = len(raw) + 4096, MEMORY
    elements = notes + NOTE * tags
    attributes = elements + ELEMENT * (3 * tags + 1)
    out, memory = _SCRATCH.room_for(2 * room, attributes + len(raw) // 2 + 64)
    memory[:MEMORY] = 0
    memory[NOTES], memory[ELEMENTS] = notes, elements
    memory[ATTRIBUTES] = memory[FIRST_OF_ALL] = attributes
    memory[LAST_ATTRIBUTE] = attributes + len(raw) // 2
    memory[ROOM] = memory[SAID] = room
    length = read_in_one_pass(np.frombuffer(raw, np.uint8), memory, out)
    if length < 0:
        return None
    text = out[:length].tobytes().decode()
    said = out[room : memory[SAID]].tobytes()
    return QuickPage(raw, memory, notes, said, unescape(text) if "&" in text else text)


def _value(raw: bytes) -> str:
    """The value of an attribute."""
    value = raw.decode()
    if "\r" in value:
        value = value.replace("\r\n", "\n").replace("\r", "\n")
    return _REFERENCE.sub(_refer, value) if "&" in value else value


def _refer(found: re.Match[str]) -> str:
    """What a character reference in an attribute stands for."""
    hexadecimal, digits, name, end, after = found.groups()
    if digits:
        if not hexadecimal and not digits.isdigit():
            raise NotPlain
        number = int(digits, 16 if hexadecimal else 10)
        if not end or number > 0x10FFFF or not is_plain_number(number):
            raise NotPlain
        return chr(number)
    if end:
        return html5.get(f"{name};", found[0])
    return found[0] if after == "=" else html5.get(name, found[0])
