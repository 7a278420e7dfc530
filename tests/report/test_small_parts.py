"""Cells of tables, curves as CSV, figures of a search, and texts of strangers in a report."""

from __future__ import annotations

import csv
from dataclasses import astuple

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from langcrawl.measure.curve import Point, Summary, summarize
from langcrawl.measure.results import Result, TimeReport, Trial, Tuned
from langcrawl.report.charts import MEASURES, chart
from langcrawl.report.curves import HEADS, curve_rows, curve_table, summary_table, write_curves
from langcrawl.report.samples import cut, direction_of
from langcrawl.report.table import percent, results_table
from langcrawl.report.tuning import _is_number, _values, tuning_charts, tuning_table
from reports import rows_of

NOTHING = np.empty(0, dtype=np.int32)


def result(
    name: str = "soft", hits: str = "x..x", error: str = "", time: TimeReport | None = None
) -> Result:
    found = np.array([hit == "x" for hit in hits], dtype=bool)
    queue = np.arange(len(hits), dtype=np.int32)
    summary = summarize(found, queue, max(2, int(found.sum())), 1000, 4)
    return Result(name, summary, 1234, {"too-far": 1500, "x": 7}, 0.5, False, NOTHING, time,
                  error=error)  # fmt: skip


def timed(slowed: float | None, to_90: float | None = 1234.4) -> TimeReport:
    return TimeReport(5000.6, {"0.9": to_90}, 0.255, 1.0, 2.0, 16, (), None, slowed)


def test_a_row_for_each_strategy_with_its_figures() -> None:
    table = results_table([result(), result("bfs", "....")])
    shown = [dict(zip(table.heads, row, strict=True)) for row in table.rows]
    assert shown[0] == {
        "strategy": "soft", "pages": "4", "relevant": "2", "harvest": "50.0%",
        "coverage": "100.0%", "pages to 90 %": "4", "largest queue": "1,234",
        "discarded": "1,507",
    }  # fmt: skip
    assert (shown[1]["pages to 90 %"], shown[1]["coverage"]) == ("-", "0.0%")


def test_times_are_there_where_time_passed() -> None:
    table = results_table([result(time=timed(2.54)), result("bfs", time=timed(None, None))])
    assert list(table.heads)[-4:] == ["seconds", "seconds to 90 %", "idle", "slowed by delay"]
    assert list(table.rows[0])[-4:] == ["5,001", "1,234", "26%", "2.5 x"]
    assert list(table.rows[1])[-4:] == ["5,001", "-", "26%", "-"]
    mixed = results_table([result(), result("bfs", time=timed(1.0))])
    assert list(mixed.rows[0])[-4:] == ["-"] * 4


def test_a_strategy_that_failed_has_dashes() -> None:
    table = results_table([result(error="it divides by zero"), result("bfs")])
    assert table.rows[0] == ["soft", *["-"] * 7]
    assert table.rows[1][1] == "4"
    assert [percent(share) for share in (None, 0.0, 0.12345, 1.0)] == [
        "-", "0.0%", "12.3%", "100.0%",
    ]  # fmt: skip


NAMES = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\r\0"), max_size=9)


