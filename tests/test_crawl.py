"""The exact order of the loop: rule by rule on small webs, then against a second reading."""

from __future__ import annotations

from functools import lru_cache

import pytest
from hypothesis import HealthCheck, given, settings

from langcrawl.errors import StrategyFailed
from langcrawl.ports import Strategy
from langcrawl.records import Limits
from langcrawl.simulate import Plan, Result, as_urls, simulate
from langcrawl.strategy import make_strategy
from webs import P, Web, graph_of, name_of, random_webs, reference

LOOP = False
EVERY_STRATEGY = [
    "bfs", "dfs", "hard", "soft", "soft:n=1", "hard:n=0", "limited:n=0", "limited:n=1",
    "limited:n=2,prioritized=true", "lswc:s=1,t=1", "lswc:s=2,t=0", "lswc:s=3,t=5", "best-first",
]  # fmt: skip


@pytest.fixture(params=[False, True], ids=["compiled", "interpreted"], autouse=True)
def interpreted(request: pytest.FixtureRequest) -> bool:
    """Every test of this file holds for both loops."""
    global LOOP
    LOOP = request.param
    return LOOP


@lru_cache
def made(spec: str) -> Strategy:
    return make_strategy(spec)  # once, because a rule is compiled once a strategy


def run(web: Web, strategy: str, seeds: list[str], **limits: int) -> Result:
    plan = Plan(limits=Limits(**limits))
    return simulate(graph_of(web, seeds), made(strategy), plan, interpreted=LOOP)


def names(web: Web, result: Result) -> list[str]:
    graph = graph_of(web)
    return [name_of(address) for address in as_urls(graph, result.order)]


def order(web: Web, strategy: str, seeds: str = "s/", **limits: int) -> str:
    """The names of the pages in the order taken, as one string."""
    return " ".join(names(web, run(web, strategy, seeds.split(), **limits)))


def test_seeds_come_first_in_the_order_given_and_a_repeated_one_counts_once() -> None:
    web = {"b/1": P(), "a/1": P(), "c/1": P()}
    assert order(web, "bfs", "b/1 a/1 b/1 c/1") == "b/1 a/1 c/1"


def test_links_are_offered_in_document_order_and_duplicates_count_once() -> None:
    web = {"s/": P("en", ("s/2", "s/1", "s/2", "s/")), "s/1": P(), "s/2": P()}
    result = run(web, "hard:n=0", ["s/"])
    assert result.discards == {"distance": 2}
    assert order(web, "bfs") == "s s/2 s/1"


def test_soft_takes_links_of_relevant_pages_first() -> None:
    web = {
        "s/": P("th", ("s/en", "s/th")),
        "s/en": P("en", ("x/1",)),
        "s/th": P("th", ("x/2",)),
        "x/1": P(),
        "x/2": P(),
    }
    assert order(web, "soft") == "s s/en s/th x/2 x/1"


def test_a_better_offer_moves_a_waiting_url_to_the_end_of_the_better_lane() -> None:
    web = {
        "s/": P("th", ("s/en", "s/th")),
        "s/en": P("en", ("x/1", "x/2")),
        "s/th": P("th", ("x/3", "x/1")),
        "x/1": P(),
        "x/2": P(),
        "x/3": P(),
    }
    assert order(web, "soft") == "s s/en s/th x/3 x/1 x/2"


def test_hard_discards_the_links_of_irrelevant_pages_but_takes_them_on_a_better_path() -> None:
    web = {
        "s/": P("th", ("s/en", "s/th")),
        "s/en": P("en", ("x/1", "x/2")),
        "s/th": P("th", ("x/2",)),
        "x/1": P(),
        "x/2": P(),
    }
    result = run(web, "hard", ["s/"])
    assert names(web, result) == ["s", "s/en", "s/th", "x/2"]
    assert result.discards == {"irrelevant-parent": 2}


@pytest.mark.parametrize(("n", "taken"), [(0, "s a"), (1, "s a b"), (2, "s a b c t d")])
def test_limited_tunnels_through_n_irrelevant_pages(n: int, taken: str) -> None:
    web = {
        "s/": P("th", ("a/",)),
        "a/": P("en", ("b/",)),
        "b/": P("en", ("c/",)),
        "c/": P("th", ("t/",)),
        "t/": P("en", ("d/",)),
        "d/": P(),
    }
    assert order(web, f"limited:n={n}") == taken


def test_the_irrelevant_run_of_a_waiting_url_is_the_smallest_offered() -> None:
    # x is first found with run 2 and then, while it waits in the only lane, with run 0.
    web = {
        "s/": P("th", ("a/", "b/")),
        "a/": P("en", ("a/1",)),
        "b/": P("en", ("b/1",)),
        "a/1": P("en", ("x/",)),
        "b/1": P("th", ("x/",)),
        "x/": P("en", ("y/",)),
        "y/": P(),
    }
    assert order(web, "limited:n=2") == "s a b a/1 b/1 x y"


def test_prioritized_limited_takes_the_nearest_to_a_relevant_page_first() -> None:
    web = {
        "s/": P("th", ("e/1", "e/2")),
        "e/1": P("en", ("far/1",)),
        "e/2": P("th", ("near/1",)),
        "far/1": P(),
        "near/1": P(),
    }
    assert order(web, "limited:n=2,prioritized=true") == "s e/1 e/2 near/1 far/1"


