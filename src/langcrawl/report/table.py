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
_TIME_COLUMNS = (
    ("seconds", lambda r: f"{r['time']['seconds']:,.0f}"),
    ("seconds to 90 %", lambda r: _or_dash(r["time"]["seconds_to"]["0.9"])),
    ("idle", lambda r: f"{r['time']['idle']:.0%}"),
    ("slowed by delay", lambda r: _times(r["time"].get("slowed_by_delay"))),
)


def rows(results: Sequence[dict[str, Any]]) -> tuple[list[str], list[list[str]]]:
    """The table of a simulation: its heads, and a row a strategy."""
    columns = _COLUMNS + (_TIME_COLUMNS if any("time" in result for result in results) else ())
    heads = [head for head, _ in columns]
    return heads, [[cell(result) for _, cell in columns] for result in results]


def _times(factor: float | None) -> str:
    return "-" if factor is None else f"{factor:.1f} x"


def _or_dash(number: float | None) -> str:
    return "-" if number is None else f"{number:,.0f}"
