"""Canonical URLs and their parts."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langcrawl.url import Resolver, canonical, domain_of, host_of, tld_of, without_noise


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("http://Example.COM", "http://example.com/"),
        ("http://example.com:80/a/../b?q=1#top", "http://example.com/b?q=1"),
        ("https://example.com:8443/", "https://example.com:8443/"),
        ("http://me:secret@example.com/x", "http://example.com/x"),
        ("http://ไทย.ไทย/หน้า", "http://xn--o3cw4h.xn--o3cw4h/%E0%B8%AB%E0%B8%99%E0%B9%89%E0%B8%B2"),
        ("  http://example.com/ \n", "http://example.com/"),
        ("http://example.com?x", "http://example.com/?x"),
        ("http://0x7f.1/", "http://127.0.0.1/"),
        ("mailto:a@example.com", None),
        ("ftp://example.com/", None),
        ("/relative", None),
        ("http://", None),
        ("http://[nonsense", None),
        ("http://example.com/" + "x" * 3000, None),
        ("", None),
    ],
)
def test_canonical_form(given: str, expected: str | None) -> None:
    assert canonical(given) == expected
    if expected:
        assert canonical(expected) == expected


@pytest.mark.parametrize(
    ("base", "href", "expected"),
    [
        ("", "b.html", "http://a.th/x/b.html"),
        ("", "/b", "http://a.th/b"),
        ("", "//c.th/y", "http://c.th/y"),
        ("", "?q", "http://a.th/x/y?q"),
        ("", "#here", "http://a.th/x/y"),
        ("", "javascript:void(0)", None),
        ("", "http://[x", None),
        ("/base/", "b", "http://a.th/base/b"),
        ("http://d.th/e/", "b", "http://d.th/e/b"),
        ("http://[broken", "b", "http://a.th/x/b"),
    ],
)
def test_links_are_resolved_against_page_and_base(
    base: str, href: str, expected: str | None
) -> None:
    assert Resolver("http://a.th/x/y", base)(href) == expected


def test_host_domain_and_top_level_domain() -> None:
    assert host_of("http://www.example.co.th:81/x") == "www.example.co.th:81"
    assert domain_of("www.example.co.th:81") == "example.co.th"
    assert domain_of("127.0.0.1:80") == "127.0.0.1"
    assert domain_of("localhost") == "localhost"
    assert tld_of("www.example.co.th:81") == ".th"
    assert tld_of("[::1]:80") == tld_of("10.0.0.1") == "ip"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("http://a.th/x;jsessionid=AB12.node1?y=1", "http://a.th/x?y=1"),
        ("http://a.th/(S(lit3py55t21z5v55vlm25s55))/x.aspx", "http://a.th/x.aspx"),
        ("http://a.th/?PHPSESSID=1a2b&id=3", "http://a.th/?id=3"),
        ("http://a.th/?id=3&ASPSESSIONIDQQBCTRTA=XYZ", "http://a.th/?id=3"),
        ("http://a.th/f.php?f=2&sid=0123456789abcdef0123456789abcdef", "http://a.th/f.php?f=2"),
        ("http://a.th/x?utm_source=a&utm_medium=b", "http://a.th/x"),
        ("http://a.th/x?a=1&fbclid=x&b=2&gclid=y&c", "http://a.th/x?a=1&b=2&c"),
        ("http://a.th/x?sid=42", "http://a.th/x?sid=42"),
        ("http://a.th/x?sid=politics", "http://a.th/x?sid=politics"),
        ("http://a.th/x?sessionid=autumn-meeting-of-2014", None),
        ("http://a.th/x?id=0123456789abcdef0123456789abcdef", None),
        ("http://a.th/x?xutm_source=1", None),
        ("http://a.th/x?q=utm_source", None),
        ("http://a.th/utm_source=1", None),
        ("http://a.th/x;v=1?y", None),
    ],
)
def test_links_lose_what_names_a_visitor_and_keep_what_names_a_page(
    given: str, expected: str | None
) -> None:
    assert without_noise(given) == (expected or given)


@settings(max_examples=500, deadline=None)
@given(
    st.from_regex(r"https?://[a0x.-]{1,9}", fullmatch=True),
    st.sampled_from([".com", ".co.th", ".1", ".0x", ".0xa", ".a-", "xn--", ".xn--o3cw4h", ""]),
    st.from_regex(r"[aZ0/._~;?=(S)-]{0,9}", fullmatch=True),
)
def test_a_link_is_canonical_whether_it_has_to_be_parsed_or_not(
    begin: str, end: str, path: str
) -> None:
    href = f"{begin}{end}/{path}"
    url = canonical(href)
    assert Resolver("http://example.com/").link(href) == (without_noise(url) if url else None)