def test_lswc_promotes_a_host_with_its_first_relevant_page() -> None:
    web = {
        "s/": P("th", ("a/1", "b/1", "b/2")),
        "a/1": P("en", ("c/1",)),
        "b/1": P("th"),
        "b/2": P("th"),
        "c/1": P("th", ("c/2",)),
        "c/2": P(),
    }
    # After b/1 the host b is relevant: b/2 overtakes c/1, which came through an English page.
    assert order(web, "lswc:s=3,t=5") == "s a/1 b/1 b/2 c/1 c/2"


def test_lswc_gives_a_host_up_after_s_irrelevant_downloads() -> None:
    web = {"s/": P("th", ("a/1", "a/2", "a/3", "b/1")), "a/1": P(), "a/2": P("th")}
    web |= {"a/3": P("th"), "b/1": P("th")}
    result = run(web, "lswc:s=1,t=5", ["s/"])
    assert names(web, result) == ["s", "a/1", "b/1"]
    assert result.discards == {"irrelevant-host": 2}


def test_lswc_raises_a_link_behind_one_page_in_the_bridge_language() -> None:
    web = {
        "s/": P("th", ("j/", "e/")),
        "j/": P("ja", ("x/1",)),
        "e/": P("en", ("x/2",)),
        "x/1": P(),
        "x/2": P(),
    }
    assert order(web, "lswc:s=3,t=5") == "s j e x/2 x/1"


def test_a_redirect_is_a_download_but_no_step_of_a_path() -> None:
    web = {
        "s/": P("th", ("e/",)),
        "e/": P("en", ("r/",)),
        "r/": P("und", status=301, redirect="t/"),
        "t/": P("en", ("u/",)),
        "u/": P("th"),
    }
    assert order(web, "limited:n=1") == "s e r t"
    assert order(web, "limited:n=2") == "s e r t u"
    assert order(web, "bfs", max_depth=2) == "s e r t"


def test_a_failed_page_is_an_irrelevant_download_without_links() -> None:
    web = {"s/": P("th", ("s/1",)), "s/1": P("th", ("s/2",), status=404), "s/2": P("th")}
    result = run(web, "bfs", ["s/"])
    assert (result.summary.pages, result.summary.relevant) == (2, 1)


def test_limits_act_when_a_link_is_offered() -> None:
    web = {"s/": P("th", ("s/1", "s/2", "s/3")), "s/1": P("th", ("s/4",)), "s/2": P("th")}
    web |= {"s/3": P("th"), "s/4": P("th")}
    result = run(web, "bfs", ["s/"], max_pages_per_host=2)
    assert names(web, result) == ["s", "s/1", "s/2", "s/3"]
    assert result.discards == {"max-pages-per-host": 1}
    result = run(web, "bfs", ["s/"], max_depth=1)
    assert result.discards == {"max-depth": 1}


def test_the_queue_is_read_after_the_seeds_and_after_each_page() -> None:
    web = {"s/": P(), "s/1": P(), "s/2": P()}
    result = run(web, "bfs", ["s/", "s/1", "s/2"])
    assert result.max_queue == 3
    assert [point.queue for point in result.summary.curve] == [2, 1, 0]


def test_max_pages_stops_at_that_page() -> None:
    web = {"s/": P("th", ("s/1", "s/2")), "s/1": P(), "s/2": P()}
    assert order(web, "bfs", max_pages=2) == "s s/1"


def test_links_without_a_page_are_dropped_or_fail() -> None:
    web = {"s/": P("th", ("s/gone", "s/1")), "s/1": P()}
    graph = graph_of(web, ["s/"])
    dropped = simulate(graph, made("bfs"), Plan(), interpreted=LOOP)
    failed = simulate(graph, made("bfs"), Plan(unknown_fails=True), interpreted=LOOP)
    assert (dropped.summary.pages, dropped.discards) == (2, {"not-in-log": 1})
    assert (failed.summary.pages, failed.summary.relevant, failed.discards) == (3, 1, {})


@pytest.mark.parametrize("answer", [float("nan"), -1.0, -0.5])
def test_a_rule_that_returns_no_priority_is_named(answer: float) -> None:
    broken = Strategy("mine", lambda facts: answer, "broken")
    with pytest.raises(StrategyFailed, match="'mine' returned"):
        simulate(graph_of({"s/": P()}, ["s/"]), broken, Plan(), interpreted=LOOP)


def test_a_rule_that_raises_is_named() -> None:
    broken = Strategy("mine", lambda facts: 1 / facts.run, "broken")
    with pytest.raises(StrategyFailed, match="'mine' failed"):
        simulate(graph_of({"s/": P()}, ["s/"]), broken, Plan(), interpreted=LOOP)


@pytest.mark.parametrize("strategy", EVERY_STRATEGY)
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(random_webs())
def test_the_loop_agrees_with_the_rules_to_the_page(
    strategy: str, drawn: tuple[Web, list[str]]
) -> None:
    web, seeds = drawn
    graph = graph_of(web, seeds)
    for limits in ({}, {"max_depth": 2, "max_pages_per_host": 2}):
        plan = Plan(limits=Limits(**limits))
        result = simulate(graph, made(strategy), plan, interpreted=LOOP)
        told = reference(web, seeds, made(strategy), **limits)
        assert [name_of(address) for address in as_urls(graph, result.order)] == told.order
        assert result.discards == dict(told.discards)
        assert [point.queue for point in result.summary.curve] == told.queues[1:]
        assert result.max_queue == max(told.queues)
