"""Import of other crawl directories."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from archives import ENGLISH, THAI, ArchiveFile
from conftest import Cli
from langcrawl.config import CrawlConfig
from langcrawl.errors import NoSuchLog
from langcrawl.importers.crawl import import_crawls
from langcrawl.log.graph import load_graph
from langcrawl.log.segments import read_table, read_urls
from langcrawl.simulate import Plan, as_urls, simulate
from langcrawl.strategy import make_strategy


def quiet(done: int, share: float | None = None, words: str = "", job: int = 0, /) -> None:
    assert share is not None
    assert 0 <= share <= 1


def test_a_copy_simulates_like_the_crawl(small_crawl: Path, tmp_path: Path) -> None:
    config = CrawlConfig(source="import", lang="th")
    done = import_crawls(tmp_path / "copy", [small_crawl], config, quiet)
    graphs = [load_graph(place) for place in (small_crawl, tmp_path / "copy")]
    for name in ("bfs", "soft", "lswc:s=3,t=5"):
        orders = [
            as_urls(graph, simulate(graph, make_strategy(name), Plan()).order) for graph in graphs
        ]
        assert orders[0] == orders[1]
        assert len(orders[0]) > 50
    before = read_table(small_crawl, "pages")
    assert done["pages"] == before.num_rows
    assert done["links"] == read_table(small_crawl, "links").num_rows
    assert done["relevant"] == sum(before["relevant"].to_pylist())
    assert CrawlConfig.load(tmp_path / "copy").seeds == CrawlConfig.load(small_crawl).seeds


def test_relevance_is_that_of_the_new_language(small_crawl: Path, tmp_path: Path) -> None:
    config = CrawlConfig(source="import", lang="en")
    import_crawls(tmp_path / "copy", [small_crawl], config, quiet)
    pages = read_table(tmp_path / "copy", "pages").to_pylist()
    english = [page["language"] == "en" and page["status"] == 200 for page in pages]
    assert [page["relevant"] for page in pages] == english
    assert any(english)
    assert {page["score"] for page in pages} == {None}


def test_crawls_are_merged_by_url_and_the_first_counts(tmp_path: Path, cli: Cli) -> None:
    one = ArchiveFile().answer("http://a.th/", f'{THAI}<a href="/x">1</a>')
    two = ArchiveFile().answer("http://b.th/", f'{THAI}<a href="http://a.th/">2</a>')
    two.answer("http://a.th/", f'{ENGLISH}<a href="/only-in-two">3</a>').answer("http://a.th/x")
    for name, archive in (("one", one), ("two", two)):
        archive.save(tmp_path / f"{name}.warc.gz")
        cli("import", name, "--warc", f"{name}.warc.gz", "--lang", "th", "--seeds",
            f"http://{name}.th/")  # fmt: skip
    done = cli("import", "both", "--crawl", "one", "--crawl", "two", "--lang", "th", "--json")
    assert json.loads(done.stdout) == {
        "pages": 3, "links": 2, "urls": 3, "relevant": 2, "repeated_pages": 1,
    }  # fmt: skip
    urls = read_urls(tmp_path / "both", ["url"])["url"].to_pylist()
    assert urls == ["http://a.th/", "http://a.th/x", "http://b.th/"]
    links = read_table(tmp_path / "both", "links").to_pylist()
    assert [(link["src"], link["dst"]) for link in links] == [(0, 1), (2, 0)]
    assert CrawlConfig.load(tmp_path / "both").seeds == ("http://one.th/", "http://two.th/")
    files = [page["warc_file"] for page in read_table(tmp_path / "both", "pages").to_pylist()]
    assert files == ["one.warc.gz", "two.warc.gz", "two.warc.gz"]


def test_a_directory_that_is_no_crawl_is_named(tmp_path: Path) -> None:
    config = CrawlConfig(source="import", lang="th")
    with pytest.raises(NoSuchLog, match="no directory"):
        import_crawls(tmp_path / "copy", [tmp_path / "none"], config, quiet)
    assert not (tmp_path / "copy").exists()
