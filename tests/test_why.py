"""``langcrawl why``: every state of a URL, from a crawl that has all of them."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from conftest import Cli
from langcrawl.config import CrawlConfig
from langcrawl.errors import BadInput, NoSuchLog, UsageError
from langcrawl.records import Page
from langcrawl.run import run_crawl
from langcrawl.scope import CrawlScope
from langcrawl.virtualweb.serve import Server
from langcrawl.virtualweb.small import SmallWeb
from langcrawl.why import explain

EXCLUDED = r"[157]\.html$"


@pytest.fixture(scope="module")
def crawled(small_web: SmallWeb, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A crawl that follows relevant pages only, leaves a pattern out, and was stopped early."""
    directory = tmp_path_factory.mktemp("why") / "crawl"
    with Server(small_web.answer) as server:
        config = CrawlConfig(
            lang="th", seeds=small_web.seeds, strategy="hard", delay=0.0, connections=1,
            workers=1, exclude=(EXCLUDED,), max_pages=60, connect_to=(server.connect_to,),
        )  # fmt: skip
        run_crawl(directory, config)
    return directory


def urls(directory: Path, where: str) -> list[str]:
    with closing(sqlite3.connect(directory / "frontier.db")) as database:
        rows = database.execute(f"SELECT url FROM known JOIN urls USING (id) WHERE {where}")
        return [row[0] for row in rows]


def test_a_page_has_the_path_from_a_seed_with_every_verdict(crawled: Path) -> None:
    deepest = urls(crawled, "state = 2 ORDER BY depth DESC, id DESC LIMIT 1")[0]
    found = explain(crawled, deepest)
    assert found.state == "downloaded"
    assert found.path[0].found_by == "seed"
    assert found.path[-1].url == deepest
    assert [page.depth for page in found.path] == list(range(len(found.path)))
    for page in found.path[:-1]:
        assert page.relevant  # only links of such pages are followed
        assert page.evidence
        assert (crawled / "warc" / page.warc_file).exists()


def test_every_page_of_the_log_is_explained(crawled: Path) -> None:
    states = {explain(crawled, url).state for url in urls(crawled, "state = 2")}
    assert states <= {"downloaded", "refused"}
    assert "downloaded" in states


def test_a_url_that_waits_has_its_lane_and_the_page_that_led_to_it(crawled: Path) -> None:
    url = urls(crawled, "state = 1 ORDER BY arrival DESC LIMIT 1")[0]
    found = explain(crawled, url)
    assert (found.state, found.lane) == ("waiting", 0.0)
    assert found.path
    assert "relevant" in found.reason
    assert found.host is not None
    assert found.host.waiting > 0


def test_a_discard_is_worked_out_again_with_its_rule(crawled: Path) -> None:
    words: dict[str, str] = {}
    for url in urls(crawled, "state = 0"):
        found = explain(crawled, url)
        assert found.state == "left-out"
        assert found.rules, url
        assert found.linked_from, url
        words.setdefault(found.rules[0].word, found.rules[0].says)
    assert set(words) == {"irrelevant-parent", "excluded"}
    assert EXCLUDED in words["excluded"]
    assert "hard" in words["irrelevant-parent"]


def test_a_url_never_seen_has_the_nearest_thing_known(crawled: Path) -> None:
    (seed, *_) = CrawlConfig.load(crawled).seeds
    found = explain(crawled, seed + "news/none-such.html")
    assert found.state == "unknown"
    assert found.nearest
    assert found.host is not None
    assert found.nearest[0].startswith(seed + "news/")
    twin = explain(crawled, seed.replace("http:", "https:"))
    assert twin.nearest[0] == seed
    assert seed in twin.says
    stranger = explain(crawled, "http://nowhere.example/x")
    assert (stranger.host, stranger.nearest) == (None, ())
    assert "nowhere.example" in stranger.says
    ruled_out = explain(crawled, "http://nowhere.example/news/7.html")
    assert [rule.word for rule in ruled_out.rules] == ["excluded"]


def test_a_trap_of_a_whole_domain_is_told_of_a_host_that_nobody_knows(
    crawled: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "crawl"
    shutil.copytree(crawled, copy)
    scope = CrawlScope(this_year=2026)
    for number in range(30):
        scope.saw(Page(f"http://www{number}.wild.co.th/", 200, fingerprint=7))
    with closing(sqlite3.connect(copy / "frontier.db")) as database, database:
        database.executemany("INSERT INTO traps VALUES (?, ?)", scope.changes().items())
    found = explain(copy, "http://new.wild.co.th:8080/")
    assert [rule.word for rule in found.rules] == ["trap-domain"]
    assert explain(copy, "http://new.tame.co.th/").rules == ()


def test_what_robots_txt_closes(small_crawl: Path) -> None:
    closed = [
        url for url in urls(small_crawl, "state = 2")
        if explain(small_crawl, url).state == "refused"
    ]  # fmt: skip
    assert closed
    assert all("/private/" in url for url in closed)


def test_the_command_says_it_and_prints_json(cli: Cli, crawled: Path) -> None:
    seed = CrawlConfig.load(crawled).seeds[0]
    said = cli("why", crawled, seed)
    assert said.returncode == 0
    assert "downloaded" in said.stdout
    found = json.loads(cli("why", crawled, seed, "--json").stdout)
    assert found["state"] == "downloaded"
    assert found["path"][0]["url"] == seed
    without = cli("why", crawled, seed.removeprefix("http://"))
    assert without.stdout == said.stdout
    wrong = cli("why", crawled, "nothing")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "'nothing' is not a URL; write it as http://host/path." in wrong.stderr


def test_what_is_no_url_and_what_is_no_crawl(crawled: Path, tmp_path: Path) -> None:
    for nothing in ("http://", "nothing", "", "/news/", "mailto:a@b.example", "..", "no.", "a b.c"):
        with pytest.raises(UsageError, match="not a URL"):
            explain(crawled, nothing)
    with pytest.raises((BadInput, NoSuchLog)):
        explain(tmp_path, "http://a.example/")
