"""The three tables of a crawl log, column by column; docs/crawl-log.md explains them."""

from __future__ import annotations

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
        ("reason", pa.string()),
        ("error", pa.string()),
        ("warc_file", pa.string()),
        ("warc_offset", pa.int64()),
    ]
)

LINKS = pa.schema(
    [
        ("src", pa.int64()),
        ("dst", pa.int64()),
        ("position", pa.int32()),
        ("anchor", pa.string()),
        ("context", pa.string()),
        ("anchor_score", pa.float32()),
        ("nofollow", pa.bool_()),
    ]
)

TABLES = {"urls": URLS, "links": LINKS, "pages": PAGES}
"""In the order in which a segment is written: it exists once its pages do."""