@settings(max_examples=10)
@given(names=st.lists(NAMES, max_size=4))
@example(names=[" a, b ", 'own.py:"x"', "two\nlines"])
def test_curves_come_back_from_their_file(
    names: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    results = [result(name, "x." * (at + 1)) for at, name in enumerate(names)]
    path = tmp_path_factory.mktemp("curves") / "new" / "c.csv"
    write_curves(results, path)
    with path.open(encoding="utf-8", newline="") as file:
        head, *rows = csv.reader(file)
    assert tuple(head) == HEADS == ("strategy", "pages", "harvest", "coverage", "queue")
    assert [(row[0], *map(float, row[1:])) for row in rows] == list(curve_rows(results))
    assert list(dict.fromkeys(row[0] for row in rows)) == list(dict.fromkeys(names))
    assert curve_table(results).num_rows == len(rows)


def test_the_tables_for_programs_have_numbers_and_not_words() -> None:
    (row,) = summary_table([result(hits="x.xx")]).to_pylist()
    assert (row["strategy"], row["pages"], row["relevant"], row["discarded"]) == (
        "soft",
        4,
        3,
        1507,
    )
    assert (row["pages_to_50"], row["pages_to_90"], row["pages_to_99"]) == (3, 4, 4)
    assert (row["partial"], row["error"]) == (False, "")
    curve = curve_table([result()]).to_pylist()
    assert [tuple(point.values())[1:] for point in curve] == [
        astuple(point) for point in result().curve
    ]
    assert summary_table([]).num_rows == curve_table([]).num_rows == 0


def test_a_chart_has_a_point_for_every_point_of_every_curve() -> None:
    results = [result(), result("odd \u2028 'name'", "xx")]
    for name, measure in MEASURES.items():
        rows = rows_of(chart(results, name).to_dict())
        assert [(row["strategy"], row["pages"], row["value"]) for row in rows] == [
            (each.name, point.pages, measure.value(point))
            for each in results for point in each.curve
        ]  # fmt: skip


def test_the_measures_are_those_of_a_point() -> None:
    point = Point(10, 0.25, 0.5, 7)
    assert {name: each.value(point) for name, each in MEASURES.items()} == {
        "harvest": 0.25, "coverage": 0.5, "queue": 7,
    }  # fmt: skip


def tuned(*names: str, given_name: str = "lswc", held_out: float = 0.3) -> Tuned:
    trials = tuple(Trial(name, 0.9 - at / 10, 1000 + at, 0.1) for at, name in enumerate(names))
    checked = (Trial(names[0], 0.75, 10, 0.1), Trial(given_name, 0.5, 10, 0.1))
    return Tuned("web", "lswc", "auc", held_out, trials, checked, given_name, True)


def test_the_table_of_a_search_has_the_best_and_the_strategy_as_given() -> None:
    table = tuning_table(tuned("lswc:s=1,t=2", "lswc:s=2,t=2", "lswc:s=3,t=9"), 2)
    assert table.heads == ["strategy", "auc", "on held-out hosts", "pages"]
    assert table.rows == [
        ["lswc:s=1,t=2", "0.9000", "0.7500", "1,000"],
        ["lswc:s=2,t=2", "0.8000", "-", "1,001"],
        ["lswc (as given)", "-", "0.5000", "-"],
    ]
    same = tuning_table(tuned("lswc:s=1", "lswc:s=2", given_name="lswc:s=1"))
    assert [row[0] for row in same.rows] == ["lswc:s=1", "lswc:s=2"]


def test_only_parameters_that_were_varied_are_drawn() -> None:
    charts = tuning_charts(tuned("lswc:s=1,t=2", "lswc:s=2,t=2"))
    assert list(charts) == ["tune_s"]
    rows = rows_of(charts["tune_s"].to_dict())
    assert [(row["value"], row["best"]) for row in rows] == [(2.0, "other"), (1.0, "best")]
    words = tuning_charts(tuned("x:mode=a", "x:mode=1"))
    assert {row["value"] for row in rows_of(words["tune_mode"].to_dict())} == {"a", "1"}
    assert tuning_charts(tuned("lswc:s=1")) == {}


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("lswc:s=1,t=2", {"s": "1", "t": "2"}), ("lswc", {}), ("dir:x/own.py:rule:k=3", {"k": "3"}),
        ("limited:n=2,prioritized=true", {"n": "2", "prioritized": "true"}),
    ],
)  # fmt: skip
def test_parameters_are_read_from_the_name_of_a_strategy(name: str, values: dict[str, str]) -> None:
    assert _values(name) == values
    assert [_is_number(text) for text in ("1", "-0.5", "nan", "inf", "x", "")] == [
        True, True, False, False, False, False,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "direction"),
    [
        ("The river", "auto"), ("", "auto"), ("12:30 !", "auto"), ("ภาษาไทย", "auto"),
        ("שלום עולם", "rtl"), ("مرحبا بالعالم", "rtl"), ("hello hello שלום", "auto"),
        ("ᠮᠣᠩᠭᠣᠯ ᠬᠡᠯᠡ", "vertical"), ("ᠮᠣᠩᠭᠣᠯ abcdef", "vertical"), ("ꡏꡡꡃ", "vertical"),
        ("ᠮ long English text with one letter", "auto"),
    ],
)  # fmt: skip
def test_texts_are_shown_in_the_direction_of_most_of_their_letters(
    text: str, direction: str
) -> None:
    assert direction_of(text) == direction


@settings(max_examples=50)
@given(st.text(max_size=80), st.integers(1, 30))
def test_a_text_from_elsewhere_is_cut_and_turns_nothing_around(text: str, most: int) -> None:
    shown = cut(text, most)
    assert len(shown) <= most + 1
    assert all(letter.isprintable() for letter in shown)
    assert not any(mark in shown for mark in "\u202a\u202b\u202d\u202e\u2066\u2067\u200f\ufeff")
    if len(text) <= most and text.isprintable():
        assert shown == text


def test_what_was_cut_says_so() -> None:
    assert cut("ตลาดริมน้ำ", 4) == "ตลาด…"
    assert cut("a\u202eb\nc\x1b", 10) == "ab c "


def test_a_summary_without_pages_is_drawn_and_shown() -> None:
    empty = Summary(0, 0, 0.0, 0.0, {"0.9": None}, 0.0, ())
    nothing = Result("none", empty, 0, {}, 0.0, True, NOTHING)
    assert results_table([nothing]).rows == [["none", "0", "0", "0.0%", "0.0%", "-", "0", "0"]]
    assert list(curve_rows([nothing])) == []
    assert rows_of(chart([nothing, result()], "queue").to_dict())[0]["strategy"] == "soft"
