"""Simulations of two descriptions of one world take the same pages; of a part, the same beginning.

All of these run the interpreted loop, which is the reference.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from langcrawl.log.graph import Graph
from langcrawl.records import Limits
from langcrawl.simulate import Plan, Result, Timing, as_urls, simulate
from langcrawl.strategy import make_strategy
from webs import P, Web, graph_of, name_of, random_webs, url

RULES = [
    "bfs", "dfs", "hard", "soft:n=2", "limited:n=1", "lswc:s=2,t=2", "best-first", "adaptive",
]  # fmt: skip
few = settings(max_examples=12, suppress_health_check=list(HealthCheck))


def run(graph: Graph, rule: str, plan: Plan | None = None) -> Result:
    return simulate(graph, make_strategy(rule), plan or Plan(), interpreted=True)


def names(graph: Graph, result: Result) -> list[str]:
    return [name_of(address) for address in as_urls(graph, result.order)]


@few
@given(random_webs())
def test_a_budget_takes_the_beginning_of_the_whole_crawl(drawn: tuple[Web, list[str]]) -> None:
    graph = graph_of(*drawn)
    for rule in RULES:
        whole = run(graph, rule)
        for pages in (1, 5):
            part = run(graph, rule, Plan(limits=Limits(max_pages=pages)))
            assert list(part.order) == list(whole.order[:pages])
            assert part.relevant <= whole.relevant


@few
@given(random_webs())
def test_unknown_pages_fail_as_pages_that_failed_in_the_log(drawn: tuple[Web, list[str]]) -> None:
    web, seeds = drawn
    told = {name for page in web.values() for name in (*page.links, page.redirect) if name}
    failed = web | {name: P("und", status=0) for name in sorted(told - set(web))}
    graph, other = graph_of(web, seeds), graph_of(failed, seeds)
    for rule in RULES:
        unknown, known = run(graph, rule, Plan(unknown_fails=True)), run(other, rule)
        assert names(graph, unknown) == names(other, known)
        assert unknown.discards == known.discards
        assert (unknown.relevant, unknown.max_queue) == (known.relevant, known.max_queue)


@few
@given(random_webs())
def test_a_page_that_only_repeats_its_links_changes_nothing(drawn: tuple[Web, list[str]]) -> None:
    web, seeds = drawn
    plain = {name: replace(page, anchors=()) for name, page in web.items()}
    doubled = {
        name: replace(page, links=page.links + page.links[::-1]) for name, page in plain.items()
    }
    graph, other = graph_of(plain, seeds), graph_of(doubled, seeds)
    for rule in ("bfs", "dfs", "lswc:s=2,t=2", "adaptive"):
        one, two = run(graph, rule), run(other, rule)
        assert names(graph, one) == names(other, two)
        assert one.discards == two.discards


@few
@given(random_webs())
def test_many_connections_reach_the_same_pages_where_no_budget_cuts_them_off(
    drawn: tuple[Web, list[str]],
) -> None:
    graph, timing = graph_of(*drawn), Timing(delay=2.0, connections=5)
    for rule in ("bfs", "soft", "hard"):
        one, many = run(graph, rule), run(graph, rule, Plan(timing=timing))
        assert set(many.order.tolist()) == set(one.order.tolist())
        assert many.relevant == one.relevant


@few
@given(random_webs())
def test_one_connection_in_time_keeps_the_exact_order(drawn: tuple[Web, list[str]]) -> None:
    graph, plan = graph_of(*drawn), Plan(timing=Timing(delay=1.0, connections=1))
    for rule in ("soft", "lswc:s=2,t=2"):
        timed = run(graph, rule, plan)
        assert list(timed.order) == list(run(graph, rule).order)
        assert timed.ends is not None
        assert (np.diff(timed.ends) >= 0).all()


@few
@given(random_webs())
def test_hosts_that_are_taken_out_are_as_if_they_had_never_been_fetched(
    drawn: tuple[Web, list[str]],
) -> None:
    web, _ = drawn
    graph = graph_of(web, list(web))
    hosts = graph.hosts.to_pylist()
    gone = np.array([host == hosts[0] for host in hosts])
    left = {name: page for name, page in web.items() if name.split("/")[0] != hosts[0]}
    if not left:
        return
    part = run(graph.without_hosts(gone), "soft", Plan(seeds=tuple(map(url, left))))
    other = graph_of(left, list(left))
    fresh = run(other, "soft")
    assert names(graph, part) == names(other, fresh)
    assert part.relevant == fresh.relevant


def test_a_chain_of_irrelevant_pages_is_followed_as_far_as_each_rule_says() -> None:
    """A relevant page behind k irrelevant ones, for each k: who reaches it."""
    web: Web = {"s/": P("th", tuple(f"c{k}/0" for k in range(1, 7)))}
    for k in range(1, 7):
        for step in range(k):
            after = f"c{k}/{step + 1}" if step + 1 < k else f"goal{k}/"
            web[f"c{k}/{step}"] = P("ja", (after,))
        web[f"goal{k}/"] = P("th")
    graph = graph_of(web, ["s/"])
    reached = {"bfs": 6, "soft": 6, "hard": 0, "limited:n=3": 3, "soft:n=4": 4, "lswc:s=9,t=2": 2}
    for rule, far in reached.items():
        result = run(graph, rule)
        goals = {name for name in names(graph, result) if name.startswith("goal")}
        assert goals == {f"goal{k}" for k in range(1, far + 1)}, rule
        assert result.relevant == 1 + far
        assert result.coverage == pytest.approx((1 + far) / 7)
