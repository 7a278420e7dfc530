"""Scouts: the first look at hosts that were never asked, within a budget."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from typing import Final

from langcrawl.strategy.learned.places import HOST, OTHER, Directory

SCOUT: Final = -0.8
"""The log-odds of a scout: worth a look when there is nothing better than that;"""
SCOUTS, SCOUT_SHARE = 16, 0.1
"""for so many hosts at first, and later for this share of the downloads."""
_SENT = struct.Struct("<I")


class Scouts:
    """Which hosts a scout was sent to."""

    def __init__(self) -> None:
        self.sent = 0
        self._away: set[str] = set()
        """Hosts to which a scout was sent and from which nothing has come yet."""
        self._changed: set[str] = set()

    def send(self, directory: Directory, downloads: int, trusted: bool = True) -> bool:
        """Whether a link to a host that was never asked is to be its scout.

        A host that names another language says what it is, where such names are trusted.
        """
        host = directory.host
        if host in self._away or (trusted and directory.speaks[HOST] == OTHER):
            return False
        if self.sent >= SCOUTS + SCOUT_SHARE * downloads:
            return False
        self.sent += 1
        self._away.add(host)
        self._changed.add(host)
        return True

    def back(self, host: str) -> None:
        """Something has come from a host."""
        if host in self._away:
            self._away.discard(host)
            self._changed.add(host)

    def save(self) -> Iterator[tuple[str, bytes]]:
        changed, self._changed = self._changed, set()
        for host in changed:
            yield host, b"1" if host in self._away else b""
        if changed:
            yield "", _SENT.pack(self.sent)

    def restore(self, saved: Mapping[str, bytes]) -> None:
        if "" in saved:
            (self.sent,) = _SENT.unpack(saved[""])
        self._away = {host for host, value in saved.items() if host and value}
