"""HTML to text and links."""

from __future__ import annotations

import pytest

from langcrawl.page import extract, is_html, is_text
from langcrawl.records import Charsets, Content, Link

URL = "http://www.example.th/dir/page.html"


def read(html: str) -> Content:
    return extract(html, URL, Charsets())


def test_links_stand_in_document_order_with_their_anchors() -> None:
    content = read(
        """<a href="b.html">one  <b>two</b></a> <a href='/c'>three</a>
        <a href="//other.com/x?y=1#z">four</a> <a href="mailto:x@y.z">no</a> <a>no</a>
        <a href="https://HOST.com">five</a>"""
    )
    assert content.links == (
        Link("http://www.example.th/dir/b.html", "one two"),
        Link("http://www.example.th/c", "three"),
        Link("http://other.com/x?y=1", "four"),
        Link("https://host.com/", "five"),
    )


def test_the_first_base_counts_wherever_it_stands() -> None:
    content = read('<a href="x">1</a><base href="/b/"><base href="/c/"><a href="y">2</a>')
    assert [link.url for link in content.links] == [
        "http://www.example.th/b/x",
        "http://www.example.th/b/y",
    ]


def test_frames_and_image_maps_are_links() -> None:
    content = read('<iframe src="f.html"></iframe><map><area href="m.html" alt="Map"></map>')
    assert content.links == (
        Link("http://www.example.th/dir/f.html", ""),
        Link("http://www.example.th/dir/m.html", "Map"),
    )
    frames = read(
        '<html><frameset><frame src="menu.html"><frame src="main.html"></frameset></html>'
    )
    assert [link.url.rsplit("/")[-1] for link in frames.links] == ["menu.html", "main.html"]


def test_an_image_speaks_for_its_link_by_its_alternative_text() -> None:
    content = read('<a href="x"><img src="i.png" alt="ข่าว"></a><a href="y"><img src="j.png"></a>')
    assert [link.anchor for link in content.links] == ["ข่าว", ""]


def test_nofollow_is_noted_on_links_and_for_whole_pages() -> None:
    content = read('<a href="x" rel="UGC NoFollow">1</a><a href="y">2</a>')
    assert [link.nofollow for link in content.links] == [True, False]
    content = read('<meta name="ROBOTS" content="noindex, NOFOLLOW"><a href="y">2</a>')
    assert [link.nofollow for link in content.links] == [True]


@pytest.mark.parametrize(
    ("html", "language"),
    [
        ('<html lang="th-TH"><p>x', "th-TH"),
        ('<meta http-equiv="Content-Language" content="th">', "th"),
        ('<html lang="en"><meta http-equiv="content-language" content="my">', "my"),
        ("<p>x", ""),
    ],
)
def test_the_declared_language_is_noted(html: str, language: str) -> None:
    assert read(html).declared_language == language


def test_text_is_what_a_reader_sees() -> None:
    content = read(
        "<title>T</title><style>p{}</style><script>var x</script><p>ก&#3586;&amp;</p><!-- c -->"
    )
    assert "กข&" in content.text
    assert "var x" not in content.text
    assert "p{}" not in content.text


@pytest.mark.parametrize("html", ["", "\x00\ufffd", "<a href=", "<" * 5000, "</html>" * 100])
def test_broken_html_does_not_fail(html: str) -> None:
    assert isinstance(read(html), Content)


def test_what_is_html_is_said_by_the_type_or_else_by_the_first_bytes() -> None:
    assert is_html("text/html; charset=x", b"")
    assert is_html("application/xhtml+xml", b"")
    assert is_html("", b"\n <!DOCTYPE HTML>")
    assert not is_html("", b"%PDF-1.4")
    assert not is_html("image/png", b"<html>")
    assert is_text("text/plain; charset=tis-620", b"x")
    assert not is_text("text/html", b"x")


def test_a_huge_page_gives_all_its_links_and_the_text_of_its_beginning() -> None:
    html = f"<p>{'word ' * 2000}</p>" * 100 + '<a href="/last">last</a>'
    content = extract(html, "http://a.th/", Charsets())
    assert [link.url for link in content.links] == ["http://a.th/last"]
    assert 400_000 < len(content.text) <= 500_000


def test_the_fonts_that_a_page_names_are_noted_however_they_are_written() -> None:
    content = read(
        """<style>p { FONT-Family : "WinInnwa", Arial !important; }</style>
        <font size=2 Face='Zawgyi-One'>x</font><font FACE=Myanmar3>y</font>
        <p style="font-family: Arial">z</p><p surface="rough">no</p>"""
    )
    assert content.fonts == ("WinInnwa", "Arial", "Zawgyi-One", "Myanmar3")
    assert read("<p>facebook, a typeface</p>").fonts == ()
