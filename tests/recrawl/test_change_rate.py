"""How likely a page has changed is estimated from its visits, and from those of its neighbours."""

from __future__ import annotations

import numpy as np
import pytest

from langcrawl.recrawl.change_rate import RATES, Intervals, change_probability

DAY = 86_400.0


def one_page(intervals: list[tuple[float, bool]], since: float = DAY) -> float:
    seen = Intervals(
        np.zeros(len(intervals), np.int64),
        np.array([seconds for seconds, _ in intervals]),
        np.array([changed for _, changed in intervals]),
    )
    zero = np.zeros(1, np.int64)
    return float(change_probability(np.array([since]), zero, zero, seen)[0])


def test_many_visits_lead_to_the_estimate_of_cho_and_garcia_molina() -> None:
    for changes in (5, 20, 40):
        visits = 50
        seen = [(DAY, at < changes) for at in range(visits)]
        rate = -np.log((visits - changes + 0.5) / (visits + 0.5))  # their equation, a day
        assert one_page(seen) == pytest.approx(1 - np.exp(-rate), abs=0.06)


def test_it_grows_with_time_and_with_changes_seen() -> None:
    assert one_page([]) < one_page([], 30 * DAY) < one_page([], 3000 * DAY)
    quiet, busy = [(DAY, False)] * 4, [(DAY, True)] * 4
    assert one_page(quiet) < one_page([]) < one_page(busy)
    assert one_page([(0.01, False)]) == pytest.approx(one_page([]), abs=0.02)
    assert one_page([], since=-5.0) == pytest.approx(0.0, abs=1e-9)


def test_pages_of_a_host_that_changes_often_are_expected_to_change() -> None:
    pages = 40
    host = np.repeat([0, 1], pages // 2)
    depth = np.full(pages, 2)
    since = np.full(pages, DAY)
    visited = np.array([0, 1, 2, 3, 4, 20, 21, 22, 23, 24])
    seen = Intervals(np.repeat(visited, 3), np.full(30, DAY), np.repeat(visited < 20, 3))
    chance = change_probability(since, host, depth, seen)
    assert chance[10:20].min() > 2 * chance[30:].max()  # none of these was ever visited twice
    shallow = change_probability(since, host, np.zeros(pages, np.int64), NOBODY)
    assert (shallow > change_probability(since, host, depth, NOBODY)).all()


NOBODY = Intervals(np.zeros(0, np.int64), np.zeros(0), np.zeros(0, bool))


def test_a_budget_finds_more_changes_than_by_age() -> None:
    """Pages with rates that the estimate is not told; half of them are asked for each day."""
    random = np.random.default_rng(5)
    pages, days = 600, 30
    rate = 10 ** random.uniform(-2.5, 0.0, pages)  # a day
    host = np.repeat(np.arange(20), 30)
    found = {}
    for how in ("estimate", "age"):
        last, changed_at = np.zeros(pages), np.zeros(pages)
        seen: list[tuple[int, float, bool]] = []
        total = 0
        draw = np.random.default_rng(6)
        for day in range(1, days + 1):
            changes = draw.random(pages) < 1 - np.exp(-rate)
            changed_at[changes] = day - 0.5
            age = (day - last) * DAY
            if how == "age":
                order = np.lexsort((random.random(pages), -age))
            else:
                columns = [np.array(column) for column in zip(*seen, strict=True)] or [[], [], []]
                intervals = Intervals(
                    np.array(columns[0], np.int64), np.array(columns[1], float),
                    np.array(columns[2], bool),
                )  # fmt: skip
                chance = change_probability(age, host, np.full(pages, 1), intervals)
                order = np.argsort(-chance, kind="stable")
            for page in order[:100].tolist():
                is_new = bool(changed_at[page] > last[page])
                seen.append((page, (day - last[page]) * DAY, is_new))
                total += is_new
                last[page] = day
        found[how] = total
    print(found)
    assert found["estimate"] > 1.15 * found["age"]


def test_the_rates_span_from_an_hour_to_years() -> None:
    assert RATES.max() == pytest.approx(1 / 3600)
    assert RATES.min() < 1 / (365 * DAY)
