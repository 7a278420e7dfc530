"""What is known of each block of text on a page: the numbers that its classifier looks at.

All lengths are of characters that are no white space, so that a script without spaces counts as
any other, and no word is looked at.
"""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
import numpy.typing as npt

from langcrawl.page.compiled import compiled, compiled_within
from langcrawl.page.elements import TAG, TAGS, words
from langcrawl.page.markup import Bytes, Hashes, Ints, Markup

Floats = npt.NDArray[np.float32]

_FLAGS = words(
    "nav header footer aside article main form table li section figure blockquote pre dialog "
    "details button label a h1 h2 h3 dl"
)
_LONG = 80
"""Characters of a block that is rather a paragraph than a label."""
_LEVELS = 4
_NEAR = 2
_OWN = (
    "chars", "link_share", "links", "digits", "stops", "pieces", "hidden", "twins",
    "tag", "heading", "depth",
    "odds", "odds_above", "odds_above_2", "odds_sum", "odds_low", "odds_high", "odds_near",
    "place", "chars_before", "chars_after", "since_h1", "since_heading", "level_of_heading",
    "kin", "kin_chars", "kin_link_share", "kin_mean", "kin_place",
    "apart_before", "apart_after",
)  # fmt: skip
_LEVEL = ("share", "link_share", "long_share", "blocks", "mean", "odds", "tag", "place")
_NEIGHBOUR = ("chars", "link_share", "tag", "odds")
_PAGE = (
    "page_chars", "page_blocks", "page_link_share", "page_long_share", "page_p_share",
    "page_li_share", "page_td_share", "page_articles", "page_main_share", "page_headings",
)  # fmt: skip
FEATURES: tuple[str, ...] = (
    *_OWN,
    *[f"in_{name}" for name in _FLAGS],
    *[f"level_{k}_{name}" for k in range(_LEVELS) for name in _LEVEL],
    *[f"{side}_{k}_{name}" for side in ("before", "after")
      for k in range(1, _NEAR + 1) for name in _NEIGHBOUR],
    *_PAGE,
)  # fmt: skip
_FLAG_OF = np.zeros(len(TAGS), np.int64)
for _number, _name in enumerate(_FLAGS):
    _FLAG_OF[TAG[_name]] = 1 << _number
_FLAG_OF[TAG["th"]] = _FLAG_OF[TAG["table"]]
_HEADING = np.array([int(n[1]) if n[0] == "h" and n[1:].isdigit() else 0 for n in TAGS], np.int64)
_P, _LI, _TD, _TH = TAG["p"], TAG["li"], TAG["td"], TAG["th"]
_ARTICLE, _MAIN, _H1 = TAG["article"], TAG["main"], TAG["h1"]
_N_FLAGS = len(_FLAGS)


class Lengths(NamedTuple):
    """What is counted in each block."""

    chars: Ints
    linked: Ints
    links: Ints
    digits: Ints
    stops: Ints
    pieces: Ints
    text: Hashes
    """A number that blocks of the same text share."""


@compiled_within()
def _count(html: Bytes, at: int, end: int, value: np.uint64) -> tuple[int, int, int, np.uint64]:
    """Characters, digits and punctuation marks in a piece of text, and its hash so far."""
    chars = digits = stops = 0
    while at < end:
        byte = html[at]
        if byte == 38:  # an entity is one character, a space if it is called so
            close = at + 1
            while close < min(end, at + 12) and html[close] != 59 and html[close] > 35:
                close += 1
            if close < end and html[close] == 59:
                chars += not (html[at + 1] == 110 and html[at + 2] == 98)
                at = close + 1
                continue
        if byte > 32 and (byte & 192) != 128:
            chars += 1
            value = (value ^ np.uint64(byte)) * np.uint64(1099511628211)
            if 48 <= byte <= 57:
                digits += 1
            elif (
                byte in (33, 44, 46, 58, 59, 63)
                or (
                    byte == 227
                    and at + 2 < end
                    and html[at + 1] == 128
                    and html[at + 2] in (129, 130)
                )
                or (
                    byte == 239
                    and at + 2 < end
                    and html[at + 1] == 188
                    and html[at + 2]
                    in (
                        129,
                        140,
                        154,
                        155,
                        159,
                    )
                )
            ):
                stops += 1
        elif byte > 127:
            value = (value ^ np.uint64(byte)) * np.uint64(1099511628211)
        at += 1
    return chars, digits, stops, value


