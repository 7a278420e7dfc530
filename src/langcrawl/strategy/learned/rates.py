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

from langcrawl.strategy.learned.places import HOST, TARGET

PRIOR_RATE, PRIOR_PAGES = 0.15, 4.0
"""What a crawl expects of a web before its first page, and how many pages that is worth."""
LEANING: Final = (6.0, 4.0, 2.0, 2.0)
"""So many pages' worth has the place around a top-level domain, a domain, a host, a directory."""
WITNESS: Final = 4.0
"""A place with so many pages speaks half as loud to the one around it."""
FORETOLD: Final = 0.5
"""So much counts for the place around it what the name of a place foretold."""
FADES_AT: Final = 400.0
"""A place with so many pages forgets half of them, so that it follows a web that changes."""
MOST_INSIDE: Final = 512
"""A host has at most so many places inside; what comes later counts for the places around it."""
MOST_BEHIND: Final = 5
"""A page counts for at most so many links to new pages that are likely relevant."""
FOLLOWS: Final = 0.1
"""So much of what a place is said to have behind it comes from its latest page."""
_PACK = struct.Struct("<dddI")
_LEAST, _MOST = 1e-4, 1 - 1e-4


class Rate:
    """What is known of one place."""

    __slots__ = ("found", "hits", "inside", "pages")

    def __init__(
        self, hits: float = 0.0, pages: float = 0.0, found: float = 0.0, inside: int = 0
    ) -> None:
        self.hits, self.pages, self.inside = hits, pages, inside
        self.found = found
        """Links for each page to new pages that are likely relevant; the latest count most."""


class Rates:
    """All places that a crawl has downloaded from."""

    def __init__(self) -> None:
        self.known: dict[str, Rate] = {"": Rate()}
        self._given: dict[str, tuple[float, float]] = {}
        self._changed: set[str] = set()

    def chance(
        self,
        keys: Sequence[str],
        speaks: Sequence[int],
        said: Mapping[int, float],
        trust: float = 1.0,
    ) -> tuple[float, float, float, float]:
        """The rate of the smallest of these places as log-odds, the pages that it rests on, how
        far the names of places still count (1: nothing else is known), and how many links to
        new, likely relevant pages a page has in the smallest place that has shown any. Names of
        languages count as far as they are trusted."""
        get, root = self.known.get, self.known[""]
        rate = (root.hits + PRIOR_RATE * PRIOR_PAGES) / (root.pages + PRIOR_PAGES)
        share, pages, level, found = 0.0, 0.0, 0, root.found
        for key, word in zip(keys, speaks, strict=False):
            if word:
                rate = 1 / (1 + (1 / rate - 1) * exp(-trust * said[level * 3 + word]))
                share = 1.0
            known = get(key)
            if known is not None:
                pages, k, found = known.pages, LEANING[level], known.found
                rate = (known.hits + k * rate) / (pages + k)
                if share:
                    share *= k / (pages + k)
            elif level > 1:
                pages = 0.0
            if level < 3:
                level += 1
        rate = _LEAST if rate < _LEAST else _MOST if rate > _MOST else rate
        return log(rate / (1 - rate)), pages, share, found

    def count(self, keys: Sequence[str], speaks: Sequence[int], hit: float, weight: float) -> None:
        """A page was downloaded in these places.

        A large place hears less of it the more a smaller one inside has shown already: a hundred
        pages of one directory are one witness, not a hundred. It hears little of what the
        name of the smaller place foretold.
        """
        known = self.known
        for at in range(len(keys) - 1, -1, -1):
            key = keys[at]
            rate = known.get(key)
            if rate is None:
                rate = self._new(keys, at)
                if rate is None:
                    continue
            before = rate.pages
            rate.hits += hit * weight
            rate.pages += weight
            if rate.pages > FADES_AT:
                rate.hits /= 2
                rate.pages /= 2
            self._changed.add(key)
            weight *= WITNESS / (WITNESS + before)
            if speaks[at] and (speaks[at] == TARGET) == (hit > 0.0):
                weight *= FORETOLD
        root = known[""]
        root.hits += hit * weight
        root.pages += weight
        self._changed.add("")

    def _new(self, keys: Sequence[str], at: int) -> Rate | None:
        """A place that was not known, unless its host has had as many as it may."""
        if at > HOST:
            host = self.known.get(keys[HOST])
            if host is None:
                host = self.known[keys[HOST]] = Rate()
            if host.inside >= MOST_INSIDE:
                return None
            host.inside += 1
        rate = self.known[keys[at]] = Rate()
        return rate

    def found(self, keys: Sequence[str], links: int) -> None:
        """A page in these places had so many links to new pages that are likely relevant."""
        links = min(links, MOST_BEHIND)
        for key in ("", *keys):
            rate = self.known.get(key)
            if rate is not None:
                rate.found += (links - rate.found) * max(FOLLOWS, 1 / (rate.pages + 2))
                self._changed.add(key)

    def give(self, key: str, rate: Rate) -> None:
        """Start from what an earlier crawl has seen of a place."""
        self.known[key] = rate
        self._given[key] = rate.hits, rate.pages
        self._changed.add(key)

    def common(self) -> list[str]:
        """The places that shards have in common: the whole web, and top-level domains."""
        return [key for key in self.known if key.rfind(".") < 1 and key[:1] in ("", ".")]

    def sums(self, key: str) -> tuple[float, float]:
        rate = self.known[key]
        return rate.hits, rate.pages

    def start(self, key: str) -> tuple[float, float]:
        """Relevant pages and pages of a place that are of an earlier crawl."""
        return self._given.get(key, (0.0, 0.0))

    def add(self, key: str, hits: float, pages: float) -> None:
        """Another shard has had so many relevant pages and pages there."""
        rate = self.known.setdefault(key, Rate())
        rate.hits, rate.pages = max(0.0, rate.hits + hits), rate.pages + pages
        self._changed.add(key)

    def save(self) -> Iterator[tuple[str, bytes]]:
        changed, self._changed = self._changed, set()
        for key in changed:
            rate = self.known[key]
            yield key, _PACK.pack(rate.hits, rate.pages, rate.found, rate.inside)

    def restore(self, saved: Mapping[str, bytes]) -> None:
        for key, value in saved.items():
            self.known[key] = Rate(*_PACK.unpack(value))
