"""Text in normalised Unicode: legacy encodings converted, composed (NFC), nothing unseen left."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from langcrawl.script import convert
from langcrawl.script.detect import MYANMAR

_PRIVATE = re.compile("[\ue000-\uf8ff]{3}")
_UNWANTED = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\ufeff\ufffe\uffff\ud800-\udfff]")
"""Controls, soft hyphens, byte order marks, halves of characters. Joiners (U+200C, U+200D) and
zero-width spaces stay: they spell words, or part them."""
UNICODE = ("", "unicode")
"""What a judge calls a text that needs no conversion."""


def tidy(text: str, encoding: str = "", fonts: Sequence[str] = ()) -> list[str]:
    """The paragraphs of a text, none of them empty."""
    if encoding not in UNICODE or MYANMAR.search(text) or _PRIVATE.search(text):
        _, conversion = convert(text, fonts=fonts)
        text = conversion.text
    text = unicodedata.normalize("NFC", _UNWANTED.sub("", text))
    return [line for line in (" ".join(line.split()) for line in text.splitlines()) if line]
