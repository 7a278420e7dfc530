"""Names of charsets as pages write them, and the codecs that read them."""

from __future__ import annotations

import codecs
from functools import lru_cache

# Labels of the web that Python does not know.
_ALIASES = {
    "windows-874": "cp874",
    "x-windows-874": "cp874",
    "dos-874": "cp874",
    "tis620": "tis-620",
    "x-sjis": "shift_jis",
    "x-shift-jis": "shift_jis",
    "windows-31j": "cp932",
    "x-euc-jp": "euc_jp",
    "x-euc-kr": "euc_kr",
    "x-gbk": "gbk",
    "x-x-big5": "big5",
    "windows-949": "cp949",
    "x-windows-949": "cp949",
    "x-johab": "johab",
    "cn-gb": "gb2312",
    "gb_2312-80": "gb2312",
    "csgb2312": "gb2312",
    "cn-big5": "big5",
    "windows-950": "cp950",
    "x-windows-950": "cp950",
    "koi": "koi8-r",
    "koi8": "koi8-r",
    "koi8-ru": "koi8-u",
    "iso-8859-6-e": "iso8859-6",
    "iso-8859-6-i": "iso8859-6",
    "iso-8859-8-e": "iso8859-8",
    "iso-8859-8-i": "iso8859-8",
    "logical": "iso8859-8",
    "visual": "iso8859-8",
    "dos-862": "cp862",
    **{f"x-cp{page}": f"cp{page}" for page in range(1250, 1259)},
    "x-mac-arabic": "mac_arabic",
    "x-mac-ce": "mac_latin2",
    "x-mac-croatian": "mac_croatian",
    "x-mac-cyrillic": "mac_cyrillic",
    "x-mac-farsi": "mac_farsi",
    "x-mac-greek": "mac_greek",
    "x-mac-icelandic": "mac_iceland",
    "x-mac-roman": "mac_roman",
    "x-mac-romanian": "mac_romanian",
    "x-mac-turkish": "mac_turkish",
    "macintosh": "mac_roman",
    "unicode-1-1-utf-8": "utf-8",
    "utf8mb4": "utf-8",
}

# What pages mean by a label: the codec that also reads the vendor's additions.
_WIDER = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "tis-620": "cp874",
    "iso8859-11": "cp874",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "big5": "big5hkscs",
    "utf-16": "utf-16-le",
}

# Codecs of Python's that are no charsets of pages, and that a page could do mischief with.
_NO_CHARSETS = {"utf-7", "idna", "punycode", "undefined", "unicode-escape", "raw-unicode-escape"}


@lru_cache(maxsize=1024)
def codec_name(label: str) -> str:
    """The codec for a label as a page declares it; empty where there is none."""
    label = _bare(label)
    try:
        found = codecs.lookup(_ALIASES.get(label, label))
    except (LookupError, ValueError):
        return ""
    name = found.name.replace("_", "-")
    return found.name if found._is_text_encoding and name not in _NO_CHARSETS else ""


def charset_name(label: str) -> str:
    """One name for a charset as a page declares it: its codec, or the label where there is none."""
    return codec_name(label) or _bare(label)


def _bare(label: str) -> str:
    return label.strip().strip("\"'").lower()


def reading_codec(codec: str) -> str:
    """The codec to read a page with that names this one."""
    return _WIDER.get(codec, codec)
