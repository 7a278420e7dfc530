"""Groups of URLs of which more has come than their priorities promised."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from typing import Final

MOST: Final = 4.0
"""A group is ranked again when it has had so many relevant pages more than was promised."""
_ONE = struct.Struct("<d")


class Surprises:
    """How many relevant pages more each group has had since it was ranked again."""

    def __init__(self) -> None:
        self._by_group: dict[str, float] = {}
        self._changed: set[str] = set()

    def hear(self, group: str, came: float, promised: float) -> bool:
        """A page of a group has come; whether that is one surprise too many."""
        surprise = max(self._by_group.get(group, 0.0) + came - promised, 0.0)
        surprised = surprise > MOST
        self._by_group[group] = 0.0 if surprised else surprise
        self._changed.add(group)
        return surprised

    def save(self) -> Iterator[tuple[str, bytes]]:
        changed, self._changed = self._changed, set()
        for group in changed:
            yield group, _ONE.pack(self._by_group[group])

    def restore(self, saved: Mapping[str, bytes]) -> None:
        self._by_group = {group: _ONE.unpack(value)[0] for group, value in saved.items()}


def is_turn(count: int) -> bool:
    """1, 2, 3, 4, 6, 8, 12, 16, ...: less and less often."""
    while count > 4 and count % 2 == 0:
        count //= 2
    return count < 5
