"""Saiyin: another private-use encoding of Mongolian, of which only the interval is known.

Paper 001, section 5, gives its codes as [E244, E293] and no letter of them, and no public
table was found. A page in it is recognised; its letters cannot be named, and a conversion
says so for every one of them.
"""

from __future__ import annotations

import re
from collections import Counter

from langcrawl.script.conversion import Conversion

FIRST, LAST = "\ue244", "\ue293"
_CODES = re.compile(f"[{FIRST}-{LAST}]")


def to_unicode(text: str) -> Conversion:
    """The text as it is, with every Saiyin code counted as not mapped."""
    return Conversion(text, dict(Counter(_CODES.findall(text))))
