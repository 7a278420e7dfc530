"""The elements that are open while the markup of a page is read, and how tags end them.

What the HTML standard says for markup in order is done here. Where the parser would have to move
or repeat elements, the answer is False, and the page is left to it.
"""

from __future__ import annotations

from numba import types

from langcrawl.page.compiled import BOOL, I8, inlined, quickly_within
from langcrawl.page.nesting import HARMLESS_LISTS
from langcrawl.page.quick.names import (
    ENDS_ALL,
    ENDS_P,
    FORMAT,
    HASH,
    KINDS,
    NUMBER,
    SCOPE,
    SKIP,
    SPECIAL,
    TABLE_PART,
)
from langcrawl.page.quick.text import ITEMS, LISTS, MOST_LISTS, NUMBERS, ROOM, Numbers, begin_node

DEEPEST = 400
(DEPTH, PARAGRAPHS, SKIPPED, FORM, QUIRKS, SVG, LINK, SAID, ELEMENTS, BEGINS, ENDS, CLASS_FROM,
 CLASS_TO, CLASS, MANY_LISTS) = range(16, 31)  # fmt: skip
"""How many elements are open and how many paragraphs of them; the outermost of which nothing is
seen; whether a form is open; how tables stand in paragraphs; the depth within a drawing; the row
of the link that is open and where its text ends so far; where the next element is written down;
of the tag that is read where its name begins and ends, and its classes, and a hash of them;
how many lists there were."""
NO_QUIRKS, IN_QUIRKS, UNKNOWN = 0, 1, 2
TAGS, NAMES, CHILD, PATHS, ROWS, MEMORY = (
    ITEMS + MOST_LISTS + section * (DEEPEST + 1) for section in range(6)
)
"""Where the open elements are, the body first: numbers, hashes of names, whether there is
anything in them, hashes of their paths, and where they are written down."""
ELEMENT = 7
"""What is written down of an element: the one around it, its number, where its name
and its classes begin and end, and a hash of its path."""
SAID_TO = 6
"""The place in the row of a link for where its text ends."""
PRIME = 1099511628211
_P, _A, _LI, _DD, _DT, _FORM, _BUTTON = (
    NUMBER[name] for name in ("p", "a", "li", "dd", "dt", "form", "button")
)
_UL, _OL, _DIV, _ADDRESS, _TABLE = (NUMBER[n] for n in ("ul", "ol", "div", "address", "table"))
_TBODY, _THEAD, _TFOOT, _TR, _TD, _TH = (
    NUMBER[name] for name in ("tbody", "thead", "tfoot", "tr", "td", "th")
)
_CAPTION, _COL, _COLGROUP = (NUMBER[name] for name in ("caption", "col", "colgroup"))
_H1, _H6 = NUMBER["h1"], NUMBER["h6"]


@inlined
def top_of(m: Numbers) -> int:
    tag: int = m[TAGS + m[DEPTH] - 1]
    return tag


@inlined
def _is_rows(tag: int) -> bool:
    return tag in (_TBODY, _THEAD, _TFOOT)


@inlined
def takes_no_text(tag: int) -> bool:
    """Whether text in an element would be moved out of its table."""
    return tag in (_TABLE, _TR, _COLGROUP) or _is_rows(tag)


@quickly_within(types.void(NUMBERS, I8))
def add_leaf(m: Numbers, tag: int) -> None:
    """An element without an end, or text."""
    depth = m[DEPTH]
    m[CHILD + depth - 1] = 1
    if not m[SKIPPED] and not KINDS[tag] & SKIP:
        begin_node(m, tag, depth, False)


@quickly_within(BOOL(NUMBERS, I8, I8))
def push(m: Numbers, tag: int, name: int) -> bool:
    """Open an element."""
    depth = m[DEPTH]
    if depth >= DEEPEST or m[LISTS] >= DEEPEST or m[MANY_LISTS] > HARMLESS_LISTS:
        return False
    if depth:
        add_leaf(m, tag)
    else:
        begin_node(m, tag, depth, False)
    if KINDS[tag] & SKIP and not m[SKIPPED]:
        m[SKIPPED] = depth
    m[TAGS + depth], m[NAMES + depth], m[CHILD + depth] = tag, name, 0
    row = m[ELEMENTS]
    m[ELEMENTS] += ELEMENT
    m[ROWS + depth], m[row + 1], m[row + 2], m[row + 3] = row, tag, m[BEGINS], m[ENDS]
    m[row + 4], m[row + 5] = m[CLASS_FROM], m[CLASS_TO]
    path = ((name * PRIME) ^ m[CLASS]) * PRIME
    if depth:
        m[row] = m[ROWS + depth - 1]
        path = (m[PATHS + depth - 1] ^ path) * PRIME
    m[PATHS + depth] = m[row + 6] = path
    m[MANY_LISTS] += tag in (_UL, _OL)
    m[DEPTH] += 1
    m[PARAGRAPHS] += tag == _P
    return True


