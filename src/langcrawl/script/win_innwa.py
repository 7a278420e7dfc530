"""Win Innwa: a Burmese font that sits on the codes of Latin letters.

A page in it is ASCII to a computer and Burmese to whoever has the font (paper 003, section
4.1 and Table 8). Each code names a glyph; the order is that of the eye, as in Zawgyi.
"""

from __future__ import annotations

from collections import Counter

from langcrawl.script.conversion import Conversion
from langcrawl.script.myanmar import KINZI_SIGN, logical

SHOWN = {
    # consonants and independent vowels
    "u": "က", "c": "ခ", "*": "ဂ", "C": "ဃ", "i": "င", "p": "စ", "q": "ဆ", "Z": "ဇ",
    "\u00da": "ဉ", "\u00cd": "ဉ", "\u00d3": "ဉာ", "n": "ည", "\u00f1": "ည", "#": "ဋ", "X": "ဌ",
    "!": "ဍ", "\u00a1": "ဎ", "P": "ဏ", "w": "တ", "x": "ထ", "'": "ဒ", '"': "ဓ", "e": "န",
    "E": "န", "y": "ပ", "z": "ဖ", "A": "ဗ", "b": "ဘ", "r": "မ", ",": "ယ", "&": "ရ",
    "\u00bd": "ရ", "v": "လ", "o": "သ", "[": "ဟ", "V": "ဠ", "t": "အ", "\u00f3": "ဿ", "O": "ဥ",
    "{": "ဧ", "\u00a4": "၎", "\u00a3": "ဣ", "\u00fe": "ဤ", "\u00fc": "၌", "\u00ed": "၍",
    "\\": "၏",
    # digits and sentence marks
    **{str(digit): chr(0x1040 + digit) for digit in range(10)}, "/": "။", "?": "၊",
    # ligatures, stacked letters, kinzi
    "\u00d7": "ဍ္ဍ", "\u00b9": "ဍ္ဎ", "@": "ဏ္ဍ", "|": "ဋ္ဌ", "\u00a5": "ဋ္ဋ", "$": "ကျပ်",
    "\u00fa": "္က", "\u00a9": "္ခ", "\u00be": "္ဂ", "\u00a2": "္ဃ", "\u00f6": "္စ",
    "\u00e4": "္ဆ", "\u00c6": "္ဇ", "\u00d1": "္ဈ", "\u00b3": "္ဋ", "\u00b2": "္ဌ",
    "\u00d6": "္ဏ", "\u00e5": "္တ", "\u00ac": "္ထ", "\u00a6": "္ထ", "\u00b4": "္ဒ",
    "\u00a8": "္ဓ", "\u00e9": "္န", "\u00dc": "္ပ", "\u00e6": "္ဖ", "\u00c1": "္ဗ",
    "\u00c7": "္ဘ", "\u00ae": "္မ", "\u2019": "္လ", "F": KINZI_SIGN,
    "\u00d8": KINZI_SIGN + "\u102d", "\u00d0": KINZI_SIGN + "\u102e",
    "\u00f8": KINZI_SIGN + "\u1036",
    # medials
    "s": "\u103b", "\u00df": "\u103b", "R": "\u103b\u103d", "Q": "\u103b\u103e",
    "W": "\u103b\u103d\u103e", "j": "\u103c", "M": "\u103c", "N": "\u103c", "B": "\u103c",
    "`": "\u103c", "~": "\u103c", ">": "\u103c\u103d", "<": "\u103c\u103d",
    "\u00fb": "\u103c\u102f", "\u00ea": "\u103c\u102f", "G": "\u103d", "T": "\u103d\u103e",
    "S": "\u103e", "\u00a7": "\u103e", "I": "\u103e\u102f", "\u00aa": "\u103e\u1030",
    # vowels and signs
    "a": "\u1031", "d": "\u102d", "\u00f0": "\u102d\u1036", "D": "\u102e", "J": "\u1032",
    "k": "\u102f", "K": "\u102f", "l": "\u1030", "L": "\u1030", "H": "\u1036", "g": "\u102b",
    ":": "\u102b\u103a", "m": "\u102c", "U": "\u1037", "Y": "\u1037", "h": "\u1037",
    "f": "\u103a", ";": "\u1038",
}  # fmt: skip
"""What each code of the font shows, in Unicode's letters, each in the place where it is seen."""
_TO_UNICODE = str.maketrans(SHOWN)
KNOWN = frozenset(SHOWN)
"""The codes that the font has a Burmese glyph for."""


def to_unicode(text: str) -> Conversion:
    """Text in Win Innwa as Unicode; text that is Burmese in Unicode already stays.

    The font has Burmese glyphs on nearly every ASCII code, so Latin text turns into
    nonsense: give only what is set in the font.
    """
    merged: Counter[str] = Counter()
    unmapped = Counter(
        each for each in text if each not in KNOWN and "\x21" <= each <= "\xff" and each != "\xa0"
    )
    shown = text.translate(_TO_UNICODE)
    return Conversion(_logical(shown, text, merged), dict(unmapped), dict(merged))


def _logical(shown: str, text: str, merged: Counter[str]) -> str:
    return shown if shown == text else logical(shown, merged)
