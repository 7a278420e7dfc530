"""Menksoft: Mongolian written as shapes in the private use area, U+E234 to U+E4AB.

Menksoft has a code for each shape of a letter: initial, medial, final, after a round letter
and so on. Unicode has one for the letter and leaves the shape to the font. So the letter is
kept and the shape let go; where a writer chose a shape that a font would not choose by
itself, the free variation selector that would ask for it is not restored.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from functools import lru_cache
from importlib import resources

from langcrawl.script.conversion import Conversion

FIRST, LAST = "\ue264", "\ue34f"
"""The interval of Mongolian letters in Menksoft (paper 001, section 5)."""
_CODES = re.compile("[\ue234-\ue4ab\U000f0000-\U000f0012]")
# The a and e that stand apart at the end of a word: inside a word this shape has no other use.
_APART = re.compile("(?<=[\ue264-\ue463])[\ue26a\ue274]")
_SEPARATOR = "\u180e"


@lru_cache(maxsize=1)
def _tables() -> dict[str, dict[str, str]]:
    return tomllib.loads(
        resources.files("langcrawl.script").joinpath("menksoft.toml").read_text("utf-8")
    )


def _codes(ranges: str) -> list[str]:
    found: list[str] = []
    for each in ranges.split():
        first, _, last = each.partition("-")
        found += map(chr, range(int(first, 16), int(last or first, 16) + 1))
    return found


@lru_cache(maxsize=1)
def table() -> dict[str, str]:
    """The Unicode text of each code."""
    parts = _tables()
    return {
        code: "".join(chr(int(each, 16)) for each in letters.split())
        for letters, ranges in [*parts["letters"].items(), *parts["marks"].items()]
        for code in _codes(ranges)
    }


@lru_cache(maxsize=1)
def edges() -> tuple[frozenset[str], frozenset[str]]:
    """The shapes that begin a word, and those that end one."""
    places = _tables()["positions"]
    return frozenset(_codes(places["first"])), frozenset(_codes(places["last"]))


@lru_cache(maxsize=1)
def word() -> re.Pattern[str]:
    """A word of Menksoft: it begins with an initial shape and ends with a final one."""
    first, last = ("".join(sorted(codes)) for codes in edges())
    return re.compile(f"(?<![\ue234-\ue34f])[{first}][{FIRST}-{LAST}]*[{last}](?![\ue264-\ue34f])")


def to_unicode(text: str) -> Conversion:
    """Menksoft text in Unicode; codes without a letter stay, and are counted."""
    codes = table()
    unmapped = Counter(each for each in _CODES.findall(text) if each not in codes)
    apart = _APART.sub(lambda found: _SEPARATOR + codes[found.group()], text)
    converted = _CODES.sub(lambda found: codes.get(found.group(), found.group()), apart)
    return Conversion(converted, dict(unmapped))
