"""What an open dashboard costs a crawl: the same crawl with and without one, in turn."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from statistics import median

from benchmarks.fast_server import url_of

PAGES, ROUNDS = 12_000, 5


def run() -> None:
    """Pages a second of a live crawl with a dashboard open, against the same without."""
    ratios, shares = [], []
    with tempfile.TemporaryDirectory() as name:
        for number in range(ROUNDS):
            rates = {}
            for is_open in (False, True) if number % 2 else (True, False):
                folder = Path(name) / f"{number}-{is_open}"
                rates[is_open], share = _crawl(folder, is_open)
                if is_open:
                    shares.append(share)
            ratios.append(rates[True] / rates[False])
            print(
                f"without {rates[False]:,.0f}, with {rates[True]:,.0f} pages/s, ratio "
                f"{ratios[-1]:.3f}; the dashboard took {shares[-1]:.2%} of the machine",
                flush=True,
            )
    print(f"median of {ROUNDS}: ratio {median(ratios):.3f} (at least 0.99 is wanted), ", end="")
    print(f"the dashboard took {median(shares):.2%} of the machine's processors", flush=True)


def _crawl(folder: Path, is_open: bool) -> tuple[float, float]:
    """Pages a second, and the part of the processors' time that the dashboard took."""
    command = [sys.executable, "-m", "benchmarks.fast_server", str(PAGES)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        port = server.stdout.readline().strip()
        first = _langcrawl(folder, port, 1)
        if not is_open:
            done, share = _langcrawl(folder, port, PAGES), 0.0
        else:
            done, share = _watched(folder, port, first)
        server.stdin.close()
    assert done["pages"] == PAGES, done
    return (PAGES - 1) / (done["seconds"] - first["seconds"]), share


def _watched(folder: Path, port: str, first: dict[str, float]) -> tuple[dict[str, float], float]:
    """The crawl while somebody looks at it."""
    words = [sys.executable, "-m", "langcrawl", "dashboard", str(folder), "--port", "0", "--json"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as dashboard:
        assert dashboard.stdout is not None
        where = json.loads(dashboard.stdout.readline())["port"]
        heard: list[int] = []
        listener = threading.Thread(target=_listen, args=(where, heard), daemon=True)
        listener.start()
        before = _processor_time(dashboard.pid)
        done = _langcrawl(folder, port, PAGES)
        spent = _processor_time(dashboard.pid) - before
        os.kill(dashboard.pid, signal.SIGINT)
    seconds = done["seconds"] - first["seconds"]
    assert len(heard) >= seconds / 3, "the page was pushed too seldom"
    return done, spent / (seconds * (os.cpu_count() or 1))


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


def _langcrawl(folder: Path, port: str, pages: int) -> dict[str, float]:
    words = [
        "crawl", str(folder), "--lang", "th", "--seeds", url_of(0), "--strategy", "bfs",
        "--delay", "0", "--connections", "100", "--connect-to", f"::127.0.0.1:{port}",
        "--max-pages", str(pages), "--json",
    ]  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-m", "langcrawl", *words], check=True, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    return dict(json.loads(done.stdout))


def _processor_time(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
