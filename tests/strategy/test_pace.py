"""Hosts that take long to answer: what they are worth, and where that counts."""

from __future__ import annotations

from math import exp, log

import pytest

from langcrawl.log.graph import Graph
from langcrawl.simulate import Plan, Timing, simulate
from langcrawl.strategy import make_strategy
from langcrawl.strategy.learned.pace import BUSY, CLOCK, POWER, SLOWEST, Pace, by_second
from webs import P, graph_of

HOSTS, PAGES = 12, 20


def hear(pace: Pace, beside: bool, answers: int = 40) -> None:
    """Two hosts of half a second and one of four, one visit after the other or side by side."""
    now = 0.0
    for _ in range(answers):
        for host, seconds in (("a", 0.5), ("b", 0.5), ("slow", 4.0)):
            pace.hear(host, now, seconds)
            now += 0.1 if beside else seconds + 0.1


def test_a_host_is_slow_by_what_is_usual_and_more_so_the_surer_that_is() -> None:
    pace = Pace()
    hear(pace, beside=True, answers=1)
    early = pace.slowness("slow")
    hear(pace, beside=True)
    assert pace.slowness("a") == pace.slowness("never-asked") == 1.0
    assert 1.1 < early < pace.slowness("slow") <= 8.0**POWER
    for _ in range(100):
        pace.hear("hangs", 50.0, 300.0)
    assert pace.slowness("hangs") == SLOWEST**POWER


def test_where_visits_do_not_overlap_or_take_no_time_nobody_is_slow() -> None:
    pace = Pace()
    hear(pace, beside=False)
    assert pace.slowness("slow") == 1.0
    timeless = Pace()
    for _ in range(9):
        timeless.hear("slow", 0.0, 0.0)
    assert timeless.slowness("slow") == 1.0
    assert not dict(timeless.save())


def test_pace_counts_only_where_connections_are_scarce() -> None:
    """Thirteen connections are busy in the mean."""
    pace = Pace()
    hear(pace, beside=True)
    full = pace.slowness("slow", connections=12)
    assert full == pace.slowness("slow") > 1.5
    assert 1.0 < pace.slowness("slow", connections=16) < full
    assert pace.slowness("slow", connections=100) == 1.0


def test_a_crawl_that_an_older_version_began_takes_connections_to_be_busy() -> None:
    pace, older = Pace(), Pace()
    hear(pace, beside=True)
    older.restore({key: value for key, value in pace.save() if key not in (BUSY, CLOCK)})
    assert older.slowness("slow", connections=100) == pace.slowness("slow")


def test_what_is_known_of_paces_is_saved_and_there_again() -> None:
    pace, other = Pace(), Pace()
    hear(pace, beside=True)
    other.restore(dict(pace.save()))
    assert other.slowness("slow") == pace.slowness("slow") > 1.5
    assert not dict(pace.save())


@pytest.mark.parametrize("total", [-6.0, -1.0, 0.0, 2.0, 8.0])
def test_a_host_that_takes_three_times_as_long_is_worth_a_third(total: float) -> None:
    chance = 1 / (1 + exp(-total)) / 3
    assert by_second(total, 3.0) == pytest.approx(log(chance / (1 - chance)))


def two_paces() -> Graph:
    """Hosts that are all in the target; every second one takes twenty times as long to answer."""
    names = [f"h{host}" for host in range(HOSTS)]
    web = {"s/": P("th", tuple(f"{name}/0" for name in names))}
    for name in names:
        for page in range(PAGES):
            web[f"{name}/{page}"] = P("th", (f"{name}/{page + 1}",) if page + 1 < PAGES else ())
    graph = graph_of(web, ["s/"])
    for node, url in enumerate(graph.urls[: graph.pages]):
        slow = url.split("/")[2].startswith("h") and int(url.split("/")[2][1:]) % 2 == 0
        graph.arrays.elapsed[node] = 4.0 if slow else 0.2
    return graph


def seconds_to_half(graph: Graph, strategy: str, connections: int) -> float:
    plan = Plan(timing=Timing(delay=0.1, connections=connections))
    report = simulate(graph, make_strategy(strategy), plan).time
    assert report is not None
    found = report.seconds_to["0.5"]
    assert found is not None
    return found


def test_where_connections_are_scarce_more_is_found_in_the_same_time() -> None:
    graph = two_paces()
    by_harvest, by_download = (
        seconds_to_half(graph, name, connections=3)
        for name in ("adaptive", "adaptive:without=pace")
    )
    assert by_harvest < 0.6 * by_download


def test_one_connection_keeps_the_order_of_a_simulation_without_time() -> None:
    graph = two_paces()
    timed = simulate(graph, make_strategy("adaptive"), Plan(timing=Timing(0.1, 1))).order
    assert timed.tolist() == simulate(graph, make_strategy("adaptive"), Plan()).order.tolist()
