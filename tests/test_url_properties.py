"""What holds for every URL, whatever a page or a user writes."""

from __future__ import annotations

from urllib.parse import urljoin, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langcrawl.url import (
    Resolver,
    canonical,
    domain_of,
    host_of,
    path_slashes,
    tld_of,
    without_noise,
    without_port,
)

HOSTS = st.from_regex(
    r"[a-z0-9]{1,5}(\.[a-z0-9]{1,5}){0,2}\.(th|com|co\.th|org|ไทย)", fullmatch=True
)
PORTS = st.sampled_from(["", ":80", ":81", ":443", ":8080"])
PATHS = st.from_regex(r"(/[a-zA-Z0-9._~ก%!-]{0,6}){0,5}", fullmatch=True)
QUERIES = st.sampled_from(["", "?", "?a=1", "?b=2&a", "?a=1&utm_source=x", "?sid=42", "?ก=ข"])
URLS = st.builds(
    lambda scheme, host, port, path, query, end: f"{scheme}://{host}{port}{path}{query}{end}",
    st.sampled_from(["http", "https", "HTTP"]), HOSTS, PORTS, PATHS, QUERIES,
    st.sampled_from(["", "#", "#top", "#a?b=1"]),
)  # fmt: skip


@given(st.text(max_size=60) | URLS)
def test_a_canonical_url_is_its_own_canonical_form(text: str) -> None:
    url = canonical(text)
    if url is None:
        return
    assert canonical(url) == url
    assert url.startswith(("http://", "https://"))
    assert url.isascii()
    assert "#" not in url
    assert not any(c.isspace() for c in url)


@given(URLS)
def test_the_parts_are_those_that_the_standard_library_finds(text: str) -> None:
    url = canonical(text)
    if url is None:  # such a host is none
        return
    parts = urlsplit(url)
    host = host_of(url)
    assert host == parts.netloc
    assert without_port(host) == parts.hostname
    assert path_slashes(url) == parts.path.count("/") >= 1
    assert host.endswith(without_port(host)) or parts.port
    last = host.split(":")[0].rsplit(".", 1)[1]
    assert tld_of(host) == ("ip" if last.isdigit() else f".{last}")


@given(URLS)
def test_the_domain_ends_the_host_and_does_not_grow_when_asked_again(text: str) -> None:
    url = canonical(text)
    if url is None:
        return
    host = host_of(url)
    domain = domain_of(host)
    assert f".{without_port(host)}".endswith(f".{domain}")
    assert domain_of(domain) == domain


@given(URLS)
def test_noise_is_taken_away_once_and_the_page_stays(text: str) -> None:
    url = canonical(text)
    if url is None:
        return
    bare = without_noise(url)
    assert without_noise(bare) == bare
    assert canonical(bare) == bare
    assert host_of(bare) == host_of(url)
    assert set(urlsplit(bare).query.split("&")) <= set(urlsplit(url).query.split("&")) | {""}


@given(URLS, st.sampled_from(["x", "/x", "?x=1", "../x", "./x", "a/b", "../../../x"]))
def test_plain_relative_links_lead_where_the_standard_library_says(text: str, href: str) -> None:
    page = canonical(text)
    if page is None or "//" in urlsplit(page).path:  # of empty names it has another opinion
        return
    assert Resolver(page)(href) == canonical(urljoin(page, href))


@given(st.text(max_size=30))
def test_no_link_makes_the_resolver_fail(href: str) -> None:
    resolve = Resolver("http://a.th/x/y?z")
    for url in (resolve(href), resolve.link(href)):
        assert url is None or canonical(url) == url


@pytest.mark.parametrize(
    ("host", "domain"),
    [
        ("example.com", "example.com"),
        ("a.b.example.com", "example.com"),
        ("example.co.th", "example.co.th"),
        ("co.th", "co.th"),
        ("www.moe.go.th", "moe.go.th"),
        ("a.blogspot.com", "a.blogspot.com"),
        ("b.a.github.io", "a.github.io"),
        ("www.city.kawasaki.jp", "city.kawasaki.jp"),
        ("10.1.2.3:8080", "10.1.2.3"),
        ("[2001:db8::1]:8080", "[2001:db8::1]"),
        ("localhost:3000", "localhost"),
        ("www.xn--o3cw4h.xn--o3cw4h", "xn--o3cw4h.xn--o3cw4h"),
    ],
)
def test_registered_domains_follow_the_public_suffix_list(host: str, domain: str) -> None:
    assert domain_of(host) == domain


@pytest.mark.parametrize(
    ("length", "known"), [(100, True), (2083, True), (2084, False), (100_000, False)]
)
def test_urls_of_more_than_2083_characters_are_none(length: int, known: bool) -> None:
    begin = "http://a.th/"
    url = begin + "x" * (length - len(begin))
    assert (canonical(url) == url) is known
    assert (Resolver("http://b.th/").link(url) == url) is known


def test_a_base_moves_relative_links_and_leaves_absolute_ones() -> None:
    resolve = Resolver("http://a.th/x/", "http://b.th/y/z")
    assert resolve("w") == "http://b.th/y/w"
    assert resolve("/w") == "http://b.th/w"
    assert resolve("http://c.th/w") == "http://c.th/w"
    assert resolve("//c.th/w") == "http://c.th/w"
