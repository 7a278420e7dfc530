"""How places have done: hits and misses of each, a small place leaning on the one around it.

The rate of a place is ``(hits + k * prior) / (hits + misses + k)``; its prior is the rate of the
place around it, moved by what its own name says of a language. So a place of which nothing is
known is like its surroundings, and what it has shown itself wins as that grows.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from math import exp, log
from typing import Final

PRIOR_RATE, PRIOR_PAGES = 0.15, 4.0
"""What a crawl expects of a web before its first page, and how many pages that is worth."""
LEANING: Final = (6.0, 4.0, 2.0)
"""So many pages' worth has the place around a top-level domain, a domain, a host;"""
LEANING_INSIDE: Final = 2.0
"""and around a directory."""
FADES_AT: Final = 400.0
"""A place with so many pages forgets half of them, so that it follows a web that changes."""
MOST_INSIDE: Final = 512
"""A host has at most so many places inside; what comes later counts for the places around it."""
_PACK = struct.Struct("<ddI")
_LEAST: Final = 1e-4


class Rate:
    """What is known of one place."""

    __slots__ = ("hits", "inside", "pages")

    def __init__(self, hits: float = 0.0, pages: float = 0.0, inside: int = 0) -> None:
        self.hits, self.pages, self.inside = hits, pages, inside


class Rates:
    """All places that a crawl has downloaded from."""

    def __init__(self) -> None:
        self.known: dict[str, Rate] = {"": Rate()}
        self._changed: set[str] = set()

    def chance(
        self, keys: Sequence[str], speaks: Sequence[int], said: Mapping[int, float]
    ) -> tuple[float, float, float]:
        """The rate of the smallest of these places as log-odds, the pages that it rests on, and
        how far the names of places still count (1: nothing else is known)."""
        get, root = self.known.get, self.known[""]
        rate = (root.hits + PRIOR_RATE * PRIOR_PAGES) / (root.pages + PRIOR_PAGES)
        share, pages, level = 0.0, 0.0, 0
        for key, word in zip(keys, speaks, strict=True):
            if word:
                rate = 1 / (1 + (1 / rate - 1) * exp(-said[level * 3 + word]))
                share = 1.0
            known = get(key)
            if known is not None:
                pages = known.pages
                k = LEANING[level] if level < 3 else LEANING_INSIDE
                rate = (known.hits + k * rate) / (pages + k)
                share *= k / (pages + k)
            elif level > 1:
                pages = 0.0
            if level < 3:
                level += 1
        rate = min(max(rate, _LEAST), 1 - _LEAST)
        return log(rate / (1 - rate)), pages, share

    def count(self, keys: Sequence[str], hit: float, weight: float) -> None:
        """A page was downloaded in these places."""
        known, host = self.known, None
        for level, key in enumerate(("", *keys)):
            rate = known.get(key)
            if rate is None:
                if host is not None:
                    if host.inside >= MOST_INSIDE:
                        return
                    host.inside += 1
                rate = known[key] = Rate()
            if level == 3:
                host = rate
            rate.hits += hit * weight
            rate.pages += weight
            if rate.pages > FADES_AT:
                rate.hits /= 2
                rate.pages /= 2
            self._changed.add(key)

    def save(self) -> Iterator[tuple[str, bytes]]:
        changed, self._changed = self._changed, set()
        for key in changed:
            rate = self.known[key]
            yield key, _PACK.pack(rate.hits, rate.pages, rate.inside)

    def restore(self, saved: Mapping[str, bytes]) -> None:
        for key, value in saved.items():
            self.known[key] = Rate(*_PACK.unpack(value))
