"""A strategy that learns while it crawls: which words of a URL lead to pages in the language.

Try it on the log of a crawl, then live; it goes on where it was after any end of the process:

    langcrawl simulate langcrawl-demo --strategy soft --strategy examples/own_learner.py:UrlWords
    langcrawl crawl thai --lang th --seeds URL --strategy examples/own_learner.py:UrlWords:rate=0.1
"""

import math
import re
import struct
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from langcrawl.ports import Download, Learner, Offer, Ranking
from langcrawl.records import Visit

WORD = re.compile(r"[^\W\d_]+")


@lru_cache(1 << 16)
def words_of(url: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(WORD.findall(url)))  # in the same order in every process


class UrlWords(Learner):
    """Logistic regression over the words of a URL, a step for each download."""

    says = "links whose URLs have words of URLs that led to relevant pages first"
    reads_links = False  # URLs are enough: anchors and the like need not be fetched

    def __init__(self, rate: float = 0.3) -> None:
        self.rate = rate
        self.weights: dict[str, float] = {}
        self.changed: set[str] = set()

    def chance(self, url: str) -> float:
        known = self.weights.get
        total = sum([known(word, 0.0) for word in words_of(url)])
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))

    def rank(self, offer: Offer) -> Ranking:
        return Ranking([1 - self.chance(url) for url in offer.urls])

    def saw(self, download: Download) -> Iterable[str]:
        url, pages = download.visit.url, download.tally.downloads
        step = self.rate * (download.verdict.relevant - self.chance(url))
        for word in words_of(url):
            self.weights[word] = self.weights.get(word, 0.0) + step
            self.changed.add(word)
        return [download.group] if pages in (4, 16, 64, 256) else []  # its host, now and then

    def rank_again(self, group: str, waiting: Sequence[Visit]) -> Ranking:
        return Ranking([1 - self.chance(visit.url) for visit in waiting])

    def save(self) -> Mapping[str, bytes]:
        words, self.changed = self.changed, set()
        return {word: struct.pack("<d", self.weights[word]) for word in words}

    def restore(self, saved: Mapping[str, bytes]) -> None:
        self.weights = {word: struct.unpack("<d", value)[0] for word, value in saved.items()}

    def why(self, visit: Visit) -> str:
        parts = [f"{word} {self.weights.get(word, 0.0):+.2f}" for word in words_of(visit.url)]
        return f"chance {self.chance(visit.url):.0%} by the words of its URL: {', '.join(parts)}"
