"""N-grams of a text: its words, cut into pieces of one to five letters, the frequent first.

Cavnar and Trenkle (1994), whose method is TextCat's: a word is written between two marks, so
that a piece knows whether it begins or ends one. Digits, punctuation and capitals say nothing.
A script without spaces has long words, and is treated alike.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

EDGE = "_"
"""Stands before and after a word."""
LONGEST = 5
_MARKED = (range(0x300, 0xAC00), range(0x10A00, 0x12000), range(0x1E900, 0x1E960))
"""Where Unicode has the marks that belong to letters, such as the vowels of Thai."""


@lru_cache(maxsize=1)
def _word() -> re.Pattern[str]:
    """A run of letters and their marks, which Python's own ``\\w`` leaves out."""
    codes = (chr(code) for part in _MARKED for code in part)
    marks = "".join(c for c in codes if unicodedata.category(c) in ("Mn", "Mc"))
    return re.compile(rf"(?:[^\W\d_]+|[{marks}]+)+")


def words(text: str) -> list[str]:
    """The words of a text in small letters; what is no letter parts them."""
    return _word().findall(unicodedata.normalize("NFC", text.lower()))


def count_ngrams(text: str) -> Counter[str]:
    """How often each piece of one to five letters occurs."""
    pieces: list[str] = []
    for word, times in Counter(words(text)).items():
        marked = f"{EDGE}{word}{EDGE}"
        length = len(marked)
        found = [
            marked[at : at + size]
            for size in range(1, LONGEST + 1)
            for at in range(length - size + 1)
        ]
        pieces += found * times
    counts = Counter(pieces)
    del counts[EDGE]
    return counts


def rank(counts: Counter[str], most: int) -> list[str]:
    """The most frequent pieces, the first come first where two are equally frequent."""
    return [piece for piece, _ in counts.most_common(most)]


def count_windows(texts: Iterable[str], size: int) -> Counter[str]:
    """How often each window of so many letters occurs in the texts, word by word."""
    counts: Counter[str] = Counter()
    for text in texts:
        for word in words(text):
            counts.update(word[at : at + size] for at in range(len(word) - size + 1))
    return counts
