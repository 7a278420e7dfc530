"""Which encoding a text is in: ``unicode``, ``zawgyi``, ``win-innwa``, ``menksoft``, ``saiyin``.

What is counted is the text itself. Fonts that a page declares decide only where the text
leaves the question open: pages name a font and are then edited with another.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from langcrawl.script import menksoft, win_innwa_odds, zawgyi_odds

ENCODINGS = ("unicode", "zawgyi", "win-innwa", "menksoft", "saiyin")
MYANMAR = re.compile("[\u1000-\u109f\ua9e0-\ua9ff\uaa60-\uaa7f]+")
_OTHER_KIND, _MYANMAR_KIND, _MONGOLIAN_KIND, _PRIVATE_KIND = range(4)
_KINDS = [
    (0x1000, 0x103F, _MYANMAR_KIND), (0x104C, 0x109F, _MYANMAR_KIND),
    (0xA9E0, 0xA9FF, _MYANMAR_KIND), (0xAA60, 0xAA7F, _MYANMAR_KIND),
    (0x1820, 0x18AA, _MONGOLIAN_KIND), (0xE000, 0xF8FF, _PRIVATE_KIND),
]  # fmt: skip
"""First and last code of the letters that tell: digits and punctuation do not."""
_IN_UTF_8 = [
    (b"\xe1", re.compile(rb"\xe1[\x80-\x82\xa0-\xa2]")),
    (b"\xea", re.compile(rb"\xea[\xa7\xa9]")),
    (b"\xee", re.compile(rb"\xee")),
    (b"\xef", re.compile(rb"\xef[\x80-\xa3]")),
]
"""The first byte of all of these in UTF-8, which is found at once, and the first two."""
_PRIVATE_WORD = re.compile("[\ue244-\ue34f]{2,}")
_MENKSOFT_ONLY, _SAIYIN_ONLY = re.compile("[\ue294-\ue34f]"), re.compile("[\ue244-\ue263]")
_PROBE = 2000
"""Characters, from all over a text, of which one at least must be a letter that tells."""
_SAMPLE, _ASCII_SAMPLE = 2000, 1000
"""Characters that show whether a text is Zawgyi, and whether it is in an ASCII font."""
_STRONG, _ONE_STRONG_IN = rb"&;?G\[*HSf", 12
"""Codes that are rare in Latin text and frequent in Win Innwa: fewer need no closer look."""
_SHORTEST_LINE, _ENOUGH = 8, 400
"""Fewer letters cannot show that they are Win Innwa, and so many do."""
_MOST = 0.8
"""Of a page's private-use characters so many must be words, or they are icons."""


class Letters(NamedTuple):
    """How many letters a text has of those that a legacy encoding may use."""

    myanmar: int
    mongolian: int
    private: int
    """Characters of the private use area."""


_NO_LETTERS = Letters(0, 0, 0)


@dataclass(frozen=True, slots=True)
class Detection:
    """The encoding of a text, its script, and how one can tell."""

    encoding: str = "unicode"
    """Empty where it is Mongolian in private-use codes and the codes fit both encodings."""
    script: str = ""
    evidence: str = ""


_NOTHING = Detection(evidence="no letters that a legacy encoding uses")


def detect(text: str, fonts: Iterable[str] = ()) -> Detection:
    """The encoding of the largest part of a text that could be in one."""
    fonts = tuple(fonts)
    letters = count_letters(text)
    myanmar, mongolian = letters.myanmar, letters.mongolian
    private = private_words(text) if letters.private else ""
    if private and len(private) >= max(myanmar, mongolian):
        return private_encoding(private)
    if mongolian > myanmar:
        return Detection("unicode", "Mong", f"{mongolian} Mongolian letters of Unicode")
    if 2 * myanmar < len(text) and (found := _ascii_font(text, fonts, myanmar)):
        return found
    return _myanmar(text, fonts) if myanmar else _NOTHING


