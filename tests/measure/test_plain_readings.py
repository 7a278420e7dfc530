"""Measures against plain second readings: loops and lists in place of arrays."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langcrawl.config import CrawlConfig
from langcrawl.log.graph import build_graph, load_graph
from langcrawl.log.segments import write_segment
from langcrawl.measure import summarize
from langcrawl.measure.collection import Collected, by_hour
from langcrawl.measure.curve import LEVELS
from langcrawl.measure.distance import distance_counts, redirect_goals
from langcrawl.measure.places import places_of
from langcrawl.measure.recapture import recapture
from langcrawl.measure.spread import component_summary, degree_summary, host_summary
from langcrawl.measure.tally import tally_pages
from langcrawl.url import domain_of, tld_of
from webs import P, Web, graph_of, random_webs, tables_of, url

HITS = st.lists(st.booleans(), max_size=60)


@settings(max_examples=25)
@given(HITS, st.integers(0, 20), st.integers(0, 40), st.integers(1, 30))
def test_a_summary_is_what_counting_page_by_page_gives(
    hits: list[bool], missed: int, unseen: int, points: int
) -> None:
    total, log_pages = sum(hits) + missed, len(hits) + missed + unseen
    queue = np.arange(len(hits), dtype=np.int32) * 3
    told = summarize(np.array(hits, dtype=bool), queue, total, log_pages, points)
    found = [sum(hits[: at + 1]) for at in range(len(hits))]
    assert (told.pages, told.relevant) == (len(hits), sum(hits))
    assert told.harvest == (sum(hits) / len(hits) if hits else 0.0)
    assert told.coverage == sum(hits) / max(total, 1)
    for level in LEVELS:
        needed = [at + 1 for at, have in enumerate(found) if have >= level * total - 1e-9]
        assert told.pages_to[f"{level:g}"] == (needed[0] if needed and total else None)
    steps = [*found, *[sum(hits)] * (log_pages - len(hits))]
    if log_pages and total:
        assert told.auc == pytest.approx(sum(have / total for have in steps) / log_pages)
    assert 0.0 <= told.auc <= 1.0
    for point in told.curve:
        assert point.harvest == found[point.pages - 1] / point.pages
        assert point.coverage == found[point.pages - 1] / max(total, 1)
        assert point.queue == 3 * (point.pages - 1)


@settings(max_examples=25)
@given(HITS, st.integers(1, 300))
def test_the_points_of_a_curve_are_spread_evenly_and_never_go_back(
    hits: list[bool], points: int
) -> None:
    queue = np.zeros(len(hits), dtype=np.int32)
    curve = summarize(np.array(hits, dtype=bool), queue, len(hits), len(hits), points).curve
    places = [point.pages for point in curve]
    assert places == sorted(set(places))
    gaps = [after - before for before, after in zip([0, *places], places, strict=False)]
    assert not gaps or max(gaps) - min(gaps) <= 1


@settings(max_examples=25)
@given(
    st.lists(st.tuples(st.floats(0, 20_000), st.integers(0, 10**7), st.booleans()), max_size=25),
    st.integers(1, 6),
)
def test_hours_are_what_adding_up_pages_gives(
    pages: list[tuple[float, int, bool]], hours: int
) -> None:
    ends, sizes, right = (
        (list(column) for column in zip(*pages, strict=True)) if pages else ([],) * 3
    )
    rows = by_hour(
        np.array(ends, dtype=float), np.array(sizes, dtype=np.int64), np.array(right, bool), hours
    )
    assert [row.hour for row in rows] == list(range(1, hours + 1))
    for row in rows:
        done = [page for page in pages if page[0] <= row.hour * 3600]
        assert (row.pages, row.correct) == (len(done), sum(page[2] for page in done))
        assert row.accurate_mb == pytest.approx(sum(page[1] for page in done if page[2]) / 1e6)
        assert row.information_mb == pytest.approx(sum(page[1] for page in done) / 1e6)
        assert row.elapsed == pytest.approx(min(row.hour, max(ends, default=0.0) / 3600))
        assert 0.0 <= row.accuracy <= 1.0


def test_without_pages_or_time_rates_are_zero() -> None:
    nothing = Collected(1, 0, 0, 0.0, 0.0, 0.0)
    assert (nothing.accuracy, nothing.speed, nothing.information_mb) == (0.0, 0.0, 0.0)


@settings(max_examples=25)
@given(st.lists(st.one_of(st.integers(0, 3), st.integers(0, 2000)), max_size=40))
def test_degrees_are_what_sorting_and_adding_give(degrees: list[int]) -> None:
    told = degree_summary(np.array(degrees, dtype=np.int32))
    if not degrees:
        assert told.mean is told.median is told.max is told.single_share is None
        return
    ranked, middle = sorted(degrees), len(degrees) // 2
    median = ranked[middle] if len(ranked) % 2 else (ranked[middle - 1] + ranked[middle]) / 2
    assert told.mean == pytest.approx(sum(degrees) / len(degrees))
    assert (told.median, told.max) == (median, ranked[-1])
    assert told.zero_share == degrees.count(0) / len(degrees)
    assert told.single_share == degrees.count(1) / len(degrees)
    names = Counter(0 if not each else each.bit_length() for each in degrees)
    assert list(told.distribution.values()) == [names[at] for at in range(max(names) + 1)]


@settings(max_examples=25)
@given(st.lists(st.integers(1, 500), min_size=1, max_size=30))
def test_components_are_what_adding_gives(sizes: list[int]) -> None:
    told = component_summary(np.array(sizes, dtype=np.int64))
    assert (told.count, told.largest) == (len(sizes), max(sizes))
    assert told.largest_share == max(sizes) / sum(sizes)
    assert told.single_pages == sizes.count(1)
    assert "0" not in told.distribution
    assert sum(told.distribution.values()) == len(sizes)


@settings(max_examples=15)
@given(random_webs(), st.integers(1, 5))
def test_hosts_are_what_counting_their_pages_gives(drawn: tuple[Web, list[str]], top: int) -> None:
    web, seeds = drawn
    told = host_summary(graph_of(web, seeds), top)
    pages = Counter(name.split("/")[0] for name in web)
    relevant = Counter(
        name.split("/")[0] for name, page in web.items()
        if page.language == "th" and page.status == 200 and not page.redirect
    )  # fmt: skip
    assert sum(told.host_pages.values()) == sum(told.host_relevant.values()) == len(pages)
    assert {host.host: (host.pages, host.relevant) for host in told.top_hosts} == {
        host.host: (pages[host.host], relevant[host.host]) for host in told.top_hosts
    }
    assert len(told.top_hosts) == min(top, len(relevant))
    worst = min((host.relevant for host in told.top_hosts), default=0)
    named = {host.host for host in told.top_hosts}
    assert all(relevant[host] <= worst for host in relevant if host not in named)
    parts = {part.up_to: (part.hosts, part.relevant) for part in told.relevant_by_host_share}
    tenths = {host: math.ceil(10 * relevant[host] / pages[host]) for host in relevant}
    for tenth in range(1, 11):
        mine = [host for host, at in tenths.items() if at == tenth]
        assert parts[tenth / 10] == (len(mine), sum(relevant[host] for host in mine))


@settings(max_examples=25)
@given(st.lists(st.one_of(st.just(-1), st.integers(0, 13)), min_size=1, max_size=12))
def test_a_chain_of_redirects_ends_where_walking_it_ends(redirects: list[int]) -> None:
    """Numbers from the length on are URLs without a page, where a chain may end."""
    goals = redirect_goals(np.array(redirects, dtype=np.int32), len(redirects))
    for page, first in enumerate(redirects):
        if first < 0:
            continue
        at, walked = page, set()
        while at < len(redirects) and redirects[at] >= 0 and at not in walked:
            walked.add(at)
            at = redirects[at]
        assert goals[page] == (-1 if at in walked else at)


def test_distances_are_counted_without_those_that_have_none() -> None:
    assert distance_counts(np.array([0, 0, 1, 3, 3, 1, 1], dtype=np.int32)) == {"1": 3, "3": 2}
    assert distance_counts(np.zeros(4, dtype=np.int32)) == {}
    assert distance_counts(np.empty(0, dtype=np.int32)) == {}


@settings(max_examples=25)
@given(st.sets(st.integers(0, 30), max_size=20), st.sets(st.integers(0, 30), min_size=1))
def test_two_crawls_are_compared_by_the_sites_that_both_have(
    mine: set[int], others: set[int]
) -> None:
    here, there = {f"{n}.th" for n in mine}, {f"{n}.th" for n in others}
    told = recapture(here, there)
    both = len(here & there)
    assert (told.here, told.there, told.both) == (len(here), len(there), both)
    assert told.reach == both / len(there)
    assert 0.0 <= told.low <= told.reach + 1e-9
    assert told.reach <= told.high + 1e-9 <= 1.0 + 2e-9
    assert told.sites == pytest.approx((len(here) + 1) * (len(there) + 1) / (both + 1) - 1)
    assert told.sites_low >= len(here | there)
    assert f"of {len(there):,} sites known from elsewhere" in told.sentence()
    assert told.as_json()["both"] == both


HOSTS = ["www.a.co.th", "a.co.th", "b.com:8080", "127.0.0.1", "x.y.b.com", "localhost"]


def rows(draw: st.DrawFn) -> list[tuple[str, str, str | None, str, str, str]]:
    """Pages as they may stand in a log: host, language, script, two charsets, encoding."""
    return draw(
        st.lists(
            st.tuples(
                st.sampled_from(HOSTS), st.sampled_from(["th", "en", "und", ""]),
                st.sampled_from([None, "Thai", "Latn"]),
                st.sampled_from(["", "UTF-8", "utf-8", "TIS-620"]), st.sampled_from(["", "cp874"]),
                st.sampled_from(["", "unicode", "zawgyi"]),
            ),
            min_size=1, max_size=12,
        )
    )  # fmt: skip


@settings(max_examples=8)
@given(data=st.data())
def test_a_tally_of_a_log_is_what_counting_its_rows_gives(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    pages = data.draw(st.composite(rows)())
    web = {f"{row[0]}/{at}": P("th" if row[1] == "th" else "en") for at, row in enumerate(pages)}
    tables = tables_of(web)
    named = tables["pages"].to_pylist()
    for page, (_, language, script, header, meta, encoding) in zip(named, pages, strict=True):
        page |= {"language": language, "script": script, "charset_header": header,
                 "charset_meta": meta, "encoding": encoding}  # fmt: skip
    tables["pages"] = tables["pages"].from_pylist(named, schema=tables["pages"].schema)
    directory = tmp_path_factory.mktemp("tally")
    write_segment(directory, 0, tables)
    CrawlConfig(lang="th", seeds=(url("a.co.th"),)).save(directory)
    graph = load_graph(directory)
    told = tally_pages(graph, places_of(graph))
    languages: Counter[tuple[str, str, str]] = Counter()
    charsets: Counter[tuple[str, str, str]] = Counter()
    encodings: Counter[tuple[str, str]] = Counter()
    for (host, language, script, header, meta, encoding), page in zip(pages, named, strict=True):
        languages[language or "und", script or "", tld_of(host)] += 1
        if page["relevant"]:
            charsets["header", header.lower() or "none", tld_of(host)] += 1
            charsets["meta", meta.lower() or "none", tld_of(host)] += 1
            encodings[encoding or "none", tld_of(host)] += 1
    assert languages == Counter({
        (*tongue, tld): count for tongue, row in told.tongues.items() for tld, count in row.items()
    })  # fmt: skip
    assert charsets == Counter({
        (source, name, tld): count for source in ("header", "meta")
        for name, row in told.charsets[source].items() for tld, count in row.items()
    })  # fmt: skip
    assert encodings == Counter({
        (name, tld): count for name, row in told.encodings.items() for tld, count in row.items()
    })  # fmt: skip


@settings(max_examples=8)
@given(st.lists(st.sampled_from(HOSTS), min_size=1, max_size=6, unique=True))
def test_places_tell_hosts_apart_as_their_names_do(hosts: list[str]) -> None:
    web = {f"{host}/": P("th") for host in hosts}
    graph = build_graph(CrawlConfig(lang="th", seeds=(url(f"{hosts[0]}/"),)), tables_of(web))
    places, names = places_of(graph), graph.hosts.to_pylist()
    for at, one in enumerate(names):
        assert places.tlds[places.tld[at]] == tld_of(one)
        for other_at, other in enumerate(names):
            same = places.domain[at] == places.domain[other_at]
            assert same == (domain_of(one) == domain_of(other))
    assert places.domains == len({domain_of(host) for host in hosts})
