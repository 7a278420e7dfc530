"""What a page costs the coordinator: a whole crawl whose workers answer at once, for nothing.

Pages are read in advance as a worker reads them, and their results kept as they travel through the
pipe. The crawl then runs as ever: results unpacked, links ranked and queued, log and frontier
committed; only the workers are not there. So what is measured is processor time of one process.
"""

from __future__ import annotations

import pickle
import sys
import tempfile
import time
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.fast_server import Web, url_of
from langcrawl import run as wiring
from langcrawl.config import CrawlConfig
from langcrawl.judge import make_judge
from langcrawl.languages import load_pack
from langcrawl.page import Answer, PageReader
from langcrawl.records import Asked, Finished, Visit
from langcrawl.web.clock import WallClock

PAGES, ROUNDS, AT_ONCE = 10_000, 3, 25
"""Pages of a crawl; crawls of each strategy; results that come together."""
STRATEGIES = ("bfs", "soft", "adaptive")
WANTED = 0.3


class FedWeb:
    """Answers visits with results that were read before; counts what unpacking them takes."""

    results: dict[str, bytes]

    def __init__(self, *_: Any, **__: Any) -> None:
        self.clock, self.replaced = WallClock(), 0
        self.troubles: dict[str, int] = {}
        self._waiting: deque[Visit] = deque()

    def begin(self, visits: Sequence[Visit]) -> None:
        pickle.dumps([(0, visit, False) for visit in visits], protocol=5)
        self._waiting.extend(visits)

    def next_done(self, until: float) -> list[Finished]:
        now, done = self.clock.now(), []
        for _ in range(min(AT_ONCE, len(self._waiting))):
            visit = self._waiting.popleft()
            page, verdict = pickle.loads(self.results[visit.url])
            done.append(Finished(visit, page, verdict, Asked(now, 0.01, "127.0.0.1")))
        return done

    def stop(self) -> list[Finished]:
        self._waiting.clear()
        return []

    def close(self) -> None: ...


def read_all(pages: int) -> dict[str, bytes]:
    """The results of all pages of a web, packed."""
    web, reader = Web(pages), PageReader(make_judge(load_pack("th")))
    results = {}
    for number in range(pages):
        url = url_of(number)
        body = web.answer(b"/page/%d.html" % number).split(b"\r\n\r\n", 1)[1]
        answer = Answer(url, 200, "text/html; charset=utf-8", "", body, {})
        read = reader.read(answer)
        page = read.page._replace(
            fetched_at=time.time(), elapsed=0.01, ip="127.0.0.1", wire_bytes=len(body),
            warc_file="a.warc.gz", warc_offset=number * 9_000, warc_length=9_000,
        )  # fmt: skip
        results[url] = pickle.dumps((page, read.verdict), protocol=5)
    return results


def crawl_once(strategy: str, pages: int) -> float:
    """Milliseconds of processor time for each page of a crawl, its start and end left out."""
    config = CrawlConfig(
        lang="th", seeds=(url_of(0),), strategy=strategy, delay=0.0, connections=100,
        max_pages=pages, sitemaps=False,
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as name:
        meter = _Meter()
        wiring.run_crawl(Path(name) / "crawl", config, (meter,))
    return meter.milliseconds


class _Meter:
    """A sink that reads the processor's clock after a tenth of the pages, and at the end."""

    def __init__(self) -> None:
        self.pages, self.began, self.ended = 0, (0, 0.0), (0, 0.0)

    def take(self, step: Any) -> None:
        self.pages += 1
        if self.pages % 500 == 0:
            self.ended = (self.pages, time.process_time())
            self.began = self.began if self.began[0] else self.ended

    def close(self) -> None: ...

    @property
    def milliseconds(self) -> float:
        return 1000 * (self.ended[1] - self.began[1]) / (self.ended[0] - self.began[0])


def run() -> None:
    """processor time of the coordinator for a page of 50 links, log and frontier included"""
    FedWeb.results = read_all(PAGES)
    wiring.__dict__["LiveWeb"] = FedWeb
    for strategy in STRATEGIES:
        costs = sorted(crawl_once(strategy, PAGES) for _ in range(ROUNDS))
        print(
            f"{strategy}: {costs[0]:.3f} ms a page, {', '.join(f'{c:.3f}' for c in costs[1:])} "
            f"in other rounds ({WANTED} is wanted)",
            flush=True,
        )


if __name__ == "__main__":  # python -m benchmarks.coordinator PAGES STRATEGY: with a profile
    import cProfile
    import pstats

    FedWeb.results = read_all(int(sys.argv[1]))
    wiring.__dict__["LiveWeb"] = FedWeb
    print(f"{crawl_once(sys.argv[2], int(sys.argv[1])):.3f} ms a page")
    profile = cProfile.Profile()
    profile.runcall(crawl_once, sys.argv[2], int(sys.argv[1]))
    pstats.Stats(profile).sort_stats("tottime").print_stats(45)
