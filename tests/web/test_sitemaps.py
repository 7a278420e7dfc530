"""Sitemaps in all their forms, well made, broken and hostile."""

from __future__ import annotations

import gzip
import time

import pytest

from langcrawl.archive.exchange import Exchange
from langcrawl.web.sitemaps import Sitemap, read_sitemap, sitemap_in

URL = "http://a.th/sitemap.xml"
TWO = ("http://a.th/1", "http://a.th/2?x=1&y=2")
XML = """<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>http://a.th/1</loc><lastmod>2024-01-01</lastmod></url>
<url><loc>
  http://a.th/2?x=1&amp;y=2
</loc><image:image><image:loc></image:loc></image:image></url>
</urlset>"""
INDEX = """<sitemapindex><sitemap><loc>http://a.th/1</loc></sitemap>
<sitemap><loc>
 <![CDATA[ http://a.th/2?x=1&y=2 ]]>
</loc></sitemap></sitemapindex>"""
RSS = """<rss version="2.0"><channel><link>http://a.th/1</link>
<atom:link href="http://a.th/feed" rel="self"/>
<item><title>x</title><link><![CDATA[http://a.th/2?x=1&y=2]]></link></item></channel></rss>"""
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><link rel="self" href="http://a.th/atom"/>
<link href="/1"/><entry><link rel='alternate' href='http://a.th/2?x=1&amp;y=2'/></entry></feed>"""
TEXT = "\ufeffhttp://a.th/1\r\nhttp://a.th/2?x=1&y=2\r\n\r\nUser-agent: no\nftp://a.th/\n"


@pytest.mark.parametrize("text", [XML, INDEX, RSS, ATOM, TEXT])
def test_every_form_gives_its_urls_in_order(text: str) -> None:
    expected = Sitemap(TWO, is_index=text is INDEX)
    assert read_sitemap(URL, text.encode()) == expected
    assert read_sitemap(URL, gzip.compress(text.encode())) == expected
    assert read_sitemap(URL, text.removeprefix("\ufeff").encode("utf-16")) == expected


@pytest.mark.parametrize(
    "body",
    [
        XML.replace("</urlset>", "").encode(),
        XML.replace("</lastmod>", "</lastmod").encode(),
        XML.replace("<lastmod>", "<lastmod>\0\x01 & < ").encode(),
        XML.replace("2024", "\xff").encode("latin-1"),
        XML.replace("<lastmod>", "<!-- <loc>http://a.th/3</loc> --><lastmod>").encode(),
        XML.encode() + b"<!-- <loc>http://a.th/3</loc>",
    ],
)
def test_of_a_broken_file_what_can_be_had_is_taken(body: bytes) -> None:
    assert read_sitemap(URL, body).urls == TWO


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\0\xff\xfe nonsense",
        b"<html><link rel=stylesheet href=/x><a href='http://a.th/'>no sitemap</a>",
        b"\x1f\x8bnot gzip",
    ],
)
def test_what_is_no_sitemap_is_none(body: bytes) -> None:
    assert read_sitemap(URL, body) is None


def test_what_is_no_web_address_is_left_out() -> None:
    body = (
        b"<urlset><url><loc>javascript:alert(1)</loc><loc>file:///etc/passwd</loc></url></urlset>"
    )
    assert read_sitemap(URL, body) == Sitemap(())


def answered(kind: str, body: bytes, status: int = 200) -> Exchange:
    headers = ((b"Content-Type", kind.encode()),)
    return Exchange(URL, "", 0, 0, (), status, "", "1.1", headers, body, body)


@pytest.mark.parametrize(
    ("kind", "body", "is_page"),
    [
        ("text/html", b"<html><p>a page</p>", True),
        ("text/html", b"<!DOCTYPE html><p>a page</p><loc>http://a.th/x</loc>", True),
        ("text/html", b"<p>a page</p>", True),
        ("text/plain", b"words and no address", True),
        ("application/xhtml+xml", b'<?xml version="1.0"?><!-- x --><html><p>a', True),
        ("text/html", b"<urlset><url><loc>http://a.th/1</loc>", False),
        ("text/html", b"http://a.th/1", False),
        ("text/xml", b"<rss><channel><description><![CDATA[<html>]]></description>", False),
        ("application/pdf", b"%PDF", False),
    ],
)
def test_what_turns_out_to_be_a_page_is_a_page(kind: str, body: bytes, is_page: bool) -> None:
    assert (sitemap_in(answered(kind, body)) is None) is is_page
    assert sitemap_in(answered(kind, body, 404)) == Sitemap(())


def test_entities_are_neither_expanded_nor_fetched() -> None:
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 20))
    outside = '<!ENTITY x SYSTEM "file:///etc/passwd">'
    text = f"<!DOCTYPE a [{outside}{laughs}]><urlset><loc>http://a.th/&l19;&x;</loc></urlset>"
    begun = time.process_time()
    (url,) = read_sitemap(URL, text.encode()).urls
    assert url == "http://a.th/&l19;&x;"
    assert time.process_time() - begun < 1.0


def test_number_and_size_are_bounded() -> None:
    many = "<urlset>" + "".join(f"<loc>http://a.th/{n}</loc>" for n in range(60_000))
    assert len(read_sitemap(URL, many.encode()).urls) == 50_000
    bomb = gzip.compress(b"<urlset>" + b"<loc>http://a.th/1</loc>" * 4_000_000, 1)
    assert read_sitemap(URL, bomb).urls == ("http://a.th/1",)


@pytest.mark.parametrize("piece", ["<loc>", "<loc ", "<link ", "<link href", "<!--", "<![CDATA["])
def test_hostile_repetition_takes_linear_time(piece: str) -> None:
    for start in ("<urlset>", "<feed>"):
        begun = time.process_time()
        read_sitemap(URL, (start + piece * (2_000_000 // len(piece))).encode())
        read_sitemap(URL, (start + piece + " " * 2_000_000).encode())
        assert time.process_time() - begun < 5.0
