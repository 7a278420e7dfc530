"""The report of a search for parameters."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.reports import HOSTILE, check_harmless, read_report, rows_of

from langcrawl.measure.results import Trial, Tuned
from langcrawl.report.tuning import save_tuning_plot, tuning_charts, tuning_table, write_tuning

TRIALS = (
    Trial("lswc:s=3,t=10", 0.9, 4_000, 0.1),
    Trial("lswc:s=3,t=9", 0.8, 3_000, 0.1),
    Trial("lswc:s=3,t=2", 0.7, 2_000, 0.1),
)
FOUND = Tuned(
    log="web",
    strategy="lswc:s=3",
    measure="auc",
    held_out=0.3,
    trials=TRIALS,
    checked=(replace(TRIALS[0], score=0.6), Trial("lswc:s=3", 0.5, 9, 0.1)),
    given="lswc:s=3",
    complete=True,
)


def test_the_best_come_first_and_the_strategy_as_given_last() -> None:
    table = tuning_table(FOUND)
    assert table.heads == ["strategy", "auc", "on held-out hosts", "pages"]
    assert table.rows == [
        ["lswc:s=3,t=10", "0.9000", "0.6000", "4,000"],
        ["lswc:s=3,t=9", "0.8000", "-", "3,000"],
        ["lswc:s=3,t=2", "0.7000", "-", "2,000"],
        ["lswc:s=3 (as given)", "-", "0.5000", "-"],
    ]
    assert [row[0] for row in tuning_table(FOUND, 1).rows] == [
        "lswc:s=3,t=10", "lswc:s=3 (as given)",
    ]  # fmt: skip


def test_a_strategy_that_was_tried_as_given_has_one_row() -> None:
    assert len(tuning_table(replace(FOUND, given=TRIALS[1].name)).rows) == 3


def test_only_what_was_varied_is_drawn_and_numbers_are_in_their_order() -> None:
    charts = tuning_charts(FOUND)
    assert list(charts) == ["tune_t"]
    drawn = rows_of(charts["tune_t"].to_dict())
    assert [row["value"] for row in drawn] == [2.0, 9.0, 10.0]  # not the text: "10" < "2" < "9"
    assert [row["best"] for row in drawn] == ["other", "other", "best"]


@pytest.mark.parametrize("odd", ["true", "nan", "inf", ""])
def test_values_that_are_no_numbers_are_drawn_as_words(odd: str) -> None:
    trials = (Trial("x:a=1", 0.9, 1, 0.1), Trial(f"x:a={odd}", 0.8, 1, 0.1))
    drawn = rows_of(tuning_charts(replace(FOUND, trials=trials))["tune_a"].to_dict())
    assert {row["value"] for row in drawn} == {"1", odd}


def test_a_strategy_of_the_users_own_has_its_parameters_after_its_file() -> None:
    trials = tuple(Trial(f"a=b/own.py:near:most={n}", 0.9, 1, 0.1) for n in (1, 3))
    assert list(tuning_charts(replace(FOUND, trials=trials))) == ["tune_most"]


def test_the_page_has_the_table_the_charts_and_what_was_measured(tmp_path: Path) -> None:
    write_tuning(tmp_path / "t.html", FOUND)
    report = read_report(tmp_path / "t.html")
    assert report.heading == "Parameters of lswc:s=3 on web"
    assert report.lead == "The best: lswc:s=3,t=10"
    assert report.facts[0] == "Measured: mean coverage over the crawl (auc)."
    assert report.facts[1].startswith("Held out: 30% of the hosts")
    assert report.tables[0][1:] == tuning_table(FOUND).rows
    assert list(report.specs) == ["tune_t"]
    check_harmless(report)
    write_tuning(tmp_path / "all.html", replace(FOUND, held_out=0.0))
    assert len(read_report(tmp_path / "all.html").facts) == 1


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_stay_text(tmp_path: Path, name: str) -> None:
    word = name.replace(":", "")  # in a value it would end the strategy's name
    trials = tuple(Trial(f"{name}:{word}={n},b={word}{n}", 0.5, 1, 0.1) for n in (1, 2))
    tuned = replace(FOUND, log=name, strategy=name, given=name, trials=trials)
    write_tuning(tmp_path / "t.html", tuned)
    report = read_report(tmp_path / "t.html")
    check_harmless(report)
    assert report.heading == f"Parameters of {name} on {name}"
    assert [row[0] for row in report.tables[0][1:]] == [
        trials[0].name, trials[1].name, f"{name} (as given)",
    ]  # fmt: skip
    assert {row["strategy"] for row in rows_of(report.specs["tune_b"])} == {
        trial.name for trial in trials
    }


def test_a_search_of_one_trial_has_no_chart_and_still_a_page_and_a_picture(tmp_path: Path) -> None:
    one = replace(FOUND, trials=TRIALS[:1], checked=(), complete=False)
    write_tuning(tmp_path / "t.html", one)
    assert read_report(tmp_path / "t.html").specs == {}
    save_tuning_plot(tmp_path / "t.svg", one)
    assert (tmp_path / "t.svg").read_text("utf-8").startswith("<svg")
