"""robots.txt by RFC 9309."""

from __future__ import annotations

import time

import pytest

from langcrawl.archive.exchange import Exchange
from langcrawl.web.robots import Hop, RobotsCache, product_token, read_rules

AGENT = "langcrawl/0.1"


def allowed(text: str, *paths: str, agent: str = AGENT) -> list[bool]:
    rules = read_rules(200, text.encode(), agent)
    return [rules.allow(f"http://a.th{path}") for path in paths]


EXAMPLE = """User-Agent: *
Disallow: *.gif$
Disallow: /example/
Allow: /publications/

User-Agent: foobot
Disallow:/
Allow:/example/page.html
Allow:/example/allowed.gif

User-Agent: barbot
User-Agent: bazbot
Disallow: /example/page.html

User-Agent: quxbot
"""
"""Section 5.1 of RFC 9309."""


def test_the_simple_example_of_the_rfc() -> None:
    paths = ("/x.gif", "/example/page.html", "/publications/x", "/other")
    assert allowed(EXAMPLE, *paths) == [False, False, True, True]
    assert allowed(EXAMPLE, *paths, agent="FooBot/2.1") == [False, True, False, False]
    assert allowed(EXAMPLE, *paths, agent="bazbot") == [True, False, True, True]
    assert allowed(EXAMPLE, *paths, agent="quxbot") == [True, True, True, True]
    assert allowed(EXAMPLE, "/example/allowed.gif", agent="foobot") == [True]


def test_the_longest_match_example_of_the_rfc() -> None:
    """Section 5.2."""
    text = "User-Agent: foobot\nAllow: /example/page/\nDisallow: /example/page/disallowed.gif\n"
    paths = ("/example/page/disallowed.gif", "/example/page/x.gif")
    assert allowed(text, *paths, agent="foobot") == [False, True]


@pytest.mark.parametrize(
    ("rule", "path", "matches"),
    [  # the table of section 2.2.2
        ("/foo/bar?baz=quz", "/foo/bar?baz=quz", True),
        ("/foo/bar?baz=https://foo.bar", "/foo/bar?baz=https://foo.bar", True),
        ("/foo/bar?baz=https%3A%2F%2Ffoo.bar", "/foo/bar?baz=https%3A%2F%2Ffoo.bar", True),
        ("/foo/bar/\u30c4", "/foo/bar/%E3%83%84", True),
        ("/foo/bar/%E3%83%84", "/foo/bar/%E3%83%84", True),
        ("/foo/bar/%62%61%7A", "/foo/bar/baz", True),
        # and that of section 2.2.3
        ("/path/file-with-a-%2A.html", "/path/file-with-a-*.html", True),
        ("/path/foo-%24", "/path/foo-$", True),
        ("/this/*/exactly", "/this/path/exactly", True),
        ("/this/*/exactly", "/this/path/nearly", False),
        ("/*.php$", "/a/b.php", True),
        ("/*.php$", "/a/b.php?x", False),
        ("/a/**b", "/a/xxb", True),
        ("/Case", "/case", False),
        ("/p", "/path", True),
        ("", "/", False),
    ],
)
def test_paths_match_as_the_rfc_says(rule: str, path: str, matches: bool) -> None:
    assert allowed(f"User-agent: *\nDisallow: {rule}", path) == [not matches]


def test_where_both_match_equally_well_allow_wins() -> None:
    assert allowed("User-agent: *\nDisallow: /page\nAllow: /page", "/page") == [True]


def test_allowing_a_page_does_not_allow_its_folder() -> None:
    text = "User-agent: *\nDisallow: /\nAllow: /index.html"
    assert allowed(text, "/", "/index.html", "/robots.txt") == [False, True, True]


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("langcrawl", True),
        ("LangCrawl", True),
        ("langcrawl/9.9 (whatever)", True),
        ("lang", False),
        ("l", False),
        ("langcrawler", False),
        ("mylangcrawl", False),
        ("", False),
    ],
)
def test_a_group_is_for_us_where_it_names_the_whole_token(name: str, meant: bool) -> None:
    text = f"User-agent: {name}\nDisallow: /\n\nUser-agent: *\nDisallow: /all"
    assert allowed(text, "/x", "/all") == ([False, False] if meant else [True, False])


