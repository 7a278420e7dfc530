"""What a conversion gives back: the text, and what could not be turned into it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Conversion:
    """A converted text; nothing that is not in it has been lost without a count."""

    text: str
    unmapped: Mapping[str, int] = field(default_factory=dict)
    """Characters that the encoding's table does not know: they stand unchanged in the text."""
    merged: Mapping[str, int] = field(default_factory=dict)
    """Marks that were written twice on one letter, where they are seen once: kept once."""


def joined(parts: Iterable[Conversion]) -> Conversion:
    """One conversion made of several, in their order."""
    texts: list[str] = []
    unmapped: Counter[str] = Counter()
    merged: Counter[str] = Counter()
    for part in parts:
        texts.append(part.text)
        unmapped.update(part.unmapped)
        merged.update(part.merged)
    return Conversion("".join(texts), dict(unmapped), dict(merged))
