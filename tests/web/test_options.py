"""What a user can ask of a live crawl, on a real server: settings, scope, what is kept."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from langcrawl.config import CrawlConfig
from langcrawl.errors import BadInput, BadValue
from langcrawl.log.segments import read_table
from langcrawl.run import run_crawl
from langcrawl.store.view import read_status
from langcrawl.virtualweb.serve import Request, Server
from langcrawl.virtualweb.small import SmallPage

THAI = "<p>ภาษาไทยเป็นภาษาราชการของประเทศไทย มีผู้พูดหลายสิบล้านคน</p>"
ENGLISH = "<p>The quick brown fox jumps over the lazy dog, and the dog does not mind it.</p>"
PAGES = {
    "http://a.th/": SmallPage(
        body=(
            THAI + '<a href="/1">1</a><a rel=nofollow href="/2">2</a><a href="/private">p</a>'
            '<a href="/en">e</a><a href="http://www.bad.th/">b</a><a href="/pic">c</a>'
            '<a href="/noindex">n</a>'
        ).encode()
    ),
    "http://a.th/robots.txt": SmallPage(
        content_type="text/plain", body=b"User-agent: *\nAllow: /\nSitemap: http://a.th/map.xml\n"
    ),
    "http://a.th/map.xml": SmallPage(
        content_type="application/xml",
        body=b"<urlset><url><loc>http://a.th/mapped</loc></url></urlset>",
    ),
    "http://a.th/1": SmallPage(body=THAI.encode()),
    "http://a.th/2": SmallPage(body=THAI.encode()),
    "http://a.th/en": SmallPage(body=ENGLISH.encode()),
    "http://a.th/noindex": SmallPage(body=f"<meta name=robots content=noindex>{THAI}".encode()),
    "http://a.th/mapped": SmallPage(body=THAI.encode()),
    "http://a.th/pic": SmallPage(content_type="image/png", body=b"\x89PNG" + b"x" * 2000),
}


class Crawled:
    """A crawl of a server's pages, and what the server saw of it."""

    def __init__(
        self,
        directory: Path,
        answer: Callable[[str], SmallPage] = lambda url: PAGES.get(url, SmallPage(404)),
        seeds: tuple[str, ...] = ("http://a.th/",),
        **options: Any,
    ) -> None:
        with Server(answer) as server:
            given: dict[str, Any] = {"delay": 0.0, "strategy": "bfs", "workers": 1, **options}
            config = CrawlConfig(lang="th", seeds=seeds, connect_to=(server.connect_to,), **given)
            self.result = run_crawl(directory, config)
            self.requests: list[Request] = list(server.requests)
        urls = read_table(directory, "urls")["url"].to_pylist()
        rows = read_table(directory, "pages").to_pylist()
        self.pages = {urls[row["id"]].removeprefix("http://a.th"): row for row in rows}
        self.archived = {path for path, row in self.pages.items() if row["warc_file"]}


def test_without_options_every_page_is_followed_and_archived(tmp_path: Path) -> None:
    crawled = Crawled(tmp_path / "c")
    assert set(crawled.pages) == {
        "/", "/1", "/2", "/private", "/en", "/pic", "/noindex", "http://www.bad.th/",
    }  # fmt: skip
    assert crawled.archived == set(crawled.pages) - {"/pic"}
    assert crawled.pages["/noindex"]["notes"] == "noindex"
    status = read_status(tmp_path / "c")
    assert (status.pages, status.queue, status.running) == (8, 0, False)
    assert status.errors == {"404": 2}


def test_options_say_what_is_followed_and_what_is_kept(tmp_path: Path) -> None:
    blocked = tmp_path / "blocked.txt"
    blocked.write_text("# not these\nbad.th\n")
    crawled = Crawled(
        tmp_path / "c", nofollow=True, noindex=True, sitemaps=True, store="relevant",
        exclude=("/priv",), block_hosts=(str(blocked),),
    )  # fmt: skip
    assert set(crawled.pages) == {"/", "/1", "/en", "/pic", "/noindex", "/mapped"}
    assert crawled.archived == {"/", "/1", "/mapped"}
    discards = crawled.result["discards"]
    assert discards == {"nofollow": 1, "excluded": 1, "blocked-host": 1}
    assert crawled.result["notes"]["sitemap"] == 1


def test_other_types_are_archived_where_asked(tmp_path: Path) -> None:
    crawled = Crawled(tmp_path / "c", types="all", include=("a.th/pic$",))
    assert set(crawled.pages) == {"/", "/pic"}
    assert crawled.archived == {"/", "/pic"}


def test_bad_patterns_and_lists_are_named_before_the_crawl(tmp_path: Path) -> None:
    for options, error in (
        ({"exclude": ("(",)}, BadValue),
        ({"block_hosts": (str(tmp_path / "none"),)}, BadInput),
    ):
        with pytest.raises(error):
            Crawled(tmp_path / "c", **options)
    assert not (tmp_path / "c").exists()


def test_hosts_at_one_address_are_asked_one_after_the_other(tmp_path: Path) -> None:
    seeds = tuple(f"http://h{number}.th/" for number in range(5))
    crawled = Crawled(
        tmp_path / "c", lambda url: SmallPage(body=THAI.encode()), seeds, ip_delay=0.2
    )
    assert crawled.result["pages"] == 5
    moments = [request.at for request in crawled.requests]
    assert len(moments) == 10  # each host was also asked for its robots.txt
    assert min(later - earlier for earlier, later in pairwise(moments)) >= 0.2


def test_a_server_that_asks_for_patience_gets_it(tmp_path: Path) -> None:
    asked: list[float] = []

    def answer(url: str) -> SmallPage:
        if url.endswith("robots.txt"):
            return SmallPage(404)
        asked.append(time.monotonic())
        return SmallPage(503) if len(asked) < 3 else SmallPage(body=THAI.encode())

    crawled = Crawled(tmp_path / "c", answer, backoff=0.4, retries=3)
    assert crawled.pages["/"]["status"] == 200
    assert [later - earlier >= wait for (earlier, later), wait in
            zip(pairwise(asked), (0.4, 0.8), strict=True)] == [True, True]  # fmt: skip


def test_a_host_that_never_answers_is_given_up(tmp_path: Path) -> None:
    def answer(url: str) -> SmallPage:
        if url == "http://a.th/":
            links = "".join(f'<a href="http://dead.th/{n}">x</a>' for n in range(20))
            return SmallPage(body=f"{THAI}{links}".encode())
        return SmallPage(404) if url.endswith("robots.txt") else SmallPage(503)

    crawled = Crawled(tmp_path / "c", answer, backoff=0.0, retries=2)
    assert crawled.result["stopped"] == "queue-empty"
    assert crawled.result["discards"]["dead-host"] > 10
    asked = [request for request in crawled.requests if request.host == "dead.th"]
    assert len(asked) < 20