@compiled
def measure(html: Bytes, markup: Markup) -> Lengths:
    """Count what stands in each block."""
    n = len(markup.block)
    chars, linked, links = np.zeros(n, np.int32), np.zeros(n, np.int32), np.zeros(n, np.int32)
    digits, stops, pieces = np.zeros(n, np.int32), np.zeros(n, np.int32), np.zeros(n, np.int32)
    text = np.full(n, np.uint64(14695981039346656037))
    for k in range(len(markup.piece_block)):
        b = markup.piece_block[k]
        own, figures, marks, value = _count(html, markup.piece_from[k], markup.piece_to[k], text[b])
        text[b] = value
        chars[b] += own
        digits[b] += figures
        stops[b] += marks
        pieces[b] += 1
        if markup.piece_link[k]:
            linked[b] += own
            links[b] += 1
    return Lengths(chars, linked, links, digits, stops, pieces, text)


@compiled
def odds_of_elements(markup: Markup, keys: Hashes, values: Floats) -> Floats:
    """How much the names of each element speak for content, by an open table of names."""
    odds, size = np.zeros(len(markup.parent), np.float32), np.uint64(len(keys))
    for k in range(len(markup.name)):
        name = markup.name[k]
        place = name % size
        while keys[place] and keys[place] != name:
            place = (place + np.uint64(1)) % size
        if keys[place] == name:
            odds[markup.name_of[k]] += values[place]
    return odds


@compiled_within()
def _down(markup: Markup, odds: Floats) -> tuple[npt.NDArray[np.int64], Floats, Ints]:
    """What elements have from those around them: flags, odds and depth."""
    n = len(markup.parent)
    flags, depth = np.zeros(n, np.int64), np.zeros(n, np.int32)
    chain = np.zeros((n, 4), np.float32)  # sum, lowest, highest, nearest
    for k in range(1, n):
        up = markup.parent[k]
        flags[k] = flags[up] | _FLAG_OF[markup.tag[k]]
        depth[k] = depth[up] + 1
        chain[k, 0] = chain[up, 0] + odds[k]
        chain[k, 1] = min(chain[up, 1], odds[k])
        chain[k, 2] = max(chain[up, 2], odds[k])
        chain[k, 3] = odds[k] if odds[k] != 0 else chain[up, 3] * np.float32(0.8)
    return flags, chain, depth


@compiled_within()
def kinds_of_places(markup: Markup) -> Hashes:
    """A number for each block that those share whose elements, and those around them, are alike."""
    path = np.full(len(markup.parent), np.uint64(14695981039346656037))
    for k in range(1, len(path)):
        up = path[markup.parent[k]]
        path[k] = (up ^ np.uint64(markup.tag[k] + 1)) * np.uint64(1099511628211)
    for k in range(len(markup.name)):
        path[markup.name_of[k]] ^= markup.name[k] * np.uint64(31)
    return path[markup.block]


@compiled_within()
def _up(markup: Markup, lengths: Lengths) -> npt.NDArray[np.int64]:
    """What lies within elements: characters, linked, in long blocks, blocks; and before them."""
    held = np.zeros((len(markup.parent), 5), np.int64)
    before = 0
    for k in range(len(markup.parent)):
        held[k, 4] = -1
    for b in range(len(markup.block)):
        at, chars, linked = markup.block[b], lengths.chars[b], lengths.linked[b]
        held[at, 0] += chars
        held[at, 1] += linked
        held[at, 2] += chars if chars >= _LONG and linked * 3 < chars else 0
        held[at, 3] += 1
        while at >= 0 and held[at, 4] < 0:
            held[at, 4] = before
            at = markup.parent[at]
        before += chars
    for k in range(len(markup.parent) - 1, 0, -1):
        up = markup.parent[k]
        for what in range(4):
            held[up, what] += held[k, what]
    return held


