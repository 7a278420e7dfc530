"""Signs of how far a crawl has come: bounds that hold for any crawl, and what moves them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from langcrawl.measure.crawled import of_simulation
from langcrawl.measure.estimate import ENOUGH, Estimate, estimate
from langcrawl.measure.recapture import recapture
from langcrawl.measure.signs import Crawled, lately, scaled, signs_of, strata_of
from langcrawl.simulate import Plan, simulate
from langcrawl.strategy import make_strategy
from webs import P, Web, graph_of, random_webs

BFS = make_strategy("bfs")


@st.composite
def crawls(draw: st.DrawFn) -> Crawled:
    """Crawls of some hundred URLs, of which some wait and some were drawn."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    taken, waiting = draw(st.integers(60, 200)), draw(st.integers(0, 200))
    total = taken + waiting
    host = rng.integers(0, draw(st.integers(1, 20)), total)
    place = np.concatenate([rng.permutation(taken), np.full(waiting, -1)])
    relevant = (rng.random(total) < draw(st.floats(0.5, 1))) & (place >= 0)
    found_at = np.where(place >= 0, (rng.random(total) * (place + 1)).astype(np.int64),
                        rng.integers(0, taken + 1, total))  # fmt: skip
    links = rng.integers(0, 5, total)
    drawn = (rng.random(total) < 0.7) & (place >= 0)
    page = relevant | ((rng.random(total) < 0.8) & (place >= 0))
    return Crawled(place, relevant, page, found_at, host, links, np.minimum(links, 1), drawn)


@given(crawls())
def test_an_estimate_lies_within_its_interval_and_counts_what_was_found(crawl: Crawled) -> None:
    said = estimate(crawl)
    draws, found = np.count_nonzero(crawl.drawn), np.count_nonzero(crawl.relevant)
    if draws < 20 or found < 20:
        assert said is None
        return
    assert said is not None
    assert 0 <= said.low <= said.coverage <= said.high <= 1
    assert (said.found, said.draws) == (found, draws)
    assert said.whole == pytest.approx(found / said.coverage)
    assert 0 <= said.waiting <= np.count_nonzero(crawl.waits)
    assert said.next_percent is None or said.next_percent > 0


@given(crawls(), st.integers(0, 2**32))
def test_the_order_of_the_rows_and_the_numbers_of_hosts_do_not_matter(
    crawl: Crawled, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    shuffled = rng.permutation(len(crawl.place))
    renamed = rng.permutation(int(crawl.host.max()) + 1)
    other = Crawled(*(getattr(crawl, name)[shuffled] for name in Crawled.__slots__))
    other = replace(other, host=renamed[other.host])
    one, same = signs_of(crawl), signs_of(other)
    assert same.waiting == pytest.approx(one.waiting)
    assert same.values == pytest.approx(one.values)


@given(crawls())
def test_every_url_is_in_one_of_the_strata(crawl: Crawled) -> None:
    strata = strata_of(crawl, crawl.order)
    assert strata.shape == crawl.place.shape
    assert ((strata >= 0) & (strata < 28)).all()


@given(st.lists(st.booleans(), max_size=60))
def test_lately_begins_when_four_fifths_were_found(hits: list[bool]) -> None:
    since = lately(np.array(hits, bool))
    if not hits:
        assert since == 0
        return
    total = sum(hits)
    assert sum(hits[:since]) >= 0.8 * total - 1e-6
    if total:
        assert sum(hits[: since - 1]) < 0.8 * total


def test_signs_are_put_within_what_is_usual() -> None:
    spans = {"a": (0.0, 10.0), "b": (-1.0, 1.0)}
    assert scaled({"a": 5.0, "b": 1.0, "c": 7.0}, spans) == {"a": 0.0, "b": 1.0}
    assert scaled({"a": 99.0, "b": -99.0}, spans) == {"a": 1.0, "b": -1.0}


def test_worse_draws_promise_less() -> None:
    """The same crawl, but none of what was drawn lately was relevant."""
    size, waiting = 200, 500
    place = np.concatenate([np.arange(size), np.full(waiting, -1)])
    good = np.concatenate([np.arange(size) % 2 == 0, np.zeros(waiting, bool)])
    drawn = np.concatenate([np.arange(size) % 4 < 2, np.zeros(waiting, bool)])
    crawl = Crawled(
        place, good, place >= 0, np.zeros(size + waiting, np.int64),
        np.concatenate([np.arange(size) % 7, np.arange(waiting) % 7]),
        np.ones(size + waiting, np.int64), np.zeros(size + waiting, np.int64), drawn,
    )  # fmt: skip
    late = (place >= size // 2) & drawn
    worse = replace(crawl, relevant=good & ~late)
    assert signs_of(worse).waiting < 0.5 * signs_of(crawl).waiting
    assert signs_of(worse).values["surprise"] < signs_of(crawl).values["surprise"]


class TestOfSimulation:
    """What is known of a simulated crawl, and nothing that it has not seen."""

    WEB: Web = {  # noqa: RUF012
        "s/": P("th", ("s/1", "t/", "u/never")),
        "s/1": P("th", ("t/", "t/1")),
        "t/": P("en", ("t/2",)),
        "t/1": P("th", ("s/hidden",)),
        "t/2": P("en"),
        "s/hidden": P("th"),
        "far/": P("th"),
    }

    def test_urls_are_known_from_the_page_that_first_linked_to_them(self) -> None:
        graph = graph_of(self.WEB, ["s/"])
        order = np.array(graph.find(["http://s/", "http://s/1", "http://t/"]), np.int32)
        found = of_simulation(graph, order, np.array([1], np.int32))
        rows = sorted(zip(found.place.tolist(), found.found_at.tolist(), found.drawn.tolist(),
                          found.relevant.tolist(), strict=True))  # fmt: skip
        # t/1 waits since the second download, t/2 since the third; nobody knows of the others
        assert rows == [
            (-1, 2, False, False), (-1, 3, False, False), (0, 0, False, True),
            (1, 1, True, True), (2, 1, False, False),
        ]  # fmt: skip

    def test_only_the_pages_of_lately_count_as_links(self) -> None:
        graph = graph_of(self.WEB, ["s/"])
        order = np.array(graph.find(["http://s/", "http://s/1"]), np.int32)
        found = of_simulation(graph, order, np.empty(0, np.int32))
        assert found.links.sum() == 0  # lately begins behind the last relevant page
        more = np.array(graph.find(["http://s/", "http://t/", "http://s/1"]), np.int32)
        assert of_simulation(graph, more, np.empty(0, np.int32)).abroad.sum() == 0

    @settings(max_examples=40, suppress_health_check=list(HealthCheck))
    @given(random_webs())
    def test_a_whole_crawl_knows_all_that_it_took_and_nothing_waits(
        self, drawn: tuple[Web, list[str]]
    ) -> None:
        web, seeds = drawn
        graph = graph_of(web, seeds)
        order = simulate(graph, BFS, Plan()).order
        found = of_simulation(graph, order, np.empty(0, np.int32))
        assert not found.waits.any()
        assert sorted(found.place.tolist()) == list(range(len(order)))
        assert np.count_nonzero(found.relevant) == int(graph.relevant[order].sum())
        assert (found.found_at <= found.place).all()  # known before it was taken


def told(low: float, coverage: float, high: float, next_percent: float | None = 50.0) -> Estimate:
    return Estimate(coverage, low, high, 900, 900 / coverage, 10.0, 400, next_percent)


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (told(0.91, 0.95, 0.99), "little left to find"),
        (told(0.2, 0.5, 0.89), "much left to find"),
        (told(0.5, 0.8, 0.95), "depends on what the next percent is worth"),
        (told(ENOUGH, 0.95, 0.99), "little left to find"),
    ],
)
def test_advice_goes_by_the_interval(said: Estimate, words: str) -> None:
    assert words in said.advice()


