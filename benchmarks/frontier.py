"""The frontier on disk under the real loop: links offered, takes and memory, as it grows."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from langcrawl.crawl import Crawl, Limits
from langcrawl.frontier.sqlite import SqliteFrontier
from langcrawl.records import Facts, Finished, Link, Page, Verdict, Visit
from langcrawl.strategy import make_strategy

KNOWN = (100_000, 1_000_000, 10_000_000)
CONNECTIONS = 50
"""Visits that begin together: the loop commits once for them."""
CHUNK = 25
"""Links that were first met together, from one host and one page."""
PLOT = Path(__file__).parent.parent / "docs" / "frontier.svg"


class Site:
    """A web of numbered URLs: 21 a host on average, heavy-tailed, met in a random order.

    A page has 50 links: 10 to the first pages of its host (the menu), 24 to random pages
    within 60 of it, 16 to pages anywhere, of which those met early are linked to more
    often. A fifth of all URLs has not been met when the crawl begins.
    """

    def __init__(self, known: int) -> None:
        self.rng = np.random.default_rng(1)
        self.chunks = self.rng.permutation(known * 5 // 4 // CHUNK)
        self.urls = len(self.chunks) * CHUNK
        self.known = known
        sizes = np.minimum(self.rng.pareto(1.1, self.urls // 12) * 3.0 + 1, 50_000)
        starts = np.concatenate([[0], np.cumsum(sizes.astype(np.int64))])
        self.starts = starts[: int(np.searchsorted(starts, self.urls))]

    def met(self) -> Iterator[list[str]]:
        """The known URLs, page by page: half of each page from one host, half from another."""
        for first in range(0, self.known // CHUNK, 2):
            chunks = self.chunks[first : first + 2]
            yield self.names((chunks[:, None] * CHUNK + np.arange(CHUNK)).ravel())

    def links(self, url: str) -> list[str]:
        number = int(url.rsplit("-", 1)[1])
        host = int(np.searchsorted(self.starts, number, "right")) - 1
        menu = self.starts[host] + np.arange(10)
        near = number + self.rng.integers(-60, 61, 24)
        far = (self.rng.random(16) ** 3 * self.known).astype(np.int64)
        far = self.chunks[far // CHUNK] * CHUNK + far % CHUNK
        return self.names(np.clip(np.concatenate([menu, near, far]), 0, self.urls - 1))

    def names(self, numbers: Any) -> list[str]:
        hosts = np.searchsorted(self.starts, numbers, "right") - 1
        return [
            f"http://www.site-{host}.example/articles/{number % 97}/page-{number}"
            for host, number in zip(hosts.tolist(), numbers.tolist(), strict=True)
        ]


class SiteWeb:
    """Answers at once; keeps the seconds that it took itself, which are not the crawl's."""

    def __init__(self, site: Site) -> None:
        self.clock = self
        self.site = site
        self.visits: list[Visit] = []
        self.seconds = 0.0
        self.links = 0

    def now(self) -> float:
        return 0.0

    def sleep_until(self, moment: float) -> None: ...

    def begin(self, visits: Sequence[Visit]) -> None:
        self.visits.extend(visits)

    def next_done(self, until: float) -> list[Finished]:
        began = time.perf_counter()
        done = [self.answer(visit) for visit in self.visits]
        self.visits.clear()
        self.seconds += time.perf_counter() - began
        return done

    def answer(self, visit: Visit) -> Finished:
        links = tuple(Link(url) for url in self.site.links(visit.url))
        self.links += len(links)
        score = float(self.site.rng.random())
        return Finished(visit, Page(visit.url, 200, links=links), Verdict(score=score))

    def close(self) -> None: ...


class TimedFrontier(SqliteFrontier):
    """Notes the seconds of every take and every commit."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.takes: list[float] = []
        self.commits: list[float] = []

    def take(self, ready: Callable[[str], bool], overtake: bool) -> Visit | None:
        began = time.perf_counter()
        visit = super().take(ready, overtake)
        self.takes.append(time.perf_counter() - began)
        return visit

    def commit(self) -> None:
        began = time.perf_counter()
        super().commit()
        self.commits.append(time.perf_counter() - began)


def fill(frontier: SqliteFrontier, site: Site) -> float:
    """Have the known URLs offered by pages of random scores; links a second."""
    crawl = Crawl(SiteWeb(site), frontier, make_strategy("best-first"))
    seconds = 0.0
    pages = site.met()
    while some := list(islice(pages, CONNECTIONS)):
        began = time.perf_counter()
        for urls in some:
            score = float(site.rng.random())
            crawl._offer(urls, Facts(0, 1, 0, 0, score, 0, 0, 0, 0), parent=urls[0])
        frontier.commit()
        seconds += time.perf_counter() - began
    return site.known / seconds


def measure(folder: Path, known: int) -> dict[str, float]:
    """Fill a frontier, open it again, and crawl with it."""
    site = Site(known)
    frontier = SqliteFrontier(folder / "frontier.db")
    filled = fill(frontier, site)
    frontier.close()
    began = time.perf_counter()
    timed = TimedFrontier(folder / "frontier.db")
    opened = time.perf_counter() - began
    web = SiteWeb(site)
    pages = min(known // 100, 10_000)
    crawl = Crawl(
        web, timed, make_strategy("best-first"),
        connections=CONNECTIONS, limits=Limits(max_pages=pages),
    )  # fmt: skip
    met = timed.id_of("http://none.example/")
    began = time.perf_counter()
    crawl.run(())
    seconds = time.perf_counter() - began - web.seconds
    new = timed.id_of("http://none-either.example/") - met - 1
    size = (folder / "frontier.db").stat().st_size
    timed.close()
    return {
        "known": known,
        "fill": filled,
        "open": opened,
        "links": web.links / seconds,
        "share": 1 - new / web.links,
        "take": float(np.median(timed.takes) * 1000),
        "take99": float(np.quantile(timed.takes, 0.99) * 1000),
        "commit": float(np.median(timed.commits) * 1000),
        "commit_max": max(timed.commits) * 1000,
        "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3,
        "disk": size / 1e9,
    }


def run() -> None:
    """links offered to a frontier of 10^5 to 10^7 known URLs, its takes, and its memory"""
    results = []
    for known in KNOWN:
        with tempfile.TemporaryDirectory(dir=".") as folder:
            command = [sys.executable, "-m", "benchmarks.frontier", folder, str(known)]
            done = subprocess.run(command, check=True, stdout=subprocess.PIPE)
        results.append(json.loads(done.stdout))
        print(results[-1], flush=True)


if __name__ == "__main__":
    print(json.dumps(measure(Path(sys.argv[1]), int(sys.argv[2]))))
