"""Live crawls of a web on loopback, against Scrapy and a bare loop on the same web and run."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from benchmarks.fast_server import url_of

PAGES, PEER_PAGES, ROUNDS = 10_000, 2_000, 3


def run() -> None:
    """Pages a second of a live crawl: robots, links, judging and WARC, 100 connections."""
    with tempfile.TemporaryDirectory() as name:
        ours, peers, bare = [], [], []
        for number in range(ROUNDS):
            folder = Path(name) / str(number)
            folder.mkdir()
            ours.append(_served(partial(_langcrawl, folder), PAGES))
            peers.append(_served(partial(_scrapy, folder), PEER_PAGES))
            bare.append(_served(partial(_bare, folder), PAGES))
            print(
                f"langcrawl {ours[-1]:,.0f} pages/s, bare loop {bare[-1]:,.0f}, "
                f"Scrapy {peers[-1]:,.0f}",
                flush=True,
            )
    best, peer, least = (sorted(speeds)[ROUNDS // 2] for speeds in (ours, peers, bare))
    print(f"medians of {ROUNDS}: langcrawl {best:,.0f}, bare {least:,.0f}, Scrapy {peer:,.0f}")
    print(f"ratio to Scrapy: {best / peer:.1f} (12 is wanted)")
    print(f"ratio to the bare loop: {best / least:.2f} (0.85 is wanted)", flush=True)


def _served(crawl: Callable[[str], None], pages: int) -> float:
    """Pages a second as the server saw them, from the first request to the last."""
    command = [sys.executable, "-m", "benchmarks.fast_server", str(PAGES)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        crawl(server.stdout.readline().strip())
        server.stdin.close()
        served, seconds = server.stdout.readline().split()
    assert int(served) >= 0.8 * pages, f"only {served} pages of {pages} were asked for"
    return int(served) / float(seconds)


def _langcrawl(folder: Path, port: str) -> None:
    words = [
        "crawl", str(folder / "crawl"), "--lang", "th", "--seeds", url_of(0), "--strategy", "bfs",
        "--delay", "0", "--connections", "100", "--connect-to", f"::127.0.0.1:{port}",
        "--max-pages", str(PAGES), "--json",
    ]  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-m", "langcrawl", *words],
        check=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert json.loads(done.stdout)["pages"] == PAGES


def _scrapy(folder: Path, port: str) -> None:
    file = str(folder / "scrapy.warc.gz")
    words = ["benchmarks.scrapy_peer", port, str(PEER_PAGES), file]
    subprocess.run([sys.executable, "-m", *words], check=True, stderr=subprocess.DEVNULL)


def _bare(folder: Path, port: str) -> None:
    words = ["benchmarks.bare_peer", port, str(PAGES), str(folder / "bare.gz")]
    subprocess.run([sys.executable, "-m", *words], check=True)
