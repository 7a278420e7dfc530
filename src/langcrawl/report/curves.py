"""The curves of a simulation as a table of numbers: CSV, for any other program to draw."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import astuple, fields
from pathlib import Path

import pyarrow as pa

from langcrawl.measure.curve import Point
from langcrawl.measure.results import Result

HEADS = ("strategy", *(field.name for field in fields(Point)))


def curve_rows(results: Sequence[Result]) -> Iterator[tuple[str | float, ...]]:
    """A row for each point: the strategy, pages, harvest, coverage and queue."""
    for result in results:
        for point in result.summary.curve:
            yield (result.name, *astuple(point))


def curve_table(results: Sequence[Result]) -> pa.Table:
    """The same rows as an Arrow table."""
    types = (pa.string(), pa.int64(), pa.float64(), pa.float64(), pa.int64())
    rows = list(curve_rows(results))
    columns = [pa.array([row[at] for row in rows], kind) for at, kind in enumerate(types)]
    return pa.table(columns, list(HEADS))


def summary_table(results: Sequence[Result]) -> pa.Table:
    """A row for each strategy: how it did, and how many pages it took to each coverage."""
    rows = [
        {
            "strategy": result.name,
            "pages": result.pages,
            "relevant": result.relevant,
            "harvest": result.harvest,
            "coverage": result.coverage,
            "auc": result.summary.auc,
            "max_queue": result.max_queue,
            "discarded": sum(result.discards.values()),
            **{
                f"pages_to_{float(level) * 100:.0f}": pages
                for level, pages in result.summary.pages_to.items()
            },
            "partial": result.partial,
            "error": result.error,
        }
        for result in results
    ]
    return pa.Table.from_pylist(rows)


def write_curves(results: Sequence[Result], path: Path) -> None:
    """Write every point of every curve into a CSV file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="", errors="backslashreplace") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(HEADS)
        writer.writerows(curve_rows(results))
