"""What the links to a segment say: names of a country, and words (004, section 4.2).

A link says what its anchor and the text around it say; a URL says what its path and query say. A
reader counts the names in such a text and the other words that are no stop words, and adds up
what the words are worth: a number for a crawl, the words themselves for training.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Generic, NamedTuple, TypeVar

from langcrawl.topic.terms import stop_words
from langcrawl.topic.tokenizer import Tokenizer

W = TypeVar("W")
_NO_WORDS: Final = frozenset({"http", "https", "html", "htm", "www"})
"""Tokens of URLs that say nothing (Figure 8)."""
_MOST_KNOWN: Final = 1 << 16
_MOST_NAMES: Final = 3
STEPS: Final = 10


class Said(NamedTuple, Generic[W]):
    """What a text says."""

    keywords: int
    """Names of the country."""
    rest: int
    """Other words that are no stop words."""
    worth: W
    """What its words are worth."""
    names: tuple[str, ...]
    """The first few of the names."""


class TextReader(Generic[W]):
    """Reads anchors, contexts and URLs; texts come again and again, so it remembers some."""

    def __init__(
        self, tokenizer: Tokenizer, language: str, worth: Callable[[list[str]], W]
    ) -> None:
        self._tokenizer, self._worth = tokenizer, worth
        self._stop = stop_words(language) | _NO_WORDS
        self._known: dict[str, Said[W]] = {}

    def link(self, anchor: str, context: str) -> Said[W]:
        """What a link says: its anchor with 100 characters on each side."""
        return self.read(f"{anchor} {context}" if context else anchor)

    def url(self, url: str) -> Said[W]:
        """What a URL says, without its scheme and host."""
        return self.read(url[url.find("/", 8) :])

    def read(self, text: str) -> Said[W]:
        found = self._known.get(text)
        if found is None:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            found = self._known[text] = self._read(text)
        return found

    def _read(self, text: str) -> Said[W]:
        stop = self._stop
        read = self._tokenizer.read(text)
        words = [token for token in read.tokens if token not in stop and not token.isdigit()]
        if not read.names:
            return Said(0, len(words), self._worth(words), ())
        rest = sum(word not in stop and not word.isdigit() for word in read.words)
        names = tuple(dict.fromkeys(read.keywords))[:_MOST_NAMES]
        return Said(len(read.names), rest, self._worth(words), names)


def step_of(part: int, whole: int) -> int | None:
    """In which of ten equal steps of [0, 1] a share lies; None where there is nothing."""
    return min(STEPS - 1, STEPS * part // whole) if whole else None
