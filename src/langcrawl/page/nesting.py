"""How deep the elements of a page lie within each other, before it is parsed.

The time to parse a page grows with the square of its depth, and the time to make text of it
with the cube where lists lie within lists: 200 KB of open elements would take seconds, and 10 MB
hours. Browsers stop at a depth of 512. So what lies deeper is cut off. Most pages have too few
elements to do harm and are not looked at.
"""

from __future__ import annotations

import re

_HARMLESS_TAGS, _HARMLESS_LISTS = 8_000, 500
_DEEPEST = 512
_NEAR = 8
"""An end tag closes an element that lies at most so many below the innermost."""
_TAG = re.compile(rb"<(/?)([a-z][a-z0-9]*)")
_EMPTY = frozenset(
    b"area base br col embed hr img input link meta param source track wbr script style "
    b"circle ellipse line path polygon polyline rect stop use".split()
)
_ENDED_BY_THE_NEXT = frozenset(b"p li td th tr option dt dd tbody thead".split())
_CLOSED_ROOMS = frozenset(b"table object template applet marquee".split())
"""An end tag within one of these does not end what lies around it."""
_HOLDERS = _CLOSED_ROOMS | frozenset(b"ul ol menu dl select".split())
"""Nor does the next item, row or paragraph within one of these."""


def cut_where_too_deep(html: str, low: bytes, lists: int) -> str:
    """A page up to where it is too deep; `low` is the same page as bytes in small letters."""
    most = len(low) // len(b"<a>")
    tags = most if most <= _HARMLESS_TAGS else low.count(b"<")
    if tags <= _HARMLESS_TAGS and lists <= _HARMLESS_LISTS:
        return html
    place = _too_deep_at(low)
    return html if place is None else html.encode("utf-8", errors="replace")[:place].decode()


def _too_deep_at(low: bytes) -> int | None:
    """Where an element begins that is too deep."""
    inside: list[bytes] = []
    for tag in _TAG.finditer(low):
        name = tag[2]
        if name in _EMPTY:
            continue
        if tag[1]:
            _end(inside, name, _CLOSED_ROOMS)
        elif name in _ENDED_BY_THE_NEXT:
            _end(inside, name, _HOLDERS)
        if not tag[1]:
            inside.append(name)
            if len(inside) > _DEEPEST:
                return tag.start()
    return None


def _end(inside: list[bytes], name: bytes, walls: frozenset[bytes]) -> None:
    """End the innermost element of that name and all within it, unless there is a wall between."""
    if name in inside[-_NEAR:]:
        place = len(inside) - 1 - inside[::-1].index(name)
        if walls.isdisjoint(inside[place + 1 :]):
            del inside[place:]
