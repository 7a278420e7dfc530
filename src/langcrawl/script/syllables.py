"""Syllables of Myanmar text, and whose language its letters are.

The rules of paper 003, Figure 5, whose letters our copy has lost: docs/scripts.md lists how
each is read. The paper turns all text into Zawgyi and counts there. Here each text is counted
as it is written: in Unicode, where the signs that Zawgyi writes before a consonant follow it, so
that rules 2 and 3 fall into rule 1; and in Zawgyi by its own codes, which is as good as converting
and faster. `count_zawgyi_syllables` says where the two differ.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from langcrawl.script import zawgyi

# Letters that begin a syllable: consonants, independent vowels and the four signs that are
# words of their own, in Burmese and in the other languages of the block.
_LETTERS = (
    "\u1000-\u102a\u103f\u104c-\u104f\u1050-\u1055\u105a-\u105d\u1061\u1065\u1066\u106e-\u1070"
    "\u1075-\u1081\u108e\ua9e0-\ua9e4\ua9e7-\ua9ef\ua9fa-\ua9fe\uaa60-\uaa6f\uaa71-\uaa76\uaa7a"
    "\uaa7e\uaa7f"
)
_DOT, _ASAT, _VIRAMA, _LETTER, _STACKABLE, _NGA = range(1, 7)
"""What a character is to a syllable; the last three are letters."""
_DEEPEST = 3
"""Letters that may be stacked below one; Burmese stacks one, Pali two."""
_ROOM = 2 * _DEEPEST + 3
"""Places on either side of a text that the rules look at."""
_MYANMAR = re.compile("[\u1000-\u109f\ua9e0-\ua9ff\uaa60-\uaa7f]")
_UNSEEN = re.compile("[\\s\u200b-\u200d\ufeff]")

# Languages that have letters of their own in the block, by the word in the letters' names.
_OWNERS = {
    "SHAN": "shn", "MON": "mnw", "SGAW KAREN": "ksw", "WESTERN PWO KAREN": "pwo",
    "EASTERN PWO KAREN": "kjp", "GEBA KAREN": "kvq", "KAYAH": "kyu", "RUMAI PALAUNG": "rbb",
    "KHAMTI": "kht", "AITON": "aio", "TAI LAING": "tjl", "PAO KAREN": "blk",
}  # fmt: skip
_OTHER, _NOT_SEEN, _BURMESE = range(3)
OWN_SHARE = 0.02
"""Of a page's Myanmar characters so many are a language's own where it is not Burmese."""


def count_syllables(text: str) -> int:
    """The Myanmar syllables of a Unicode text."""
    return len(_starts(text))


def count_zawgyi_syllables(text: str) -> int:
    """The Myanmar syllables of a text in Zawgyi, nearly: signs between letter and asat hide it.

    Zawgyi has codes of their own for stacked letters and kinzi, so only asat has to be heeded.
    """
    codes = np.frombuffer(f"{text}  ".encode("utf-16-le", errors="surrogatepass"), np.uint16)
    kinds = _zawgyi_kinds().take(codes)
    asat = kinds == _ASAT
    asat[:-1] |= (kinds[:-1] == _DOT) & asat[1:]
    return int(np.count_nonzero((kinds[:-1] == _LETTER) & ~asat[1:]))


@lru_cache(maxsize=1)
def _zawgyi_kinds() -> npt.NDArray[np.uint8]:
    """Of each code of 16 bits, what it is in Zawgyi."""
    kinds = np.zeros(1 << 16, dtype=np.uint8)
    for code in sorted(zawgyi.KNOWN):
        shown = zawgyi.shown(chr(code))
        if re.match(f"[{_LETTERS}]", shown):
            kinds[code] = _LETTER
        elif shown[0] == "\u103a":
            kinds[code] = _ASAT
        elif shown == "\u1037":
            kinds[code] = _DOT
    return kinds


def split_syllables(text: str) -> list[str]:
    """A run of Myanmar text cut before each syllable."""
    starts = _starts(text).tolist()
    ends = [*starts, len(text)][1:]
    return [text[start:end] for start, end in zip(starts, ends, strict=True)]


def _starts(text: str) -> npt.NDArray[np.intp]:
    """Where syllables begin: at a letter that is not stacked, under a kinzi or killed by asat.

    A kinzi begins the syllable of the letter that it stands over. What follows the letters
    stacked below a letter is what may kill it.
    """
    codes = np.frombuffer(text.encode("utf-32-le", errors="surrogatepass"), np.uint32)
    kinds = np.zeros(len(codes) + 2 * _ROOM, np.uint8)
    kinds[_ROOM:-_ROOM] = _unicode_kinds().take(codes, mode="clip")
    letters, virama, asat = kinds >= _LETTER, kinds == _VIRAMA, kinds == _ASAT
    stacks = virama[:-1] & (kinds >= _STACKABLE)[1:]
    kills = asat[:-1] & ~virama[1:]
    kills[:-1] |= (kinds == _DOT)[:-2] & kills[1:]

    def near(flags: npt.NDArray[np.bool_], by: int) -> npt.NDArray[np.bool_]:
        """Of each character, what holds for the one so many further on."""
        return flags[_ROOM + by : _ROOM + by + len(codes)]

    killed = near(kills, 2 * _DEEPEST + 1)
    for by in range(2 * _DEEPEST - 1, 0, -2):
        killed = np.where(near(stacks, by), killed, near(kills, by))
    below = near(stacks, -1) & near(letters, -2)
    kinzi = near(virama, -1) & near(asat, -2) & near(kinds == _NGA, -3)
    return np.flatnonzero(near(letters, 0) & ~(killed | below | kinzi))


@lru_cache(maxsize=1)
def _unicode_kinds() -> npt.NDArray[np.uint8]:
    """What each code is to a syllable; the last stands for all that follow it."""
    kinds = np.zeros(0xAA81, dtype=np.uint8)
    for code in range(len(kinds)):
        if re.match(f"[{_LETTERS}]", chr(code)):
            kinds[code] = _LETTER
    kinds[0x1000:0x1022] = _STACKABLE
    kinds[0x1004], kinds[0x103A], kinds[0x1039], kinds[0x1037] = _NGA, _ASAT, _VIRAMA, _DOT
    return kinds


def count_others(text: str) -> int:
    """The characters that are neither Myanmar nor white space."""
    return int(_kinds_of(text)[_OTHER])


def count_other_letters(text: str) -> int:
    """The letters that are not Myanmar: what is left of the others without digits and marks."""
    codes = np.frombuffer(text.encode("utf-32-le", errors="surrogatepass"), np.uint32)
    far = (chr(code) for code in codes[codes >= 1 << 16].tolist())
    return int(np.count_nonzero(_letters().take(codes, mode="clip"))) + sum(map(str.isalpha, far))


@lru_cache(maxsize=1)
def _letters() -> npt.NDArray[np.bool_]:
    """Of each code of 16 bits, whether it is a letter of another script; the last is none."""
    return np.array(
        [chr(code).isalpha() and not _MYANMAR.match(chr(code)) for code in range(1 << 16)] + [False]
    )


def myanmar_language(text: str) -> tuple[str, float]:
    """The language of Unicode text in Myanmar script, and the share of letters of its own.

    Burmese has none: it is what a text is in that has no other language's letters.
    """
    _, _, burmese, *own = _kinds_of(text).tolist()
    total = burmese + sum(own)
    if not any(own) or sum(own) < OWN_SHARE * total:
        return "my", 0.0
    most = max(own)
    return tuple(_OWNERS.values())[own.index(most)], most / total


def _kinds_of(text: str) -> npt.NDArray[np.intp]:
    """How many characters a text has of each kind."""
    codes = np.frombuffer(text.encode("utf-32-le", errors="surrogatepass"), np.uint32)
    kinds = _kinds().take(codes, mode="clip")
    return np.bincount(kinds, minlength=_BURMESE + 1 + len(_OWNERS))


@lru_cache(maxsize=1)
def _kinds() -> npt.NDArray[np.uint8]:
    """The kind of each code of 16 bits: other, unseen, Burmese, or a language's own letter."""
    kinds = np.full((1 << 16) + 1, _OTHER, dtype=np.uint8)
    languages = list(_OWNERS.values())
    for code in range(1 << 16):
        if _UNSEEN.match(chr(code)):
            kinds[code] = _NOT_SEEN
        elif _MYANMAR.match(chr(code)):
            owner = _owner(chr(code))
            kinds[code] = _BURMESE + (1 + languages.index(owner) if owner else 0)
    return kinds


def _owner(character: str) -> str:
    """The language that a character belongs to alone, by its name in Unicode."""
    found = re.search(
        r"\b(SGAW KAREN|WESTERN PWO KAREN|EASTERN PWO KAREN|GEBA KAREN|PAO KAREN|RUMAI PALAUNG"
        r"|TAI LAING|SHAN|MON|KAYAH|KHAMTI|AITON)\b",
        unicodedata.name(character, ""),
    )
    return _OWNERS[found.group()] if found else ""
