"""A crawl in figures: hosts, sizes, times and languages, each worked out again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from langcrawl.log.segments import read_table
from langcrawl.measure.portrait import (
    POINTS,
    HostFigures,
    Portrait,
    _counts,
    _curve,
    _host_figures,
    _running_time,
    _seconds,
    _sizes,
    _suspicious,
    _tlds,
    portrait_of,
)


def column(values: list[object], kind: pa.DataType) -> pa.ChunkedArray:
    return pa.chunked_array([pa.array(values, kind)])


def host(name: str, pages: int, relevant: int, text: int = 0) -> HostFigures:
    return HostFigures(name, pages, relevant, text, pages)


def test_words_are_counted_the_most_frequent_first_and_the_unknown_by_a_name() -> None:
    words = column(["th", "", None, "en", "th", "th"], pa.string())
    found = _counts(words, "und")
    assert found == {"th": 3, "und": 2, "en": 1}
    assert list(found) == ["th", "und", "en"]
    assert _counts(column([], pa.string()), "und") == {}


@example([(1 << 49) - 1])
@given(st.lists(st.none() | st.integers(0, 1 << 50), max_size=40))
def test_sizes_lie_between_a_power_of_two_and_its_double(sizes: list[int | None]) -> None:
    found = _sizes(column(sizes, pa.int64()))
    known = [size for size in sizes if size]
    assert sum(found.values()) == len(known)
    for power, count in found.items():
        assert count == sum(2**power <= size < 2 ** (power + 1) for size in known)
    if found:
        assert list(found) == list(range(min(found), max(found) + 1))  # no gap in a chart
        assert found[min(found)] > 0


def test_seconds_are_those_of_answers_whose_time_is_known() -> None:
    found = _seconds(column([*range(101), None], pa.float32()))
    assert found == {"median": 50.0, "90 of 100": 90.0, "99 of 100": 99.0}
    assert _seconds(column([None], pa.float32())) == {}


def test_what_a_host_gave_is_counted_by_host() -> None:
    pages = pa.table({
        "id": [0, 1, 2, 3],
        "relevant": pa.array([True, True, None, False]),
        "text_bytes": pa.array([10, None, 99, 99]),
        "digest": pa.array(["x", "x", "y", None]),
        "status": pa.array([200, 200, 404, 200], pa.int16()),
    })  # fmt: skip
    found = {each.host: each for each in _host_figures(pages, column(list("aaab"), pa.string()))}
    assert found["a"] == HostFigures("a", 3, 2, 10, 1)  # an error's body is no different page
    assert found["b"] == HostFigures("b", 1, 0, 0, 0)
    assert (found["a"].wasted, found["b"].wasted) == (1, 1)


def test_top_level_domains_count_relevant_pages() -> None:
    hosts = [host("a.co.th", 5, 3), host("b.th", 1, 1), host("c.com", 9, 4), host("d.net", 7, 0)]
    assert _tlds(hosts) == {".th": 4, ".com": 4}


class TestSuspiciousHosts:
    """Hosts with far more text than others may be generated."""

    USUAL = tuple(host(f"h{n}", 20, 10, 1_000) for n in range(6))

    def test_a_host_with_most_of_the_text_is_named(self) -> None:
        farm, larger = host("farm", 500, 400, 50_000), host("more", 500, 400, 60_000)
        assert _suspicious([*self.USUAL, farm, larger]) == [larger, farm]

    @pytest.mark.parametrize(
        "large",
        [
            host("few pages", 9, 9, 50_000),
            host("four times the usual", 500, 400, 4_000),
            host("no text", 500, 400, 0),
        ],
        ids=lambda each: each.host,
    )
    def test_others_are_not(self, large: HostFigures) -> None:
        assert _suspicious([*self.USUAL, large]) == []

    def test_many_times_the_usual_is_nothing_where_it_is_little_of_all(self) -> None:
        crowd = [host(f"c{n}", 20, 10, 1_000) for n in range(600)]
        assert _suspicious([*crowd, host("large", 500, 400, 6_000)]) == []

    def test_of_two_hosts_nobody_can_tell(self) -> None:
        assert _suspicious([host("a", 20, 10, 1), host("b", 20, 10, 10_000)]) == []


@given(st.lists(st.floats(0, 1e5), min_size=1, max_size=30), st.floats(0, 1e6))
def test_time_never_runs_back_and_never_longer_than_the_clock(
    gaps: list[float], running: float
) -> None:
    when = 1e9 + np.cumsum([0.0, *gaps])
    at = _running_time(when, running)
    assert at[0] == 0.0
    assert (np.diff(at) >= 0).all()
    assert at[-1] <= when[-1] - when[0] + 1e-3
    left_out = np.diff(when) - np.diff(at)
    for out, gap in zip(left_out, gaps, strict=True):  # a gap goes as a whole, or stays
        assert min(abs(out), abs(out - gap)) < 1e-3


@given(st.lists(st.tuples(st.floats(0, 1e4), st.booleans()), min_size=1, max_size=200))
def test_a_curve_counts_every_page_once_and_ends_with_the_last(
    pages: list[tuple[float, bool]],
) -> None:
    at = (1e9 + np.cumsum([gap for gap, _ in pages])).tolist()
    table = pa.table({
        "id": range(len(pages)), "fetched_at": at, "relevant": [hit for _, hit in pages],
    })  # fmt: skip
    curve = _curve(table, {}, at[-1] - at[0])
    assert 1 <= len(curve) <= POINTS
    assert curve[-1].pages == len(pages)
    assert curve[-1].relevant == sum(hit for _, hit in pages)
    counts = [0, *(moment.pages for moment in curve)]
    assert counts == sorted(set(counts))
    found = sum(
        moment.harvest * (moment.pages - before)
        for moment, before in zip(curve, counts, strict=False)
    )
    assert found == pytest.approx(curve[-1].relevant)
    assert all(moment.known >= moment.pages for moment in curve)


def test_the_portrait_of_a_crawl_agrees_with_its_log(small_crawl: Path) -> None:
    found: Portrait = portrait_of(small_crawl, top=3)
    pages = read_table(small_crawl, "pages")
    answered = pages.filter(pc.greater(pages["status"], 0))
    relevant = answered.filter(answered["relevant"])
    assert sum(found.statuses.values()) == len(answered)
    assert sum(found.tlds.values()) == sum(found.scripts.values()) == len(relevant)
    assert sum(found.encodings.values()) == len(relevant)
    assert found.text_bytes == pc.sum(relevant["text_bytes"]).as_py()
    assert found.curve[-1].pages == len(answered)
    assert found.curve[-1].relevant == len(relevant)
    moments = answered["fetched_at"].to_pylist()
    assert (found.first, found.last) == (min(moments), max(moments))
    assert len(found.best_hosts) == 3
    counts = [each.relevant for each in found.best_hosts]
    assert counts == sorted(counts, reverse=True)
    hosts = read_table(small_crawl, "urls")["host"].to_pylist()
    best = found.best_hosts[0]
    assert best.relevant == sum(hosts[n] == best.host for n in relevant["id"].to_pylist())
    assert found.relevant_hosts == len({hosts[n] for n in relevant["id"].to_pylist()})
    document = found.as_json()
    assert document["status"]["pages"] == len(answered)
    assert document["estimate"] is None
    assert [each["host"] for each in document["best_hosts"]] == [h.host for h in found.best_hosts]
