"""What pages and servers declare beside the text: robots, refresh, canonical, neighbours."""

from __future__ import annotations

import pytest

from langcrawl.page import understand
from langcrawl.records import UNJUDGED, Content, Page, Verdict

URL = "http://www.example.th/dir/page.html"
LONG = "<p>" + "The river is low at this time of the year. " * 40


class Thai:
    def judge(self, content: Content) -> Verdict:
        return Verdict("th", relevant=True)


def answer(body: str, kind: str = "text/html", **headers: str) -> tuple[Page, Verdict]:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    page, verdict, _ = understand(URL, 200, kind, "", body.encode(), Thai(), headers=named)
    return page, verdict


def read(body: str, **headers: str) -> Page:
    return answer(body, **headers)[0]


def urls(page: Page) -> list[str]:
    return [link.url.removeprefix("http://www.example.th/") for link in page.links]


@pytest.mark.parametrize(
    ("content", "target"),
    [
        ("0;url=/next", "http://www.example.th/next"),
        ("5; URL='http://b.th/'", "http://b.th/"),
        ("0.5,url=x.html", "http://www.example.th/dir/x.html"),
        ("3 /next", "http://www.example.th/next"),
        ("0; url=mailto:x@b.th", ""),
        ("0;url=page.html", ""),
        ("5", ""),
        ("soon", ""),
    ],
)
def test_a_refresh_within_seconds_is_a_redirect(content: str, target: str) -> None:
    page, verdict = answer(f'<meta http-equiv=Refresh content="{content}"><p>Moved.')
    assert page.redirect == target
    assert ("refresh" in page.notes) == bool(target)
    assert (verdict is UNJUDGED) == bool(target)


@pytest.mark.parametrize(
    "body",
    [
        '<meta http-equiv=refresh content="60;url=/next"><p>News.',
        f'<meta http-equiv=refresh content="5;url=/next">{LONG}',
        '<noscript><meta http-equiv=refresh content="0;url=/next"></noscript><p>App.',
    ],
)
def test_a_later_refresh_or_one_of_a_real_page_is_a_link(body: str) -> None:
    page = read(body)
    assert page.redirect == ""
    assert urls(page) == ["next"]


def test_canonical_neighbours_and_other_languages_are_the_first_links() -> None:
    page = read(
        """<link rel=stylesheet href=s.css><link rel="next" href="2"><link rel=prev href=0>
        <link rel=alternate type=application/rss+xml href=feed>
        <link rel=alternate hreflang=th href=/th/><link rel=Canonical href=/proper>
        <a href=/shown>x</a>"""
    )
    assert urls(page) == ["proper", "dir/2", "dir/0", "th/", "shown"]
    assert page.notes == ("canonical",)


def test_a_page_that_is_canonical_itself_is_not_remarkable() -> None:
    page = read(f'<link rel=canonical href="{URL}#top">')
    assert (tuple(page.links), page.notes) == ((), ())


def test_the_link_header_speaks_as_link_elements_do() -> None:
    page = read("x", link='</c>; rel="canonical", </t>; rel=alternate; hreflang="th", </s>; rel=me')
    assert urls(page) == ["c", "t"]
    assert page.notes == ("canonical",)


def test_links_that_are_not_shown_say_how_they_stand_to_the_page() -> None:
    page = read(
        """<link rel=alternate hreflang=th href=/th/><link rel=canonical href=/en/>
        <link rel=alternate hreflang=en href=/en/><meta http-equiv=refresh content="60;url=/later">
        <a href=/shown>x</a>""",
        link='</my/>; rel="alternate"; hreflang="my", </x/>; hreflang; rel=alternate',
    )
    assert urls(page) == ["en/", "my/", "x/", "th/", "later", "shown"]
    assert list(page.links.hreflangs) == ["en", "my", "", "th", "", ""]
    assert list(page.links.rels) == ["canonical", "alternate", "alternate", "alternate", "", ""]
    assert list(page.links.tag_paths) == ["head", "", "", "head", "head", "body"]


