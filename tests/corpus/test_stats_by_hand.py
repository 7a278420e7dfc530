"""Counts of a corpus: units of text against their letters, and figures that were made by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commands import run_here
from langcrawl.corpus.stats import Group, Stats, _slope
from langcrawl.corpus.stats_report import charts, lead, tables
from langcrawl.corpus.units import split_units, unit_of
from reports import rows_of

MADE = Stats(
    corpus="thai", documents=1200, characters=500_000, words=90_000, unit="words",
    units={"words": 1200}, types=8000,
    lengths={"shortest": 3, "quarter": 90, "median": 1400, "three_quarters": 2000, "longest": 9999},
    groups={
        "host": [Group("a.th", 900, 400_000, 70_000), Group("", 300, 100_000, 20_000)],
        "month": [Group("2026-01", 600, 1, 1), Group("2026-02", 600, 1, 1)],
    },
    distinct={"host": 40, "month": 2}, type_token=[(0, 0), (50, 20), (90_000, 8000)],
    rank_frequency=[(1, 900, "the"), (2, 450, "<b>of</b>"), (3, 300, "and")], zipf=-1.0,
    repeated_lines=[("Home | News", 40, 38)],
)  # fmt: skip


def test_the_lead_says_how_large_a_corpus_is() -> None:
    assert lead(MADE) == (
        "1,200 documents with 500,000 characters and 90,000 words, 8,000 of them different; half "
        "of the documents have 1,400 characters or fewer, the longest 9,999."
    )


def test_every_table_has_its_title_and_its_shares() -> None:
    host, month, words, types, lines = tables(MADE)
    assert host.title == "By host, the first 2 of 40"
    assert host.rows == [
        ["a.th", "900", "75.0%", "400,000", "70,000"],
        ["unknown", "300", "25.0%", "100,000", "20,000"],
    ]
    assert month.title == "By month"
    assert words.title == "Most frequent words (slope -1.00)"
    assert words.rows[0] == ["the", "1", "900", "1.0%"]
    assert types.rows[-1] == ["90,000", "8,000", "0.0889"]
    assert lines.rows == [["Home | News", "40", "38"]]


def test_charts_show_the_numbers_of_the_tables() -> None:
    drawn = charts(MADE)
    assert list(drawn) == ["host", "month", "type_token", "rank_frequency"]
    assert rows_of(drawn["host"].to_dict()) == [
        {"name": "a.th", "documents": 900}, {"name": "unknown", "documents": 300},
    ]  # fmt: skip
    assert rows_of(drawn["rank_frequency"].to_dict())[1] == {"rank": 2, "times": 450}
    assert rows_of(drawn["type_token"].to_dict())[-1] == {"words": 90_000, "types": 8000}


def test_the_json_has_the_ratio_and_a_list_for_each_group() -> None:
    document = MADE.as_json()
    assert document["type_token_ratio"] == 8000 / 90_000
    assert document["by_host"][0] == {
        "host": "a.th", "documents": 900, "characters": 400_000, "words": 70_000,
    }  # fmt: skip
    assert document["rank_frequency"][0] == {"rank": 1, "frequency": 900, "word": "the"}
    assert document["repeated_lines"] == [{"line": "Home | News", "times": 40, "documents": 38}]
    assert json.loads(json.dumps(document, allow_nan=False)) == document


@pytest.mark.parametrize("power", [-2.0, -1.0, -0.5])
def test_the_slope_of_a_power_law_is_its_exponent(power: float) -> None:
    frequencies = [round(1e9 * rank**power) for rank in range(1, 400)]
    assert _slope(frequencies) == pytest.approx(power, abs=0.01)
    assert _slope([5, 3]) is None


LETTERS = st.text(st.sampled_from("abcXYZ éñжд'’ 12.,-"), max_size=40)


@settings(max_examples=40)
@given(LETTERS)
def test_words_are_runs_of_letters_and_digits_in_small_letters(text: str) -> None:
    plain = "".join(
        letter if letter.isalnum() or letter in "'’" else " " for letter in text.lower()
    )
    expected = [word.strip("'’") for word in plain.split()]
    joined = "".join(split_units(text, "words")).replace("'", "").replace("’", "")
    assert joined == "".join(expected).replace("'", "").replace("’", "")
    assert all(word == word.lower() and " " not in word for word in split_units(text, "words"))


CLUSTER = st.builds(
    str.__add__,
    st.sampled_from("กขคงจเแโ"),
    st.text(st.sampled_from("\u0e48\u0e49\u0e34\u0e38"), max_size=2),
)


@settings(max_examples=40)
@given(st.lists(CLUSTER, max_size=12), st.sampled_from(["", " ", "\n"]))
def test_a_grapheme_is_a_letter_with_its_marks(clusters: list[str], between: str) -> None:
    assert split_units(between.join(clusters), "graphemes") == clusters


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("The river", "words"), ("ภาษาไทย", "graphemes"), ("မြန်မာစာ", "syllables"),
        ("日本語です", "graphemes"), ("བོད་སྐད", "syllables"), ("", "words"), ("123 456", "words"),
        ("English with ไทย", "words"), ("русский язык", "words"), ("ខ្មែរ", "graphemes"),
    ],
)  # fmt: skip
def test_a_text_is_counted_in_what_most_of_its_letters_ask_for(text: str, unit: str) -> None:
    assert unit_of(text) == unit


def test_a_corpus_of_json_lines_is_counted_line_by_line(tmp_path: Path) -> None:
    rows = [
        {"text": "one two two", "url": "http://a.th/1", "language": "en", "date": "2026-01-31"},
        {"text": "two\ntwo three", "url": "https://b.th/x", "language": "en", "date": "2026-02-01"},
        {"text": None, "url": "http://a.th/2", "language": None, "date": "2026-02-03"},
    ]
    (tmp_path / "c.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = run_here(tmp_path, "stats", "c.jsonl", "--json").json
    assert (found["documents"], found["words"], found["types"]) == (3, 6, 3)
    assert found["characters"] == len("one two two") + len("two\ntwo three")
    assert [(each["host"], each["documents"]) for each in found["by_host"]] == [
        ("a.th", 2), ("b.th", 1),
    ]  # fmt: skip
    assert [(each["language"], each["documents"]) for each in found["by_language"]] == [
        ("en", 2), ("", 1),
    ]  # fmt: skip
    assert [each["month"] for each in found["by_month"]] == ["2026-01", "2026-02"]
    assert found["rank_frequency"][0] == {"rank": 1, "frequency": 4, "word": "two"}
    assert (found["lengths"]["shortest"], found["lengths"]["longest"]) == (0, 13)
    shown = run_here(tmp_path, "stats", "c.jsonl", "--top", "1")
    assert shown.out.startswith("3 documents with 24 characters and 6 words")
    assert "By host, the first 1 of 2" in shown.out


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("c.parquet", b"no parquet", "cannot be read"),
        ("c.jsonl", b"", "there is no document in 'c.jsonl'"),
        ("c.jsonl", b'{"body": "x"}\n', "has no column 'text', only body"),
        ("c.txt", b"\xff\xfe", "is not text in UTF-8"),
        ("c.txt", b"\n\n\n", "there is no document"),
    ],
)
def test_a_damaged_or_empty_corpus_is_named(
    tmp_path: Path, name: str, data: bytes, says: str
) -> None:
    (tmp_path / name).write_bytes(data)
    run_here(tmp_path, "stats", name, "--json").check_refused(1, says)
