"""The course of a crawl over time."""

from __future__ import annotations

import pyarrow as pa
import pytest

from langcrawl.measure.portrait import POINTS, _curve


def test_pages_that_come_at_once_are_no_speed() -> None:
    """Ten pages a second, in bursts of a hundred within a millisecond."""
    count = 2_000
    at = [1e9 + 10.0 * (n // 100) + 1e-5 * (n % 100) for n in range(count)]
    pages = pa.table({"id": range(count), "fetched_at": at, "relevant": [True, False] * 1_000})
    curve = _curve(pages, {n: n for n in range(count)}, at[-1] - at[0])
    assert 20 <= len(curve) <= POINTS
    assert (curve[-1].pages, curve[-1].relevant) == (count, count // 2)
    assert max(moment.pages_per_second for moment in curve) < 25
    assert all(0.4 < moment.harvest < 0.6 for moment in curve[1:])


def test_a_crawl_of_one_instant_has_a_first_and_a_last_page() -> None:
    pages = pa.table({"id": range(5), "fetched_at": [1e9] * 5, "relevant": [True] * 5})
    assert [moment.pages for moment in _curve(pages, {}, 0.0)][-1] == 5


def test_time_in_which_a_crawl_did_not_run_is_no_part_of_its_course() -> None:
    """A page a second for a hundred seconds; a week later as many again."""
    at = [1e9 + n + (604_800 if n >= 100 else 0) for n in range(200)]
    pages = pa.table({"id": range(200), "fetched_at": at, "relevant": [True] * 200})
    curve = _curve(pages, {}, 199.0)
    assert curve[-1].hours == pytest.approx(198 / 3600)
    assert all(0.5 < moment.pages_per_second < 3 for moment in curve[1:])
    assert curve[-1].at == at[-1]


def test_a_silence_while_it_ran_stays() -> None:
    at = [1e9 + n + (500 if n >= 100 else 0) for n in range(200)]
    pages = pa.table({"id": range(200), "fetched_at": at, "relevant": [True] * 200})
    assert _curve(pages, {}, 699.0)[-1].hours == pytest.approx(699 / 3600)