def test_a_sentence_says_the_interval_and_the_price_where_it_is_known() -> None:
    assert told(0.42, 0.5, 0.61, 1234.4).sentence() == (
        "about 50% of the relevant pages that these seeds lead to are collected (42% to 61%, by "
        "400 random draws); the next percent costs about 1,234 downloads"
    )
    assert told(0.42, 0.5, 0.61, None).sentence().endswith("random draws)")


@pytest.mark.parametrize(
    ("said", "speed"),
    [
        (told(0.91, 0.95, 0.99), 5.0),
        (told(0.4, 0.5, 0.6, None), 5.0),
        (told(0.4, 0.5, 0.6), 0.0),
        (told(0.4, 0.5, 0.6), None),
    ],
)
def test_without_a_speed_or_with_nothing_left_no_time_is_told(
    said: Estimate, speed: float | None
) -> None:
    assert said.seconds_left(speed) is None
    assert said.time_left(speed, running=True) == ""
    assert said.as_json(speed)["seconds_left"] is None


def test_twice_the_speed_is_half_the_time() -> None:
    said = told(0.4, 0.5, 0.6)
    slow, fast = said.seconds_left(1.0), said.seconds_left(2.0)
    assert slow is not None
    assert fast is not None
    assert 0 < slow[0] < slow[1]
    assert fast == pytest.approx((slow[0] / 2, slow[1] / 2))
    assert said.time_left(1.0, running=True).startswith("At this pace 90% is reached in ")
    assert said.time_left(1.0, running=False).startswith("Resumed, and at the speed of before")


@given(st.integers(0, 300), st.integers(1, 300), st.integers(0, 300))
def test_as_many_sites_as_both_have_found_are_there_at_least(
    here: int, there: int, shift: int
) -> None:
    one = frozenset(str(n) for n in range(here))
    other = frozenset(str(n) for n in range(shift, shift + there))
    found = recapture(one, other)
    assert found.both == len(one & other)
    assert found.low - 1e-9 <= found.reach <= found.high + 1e-9
    assert found.sites_low >= len(one | other)
    assert found.sites_low <= found.sites_high + 1e-9 or found.both == 0
    assert found.sites_high >= found.sites >= 0
