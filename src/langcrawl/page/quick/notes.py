"""What one pass notes of a page: its links, what it declares, their attributes, its title."""

from __future__ import annotations

from numba import types

from langcrawl.page.compiled import BOOL, I8, READ, inlined, quickly_within
from langcrawl.page.links import OTHER
from langcrawl.page.quick.hrefs import kind_of_href
from langcrawl.page.quick.names import NUMBER
from langcrawl.page.quick.stack import (
    CLASS,
    CLASS_FROM,
    CLASS_TO,
    DEPTH,
    PATHS,
    PRIME,
    ROWS,
    SAID,
    SAID_TO,
)
from langcrawl.page.quick.tags import SEED, SLASH, attribute_hash, read_attribute
from langcrawl.page.quick.text import NUMBERS, ROOM, Bytes, Numbers

(FONT, TITLE_FROM, TITLE_TO, NOTES, ATTRIBUTES, LAST_ATTRIBUTE, FIRST_ATTRIBUTE, FIRST_OF_ALL,
 UNENDED) = range(32, 41)  # fmt: skip
"""Whether there is a FONT element; where the title is; where the next note and the next attribute
are written, where there is no more room for attributes; the first attribute of the tag that is
read, and of all; where the text of a link ends like a character reference."""
(TAG, HREF_FROM, HREF_TO, ATTRIBUTES_FROM, ATTRIBUTES_TO, SAID_FROM, _SAID_TO, IMAGE_FROM,
 IMAGE_TO, PATH, AROUND, HREF_KIND, NOTE) = range(13)  # fmt: skip
assert _SAID_TO == SAID_TO
"""What is noted of an element that leads somewhere or speaks of the page: its number, its HREF
(-1 if it has none), its attributes, the text in it, the ALT of the first image in it that has one
(-1 if none has), a hash of its path, the element around it, and what kind of link it is."""
ATTRIBUTE = 3
"""What is noted of an attribute: the hash of its name, and where its value begins and ends."""
_HREF, _SRC, _CLASS = map(attribute_hash, ("href", "src", "class"))
_A, _AREA, _IFRAME, _IMG = (NUMBER[name] for name in ("a", "area", "iframe", "img"))
_META, _LINK, _BASE, _HTML = (NUMBER[name] for name in ("meta", "link", "base", "html"))
_END_OF_TAG = types.Tuple((I8, BOOL))  # type: ignore[no-untyped-call]


@inlined
def is_noted(tag: int) -> bool:
    return tag in (_A, _AREA, _IFRAME, _META, _LINK, _BASE, _HTML)


@quickly_within(_END_OF_TAG(READ, NUMBERS, I8, I8))
def read_tag(html: Bytes, m: Numbers, tag: int, at: int) -> tuple[int, bool]:
    """Where a start tag ends (-1 if it is not in order), and whether it ends itself.

    Notes its attributes, of the last tag only unless it is noted.
    """
    m[CLASS_FROM] = m[CLASS_TO] = m[CLASS] = 0
    noted, count, found = is_noted(tag) or tag == _IMG, m[ATTRIBUTES], False
    m[FIRST_ATTRIBUTE] = count
    while True:
        name, first, last, at = read_attribute(html, at)
        if at < 0:
            return -1, False
        if name == 0:
            m[ATTRIBUTES] = count
            return at + 1, html[at - 1] == SLASH
        if noted:
            if count + ATTRIBUTE > m[LAST_ATTRIBUTE]:
                return -1, False
            m[count], m[count + 1], m[count + 2] = name, first, last
            count += ATTRIBUTE
        if name == _CLASS and not found:
            found = True
            m[CLASS_FROM], m[CLASS_TO] = first, last
            value = SEED
            for place in range(first, last):
                value = (value ^ html[place]) * PRIME
            m[CLASS] = value


@quickly_within(I8(NUMBERS, I8))
def value_of(m: Numbers, name: int) -> int:
    """Where an attribute of the last tag is noted; -1 if it has none of that name."""
    for place in range(m[FIRST_ATTRIBUTE], m[ATTRIBUTES], ATTRIBUTE):
        if m[place] == name:
            return place
    return -1


@quickly_within(types.void(READ, NUMBERS, I8))
def take_note(html: Bytes, m: Numbers, tag: int) -> None:
    """Note the element that the last tag has begun."""
    note, depth = m[NOTES], m[DEPTH]
    m[NOTES] += NOTE
    m[note + TAG], m[note + HREF_FROM], m[note + HREF_TO] = tag, -1, -1
    m[note + ATTRIBUTES_FROM] = m[FIRST_ATTRIBUTE] - m[FIRST_OF_ALL]
    m[note + ATTRIBUTES_TO] = m[ATTRIBUTES] - m[FIRST_OF_ALL]
    m[note + SAID_FROM] = m[note + SAID_TO] = m[SAID] - m[ROOM]
    m[note + IMAGE_FROM] = m[note + IMAGE_TO] = -1
    m[note + PATH] = m[PATHS + depth - 1] if depth else 0
    m[note + AROUND] = m[ROWS + depth - 1] if depth else -1
    m[note + HREF_KIND] = OTHER
    place = value_of(m, _HREF)
    if place < 0 and tag == _IFRAME:
        place = value_of(m, _SRC)
    if place >= 0:
        m[note + HREF_FROM], m[note + HREF_TO] = m[place + 1], m[place + 2]
        m[note + HREF_KIND] = kind_of_href(html, m[place + 1], m[place + 2])
