"""Reads the journal of moves as langcrawl 0.1 and early 0.2 wrote it: in the format of `marshal`.

`marshal.loads` trusts its input, and a crawl directory may come from somebody else. The journal has
only lists, tuples, numbers and texts, so only these are read here; anything else is an error.
"""

from __future__ import annotations

import struct
from typing import Any, NoReturn

_REFERRED_TO = 0x80
"""The bit of a type's letter that says: later values may refer to this one by its number."""
_LARGEST = 50_000_000
_LONG_DIGIT = 15
"""Bits of a digit of a large integer."""
_PLAIN = {b"N": None, b"T": True, b"F": False}
_SMALL_TEXTS, _TEXTS, _UNICODE = b"zZ", b"aA", b"ut"


def read_old_journal(data: bytes) -> list[Any]:
    """The moves in a row of the journal; ValueError where it holds anything else."""
    if len(data) > _LARGEST:
        raise ValueError("a row of its moves is too long")
    reader = _Reader(data)
    try:
        found = reader.value()
    except (struct.error, IndexError, UnicodeDecodeError) as error:
        raise ValueError(f"a row of its moves cannot be read: {error}") from None
    if not isinstance(found, list):
        raise ValueError("a row of its moves holds no list")
    return found


class _Reader:
    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0
        self._values: list[Any] = []

    def value(self, depth: int = 0) -> Any:
        letter = self._take(1)[0]
        kind = bytes((letter & ~_REFERRED_TO,))
        if kind == b"r":
            return self._values[self._number("<I")]
        place = None
        if letter & _REFERRED_TO:
            place = len(self._values)
            self._values.append(None)
        found = self._read(kind, depth)
        if place is not None:
            self._values[place] = found
        return found

    def _read(self, kind: bytes, depth: int) -> Any:
        if kind in _PLAIN:
            return _PLAIN[kind]
        if kind == b"i":
            return self._number("<i")
        if kind == b"l":
            return self._large()
        if kind == b"g":
            return struct.unpack("<d", self._take(8))[0]
        if kind in _SMALL_TEXTS:
            return self._take(self._take(1)[0]).decode("latin-1")
        if kind in _TEXTS:
            return self._take(self._number("<I")).decode("latin-1")
        if kind in _UNICODE:
            return self._take(self._number("<I")).decode("utf-8", "surrogatepass")
        if kind in b")([" and depth < 4:
            size = self._take(1)[0] if kind == b")" else self._number("<I")
            if size > len(self._data):
                _refuse("a length that is too large")
            values = [self.value(depth + 1) for _ in range(size)]
            return values if kind == b"[" else tuple(values)
        return _refuse(f"a value of the kind {kind!r}")

    def _large(self) -> int:
        size = self._number("<i")
        total = 0
        for place in range(min(abs(size), 1000)):
            total |= self._number("<H") << _LONG_DIGIT * place
        return -total if size < 0 else total

    def _number(self, form: str) -> int:
        return int(struct.unpack(form, self._take(struct.calcsize(form)))[0])

    def _take(self, size: int) -> bytes:
        part = self._data[self._at : self._at + size]
        if len(part) < size:
            _refuse("an end in the middle")
        self._at += size
        return part


def _refuse(what: str) -> NoReturn:
    raise ValueError(f"a row of its moves has {what}")
