"""What a text is counted in: words where they are spaced, else syllables or graphemes.

Thai, Lao, Khmer, Chinese and Japanese write words without spaces between them, and no rule parts
them: their graphemes are counted, a letter with its marks. Burmese and its neighbours are counted
in syllables (`langcrawl.script.syllables`), and so is Tibetan, which marks where they end.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import groupby
from typing import Final

from langcrawl.script.syllables import split_syllables

_THAI_LAO_KHMER = "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u0edc-\u0edf\u1780-\u17d3\u17dc\u17dd"
_CHINESE_JAPANESE = (
    "\u3005-\u3007\u3041-\u30ff\u31f0-\u31ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_MYANMAR = "\u1000-\u103f\u104c-\u109f\ua9e0-\ua9ef\ua9fa-\ua9fe\uaa60-\uaa7f"
_TIBETAN = "\u0f00\u0f20-\u0f33\u0f40-\u0fbc"
_UNSPACED = _THAI_LAO_KHMER + _CHINESE_JAPANESE
_ATTACHED = "\u0e33\u0eb3"
"""Vowels of Thai and Lao that stand behind their letter, and belong to it."""
UNITS: Final = ("words", "syllables", "graphemes")
_SAMPLE = 2_000
"""Characters of a text by which it is known what it is counted in."""


@lru_cache(maxsize=1)
def _marks() -> str:
    """Combining marks, as the inside of a class of characters."""
    codes = (code for code in range(0x300, 0x20000) if unicodedata.category(chr(code))[0] == "M")
    runs = [list(run) for _, run in groupby(enumerate(codes), lambda each: each[1] - each[0])]
    return "".join(f"{chr(run[0][1])}-{chr(run[-1][1])}" for run in runs)


@lru_cache(maxsize=1)
def _patterns() -> dict[str, re.Pattern[str]]:
    marks = _marks()
    letter = rf"[^\W_{_UNSPACED}{_MYANMAR}{_TIBETAN}]"
    word = rf"{letter}(?:{letter}|[{marks}\u200c\u200d]|['’](?={letter}))*"
    grapheme = rf"[{_UNSPACED}](?:\u17d2[\u1780-\u17b3]|[{marks}{_ATTACHED}\u200c\u200d])*"
    return {
        "words": re.compile(word),
        "syllables": re.compile(rf"[{_MYANMAR}]+|[{_TIBETAN}]+|{word}"),
        "graphemes": re.compile(rf"{grapheme}|{word}"),
        "unspaced": re.compile(f"[{_UNSPACED}]"),
        "syllabic": re.compile(f"[{_MYANMAR}{_TIBETAN}]"),
    }


def unit_of(text: str) -> str:
    """What a text is counted in, by the script of most of its first letters."""
    known, sample = _patterns(), text[:_SAMPLE]
    unspaced = len(known["unspaced"].findall(sample))
    syllabic = len(known["syllabic"].findall(sample))
    if 2 * max(unspaced, syllabic) <= sum(map(str.isalpha, sample)):
        return "words"
    return "graphemes" if unspaced > syllabic else "syllables"


def split_units(text: str, unit: str) -> list[str]:
    """The words, syllables or graphemes of a text, in small letters."""
    found: list[str] = _patterns()[unit].findall(text.lower())
    if unit != "syllables":
        return found
    split: list[str] = []
    for run in found:
        is_myanmar = "\u1000" <= run[0] <= "\u109f" or "\ua9e0" <= run[0] <= "\uaa7f"
        split += split_syllables(run) or [run] if is_myanmar else [run]
    return split
