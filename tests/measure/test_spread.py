"""Degrees, components and hosts, summed up."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.webs import P, graph_of

from langcrawl.measure.spread import (
    HostShare,
    TopHost,
    by_powers_of_two,
    component_summary,
    degree_summary,
    host_summary,
)


def test_bins_are_powers_of_two() -> None:
    assert by_powers_of_two(np.array([0, 1, 2, 3, 4, 7, 8])) == {
        "0": 1, "1": 1, "2-3": 2, "4-7": 2, "8-15": 1,
    }  # fmt: skip
    assert by_powers_of_two(np.array([], dtype=np.int64)) == {}


@given(st.lists(st.integers(0, 2**40), min_size=1, max_size=50))
def test_every_count_is_in_the_bin_whose_ends_enclose_it(counts: list[int]) -> None:
    bins = by_powers_of_two(np.array(counts))
    for name, size in bins.items():
        low, _, high = name.partition("-")
        assert size == sum(int(low) <= count <= int(high or low) for count in counts)
    assert sum(bins.values()) == len(counts)


def test_degrees_by_hand() -> None:
    told = degree_summary(np.array([0, 0, 1, 5], dtype=np.int32))
    assert (told.mean, told.median, told.max) == (1.5, 0.5, 5)
    assert (told.zero_share, told.single_share) == (0.5, 0.25)
    assert told.distribution == {"0": 2, "1": 1, "2-3": 0, "4-7": 1}


def test_degrees_of_no_pages_are_unknown() -> None:
    told = degree_summary(np.array([], dtype=np.int32))
    assert (told.mean, told.median, told.max, told.zero_share) == (None, None, None, None)
    assert told.distribution == {}


def test_components_by_hand() -> None:
    told = component_summary(np.array([1, 1, 6]))
    assert (told.count, told.largest, told.largest_share, told.single_pages) == (3, 6, 6 / 8, 2)
    assert told.distribution == {"1": 2, "2-3": 0, "4-7": 1}
    none = component_summary(np.array([], dtype=np.int64))
    assert (none.count, none.largest, none.largest_share) == (0, 0, None)


WEB = (
    {f"big/{n}": P("th" if n < 3 else "en") for n in range(10)}
    | {f"all/{n}": P("th") for n in range(3)}
    | {f"half/{n}": P("th" if n else "en") for n in range(2)}
    | {"none/1": P("en", ("unfetched/1",))}
)


def test_hosts_by_hand() -> None:
    told = host_summary(graph_of(WEB), top=2)
    assert told.host_pages == {"1": 1, "2-3": 2, "4-7": 0, "8-15": 1}
    assert told.host_relevant == {"0": 1, "1": 1, "2-3": 2}
    assert [part for part in told.relevant_by_host_share if part.hosts] == [
        HostShare(0.3, 1, 3), HostShare(0.5, 1, 1), HostShare(1.0, 1, 3),
    ]  # fmt: skip
    # As many relevant pages: the larger host first.
    assert told.top_hosts == (TopHost("big", 10, 3), TopHost("all", 3, 3))


@pytest.mark.parametrize("top", [0, 3, 100])
def test_hosts_without_a_relevant_page_are_not_among_the_top(top: int) -> None:
    named = [host.host for host in host_summary(graph_of(WEB), top).top_hosts]
    assert named == ["big", "all", "half"][:top]
