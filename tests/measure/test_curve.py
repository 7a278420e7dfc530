"""Harvest, coverage, pages to a level, and the area under the curve."""

from __future__ import annotations

import numpy as np
import pytest

from langcrawl.measure import Summary, summarize


def measure(hits: str, total: int, log_pages: int, points: int = 200) -> Summary:
    found = np.array([hit == "x" for hit in hits], dtype=bool)
    queue = 9 - np.arange(len(hits), dtype=np.int32)
    return summarize(found, queue, total, log_pages, points)


def test_a_crawl_by_hand() -> None:
    summary = measure("x.xx.", total=4, log_pages=10)
    assert (summary.pages, summary.relevant) == (5, 3)
    assert summary.harvest == 3 / 5
    assert summary.coverage == 3 / 4
    assert summary.pages_to == {"0.5": 3, "0.8": None, "0.9": None, "0.99": None}
    assert [point.pages for point in summary.curve] == [1, 2, 3, 4, 5]
    assert [point.harvest for point in summary.curve] == [1, 1 / 2, 2 / 3, 3 / 4, 3 / 5]
    assert [point.queue for point in summary.curve] == [9, 8, 7, 6, 5]
    # coverage 1/4 1/4 2/4 3/4 3/4, then 3/4 for the five pages not downloaded
    assert summary.auc == pytest.approx((1 + 1 + 2 + 3 + 3 + 5 * 3) / 4 / 10)


def test_levels_are_reached_exactly() -> None:
    summary = measure("x" * 100, total=100, log_pages=100)
    assert summary.pages_to == {"0.5": 50, "0.8": 80, "0.9": 90, "0.99": 99}


@pytest.mark.parametrize(("pages", "points"), [(1, 200), (7, 3), (1000, 200), (199, 200), (10, 1)])
def test_a_curve_has_at_most_so_many_points_and_ends_at_the_last_page(
    pages: int, points: int
) -> None:
    curve = measure("x" * pages, pages, pages, points).curve
    assert len(curve) == min(pages, points)
    assert curve[-1].pages == pages


def test_nothing_at_all_is_no_division_by_zero() -> None:
    summary = measure("", total=0, log_pages=0)
    assert (summary.harvest, summary.coverage, summary.auc, summary.curve) == (0.0, 0.0, 0.0, ())
    assert measure("..", total=0, log_pages=2).coverage == 0.0
