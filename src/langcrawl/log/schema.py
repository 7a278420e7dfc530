"""The three tables of a crawl log, column by column; docs/crawl-log.md explains them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

URLS = pa.schema([("id", pa.int64()), ("url", pa.string()), ("host", pa.string())])

PAGES = pa.schema(
    [
        ("id", pa.int64()),
        ("status", pa.int16()),
        ("redirect", pa.int64()),
        ("content_type", pa.string()),
        ("bytes", pa.int64()),
        ("text_bytes", pa.int64()),
        ("fetched_at", pa.float64()),
        ("elapsed", pa.float32()),
        ("ip", pa.string()),
        ("charset_header", pa.string()),
        ("charset_meta", pa.string()),
        ("charset_detected", pa.string()),
        ("language", pa.string()),
        ("script", pa.string()),
        ("encoding", pa.string()),
        ("score", pa.float64()),
        ("relevant", pa.bool_()),
        ("digest", pa.string()),
        ("depth", pa.int32()),
        ("irrelevant_run", pa.int32()),
        ("parent", pa.int64()),
        ("priority", pa.float64()),
        ("found_by", pa.string()),
        ("reason", pa.string()),
        ("error", pa.string()),
        ("warc_file", pa.string()),
        ("warc_offset", pa.int64()),
        ("warc_length", pa.int64()),
        ("notes", pa.string()),
        ("title", pa.string()),
        ("html_lang", pa.string()),
        ("content_language", pa.string()),
        ("main_text_bytes", pa.int64()),
        ("evidence", pa.string()),
        ("fonts", pa.string()),
    ]
)

LINKS = pa.schema(
    [
        ("src", pa.int64()),
        ("dst", pa.int64()),
        ("position", pa.int32()),
        ("anchor", pa.string()),
        ("context", pa.string()),
        ("hreflang", pa.string()),
        ("rel", pa.string()),
        ("tag_path", pa.string()),
        ("anchor_score", pa.float32()),
        ("nofollow", pa.bool_()),
    ]
)

TABLES = {"urls": URLS, "links": LINKS, "pages": PAGES}
"""In the order in which a segment is written: it exists once its pages do."""


def log_table(name: str, rows: int, columns: Mapping[str, Any]) -> pa.Table:
    """A table of the log with so many rows; columns that are not given are null.

    A column of few different words may be given as a dictionary, and is written as one.
    """
    return pa.Table.from_arrays(
        [_column(columns.get(field.name), field, rows) for field in TABLES[name]],
        names=TABLES[name].names,
    )


ADDED = {
    "urls": frozenset[str](),
    "pages": frozenset(
        ("found_by", "title", "html_lang", "content_language", "main_text_bytes", "evidence",
         "fonts")
    ),
    "links": frozenset(("hreflang", "rel", "tag_path")),
}  # fmt: skip
"""Columns that version 0.1 did not have; what is `found_by` now was its `reason`."""


def as_now(name: str, table: pa.Table) -> pa.Table:
    """A table with the columns of the present version; those that it lacks are null."""
    if not ADDED[name] - set(table.column_names):
        return table
    given = {column: table[column] for column in table.column_names}
    if name == "pages" and "found_by" not in given:
        given["found_by"] = given.pop("reason", None)
    return log_table(name, len(table), given)


def _column(values: Any, field: pa.Field, rows: int) -> Any:
    if values is None:
        return pa.nulls(rows, field.type)
    if isinstance(values, pa.DictionaryArray):
        return values
    if isinstance(values, pa.Array | pa.ChunkedArray):
        return values if values.type == field.type else values.cast(field.type)
    return pa.array(values, field.type)
