"""Lists of words that tell a language from its neighbours: a second look at a page.

A model that knows many languages takes some pages in a frequent language for one in a rare
neighbour, and a corpus of the rare one fills up with them. Words that are much more frequent in the
one than in the others are few, but plain. In a script without spaces, three letters in a row
stand for a word.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from langcrawl.languages.ngrams import words

_MOST = 1_000
"""Words of a list."""
_SEEN, _TIMES = 2, 3.0
"""A word counts that was seen so often, and is so many times as frequent as in any other."""
_UNSPACED = re.compile(r"[\u0e00-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uaa60-\uaa7f]")
_GRAM = 3


class Look(NamedTuple):
    """What the lists find on a page."""

    own: int
    """Words of the language's list."""
    rival: str
    """The other language of whose list the most words were found."""
    rivals: int

    @property
    def agrees(self) -> bool:
        return self.own > self.rivals


def tokens(text: str) -> list[str]:
    """The words of a text; of one that is written without spaces, its runs of three letters."""
    found: list[str] = []
    for word in words(text):
        if _UNSPACED.match(word):
            found += [word[at : at + _GRAM] for at in range(max(1, len(word) - _GRAM + 1))]
        else:
            found.append(word)
    return found


def make_lists(texts: Mapping[str, Iterable[str]]) -> dict[str, tuple[str, ...]]:
    """For each language the words that tell it from all the others, the most frequent first."""
    counts = {name: Counter(token for text in some for token in tokens(text))
              for name, some in texts.items()}  # fmt: skip
    totals = {name: max(count.total(), 1) for name, count in counts.items()}
    lists = {}
    for name, count in counts.items():
        others = [other for other in counts if other != name]
        lists[name] = tuple(
            [
                word
                for word, seen in count.most_common()
                if seen >= _SEEN
                and all(
                    seen / totals[name] >= _TIMES * (counts[other][word] + 0.5) / totals[other]
                    for other in others
                )
            ][:_MOST]
        )
    return lists


class WordLists(NamedTuple):
    """The lists of a language and of those that it is easily taken for."""

    own: frozenset[str]
    rivals: Mapping[str, frozenset[str]]

    def look(self, text: str) -> Look:
        """Count the words of a text that are in the lists."""
        found = tokens(text)
        counts = {name: sum(word in some for word in found) for name, some in self.rivals.items()}
        name = max(counts, key=lambda each: (counts[each], each), default="")
        return Look(sum(word in self.own for word in found), name, counts.get(name, 0))
