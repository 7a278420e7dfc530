"""One contract over both webs: the small web served on loopback, and replayed from its log."""

from __future__ import annotations

import time
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from langcrawl.config import CrawlConfig
from langcrawl.crawl import Crawl
from langcrawl.frontier.memory import MemoryFrontier
from langcrawl.judge import make_judge
from langcrawl.languages import load_pack
from langcrawl.log.graph import Graph, load_graph
from langcrawl.politeness import Politeness
from langcrawl.ports import Web
from langcrawl.records import Step
from langcrawl.settings import fetch_settings_of
from langcrawl.strategy import make_strategy, start_ranker
from langcrawl.virtualweb.serve import Server
from langcrawl.virtualweb.small import SmallPage, SmallWeb
from langcrawl.web.clock import WallClock
from langcrawl.web.fetch import FetchSettings
from langcrawl.web.live import LiveWeb
from langcrawl.web.replay import ReplayedWeb
from langcrawl.web.worker import Worker
from webs import P, graph_of

ORDERED = [
    "bfs", "dfs", "hard", "soft", "limited:n=1", "limited:n=2,prioritized=true",
    "lswc:s=1,t=1", "lswc:s=3,t=5", "best-first",
]  # fmt: skip


class Steps:
    """A sink that keeps the steps."""

    def __init__(self) -> None:
        self.steps: list[Step] = []

    def take(self, step: Step) -> None:
        self.steps.append(step)

    def close(self) -> None:
        pass

    @property
    def urls(self) -> list[str]:
        return [step.visit.url for step in self.steps]


def crawl(
    web: Web, seeds: tuple[str, ...], strategy: str, connections: int = 1, delay: float = 0.0
) -> Steps:
    rule, sink = start_ranker(make_strategy(strategy)), Steps()
    Crawl(
        web,
        MemoryFrontier(rule.last_first),
        rule,
        politeness=Politeness(delay),
        connections=connections,
        sinks=[sink],
    ).run(seeds)
    web.close()
    return sink


def timed(graph: Graph) -> ReplayedWeb:
    """A web on which answers take as long as they took."""
    return ReplayedWeb(graph, seconds=graph.arrays.elapsed.astype(np.float64))


def live(server: Server, delay: float = 0.0, connections: int = 1) -> LiveWeb:
    config = CrawlConfig(
        lang="th", delay=delay, connections=connections, connect_to=(server.connect_to,)
    )
    return LiveWeb(partial(make_worker, fetch_settings_of(config)))


def make_worker(settings: FetchSettings, _: int) -> Worker:
    return Worker(make_judge(load_pack("th")), settings)


@pytest.mark.parametrize("strategy", ORDERED)
def test_with_one_connection_both_webs_give_the_same_pages_in_the_same_order(
    strategy: str, small_web: SmallWeb, small_crawl: Path
) -> None:
    with Server(small_web.answer) as server:
        asked = crawl(live(server), small_web.seeds, strategy)
    replayed = crawl(ReplayedWeb(load_graph(small_crawl)), small_web.seeds, strategy)
    assert len(asked.urls) > 30
    assert asked.urls == replayed.urls
    assert [s.verdict.relevant for s in asked.steps] == [s.verdict.relevant for s in replayed.steps]


@pytest.mark.parametrize("strategy", ["bfs", "soft", "hard"])
def test_with_many_connections_both_webs_give_the_same_set_of_pages(
    strategy: str, small_web: SmallWeb, small_crawl: Path
) -> None:
    one = crawl(ReplayedWeb(load_graph(small_crawl)), small_web.seeds, strategy)
    replayed = crawl(
        timed(load_graph(small_crawl)),
        small_web.seeds,
        strategy,
        connections=8,
        delay=0.01,
    )
    with Server(small_web.answer) as server:
        asked = crawl(live(server, 0.01, 8), small_web.seeds, strategy, 8, delay=0.01)
    assert set(asked.urls) == set(replayed.urls) == set(one.urls)
    assert len(asked.urls) == len(set(asked.urls)) == len(one.urls)


# The host x is asked, runs empty, and is found again at once through a page elsewhere: the
# pause must hold although x had no URL waiting in between.
EMPTIES = {
    "s/": P("th", ("x/1", "y/1", "z/1")),
    "x/1": P("th"),
    "y/1": P("th", ("x/2",)),
    "z/1": P("th", ("x/3", "y/2")),
    "x/2": P("th"),
    "x/3": P("th"),
    "y/2": P("th"),
}
DELAY = 0.15


def as_html(address: str) -> SmallPage:
    name = address.removeprefix("http://")
    if name not in EMPTIES:
        return SmallPage(404)
    links = "".join(f'<a href="http://{target}">x</a>' for target in EMPTIES[name].links)
    return SmallPage(body=f"<p>สวัสดีครับ ยินดีต้อนรับสู่หน้านี้</p>{links}".encode())


@pytest.mark.parametrize("connections", [1, 4])
def test_the_delay_of_a_host_holds_live_also_when_its_queue_runs_empty(connections: int) -> None:
    with Server(as_html) as server:
        steps = crawl(live(server, DELAY, connections), ("http://s/",), "bfs", connections, DELAY)
        requests = list(server.requests)
    assert len(steps.urls) == len(EMPTIES)
    times: dict[str, list[float]] = {}
    for request in requests:
        times.setdefault(request.host, []).append(request.at)
    gaps = [b - a for each in times.values() for a, b in pairwise(each)]
    assert len(gaps) == len(EMPTIES)  # each host was also asked for its robots.txt
    assert min(gaps) >= DELAY


@pytest.mark.parametrize("connections", [1, 4])
def test_the_delay_of_a_host_holds_replayed_also_when_its_queue_runs_empty(
    connections: int,
) -> None:
    web = timed(graph_of(EMPTIES))
    steps = crawl(web, ("http://s/",), "bfs", connections, delay=DELAY)
    assert len(steps.urls) == len(EMPTIES)
    spans: dict[str, list[tuple[float, float]]] = {}
    for step in steps.steps:
        began = step.page.fetched_at
        spans.setdefault(step.visit.host, []).append((began, began + step.page.elapsed))
    rests = [b[0] - a[1] for each in spans.values() for a, b in pairwise(sorted(each))]
    assert len(rests) == 3
    assert min(rests) >= DELAY - 1e-9


def test_a_waiting_host_does_not_hold_up_the_others() -> None:
    # Ten pages on one host and one each on ten others, four connections, one second's delay:
    # the others are done while the big host rests.
    big = tuple(f"big/{n}" for n in range(10))
    others = tuple(f"h{n}/x" for n in range(10))
    pages = {"s/": P("th", big + others)} | {name: P() for name in big + others}
    web = timed(graph_of(pages))
    steps = crawl(web, ("http://s/",), "bfs", connections=4, delay=1.0)
    last_other = max(n for n, step in enumerate(steps.steps) if step.visit.host[0] == "h")
    assert last_other < 14
    assert web.clock.now() < 10 * 1.25 + 1


def test_a_process_that_is_held_up_as_its_clock_is_made_has_the_same_time_as_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 1_000.0
    delays = iter([0.0, 0.006, 0.0, 0.006, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, *[0.0] * 9])

    def look(ahead: float) -> float:
        nonlocal now
        now += next(delays)
        return now + ahead

    monkeypatch.setattr(time, "monotonic", lambda: look(0.0))
    monkeypatch.setattr(time, "time", lambda: look(5_000.0))
    assert WallClock().now() == pytest.approx(now + 5_000.0, abs=1e-6)
