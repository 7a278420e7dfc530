"""The table of a simulation."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.webs import P, graph_of

from langcrawl.measure.results import TimeReport
from langcrawl.report.table import percent, results_table
from langcrawl.simulate import Plan, Result, Timing, simulate
from langcrawl.strategy import make_strategy

CHAIN = {f"s/{n}": P("th" if n < 4 else "en", (f"s/{n + 1}", "gone/")) for n in range(5)}


def run(name: str, timing: Timing | None = None) -> Result:
    return simulate(graph_of(CHAIN, ["s/0"]), make_strategy(name), Plan(timing=timing))


def test_a_row_says_what_a_strategy_did() -> None:
    table = results_table([run("bfs"), run("hard")])
    assert table.heads == [
        "strategy", "pages", "relevant", "harvest", "coverage", "pages to 90 %", "largest queue",
        "discarded",
    ]  # fmt: skip
    # The links to gone/ and to s/5 are not in the log; links of s/4 have an irrelevant parent.
    assert table.rows == [
        ["bfs", "5", "4", "80.0%", "100.0%", "4", "1", "6"],
        ["hard", "5", "4", "80.0%", "100.0%", "4", "1", "6"],
    ]


def test_thousands_are_set_apart_and_what_was_not_reached_is_a_dash() -> None:
    result = run("bfs")
    levels = dict.fromkeys(result.summary.pages_to)
    large = replace(result.summary, pages=1_234_567, relevant=1_000, pages_to=levels)
    row = results_table([replace(result, summary=large, max_queue=2_000_000)]).rows[0]
    assert row[1:3] == ["1,234,567", "1,000"]
    assert row[5:7] == ["-", "2,000,000"]


def test_time_has_columns_where_it_passed() -> None:
    timed = run("bfs", Timing(delay=2.0, connections=2))
    table = results_table([timed, run("hard")])
    assert table.heads[8:] == ["seconds", "seconds to 90 %", "idle", "slowed by delay"]
    # 5 downloads of 0.25 s with rests of 2 s, against 1.25 s; the fourth page is the last Thai one
    assert table.rows[0][8:] == ["9", "7", "93%", "7.4 x"]
    assert table.rows[1][8:] == ["-"] * 4


@pytest.mark.parametrize("factor", [None, 1.0])
def test_what_a_delay_cost_is_shown_where_it_is_known(factor: float | None) -> None:
    clock = TimeReport(10.0, {"0.9": None}, 0.5, 0.1, 1.0, 4, (), slowed_by_delay=factor)
    row = results_table([replace(run("bfs"), time=clock)]).rows[0]
    assert row[8:] == ["10", "-", "50%", "-" if factor is None else "1.0 x"]


def test_no_strategies_make_an_empty_table() -> None:
    assert results_table([]).rows == []


def test_a_share_of_nothing_is_a_dash() -> None:
    assert (percent(None), percent(0.0), percent(2 / 3)) == ("-", "0.0%", "66.7%")
