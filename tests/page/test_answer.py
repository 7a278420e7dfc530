"""An HTTP answer as a page and a verdict."""

from __future__ import annotations

from langcrawl.page import HEEDED_HEADERS, understand
from langcrawl.records import NO_LINKS, UNJUDGED, Content, Verdict

URL = "http://www.example.th/"
HTML = (
    b"<html lang=th><title>News</title><style>p{font-family:Tahoma}</style>"
    b"<p>one <a href=/x>two</a> three"
)


class Recorder:
    """A judge that remembers what it was shown."""

    def __init__(self) -> None:
        self.seen: list[Content] = []

    def judge(self, content: Content) -> Verdict:
        self.seen.append(content)
        return Verdict("th", relevant=True, evidence=("words",))


def test_a_page_holds_what_its_content_says() -> None:
    judge = Recorder()
    headers = {"content-language": "th-TH"}
    page, verdict, content = understand(URL, 200, "text/html", "", HTML, judge, headers=headers)
    assert judge.seen == [content]
    assert (page.title, page.html_lang, page.content_language) == ("News", "th", "th-TH")
    assert (page.fonts, page.links, page.charsets) == (
        content.fonts, content.links, content.charsets
    )  # fmt: skip
    assert content.fonts == ("Tahoma",)
    assert content.declared_language == "th-TH"
    assert (verdict.language, page.error) == ("th", "")


def test_context_is_taken_where_it_is_asked_for_only() -> None:
    page, _, _ = understand(URL, 200, "text/html", "", HTML, Recorder())
    assert page.links.contexts == ()
    page, _, _ = understand(URL, 200, "text/html", "", HTML, Recorder(), context=True)
    assert list(page.links.contexts) == ["one three"]


def test_plain_text_has_a_declared_language_and_no_links() -> None:
    headers = {"content-language": "my"}
    page, _, _ = understand(URL, 200, "text/plain", "", b"words", Recorder(), headers=headers)
    assert (page.content_language, page.title, page.links) == ("my", "", NO_LINKS)


def test_a_redirect_and_an_error_are_not_read() -> None:
    judge = Recorder()
    for status, target in ((302, URL + "x"), (404, "")):
        page, verdict, content = understand(URL, status, "text/html", "/x", HTML, judge)
        assert (page.redirect, page.title, page.links) == (target, "", NO_LINKS)
        assert (verdict, content.text) == (UNJUDGED, "")
    assert judge.seen == []


def test_every_heeded_header_makes_a_difference() -> None:
    said = {"content-language": "my", "link": "</n>; rel=next", "x-robots-tag": "noindex"}
    assert set(said) == set(HEEDED_HEADERS)
    plain, _, _ = understand(URL, 200, "text/html", "", HTML, Recorder())
    for name, value in said.items():
        page, _, _ = understand(URL, 200, "text/html", "", HTML, Recorder(), headers={name: value})
        assert page != plain
