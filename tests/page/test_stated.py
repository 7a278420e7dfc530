"""What pages state of themselves."""

from __future__ import annotations

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langcrawl.page.stated import day, read_stated


@pytest.mark.parametrize(
    ("said", "date"),
    [
        ("2024-05-31T12:00:00+07:00", "2024-05-31"), ("20240531", "2024-05-31"),
        ("2024/5/1", "2024-05-01"), ("2024-05", "2024-05"), ("2024", "2024"),
        ("2567-05-31", "2024-05-31"), ("Fri, 31 May 2024 10:00:00 GMT", "2024-05-31"),
        ("Thu, 01 Jan 1970 00:00:00 GMT", ""), ("Fri, 31 May 2567 10:00:00 GMT", "2024-05-31"),
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


def ld(text: str) -> bytes:
    return f'<script type="application/ld+json">{text}</script>'.encode()


LD_2021 = ld('{"datePublished": "2021-01-01"}')


@pytest.mark.parametrize(
    ("html", "date"),
    [
        (b"<meta name=date content=2020-01-01>" + LD_2021, "2021-01-01"),
        (b"<meta itemprop=datePublished content=2022-01-01>" + LD_2021, "2022-01-01"),
        (b"<meta name=date content=soon><time datetime=2019-01-01>", "2019-01-01"),
        (b"<time datetime=2019-01-01><meta name=last-modified content=2018-01-01>", "2018-01-01"),
        (ld('[{"datePublished": "2017-01-01"}, {"datePublished": "2016-01-01"}]'), "2017-01-01"),
        (ld('{"mentions": {"datePublished": "2017-01-01"}}'), ""),
    ],
)  # fmt: skip
def test_the_surest_date_counts(html: bytes, date: str) -> None:
    assert read_stated(html).date == date


@pytest.mark.parametrize(
    ("html", "author"),
    [
        (b"<meta name=author content='https://a.test/'><meta name=dc.creator content=B>", "B"),
        (b"<meta name=author content='  A \n B  '>", "A B"),
        (b"<meta name=author content=A><meta name=author content=B>", "A"),
        (ld('{"author": "A"}'), "A"),
        (ld('{"author": {"name": "ก"}}'), "ก"),
        (b"<meta name=author content='" + b"x" * 900 + b"'>", "x" * 300),
    ],
)  # fmt: skip
def test_an_author_is_a_name(html: bytes, author: str) -> None:
    assert read_stated(html).author == author


@pytest.mark.parametrize(
    ("html", "licence"),
    [
        (b"<a rel='nofollow license' href=/l>", "/l"),
        (b"<LINK REL=licence HREF='/l1'>", "/l1"),
        (b"<link rel=licence href='/l2'>", "/l2"),
        (b"<a rel=licensed href=/l>", ""),
        (b"<p>our license</p><a rel=license href=/l3>", "/l3"),
        (b"<meta name=dcterms.rights content='All rights reserved'>", "All rights reserved"),
        (b"see //creativecommons.org/publicdomain/zero/1.0/ there",
         "//creativecommons.org/publicdomain/zero/1.0/"),
        (b"creativecommons.org/about", ""),
    ],
)  # fmt: skip
def test_a_licence_is_where_a_link_leads_or_what_is_said_of_rights(
    html: bytes, licence: str
) -> None:
    assert read_stated(html).licence == licence


@given(st.dates(datetime.date(1990, 1, 1), datetime.date.today()))
def test_every_day_is_read_in_every_form(when: datetime.date) -> None:
    iso = when.isoformat()
    buddhist = f"{when.year + 543}-{when.month}-{when.day}"
    posted = f"{when:%a, %d %b %Y} 12:00:00 GMT"
    for said in (iso, f"{when:%Y%m%d}", f"{when:%Y/%m/%d} 10:00", buddhist, posted):
        assert day(said) == iso


@given(st.binary(max_size=300) | st.text(max_size=200).map(lambda text: ld(text)))
def test_no_bytes_make_it_fail_and_all_is_short_and_on_one_line(html: bytes) -> None:
    for said in read_stated(html):
        assert len(said) <= 300
        assert said == " ".join(said.split())


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
