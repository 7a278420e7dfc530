"""What each signal brought: which runs are asked for, and how their results are compared."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from langcrawl.errors import UsageError
from langcrawl.measure import summarize
from langcrawl.measure.results import Result
from langcrawl.simulate.explain import rank_signals, without_each
from langcrawl.strategy.learned.start import SIGNALS

FIRST, SECOND, *_ = SIGNALS


def result(name: str, pages_to: dict[str, int | None], error: str = "") -> Result:
    none = np.empty(0, np.int32)
    summary = summarize(none.astype(bool), none, 10, 10)
    return Result(name, replace(summary, pages_to=pages_to), 0, {}, 0.0, False, none, error=error)


def test_every_signal_is_left_out_once_of_each_adaptive_strategy() -> None:
    asked = without_each(["bfs", "adaptive", "adaptive:explore=0"])
    assert len(asked) == len(set(asked)) == 2 * len(SIGNALS)
    assert asked[0] == f"adaptive:without={FIRST}"
    assert asked[len(SIGNALS)] == f"adaptive:explore=0,without={FIRST}"
    assert not any(text.startswith("bfs") for text in asked)


@pytest.mark.parametrize(
    ("strategies", "words"),
    [
        (["bfs", "soft"], "give it --strategy adaptive"),
        ([], "give it --strategy adaptive"),
        (["adaptive:without=words"], "take 'without' out of 'adaptive:without=words'"),
    ],
)
def test_what_has_no_signals_or_names_them_itself_is_refused(
    strategies: list[str], words: str
) -> None:
    with pytest.raises(UsageError, match=words):
        without_each(strategies)


def test_a_signal_saves_the_pages_that_it_costs_to_do_without_it() -> None:
    found = rank_signals(
        ["adaptive"],
        [
            result("adaptive", {"0.5": 10, "0.8": 50, "0.9": 100}),
            result(f"adaptive:without={FIRST}", {"0.9": 90}),
            result(f"adaptive:without={SECOND}", {"0.9": 140}),
        ],
    )
    assert [(each.signal, each.level, each.pages, each.saved) for each in found] == [
        (SECOND, "0.9", 140, 40),
        (FIRST, "0.9", 90, -10),
    ]
    assert found[0].as_json() == {
        "strategy": "adaptive", "signal": SECOND, "level": "0.9", "pages": 140, "saved": 40,
    }  # fmt: skip


def test_a_signal_without_which_the_level_is_never_reached_is_worth_most() -> None:
    found = rank_signals(
        ["adaptive"],
        [
            result("adaptive", {"0.9": 100}),
            result(f"adaptive:without={FIRST}", {"0.9": 5000}),
            result(f"adaptive:without={SECOND}", {"0.9": None}),
        ],
    )
    assert [(each.signal, each.saved) for each in found] == [(SECOND, None), (FIRST, 4900)]


@pytest.mark.parametrize(
    ("reached", "level"),
    [
        ({"0.5": 1, "0.8": 2, "0.9": None}, "0.8"),
        ({"0.5": 1, "0.8": None, "0.9": None}, "0.5"),
        ({"0.5": None, "0.8": None, "0.9": None}, ""),
    ],
)
def test_the_highest_level_that_was_reached_is_compared(
    reached: dict[str, int | None], level: str
) -> None:
    without = {"0.5": 7, "0.8": 7, "0.9": 7}
    found = rank_signals(
        ["adaptive"], [result("adaptive", reached), result(f"adaptive:without={FIRST}", without)]
    )
    assert [each.level for each in found] == [level]
    assert (found[0].saved is None) == (not level)


def test_runs_that_failed_or_are_missing_are_left_out_of_the_ranking() -> None:
    failed = result(f"adaptive:without={FIRST}", {"0.9": 5}, error="it failed")
    assert rank_signals(["adaptive", "bfs"], [result("adaptive", {"0.9": 1}), failed]) == []
    assert rank_signals(["adaptive"], [result(f"adaptive:without={FIRST}", {"0.9": 5})]) == []
