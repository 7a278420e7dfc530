"""Crawls of one, two and four shards where waiting is the limit; links exchanged between shards."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections import deque
from math import inf
from pathlib import Path
from typing import Any

from benchmarks.fast_server import HOSTS, url_of
from langcrawl.cluster.exchange import Exchange
from langcrawl.cluster.messages import Ack, Batch, Down, Start, Up
from langcrawl.config import CrawlConfig
from langcrawl.crawl import Crawl
from langcrawl.frontier.sqlite import SqliteFrontier
from langcrawl.records import Facts, Found, Links
from langcrawl.strategy import make_strategy, start_ranker
from langcrawl.web.clock import VirtualClock

SHARDS, LATENCY, CONNECTIONS, PAGES_A_SHARD = (1, 2, 4), 0.2, 20, 1_500
WANTED = {2: 1.9, 4: 3.6}
PAGES, LINKS, PAGES_A_COMMIT = 1_000, 50, 16


def run() -> None:
    """Pages a second of shards with 20 connections each to servers that take 200 ms."""
    speeds: dict[int, float] = {}
    for shards in SHARDS:
        with tempfile.TemporaryDirectory() as name:
            speeds[shards] = _pages_a_second(shards, Path(name))
        ratio = speeds[shards] / speeds[1]
        wanted = f" ({WANTED[shards]} is wanted)" if shards in WANTED else ""
        load = os.getloadavg()[0]
        print(
            f"{shards} shards: {speeds[shards]:,.0f} pages/s, {ratio:.2f} times one{wanted}; "
            f"load of the machine {load:.1f}",
            flush=True,
        )
    run_exchange()


def _pages_a_second(shards: int, folder: Path) -> float:
    """As the server saw them, from the first request to the last."""
    pages = shards * PAGES_A_SHARD
    seeds = folder / "seeds.txt"
    seeds.write_text("".join(f"{url_of(number)}\n" for number in range(HOSTS)))
    command = [sys.executable, "-m", "benchmarks.fast_server", str(10 * pages), str(LATENCY)]
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
        done = subprocess.run(
            [sys.executable, "-m", "langcrawl", *words], check=True, stdout=pipe,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        assert json.loads(done.stdout)["pages"] == pages
        server.stdin.close()
        served, seconds = server.stdout.readline().split()
    return int(served) / float(seconds)


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