@quickly_within(types.void(NUMBERS))
def _pop(m: Numbers) -> None:
    depth = m[DEPTH] - 1
    m[DEPTH] = depth
    tag = m[TAGS + depth]
    m[PARAGRAPHS] -= tag == _P
    if m[SKIPPED]:
        if m[SKIPPED] == depth:
            m[SKIPPED] = 0
    elif m[CHILD + depth]:
        begin_node(m, tag, depth, True)
    if tag == _FORM:
        m[FORM] = 0
    elif tag == _A:
        m[m[LINK] + SAID_TO] = m[SAID] - m[ROOM]
        m[LINK] = 0


@quickly_within(BOOL(NUMBERS, I8, BOOL))
def pop_to(m: Numbers, place: int, cell: bool) -> bool:
    """End an element and all in it; False if the parser would open one of them again.

    It does not behind the end of a cell.
    """
    while m[DEPTH] > place + 1:
        tag = top_of(m)
        if KINDS[tag] & FORMAT and not cell:
            return False
        if tag == _FORM:
            return False
        _pop(m)
    _pop(m)
    return True


@quickly_within(I8(NUMBERS, I8, BOOL, BOOL))
def _find(m: Numbers, name: int, button: bool, lists: bool) -> int:
    """Where an element of that name is open within the innermost cell, table and so on."""
    for place in range(m[DEPTH] - 1, -1, -1):
        if m[NAMES + place] == name:
            return place
        tag = m[TAGS + place]
        if KINDS[tag] & SCOPE or (button and tag == _BUTTON):
            return -1
        if lists and tag in (_UL, _OL):
            return -1
    return -1


@quickly_within(BOOL(NUMBERS))
def end_paragraph(m: Numbers) -> bool:
    """End the paragraph that is open, if there is one."""
    if not m[PARAGRAPHS]:
        return True
    place = _find(m, HASH[_P], True, False)
    return place < 0 or pop_to(m, place, False)


@quickly_within(BOOL(NUMBERS, I8))
def _end_item(m: Numbers, tag: int) -> bool:
    """The next item ends the one before."""
    for place in range(m[DEPTH] - 1, 0, -1):
        other = m[TAGS + place]
        if other == tag or (tag != _LI and other in (_DD, _DT)):
            return pop_to(m, place, False)
        if KINDS[other] & SPECIAL and other not in (_ADDRESS, _DIV, _P):
            break
    return True


@quickly_within(I8(NUMBERS))
def _cell(m: Numbers) -> int:
    """Where the innermost cell or caption is; -1 if there is none, or rows are open in it."""
    for place in range(m[DEPTH] - 1, 0, -1):
        tag = m[TAGS + place]
        if tag in (_TD, _TH, _CAPTION):
            return place
        if takes_no_text(tag):
            return -1
    return -1


@quickly_within(BOOL(NUMBERS, I8))
def _push_unwritten(m: Numbers, tag: int) -> bool:
    """Open an element that no tag has begun."""
    begins, ends, classes_from, classes_to, classes = (
        m[BEGINS], m[ENDS], m[CLASS_FROM], m[CLASS_TO], m[CLASS]
    )  # fmt: skip
    m[BEGINS] = m[ENDS] = m[CLASS_FROM] = m[CLASS_TO] = m[CLASS] = 0
    done = push(m, tag, HASH[tag])
    m[BEGINS], m[ENDS], m[CLASS_FROM], m[CLASS_TO], m[CLASS] = (
        begins, ends, classes_from, classes_to, classes
    )  # fmt: skip
    return done


