"""HTML to text and links."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langcrawl.page import extract, is_html, is_text
from langcrawl.records import Charsets, Content, Link
from langcrawl.url import Resolver

URL = "http://www.example.th/dir/page.html"


def read(html: str) -> Content:
    return extract(html, URL, Charsets())


def test_links_stand_in_document_order_with_their_anchors() -> None:
    content = read(
        """<a href="b.html">one  <b>two</b></a> <a href='/c'>three</a>
        <a href="//other.com/x?y=1#z">four</a> <a href="mailto:x@y.z">no</a> <a>no</a>
        <a href="https://HOST.com">five</a>"""
    )
    assert tuple(content.links) == (
        Link("http://www.example.th/dir/b.html", "one two", tag_path="body"),
        Link("http://www.example.th/c", "three", tag_path="body"),
        Link("http://other.com/x?y=1", "four", tag_path="body"),
        Link("https://host.com/", "five", tag_path="body"),
    )


def test_the_first_base_counts_wherever_it_stands() -> None:
    content = read('<a href="x">1</a><base href="/b/"><base href="/c/"><a href="y">2</a>')
    assert [link.url for link in content.links] == [
        "http://www.example.th/b/x",
        "http://www.example.th/b/y",
    ]


@given(
    st.text("/.a~-_%?;:@ é", max_size=8),
    st.sampled_from(["", "/b/", "http://h.com:81/c/d", "mailto:x", "//u:p@h.com/"]),
)
def test_every_link_leads_where_a_browser_would_go(href: str, base: str) -> None:
    links = read(f'<base href="{base}"><a href="{href}">1</a><a href="{href}">2</a>').links
    target = Resolver(URL, base).link(href)
    assert list(links.urls) == ([target] * 2 if target else [])


def test_frames_and_image_maps_are_links() -> None:
    content = read('<iframe src="f.html"></iframe><map><area href="m.html" alt="Map"></map>')
    assert tuple(content.links) == (
        Link("http://www.example.th/dir/f.html", "", tag_path="body"),
        Link("http://www.example.th/dir/m.html", "Map", tag_path="body/map"),
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


def test_fonts_are_found_on_pages_without_font_elements_too() -> None:
    content = read(
        """<style>p { FONT-Family : "อักษร", Win\u00a0Innwa !important; } q{font-family:Arial}
        b { xfont-family: no; --font-family: Var }</style><g face=no>x</g>"""
    )
    assert content.fonts == ("อักษร", "Win\u00a0Innwa", "Arial", "Var")


@pytest.mark.parametrize(
    ("html", "title"),
    [
        ("<title> ข่าว \n วันนี้ </title><title>no</title>", "ข่าว วันนี้"),
        ("<body><p>x<title>late</title>", "late"),
        ("<html><head></head><body>x", ""),
        (f"<title>{'ab ' * 400}</title>", ("ab " * 400)[:500]),
    ],
)
def test_the_title_is_the_first_one_and_not_too_long(html: str, title: str) -> None:
    assert read(html).title == title


def test_html_and_meta_each_declare_a_language() -> None:
    content = read('<html lang=" en "><meta http-equiv="content-language" content="my,  th">')
    assert (content.html_lang, content.content_language) == ("en", "my, th")
    assert read(f"<html lang={'x' * 5000}>").html_lang == "x" * 100


def test_language_and_relation_of_links_are_noted() -> None:
    links = read(
        """<a href=1 hreflang=" th " rel="  Alternate\nNOFOLLOW ">1</a><a href=2>2</a>
        <map><area href=3 hreflang=my></map>"""
    ).links
    assert list(links.hreflangs) == ["th", "", "my"]
    assert list(links.rels) == ["alternate nofollow", "", ""]
    assert links.nofollow == {0}


def test_nothing_is_kept_of_what_no_link_says() -> None:
    links = read("<a href=1>1</a>").links
    assert (links.hreflangs, links.rels, links.contexts) == ((), (), ())


@pytest.mark.parametrize(
    ("html", "path"),
    [
        ("<div class='nav top'><ul class=langs><li><a href=x>", "body/div.nav/ul.langs/li"),
        ("<body class='  wide '><p><b class=''><a href=x>", "body.wide/p/b"),
        ("<div class=w-1/2><a href=x>", "body/div.w-1_2"),
        (f"<div class={'c' * 99}><a href=x>", f"body/div.{'c' * 32}"),
        (f"<x-{'y' * 99}><a href=x>", f"body/x-{'y' * 30}"),
        ("<table><tr><td class=c><a href=x>", "body/table/tbody/tr/td.c"),
        ("<i><b><u><s><em><code><q><kbd><tt><a href=x>", "b/u/s/em/code/q/kbd/tt"),
        ("<template><div class=t><a href=no></a></div></template><svg><g><a href=x>", "body/svg/g"),
    ],
)
def test_the_tag_path_names_the_last_eight_elements_above_a_link(html: str, path: str) -> None:
    assert list(read(html).links.tag_paths) == [path]


def test_links_within_one_element_share_a_tag_path_and_others_do_not() -> None:
    html = "<ul class=a><li><a href=1>1</a><a href=2>2</a><li class=b><a href=3>3</a></ul>"
    paths = read(f"{html}<a href=4>4</a>").links.tag_paths
    assert list(paths) == ["body/ul.a/li", "body/ul.a/li", "body/ul.a/li.b", "body"]


def test_many_links_below_many_elements_take_no_more_time_for_each() -> None:
    def seconds(times: int) -> float:
        html = "<div>" * 400 + "<p class=x><b><a href=1>word</a></b></p>" * times
        began = time.process_time()
        assert len(extract(html, URL, Charsets(), context=True).links) == times
        return time.process_time() - began

    few = min(seconds(2_000) for _ in range(3))
    assert min(seconds(8_000) for _ in range(3)) < 10 * few


def with_context(html: str) -> list[str]:
    return list(extract(html, URL, Charsets(), context=True).links.contexts)


def test_context_is_the_visible_text_on_both_sides_without_the_anchor() -> None:
    assert with_context(
        """<title>no</title><p>Read  <i>more</i> in
        <a href=1>this <b>book</b></a>, or <a href=2>ask</a>.<script>no()</script></p><p>End"""
    ) == ["Read more in , or ask. End", "Read more in this book, or . End"]


def test_inline_elements_do_not_part_words_and_others_do() -> None:
    assert with_context("<p>สวัส<b>ดี</b><a href=1>x</a></p><ul><li>a<li>b</ul>") == ["สวัสดี a b"]


def test_context_is_cut_at_a_hundred_characters_on_each_side() -> None:
    html = f"<p>{'a' * 300}<a href=1>x</a>{'b' * 300}</p>"
    assert with_context(html) == ["a" * 100 + " " + "b" * 100]


def test_links_that_nobody_sees_have_no_context() -> None:
    html = "<link rel=next href=2><p>one <iframe src=f></iframe> two<noscript><a href=3>3</a>"
    assert with_context(html) == ["", "one two", ""]


@pytest.mark.parametrize("html", ["", "<frameset><frame src=a>", "<a href=1>", "x<a href=1></a>"])
def test_context_of_small_pages(html: str) -> None:
    links = extract(html, URL, Charsets(), context=True).links
    assert len(links.contexts) == len(links)


def test_the_main_text_of_a_page_comes_with_its_content_where_it_is_asked_for() -> None:
    menu = "<nav><a href=/>Home</a> <a href=/login>Login</a></nav>"
    story = "<article><h1>Rain</h1>" + "<p>It rained all day, and all night.</p>" * 9 + "</article>"
    html = f"<html><title>Rain</title><body>{menu}{story}</body></html>"

    assert extract(html, "http://a.test/", Charsets()).main is None
    main = extract(html, "http://a.test/", Charsets(), main=True).main
    assert main is not None
    assert main.title == "Rain"
    assert main.paragraphs.count("It rained all day, and all night.") == 9
    assert "Login" not in main.text


@pytest.mark.parametrize("session", ["(S(abcdefghijklmnopqrstuvwx))", "shop;jsessionid=1F"])
@pytest.mark.parametrize("href", ["b/c.html", "./b/c.html", "b/c.html#top"])
def test_relative_links_of_a_page_in_a_session_do_not_keep_it(session: str, href: str) -> None:
    url = f"http://www.example.th/{session}/a.html"
    links = extract(f'<a href="{href}">x</a>', url, Charsets()).links
    left = "" if session.startswith("(") else "shop/"
    assert list(links.urls) == [f"http://www.example.th/{left}b/c.html"]


@pytest.mark.parametrize("base", ["", "/x/y/", "z/"])
@pytest.mark.parametrize("href", ["b.html", "b/c", "/b//c.html", "b.", "-b_~", "b/../c", "a:b"])
def test_plain_links_lead_where_the_resolver_says(base: str, href: str) -> None:
    url = "http://www.example.th/dir/a.html?x=1"
    html = f'<base href="{base}"><a href="{href}">x</a>' if base else f'<a href="{href}">x</a>'
    target = Resolver(url, base).link(href)
    assert list(extract(html, url, Charsets()).links.urls) == ([target] if target else [])
