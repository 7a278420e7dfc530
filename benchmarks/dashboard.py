"""What an open dashboard costs a crawl: the same crawl alone, watched, and asked very often.

Speeds on a shared machine differ by more than what is looked for. So the processor time of the
coordinator is compared as well, and a third crawl is asked twenty times as often as a dashboard
asks: what that adds, divided by the times it was asked, is what one look costs.
"""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import NamedTuple

from benchmarks.fast_server import url_of
from langcrawl.store.control import ask

PAGES, ROUNDS = 6_000, 3
ALONE, WATCHED, ASKED = "alone", "watched", "asked often"
_PAUSE = 0.05
"""Seconds between two looks at a crawl that is asked often; a dashboard looks once a second."""
_TICKS = os.sysconf("SC_CLK_TCK")


class Done(NamedTuple):
    """One crawl."""

    seconds: float
    coordinator: float
    """Seconds of processor time of the process that decides."""
    looks: int
    dashboard: float
    """Seconds of processor time of the dashboard."""


def run() -> None:
    """what an open dashboard costs a live crawl, by the clock and by processor time"""
    rounds: list[dict[str, Done]] = []
    with tempfile.TemporaryDirectory() as name:
        for number in range(ROUNDS):
            kinds = (ALONE, WATCHED, ASKED) if number % 2 else (ASKED, WATCHED, ALONE)
            done = {kind: _crawl(Path(name) / f"{number}-{kind[:5]}", kind) for kind in kinds}
            rounds.append(done)
            for kind in (ALONE, WATCHED, ASKED):
                print(
                    f"{kind}: {PAGES / done[kind].seconds:,.0f} pages/s, coordinator "
                    f"{done[kind].coordinator:.2f} s, {done[kind].looks} looks, dashboard "
                    f"{done[kind].dashboard:.2f} s", flush=True,
                )  # fmt: skip
    alone, watched, asked = ([r[kind] for r in rounds] for kind in (ALONE, WATCHED, ASKED))
    speed = median(a.seconds / w.seconds for a, w in zip(alone, watched, strict=True))
    look = median(
        (often.coordinator - one.coordinator) / often.looks
        for one, often in zip(alone, asked, strict=True)
    )
    cores = os.cpu_count() or 1
    taken = median(w.dashboard / (w.seconds * cores) for w in watched)
    print(
        f"speed with a dashboard {speed:.3f} times that without; a look costs the coordinator "
        f"{look * 1e3:.2f} ms, so a dashboard {look:.2%} of its time; the dashboard itself took "
        f"{taken:.2%} of {cores} processors"
    )


def _crawl(folder: Path, kind: str) -> Done:
    command = [sys.executable, "-m", "benchmarks.fast_server", str(PAGES)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        port = server.stdout.readline().strip()
        _watch(_start(folder, port, 1))
        with _dashboard(folder) if kind == WATCHED else _nobody() as (pid, heard):
            before = _processor_time(pid) if pid else 0.0
            asked = [0]
            seconds, coordinator = _watch(
                _start(folder, port, PAGES), folder if kind == ASKED else None, asked
            )
            spent = _processor_time(pid) - before if pid else 0.0
        server.stdin.close()
        server.stdout.read()  # it says how much it served
    if kind == WATCHED:
        assert len(heard) >= seconds / 3, "the page was pushed too seldom"
    return Done(seconds, coordinator, asked[0] or len(heard), spent)


def _watch(
    crawl: subprocess.Popen[str], folder: Path | None = None, asked: list[int] | None = None
) -> tuple[float, float]:
    """Seconds that the crawl says it took, and the processor time of its coordinator.

    Where a folder is given, the crawl is asked how it stands, again and again.
    """
    spent = 0.0
    while crawl.poll() is None:
        try:
            spent = max(spent, _processor_time(crawl.pid))
        except (OSError, IndexError):
            break
        if folder is not None and asked is not None:
            asked[0] += all(ask(folder, path) is not None for path in ("/status", "/live"))
        time.sleep(_PAUSE)
    assert crawl.stdout is not None
    result = json.loads(crawl.stdout.read())
    crawl.wait()
    return float(result["seconds"]), spent


@contextmanager
def _nobody() -> Iterator[tuple[int, list[int]]]:
    yield 0, []


@contextmanager
def _dashboard(folder: Path) -> Iterator[tuple[int, list[int]]]:
    """A dashboard that somebody has open: its process, and what it has pushed."""
    words = [sys.executable, "-m", "langcrawl", "dashboard", str(folder), "--port", "0", "--json"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as dashboard:
        assert dashboard.stdout is not None
        where = json.loads(dashboard.stdout.readline())["port"]
        heard: list[int] = []
        threading.Thread(target=_listen, args=(where, heard), daemon=True).start()
        yield dashboard.pid, heard
        os.kill(dashboard.pid, signal.SIGINT)


def _listen(port: int, heard: list[int]) -> None:
    """What a browser does with the page open: take what is pushed."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("GET", "/crawls/1/events")
        answer = connection.getresponse()
        while line := answer.readline():
            if line.startswith(b"data:"):
                heard.append(len(line))
    except (OSError, http.client.HTTPException):
        return


def _start(folder: Path, port: str, pages: int) -> subprocess.Popen[str]:
    words = [
        "crawl", str(folder), "--lang", "th", "--seeds", url_of(0), "--strategy", "bfs",
        "--delay", "0", "--connections", "100", "--connect-to", f"::127.0.0.1:{port}",
        "--max-pages", str(pages), "--json",
    ]  # fmt: skip
    return subprocess.Popen(
        [sys.executable, "-m", "langcrawl", *words], stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip


def _processor_time(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS
