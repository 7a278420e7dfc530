"""What the examples share: numbers of several runs as text, and marks in a document."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import mean


def spread(values: Sequence[float], digits: int) -> str:
    """A mean, and the range where there are several values."""
    middle = f"{mean(values):,.{digits}f}"
    if len(values) == 1 or max(values) - min(values) < 10**-digits / 2:
        return middle
    return f"{middle} ({min(values):,.{digits}f} to {max(values):,.{digits}f})"


def put(text: str, path: Path, mark: str) -> None:
    """Replace what stands between two marks in a file."""
    begin, end = f"<!-- begin {mark} -->", f"<!-- end {mark} -->"
    before, _, rest = path.read_text(encoding="utf-8").partition(begin)
    after = rest.partition(end)[2]
    path.write_text(f"{before}{begin}\n{text}\n{end}{after}", encoding="utf-8")
