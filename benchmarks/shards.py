"""Crawls of one, two and four shards where waiting is the limit; links exchanged between shards."""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from typing import Any, NamedTuple

from benchmarks.fast_server import HOSTS, url_of
from langcrawl.cluster.exchange import Exchange
from langcrawl.cluster.messages import Ack, Batch, Down, Start, Up
from langcrawl.config import CrawlConfig
from langcrawl.crawl import Crawl
from langcrawl.frontier.sqlite import SqliteFrontier
from langcrawl.records import Facts, Found, Links
from langcrawl.strategy import make_strategy, start_ranker
from langcrawl.web.clock import VirtualClock

SHARDS, CONNECTIONS, RUNS = (1, 2, 4), 20, 2
LATENCY, PAGES_A_SHARD = 0.2, 2_000
SLOW, FEWER_PAGES = 1.0, 1_000
"""The same where each server takes so long that other work of the machine hardly matters."""
SIZE, SHAPE_LINKS = 3_000, 10
"""Of a page: small, so that two cores have time left with four shards and the server."""
WANTED = {2: 1.9, 4: 3.6}
_SUBREAPER = 36
PAGES, LINKS, PAGES_A_COMMIT = 1_000, 50, 16


def run() -> None:
    """Pages a second of shards with 20 connections each to servers that take 200 ms."""
    _compare(LATENCY, PAGES_A_SHARD, RUNS)


def run_slow() -> None:
    """the same with servers that take a second, for a machine that is not calm"""
    _compare(SLOW, FEWER_PAGES, 1)


def _compare(latency: float, pages: int, times: int) -> None:
    runs: dict[int, list[_Run]] = {shards: [] for shards in SHARDS}
    for shards in SHARDS * times:
        with tempfile.TemporaryDirectory() as name:
            done = _crawl(shards, Path(name), latency, shards * pages)
        runs[shards].append(done)
        print(
            f"{shards} shards: {done.speed:,.1f} pages/s, in the middle of the crawl "
            f"{done.middle:,.1f}; a page took {1000 * done.cpu:.2f} ms of processor time, start "
            f"and end included; load of the machine {os.getloadavg()[0]:.1f}",
            flush=True,
        )
    for shards, wanted in WANTED.items():
        speed, middle = (
            sum(run[at] for run in runs[shards]) / sum(run[at] for run in runs[1]) for at in (0, 1)
        )
        print(
            f"{shards} shards: {speed:.2f} times one ({wanted} is wanted), in the middle of the "
            f"crawl {middle:.2f} times"
        )


class _Run(NamedTuple):
    """Pages a second as the server saw them, from the first request to the last and in the middle
    of the crawl; processor time of all processes for a page."""

    speed: float
    middle: float
    cpu: float


def _crawl(shards: int, folder: Path, latency: float, pages: int) -> _Run:
    seeds = folder / "seeds.txt"
    seeds.write_text("".join(f"{url_of(number)}\n" for number in range(HOSTS)))
    shape = [str(10 * pages), str(latency), str(SIZE), str(SHAPE_LINKS)]
    command = [sys.executable, "-m", "benchmarks.fast_server", *shape]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        port = server.stdout.readline().strip()
        words = [
            "crawl", str(folder / "crawl"), "--lang", "th", "--seeds", str(seeds), "--strategy",
            "bfs", "--delay", "0", "--connections", str(CONNECTIONS), "--workers", "1", "--shards",
            str(shards), "--connect-to", f"::127.0.0.1:{port}", "--max-pages", str(pages), "--json",
        ]  # fmt: skip
        with _counted_processes() as spent:
            done = subprocess.run(
                [sys.executable, "-m", "langcrawl", *words], check=True, stdout=pipe,
                stderr=subprocess.DEVNULL,
            )  # fmt: skip
        assert json.loads(done.stdout)["pages"] == pages
        server.stdin.close()
        served, seconds, middle = map(float, server.stdout.readline().split())
    return _Run(served / seconds, 0.6 * served / middle, spent[0] / pages)