def count_letters(text: str) -> Letters:
    """Count the letters that tell; most texts have none, which a part of them shows."""
    if text.isascii():
        return _NO_LETTERS
    probe = text[:: 1 + len(text) // _PROBE].encode("utf-8", errors="surrogatepass")
    if not any(first in probe and both.search(probe) for first, both in _IN_UTF_8):
        return _NO_LETTERS
    codes = np.frombuffer(text.encode("utf-16-le", errors="surrogatepass"), np.uint16)
    _, *counts = np.bincount(_kinds().take(codes), minlength=_PRIVATE_KIND + 1).tolist()
    return Letters(*counts)


@lru_cache(maxsize=1)
def _kinds() -> npt.NDArray[np.uint8]:
    """The kind of each code of 16 bits; the halves of a longer one are of no kind that tells."""
    kinds = np.full(1 << 16, _OTHER_KIND, dtype=np.uint8)
    for first, last, kind in _KINDS:
        kinds[first : last + 1] = kind
    return kinds


def _ascii_font(text: str, fonts: tuple[str, ...], more_than: int = 0) -> Detection | None:
    """Win Innwa, where more letters than these stand in lines that look like it."""
    sample, named = text[:_ASCII_SAMPLE], declares(fonts, "innwa")
    lines = sample.split("\n") if named else _lines_with_strong_codes(sample)
    if sum(len(line) for line in lines if is_win_innwa(line, fonts)) <= more_than:
        return None
    said = " and declares the font" if named else ""
    return Detection("win-innwa", "Mymr", f"Latin letters as in Burmese set in Win Innwa{said}")


def _lines_with_strong_codes(sample: str) -> list[str]:
    """The lines that are worth a closer look, without letters that are not Latin."""
    codes = sample.encode("latin-1", errors="ignore")
    weak = codes.translate(None, _STRONG)
    lines = zip(codes.split(b"\n"), weak.split(b"\n"), strict=True)
    return [
        line.decode("latin-1")
        for line, rest in lines
        if _ONE_STRONG_IN * (len(line) - len(rest)) >= len(line) >= _SHORTEST_LINE
    ]


@lru_cache(maxsize=256)
def declares(fonts: tuple[str, ...], part: str) -> bool:
    """Whether a font with this in its name is declared, however it is spelled."""
    return any(part in re.sub("[^a-z0-9]", "", font.lower()) for font in fonts)


def zawgyi_probability(text: str, sample: int = _SAMPLE) -> float:
    """How likely Myanmar text is Zawgyi rather than Unicode; 0.5 where nothing tells."""
    found = zawgyi_odds.probability(text, sample)
    return 0.5 if found is None else found


def is_win_innwa(line: str, fonts: tuple[str, ...] = ()) -> bool:
    """Whether a line of Latin letters is Burmese; a declared font makes less text enough.

    Without the font a word counts once: keys struck again and again say nothing more.
    """
    if declares(fonts, "innwa"):
        total, mean = win_innwa_odds.evidence(line)
        return total > 2 and mean > 0.1
    if not _lines_with_strong_codes(line):
        return False
    words = dict.fromkeys(line[:_ENOUGH].split())
    total, mean = win_innwa_odds.evidence(" ".join(words))
    return total > 15 and mean > 0.3


def private_words(text: str) -> str:
    """The private-use characters that can be Mongolian words; empty where they are icons.

    An icon stands alone, or beside others that make no word; and a page with icons has most
    of its private-use characters outside words.
    """
    if not (total := count_letters(text).private):
        return ""
    by_shape = "".join(menksoft.word().findall(text))
    if _MENKSOFT_ONLY.search(by_shape):
        found = by_shape
    else:
        words = _PRIVATE_WORD.findall(text)
        found = "".join(word for word in words if len(set(word)) > 1 and word[-1] <= "\ue293")
        if _MENKSOFT_ONLY.search(found):
            return ""
    return found if len(found) >= _MOST * total else ""


def private_encoding(words: str) -> Detection:
    """Paper 001, section 5: Menksoft is [E264, E34F], Saiyin [E244, E293]."""
    count = len(words)
    if not words:
        return Detection()
    if _MENKSOFT_ONLY.search(words):
        return Detection("menksoft", "Mong", f"{count} codes of Menksoft, in words")
    if _SAIYIN_ONLY.search(words):
        return Detection("saiyin", "Mong", f"{count} codes of Saiyin, in words")
    return Detection("", "Mong", f"{count} codes that Menksoft and Saiyin share")


def _myanmar(text: str, fonts: tuple[str, ...]) -> Detection:
    probability = zawgyi_probability(text)
    encoding = "zawgyi" if probability > 0.5 else "unicode"
    evidence = f"Myanmar letters in the order of {encoding.title()} (Zawgyi: {probability:.3f})"
    if 0.05 < probability < 0.95 and declares(fonts, "zawgyi"):
        return Detection("zawgyi", "Mymr", "too little text to tell, and the font is Zawgyi")
    return Detection(encoding, "Mymr", evidence)
