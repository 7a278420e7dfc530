"""Simulations in virtual time, and several side by side."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from conftest import Cli
from langcrawl.log.graph import load_graph
from langcrawl.simulate import Plan, Timing, simulate
from langcrawl.strategy import make_strategy
from webs import P, Web, graph_of, random_webs

STAR = {"s/": P("th", tuple(f"h{n}/x" for n in range(8)))} | {f"h{n}/x": P("th") for n in range(8)}
CHAIN = {f"s/{n}": P("th", (f"s/{n + 1}",)) for n in range(5)}


def test_connections_work_side_by_side() -> None:
    graph = graph_of(STAR, ["s/"])
    seconds = {}
    for connections in (1, 2, 8):
        plan = Plan(timing=Timing(delay=5.0, connections=connections))
        report = simulate(graph, make_strategy("bfs"), plan).time
        assert report is not None
        seconds[connections] = report.seconds
    assert seconds == {1: 9 * 0.25, 2: 5 * 0.25, 8: 3 * 0.25}  # of new hosts, four at a time


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(random_webs())
def test_without_time_one_connection_takes_the_same_pages(drawn: tuple[Web, list[str]]) -> None:
    """There nobody keeps the clocks of hosts, also not of those that are silent."""
    graph = graph_of(*drawn)
    for name in ("soft", "lswc:s=1,t=2", "correlation"):
        strategy = make_strategy(name)
        clocks = Plan(timing=Timing(delay=3.0, connections=1), unknown_fails=True)
        timed = simulate(graph, strategy, clocks, interpreted=True)
        free = simulate(graph, strategy, Plan(unknown_fails=True), interpreted=True)
        assert timed.order.tolist() == free.order.tolist()
        assert (timed.discards, timed.max_queue) == (free.discards, free.max_queue)


def test_a_host_rests_between_downloads_and_connections_are_idle_meanwhile() -> None:
    plan = Plan(timing=Timing(delay=2.0, connections=2))
    report = simulate(graph_of(CHAIN, ["s/0"]), make_strategy("bfs"), plan).time
    assert report is not None
    assert report.seconds == pytest.approx(5 * 0.25 + 4 * 2.0)
    assert report.seconds_to["0.8"] == pytest.approx(4 * 0.25 + 3 * 2.0)
    assert report.idle == pytest.approx(1 - 5 * 0.25 / (2 * 9.25))


def test_hosts_that_hang_leave_connections_to_the_others() -> None:
    """Sixty hosts with ten pages each; beside them thirty that give no answer for ten seconds."""
    good = {
        f"g{host}/{n}": P("th", (f"g{host}/{n + 1}",) if n < 9 else ())
        for host in range(60)
        for n in range(10)
    }
    silent = {f"x{host}/{n}": P(status=0) for host in range(30) for n in range(4)}
    seconds = []
    for web in (good, good | silent):
        portal = {"s/": P("th", tuple(sorted(web, key=lambda name: (name[-1], name))))}
        graph = graph_of(portal | web, ["s/"])
        graph.arrays.elapsed[graph.arrays.status == 0] = 10.0
        report = simulate(
            graph, make_strategy("bfs"), Plan(timing=Timing(delay=1.0, connections=20))
        ).time
        assert report is not None
        assert report.seconds_to["0.99"] is not None
        seconds.append(report.seconds_to["0.99"])
    assert seconds[1] < 1.25 * seconds[0]


def test_modelled_time_is_the_same_for_a_seed_and_another_for_another(small_crawl: Path) -> None:
    graph = load_graph(small_crawl)

    def run(seed: int) -> object:
        timing = Timing(latency=0.3, seed=seed, connections=8)
        return simulate(graph, make_strategy("soft"), Plan(timing=timing)).time

    assert run(1) == run(1) != run(2)


def test_politeness_costs_time_and_no_pages(small_crawl: Path) -> None:
    graph = load_graph(small_crawl)
    results = [
        simulate(graph, make_strategy("soft"), Plan(timing=Timing(delay, 8, 0.1)))
        for delay in (0.0, 2.0)
    ]
    hasty, polite = (result.time for result in results)
    assert hasty is not None
    assert polite is not None
    assert polite.seconds > 2 * hasty.seconds
    assert results[0].summary.pages == results[1].summary.pages == graph.pages


def test_the_command_line_reports_time(cli: Cli, small_crawl: Path) -> None:
    done = cli(
        "simulate", small_crawl, "--strategy", "soft", "--timed", "--delay", "0.5",
        "--connections", "4", "--latency", "0.2", "--seed", "3", "--json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    entry = json.loads(done.stdout)["strategies"][0]
    assert entry["time"]["connections"] == 4
    assert entry["time"]["seconds"] > 0
    bare = cli(
        "simulate", small_crawl, "--strategy", "soft", "--timed", "--delay", "0",
        "--connections", "4", "--latency", "0.2", "--seed", "3", "--json",
    )  # fmt: skip
    alone = json.loads(bare.stdout)["strategies"][0]
    assert "without_delay" not in alone["time"]
    without = entry["time"]["without_delay"]
    assert without["seconds"] == alone["time"]["seconds"]
    assert without["coverage"] == alone["coverage"]
    slowed = entry["time"]["slowed_by_delay"]
    assert slowed == entry["time"]["seconds"] / without["seconds"] > 1
    table = cli("simulate", small_crawl, "--strategy", "soft", "--timed").stdout
    assert "idle" in table
    assert "slowed by delay" in table


def test_the_reference_loop_can_be_asked_for(cli: Cli, small_crawl: Path) -> None:
    words = ("simulate", small_crawl, "--strategy", "lswc", "--json")
    fast, slow = (json.loads(cli(*words, *more).stdout) for more in ((), ("--interpreted",)))
    for document in (fast, slow):
        document["strategies"][0].pop("seconds")
    assert fast == slow
