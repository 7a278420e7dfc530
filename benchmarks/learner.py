"""Strategies that learn: what an offer costs, and how fast a log is replayed with one."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np

from benchmarks.webs import random_graph
from langcrawl.crawl import Crawl
from langcrawl.frontier.memory import MemoryFrontier
from langcrawl.ports import Learner, Offer, Ranker, Ranking
from langcrawl.records import Finished, Limits, Links, Page, Verdict, Visit
from langcrawl.simulate import Plan, simulate
from langcrawl.strategy import make_strategy, start_ranker
from langcrawl.web.clock import VirtualClock

LINKS, PAGES, RUNS = 50, 2_000, 3
EXAMPLE = f"{Path(__file__).parent.parent}/examples/own_learner.py:UrlWords"


class Trivial(Learner):
    """Reads anchors and all, and has one answer."""

    name = "trivial"

    def rank(self, offer: Offer) -> Ranking:
        return Ranking([0.5] * len(offer))


class Pages:
    """A web whose pages have 50 links each: 43 to URLs that are known, 7 to new ones."""

    def __init__(self) -> None:
        self.clock = VirtualClock()
        self._rng = np.random.default_rng(1)
        self._urls = [f"http://h{at % 997}.example/a/{at}" for at in range(PAGES * 10)]
        self._known = LINKS
        self._visits: list[Visit] = []
        self.seconds = 0.0
        """What it took to make the answers, which is not the crawl's."""

    def begin(self, visits: list[Visit]) -> None:
        self._visits += visits

    def next_done(self, until: float) -> list[Finished]:
        began = time.perf_counter()
        done, self._visits = [self._answer(visit) for visit in self._visits], []
        self.seconds += time.perf_counter() - began
        return done

    def stop(self) -> list[Finished]:
        return []

    def close(self) -> None: ...

    def _answer(self, visit: Visit) -> Finished:
        old = self._rng.integers(0, self._known, LINKS - 7).tolist()
        new = range(self._known, self._known + 7)
        self._known += 7
        urls = [self._urls[at] for at in (*old, *new)]
        texts = ["read on"] * LINKS
        paths = ["body/div.menu/ul/li"] * LINKS
        links = Links(urls, texts, tag_paths=paths)
        return Finished(visit, Page(visit.url, 200, links=links), Verdict("th", relevant=True))


def run() -> None:
    """strategies that learn: milliseconds for a page with 50 links, and pages replayed a second"""
    rule = min(_per_page(start_ranker(make_strategy("soft"))) for _ in range(RUNS))
    learner = min(_per_page(Trivial()) for _ in range(RUNS))
    print(f"a page with {LINKS} links offered, rule soft       {rule * 1e3:8.3f} ms")
    print(f"a page with {LINKS} links offered, trivial learner {learner * 1e3:8.3f} ms")
    for pages in (20_000, 200_000):
        graph = random_graph(pages)
        for name in ("soft", EXAMPLE):
            best = 0.0
            for _ in range(RUNS):
                result = simulate(graph, make_strategy(name), Plan(), interpreted=True)
                best = max(best, result.summary.pages / result.seconds)
            shown = name.rsplit("/", 1)[-1]
            print(f"{pages:,} pages replayed, {shown:28} {best:10,.0f} pages/s")


def _per_page(ranker: Ranker) -> float:
    web = Pages()
    crawl = Crawl(web, MemoryFrontier(), ranker, limits=Limits(max_pages=PAGES))  # type: ignore[arg-type]
    began = time.perf_counter()
    crawl.run(["http://h0.example/a/0"])
    return (time.perf_counter() - began - web.seconds) / PAGES