@quickly_within(BOOL(NUMBERS, I8))
def begin_part(m: Numbers, tag: int) -> bool:
    """A part of a table begins: a row, a cell."""
    cell = _cell(m)
    if cell > 0 and not pop_to(m, cell, True):
        return False
    while True:
        top = top_of(m)
        if not takes_no_text(top):
            return True  # outside of tables the parser leaves it out
        if top == _COLGROUP:
            if tag == _COL:
                add_leaf(m, _COL)
                return True
            _pop(m)
        elif top == _TABLE:
            if tag in (_CAPTION, _COLGROUP) or _is_rows(tag):
                return push(m, tag, HASH[tag])
            above = _COLGROUP if tag == _COL else _TBODY
            if not _push_unwritten(m, above):
                return False
        elif top == _TR:
            if tag in (_TD, _TH):
                return push(m, tag, HASH[tag])
            _pop(m)
        elif tag == _TR:
            return push(m, tag, HASH[tag])
        elif tag in (_TD, _TH):
            if not _push_unwritten(m, _TR):
                return False
        else:
            _pop(m)


@quickly_within(BOOL(NUMBERS, I8, I8))
def begin_element(m: Numbers, tag: int, name: int) -> bool:
    """An element begins that has an end."""
    kinds = KINDS[tag]
    if tag == _A:
        if m[LINK]:
            return False
    elif tag in (_LI, _DD, _DT):
        if not _end_item(m, tag):
            return False
    elif tag == _FORM:
        if m[FORM]:
            return False
        m[FORM] = 1
    elif tag == _BUTTON:
        if _find(m, name, False, False) >= 0:
            return False
    elif tag == _TABLE and m[PARAGRAPHS] and _find(m, HASH[_P], True, False) >= 0:
        if m[QUIRKS] == UNKNOWN:
            return False
        if m[QUIRKS] == NO_QUIRKS and not end_paragraph(m):
            return False
    if kinds & ENDS_P and not end_paragraph(m):
        return False
    if _H1 <= tag <= _H6 and _H1 <= top_of(m) <= _H6:
        return False
    return push(m, tag, name)


@quickly_within(BOOL(NUMBERS, I8))
def _end_part(m: Numbers, name: int) -> bool:
    """The end tag of a part of a table, or of the table."""
    for place in range(m[DEPTH] - 1, 0, -1):
        if m[NAMES + place] == name:
            return pop_to(m, place, True)
        if m[TAGS + place] == _TABLE:
            break
    return True


@quickly_within(BOOL(NUMBERS, I8))
def _end_format(m: Numbers, name: int) -> bool:
    """The end tag of an element that the parser would open again."""
    for place in range(m[DEPTH] - 1, 0, -1):
        if m[NAMES + place] == name:
            return pop_to(m, place, False)
        if KINDS[m[TAGS + place]] & SCOPE:
            return True
        if KINDS[m[TAGS + place]] & SPECIAL:
            # What is open around a block cannot end in it, unless it is not open at all.
            return _find(m, name, False, False) < 0
    return True


@quickly_within(BOOL(NUMBERS))
def _end_form(m: Numbers) -> bool:
    """The end tag of a form, which must be the innermost element that needs one."""
    for place in range(m[DEPTH] - 1, 0, -1):
        tag = m[TAGS + place]
        if tag == _FORM:
            return pop_to(m, place, False)
        if tag not in (_P, _LI, _DD, _DT):
            break
    return False


@quickly_within(BOOL(NUMBERS, I8))
def _end_heading(m: Numbers, tag: int) -> bool:
    """The end tag of a heading; any heading would do for the parser."""
    for place in range(m[DEPTH] - 1, 0, -1):
        if m[TAGS + place] == tag:
            return pop_to(m, place, False)
        if _H1 <= m[TAGS + place] <= _H6 or KINDS[m[TAGS + place]] & SCOPE:
            break
    return False


@quickly_within(BOOL(NUMBERS, I8, I8))
def end_element(m: Numbers, tag: int, name: int) -> bool:
    """An end tag."""
    kinds = KINDS[tag]
    if kinds & TABLE_PART or tag == _TABLE:
        return _end_part(m, name)
    if takes_no_text(top_of(m)):
        return tag != _P and tag != _FORM
    if kinds & FORMAT:
        return _end_format(m, name)
    if tag == _P:
        if not m[PARAGRAPHS] or _find(m, name, True, False) < 0:
            add_leaf(m, _P)
            return True
        return end_paragraph(m)
    if tag == _FORM:
        return not m[FORM] or _end_form(m)
    if _H1 <= tag <= _H6:
        return _end_heading(m, tag)
    if kinds & ENDS_ALL or tag in (_LI, _DD, _DT):
        place = _find(m, name, False, tag == _LI)
        return place < 0 or pop_to(m, place, False)
    for place in range(m[DEPTH] - 1, 0, -1):
        if m[NAMES + place] == name:
            return pop_to(m, place, False)
        if KINDS[m[TAGS + place]] & SPECIAL:
            break
    return True
