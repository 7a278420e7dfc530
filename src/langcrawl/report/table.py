"""The table of a simulation, for a terminal and for a page alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

_COLUMNS = (
    ("strategy", lambda r: r["name"]),
    ("pages", lambda r: f"{r['pages']:,}"),
    ("relevant", lambda r: f"{r['relevant']:,}"),
    ("harvest", lambda r: f"{r['harvest']:.1%}"),
    ("coverage", lambda r: f"{r['coverage']:.1%}"),
    ("pages to 90 %", lambda r: _or_dash(r["pages_to"]["0.9"])),
    ("largest queue", lambda r: f"{r['max_queue']:,}"),
    ("discarded", lambda r: f"{sum(r['discards'].values()):,}"),
)


def rows(results: Sequence[dict[str, Any]]) -> tuple[list[str], list[list[str]]]:
    """The table of a simulation: its heads, and a row a strategy."""
    heads = [head for head, _ in _COLUMNS]
    return heads, [[cell(result) for _, cell in _COLUMNS] for result in results]


def _or_dash(number: int | None) -> str:
    return "-" if number is None else f"{number:,}"
