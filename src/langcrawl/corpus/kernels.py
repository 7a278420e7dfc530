"""MinHash and the search for near-duplicates, compiled by Numba.

A text is a set of shingles: every run of `SHINGLE` characters, white space left out and Latin
letters small. One hash of each shingle says into which of `BINS` bins it falls, and the smallest of
a bin stays (one-permutation MinHash), so the cost does not grow with the number of bins. A bin
that stays empty borrows from another one, which both documents of a pair choose alike (optimal
densification). Of each smallest hash 8 bits are kept: two sets have the same bits in as large a
share of bins as their Jaccard similarity says, and in one of 256 of the others by chance.
"""
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

import numba
import numpy as np
from numba import types

BINS = 512
CHANCE = 1 / 256
"""How often the bits of two bins are the same although the hashes are not."""
SHINGLE = 6
_BIN_SHIFT = np.uint64(55)
_BASE = np.uint64(0x9E3779B97F4A7C15)
_NONE = np.uint64(0xFFFFFFFFFFFFFFFF)
_MIX_1, _MIX_2 = np.uint64(0xFF51AFD7ED558CCD), np.uint64(0xC4CEB9FE1A85EC53)
_33 = np.uint64(33)
_BYTES = types.Array(types.uint8, 1, "C", readonly=True)
_OFFSETS = types.Array(types.int64, 1, "C", readonly=True)
_MOST_TRIES = 64
_MOST_COMPARED = 64
"""Kept documents with the same band that a document is compared with."""
_LOOK = 64
"""Bins that are compared at once: a line of the processor's cache."""


@numba.njit(cache=True, nogil=True, inline="always")
def _mixed(value):
    value ^= value >> _33
    value *= _MIX_1
    value ^= value >> _33
    value *= _MIX_2
    value ^= value >> _33
    return value


@numba.njit(cache=True, nogil=True, inline="always")
def _is_space(code):
    return (
        code <= 0x20
        or code == 0xA0
        or 0x2000 <= code <= 0x200B
        or code == 0x3000
        or code == 0x2028
        or code == 0x2029
    )


@numba.njit(cache=True, nogil=True)
def _keep(smallest, signature):
    """The low bits of each bin's smallest hash; an empty bin has those of another bin."""
    for place in range(BINS):
        value = smallest[place]
        tries = 0
        other = np.uint64(place)
        while value == _NONE and tries < _MOST_TRIES:
            tries += 1
            other = _mixed(np.uint64(place * _MOST_TRIES + tries))
            value = smallest[other >> _BIN_SHIFT]
        if value == _NONE:  # hardly any bin is filled: the next one that is
            for step in range(BINS):
                value = smallest[(place + step) % BINS]
                if value != _NONE:
                    break
        signature[place] = np.uint8(value & np.uint64(0xFF))


@numba.njit(cache=True, nogil=True, inline="always")
def _same_band(first, second, begin, end):
    same = True
    for row in range(begin, end):
        same &= first[row] == second[row]
    return same


@numba.njit(cache=True, nogil=True)
def _are_alike(first, second, least):
    """Whether so many bins are the same; most pairs are told apart by the first of them."""
    other = 0
    for part in range(0, BINS, _LOOK):
        for place in range(part, part + _LOOK):
            other += first[place] != second[place]
        if other > BINS - least:
            return False
    return True


@numba.njit(types.void(_BYTES, _OFFSETS, types.uint8[:, ::1]), cache=True, nogil=True)
def sign(data, offsets, signatures):
    """Fill in the signatures of texts, which lie in UTF-8 one after another in `data`."""
    oldest = np.uint64(1)
    for _ in range(SHINGLE):
        oldest *= _BASE
    smallest = np.empty(BINS, np.uint64)
    window = np.empty(SHINGLE, np.uint64)
    for text in range(len(offsets) - 1):
        smallest[:] = _NONE
        window[:] = 0
        rolling, seen, slot = np.uint64(0), 0, 0
        at, end = offsets[text], offsets[text + 1]
        while at < end:
            first = data[at]
            if first < 0xC0:
                at += 1
                if first <= 0x20:
                    continue
                code = np.uint64(first + 0x20 if 0x41 <= first <= 0x5A else first)
            else:
                size = 2 if first < 0xE0 else 3 if first < 0xF0 else 4
                code = np.uint64(first & (0xFF >> (size + 1)))
                for more in range(at + 1, min(at + size, end)):
                    code = (code << np.uint64(6)) | np.uint64(data[more] & 0x3F)
                at += size
                if _is_space(code):
                    continue
            rolling = rolling * _BASE + code + np.uint64(1) - window[slot] * oldest
            window[slot] = code + np.uint64(1)
            slot = slot + 1 if slot + 1 < SHINGLE else 0
            seen += 1
            if seen >= SHINGLE:
                value = _mixed(rolling)
                place = value >> _BIN_SHIFT
                if value < smallest[place]:
                    smallest[place] = value
        if 0 < seen < SHINGLE:  # a very short text is one shingle
            value = _mixed(rolling)
            smallest[value >> _BIN_SHIFT] = value
        _keep(smallest, signatures[text])


@numba.njit("void(u1[:, ::1], i8[::1], i8, i8, i8, i8[::1])", cache=True, nogil=True)
def find_near(signatures, order, rows, bands, least, kept_instead):
    """Of each document, the kept one that it is nearly the same as, or -1 where it is kept.

    Documents are taken in `order`, those to keep first. Each is compared with those kept before it
    that share one of so many bands of `rows` bins; it is dropped where at least `least` bins are
    the same. So a dropped document always has a kept one that it resembles, never a chain of
    others.
    """
    count = len(order)
    slots = 1
    while slots < count:
        slots *= 2
    mask = np.uint64(slots - 1)
    heads = np.full((bands, slots), np.int32(-1), np.int32)
    following = np.full((count, bands), np.int32(-1), np.int32)
    places, nearest = np.empty(bands, np.int64), np.empty(bands, np.int32)
    for turn in range(count):
        document = order[turn]
        mine = signatures[document]
        for band in range(bands):  # all of them first: the processor waits for memory once
            key = np.uint64(band + 1)
            for row in range(band * rows, (band + 1) * rows):
                key = _mixed(key ^ np.uint64(mine[row])) + _BASE
            places[band] = np.int64(_mixed(key) & mask)
            nearest[band] = heads[band, places[band]]
        found = np.int64(-1)
        for band in range(bands):
            other, compared = nearest[band], 0
            while other >= 0 and compared < _MOST_COMPARED:
                theirs = signatures[order[other]]
                if _same_band(mine, theirs, band * rows, (band + 1) * rows):
                    if _are_alike(mine, theirs, least):
                        found = order[other]
                        break
                    compared += 1
                other = following[other, band]
            if found >= 0:
                break
        kept_instead[document] = found
        if found < 0:
            for band in range(bands):
                following[turn, band] = nearest[band]
                heads[band, places[band]] = turn
