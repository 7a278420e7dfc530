"""Pages put together into a log: columns, repeated pages, parts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from langcrawl.importers.gather import Gatherer, Pages
from langcrawl.log.segments import read_table, read_urls
from langcrawl.records import UNJUDGED, Link, Links, Page, Verdict


def write(directory: Path, *parts: list[tuple[Page, Verdict]]) -> Gatherer:
    log = Gatherer(directory)
    for part in parts:
        pages = Pages()
        for page, verdict in part:
            pages.add(page, verdict, "a.warc", 7)
        log.add(pages.part())
    log.flush()
    return log


def rows(directory: Path, table: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = read_table(directory, table).to_pylist()
    return found


def test_what_a_page_says_of_itself_is_written(tmp_path: Path) -> None:
    page = Page(
        "http://a/", 200, title="News", html_lang="th", content_language="th, en",
        fonts=("Tahoma", "Arial"),
    )  # fmt: skip
    verdict = Verdict("th", relevant=True, evidence=("first", "second"))
    write(tmp_path, [(page, verdict), (Page("http://b/", 200), UNJUDGED)])
    said, silent = rows(tmp_path, "pages")
    names = ("title", "html_lang", "content_language", "fonts", "evidence")
    assert [said[name] for name in names] == [
        "News", "th", "th, en", "Tahoma, Arial", "first\nsecond"
    ]  # fmt: skip
    assert not any(silent[name] for name in names)
    unknown = ("main_text_bytes", "found_by", "reason", "depth", "parent", "priority")
    assert [said[name] for name in unknown] == [None] * len(unknown)


def test_columns_that_some_pages_lack_are_null_there(tmp_path: Path) -> None:
    plain = Links.of(["http://x/", "http://y/"])
    full = Links.of(
        [
            Link("http://x/", "anchor", True, None, "before after", "th", "next", "body/p"),
            Link("http://z/"),
        ]
    )
    pages = [Page(f"http://{n}/", 200, links=links) for n, links in enumerate((plain, full, plain))]
    log = write(tmp_path, [(page, UNJUDGED) for page in pages])
    assert log.links == 6
    links, urls = rows(tmp_path, "links"), read_urls(tmp_path, ["url"])["url"].to_pylist()
    assert [urls[link["dst"]][7] for link in links] == list("xyxzxy")
    assert [link["position"] for link in links] == [0, 1] * 3
    assert [link["nofollow"] for link in links] == [False, False, True, False, False, False]
    for name, value in {
        "anchor": "anchor", "context": "before after", "hreflang": "th", "rel": "next",
        "tag_path": "body/p",
    }.items():  # fmt: skip
        assert [link[name] for link in links] == [None, None, value, "", None, None]


def test_of_a_repeated_page_the_first_counts_within_a_part_and_between_parts(
    tmp_path: Path,
) -> None:
    first = Page("http://a/", 200, title="first", links=Links.of(["http://b/"]))
    again = Page("http://a/", 200, title="again", links=Links.of(["http://c/"]))
    other = Page("http://b/", 200, redirect="http://a/")
    log = write(
        tmp_path, [(first, UNJUDGED), (again, UNJUDGED)], [(again, UNJUDGED), (other, UNJUDGED)]
    )
    assert (log.pages, log.links, log.counts["repeated"]) == (2, 1, 2)
    urls = read_urls(tmp_path, ["url"])["url"].to_pylist()
    assert urls == ["http://a/", "http://b/"]
    assert [page["title"] for page in rows(tmp_path, "pages")] == ["first", ""]
    assert [page["redirect"] for page in rows(tmp_path, "pages")] == [None, 0]


def test_pages_without_links_make_a_log_without_links(tmp_path: Path) -> None:
    log = write(tmp_path, [(Page("http://a/", 404), UNJUDGED)])
    assert (log.pages, log.links, rows(tmp_path, "links")) == (1, 0, [])