@pytest.mark.parametrize(
    ("body", "header", "language"),
    [
        ("<p>x", "th", "th"),
        ('<meta http-equiv=content-language content="my"><p>x', "th", "my"),
        ('<meta http-equiv=content-language content=" "><p>x', "th,\r\n en", "th, en"),
        ("<html lang=en><p>x", "\udcff", "?"),
        ("<html lang=en><p>x", "", ""),
    ],
)
def test_the_header_declares_a_language_where_meta_is_silent(
    body: str, header: str, language: str
) -> None:
    page = read(body, content_language=header)
    assert page.content_language == language


@pytest.mark.parametrize(
    ("meta", "header", "notes"),
    [
        ("noindex, nofollow", "", ("noindex", "nofollow")),
        ("NONE", "", ("noindex", "nofollow")),
        ("", "NoIndex", ("noindex",)),
        ("index,follow", "noarchive, nofollow", ("nofollow",)),
        ("", "googlebot: noindex", ()),
        ("", "unavailable_after: 25 Jun 2030 15:00:00 PST, noindex", ("noindex",)),
    ],
)
def test_what_robots_are_asked_is_noted(meta: str, header: str, notes: tuple[str, ...]) -> None:
    page = read(f'<meta name=robots content="{meta}"><a href=x>x</a>', x_robots_tag=header)
    assert page.notes == notes
    assert next(iter(page.links)).nofollow == ("nofollow" in notes)


@pytest.mark.parametrize(
    ("body", "waits"),
    [
        ('<div id="root"></div><script src=a.js></script>', True),
        ("<noscript><b>You need to enable JavaScript.</b></noscript><script>x()</script>", True),
        ("<app-root></app-root><script src=main.js></script>", True),
        (f'<div id="root">{LONG}</div><script src=a.js></script>', False),
        ("<p>Short.</p><script src=count.js></script>", False),
        ('<div id="rooted"></div><script></script>', False),
    ],
)
def test_pages_that_are_empty_without_scripts_are_noted(body: str, waits: bool) -> None:
    assert ("javascript" in read(body).notes) == waits


def test_links_lose_session_ids_and_redirects_keep_them() -> None:
    page = read('<a href="/a;jsessionid=1F?x=1&utm_source=b">x</a>')
    assert urls(page) == ["a?x=1"]
    moved, _, _ = understand(URL, 302, "", "/a;jsessionid=1F", b"", Thai())
    assert moved.redirect == "http://www.example.th/a;jsessionid=1F"


def test_near_same_pages_have_one_fingerprint() -> None:
    first, second = read("<p>Day 12 of  May</p>"), read("<p>Day 3\nof May</p>")
    assert first.fingerprint == second.fingerprint != 0
    assert read("<p>Day 12 of June</p>").fingerprint != first.fingerprint
    assert read("<p>12</p>").fingerprint == 0


@pytest.mark.parametrize(
    ("kind", "body", "judged", "notes"),
    [
        ("text/plain", b"<!DOCTYPE html><title>x</title><a href=/y>y</a>", True, ()),
        ("application/octet-stream", b"\xef\xbb\xbf\n<html><p>x", True, ()),
        ("application/xml", b'<?xml version="1.0"?><html><p>x</p></html>', True, ()),
        ("text/plain", b"plain words", True, ()),
        ("application/octet-stream", b"MZ\x90\x00\x03", False, ()),
        ("application/pdf", b"%PDF-1.4", False, ()),
        ("text/html", b"%PDF-1.4 ...", False, ("binary",)),
        ("text/html", b"\x89PNG\r\n\x1a\n", False, ("binary",)),
        ("text/plain", bytes(range(32)) * 9, False, ("binary",)),
        ("text/html", "<p>x".encode("utf-16"), True, ()),
        ("text/html", "<p>日本語".encode("iso2022_jp"), True, ()),
    ],
)
def test_the_bytes_decide_where_the_type_is_wrong(
    kind: str, body: bytes, judged: bool, notes: tuple[str, ...]
) -> None:
    page, verdict, _ = understand(URL, 200, kind, "", body, Thai())
    assert (verdict.relevant, page.notes) == (judged, notes)
