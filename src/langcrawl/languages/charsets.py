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
    "x-mac-cyrillic": "mac_cyrillic",
    "x-mac-roman": "mac_roman",
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
_NO_CHARSETS = {"utf-7", "idna", "punycode", "undefined", "unicode_escape", "raw_unicode_escape"}


@lru_cache(maxsize=1024)
def codec_name(label: str) -> str:
    """The codec for a label as a page declares it; empty where there is none."""
    label = label.strip().strip("\"'").lower()
    try:
        found = codecs.lookup(_ALIASES.get(label, label))
    except (LookupError, ValueError):
        return ""
    name = found.name.replace("-escape", "_escape")
    return found.name if found._is_text_encoding and name not in _NO_CHARSETS else ""


def reading_codec(codec: str) -> str:
    """The codec to read a page with that names this one."""
    return _WIDER.get(codec, codec)
