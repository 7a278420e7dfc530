"""Tables of text, for a terminal and for a page alike; the table of a simulation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from langcrawl.measure.results import Result, TimeReport


@dataclass(frozen=True, slots=True)
class Table:
    """Heads and rows of text; the first column is names, the others are numbers."""

    heads: Sequence[str]
    rows: Sequence[Sequence[str]]
    title: str = ""
    name: str = ""
    """What the chart that belongs to it is called, too."""


_COLUMNS: dict[str, Callable[[Result], str]] = {
    "strategy": lambda result: result.name,
    "pages": lambda result: f"{result.summary.pages:,}",
    "relevant": lambda result: f"{result.summary.relevant:,}",
    "harvest": lambda result: f"{result.summary.harvest:.1%}",
    "coverage": lambda result: f"{result.summary.coverage:.1%}",
    "pages to 90 %": lambda result: _or_dash(result.summary.pages_to["0.9"]),
    "largest queue": lambda result: f"{result.max_queue:,}",
    "discarded": lambda result: f"{sum(result.discards.values()):,}",
}
_TIME_COLUMNS: dict[str, Callable[[TimeReport], str]] = {
    "seconds": lambda time: f"{time.seconds:,.0f}",
    "seconds to 90 %": lambda time: _or_dash(time.seconds_to["0.9"]),
    "idle": lambda time: f"{time.idle:.0%}",
    "slowed by delay": lambda time: _times(time.slowed_by_delay),
}


def results_table(results: Sequence[Result]) -> Table:
    """The table of a simulation: a row for each strategy, with its times where time passed.

    A strategy that failed has no figures.
    """
    timed = any(result.time for result in results)
    rows = [
        [result.name, *("-" for _ in range(len(_COLUMNS) - 1))]
        if result.error
        else [cell(result) for cell in _COLUMNS.values()]
        for result in results
    ]
    if timed:
        rows = [row + _times_of(result) for row, result in zip(rows, results, strict=True)]
    return Table([*_COLUMNS, *(_TIME_COLUMNS if timed else ())], rows)


def _times_of(result: Result) -> list[str]:
    return [cell(result.time) if result.time else "-" for cell in _TIME_COLUMNS.values()]


def percent(share: float | None) -> str:
    """A share as a cell of a table."""
    return "-" if share is None else f"{share:.1%}"


def _times(factor: float | None) -> str:
    return "-" if factor is None else f"{factor:.1f} x"


def _or_dash(number: float | None) -> str:
    return "-" if number is None else f"{number:,.0f}"
