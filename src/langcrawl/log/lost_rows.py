"""Pages in a log that was set aside, and of which the archive holds no answer.

Failures are not archived, nor are pictures, or other languages with ``--store relevant``. Only the
log knows of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from langcrawl.errors import LangcrawlError
from langcrawl.log.schema import TABLES
from langcrawl.log.segments import read_batches, segments
from langcrawl.records import NO_LINKS, Charsets, Facts, Link, Links, Page, Verdict, Visit
from langcrawl.url import host_of

UrlOf = Callable[[int], str]


class LoggedPage(NamedTuple):
    """A page as its log knows it."""

    visit: Visit
    page: Page
    verdict: Verdict


def unarchived_pages(directory: Path, known: UrlOf) -> Iterator[LoggedPage]:
    """The pages in ``directory/log`` that were not archived, in order.

    It may lack its first segments; `known` tells the URLs of ids that stand in those. A segment
    that cannot be read ends it: what it held is asked for again.
    """
    first, urls, url_of = -1, list[str](), known

    def find(number: int) -> str:
        return urls[number - first] if first <= number < first + len(urls) else url_of(number)

    for name in segments(directory):
        try:
            (ids,), (pages,), (links,) = (
                list(read_batches(directory, table, TABLES[table].names, [name]))
                for table in ("urls", "pages", "links")
            )
        except LangcrawlError:
            return
        if first < 0:
            first = ids["id"][0].as_py() if len(ids) else 0
        numbers = ids["id"].to_numpy()
        if not np.array_equal(numbers, np.arange(first + len(urls), first + len(urls) + len(ids))):
            return
        urls += ids["url"].to_pylist()
        rows = pages.filter(pc.is_null(pages["warc_file"])).to_pylist()
        by_page = _links(links, [row["id"] for row in rows], find)
        for row in rows:
            yield _page(row, by_page.get(row["id"], NO_LINKS), find)


def _links(table: pa.Table, pages: list[int], find: UrlOf) -> dict[int, Links]:
    found: dict[int, list[Link]] = {}
    for row in table.filter(pc.is_in(table["src"], pa.array(pages, pa.int64()))).to_pylist():
        found.setdefault(row["src"], []).append(
            Link(
                find(row["dst"]),
                row["anchor"] or "",
                bool(row["nofollow"]),
                row["anchor_score"],
                row["context"] or "",
                row["hreflang"] or "",
                row["rel"] or "",
                row["tag_path"] or "",
            )
        )
    return {page: Links.of(links) for page, links in found.items()}


def _page(row: dict[str, Any], links: Links, find: UrlOf) -> LoggedPage:
    url = find(row["id"])
    parent = row["parent"]
    facts = Facts(row["irrelevant_run"] or 0, row["depth"] or 0, 1, 0, 0.0, 0, 0, 0, 0)
    visit = Visit(
        url,
        host_of(url),
        facts,
        row["priority"] or 0.0,
        "" if parent is None else find(parent),
        row["found_by"] or "link",
        reason=row["reason"] or "",
    )
    page = Page(
        url,
        row["status"] or 0,
        redirect="" if row["redirect"] is None else find(row["redirect"]),
        content_type=row["content_type"] or "",
        bytes=row["bytes"] or 0,
        text_bytes=row["text_bytes"] or 0,
        fetched_at=row["fetched_at"] or 0.0,
        elapsed=row["elapsed"] or 0.0,
        ip=row["ip"] or "",
        charsets=Charsets(
            *(row[f"charset_{name}"] or "" for name in ("header", "meta", "detected"))
        ),
        digest=row["digest"] or "",
        links=links,
        error=row["error"] or "",
        notes=tuple((row["notes"] or "").split()),
        title=row["title"] or "",
        html_lang=row["html_lang"] or "",
        content_language=row["content_language"] or "",
        fonts=tuple(filter(None, (row["fonts"] or "").split(", "))),
    )
    verdict = Verdict(
        row["language"] or "und",
        row["script"] or "",
        row["encoding"] or "",
        row["score"] or 0.0,
        bool(row["relevant"]),
        tuple(filter(None, (row["evidence"] or "").split("\n"))),
    )
    return LoggedPage(visit, page, verdict)
