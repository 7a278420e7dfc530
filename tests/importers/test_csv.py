"""Import of CSV files."""

from __future__ import annotations

from pathlib import Path

import pytest

from langcrawl.config import CrawlConfig
from langcrawl.errors import BadInput
from langcrawl.importers.csv import Imported, import_csv
from langcrawl.log.graph import load_graph
from langcrawl.log.segments import read_table, read_urls
from langcrawl.simulate import Plan, as_urls, simulate
from langcrawl.strategy import make_strategy
from langcrawl.url import canonical

PAGES = """url,language,status,bytes,score,redirect
http://a.th/,th,200,120,0.9,
http://A.th/x,,200,,,
http://b.com/1,en,404,5,0.1,
http://b.com/2,tha,,,,
http://a.th/,en,200,1,0,
http://c.com/old,,301,,,http://b.com/2
http://c.com/moved,,,,,http://a.th/x
no url,th,200,,,
"""
LINKS = """src,dst,anchor
http://a.th/,http://b.com/2,สอง
http://b.com/2,http://a.th/,back
http://a.th/,http://b.com/1,"one, quoted"
http://b.com/2,http://nowhere.org/,
http://a.th/,not a url,
"""


def take_in(tmp_path: Path, pages: str = PAGES, links: str | None = LINKS) -> Imported:
    (tmp_path / "pages.csv").write_text(pages, "utf-8")
    if links is not None:
        (tmp_path / "links.csv").write_text(links, "utf-8")
    config = CrawlConfig(source="import", lang="th", seeds=("http://a.th/",))
    where = None if links is None else tmp_path / "links.csv"
    return import_csv(tmp_path / "web", tmp_path / "pages.csv", where, config)


def test_pages_and_links_become_a_log(tmp_path: Path) -> None:
    done = take_in(tmp_path)
    assert done == Imported(6, 4, 7, 2, bad_pages=1, repeated_pages=1, bad_links=1, bad_languages=0)
    pages = read_table(tmp_path / "web", "pages").to_pylist()
    assert [page["status"] for page in pages] == [200, 200, 404, 200, 301, 301]
    assert [page["language"] for page in pages] == ["th", "und", "und", "th", "und", "und"]
    assert [page["relevant"] for page in pages] == [True, False, False, True, False, False]
    assert [page["bytes"] for page in pages] == [120, 0, 5, 0, 0, 0]
    assert [page["redirect"] for page in pages] == [None, None, None, None, 3, 1]
    links = read_table(tmp_path / "web", "links").to_pylist()
    assert [(link["src"], link["dst"], link["position"]) for link in links] == [
        (0, 3, 0), (3, 0, 0), (0, 2, 1), (3, 6, 1),
    ]  # fmt: skip
    assert [link["anchor"] for link in links] == ["สอง", "back", "one, quoted", ""]


def test_links_of_one_page_need_not_stand_together(tmp_path: Path) -> None:
    take_in(tmp_path)
    graph = load_graph(tmp_path / "web")
    result = simulate(graph, make_strategy("bfs"), Plan())
    assert as_urls(graph, result.order) == ["http://a.th/", "http://b.com/2", "http://b.com/1"]
    assert result.discards == {"not-in-log": 1}


def test_a_score_is_kept_and_a_missing_one_is_1_or_0(tmp_path: Path) -> None:
    take_in(tmp_path)
    graph = load_graph(tmp_path / "web")
    assert graph.score.tolist() == [0.9, 0.0, 0.0, 1.0, 0.0, 0.0]


def test_two_columns_and_no_links_are_enough(tmp_path: Path) -> None:
    done = take_in(tmp_path, "language,url\nth,http://a.th/\n", None)
    assert (done.pages, done.relevant, done.links) == (1, 1, 0)
    result = simulate(load_graph(tmp_path / "web"), make_strategy("soft"), Plan())
    assert result.summary.coverage == 1.0


@pytest.mark.parametrize(
    ("pages", "links", "message"),
    [
        ("adress,language\nx,th\n", LINKS, "has no column 'url'"),
        (PAGES, "here,there\na,b\n", "has no column 'src'"),
        ("url,language\na,b,c,d\n", LINKS, "cannot be read as CSV"),
        ("", LINKS, "cannot be read as CSV"),
        ("url,language,status\nhttp://a.th/,th,fine\n", LINKS, "'status' should hold numbers"),
        ("url,language,status\nhttp://a.th/,th,99999999\n", LINKS, "'status' should hold numbers"),
        ("url,language,status\nhttp://a.th/,th,-1\n", LINKS, "numbers from 0 to 999"),
        ("url,language,score\nhttp://a.th/,th,95\n", LINKS, "numbers from 0 to 1"),
        ("url,language,score\nhttp://a.th/,th,nan\n", LINKS, "numbers from 0 to 1"),
        ("url,language,url\nhttp://a.th/,th,x\n", LINKS, "a column twice"),
        ("url,language,redirect\nhttp://a.th/,th,http://[x\n", LINKS, "is not a URL"),
        ("url,language" + ",x" * 50_000 + "\n", LINKS, "more than 1,000 columns"),
        ("url,language,'" + "x" * 200_000 + "\n", LINKS, "more than 1,000 columns"),
        ('"url\n",language' + ",x" * 50_000 + "\n", LINKS, "more than 1,000 columns"),
    ],
)
def test_a_file_that_cannot_be_used_is_named_and_nothing_is_made(
    tmp_path: Path, pages: str, links: str, message: str
) -> None:
    with pytest.raises(BadInput, match=message):
        take_in(tmp_path, pages, links)
    assert not (tmp_path / "web").exists()


