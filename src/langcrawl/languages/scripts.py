"""Which script a text is written in, by Unicode block."""

from __future__ import annotations

import sys
from functools import lru_cache

import numpy as np
import numpy.typing as npt

# First and last code point of the blocks of each script, ISO 15924 names (Unicode Blocks.txt).
_RANGES = [
    (0x0041, 0x005A, "Latn"), (0x0061, 0x007A, "Latn"), (0x00C0, 0x024F, "Latn"),
    (0x0250, 0x02AF, "Latn"), (0x0370, 0x03FF, "Grek"), (0x0400, 0x052F, "Cyrl"),
    (0x0530, 0x058F, "Armn"), (0x0590, 0x05FF, "Hebr"), (0x0600, 0x06FF, "Arab"),
    (0x0700, 0x074F, "Syrc"), (0x0750, 0x077F, "Arab"), (0x0780, 0x07BF, "Thaa"),
    (0x07C0, 0x07FF, "Nkoo"), (0x08A0, 0x08FF, "Arab"), (0x0900, 0x097F, "Deva"),
    (0x0980, 0x09FF, "Beng"), (0x0A00, 0x0A7F, "Guru"), (0x0A80, 0x0AFF, "Gujr"),
    (0x0B00, 0x0B7F, "Orya"), (0x0B80, 0x0BFF, "Taml"), (0x0C00, 0x0C7F, "Telu"),
    (0x0C80, 0x0CFF, "Knda"), (0x0D00, 0x0D7F, "Mlym"), (0x0D80, 0x0DFF, "Sinh"),
    (0x0E00, 0x0E7F, "Thai"), (0x0E80, 0x0EFF, "Laoo"), (0x0F00, 0x0FFF, "Tibt"),
    (0x1000, 0x109F, "Mymr"), (0x10A0, 0x10FF, "Geor"), (0x1100, 0x11FF, "Hang"),
    (0x1200, 0x139F, "Ethi"), (0x13A0, 0x13FF, "Cher"), (0x1400, 0x167F, "Cans"),
    (0x1700, 0x171F, "Tglg"), (0x1780, 0x17FF, "Khmr"), (0x1800, 0x18AF, "Mong"),
    (0x18B0, 0x18FF, "Cans"), (0x1950, 0x197F, "Tale"), (0x1980, 0x19DF, "Talu"),
    (0x1A20, 0x1AAF, "Lana"), (0x1B00, 0x1B7F, "Bali"), (0x1B80, 0x1BBF, "Sund"),
    (0x1C50, 0x1C7F, "Olck"), (0x1C90, 0x1CBF, "Geor"), (0x1E00, 0x1EFF, "Latn"),
    (0x1F00, 0x1FFF, "Grek"), (0x2C60, 0x2C7F, "Latn"), (0x2D30, 0x2D7F, "Tfng"),
    (0x2D80, 0x2DDF, "Ethi"), (0x3040, 0x309F, "Hira"), (0x30A0, 0x30FF, "Kana"),
    (0x3130, 0x318F, "Hang"), (0x3400, 0x4DBF, "Hani"), (0x4E00, 0x9FFF, "Hani"),
    (0xA000, 0xA4CF, "Yiii"), (0xA4D0, 0xA4FF, "Lisu"), (0xA500, 0xA63F, "Vaii"),
    (0xA640, 0xA69F, "Cyrl"), (0xA720, 0xA7FF, "Latn"), (0xA980, 0xA9DF, "Java"),
    (0xA9E0, 0xA9FF, "Mymr"), (0xAA60, 0xAA7F, "Mymr"), (0xAA80, 0xAADF, "Tavt"),
    (0xAB00, 0xAB2F, "Ethi"), (0xAB70, 0xABBF, "Cher"), (0xAC00, 0xD7AF, "Hang"),
    (0xF900, 0xFAFF, "Hani"), (0xFB50, 0xFDFF, "Arab"), (0xFE70, 0xFEFF, "Arab"),
    (0xFF66, 0xFF9F, "Kana"), (0x11100, 0x1114F, "Cakm"), (0x11300, 0x1137F, "Gran"),
    (0x1E900, 0x1E95F, "Adlm"), (0x20000, 0x3FFFF, "Hani"),
]  # fmt: skip
_SCRIPTS = list(dict.fromkeys(script for _, _, script in _RANGES))

BYTES_NEEDED = {
    "Adlm": 3.0, "Arab": 1.5, "Armn": 1.8, "Beng": 2.3, "Cakm": 2.9, "Cher": 2.0, "Cyrl": 1.7,
    "Deva": 2.1, "Ethi": 1.4, "Geor": 2.7, "Gran": 3.1, "Grek": 2.0, "Gujr": 2.3, "Guru": 2.3,
    "Hang": 0.9, "Hani": 0.7, "Hebr": 1.5, "Java": 2.8, "Jpan": 1.0, "Khmr": 2.7, "Knda": 2.5,
    "Lana": 2.5, "Laoo": 2.6, "Latn": 1.0, "Mlym": 2.5, "Mymr": 3.7, "Sinh": 2.4, "Syrc": 1.0,
    "Taml": 3.2, "Tavt": 1.8, "Telu": 2.6, "Tfng": 1.7, "Thaa": 2.9, "Thai": 2.3, "Tibt": 3.1,
    "Vaii": 1.7, "Yiii": 0.8,
}  # fmt: skip
"""How many bytes of UTF-8 say in a script what one byte says in Latin letters: the median over its
languages of how long the Universal Declaration of Human Rights is in them."""

# A text in Han characters with a fair share of kana is Japanese.
_KANA_SHARE = 0.05


@lru_cache(maxsize=1 << 12)
def script_of(character: str) -> str:
    """The script of a character; empty for what belongs to none."""
    place = int(_places()[ord(character)])
    return _SCRIPTS[place] if place < len(_SCRIPTS) else ""


def parts_of(script: str) -> tuple[str, ...]:
    """The scripts whose characters are of this one: kana and Han characters are both ``Jpan``."""
    return ("Hira", "Kana", "Hani") if script == "Jpan" else (script,)


def script_shares(text: str) -> dict[str, float]:
    """The scripts of a text with their share of its letters, the largest first.

    Kana and the Han characters beside them are ``Jpan``.
    """
    codes = np.frombuffer(text.encode("utf-32-le", errors="surrogatepass"), dtype=np.uint32)
    places = _places().take(codes, mode="clip")
    found = np.bincount(places)[: len(_SCRIPTS)].tolist()
    counts = {_SCRIPTS[place]: number for place, number in enumerate(found) if number}
    kana = counts.pop("Hira", 0) + counts.pop("Kana", 0)
    if kana and kana >= _KANA_SHARE * counts.get("Hani", 0):
        counts["Jpan"] = kana + counts.pop("Hani", 0)
    total = sum(counts.values())
    ranked = sorted(counts.items(), key=lambda item: -item[1])
    return {script: number / total for script, number in ranked}


@lru_cache(maxsize=1)
def _places() -> npt.NDArray[np.uint8]:
    """For each code point, the place of its script among the scripts; one more for none."""
    places = np.full(sys.maxunicode + 1, len(_SCRIPTS), dtype=np.uint8)
    for first, last, script in _RANGES:
        places[first : last + 1] = _SCRIPTS.index(script)
    return places
