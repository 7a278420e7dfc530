"""Pages that only a log knows of: read back as they were written, up to what cannot be read."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from langcrawl.log.lost_rows import unarchived_pages
from langcrawl.log.schema import TABLES, log_table
from langcrawl.log.segments import write_segment
from langcrawl.records import Charsets, Link

PAGE = {
    "id": 1, "status": 404, "redirect": None, "content_type": "text/html", "bytes": 12,
    "text_bytes": 3, "fetched_at": 5.5, "elapsed": 0.25, "ip": "127.0.0.1",
    "charset_header": "utf-8", "charset_meta": "tis-620", "charset_detected": "",
    "language": "th", "script": "Thai", "encoding": "", "score": 0.5, "relevant": True,
    "digest": "sha1:A", "depth": 2, "irrelevant_run": 1, "parent": 0, "priority": 3.0,
    "found_by": "sitemap", "reason": "because", "error": "length", "notes": "truncated cut",
    "title": "A title", "html_lang": "th", "content_language": "en", "evidence": "one\ntwo",
    "fonts": "A, B",
}  # fmt: skip
LINK = {
    "src": 1, "dst": 2, "position": 0, "anchor": "go", "context": "around it", "hreflang": "my",
    "rel": "alternate", "tag_path": "nav a", "anchor_score": 0.25, "nofollow": True,
}  # fmt: skip


def write(directory: Path, number: int, first: int, **page: object) -> None:
    """A segment with three URLs and a page."""
    urls = [{"id": first + k, "url": f"http://h/{first + k}", "host": "h"} for k in range(3)]
    rows = {"urls": urls, "pages": [PAGE | page], "links": [LINK | {"src": page.get("id", 1)}]}
    tables = {name: pa.Table.from_pylist(rows[name], schema=TABLES[name]) for name in TABLES}
    write_segment(directory, number, tables)


def unknown(number: int) -> str:
    return f"http://elsewhere/{number}"


def test_a_page_comes_back_as_it_was_written(tmp_path: Path) -> None:
    write(tmp_path, 0, 0)
    (found,) = unarchived_pages(tmp_path, unknown)
    visit, page, verdict = found
    assert (visit.url, visit.parent, visit.found_by) == ("http://h/1", "http://h/0", "sitemap")
    assert (visit.facts.depth, visit.facts.run, visit.priority) == (2, 1, 3.0)
    assert visit.reason == "because"
    assert (page.status, page.error, page.notes) == (404, "length", ("truncated", "cut"))
    assert page.charsets == Charsets("utf-8", "tis-620", "")
    assert (page.title, page.fonts, page.digest) == ("A title", ("A", "B"), "sha1:A")
    assert list(page.links) == [
        Link("http://h/2", "go", True, 0.25, "around it", "my", "alternate", "nav a")
    ]
    assert (verdict.language, verdict.score, verdict.evidence) == ("th", 0.5, ("one", "two"))


def test_what_is_archived_is_not_told_again(tmp_path: Path) -> None:
    write(tmp_path, 0, 0, warc_file="w.warc.gz", warc_offset=0, warc_length=9)
    assert list(unarchived_pages(tmp_path, unknown)) == []


def test_ids_of_segments_that_are_gone_are_asked_for(tmp_path: Path) -> None:
    write(tmp_path, 4, 3, id=4, redirect=5)
    (found,) = unarchived_pages(tmp_path, unknown)
    assert found.visit.url == "http://h/4"
    assert found.visit.parent == "http://elsewhere/0"
    assert found.page.redirect == "http://h/5"
    assert [link.url for link in found.page.links] == ["http://elsewhere/2"]


@pytest.mark.parametrize("harm", ["cut", "gap"])
def test_what_cannot_be_read_ends_it(tmp_path: Path, harm: str) -> None:
    write(tmp_path, 0, 0)
    write(tmp_path, 1, 4 if harm == "gap" else 3, id=4)
    if harm == "cut":
        path = tmp_path / "log/links/000001.parquet"
        path.write_bytes(path.read_bytes()[:40])
    assert [found.visit.url for found in unarchived_pages(tmp_path, unknown)] == ["http://h/1"]


def test_a_row_that_says_little_is_still_a_page(tmp_path: Path) -> None:
    urls = log_table("urls", 1, {"id": [0], "url": ["http://h/0"], "host": ["h"]})
    pages = log_table("pages", 1, {"id": [0], "status": [0]})
    write_segment(tmp_path, 0, {"urls": urls, "pages": pages, "links": log_table("links", 0, {})})
    (found,) = unarchived_pages(tmp_path, unknown)
    assert (found.page.status, found.verdict.language, len(found.page.links)) == (0, "und", 0)
    assert found.visit.found_by == "link"