def test_groups_with_the_same_name_are_one_and_ours_replaces_that_of_everybody() -> None:
    text = (
        "User-agent: langcrawl\nDisallow: /a\n\nUser-agent: *\nDisallow: /star\n\n"
        "User-agent: other\nUser-agent: langcrawl\nDisallow: /b\nUser-agent: x\nDisallow: /c"
    )
    assert allowed(text, "/a", "/b", "/star", "/c") == [False, False, True, True]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_byte_order_marks_line_ends_comments_and_case_do_not_matter(end: str) -> None:
    lines = ("\ufeffUSER-AGENT : * # everybody", "", "  dISALLOW:/no # here", "nonsense", ": x")
    assert allowed(end.join(lines), "/no", "/yes") == [False, True]


def test_bytes_that_are_no_utf_8_do_no_harm() -> None:
    rules = read_rules(200, b"\xff\xfe\0\nUser-agent: *\nDisallow: /no\xff\nDisallow: /b", AGENT)
    assert not rules.allow("http://a.th/b")


def test_only_whole_lines_within_the_limit_count() -> None:
    head = b"User-agent: *\n"
    filler = b"#" * (500 * 1024 - len(head) - len(b"Disallow: /in\n") - 1) + b"\n"
    body = head + filler + b"Disallow: /in\nDisallow: /out\n"
    rules = read_rules(200, body, AGENT)
    assert [rules.allow(f"http://a.th/{path}") for path in ("in", "out")] == [False, True]
    cut = read_rules(200, head + filler[:-5] + b"\nDisallow: /in\nDisallow: /\n", AGENT)
    assert cut.allow("http://a.th/x")


@pytest.mark.parametrize(
    ("text", "delay"), [("2", 2.0), ("0.5", 0.5), ("99999", 300.0), ("-1", 0.0), ("nan", 0.0),
                        ("inf", 0.0), ("soon", 0.0), ("", 0.0)],
)  # fmt: skip
def test_crawl_delay(text: str, delay: float) -> None:
    assert read_rules(200, f"User-agent: *\nCrawl-delay: {text}".encode(), AGENT).delay == delay
    other = f"User-agent: *\nDisallow:\nUser-agent: other\nCrawl-delay: {text}"
    assert read_rules(200, other.encode(), AGENT).delay == 0.0


def test_sitemaps_are_canonical_or_left_out() -> None:
    text = "Sitemap: /s.xml\nSitemap: HTTP://B.th\nSitemap: data:x\nSitemap: http://[x\nSitemap:\n"
    rules = read_rules(200, text.encode(), AGENT, "http://a.th/robots.txt")
    assert rules.sitemaps == ("http://a.th/s.xml", "http://b.th/")


def test_sitemaps_stand_anywhere_and_count_once() -> None:
    text = "Sitemap: http://a.th/1.xml\nUser-agent: x\nSitemap: https://b.th/2\nDisallow: /\n"
    text += "sitemap: http://a.th/1.xml"
    assert read_rules(200, text.encode(), AGENT).sitemaps == ("http://a.th/1.xml", "https://b.th/2")


@pytest.mark.parametrize(
    ("status", "may"),
    [(200, True), (404, True), (403, True), (301, True), (500, False), (0, False)],
)
def test_what_a_status_means(status: int, may: bool) -> None:
    assert read_rules(status, b"", AGENT).allow("http://a.th/") is may


def test_a_huge_file_for_others_takes_no_room() -> None:
    text = "User-agent: other\n" + "Disallow: /x\n" * 30_000 + "User-agent: *\nDisallow: /no"
    assert read_rules(200, text.encode(), AGENT).size < 100


def test_many_wildcards_take_no_time() -> None:
    text = "User-agent: *\n" + f"Disallow: /{'*a' * 1000}b\n" * 200
    rules = read_rules(200, text.encode(), AGENT)
    begun = time.process_time()
    assert rules.allow("http://a.th/" + "a" * 2000)
    assert time.process_time() - begun < 1.0


