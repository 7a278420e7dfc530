"""What misses say of the judge, and of what is looked for.

A judge that never names a language cannot say which misses are in another one. And where misses
are in the language that is looked for, more than a language is wanted, a topic: then the names of
languages in URLs say little.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from typing import Final

from langcrawl.records import UNKNOWN
from langcrawl.strategy.learned.tongues import primary

NO_LANGUAGE: Final = 0.1
"""What a page in no language counts for a place, where a page in another language counts 1."""
UNNAMED: Final = 8
"""A judge that has named no language of so many misses never does: they count 1 from then on."""
NAMES: Final = -1
"""In place of their number: the judge has named one."""
FOREIGN: Final = 4.0
"""So many misses in other languages are taken for granted at first."""
TRUSTED: Final = 0.5
"""Where language explains so many of the misses, its names in URLs say more than other words."""
_UNNAMED, _COUNTS = struct.Struct("<i"), struct.Struct("<II")


class Misses:
    """Misses by language: in none, in that which is looked for, in others."""

    def __init__(self, lang: str) -> None:
        self._own = {primary(tag) for tag in lang.split(",") if "-" not in tag}
        """Of a language in one script only, pages in the other are misses of another kind."""
        self.unnamed = self.own = self.foreign = 0
        self.trust = 1.0
        """The share of the misses that language explains: how far its names in URLs count."""
        self._changed = False

    @property
    def trusts_names(self) -> bool:
        return self.trust >= TRUSTED

    def is_own(self, language: str) -> bool:
        return primary(language) in self._own

    def count(self, language: str) -> float:
        """What a miss counts for its place, by the language that the judge names."""
        self._changed = True
        if language != UNKNOWN:
            self.unnamed = NAMES
            if self.is_own(language):
                self.give(self.own + 1, self.foreign)
            else:
                self.give(self.own, self.foreign + 1)
            return 1.0
        if self.unnamed == NAMES:
            return NO_LANGUAGE
        self.unnamed += 1
        return NO_LANGUAGE if self.unnamed <= UNNAMED else 1.0

    def give(self, own: int, foreign: int) -> None:
        self.own, self.foreign, self._changed = own, foreign, True
        self.trust = (foreign + FOREIGN) / (own + foreign + FOREIGN)

    def save(self) -> Iterator[tuple[str, bytes]]:
        if self._changed:
            yield "", _UNNAMED.pack(self.unnamed)
            yield "l", _COUNTS.pack(self.own, self.foreign)
        self._changed = False

    def restore(self, saved: Mapping[str, bytes]) -> None:
        if "" in saved:
            (self.unnamed,) = _UNNAMED.unpack(saved[""])
        if "l" in saved:
            self.give(*_COUNTS.unpack(saved["l"]))
