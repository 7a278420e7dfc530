"""The bytes of a page read in one pass: its text, and where its links and declarations stand.

Tags are followed as far as they are in order. Where they are not, or are of a rare kind, reading
ends, and the page is left to the parser.
"""

from __future__ import annotations

from langcrawl.page.compiled import BOOL, BYTES, I8, READ, quickly, quickly_within
from langcrawl.page.quick.names import HASH, KINDS, NUMBER, ODD, RAW, TABLE_PART, VOID
from langcrawl.page.quick.notes import (
    AROUND,
    ATTRIBUTES,
    FIRST_ATTRIBUTE,
    FONT,
    IMAGE_FROM,
    IMAGE_TO,
    NOTE,
    NOTES,
    PATH,
    TITLE_FROM,
    TITLE_TO,
    UNENDED,
    is_noted,
    read_tag,
    take_note,
    value_of,
)
from langcrawl.page.quick.stack import (
    BEGINS,
    CHILD,
    CLASS,
    CLASS_FROM,
    CLASS_TO,
    DEPTH,
    ENDS,
    IN_QUIRKS,
    LINK,
    PATHS,
    QUIRKS,
    ROWS,
    SAID,
    SAID_TO,
    SKIPPED,
    SVG,
    add_leaf,
    begin_element,
    begin_part,
    end_element,
    end_paragraph,
    pop_to,
    push,
    takes_no_text,
    top_of,
)
from langcrawl.page.quick.stack import NAMES as NAMES_AT
from langcrawl.page.quick.tags import (
    LESS,
    MARK,
    QUESTION,
    SLASH,
    attribute_hash,
    behind_closed,
    behind_declaration,
    behind_end_tag,
    behind_raw,
    behind_text,
    is_document_type,
    is_letter,
    parts,
    quirks_of,
    read_name,
    start_of_end_tag,
)
from langcrawl.page.quick.text import (
    NUMBERS,
    ROOM,
    SIZE,
    Bytes,
    Numbers,
    add_text,
    is_plain,
    is_space,
    stripped,
)

_ALT = attribute_hash("alt")
_BODY, _HTML, _HEAD, _SVG, _TITLE = (NUMBER[n] for n in ("body", "html", "head", "svg", "title"))
_SCRIPT, _STYLE, _NOSCRIPT, _SELECT = (NUMBER[n] for n in ("script", "style", "noscript", "select"))
_META, _LINK, _BASE, _IMG, _AREA = (NUMBER[n] for n in ("meta", "link", "base", "img", "area"))
_HR, _BR, _PRE, _TEMPLATE, _IMAGE = (NUMBER[n] for n in ("hr", "br", "pre", "template", "image"))
_A, _IFRAME, _FONT, _BASEFONT = (NUMBER[n] for n in ("a", "iframe", "font", "basefont"))


@quickly_within(I8(READ, NUMBERS))
def _read_head(html: Bytes, m: Numbers) -> int:
    """Where the body begins, or what belongs to it. -1 if the head is not in order."""
    at, end, closed, noscript = 0, len(html), False, False
    if end > 2 and html[0] == 239 and html[1] == 187 and html[2] == 191:
        return -1
    while True:
        while at < end and parts(html[at]) and html[at] != 12:
            at += 1
        if at + 2 >= end or html[at] == 12:
            return -1
        mark = html[at + 1]
        if html[at] != LESS or not (mark in (MARK, QUESTION, SLASH) or is_letter(mark)):
            return at
        if mark in (MARK, QUESTION):
            close = behind_declaration(html, at)
            if close > 0 and mark == MARK and is_document_type(html, at):
                m[QUIRKS] = quirks_of(html, at, close)
        elif mark == SLASH:
            tag, _, name_to = read_name(html, at + 2)
            close = behind_end_tag(html, name_to)
            if tag in (_BODY, _HTML, _BR) or not is_letter(html[at + 2]):
                return -1
            if tag == _NOSCRIPT:
                noscript = False
            closed = closed or (tag == _HEAD and not noscript)
        else:
            tag, _, name_to = read_name(html, at + 1)
            close, _ = read_tag(html, m, tag, name_to)
            if close < 0:
                return -1
            if noscript and tag not in (_META, _LINK, _STYLE, _BASEFONT, _HEAD, _NOSCRIPT, _HTML):
                noscript = False  # it ends, and the tag is read as if behind it
            if tag == _BASEFONT:
                m[FONT] = 1
            elif tag in (_META, _LINK, _BASE):
                take_note(html, m, tag)
                m[m[NOTES] - NOTE + AROUND] = -1 - noscript
            elif tag in (_STYLE, _SCRIPT, _TITLE):
                content, close = close, behind_raw(html, close, at + 1, name_to)
                if close > 0 and tag == _TITLE and not m[TITLE_TO]:
                    m[TITLE_FROM], m[TITLE_TO] = content, start_of_end_tag(html, close)
            elif noscript and tag in (_HEAD, _NOSCRIPT, _HTML):
                return -1
            elif tag == _NOSCRIPT and not closed:
                noscript = True
            elif tag == _HTML:
                take_note(html, m, tag)
            elif tag == _TEMPLATE:
                close = behind_closed(html, close, _TEMPLATE)
            elif tag == _BODY:
                m[BEGINS], m[ENDS] = at + 1, name_to
                return close
            elif tag != _HEAD:
                m[CLASS_FROM] = m[CLASS_TO] = m[CLASS] = 0
                return -1 if KINDS[tag] & ODD else at
        if close < 0:
            return -1
        at = close