@pytest.mark.parametrize("piece", [" ", ":", "#", "a ", "*", "$", "%", "User-agent: *\n", "\r"])
def test_hostile_repetition_takes_no_time(piece: str) -> None:
    text = "User-agent: *\nDisallow: /" + piece * (400_000 // len(piece))
    begun = time.process_time()
    read_rules(200, text.encode(), AGENT).allow("http://a.th/" + "a" * 2000)
    read_rules(200, (piece * (400_000 // len(piece))).encode(), AGENT).allow("http://a.th/a")
    assert time.process_time() - begun < 3.0


def test_the_token_is_the_first_word_of_the_user_agent() -> None:
    assert product_token("MyBot/1.0 (+http://x)") == "mybot"
    assert product_token("123") == "langcrawl"


def answered(status: int, text: str = "", *notes: str) -> Exchange:
    url = "http://a.th/robots.txt"
    return Exchange(url, "", 0, 0, (), status, "", "1.1", (), b"", text.encode(), notes)


@pytest.mark.parametrize("note", ["length", "timeout", "encoding"])
def test_half_a_file_is_none(note: str) -> None:
    cache = RobotsCache(AGENT)
    assert cache.read("http://a.th", answered(200, "User-agent: *\nDisallow: /a", note)) is None
    assert cache.get("http://a.th") is None
    assert cache.read("http://a.th", answered(404, "", note)) is not None


def test_a_line_that_our_own_limit_cut_does_not_count() -> None:
    text = "User-agent: *\nDisallow: /no\nDisallow: /"
    rules = RobotsCache(AGENT).read("http://a.th", answered(200, text, "truncated"))
    assert rules is not None
    assert [rules.allow(f"http://a.th/{path}") for path in ("no", "x")] == [False, True]


def moved(to: str) -> Exchange:
    headers = ((b"Location", to.encode()),)
    return Exchange("http://a.th/robots.txt", "", 0, 0, (), 301, "", "1.1", headers, b"", b"")


@pytest.mark.parametrize(
    ("to", "onward"),
    [
        ("/other.txt", "http://a.th/other.txt"),
        ("https://a.th/robots.txt", "https://a.th/robots.txt"),
        ("http://b.th/robots.txt", "http://b.th/robots.txt"),
        ("http://b.th/private", None),
        ("http://b.th/robots.txt?x", None),
        ("http://b.th:22/robots.txt", None),
        ("ftp://b.th/robots.txt", None),
    ],
)
def test_a_redirect_leads_to_paths_at_home_and_to_the_files_of_others(
    to: str, onward: str | None
) -> None:
    hop = Hop("http://a.th", "http://a.th/robots.txt").onward(moved(to))
    assert (hop and hop.url) == onward
    assert Hop("http://a.th", "http://a.th/robots.txt", 5).onward(moved(to)) is None


def test_the_cache_keeps_rules_for_a_day() -> None:
    now = [1000.0]
    cache = RobotsCache(AGENT, lambda: now[0])
    assert cache.get("http://a.th") is None
    rules = cache.read("http://a.th", answered(200, "User-agent: *\nDisallow: /"))
    assert rules is not None
    assert rules.expires == 1000.0 + 86_400.0
    now[0] += 86_399.0
    assert cache.get("http://a.th") == rules
    now[0] += 2.0
    assert cache.get("http://a.th") is None


@pytest.mark.parametrize("status", [500, 503, 599, 429])
def test_a_server_that_fails_is_closed_for_now_and_asked_again(status: int) -> None:
    cache = RobotsCache(AGENT)
    assert cache.read("http://a.th", answered(status)) is None
    assert cache.get("http://a.th") is None


def test_the_cache_is_bounded_in_hosts_and_in_rules() -> None:
    cache = RobotsCache(AGENT)
    for n in range(20_010):
        cache.read(f"http://h{n}.th", answered(404))
    assert cache.get("http://h9.th") is None
    assert cache.get("http://h10.th") is not None
    large = answered(200, "User-agent: *\n" + f"Disallow: /{'x' * 4000}\n" * 100)
    for n in range(60):
        cache.read(f"http://large{n}.th", large)
    assert cache.get("http://large0.th") is None
    assert cache.get("http://large59.th") is not None
