"""``langcrawl import``: what goes together, what was left out, and what becomes of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conftest import Cli
from langcrawl.log.graph import load_graph
from webs import P, write_web

PAGES = """url,language,status,bytes,score,redirect
http://a.th/,th,200,1000,0.9,
http://a.th/,en,200,1,0.1,
http://a.th/2,th,200,2000,0.8,
http://b.com/,klingon!,200,10,,
http://c.com/,,404,0,,
http://d.com/,en,301,0,,http://a.th/2
no url,th,200,1,,
"""
LINKS = "src,dst,anchor\nhttp://a.th/,http://a.th/2,next\nhttp://a.th/,x y,bad\n"


@pytest.fixture
def csv(tmp_path: Path) -> list[str]:
    (tmp_path / "p.csv").write_text(PAGES)
    (tmp_path / "l.csv").write_text(LINKS)
    return ["--pages", "p.csv", "--links", "l.csv", "--seeds", "http://a.th/", "--lang", "th"]


def test_json_counts_what_came_in_and_what_did_not(cli: Cli, csv: list[str]) -> None:
    done = json.loads(cli("import", "web", *csv, "--json").stdout)
    assert (done["pages"], done["relevant"], done["links"]) == (5, 2, 1)
    assert (done["bad_pages"], done["repeated_pages"], done["bad_links"]) == (1, 1, 1)
    assert done["bad_languages"] == 1


def test_the_sentences_say_the_same(cli: Cli, csv: list[str]) -> None:
    done = cli("import", "web", *csv)
    assert (done.returncode, done.stderr) == (0, "")
    assert "5 pages, 2 of them in th, and 1 links are in web." in done.stdout
    assert "1 pages have a language that is not a BCP-47 tag; it counts as unknown." in done.stdout
    assert "Left out: bad pages: 1, repeated pages: 1, bad links: 1." in done.stdout


def test_an_import_is_a_web_to_simulate_on(cli: Cli, csv: list[str], tmp_path: Path) -> None:
    cli("import", "web", *csv)
    graph = load_graph(tmp_path / "web")
    assert (graph.pages, graph.relevant_total) == (5, 2)
    assert graph.config.seeds == ("http://a.th/",)
    result = json.loads(cli("simulate", "web", "--strategy", "bfs", "--json").stdout)
    assert result["strategies"][0]["pages"] == 2
    cli("import", "again", "--crawl", "web", "--lang", "th", "--seeds", "http://a.th/")
    assert load_graph(tmp_path / "again").pages == 5


@pytest.mark.parametrize(
    ("words", "status", "says"),
    [
        ([], 2, "give one kind of source: --warc, --wat, --pages, --crawl"),
        (["--pages", "p.csv", "--warc", "a.warc"], 2, "give one kind of source"),
        (["--crawl", "web", "--links", "l.csv"], 2, "--links works with --pages"),
        (["--pages", "p.csv", "--judge", "cld"], 2, "--judge needs texts"),
        (["--crawl", "web", "--judge", "cld"], 2, "--judge needs texts"),
        (["--warc", "absent.warc"], 1, "absent.warc"),
        (["--wat", "absent.wat"], 1, "absent.wat"),
        (["--crawl", "absent"], 1, "absent"),
        (["--pages", "p.csv", "--links", "absent.csv"], 1, "absent.csv"),
        (["--pages", "empty.csv"], 1, "empty.csv"),
        (["--pages", "odd.csv"], 1, "odd.csv"),
        (["--pages", "p.csv", "--seeds", "http://[x"], 2, "is not a URL"),
    ],
)
def test_bad_input_gives_one_sentence_and_leaves_nothing(
    cli: Cli, csv: list[str], tmp_path: Path, words: list[str], status: int, says: str
) -> None:
    write_web(tmp_path / "web", {"s/": P("th")}, ["s/"])
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "odd.csv").write_text("name,colour\na,b\n")
    done = cli("import", "new", "--lang", "th", *words)
    assert (done.returncode, done.stdout) == (status, ""), done.stderr
    assert says in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "new").exists()


def test_a_language_has_to_be_named(cli: Cli, csv: list[str]) -> None:
    done = cli("import", "new", "--pages", "p.csv")
    assert done.returncode == 2
    assert "--lang" in done.stderr
    assert "no language 'xx'" in cli("import", "new", "--pages", "p.csv", "--lang", "xx").stderr
