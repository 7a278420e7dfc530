"""Tables that users bring: CSV, or columns with white space between them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from csv import Error as CsvError
from csv import reader as csv_reader
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
from pyarrow import csv

from langcrawl.errors import BadInput

# Names that other people's edge lists have for our columns.
_SYNONYMS = {
    "start": "src", "from": "src", "source": "src",
    "end": "dst", "to": "dst", "target": "dst",
    "link": "id", "node": "id",
}  # fmt: skip
_BLOCK = 1 << 24
_MOST_COLUMNS, _LONGEST_NAMES = 1_000, 1 << 20
"""Columns, and letters of their names: each column takes memory before a row is read."""


class Rows(NamedTuple):
    """The rows of a file as strings, and how many lines were no rows."""

    table: pa.Table
    broken: int


def read_rows(path: Path, required: tuple[str, ...]) -> Rows:
    """A file of rows below a line with the names of the columns."""
    try:
        with path.open("rb") as file:
            first = file.readline(1 << 16).decode("utf-8-sig", errors="replace")
        spaced = "," not in first and len(first.split()) > 1
        rows = _spaced(path) if spaced else _commas(path)
    except FileNotFoundError:
        raise BadInput(f"there is no file '{path}'; check the path.") from None
    except (pa.ArrowInvalid, OSError, UnicodeDecodeError) as error:
        first = str(error).splitlines()[0]
        raise BadInput(
            f"'{path}' cannot be read as CSV ({first}); give a table in UTF-8 whose first line "
            f"begins with {','.join(required)}."
        ) from None
    _check(path, rows, required)
    return rows


def _check(path: Path, rows: Rows, required: tuple[str, ...]) -> None:
    names = rows.table.column_names
    missing = [name for name in required if name not in names]
    if missing == ["language"] and "id" in names:
        missing = []  # a table of numbered URLs
    if missing:
        raise BadInput(
            f"'{path}' has no column '{missing[0]}'; its first line should begin with "
            f"{','.join(required)}."
        )
    if len(set(names)) != len(names):
        raise BadInput(f"'{path}' names a column twice in its first line; rename or remove one.")
    if rows.broken and not rows.table.num_rows:
        raise BadInput(f"'{path}' cannot be read as CSV: no line has as many columns as the first.")


def _commas(path: Path) -> Rows:
    """A CSV file; lines with too many or too few columns are left out and counted."""
    _check_width(path)
    broken: list[int] = []

    def leave_out(row: csv.InvalidRow) -> str:
        broken.append(1)
        return "skip"

    parse = csv.ParseOptions(newlines_in_values=True, invalid_row_handler=leave_out)
    with _without_asides():
        with csv.open_csv(path, parse_options=parse) as reader:
            names = reader.schema.names
        broken.clear()
        table = csv.read_csv(
            path,
            read_options=csv.ReadOptions(block_size=_BLOCK),
            parse_options=parse,
            convert_options=csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False
            ),
        )
    return Rows(table.rename_columns(_ours(names)), len(broken))


@contextmanager
def _without_asides() -> Iterator[None]:
    """Of a broken line that is no UTF-8, pyarrow shows a traceback, and then raises its error."""
    before = sys.unraisablehook
    sys.unraisablehook = lambda _: None
    try:
        yield
    finally:
        sys.unraisablehook = before


def _check_width(path: Path) -> None:
    """Refuse a first line that names far too many columns."""
    with path.open(encoding="utf-8", errors="replace", newline="") as file:
        lines = file.read(_LONGEST_NAMES).splitlines(keepends=True)
    try:
        columns = len(next(csv_reader(islice(lines, _MOST_COLUMNS)), ()))
    except CsvError:  # a name longer than any
        columns = _MOST_COLUMNS + 1
    if columns > _MOST_COLUMNS:
        raise BadInput(
            f"'{path}' names more than {_MOST_COLUMNS:,} columns in its first line; is it CSV?"
        )


def _spaced(path: Path) -> Rows:
    """Columns with blanks or tabs between them, as edge lists often come."""
    with path.open(encoding="utf-8-sig") as file:
        names = file.readline().split()
        rows = [line.split() for line in file if line.strip()]
    good = [row for row in rows if len(row) == len(names)]
    columns = list(zip(*good, strict=True)) or [()] * len(names)
    arrays = [pa.array(column, pa.string()) for column in columns]
    return Rows(pa.table(arrays, names=_ours(names)), len(rows) - len(good))


def _ours(names: list[str]) -> list[str]:
    """The names of columns as we call them, unless ours are there too."""
    known = set(names)
    ours = [_SYNONYMS.get(name.strip().lower(), name) for name in names]
    return [name if our in known else our for name, our in zip(names, ours, strict=True)]
