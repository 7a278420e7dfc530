"""Who has linked to the hosts that were never asked: relevant pages, and others.

A host that pages of several other hosts link to, all of them relevant, is likely of their kind.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from typing import Final
from zlib import crc32

MOST: Final = 16
RELEVANT: Final = (0, 1, 2, 3, 3, 4)
"""Steps in which links from relevant pages are counted: none, 1, 2, 3 or 4, more;"""
OTHERS: Final = (0, 1, 1, 2)
"""and links from other pages: none, 1 or 2, more."""
STEPS: Final = 15
_PACK = struct.Struct("<BBII")


class Fame:
    """A small number for each host that waits for its first download."""

    def __init__(self) -> None:
        self._heard: dict[str, tuple[int, int, int, int]] = {}
        self._changed: set[str] = set()

    def hear(self, host: str, source: str, *, relevant: bool) -> None:
        """A page of another host links to this one; the pages of one host in a row count once."""
        by_relevant, by_others, last, last_other = self._heard.get(host, (0, 0, 0, 0))
        speaker = crc32(source.encode())
        if relevant:
            if last == speaker or by_relevant == MOST:
                return
            by_relevant, last = by_relevant + 1, speaker
        else:
            if last_other == speaker or by_others == MOST:
                return
            by_others, last_other = by_others + 1, speaker
        self._heard[host] = by_relevant, by_others, last, last_other
        self._changed.add(host)

    def of(self, host: str) -> int:
        """The step of a host, below `STEPS`."""
        by_relevant, by_others, _, _ = self._heard.get(host, (0, 0, 0, 0))
        return RELEVANT[min(by_relevant, 5)] * 3 + OTHERS[min(by_others, 3)]

    def forget(self, host: str) -> None:
        """It was asked: from now on it speaks for itself."""
        if self._heard.pop(host, None) is not None:
            self._changed.add(host)

    def save(self) -> Iterator[tuple[str, bytes]]:
        changed, self._changed = self._changed, set()
        for host in changed:
            heard = self._heard.get(host)
            yield host, _PACK.pack(*heard) if heard else b""

    def restore(self, saved: Mapping[str, bytes]) -> None:
        self._heard = {host: _PACK.unpack(value) for host, value in saved.items() if value}