@compiled_within()
def _tallied(keys: Hashes, lengths: Lengths) -> npt.NDArray[np.int64]:
    """For each block of those with the same key: how many, characters, linked, and its place."""
    n, size = len(keys), 16
    while size < 2 * n:
        size *= 2
    taken, first = np.zeros(size, np.uint64), np.zeros(size, np.int32)
    found, rows = np.empty(n, np.int32), np.zeros((n, 3), np.int64)
    out = np.zeros((n, 4), np.int64)
    for b in range(n):
        key = keys[b] | np.uint64(1)
        place = key % np.uint64(size)
        while taken[place] and taken[place] != key:
            place = (place + np.uint64(1)) % np.uint64(size)
        if not taken[place]:
            taken[place], first[place] = key, b
        row = first[place]
        found[b] = row
        out[b, 3] = rows[row, 0]
        rows[row, 0] += 1
        rows[row, 1] += lengths.chars[b]
        rows[row, 2] += lengths.linked[b]
    for b in range(n):
        for what in range(3):
            out[b, what] = rows[found[b], what]
    return out


@numba.njit(cache=True, nogil=True, inline="always")
def _log(value: float) -> float:
    return float(np.log2(1.0 + value))


@compiled_within()
def _page(markup: Markup, lengths: Lengths, flags: npt.NDArray[np.int64], out: Floats) -> None:
    """What is the same for all blocks of a page."""
    total, linked, long, in_p, in_li, in_td, in_main, headings = 0, 0, 0, 0, 0, 0, 0, 0
    for b in range(len(markup.block)):
        chars, at = lengths.chars[b], markup.block[b]
        tag = markup.tag[at]
        total += chars
        linked += lengths.linked[b]
        long += chars if chars >= _LONG and lengths.linked[b] * 3 < chars else 0
        in_p += chars if tag == _P else 0
        in_li += chars if tag == _LI else 0
        in_td += chars if tag in (_TD, _TH) else 0
        in_main += chars if flags[at] & _FLAG_OF[_MAIN] else 0
        headings += _HEADING[tag] > 0
    articles = 0
    for k in range(len(markup.tag)):
        articles += markup.tag[k] == _ARTICLE
    whole = max(total, 1)
    out[0], out[1] = _log(total), _log(len(markup.block))
    out[2], out[3], out[4] = linked / whole, long / whole, in_p / whole
    out[5], out[6], out[7] = in_li / whole, in_td / whole, min(articles, 20)
    out[8], out[9] = in_main / whole, min(headings, 50)


@compiled_within()
def _common(parent: Ints, depth: Ints, one: int, other: int) -> int:
    """How many steps lie between two elements on the way over the one that holds both."""
    steps = 0
    while one != other and steps < 60:
        if depth[one] >= depth[other]:
            one = parent[one]
        else:
            other = parent[other]
        steps += 1
    return steps


@compiled_within()
def _levels(
    markup: Markup, held: npt.NDArray[np.int64], odds: Floats, before: int, at: int, out: Floats
) -> None:
    """The elements around a block, each about twice as large as the one before."""
    total = max(held[0, 0], 1)
    size, level = held[at, 3], 0
    least = 2
    while level < _LEVELS:
        while markup.parent[at] > 0 and (size < least):
            at = markup.parent[at]
            size = held[at, 3]
        row = level * 8
        chars = max(held[at, 0], 1)
        out[row] = held[at, 0] / total
        out[row + 1] = held[at, 1] / chars
        out[row + 2] = held[at, 2] / chars
        out[row + 3] = _log(held[at, 3])
        out[row + 4] = _log(held[at, 0] / max(held[at, 3], 1))
        out[row + 5] = odds[at]
        out[row + 6] = markup.tag[at]
        out[row + 7] = (before - held[at, 4]) / chars
        least = 2 * max(size, 2)
        level += 1


