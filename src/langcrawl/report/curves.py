"""The curves of a simulation as a table of numbers: CSV, for any other program to draw."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import astuple, fields
from pathlib import Path

from langcrawl.measure.curve import Point
from langcrawl.measure.results import Result

HEADS = ("strategy", *(field.name for field in fields(Point)))


def curve_rows(results: Sequence[Result]) -> Iterator[tuple[str | float, ...]]:
    """A row for each point: the strategy, pages, harvest, coverage and queue."""
    for result in results:
        for point in result.summary.curve:
            yield (result.name, *astuple(point))


def write_curves(results: Sequence[Result], path: Path) -> None:
    """Write every point of every curve into a CSV file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="", errors="backslashreplace") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(HEADS)
        writer.writerows(curve_rows(results))
