"""The quick crawls of the coverage benchmark do what the simulation does."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from benchmarks.quick_crawls import QuickWeb, crawl, crawled, generated, of_graph, reachable

from langcrawl.log.graph import Graph, load_graph
from langcrawl.measure.crawled import of_simulation
from langcrawl.measure.signs import signs_of
from langcrawl.simulate import Plan, simulate
from langcrawl.strategy import make_strategy
from langcrawl.virtualweb.synth import generate, load_profile

PROFILE, PAGES, SEED = "today", 6000, 3


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    directory: Path = tmp_path_factory.mktemp("webs") / "today"
    generate(directory, load_profile(PROFILE), PAGES, SEED)
    return load_graph(directory)


@pytest.fixture(scope="module")
def web() -> QuickWeb:
    return generated(load_profile(PROFILE), PAGES, SEED)


def test_a_web_in_memory_is_the_one_that_is_written(web: QuickWeb, graph: Graph) -> None:
    written = of_graph(graph)
    assert np.array_equal(web.offsets, written.offsets)
    assert np.array_equal(web.dst, written.dst)
    assert np.array_equal(web.redirect, written.redirect)
    assert np.array_equal(web.relevant, written.relevant)
    assert sorted(web.seeds) == sorted(written.seeds)


@pytest.mark.parametrize("strategy", ["bfs", "soft"])
def test_without_draws_the_order_is_that_of_the_simulation(graph: Graph, strategy: str) -> None:
    expected = simulate(graph, make_strategy(strategy), Plan()).order
    assert np.array_equal(crawl(of_graph(graph), strategy, 0.0, 1).order, expected)


def test_a_crawl_shows_the_same_signs_as_a_simulated_one(graph: Graph) -> None:
    web = of_graph(graph)
    done = crawl(web, "soft", 0.05, 1)
    end = len(done.order) // 2
    drawn = np.flatnonzero(done.drawn[:end]).astype(np.int32)
    ours = crawled(done, end)
    theirs = of_simulation(graph, done.order[:end].astype(np.int32), drawn)
    assert np.count_nonzero(ours.drawn) == len(drawn)
    assert signs_of(ours).values == pytest.approx(signs_of(theirs).values)


def test_draws_are_as_many_as_asked_for_and_reach_every_page(web: QuickWeb) -> None:
    done = crawl(web, "soft", 0.05, 1)
    assert 0.04 < np.mean(done.drawn) < 0.06
    assert np.count_nonzero(web.relevant[done.order]) == reachable(web)
