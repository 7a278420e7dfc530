"""Filters: what each threshold leaves out, where exactly it lies, and which reason is named."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langcrawl.corpus.quality import (
    KEPT_BY,
    REASONS,
    Filters,
    most_left_out,
    repeated_share,
    symbol_share,
    text_length,
)

NO_BOUNDS = {
    "min_chars": 0, "max_symbols": None, "max_repeated_lines": None, "min_mean_line": None,
}  # fmt: skip
LINES = st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\n"), min_size=1))


@pytest.mark.parametrize(
    ("bounds", "paragraphs", "reason"),
    [
        ({"min_chars": 7}, ["abc", "def"], ""),  # seven with the end of the line between them
        ({"min_chars": 8}, ["abc", "def"], "short"),
        ({"max_chars": 7}, ["abc", "def"], ""),
        ({"max_chars": 6}, ["abc", "def"], "long"),
        ({"min_mean_line": 3.5}, ["abc", "def"], ""),
        ({"min_mean_line": 3.6}, ["abc", "def"], "short-lines"),
        ({"max_repeated_lines": 0.5}, ["abcd", "abcd"], ""),
        ({"max_repeated_lines": 0.49}, ["abcd", "abcd"], "repeated-lines"),
        ({"max_symbols": 0.5}, ["ab--"], ""),
        ({"max_symbols": 0.49}, ["ab--"], "symbols"),
        ({}, [], "no-text"),
        ({"min_chars": 50}, [], "no-text"),
        ({}, ["-"], ""),
    ],
)
def test_a_bound_itself_is_still_within(
    bounds: dict[str, float], paragraphs: list[str], reason: str
) -> None:
    filters = Filters(**{**NO_BOUNDS, **bounds})  # type: ignore[arg-type]
    assert filters.reason(1.0, paragraphs) == reason


@pytest.mark.parametrize(("score", "reason"), [(0.5, ""), (0.499, "score"), (1.0, "")])
def test_a_score_below_the_least_is_left_out(score: float, reason: str) -> None:
    assert Filters(min_score=0.5, min_chars=1).reason(score, ["a long line of text"]) == reason


def test_reasons_are_named_in_the_order_in_which_they_are_listed() -> None:
    """A text with every fault has the first; with that bound away, the next, and so on."""
    strict = {
        "min_score": 0.9, "min_chars": 100, "max_chars": 3, "min_mean_line": 50.0,
        "max_repeated_lines": 0.1, "max_symbols": 0.1,
    }  # fmt: skip
    reasons = {
        "score": "min_score", "short": "min_chars", "long": "max_chars",
        "short-lines": "min_mean_line", "repeated-lines": "max_repeated_lines",
        "symbols": "max_symbols",
    }  # fmt: skip
    found = []
    while reason := Filters(**strict).reason(0.5, ["--", "--"]):  # type: ignore[arg-type]
        found.append(reason)
        strict[reasons[reason]] = 0 if reason == "short" else None  # type: ignore[assignment]
    assert found == list(reasons)
    assert found == [reason for reason in REASONS if reason in found]


@pytest.mark.parametrize(
    ("host", "wanted", "unwanted", "out"),
    [
        ("a.org", (), (), False),
        ("a.org", ("a.org",), (), False),
        ("www.a.org", ("a.org",), (), False),
        ("www.a.org:8080", ("a.org",), (), False),
        ("a.org:8080", ("a.org:8080",), (), False),
        ("ba.org", ("a.org",), (), True),
        ("a.org", ("www.a.org",), (), True),
        ("a.org", (), ("a.org",), True),
        ("x.a.org", ("a.org",), ("x.a.org",), True),
        ("y.a.org", ("a.org", "b.org"), ("x.a.org",), False),
    ],
)
def test_a_host_stands_for_those_below_it(
    host: str, wanted: tuple[str, ...], unwanted: tuple[str, ...], out: bool
) -> None:
    filters = Filters(hosts=wanted, not_hosts=unwanted)
    assert filters.before_reading(host, 0.0) == ("host" if out else "")


@pytest.mark.parametrize(
    ("since", "until", "moment", "out"),
    [
        (None, None, 0.0, False), (10.0, None, 10.0, False), (10.0, None, 9.9, True),
        (None, 10.0, 9.9, False), (None, 10.0, 10.0, True), (5.0, 10.0, 7.0, False),
        (5.0, None, 0.0, True),  # a page whose time is not known is not known to be new
    ],
)  # fmt: skip
def test_days_begin_with_the_first_and_end_before_the_last(
    since: float | None, until: float | None, moment: float, out: bool
) -> None:
    found = Filters(since=since, until=until).before_reading("a.org", moment)
    assert found == ("date" if out else "")


@given(LINES)
def test_the_length_is_that_of_the_text_as_it_is_written(paragraphs: list[str]) -> None:
    assert text_length(paragraphs) == len("\n".join(paragraphs))


@given(LINES)
def test_a_share_of_repeated_lines_lies_within_0_and_1_and_grows_when_all_is_said_twice(
    paragraphs: list[str],
) -> None:
    share = repeated_share(paragraphs)
    if paragraphs:
        assert 0.0 <= share < 1.0
        assert repeated_share(paragraphs * 2) == pytest.approx((1 + share) / 2)
        assert repeated_share(sorted(set(paragraphs))) == pytest.approx(0.0, abs=1e-12)


@given(st.text(st.characters(max_codepoint=0x1FFFF)))
def test_symbols_are_what_unicode_says_is_neither_letter_mark_number_nor_space(text: str) -> None:
    def is_space(sign: str) -> bool:
        return sign.isspace() or unicodedata.category(sign) in ("Zs", "Cf")

    signs = [sign for sign in text if not is_space(sign)]
    symbols = sum(unicodedata.category(sign)[0] in "PSC" for sign in signs)
    assert symbol_share(text) == pytest.approx(symbols / max(len(signs), 1))


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("", 0.0), ("   \n\t", 0.0), ("...", 1.0), ("ก็ที่", 0.0), ("हिन्दी", 0.0), ("12 34", 0.0),
        ("a\u200b\u200db", 0.0),  # what nobody sees is no symbol
        ("\U00020000\U0002a6df", 0.0),  # rare ideographs
        ("😀a", 0.5), ("\ue000a", 0.5), ("\ud800a", 0.5),
    ],
)  # fmt: skip
def test_letters_of_every_script_are_letters(text: str, share: float) -> None:
    assert symbol_share(text) == share


@pytest.mark.parametrize(
    ("dropped", "sentence"),
    [
        ({}, ""),
        ({"no-text": 5}, ""),  # no option brings these back
        ({"short": 1}, "1 was left out as short: --min-chars 0 keeps it."),
        ({"short": 2, "near": 1500}, "1,500 were left out as near: --no-near keeps them."),
    ],
)
def test_the_option_that_keeps_most_is_named(dropped: dict[str, int], sentence: str) -> None:
    assert most_left_out(dropped) == sentence


def test_every_reason_with_an_option_is_a_reason() -> None:
    assert set(KEPT_BY) <= set(REASONS)
