"""The course of a crawl over time."""

from __future__ import annotations

import pyarrow as pa

from langcrawl.measure.portrait import POINTS, _curve


def test_pages_that_come_at_once_are_no_speed() -> None:
    """Ten pages a second, in bursts of a hundred within a millisecond."""
    count = 2_000
    at = [1e9 + 10.0 * (n // 100) + 1e-5 * (n % 100) for n in range(count)]
    pages = pa.table({"id": range(count), "fetched_at": at, "relevant": [True, False] * 1_000})
    curve = _curve(pages, {n: n for n in range(count)})
    assert 20 <= len(curve) <= POINTS
    assert (curve[-1].pages, curve[-1].relevant) == (count, count // 2)
    assert max(moment.pages_per_second for moment in curve) < 25
    assert all(0.4 < moment.harvest < 0.6 for moment in curve[1:])


def test_a_crawl_of_one_instant_has_a_first_and_a_last_page() -> None:
    pages = pa.table({"id": range(5), "fetched_at": [1e9] * 5, "relevant": [True] * 5})
    assert [moment.pages for moment in _curve(pages, {})][-1] == 5
