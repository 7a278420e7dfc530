"""`url-classifier`: an online classifier of URLs with epsilon-greedy exploration (Meusel 2014).

R. Meusel, P. Mika, R. Blanco: Focused Crawling for Structured Data, CIKM 2014. The words of a URL
and of its anchor, and whether the page with the link was relevant, are the features of a naive
Bayes classifier that learns from every download. The most likely link goes first, but a share
`epsilon` of the links is followed whatever the classifier says.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Mapping, Sequence
from math import log
from typing import Final
from zlib import crc32

from langcrawl.errors import UsageError
from langcrawl.ports import Download, Learner, Offer, Ranking
from langcrawl.records import UNKNOWN, Visit

SLOTS: Final = 1 << 16
_WORD = re.compile(r"[^\W_]+")
_PAIR = struct.Struct("<II")
_MOST_WORDS: Final = 24
_MIDDLE: Final = 64.0
"""The priority of a link of even odds."""
_SPREAD: Final = 8.0
"""Links that are followed for exploration lie within this of the middle, at random."""


class UrlClassifier(Learner):
    """Naive Bayes over the words of URL and anchor and the verdict on the page with the link."""

    says = "the link whose URL and anchor look most like those of relevant pages (Meusel 2014)"
    step = 1 / 8
    reconsiders = True

    def __init__(self, epsilon: float = 0.1, lang: str = UNKNOWN) -> None:
        if not 0.0 <= epsilon <= 1.0:
            raise UsageError(f"url-classifier: epsilon should lie within 0 and 1, not {epsilon:g}.")
        self._explored = int(epsilon * 2**32)
        self._counts: dict[int, tuple[int, int]] = {}
        """How often each word was seen, on relevant pages and on others; -1: pages of each kind."""
        self._changed: set[int] = set()

    def rank(self, offer: Offer) -> Ranking:
        if offer.found_by == "seed":
            return Ranking([0.0] * len(offer))
        links = offer.links
        anchors = links.anchors if len(links.urls) == len(offer) else ()
        priorities, evidence = [], []
        for at, (state, facts) in enumerate(zip(offer.states, offer.facts, strict=True)):
            kept = f"{facts.parent_relevant}{(anchors[at] if anchors else '')[:60]}"
            priorities.append(self._priority(state.url, kept))
            evidence.append(kept)
        return Ranking(priorities, evidence=evidence)

    def reconsider(self, visit: Visit) -> float:
        if visit.found_by == "seed":
            return visit.priority
        return self._priority(visit.url, visit.evidence)

    def saw(self, download: Download) -> Iterable[str]:
        visit, relevant = download.visit, int(download.verdict.relevant)
        if not download.page.redirect:
            for word in (-1, *_words(visit.url, visit.evidence)):
                hits, misses = self._counts.get(word, (0, 0))
                self._counts[word] = hits + relevant, misses + 1 - relevant
                self._changed.add(word)
        return ()

    def _priority(self, url: str, kept: str) -> float:
        chance = crc32(url.encode())
        if chance < self._explored:
            return _MIDDLE + _SPREAD * (2.0 * chance / max(1, self._explored) - 1.0)
        return max(0.0, _MIDDLE - self._log_odds(_words(url, kept)))

    def _log_odds(self, words: Sequence[int]) -> float:
        hits, misses = self._counts.get(-1, (0, 0))
        total = log((hits + 1) / (misses + 1))
        for word in words:
            good, bad = self._counts.get(word, (0, 0))
            if good or bad:
                total += log((good + 0.5) / (hits + 1.0) / ((bad + 0.5) / (misses + 1.0)))
        return total

    def save(self) -> Mapping[str, bytes]:
        changed, self._changed = self._changed, set()
        return {str(word): _PAIR.pack(*self._counts[word]) for word in changed}

    def restore(self, saved: Mapping[str, bytes]) -> None:
        self._counts = {int(word): _PAIR.unpack(value) for word, value in saved.items()}

    def why(self, visit: Visit) -> str:
        if crc32(visit.url.encode()) < self._explored:
            return "one of the links that are followed for exploration"
        odds = self._log_odds(_words(visit.url, visit.evidence))
        return f"the words of its URL, its anchor and its page give it log-odds of {odds:+.1f}"


def _words(url: str, kept: str) -> list[int]:
    """The numbers of the features: words of the URL, of the anchor, and the page's verdict."""
    found = dict.fromkeys(_WORD.findall(url.lower().partition("//")[2])[:_MOST_WORDS])
    named = [crc32(word.encode()) % SLOTS for word in found]
    anchor = dict.fromkeys(_WORD.findall(kept[1:].lower())[:_MOST_WORDS])
    named += [SLOTS + crc32(word.encode()) % SLOTS for word in anchor]
    return [*named, 2 * SLOTS + (kept[:1] == "1")]
