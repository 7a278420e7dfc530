"""Which languages are written in which charset: what a declared or detected one tells.

A charset that one language owns gives that language away; of one that several share, the most
that can be said is which. UTF-8 and the like say nothing. Language packs add charsets of their
own (`langcrawl.languages.packs`), Thai and Japanese those of paper 002, Table 1.
"""

from __future__ import annotations

from langcrawl.languages.charsets import charset_name

_OWNED = {
    "ko": "euc-kr cp949 johab iso-2022-kr x-mac-korean",
    "zh": "gb2312 gbk gb18030 hz-gb-2312 big5 big5-hkscs cp950 euc-tw iso-2022-cn "
    "iso-2022-cn-ext x-mac-chinesesimp x-mac-chinesetrad",
    "ja": "x-mac-japanese",
    "th": "x-mac-thai",
    "ru": "koi8-r",
    "uk": "koi8-u cp1125",
    "tg": "koi8-t",
    "kk": "kz1048",
    "he": "windows-1255 iso-8859-8 cp862 x-mac-hebrew",
    "el": "windows-1253 iso-8859-7 cp737 cp869 x-mac-greek",
    "tr": "windows-1254 iso-8859-9 cp857 x-mac-turkish",
    "ar": "iso-8859-6 cp720 cp864 x-mac-arabic",
    "fa": "x-mac-farsi",
    "vi": "windows-1258 viscii tcvn tcvn3 tcvn-5712 vps x-viet-vps x-viet-tcvn5712",
    "hy": "armscii-8",
    "ka": "georgian-ps georgian-academy",
    "ta": "tscii",
    "lo": "mulelao-1 cp1133",
    "is": "cp861 x-mac-icelandic",
    "ro": "x-mac-romanian",
    "pt": "cp860",
    "fr": "cp863",
}
_LATIN_1 = "en de fr es it pt nl sv da nb fi is id ms"
_LATIN_2 = "pl cs sk hu sl hr bs ro sq sr"
_CYRILLIC = "ru bg sr mk be uk"
_BALTIC = "lt lv et"
_SHARED = {
    "windows-1252 iso-8859-1 iso-8859-15 cp437 cp850 cp858 x-mac-roman": _LATIN_1,
    "windows-1250 iso-8859-2 cp852 x-mac-ce": _LATIN_2,
    "iso-8859-16": "ro pl hu sl hr sq",
    "windows-1251": f"{_CYRILLIC} kk ky mn tg uz",
    "iso-8859-5 cp855 x-mac-cyrillic": _CYRILLIC,
    "cp866": "ru be bg",
    "ptcp154": "kk ky tg uz az",
    "windows-1256": "ar fa ur",
    "windows-1257 iso-8859-13 iso-8859-4 cp775": _BALTIC,
    "iso-8859-3": "mt eo tr",
    "iso-8859-10": "is fo se kl et lv lt",
    "iso-8859-14": "cy ga gd br",
    "cp865": "da nb",
    "x-mac-croatian": "hr sl bs",
}
_BYTES_TELL = (
    "euc-kr cp949 johab iso-2022-kr gb2312 gbk gb18030 hz-gb-2312 big5 big5-hkscs windows-1253 "
    "iso-8859-7 windows-1254 iso-8859-9 windows-1255 iso-8859-8 iso-8859-6 windows-1258"
)
"""Charsets of `_OWNED` that the detector of bytes is right about: of 40 pages of sentences in each
and hundreds in all others, nine in ten or more. KOI8-R is not among them: the detector calls
KOI8-U so, too. Those of DOS and of old Macs it takes Latin text for."""


def _names(labels: str) -> list[str]:
    return [charset_name(label) or label for label in labels.split()]


USERS: dict[str, tuple[str, ...]] = {
    name: tuple(languages.split())
    for labels, languages in [*((v, k) for k, v in _OWNED.items()), *_SHARED.items()]
    for name in _names(labels)
}
"""The languages of each charset, by the name that `charset_name` gives it."""
DETECTED: dict[str, tuple[str, ...]] = {
    name: users
    for name, users in USERS.items()
    if len(users) > 1 or name in frozenset(_names(_BYTES_TELL))
} | {"koi8-r": ("ru", "uk")}
"""The same for a charset that the bytes look like."""
