"""What pages state of themselves."""

from __future__ import annotations

import pytest

from langcrawl.page.stated import day, read_stated


@pytest.mark.parametrize(
    ("said", "date"),
    [
        ("2024-05-31T12:00:00+07:00", "2024-05-31"), ("20240531", "2024-05-31"),
        ("2024/5/1", "2024-05-01"), ("2024-05", "2024-05"), ("2024", "2024"),
        ("2567-05-31", "2024-05-31"), ("Fri, 31 May 2024 10:00:00 GMT", "2024-05-31"),
        ("2024-13-45", "2024"), ("1066-10-14", ""), ("soon", ""), ("", ""), ("99999", ""),
    ],
)  # fmt: skip
def test_dates_of_many_forms_become_one(said: str, date: str) -> None:
    assert day(said) == date


def test_meta_elements_are_read() -> None:
    stated = read_stated(
        b"<title>Rain - The Paper</title><meta property='og:title' content='Rain &amp; sun'>"
        b"<META NAME=author CONTENT='A. Writer'><meta content=2024-05-31 name=date>"
        b"<link rel=license href=https://licence.test/>"
    )
    assert stated == ("Rain & sun", "2024-05-31", "A. Writer", "https://licence.test/")


def test_json_ld_is_read() -> None:
    stated = read_stated(
        b"""<title> Rain </title><script type="application/ld+json">
        {"@graph": [{"@type": "WebSite"}, {"datePublished": "2023-01-02",
        "author": [{"name": "A"}, {"name": "B"}],
        "license": "https://creativecommons.org/licenses/by/4.0/"}]}</script>"""
    )
    assert stated == ("Rain", "2023-01-02", "A, B", "https://creativecommons.org/licenses/by/4.0/")


def test_a_time_element_and_a_link_to_a_licence_tell_too() -> None:
    stated = read_stated(
        b"<time class=x datetime='2022-03-04'>March</time> Under "
        b"<a href='https://creativecommons.org/licenses/by-sa/4.0/deed.en'>CC</a>"
    )
    assert stated.date == "2022-03-04"
    assert stated.licence == "https://creativecommons.org/licenses/by-sa/4.0/deed.en"


@pytest.mark.parametrize(
    "html",
    [
        b"", b"<title", b"<meta name=author>", b"<meta name=author content=''>",
        b'<script type="application/ld+json">{"author": {"name": 3}, "datePublished": []}</script>',
        b'<script type="application/ld+json">' + b"[" * 50_000 + b"</script>",
        b'<script type="application/ld+json">{', b"<meta " * 50_000, b"<time " * 50_000,
        b"<a rel=" * 50_000,
    ],
)  # fmt: skip
def test_a_page_that_states_nothing_gives_nothing(html: bytes) -> None:
    assert read_stated(html) == ("", "", "", "")
