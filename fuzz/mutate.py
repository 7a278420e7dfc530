"""New inputs from old ones: a few small changes, and now and then a large one."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from random import Random

_NUMBER = re.compile(rb"\d+")
_NUMBERS = (
    b"0", b"-1", b"1", b"255", b"65536", b"2147483647", b"2147483648", b"-2147483649",
    b"9223372036854775807", b"9223372036854775808", b"18446744073709551616", b"1" + b"0" * 30,
    b"1e308", b"1e999", b"NaN", b"0x7f", b"00", b"1.5",
)  # fmt: skip
_EDGES = (0, 1, -1, 127, 128, 255, 1 << 15, 1 << 31, (1 << 31) - 1, -(1 << 31), 1 << 40, 1 << 62)
_ODD = (
    b"\0", b"\xff", b"\x80", b"\r", b"\n", b"\r\n\r\n", b" ", b"\t", b"'", b'"', b"<", b">", b"&",
    b"%", b"%00", b"#", b"?", b";", b":", b"/", b"//", b"..", b"\xef\xbb\xbf", b"\xff\xfe",
    b"\xed\xa0\x80", b"\xf0\x9f\x98\x80", "\u202e".encode(), "\u0130".encode(), "ﬀ".encode(),
)  # fmt: skip
_MOST_CHANGES, _SPAN, _FEW = 8, 64, 10
_GROW = 0.02
"""How often a small part is repeated up to the limit: what is quadratic shows then."""

_Change = Callable[[Random, bytes, Sequence[bytes], Sequence[bytes]], bytes]


def mutate(rng: Random, corpus: Sequence[bytes], words: Sequence[bytes], most: int) -> bytes:
    """An input made of one in the corpus, or of two."""
    data = rng.choice(corpus)
    for _ in range(min(_MOST_CHANGES, int(rng.expovariate(0.5)) + 1)):
        data = rng.choice(_CHANGES)(rng, data, corpus, words)
    if rng.random() < _GROW:
        data = _grow(rng, data, most)
    return data[:most]


def _span(rng: Random, data: bytes) -> tuple[int, int]:
    """A part of the data: mostly a short one, seldom any."""
    start = rng.randrange(len(data) + 1)
    longest = len(data) - start if rng.random() < 0.1 else min(_SPAN, len(data) - start)
    return start, start + rng.randint(0, longest)


def _flip(rng: Random, data: bytes, *_: Sequence[bytes]) -> bytes:
    changed = bytearray(data)
    for _n in range(rng.randint(1, 4) if data else 0):
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def _overwrite(rng: Random, data: bytes, *_: Sequence[bytes]) -> bytes:
    """Random bytes in place of a part."""
    start, end = _span(rng, data)
    return data[:start] + rng.randbytes(min(end - start, _SPAN)) + data[end:]


def _edge(rng: Random, data: bytes, *_: Sequence[bytes]) -> bytes:
    """A number as a machine writes it, at an edge of its range."""
    width = rng.choice((1, 2, 4, 8))
    number = rng.choice(_EDGES) % (1 << 8 * width)
    start = rng.randrange(len(data) + 1)
    if rng.random() < 0.5:
        start -= start % width
    written = number.to_bytes(width, "little" if rng.random() < 0.5 else "big")
    return data[:start] + written + data[start + width :]


def _delete(rng: Random, data: bytes, *_: Sequence[bytes]) -> bytes:
    start, end = _span(rng, data)
    return data[:start] + data[end:]


def _cut(rng: Random, data: bytes, *_: Sequence[bytes]) -> bytes:
    """Without its end, as what breaks off."""
    return data[: rng.randrange(len(data) + 1)]


def _repeat(rng: Random, data: bytes, *_: Sequence[bytes]) -> bytes:
    start, end = _span(rng, data)
    return data[:end] + data[start:end] * rng.randint(1, _FEW) + data[end:]


def _move(rng: Random, data: bytes, *_: Sequence[bytes]) -> bytes:
    start, end = _span(rng, data)
    rest = data[:start] + data[end:]
    at = rng.randrange(len(rest) + 1)
    return rest[:at] + data[start:end] + rest[at:]


def _splice(rng: Random, data: bytes, corpus: Sequence[bytes], words: Sequence[bytes]) -> bytes:
    """The beginning of one input and the end of another, or a part of it in the middle."""
    other = rng.choice(corpus)
    start, end = _span(rng, data)
    if rng.random() < 0.5:
        return data[:start] + other[rng.randrange(len(other) + 1) :]
    first, last = _span(rng, other)
    return data[:start] + other[first:last] + data[end:]


def _word(rng: Random, data: bytes, corpus: Sequence[bytes], words: Sequence[bytes]) -> bytes:
    """A word that means something here, or a letter that is odd anywhere."""
    word = rng.choice(words if words and rng.random() < 0.7 else _ODD)
    start, end = _span(rng, data)
    return data[:start] + word + data[start if rng.random() < 0.7 else end :]


def _number(rng: Random, data: bytes, *_: Sequence[bytes]) -> bytes:
    """An extreme in place of a written number."""
    found = [each.span() for each in _NUMBER.finditer(data[:20_000])]
    if not found:
        return data
    start, end = rng.choice(found)
    return data[:start] + rng.choice(_NUMBERS) + data[end:]


def _grow(rng: Random, data: bytes, most: int) -> bytes:
    """A part repeated until the input is as long as inputs get."""
    start, end = _span(rng, data)
    part = data[start:end] or b"<"
    room = most - len(data)
    return data[:end] + part * max(0, room // len(part)) + data[end:]


_CHANGES: tuple[_Change, ...] = (
    _flip, _overwrite, _edge, _delete, _cut, _repeat, _move, _splice, _splice, _word, _word, _word,
    _number,
)  # fmt: skip
