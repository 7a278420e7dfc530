"""The oracle of ``perfect``: which links it keeps, seen on webs small enough to draw."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from langcrawl.simulate import Plan, simulate
from langcrawl.simulate.oracle import prune
from langcrawl.simulate.plan import as_urls, find_seeds
from langcrawl.strategy import make_strategy
from webs import P, Web, graph_of, name_of, random_webs

PERFECT = make_strategy("perfect")


def taken(web: Web, seeds: list[str]) -> list[str]:
    graph = graph_of(web, seeds)
    both = [
        [
            name_of(u)
            for u in as_urls(graph, simulate(graph, PERFECT, Plan(), interpreted=slow).order)
        ]
        for slow in (False, True)
    ]
    assert both[0] == both[1]
    return both[0]


@pytest.mark.parametrize(
    ("web", "seeds", "expected"),
    [
        # Of two ways to one page only the first found is taken.
        (
            {"s": P(links=("a", "b")), "a": P(links=("t",)), "b": P(links=("t",)), "t": P("th")},
            ["s"],
            ["s", "a", "t"],
        ),
        # Below an irrelevant page there is a relevant one, two links further down.
        (
            {"s": P(links=("a",)), "a": P(links=("b",)), "b": P(links=("t",)), "t": P("th")},
            ["s"],
            ["s", "a", "b", "t"],
        ),
        # Nothing is taken behind the last relevant page.
        ({"s": P("th", ("a",)), "a": P(links=("b",)), "b": P()}, ["s"], ["s"]),
        # A seed with nothing relevant below it is dropped; the other one stays.
        ({"s": P(links=("x",)), "x": P(), "t": P("th")}, ["s", "t"], ["t"]),
        # A redirect is a page of the path.
        ({"s": P(status=301, redirect="t"), "t": P("th")}, ["s"], ["s", "t"]),
        # One that leads nowhere is not.
        ({"s": P("th", ("r",)), "r": P(status=301, redirect="x"), "x": P()}, ["s"], ["s"]),
        # Circles end.
        ({"s": P(links=("a",)), "a": P("th", ("s", "a"))}, ["s"], ["s", "a"]),
        # Nothing relevant: nothing is asked for.
        ({"s": P(links=("a",)), "a": P()}, ["s"], []),
    ],
)
def test_only_what_leads_to_relevant_pages_is_taken(
    web: Web, seeds: list[str], expected: list[str]
) -> None:
    assert taken(web, seeds) == expected


@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(random_webs())
def test_what_is_left_is_a_forest_of_which_every_leaf_is_relevant(
    drawn: tuple[Web, list[str]],
) -> None:
    web, seeds = drawn
    graph = graph_of(web, seeds)
    left, roots = prune(graph, find_seeds(graph, Plan()).nodes)
    goals = [*left.arrays.dst.tolist(), *left.arrays.redirect[left.arrays.redirect >= 0].tolist()]
    assert len(set(goals)) == len(goals)  # each page is reached by one link
    assert not set(goals) & set(roots)
    counts = np.diff(left.arrays.offsets)
    for node in {*goals, *roots}:
        is_leaf = not counts[node] and left.arrays.redirect[node] < 0
        assert graph.relevant[node] or not is_leaf
    assert left.pages == graph.pages
    assert left.relevant_total == graph.relevant_total  # coverage is of the whole log
    assert graph.links == len(graph.arrays.dst)  # the graph itself is as it was