def test_an_existing_crawl_is_never_overwritten(tmp_path: Path) -> None:
    take_in(tmp_path)
    before = read_table(tmp_path / "web", "pages")
    with pytest.raises(BadInput, match="already holds a crawl"):
        take_in(tmp_path, "url,language\nhttp://z.th/,th\n")
    assert read_table(tmp_path / "web", "pages").equals(before)


def test_a_real_site_crawl_is_imported_as_it_comes(shared: Path, tmp_path: Path) -> None:
    folder = shared / "graphs" / "hollins"
    config = CrawlConfig(source="import", lang="en")
    done = import_csv(tmp_path / "web", folder / "links.dat", folder / "hollins.dat", config)
    lines = [line.split() for line in (folder / "links.dat").read_text("utf-8").splitlines()[1:]]
    urls = {number: canonical(url) for number, url in (line for line in lines if len(line) == 2)}
    edges = [line.split() for line in (folder / "hollins.dat").read_text("utf-8").splitlines()[1:]]
    expected = [(urls[a], urls[b]) for a, b in edges if urls.get(a) and urls.get(b)]
    names = read_urls(tmp_path / "web", ["url"])["url"].to_pylist()
    links = read_table(tmp_path / "web", "links").to_pylist()
    assert [(names[link["src"]], names[link["dst"]]) for link in links] == expected
    assert done.pages == len({url for url in urls.values() if url})
    assert done.pages + done.repeated_pages + done.bad_pages == len(lines)
    assert done.bad_links == len(edges) - len(expected)
    assert (done.pages > 5000, done.links > 20000) == (True, True)


def test_links_between_article_names_are_imported_once_they_are_urls(
    shared: Path, tmp_path: Path
) -> None:
    source = (shared / "graphs" / "wikispeedia" / "links.tsv").read_text("utf-8")
    pairs = [line.split("\t") for line in source.splitlines() if line and line[0] != "#"]
    base = "https://en.wikipedia.org/wiki/"
    links = "src,dst\n" + "".join(f"{base}{a},{base}{b}\n" for a, b in pairs)
    names = dict.fromkeys(name for pair in pairs for name in pair)
    done = take_in(
        tmp_path, "url,language\n" + "".join(f"{base}{name},en\n" for name in names), links
    )
    assert (done.links, done.pages) == (len(pairs), len(names))


def test_ids_may_stand_for_urls(tmp_path: Path) -> None:
    pages = "id,url,language\n7,http://a.th/,th\nx,http://b.com/,en\n8,not a url,en\n"
    done = take_in(tmp_path, pages, "from,to\n7,x\nx,7\n7,9\n8,7\n")
    assert (done.pages, done.links, done.bad_links, done.bad_pages) == (2, 2, 2, 1)
    links = read_table(tmp_path / "web", "links").to_pylist()
    assert [(link["src"], link["dst"]) for link in links] == [(0, 1), (1, 0)]


def test_lines_with_too_many_columns_are_left_out_and_counted(tmp_path: Path) -> None:
    pages = "url,language\nhttp://a.th/,th\nhttp://b.th/,th,what\nhttp://c.th/,th\n"
    links = "src,dst\nhttp://a.th/,http://c.th/\nhttp://a.th/\n"
    done = take_in(tmp_path, pages, links)
    assert (done.pages, done.bad_pages, done.links, done.bad_links) == (2, 1, 1, 1)


def test_odd_but_clear_cells_are_understood(tmp_path: Path) -> None:
    pages = (
        "\ufeffurl,language,status,redirect\r\n"
        " http://a.th/ ,Thai language!, 200,\r\n"
        "http://a.th/old,,301,/\r\n"
    )
    done = take_in(tmp_path, pages, None)
    assert (done.pages, done.bad_languages) == (2, 1)
    rows = read_table(tmp_path / "web", "pages").to_pylist()
    assert [row["redirect"] for row in rows] == [None, 0]
