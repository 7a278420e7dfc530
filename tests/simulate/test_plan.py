"""What a simulation starts from, what it counts, and what leaving hosts alone costs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from langcrawl.errors import BadInput
from langcrawl.records import Limits
from langcrawl.simulate import Plan, Result, Timing, simulate
from langcrawl.simulate.plan import NOT_IN_LOG, as_urls, find_seeds, hits_of, with_politeness
from langcrawl.strategy import make_strategy
from webs import P, Web, graph_of, random_webs, url

BFS = make_strategy("bfs")
SOFT, LSWC = make_strategy("soft"), make_strategy("lswc")  # made once: each is compiled once
PAIR: Web = {"a/": P("th", ("b/", "b/lost")), "b/": P("en")}


def urls_taken(web: Web, seeds: list[str], plan: Plan) -> list[str]:
    graph = graph_of(web, seeds)
    return as_urls(graph, simulate(graph, BFS, plan).order)


def test_seeds_that_are_given_take_the_place_of_those_of_the_log() -> None:
    assert urls_taken(PAIR, ["a/"], Plan()) == [url("a/"), url("b/")]
    assert urls_taken(PAIR, ["a/"], Plan(seeds=(url("b/"),))) == [url("b/")]


def test_seeds_keep_their_order_and_a_repeated_one_counts_once() -> None:
    graph = graph_of(PAIR, ["b/", "a/", "b/"])
    found = find_seeds(graph, Plan())
    assert as_urls(graph, found.nodes) == [url("b/"), url("a/")]
    assert found.lost == 0


def test_seeds_without_a_page_are_dropped_and_counted_with_the_links_that_are() -> None:
    graph = graph_of(PAIR, ["a/"])
    plan = Plan(seeds=(url("nowhere/"), url("a/"), url("b/lost")))
    assert find_seeds(graph, plan).lost == 2
    for interpreted in (False, True):
        result = simulate(graph, BFS, plan, interpreted=interpreted)
        assert result.pages == 2
        assert result.discards == {NOT_IN_LOG: 3}  # two seeds, and the link to b/lost


def test_an_unknown_seed_is_a_failed_download_where_the_log_has_heard_of_it() -> None:
    graph = graph_of(PAIR, ["a/"])
    plan = Plan(seeds=(url("b/lost"), url("nowhere/")), unknown_fails=True)
    found = find_seeds(graph, plan)
    assert (as_urls(graph, found.nodes), found.lost) == ([url("b/lost")], 1)
    for interpreted in (False, True):
        result = simulate(graph, BFS, plan, interpreted=interpreted)
        assert (result.pages, result.relevant) == (1, 0)
        assert result.discards == {NOT_IN_LOG: 1}


def test_a_log_without_seeds_and_seeds_without_a_page_are_said_in_a_sentence() -> None:
    graph = graph_of(PAIR)
    with pytest.raises(BadInput, match="the log has no seeds; give a URL or a file"):
        find_seeds(graph, Plan())
    with pytest.raises(BadInput, match=r"none of the 2 seeds .*the first is http://x/"):
        find_seeds(graph, Plan(seeds=(url("x/"), url("y/"))))
    with pytest.raises(BadInput, match="none of the 1 seeds"):
        find_seeds(graph, Plan(seeds=(url("b/lost"),)))


def test_a_node_that_was_never_fetched_is_never_a_hit() -> None:
    graph = graph_of(PAIR, ["a/"])
    nodes = np.array(graph.find([url("b/lost"), url("a/"), url("b/")]), np.int32)
    assert hits_of(graph, nodes).tolist() == [False, True, False]
    assert hits_of(graph, nodes[:0]).tolist() == []


@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(random_webs())
def test_what_a_summary_says_adds_up(drawn: tuple[Web, list[str]]) -> None:
    """The figures of a result can all be worked out again from the order in which pages came."""
    web, seeds = drawn
    graph = graph_of(web, seeds)
    for fails in (False, True):
        result = simulate(graph, SOFT, Plan(unknown_fails=fails))
        taken = result.order.tolist()
        assert len(set(taken)) == len(taken) == result.pages
        relevant = [node < graph.pages and bool(graph.relevant[node]) for node in taken]
        assert result.relevant == sum(relevant) <= graph.relevant_total
        assert result.harvest == pytest.approx(sum(relevant) / len(taken))
        assert len(result.curve) == result.pages  # fewer pages than points: one each
        for count, point in enumerate(result.curve, 1):
            assert point.pages == count
            assert point.harvest == pytest.approx(sum(relevant[:count]) / count)
            assert 0 <= point.queue <= result.max_queue
        assert result.curve[-1].coverage == pytest.approx(result.coverage)
        assert result.curve[-1].queue == 0


@settings(max_examples=40, suppress_health_check=list(HealthCheck))
@given(random_webs())
def test_a_budget_takes_the_first_pages_of_the_whole_run(drawn: tuple[Web, list[str]]) -> None:
    web, seeds = drawn
    graph = graph_of(web, seeds)
    for strategy in (BFS, SOFT, LSWC):
        whole = simulate(graph, strategy, Plan()).order.tolist()
        for budget in (1, 3, len(whole) + 5):
            plan = Plan(limits=Limits(max_pages=budget))
            some = simulate(graph, strategy, plan)
            assert some.order.tolist() == whole[:budget]
            assert not some.partial


@settings(max_examples=40, suppress_health_check=list(HealthCheck))
@given(random_webs())
def test_fewer_points_are_some_of_the_points_and_the_last_is_always_there(
    drawn: tuple[Web, list[str]],
) -> None:
    web, seeds = drawn
    graph = graph_of(web, seeds)
    every = simulate(graph, BFS, Plan()).curve
    for points in (1, 2, 5):
        some = simulate(graph, BFS, Plan(points=points)).curve
        assert set(some) <= set(every)
        assert len(some) == min(points, len(every))
        assert some[-1] == every[-1]
    assert simulate(graph, BFS, Plan(points=0)).curve == ()


class TestPoliteness:
    """What a delay makes of a run, seen beside the same run without one."""

    @staticmethod
    def timed(delay: float) -> Result:
        chain = {f"s/{n}": P("th", (f"s/{n + 1}",) if n < 3 else ()) for n in range(4)}
        graph = graph_of(chain, ["s/0"])
        return simulate(graph, BFS, Plan(timing=Timing(delay=delay, connections=2)))

    def test_how_much_slower_is_the_ratio_of_both_times(self) -> None:
        report = self.timed(1.0).time
        assert report is not None
        assert report.without_delay is not None
        assert report.without_delay.seconds == pytest.approx(4 * 0.25)
        assert report.without_delay.pages == 4
        assert report.without_delay.coverage == 1.0
        assert report.slowed_by_delay == pytest.approx((4 * 0.25 + 3) / (4 * 0.25))
        assert set(report.as_json()) >= {"without_delay", "slowed_by_delay", "hours", "idle"}

    def test_without_a_delay_there_is_nothing_to_compare_with(self) -> None:
        report = self.timed(0.0).time
        assert report is not None
        assert report.without_delay is None
        assert "slowed_by_delay" not in report.as_json()

    def test_of_a_run_that_was_stopped_nobody_says_how_much_slower_it_was(self) -> None:
        whole, bare = self.timed(1.0), self.timed(0.0)
        assert with_politeness(whole, bare).slowed_by_delay == pytest.approx(4.0)
        for partial in ((True, False), (False, True)):
            pair = [replace(r, partial=p) for r, p in zip((whole, bare), partial, strict=True)]
            report = with_politeness(*pair)
            assert report.slowed_by_delay is None
            assert report.without_delay is not None
            assert report.without_delay.partial is partial[1]

    def test_a_run_that_took_no_time_was_not_slowed(self) -> None:
        whole, bare = self.timed(1.0), self.timed(0.0)
        assert bare.time is not None
        instant = replace(bare, time=replace(bare.time, seconds=0.0))
        assert with_politeness(whole, instant).slowed_by_delay is None


def test_downloads_drawn_by_chance_are_marked_and_the_same_pages_are_found() -> None:
    web = {"s/": P("th", tuple(f"s/{n}" for n in range(200)))}
    web |= {f"s/{n}": P("th" if n % 2 else "en") for n in range(200)}
    graph = graph_of(web, ["s/"])
    plain = simulate(graph, BFS, Plan())
    drawn = simulate(graph, BFS, Plan(sample=0.2, sample_seed=1))
    again = simulate(graph, BFS, Plan(sample=0.2, sample_seed=1))
    other = simulate(graph, BFS, Plan(sample=0.2, sample_seed=2))
    assert drawn.order.tolist() == again.order.tolist() != other.order.tolist()
    assert sorted(drawn.order.tolist()) == sorted(plain.order.tolist())
    assert drawn.drawn is not None
    assert 15 <= len(drawn.drawn) <= 70  # about 40 of 201
    undrawn = np.delete(drawn.order, drawn.drawn).tolist()
    assert undrawn == sorted(undrawn)  # all others in the order of the strategy