@quickly_within(BOOL(READ, NUMBERS, BYTES, I8, I8))
def _say(html: Bytes, m: Numbers, out: Bytes, at: int, end: int) -> bool:
    """Add text to that of the link around it."""
    said, begun = m[SAID], at
    for place in range(at, end):
        out[said] = html[place]
        said += 1
        if html[place] == 38:
            begun = place
    # What ends like a character reference must not go on in the next piece of text.
    after_reference = said > m[SAID] and m[SAID] == m[UNENDED]
    m[SAID] = said
    if html[begun] == 38:
        while begun + 1 < end and (is_letter(html[begun + 1]) or 48 <= html[begun + 1] <= 57):
            begun += 1
        m[UNENDED] = said if begun + 1 == end else 0
    return not after_reference and (not m[SKIPPED] or is_plain(html, at, end))


@quickly_within(BOOL(READ, NUMBERS, BYTES, I8, I8))
def _add_text(html: Bytes, m: Numbers, out: Bytes, at: int, end: int) -> bool:
    """Text between tags."""
    if takes_no_text(top_of(m)):
        for place in range(at, end):
            if not is_space(html[place]) or html[place] == 11:
                return False
    add_leaf(m, 0)
    if m[LINK] and not _say(html, m, out, at, end):
        return False
    return m[SKIPPED] != 0 or add_text(m, out, html, at, end, False)


@quickly_within(I8(READ, NUMBERS, BYTES, I8, I8))
def _begin_leaf(html: Bytes, m: Numbers, out: Bytes, tag: int, close: int) -> int:
    """An element with nothing in it that is seen: where the reading goes on."""
    if tag == _HR and not end_paragraph(m):
        return -1
    add_leaf(m, tag)
    if is_noted(tag):
        take_note(html, m, tag)
    if tag == _SELECT or KINDS[tag] & RAW:
        if tag == _SELECT:
            behind = behind_closed(html, close, _SELECT)
        else:
            behind = behind_raw(html, close, m[BEGINS], m[ENDS])
        silent = not m[LINK] and tag != _IFRAME
        if behind < 0 or silent:
            return behind
        # The text of a link has all that is in it, seen or not.
        return behind if start_of_end_tag(html, behind) == close else -1
    if tag in (_IMG, _AREA):
        alt = value_of(m, _ALT)
        if alt >= 0:
            if m[LINK] and tag == _IMG and m[m[LINK] + IMAGE_FROM] < 0:
                m[m[LINK] + IMAGE_FROM], m[m[LINK] + IMAGE_TO] = m[alt + 1], m[alt + 2]
            if not m[SKIPPED] and not add_text(m, out, html, m[alt + 1], m[alt + 2], True):
                return -1
        if tag == _IMG:
            m[ATTRIBUTES] = m[FIRST_ATTRIBUTE]
    return close


@quickly_within(I8(READ, NUMBERS, BYTES, I8))
def _begin_title(html: Bytes, m: Numbers, out: Bytes, close: int) -> int:
    """A title in the body, where it is text as well: where the reading goes on."""
    behind = behind_raw(html, close, m[BEGINS], m[ENDS])
    if behind < 0 or takes_no_text(top_of(m)) or not push(m, _TITLE, HASH[_TITLE]):
        return -1
    last = start_of_end_tag(html, behind)
    if not m[TITLE_TO]:
        m[TITLE_FROM], m[TITLE_TO] = close, last
    if close < last and not _add_text(html, m, out, close, last):
        return -1
    pop_to(m, m[DEPTH] - 1, False)
    return behind


