"""Numbers that a user writes, limits that they set, and records that keep to their bounds."""

from __future__ import annotations

import pickle
from math import inf, nan

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langcrawl.records import (
    Content,
    Counts,
    Limits,
    Link,
    Links,
    MainText,
    Tally,
    Verdict,
)
from langcrawl.units import read_bytes, read_count, read_seconds, read_share

COUNTS = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9}
BYTES = {"b": 1, "KB": 10**3, "MiB": 2**20, "TB": 10**12, "GiB": 2**30}
SECONDS = {"s": 1, "min": 60, "h": 3600, "d": 86400, "w": 604800}


@settings(max_examples=50)
@given(st.integers(0, 10**9), st.sampled_from([*COUNTS]), st.sampled_from(["", " ", "  "]))
def test_a_count_is_its_number_times_its_unit(number: int, unit: str, space: str) -> None:
    for written in (f"{number}", f"{number:,}", f"{number:_}"):
        assert read_count(f" {written}{space}{unit} ") == number * COUNTS[unit]
        assert read_count(f"{written}{unit.lower()}") == number * COUNTS[unit]


@settings(max_examples=50)
@given(st.integers(0, 10**6), st.sampled_from([*BYTES]), st.sampled_from([*SECONDS]))
def test_bytes_and_times_have_units_of_their_own(number: int, size: str, span: str) -> None:
    assert read_bytes(f"{number}{size}") == number * BYTES[size]
    assert read_seconds(f"{number}{span}") == number * SECONDS[span]
    assert read_seconds(f"{number}.5{span}") == pytest.approx((number + 0.5) * SECONDS[span])


@pytest.mark.parametrize(
    ("text", "share"),
    [("2%", 0.02), ("0.02", 0.02), (" 100% ", 1.0), (0, 0.0), (None, 0.0), ("None", 0.0), (1, 1.0)],
)
def test_a_share_is_a_part_of_a_whole(text: object, share: float) -> None:
    assert read_share(text) == pytest.approx(share)


@pytest.mark.parametrize("text", ["101%", "-1%", "1.5", "half", "", "%", nan, inf])
def test_what_is_no_share_is_told(text: object) -> None:
    with pytest.raises(ValueError, match=r"is not a share such as 2% or 0\.02"):
        read_share(text)


@pytest.mark.parametrize("text", [-1, nan, inf, False, "1..5", "1.5.2", "1 000", "5m2", "٣", "1h2"])
def test_numbers_in_no_form_that_is_meant_are_told(text: object) -> None:
    for read in (read_count, read_bytes, read_seconds):
        with pytest.raises(ValueError, match="is not a"):
            read(text)


@pytest.mark.parametrize(
    ("limits", "counts", "elapsed", "reached"),
    [
        (Limits(), Counts(pages=10**9, bytes=10**15), 1e9, ""),
        (Limits(max_pages=5), Counts(pages=4), 0.0, ""),
        (Limits(max_pages=5), Counts(pages=5), 0.0, "max-pages"),
        (Limits(max_pages=0), Counts(), 0.0, "max-pages"),
        (Limits(max_bytes=5), Counts(bytes=7), 0.0, "max-bytes"),
        (Limits(max_requests=5), Counts(requests=5), 0.0, "max-requests"),
        (Limits(max_time=5), Counts(), 4.9, ""),
        (Limits(max_time=5), Counts(), 5.0, "max-time"),
        (Limits(1, 1, 1), Counts(pages=1, bytes=1), 9.0, "max-pages"),
        (Limits(max_depth=0, max_pages_per_host=0), Counts(pages=9), 9.0, ""),
    ],
)
def test_a_limit_is_reached_with_its_last_page(
    limits: Limits, counts: Counts, elapsed: float, reached: str
) -> None:
    assert limits.reached(counts, elapsed) == reached


@settings(max_examples=50)
@given(
    st.integers(0, 30), st.integers(0, 30), st.integers(1, 20), st.none() | st.integers(0, 40),
    st.none() | st.integers(0, 40),
)  # fmt: skip
def test_no_more_visits_begin_than_could_all_be_pages(
    pages: int, under_way: int, connections: int, most: int | None, requests: int | None
) -> None:
    counts = Counts(pages=pages, requests=pages)
    room = Limits(max_pages=most, max_requests=requests).room(counts, under_way, connections)
    assert room <= connections - under_way
    begun = max(0, room)
    for limit in (most, requests):
        if limit is not None and begun:
            assert pages + under_way + begun <= limit
    if most is None and requests is None:
        assert room == connections - under_way


@settings(max_examples=50)
@given(st.lists(st.booleans()))
def test_a_tally_counts_hits_and_the_misses_since_the_last(outcomes: list[bool]) -> None:
    tally = Tally()
    for relevant in outcomes:
        tally.count(relevant)
    since = outcomes[::-1].index(True) if True in outcomes else len(outcomes)
    assert (tally.downloads, tally.hits, tally.misses) == (len(outcomes), sum(outcomes), since)


@pytest.mark.parametrize(
    ("given", "kept"), [(0.5, 0.5), (0, 0), (1, 1), (1.00003, 1), (-0.1, 0), (nan, 0), (inf, 1)]
)
def test_a_score_lies_within_nothing_and_one(given: float, kept: float) -> None:
    assert Verdict(score=given).score == kept


def test_what_travels_between_processes_arrives_as_it_was() -> None:
    verdict = Verdict("th", "Thai", "unicode", 0.25, True, ("because", "of"))
    links = Links.of(
        [Link("http://a.th/", "x", True, 0.5, "c", "th", "nofollow", "p"), "http://b/"]
    )
    for record in (verdict, links, Links(), Verdict()):
        again = pickle.loads(pickle.dumps(record))
        assert again == record
        assert type(again) is type(record)
    assert list(pickle.loads(pickle.dumps(links))) == list(links)


def test_a_page_declares_its_language_by_header_or_meta_before_its_element() -> None:
    assert Content(html_lang="th", content_language="en").declared_language == "en"
    assert Content(html_lang="th").declared_language == "th"
    assert Content().declared_language == ""


def test_a_main_text_is_its_paragraphs() -> None:
    assert MainText("one\ntwo").paragraphs == ["one", "two"]
    assert MainText().paragraphs == []
