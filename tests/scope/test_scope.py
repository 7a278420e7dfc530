"""What a crawl leaves out: patterns, block lists, traps."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

from langcrawl.errors import BadInput, UsageError
from langcrawl.page import understand
from langcrawl.ports import Scope
from langcrawl.records import UNJUDGED, Content, Page, Verdict
from langcrawl.scope import CrawlScope, read_hosts
from langcrawl.url import host_of


def refuses(scope: Scope, url: str) -> str:
    return scope.refuses(url, host_of(url))


def see(scope: Scope, url: str, text: str) -> None:
    """As the crawl does: a page is downloaded and shown to the scope."""

    class Nobody:
        def judge(self, content: Content) -> Verdict:
            return UNJUDGED

    page, _, _ = understand(url, 200, "text/html", "", f"<p>{text}".encode(), Nobody())
    scope.saw(page)


def test_patterns_are_looked_for_anywhere_in_a_url() -> None:
    scope = CrawlScope(include=[r"\.th/", "/thai/"], exclude=[r"\.(jpg|pdf)$", "logout"])
    assert refuses(scope, "http://a.th/x") == ""
    assert refuses(scope, "http://a.com/thai/x") == ""
    assert refuses(scope, "http://a.com/x") == "not-included"
    assert refuses(scope, "http://a.th/x.pdf") == "excluded"
    assert refuses(scope, "http://a.th/user?do=logout") == "excluded"


def test_a_pattern_that_is_none_is_named_in_a_sentence() -> None:
    with pytest.raises(UsageError, match=r"'\(' is not a regular expression"):
        CrawlScope(exclude=["("])


def test_blocked_hosts_are_left_out_with_their_subdomains(tmp_path: Path) -> None:
    listed = tmp_path / "block.txt"
    listed.write_text("# bad\nBad.com\n*.worse.org # so bad\n0.0.0.0 ads.net\n\nไทย.com\n[::1]\n")
    scope = CrawlScope(blocked=read_hosts(listed))
    for url in (
        "http://bad.com/", "http://www.bad.com:8080/", "http://worse.org/", "https://x.ads.net/",
        "http://www.xn--o3cw4h.com/", "http://[::1]:80/",
    ):  # fmt: skip
        assert refuses(scope, url) == "blocked-host"
    for url in ("http://notbad.com/", "http://bad.com.th/", "http://net/", "http://org/"):
        assert refuses(scope, url) == ""


def test_a_block_list_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot be read"):
        read_hosts(tmp_path / "none.txt")


def test_a_block_list_of_a_million_hosts_is_fine(tmp_path: Path) -> None:
    listed = tmp_path / "block.txt"
    listed.write_text("\n".join(f"host{n}.example{n % 997}.com" for n in range(1_000_000)))
    began = time.process_time()
    scope = CrawlScope(blocked=read_hosts(listed))
    assert time.process_time() - began < 10
    assert refuses(scope, "http://www.host5.example5.com/") == "blocked-host"
    assert refuses(scope, "http://host5.example6.com/") == ""


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/" + "/".join(f"s{n}" for n in range(40)), "trap-path"),
        ("/a1/b1/a1/b1/a1/b1/x", "trap-repeats"),
        ("/shop/en/css/en/css/img/css/x/css/y", "trap-repeats"),
        ("/images/images/images/images/x", "trap-repeats"),
        ("/x?a=1&b=2&a=1&b=2&a=1", "trap-repeats"),
        ("/x?" + "&".join(f"p{n}=1" for n in range(40)), "trap-query"),
        ("/calendar/2031/05/", "trap-calendar"),
        ("/index.php?view=Calendar&year=2099&month=1", "trap-calendar"),
        ("/events?date=20350101", "trap-calendar"),
        ("/calendar/2600-01", "trap-calendar"),
    ],
)
def test_urls_without_end_are_left_out(path: str, reason: str) -> None:
    assert refuses(CrawlScope(this_year=2026), f"http://a.th{path}") == reason


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/2011/11/11/11/x.html",
        "/0/0/0/0/0/12",
        "/wiki/th/news/th/x",
        "/hazelcast/hazelcast/hazelcast/x",
        "/a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q",
        "/calendar/2027/12/",
        "/calendar/2569/05/",
        "/calendar/1403/05/",
        "/roadmap/2050/05/energy.html",
        "/events/conference-2031-outlook.html",
        "/search?a=1&b=1&c=1&a=2&a=3",
        "/x?f[]=1&f[]=1",
    ],
)
def test_urls_of_real_pages_are_kept(path: str) -> None:
    assert refuses(CrawlScope(this_year=2026), f"http://a.th{path}") == ""


def test_a_calendar_that_does_not_end_is_bounded() -> None:
    scope = CrawlScope(this_year=2026)
    days = [f"http://a.th/calendar/{y}/{m}/{d}" for y in range(1970, 2026)
            for m in range(1, 13) for d in range(1, 29)]  # fmt: skip
    kept = [url for url in days if not refuses(scope, url)]
    assert len(kept) == 2000
    assert refuses(scope, "http://b.th/calendar/2020/1/1") == ""


def test_pages_that_all_say_the_same_under_like_urls_become_a_trap() -> None:
    scope = CrawlScope()
    for n in range(40):
        assert refuses(scope, f"http://a.th/shop/item{n}?color={n}") == (
            "" if n < 30 else "trap-content"
        )
        see(scope, f"http://a.th/shop/item{n}?color={n}", f"Nothing here, visitor {n}.")
        see(scope, f"http://a.th/news/{n}", f"News {'abcdefgh'[n % 8] * (n // 8 + 1)}.")
    assert refuses(scope, "http://a.th/news/41") == ""
    assert refuses(scope, "http://a.th/shop/other") == ""
    assert refuses(scope, "http://b.th/shop/item1?color=1") == ""


def test_pages_that_differ_now_and_then_are_no_trap() -> None:
    scope, rng = CrawlScope(), random.Random(1)
    for n in range(3000):
        see(scope, f"http://a.th/p/{n}", rng.choice(("same", "same", "same", f"x{'y' * n}")))
    assert refuses(scope, "http://a.th/p/1") == ""


def test_a_host_that_has_every_page_and_says_there_is_none_is_soon_left_alone() -> None:
    scope = CrawlScope()
    for n in range(12):
        see(scope, f"http://a.th/{'abcdef'[n % 6] * 3}/x{n}", "There is no such page.")
        see(scope, f"http://a.th/real/x{n}", f"A page of its own: {'z' * n}.")
    for n in range(5):
        see(scope, f"http://a.th/new/x{n}", "There is no such page.")
    assert refuses(scope, "http://a.th/new/y") == "soft-404"
    assert refuses(scope, "http://a.th/real/y") == ""


def test_errors_redirects_and_pages_without_text_are_no_evidence() -> None:
    scope = CrawlScope()
    for n in range(100):
        url = f"http://a.th/x/{n}"
        scope.saw(Page(url, 404, fingerprint=7))
        scope.saw(Page(url, 200, redirect="http://a.th/", fingerprint=7))
        scope.saw(Page(url, 200))
    assert refuses(scope, "http://a.th/x/1") == ""


def test_a_url_costs_a_few_microseconds() -> None:
    scope = CrawlScope(this_year=2026)
    for n in range(40):
        see(scope, f"http://a.th/t/{n}", "same")
    urls = [f"http://a.th/news/{n % 31}/story-{n}.html?id={n}&page=2" for n in range(20_000)]
    began = time.process_time()
    assert not any(scope.refuses(url, "a.th") for url in urls)
    assert (time.process_time() - began) / len(urls) < 30e-6