@quickly_within(I8(READ, NUMBERS, BYTES, I8))
def _begin(html: Bytes, m: Numbers, out: Bytes, at: int) -> int:
    """Where the reading goes on behind a start tag; -1 if it is not in order."""
    tag, name, name_to = read_name(html, at + 1)
    close, itself = read_tag(html, m, tag, name_to)
    kinds = KINDS[tag]
    m[BEGINS], m[ENDS] = at + 1, name_to
    if close < 0:
        return -1
    if m[SVG]:
        # Elements of SVG may end themselves. Those of HTML would end the drawing.
        if not (tag == 0 or tag in (_TITLE, _STYLE, _IMAGE)) or top_of(m) == _TITLE:
            return -1
        if itself:
            add_leaf(m, tag)
            return close
        return close if push(m, tag, name) else -1
    if tag in (_HEAD, _HTML, _BODY):
        if tag == _HTML:
            take_note(html, m, tag)
        elif tag == _BODY and not m[m[ROWS] + 4]:
            m[m[ROWS] + 4], m[m[ROWS] + 5] = m[CLASS_FROM], m[CLASS_TO]
        return close
    if tag == _TITLE:
        return _begin_title(html, m, out, close)
    if tag == _TEMPLATE:
        m[CHILD + m[DEPTH] - 1] = 1
        return behind_closed(html, close, _TEMPLATE)
    if kinds & ODD:
        return -1
    if kinds & TABLE_PART:
        return close if begin_part(m, tag) else -1
    if takes_no_text(top_of(m)) and tag != _SCRIPT and tag != _STYLE:
        return -1
    if tag in (_FONT, _BASEFONT):
        m[FONT] = 1
    if kinds & (VOID | RAW) or tag == _SELECT:
        return _begin_leaf(html, m, out, tag, close)
    if tag == _SVG:
        if itself:
            add_leaf(m, tag)
            return close
        m[SVG] = m[DEPTH] + 1
        return close if push(m, tag, name) else -1
    around, path = m[ROWS + m[DEPTH] - 1], m[PATHS + m[DEPTH] - 1]
    if not begin_element(m, tag, name):
        return -1
    if tag == _A:
        take_note(html, m, tag)
        m[LINK] = m[NOTES] - NOTE
        m[m[LINK] + AROUND], m[m[LINK] + PATH] = around, path
    elif tag == _PRE and close < len(html) and (html[close] == 10 or html[close] == 13):
        close += 2 if html[close] == 13 and close + 1 < len(html) and html[close + 1] == 10 else 1
    return close


@quickly_within(I8(READ, NUMBERS, I8))
def _end(html: Bytes, m: Numbers, at: int) -> int:
    """The same behind an end tag."""
    if at + 2 >= len(html) or not is_letter(html[at + 2]):
        return -1
    tag, name, name_to = read_name(html, at + 2)
    close = behind_end_tag(html, name_to)
    if close < 0 or tag == _BR:
        return -1
    if m[SVG]:
        if m[NAMES_AT + m[DEPTH] - 1] != name:
            return -1
        if m[DEPTH] == m[SVG]:
            m[SVG] = 0
        return close if pop_to(m, m[DEPTH] - 1, False) else -1
    if tag in (_BODY, _HTML):
        return close
    return close if end_element(m, tag, name) else -1


@quickly(I8(READ, NUMBERS, BYTES))
def read_in_one_pass(html: Bytes, m: Numbers, out: Bytes) -> int:
    """Write down the text of a page with its character references, and notes on its elements.

    The size of the text; -1 if the markup is not in order.
    """
    end = len(html)
    m[QUIRKS] = IN_QUIRKS
    at = _read_head(html, m)
    push(m, _BODY, HASH[_BODY])
    while 0 <= at < end:
        if at + 1 >= end and html[at] == LESS:
            at = -1
        elif html[at] == LESS and is_letter(html[at + 1]):
            at = _begin(html, m, out, at)
        elif html[at] == LESS and html[at + 1] == SLASH:
            at = _end(html, m, at)
        elif html[at] == LESS and (html[at + 1] == MARK or html[at + 1] == QUESTION):
            # In a drawing there may be CDATA sections.
            if html[at + 1] == QUESTION or not is_document_type(html, at):
                m[CHILD + m[DEPTH] - 1] = 1
            at = -1 if m[SVG] else behind_declaration(html, at)
        else:
            last = behind_text(html, at + 1)
            at = last if _add_text(html, m, out, at, last) else -1
    if m[LINK]:
        m[m[LINK] + SAID_TO] = m[SAID] - m[ROOM]
    return stripped(out, m[SIZE]) if at >= 0 else -1
