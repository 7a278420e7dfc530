"""Elements without end within each other cost a bounded time."""

from __future__ import annotations

import time

import pytest

from langcrawl.page import extract
from langcrawl.records import Charsets

URL = "http://www.example.th/"


@pytest.mark.parametrize(
    "opened",
    [
        "<div>", "<DIV CLASS=x>", "<ul><li>x", "<ol><li>", "<span>", "<table><tr><td>",
        "<blockquote>x", "<dl><dd>", "<object><a href=/x>", "<p></p><div>", "<svg><g>",
        "<div><object></div></object>",
    ],
)  # fmt: skip
def test_deep_pages_are_cut_and_noted(opened: str) -> None:
    html = f"<p>first <a href=/a>a</a>{opened * 40_000}last"
    began = time.process_time()
    content = extract(html, URL, Charsets())
    assert time.process_time() - began < 1
    assert "deep" in content.notes
    assert content.text.startswith("first a")
    assert next(iter(content.links)).url == "http://www.example.th/a"


@pytest.mark.parametrize(
    "row",
    [
        "<p>word", "<li>word", "<tr><td>a<td>b", "<br><img src=x>word", "<div><b>x</b></div>",
        "<ul><li>a<li>b</ul>", "<option>x", "<b><i>x</b></i>", "<div><p>x</div>", "<path d=x />",
        "</p><hr>",
    ],
)  # fmt: skip
def test_long_pages_are_not_deep(row: str) -> None:
    content = extract(f"<table>{row * 20_000}</table><a href=/z>z</a>", URL, Charsets())
    assert "deep" not in content.notes
    assert [link.url for link in content.links] == ["http://www.example.th/z"]


def test_lists_in_comments_do_not_make_a_page_deep() -> None:
    content = extract("<!--<ul>--><p>" * 600 + "<a href=/z>z</a>", URL, Charsets())
    assert content.notes == ()
    assert [link.url for link in content.links] == ["http://www.example.th/z"]