@contextmanager
def _counted_processes() -> Iterator[list[float]]:
    """The processor time of what runs here, with processes whose parents end before them."""
    ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)
    spent: list[float] = []
    before = getrusage(RUSAGE_CHILDREN)
    yield spent
    mine = Path(f"/proc/self/task/{os.getpid()}/children")
    for _ in range(100):
        for child in mine.read_text().split():
            if "fast_server" not in Path(f"/proc/{child}/cmdline").read_text():
                os.waitpid(int(child), os.WNOHANG)
        time.sleep(0.02)
    after = getrusage(RUSAGE_CHILDREN)
    spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def run_exchange() -> None:
    """Links a second from one shard to another, and what each of them pays, databases included."""
    with tempfile.TemporaryDirectory() as name:
        sender, receiver = (_Shard(Path(name) / str(number), number) for number in range(2))
        origin = Facts(0, 1, 1, 0, 1.0, 0, 0, 0, 0)
        owned = [f"h{at}.th" for at in range(400) if receiver.owns(f"h{at}.th")]
        spent = [0.0, 0.0]
        for page in range(PAGES):
            first = page * LINKS
            urls = [f"http://{owned[n % len(owned)]}/{n}" for n in range(first, first + LINKS)]
            began = time.process_time()
            sender.crawl.offer(Found(Links(urls), origin, f"http://{sender.host}/{page}"))
            if page % PAGES_A_COMMIT == PAGES_A_COMMIT - 1:
                sender.turn()
            spent[0] += time.process_time() - began
            began = time.process_time()
            receiver.take(sender.said(Batch))
            spent[1] += time.process_time() - began
            sender.take(receiver.said(Ack))
        sender.turn()
        receiver.take(sender.said(Batch))
        waiting = len(receiver.frontier)
        assert waiting == PAGES * LINKS, waiting
    for who, seconds in zip(("sender", "receiver"), spent, strict=True):
        each = 1e6 * seconds / (PAGES * LINKS)
        print(f"{who}: {PAGES * LINKS / seconds:,.0f} new links/s, {each:.1f} µs a link")


class _Lines:
    def __init__(self) -> None:
        self.inbound: deque[Down] = deque()
        self.sent: list[Up] = []

    def poll(self, seconds: float) -> bool:
        return bool(self.inbound)

    def receive(self) -> Down:
        return self.inbound.popleft()

    def send(self, message: Up) -> None:
        self.sent.append(message)


class _NoWeb:
    clock = VirtualClock()


class _Shard:
    """A shard of two on a real database, without a web."""

    def __init__(self, directory: Path, number: int) -> None:
        directory.mkdir()
        self._lines = _Lines()
        config = CrawlConfig(lang="th")
        self._exchange = Exchange(Start(directory, number, 2, config, inf, None), self._lines)
        self.frontier = SqliteFrontier(directory / "frontier.db")
        web, changes = _NoWeb(), None
        ranker = start_ranker(make_strategy("bfs"), "th")
        parts: Any = (web, self.frontier, ranker)
        self.crawl = Crawl(*parts, peers=self._exchange)
        self.frontier.at_commit.append(self._exchange.save)
        self._exchange.join(self.crawl, self.frontier, changes)  # type: ignore[arg-type]
        self.host = next(f"h{at}.th" for at in range(99) if self.owns(f"h{at}.th"))

    def owns(self, host: str) -> bool:
        return self._exchange.owns(host)

    def turn(self) -> None:
        self.frontier.commit()
        self._exchange.turn()

    def take(self, messages: list[Any]) -> None:
        if messages:
            self._lines.inbound += messages
            self._exchange.turn()
            self.turn()

    def said(self, kind: type) -> list[Any]:
        found = [message for message in self._lines.sent if isinstance(message, kind)]
        self._lines.sent.clear()
        return found