@compiled
def describe(markup: Markup, lengths: Lengths, odds: Floats) -> Floats:
    """The features of each block of a page, in the order of `FEATURES`."""
    n = len(markup.block)
    out = np.zeros((n, len(FEATURES)), np.float32)
    if n == 0:
        return out
    flags, chain, depth = _down(markup, odds)
    held = _up(markup, lengths)
    kin = _tallied(kinds_of_places(markup), lengths)
    twins = _tallied(lengths.text, lengths)
    first_level = len(_OWN) + _N_FLAGS
    first_near = first_level + _LEVELS * len(_LEVEL)
    first_page = first_near + 2 * _NEAR * len(_NEIGHBOUR)
    _page(markup, lengths, flags, out[0, first_page:])
    before, h1_at, heading_at, level_of_heading = 0, -1, 0, 0
    total = max(held[0, 0], 1)
    for b in range(n):
        at, chars = markup.block[b], lengths.chars[b]
        up = max(markup.parent[at], 0)
        tag, row = markup.tag[at], out[b]
        heading = _HEADING[tag]
        for level in range(1, 7):
            if heading == 0 and level <= 3 and flags[at] & _FLAG_OF[_H1 + level - 1]:
                heading = level
        row[0], row[1] = _log(chars), lengths.linked[b] / max(chars, 1)
        row[2], row[3] = lengths.links[b], lengths.digits[b] / max(chars, 1)
        row[4], row[5] = lengths.stops[b] / max(chars, 1), lengths.pieces[b]
        row[6], row[7] = markup.unseen[at] & 1, min(twins[b, 0], 9)
        row[8], row[9], row[10] = tag, heading, depth[at]
        row[11], row[12] = odds[at], odds[up]
        row[13] = odds[max(markup.parent[up], 0)]
        row[14], row[15], row[16], row[17] = chain[at, 0], chain[at, 1], chain[at, 2], chain[at, 3]
        row[18], row[19] = before / total, _log(before)
        row[20] = _log(total - before - chars)
        if heading == 1 and h1_at < 0:
            h1_at = before
        row[21] = -1.0 if h1_at < 0 else _log(before - h1_at)
        row[22], row[23] = _log(before - heading_at), level_of_heading
        if heading:
            heading_at, level_of_heading = before, heading
        row[24], row[25] = _log(kin[b, 0]), kin[b, 1] / total
        row[26] = kin[b, 2] / max(kin[b, 1], 1)
        row[27], row[28] = _log(kin[b, 1] / kin[b, 0]), kin[b, 3] / kin[b, 0]
        if b:
            row[29] = _common(markup.parent, depth, at, markup.block[b - 1])
            out[b - 1, 30] = row[29]
        for flag in range(_N_FLAGS):
            row[len(_OWN) + flag] = (flags[at] >> flag) & 1
        _levels(markup, held, chain[:, 0], int(before), int(at), row[first_level:])
        for place in range(first_page, len(FEATURES)):  # as a slice it takes seconds to compile
            row[place] = out[0, place]
        before += chars
    for b in range(n):
        for side in range(2 * _NEAR):
            k = b - side - 1 if side < _NEAR else b + side - _NEAR + 1
            place = first_near + side * len(_NEIGHBOUR)
            if 0 <= k < n:
                out[b, place], out[b, place + 1] = out[k, 0], out[k, 1]
                out[b, place + 2], out[b, place + 3] = out[k, 8], out[k, 14]
            else:
                out[b, place + 2] = -1
    return out
