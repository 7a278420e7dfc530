"""Syllables of Myanmar text, and whose language its letters are.

The rules of paper 003, Figure 5, whose letters our copy has lost: docs/scripts.md lists how
each is read. The paper applies them to Zawgyi; here they apply to Unicode, where the signs
that Zawgyi writes before a consonant follow it, so that rules 2 and 3 fall into rule 1.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from functools import lru_cache

from langcrawl.script.myanmar import KINZI

# Letters that begin a syllable: consonants, independent vowels and the four signs that are
# words of their own, in Burmese and in the other languages of the block.
_LETTERS = (
    "\u1000-\u102a\u103f\u104c-\u104f\u1050-\u1055\u105a-\u105d\u1061\u1065\u1066\u106e-\u1070"
    "\u1075-\u1081\u108e\ua9e0-\ua9e4\ua9e7-\ua9ef\ua9fa-\ua9fe\uaa60-\uaa6f\uaa71-\uaa76\uaa7a"
    "\uaa7e\uaa7f"
)
# A letter, with a kinzi over it and letters stacked below it, that asat does not kill.
_SYLLABLE = re.compile(
    f"(?:{KINZI})?[{_LETTERS}](?:\u1039[\u1000-\u1021])*+(?!\u1037?\u103a(?!\u1039))"
)
_MYANMAR = re.compile("[\u1000-\u109f\ua9e0-\ua9ff\uaa60-\uaa7f]")
_OTHER = re.compile("[^\\s\u200b-\u200d\ufeff\u1000-\u109f\ua9e0-\ua9ff\uaa60-\uaa7f]+")

# Languages that have letters of their own in the block, by the word in the letters' names.
_OWNERS = {
    "SHAN": "shn", "MON": "mnw", "SGAW KAREN": "ksw", "WESTERN PWO KAREN": "pwo",
    "EASTERN PWO KAREN": "kjp", "GEBA KAREN": "kvq", "KAYAH": "kyu", "RUMAI PALAUNG": "rbb",
    "KHAMTI": "kht", "AITON": "aio", "TAI LAING": "tjl", "PAO KAREN": "blk",
}  # fmt: skip
OWN_SHARE = 0.02
"""Of a page's Myanmar characters so many are a language's own where it is not Burmese."""


def count_syllables(text: str) -> int:
    """The Myanmar syllables of a Unicode text."""
    return sum(1 for _ in _SYLLABLE.finditer(text))


def split_syllables(text: str) -> list[str]:
    """A run of Myanmar text cut before each syllable."""
    starts = [found.start() for found in _SYLLABLE.finditer(text)]
    ends = [*starts, len(text)][1:]
    return [text[start:end] for start, end in zip(starts, ends, strict=True)]


def count_others(text: str) -> int:
    """The characters that are neither Myanmar nor white space."""
    return len("".join(_OTHER.findall(text)))


def myanmar_language(text: str) -> tuple[str, float]:
    """The language of Unicode text in Myanmar script, and the share of letters of its own.

    Burmese has none: it is what a text is in that has no other language's letters.
    """
    counts = Counter(_MYANMAR.findall(text))
    total = sum(counts.values())
    own: Counter[str] = Counter()
    for character, number in counts.items():
        if language := _owner(character):
            own[language] += number
    if not total or not own or own.total() < OWN_SHARE * total:
        return "my", 0.0
    language, number = own.most_common(1)[0]
    return language, number / total


@lru_cache(maxsize=512)
def _owner(character: str) -> str:
    """The language that a character belongs to alone, by its name in Unicode."""
    found = re.search(
        r"\b(SGAW KAREN|WESTERN PWO KAREN|EASTERN PWO KAREN|GEBA KAREN|PAO KAREN|RUMAI PALAUNG"
        r"|TAI LAING|SHAN|MON|KAYAH|KHAMTI|AITON)\b",
        unicodedata.name(character, ""),
    )
    return _OWNERS[found.group()] if found else ""
