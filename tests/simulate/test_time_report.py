"""The virtual clock: how long pages take, and what a report makes of when they ended."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from langcrawl.simulate import Timing
from langcrawl.simulate.timing import BANDWIDTH, time_report
from webs import P, graph_of

WEB = {f"h{n % 3}/{n}": P("th") for n in range(600)}


def report(ends: list[float], hits: list[bool], total: int, busy: float = 0.0, size: int = 0):  # type: ignore[no-untyped-def]
    timing = Timing(delay=1.0, connections=2)
    sizes = np.full(len(ends), size, np.int64)
    return time_report(timing, np.array(ends), busy, np.array(hits, bool), sizes, total)


def test_recorded_times_are_taken_as_they_are() -> None:
    graph = graph_of(WEB, ["h0/0"])
    assert Timing().seconds(graph).tolist() == [0.25] * 600


def test_modelled_times_lie_about_the_latency_and_grow_with_the_size() -> None:
    graph = graph_of(WEB, ["h0/0"])
    small = Timing(latency=0.2, seed=5).seconds(graph)
    assert 0.1 < np.median(small) < 0.4
    assert (small > 0).all()
    graph.arrays.bytes[:] = int(BANDWIDTH)  # about a second of each host's bandwidth
    large = Timing(latency=0.2, seed=5).seconds(graph)
    more = large - small
    assert 0.3 < np.median(more) < 3.0
    for host in range(3):  # which is the same for all pages of a host, and another elsewhere
        assert np.ptp(more[graph.arrays.host[:600] == host]) < 1e-6
    assert len(np.unique(more.round(6))) == 3


def test_without_spread_all_hosts_are_alike_but_for_their_pages() -> None:
    graph = graph_of(WEB, ["h0/0"])
    graph.arrays.bytes[:] = 0
    host = graph.arrays.host[:600]

    def medians(spread: float) -> list[float]:
        seconds = Timing(latency=1.0, spread=spread).seconds(graph)
        return [float(np.median(seconds[host == each])) for each in range(3)]

    assert max(medians(0.0)) / min(medians(0.0)) < 1.2
    assert max(medians(2.0)) / min(medians(2.0)) > 1.5


def test_levels_are_reached_with_the_page_that_completes_them() -> None:
    found = report([1.0, 2.0, 4.0, 8.0], [True, False, True, True], 4)
    assert found.seconds == 8.0
    assert found.seconds_to == {"0.5": 4.0, "0.8": None, "0.9": None, "0.99": None}
    assert found.pages_per_second == 0.5
    assert report([1.0], [True], 1).seconds_to == dict.fromkeys(("0.5", "0.8", "0.9", "0.99"), 1.0)


@pytest.mark.parametrize("hits", [[], [False, False]])
def test_where_nothing_is_relevant_no_level_is_reached(hits: list[bool]) -> None:
    found = report([float(n + 1) for n in range(len(hits))], hits, 0)
    assert set(found.seconds_to.values()) == {None}


def test_no_page_takes_no_time_and_nobody_was_idle() -> None:
    found = report([], [], 5)
    assert (found.seconds, found.idle, found.pages_per_second, found.hours) == (0.0, 0.0, 0.0, ())


@pytest.mark.parametrize(
    ("last", "hours"), [(10.0, 1), (3600.0, 1), (3600.5, 2), (9000.0, 3), (3600.0 * 1000, 240)]
)
def test_hours_are_told_one_by_one_up_to_ten_days(last: float, hours: int) -> None:
    rows = report([1.0, last], [True, True], 2, size=1_000_000).hours
    assert len(rows) == hours
    assert rows[0].hour == 1
    if hours < 240:
        assert (rows[-1].pages, rows[-1].accurate_mb) == (2, 2.0)
        assert rows[-1].speed == pytest.approx(2.0 / (last / 3600))


@given(st.lists(st.tuples(st.floats(0.01, 5000), st.booleans()), min_size=1, max_size=40))
def test_levels_never_come_earlier_than_lower_ones(pages: list[tuple[float, bool]]) -> None:
    ends = np.cumsum([seconds for seconds, _ in pages]).tolist()
    hits = [hit for _, hit in pages]
    found = report(ends, hits, sum(hits), busy=ends[-1])
    times = [seconds for seconds in found.seconds_to.values() if seconds is not None]
    assert len(times) == (4 if any(hits) else 0)
    assert times == sorted(times)
    assert set(times) <= set(ends)
    assert found.idle == pytest.approx(0.5)  # one of two connections was busy all the time
    assert [row.pages for row in found.hours] == sorted(row.pages for row in found.hours)
