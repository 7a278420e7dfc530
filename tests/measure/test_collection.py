"""Paper 001's measures, on its own numbers and on a crawl of four pages."""

from __future__ import annotations

import numpy as np
import pytest

from langcrawl.measure.collection import Collected, by_hour


def test_the_rates_of_table_5_follow_from_table_3() -> None:
    """12 hours of N_Crawl: 68,504 pages of 10 KB, 57,001 of them correct."""
    last = Collected(12, 68_504, 57_001, accurate_mb=570.01, fault_mb=115.03, elapsed=12)
    assert last.information_mb == pytest.approx(685, abs=0.1)
    assert round(last.accuracy, 2) == 0.83
    assert last.speed == pytest.approx(47.38, abs=0.2)


def test_hours_are_counted_from_the_beginning() -> None:
    ends = np.array([10.0, 3000.0, 3700.0, 9000.0])
    sizes = np.array([1_000_000, 2_000_000, 4_000_000, 8_000_000])
    rows = by_hour(ends, sizes, np.array([True, False, True, True]), hours=3)
    assert [row.pages for row in rows] == [2, 3, 4]
    assert [row.correct for row in rows] == [1, 2, 3]
    assert [row.information_mb for row in rows] == [3.0, 7.0, 15.0]
    assert [row.accurate_mb for row in rows] == [1.0, 5.0, 13.0]
    assert [row.speed for row in rows] == [
        1.0,
        2.5,
        13 / 2.5,
    ]  # it ended after two hours and a half
    assert rows[0].accuracy == 0.5


def test_pages_may_be_finished_out_of_order_and_a_crawl_may_be_over_early() -> None:
    rows = by_hour(np.array([9.0, 1.0]), np.array([1, 3]), np.array([True, False]), 2, seconds=5)
    assert [(row.pages, row.correct) for row in rows] == [(1, 0), (2, 1)]
    empty = by_hour(np.empty(0), np.empty(0, np.int64), np.empty(0, bool), 1)
    assert empty[0].accuracy == empty[0].speed == 0.0


def test_the_speed_of_an_unfinished_hour_is_what_was_collected_over_its_time() -> None:
    """CS = AIS / T: formula 8 has the running time, not the hours that were begun."""
    ends, sizes = np.array([900.0, 1800.0]), np.array([1_000_000, 1_000_000])
    (row,) = by_hour(ends, sizes, np.array([True, True]), hours=1)
    assert (row.elapsed, row.speed) == (0.5, 4.0)
    (longer,) = by_hour(ends, sizes, np.array([True, True]), hours=1, ended=2700.0)
    assert longer.speed == pytest.approx(2 / 0.75)
    later = by_hour(ends, sizes, np.array([True, True]), hours=3)
    assert [each.speed for each in later] == [4.0] * 3, "it no longer runs"
    steady = by_hour(np.arange(1.0, 5401.0), np.full(5400, 1000), np.full(5400, True), hours=2)
    assert [each.speed for each in steady] == pytest.approx([3.6, 3.6])
