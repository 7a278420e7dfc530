"""What a page costs the coordinator: a whole crawl whose workers answer at once, for nothing.

Pages are read in advance as a worker reads them, and their results kept as they travel through the
pipe. The crawl then runs as ever: results unpacked, links ranked and queued, log and frontier
committed; only the workers are not there. So what is measured is processor time of one process.

Pages have 50 links to others drawn by chance, or are those of a generated web, of which a crawl is
made once before it is measured.
"""

from __future__ import annotations

import pickle
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.fast_server import Web, url_of
from langcrawl import run as wiring
from langcrawl.config import CrawlConfig
from langcrawl.judge import make_judge
from langcrawl.languages import load_pack
from langcrawl.log.graph import load_graph
from langcrawl.page import Answer, PageReader
from langcrawl.records import Asked, Finished, Visit
from langcrawl.virtualweb.served import ServedLog
from langcrawl.virtualweb.synth import generate, load_profile
from langcrawl.web.clock import WallClock

PAGES, ROUNDS, AT_ONCE = 10_000, 3, 25
"""Pages of a crawl; crawls of each strategy; results that come together."""
STRATEGIES = ("bfs", "soft", "adaptive")
GENERATED, OF_PAGES, SEED, SEEDS = ("thai-2005", "today"), 100_000, 51, 50
"""Webs, how large they are, and how many of their seeds are used."""
WANTED = 0.3


class Results(dict[str, bytes]):
    """The packed results of pages by URL; those that are missing are read when they are wanted."""

    def __init__(self, answer: Callable[[str], Answer]) -> None:
        super().__init__()
        self._answer, self._reader = answer, PageReader(make_judge(load_pack("th")))
        self.reading = 0.0
        """Seconds of processor time that reading has taken."""

    def __missing__(self, url: str) -> bytes:
        began = time.process_time()
        read = self._reader.read(answer := self._answer(url))
        page = read.page._replace(
            fetched_at=time.time(), elapsed=0.01, ip="127.0.0.1", wire_bytes=len(answer.body),
            warc_file="a.warc.gz", warc_offset=len(self) * 9_000, warc_length=9_000,
        )  # fmt: skip
        found = self[url] = pickle.dumps((page, read.verdict), protocol=5)
        self.reading += time.process_time() - began
        return found


class FedWeb:
    """Answers visits with results that were read before; counts what unpacking them takes."""

    results: Results

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


class Fed(NamedTuple):
    """A web whose answers are there before they are asked for."""

    results: Results
    seeds: tuple[str, ...]


def plain_web(pages: int) -> Fed:
    """Pages of 50 links that lead anywhere; all of them are read now."""
    web = Web(pages)

    def answer(url: str) -> Answer:
        path = url.split("/", 3)[3].encode()
        body = web.answer(b"/" + path).split(b"\r\n\r\n", 1)[1]
        return Answer(url, 200, "text/html; charset=utf-8", "", body, {})

    results = Results(answer)
    for number in range(pages):
        results[url_of(number)]
    return Fed(results, (url_of(0),))


def generated_web(profile: str, folder: Path) -> Fed:
    """A generated web, served as real pages."""
    generate(folder, load_profile(profile), OF_PAGES, SEED)
    served = ServedLog(folder)

    def answer(url: str) -> Answer:
        page = served.answer(url)
        return Answer(url, page.status, page.content_type, page.location, page.body, {})

    return Fed(Results(answer), load_graph(folder).config.seeds[:SEEDS])


def crawl_once(strategy: str, pages: int, fed: Fed) -> float:
    """Milliseconds of processor time for each page of a crawl, its start and end left out."""
    FedWeb.results = fed.results
    wiring.__dict__["LiveWeb"] = FedWeb
    config = CrawlConfig(
        lang="th", seeds=fed.seeds, strategy=strategy, delay=0.0, connections=100,
        max_pages=pages, sitemaps=False,
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as name:
        meter = _Meter(fed.results)
        wiring.run_crawl(Path(name) / "crawl", config, (meter,))
    return meter.milliseconds


class _Meter:
    """A sink that reads the processor's clock after a tenth of the pages, and at the end."""

    def __init__(self, results: Results) -> None:
        self._results = results
        self.pages, self.began, self.ended = 0, (0, 0.0), (0, 0.0)

    def take(self, step: Any) -> None:
        self.pages += 1
        if self.pages % 500 == 0:
            self.ended = (self.pages, time.process_time() - self._results.reading)
            self.began = self.began if self.began[0] else self.ended

    def close(self) -> None: ...

    @property
    def milliseconds(self) -> float:
        return 1000 * (self.ended[1] - self.began[1]) / (self.ended[0] - self.began[0])


def run() -> None:
    """processor time of the coordinator for a page of 50 links or less, log and queue included"""
    _measure("50 links a page, anywhere", plain_web(PAGES))
    for profile in GENERATED:
        with tempfile.TemporaryDirectory() as name:
            _measure(profile, generated_web(profile, Path(name) / "web"))


def _measure(what: str, fed: Fed) -> None:
    for strategy in STRATEGIES:
        crawl_once(strategy, PAGES, fed)  # what it asks for is read now
        costs = sorted(crawl_once(strategy, PAGES, fed) for _ in range(ROUNDS))
        print(
            f"{what}, {strategy}: {costs[0]:.3f} ms a page, "
            f"{', '.join(f'{c:.3f}' for c in costs[1:])} in other rounds ({WANTED} is wanted)",
            flush=True,
        )


if __name__ == "__main__":  # python -m benchmarks.coordinator PAGES STRATEGY [PROFILE]: a profile
    import cProfile
    import pstats

    with tempfile.TemporaryDirectory() as name:
        pages, strategy = int(sys.argv[1]), sys.argv[2]
        web = generated_web(sys.argv[3], Path(name) / "web") if sys.argv[3:] else plain_web(pages)
        crawl_once(strategy, pages, web)
        print(f"{crawl_once(strategy, pages, web):.3f} ms a page")
        profile = cProfile.Profile()
        profile.runcall(crawl_once, strategy, pages, web)
    pstats.Stats(profile).sort_stats("tottime").print_stats(45)
