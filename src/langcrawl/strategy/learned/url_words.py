"""Words in the directories of URLs: which of them relevant pages have had.

A topic has no code that URLs name it by, but words: where ``/classes/dance/`` is relevant,
``/undergrad/dance/`` may lead there, on whatever host it lies. Only words that speak for a page are
heard. What speaks against it, its places have shown already.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Mapping, Sequence
from math import log
from typing import Final
from zlib import crc32

SLOTS: Final = 1 << 15
ALL: Final = SLOTS
"""In place of a word: all pages."""
PRIOR_RATE, PRIOR_PAGES = 0.15, 2.0
"""What is expected before the first page, and how many pages that is worth."""
WITNESS: Final = 4.0
"""A directory that has shown so many pages speaks half as loud for its words."""
MOST: Final = 4.0
"""Words say at most this much, in log-odds."""
_WORD = re.compile(r"[^\W\d_]{2,}")
_PAIR = struct.Struct("<dd")


class UrlWords:
    """How often each word was seen in directories of relevant pages, and of others."""

    def __init__(self) -> None:
        self.counts: dict[int, tuple[float, float]] = {}
        self._changed: set[int] = set()

    def score(self, words: Sequence[int]) -> float:
        """How much more likely these words are for relevant pages, as log-odds; 0 if not at all."""
        hits, misses = self.counts.get(ALL, (0.0, 0.0))
        rate = (hits + PRIOR_RATE * PRIOR_PAGES) / (hits + misses + PRIOR_PAGES)
        less, odds, get = 1.0 - rate, 1.0, self.counts.get
        for word in words:
            known = get(word)
            if known is not None:
                odds *= (known[0] + rate) / (known[1] + less) * (less / rate)
        return 0.0 if odds <= 1.0 else min(log(odds), MOST)

    def count(self, words: Sequence[int], hit: float, weight: float, before: float) -> None:
        """A page was downloaded from a directory that had shown so many before."""
        weight *= WITNESS / (WITNESS + before)
        for word in (ALL, *words):
            hits, misses = self.counts.get(word, (0.0, 0.0))
            self.counts[word] = hits + hit * weight, misses + (1.0 - hit) * weight
            self._changed.add(word)

    def save(self) -> Iterator[tuple[str, bytes]]:
        changed, self._changed = self._changed, set()
        for word in changed:
            yield str(word), _PAIR.pack(*self.counts[word])

    def restore(self, saved: Mapping[str, bytes]) -> None:
        self.counts = {int(word): _PAIR.unpack(value) for word, value in saved.items()}


def words_of(path: str) -> list[str]:
    """The distinct words of directories, without digits: ``cs`` of ``cs101``."""
    return list(dict.fromkeys(_WORD.findall(path.lower())))


def word_number(word: str) -> int:
    return crc32(word.encode()) % SLOTS
