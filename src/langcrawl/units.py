"""Numbers as people write them: 500, 50k, 10MB, 2h, and ``none`` for no limit."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import inf
from typing import Final

_NUMBER = re.compile(r"([0-9][0-9_,]*(?:\.[0-9]+)?)\s*([a-z]*)")
_COUNTS: Final = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9}
_BYTES: Final = {
    **_COUNTS, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "t": 10**12, "tb": 10**12,
    "kib": 2**10, "mib": 2**20, "gib": 2**30, "tib": 2**40,
}  # fmt: skip
_SECONDS: Final = {
    "": 1, "s": 1, "sec": 1, "m": 60, "min": 60, "h": 3600, "d": 86400, "w": 7 * 86400,
}  # fmt: skip


def read_count(text: object) -> int | None:
    """A number of pages, links or the like."""
    found = _read(text, _COUNTS, "a number such as 500, 50k or 2M, or none")
    return None if found is None else int(found)


def read_bytes(text: object) -> int | None:
    """A number of bytes."""
    found = _read(text, _BYTES, "a number of bytes such as 5000, 10MB or 2GiB, or none")
    return None if found is None else int(found)


def read_seconds(text: object) -> float | None:
    """A span of time in seconds."""
    return _read(text, _SECONDS, "a time such as 90, 30min, 2h or 3d, or none")


def read_share(text: object) -> float:
    """A part of a whole: 2%, or 0.02; none for nothing."""
    if text is None or str(text).strip().lower() == "none":
        return 0.0
    word = str(text).strip()
    try:
        share = float(word[:-1]) / 100 if word.endswith("%") else float(word)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise ValueError(f"'{text}' is not a share such as 2% or 0.02")
    return share


def _read(text: object, units: Mapping[str, int], wanted: str) -> float | None:
    if text is None or str(text).strip().lower() == "none":
        return None
    problem = ValueError(f"'{text}' is not {wanted}")
    if isinstance(text, int | float):
        if isinstance(text, bool) or not 0 <= text < inf:
            raise problem
        return text
    found = _NUMBER.fullmatch(str(text).strip().lower())
    if found is None or found[2] not in units:
        raise problem
    number = re.sub("[_,]", "", found[1])
    return (float(number) if "." in number else int(number)) * units[found[2]]
