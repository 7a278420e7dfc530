"""Letters with the marks that belong to them, as a pattern."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

_MARKED = (range(0x300, 0xAC00), range(0x10A00, 0x12000), range(0x1E900, 0x1E960))
"""Where Unicode has the marks that belong to letters, such as the vowels of Thai."""


@lru_cache(maxsize=1)
def letters() -> str:
    """A pattern for a run of letters and their marks, which Python's own ``\\w`` leaves out.

    The marks beyond U+FFFF are a slow class: only characters from there are compared with it.
    """
    codes = (chr(code) for part in _MARKED for code in part)
    marks = [c for c in codes if unicodedata.category(c) in ("Mn", "Mc")]
    near = "".join(c for c in marks if c <= "\uffff")
    far = "".join(c for c in marks if c > "\uffff")
    return rf"(?:[^\W\d_]+|[{near}]+|(?=[^\x00-\uffff])[{far}]+)+"
