"""Generated text as the old fonts wrote it: the reverse of `langcrawl.script`, for a few words.

Text comes out that `langcrawl.script` reads back letter for letter, but for Saiyin: no public
table of it is known, so its text is a stand-in that has the codes of its interval and no more.
"""

from __future__ import annotations

import re
from functools import lru_cache

from langcrawl.script import menksoft, win_innwa, zawgyi_glyphs

_MONGOLIAN_WORD = re.compile("[\u1820-\u1842]+(?:\u180e[\u1820\u1821])?")
_SYLLABLE = re.compile("([\u1000-\u102a\u103f])((?:\u1039[\u1000-\u1021])*)([\u102b-\u103e]*)")
_MEDIAL_RA, _VOWEL_E, _SEPARATOR = "\u103c", "\u1031", "\u180e"


@lru_cache(maxsize=1 << 14)
def write_in(text: str, encoding: str) -> str:
    """Text in Unicode as it stands on a page of this encoding."""
    if encoding == "zawgyi":
        return zawgyi_glyphs.from_unicode(text).text
    if encoding == "win-innwa":
        return _win_innwa(text)
    if encoding == "menksoft":
        return _MONGOLIAN_WORD.sub(lambda found: _menksoft_word(found.group()), text)
    if encoding == "saiyin":
        return "".join(
            chr(0xE244 + ord(each) - 0x1820) if "\u1820" <= each <= "\u1842" else each
            for each in text.replace(_SEPARATOR, "")
        )
    return text


@lru_cache(maxsize=1)
def _shapes() -> dict[str, list[str]]:
    """The codes of each Mongolian letter within the interval, in their order."""
    found: dict[str, list[str]] = {}
    for code, letter in sorted(menksoft.table().items()):
        if menksoft.FIRST <= code <= menksoft.LAST:
            found.setdefault(letter, []).append(code)
    return found


def _menksoft_word(word: str) -> str:
    """Shapes that begin, go on and end a word; a vowel apart at the end has one of its own."""
    body, apart, vowel = word.partition(_SEPARATOR)
    first, last = menksoft.edges()
    codes = []
    for at, letter in enumerate(body):
        shapes = _shapes()[letter]
        edge = first if at == 0 else last if at == len(body) - 1 else None
        fitting = [code for code in shapes if (code in edge if edge else code not in first | last)]
        codes.append((fitting or shapes)[0])
    if apart:
        codes.append({"\u1820": "\ue26a", "\u1821": "\ue274"}[vowel])
    return "".join(codes)


@lru_cache(maxsize=1)
def _keys() -> tuple[re.Pattern[str], dict[str, str]]:
    """The keys of Win Innwa by what they show, the longest first."""
    shown = {"\u1008": "ps"}  # typed as two letters
    for key, text in win_innwa.SHOWN.items():
        shown.setdefault(text, key)
    longest = sorted(map(re.escape, shown), key=len, reverse=True)
    return re.compile("|".join(longest)), shown


def _win_innwa(text: str) -> str:
    """The keys to strike: what stands to the left of its consonant comes before it."""
    pattern, keys = _keys()
    seen = _SYLLABLE.sub(_as_seen, text)
    return pattern.sub(lambda found: keys[found.group()], seen)


def _as_seen(found: re.Match[str]) -> str:
    letter, below, signs = found.groups()
    before = (_VOWEL_E if _VOWEL_E in signs else "") + (_MEDIAL_RA if _MEDIAL_RA in signs else "")
    rest = signs.replace(_VOWEL_E, "").replace(_MEDIAL_RA, "")
    return f"{before}{letter}{below}{rest}"
