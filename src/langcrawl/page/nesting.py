"""How deep the elements of a page lie within each other, before it is parsed.

The time to parse a page grows with the square of its depth, and the time to make text of it
with the cube where lists lie within lists: 200 KB of open elements would take seconds, and 10 MB
hours. Browsers stop at a depth of 512. So what lies deeper is cut off. Most pages have too few
elements to do harm and are not looked at.
"""

from __future__ import annotations

import re

import numpy as np
from resiliparse.parse.html import DOMNode, HTMLTree

HARMLESS_TAGS, HARMLESS_LISTS = 8_000, 500
_DEEPEST = 512
_NEAR = 8
"""An end tag closes an element that lies at most so many below the innermost."""
_BEGIN = ord("<")
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


def parse(html: str, low: bytes) -> tuple[HTMLTree, str]:
    """The tree of a page up to where it is too deep, and that much of the page.

    `low` is the same page as bytes in small letters.
    """
    tags, lists = _count_tags(low)
    many_tags = tags > HARMLESS_TAGS
    sound = _cut_where_too_deep(html, low) if many_tags else html
    tree = HTMLTree.parse(sound)
    many_lists = lists > HARMLESS_LISTS and _lists(tree.document) > HARMLESS_LISTS
    if many_lists and not many_tags:
        sound = _cut_where_too_deep(html, low)
        tree = tree if sound is html else HTMLTree.parse(sound)
    return tree, sound


def few_tags(low: bytes) -> int:
    """The number of tags of a page that is parsed as it is; 0 if it has too many for that."""
    tags = _count(low)
    return tags if tags <= HARMLESS_TAGS else 0


def _lists(document: DOMNode) -> int:
    return sum(len(document.get_elements_by_tag_name(tag)) for tag in ("ul", "ol"))


def _count(low: bytes) -> int:
    return int(np.count_nonzero(np.frombuffer(low, np.uint8) == _BEGIN))


def _count_tags(low: bytes) -> tuple[int, int]:
    """At most how many tags a page has, and how many of them begin a list: some are in comments.

    That takes a part of the time of asking the tree, which only pages with many lists need. What
    is frequent is counted ten times as fast by numpy.
    """
    tags = _count(low)
    few = tags <= HARMLESS_LISTS
    return tags, 0 if few else low.count(b"<ul") + low.count(b"<ol")


def _cut_where_too_deep(html: str, low: bytes) -> str:
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
