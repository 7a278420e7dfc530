"""The text around links, where it is asked for: the same live and imported."""

from __future__ import annotations

from pathlib import Path

from conftest import Cli
from langcrawl.config import CrawlConfig
from langcrawl.log.segments import read_table
from langcrawl.run import run_crawl
from langcrawl.virtualweb.serve import Server
from langcrawl.virtualweb.small import SmallPage

BODY = (
    "<title>Two  links</title><body lang=th><div class='nav top'><p>Before the link "
    '<a href="/a" hreflang=th rel="Next">go on</a> and after it.</p></div>'
    '<p>Far away <a href="/b">there</a>.</p>'
)


def answer(url: str) -> SmallPage:
    return SmallPage(404) if url.endswith("robots.txt") else SmallPage(body=BODY.encode())


def rows(directory: Path) -> list[tuple[str | None, ...]]:
    names = ["src", "anchor", "context", "hreflang", "rel", "tag_path"]
    links = [row for row in read_table(directory, "links", names).to_pylist() if row["src"] == 0]
    return [tuple(row[name] or None for name in names[1:]) for row in links]


def test_context_is_logged_live_and_imported_where_asked_for(tmp_path: Path, cli: Cli) -> None:
    with Server(answer) as server:
        for name, context in (("with", True), ("without", False)):
            config = CrawlConfig(
                lang="th", seeds=("http://h.example/",), delay=0.0, context=context, workers=1,
                connect_to=(server.connect_to,), max_pages=2,
            )  # fmt: skip
            run_crawl(tmp_path / name, config)
    first, second = rows(tmp_path / "with")
    assert first[0] == "go on"
    assert first[1] is not None
    assert "Before the link" in first[1]
    assert "and after it." in first[1]
    assert first[2:] == ("th", "next", "body/div.nav/p")
    assert second[1] is not None
    assert "Far away" in second[1]
    assert [row[1] for row in rows(tmp_path / "without")] == [None, None]
    assert rows(tmp_path / "without")[0][2:] == first[2:]
    (archive,) = (tmp_path / "with" / "warc").glob("*.warc.gz")
    done = cli("import", "imported", "--warc", archive, "--lang", "th", "--context")
    assert done.returncode == 0, done.stderr
    assert rows(tmp_path / "imported") == rows(tmp_path / "with")
    titles = read_table(tmp_path / "imported", "pages", ["title"])["title"].to_pylist()
    assert titles[0] == "Two links"
