"""A long crawl over many hosts: the memory of the coordinator and its workers, as it goes."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from langcrawl.config import CrawlConfig

PAGES, MANY_PAGES, SEED = 100_000, 1_000_000, 1
_SPARE = 1.12
"""Generated pages for each that is downloaded: some cannot be reached."""


class Sample(NamedTuple):
    """Pages downloaded, hosts known, and megabytes of the coordinator and of each worker."""

    pages: int
    hosts: int
    coordinator: float
    workers: tuple[float, ...]


def run() -> None:
    """100,000 pages over 5,000 hosts, served from a generated web: memory as it goes."""
    _measure(PAGES)


def run_million() -> None:
    """A million pages over some 50,000 hosts: the same."""
    _measure(MANY_PAGES)


def _measure(pages: int) -> None:
    langcrawl = [sys.executable, "-m", "langcrawl"]
    with tempfile.TemporaryDirectory() as name:
        web, crawl = Path(name) / "web", Path(name) / "crawl"
        made = [
            "synth",
            str(web),
            "--pages",
            str(int(_SPARE * pages)),
            "--seed",
            str(SEED),
            "--json",
        ]
        subprocess.run([*langcrawl, *made], check=True, capture_output=True)
        pipe = subprocess.PIPE
        server = subprocess.Popen(
            [*langcrawl, "serve", str(web), "--port", "0", "--json"],
            stdout=pipe, stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip
        try:
            assert server.stdout is not None
            told = json.loads(server.stdout.readline())
            CrawlConfig(
                lang="th", seeds=tuple(told["seeds"]), strategy="bfs", delay=0.0, connections=100,
                retries=0, backoff=0.0, connect_to=(told["connect_to"],), max_pages=pages,
            ).save(crawl)  # fmt: skip
            began = time.perf_counter()
            process = subprocess.Popen(
                [*langcrawl, "crawl", str(crawl), "--json"],
                stdout=pipe, stderr=subprocess.DEVNULL, text=True,
            )  # fmt: skip
            samples = _watch(process, crawl, pages)
            assert process.stdout is not None
            result = json.loads(process.stdout.read())
            seconds = time.perf_counter() - began
        finally:
            server.terminate()
            server.wait()
    print(f"{result['pages']:,} pages in {seconds:,.0f} s, {result['stopped']}")
    _print(samples, pages)


def _watch(process: subprocess.Popen[str], crawl: Path, pages: int) -> list[Sample]:
    samples: list[Sample] = []
    while process.poll() is None:
        time.sleep(2.0 * pages / PAGES)
        told = subprocess.run(
            [sys.executable, "-m", "langcrawl", "status", str(crawl), "--json"],
            capture_output=True, check=False,
        )  # fmt: skip
        memory = _memory(process.pid)
        if told.returncode == 0 and memory:
            status = json.loads(told.stdout)
            counted, hosts = status["pages"], status["hosts"]
            samples.append(Sample(counted, hosts, memory[0], tuple(memory[1:])))
    return samples


def _memory(pid: int) -> list[float]:
    """Resident megabytes of a process and of those below it that do work."""
    found, waiting = [], [pid]
    while waiting:
        pid = waiting.pop(0)
        try:
            status = Path(f"/proc/{pid}/status").read_text()
            tasks = list(Path(f"/proc/{pid}/task").iterdir())
            waiting += [int(c) for t in tasks for c in (t / "children").read_text().split()]
        except (FileNotFoundError, ProcessLookupError):
            continue
        resident = [line.split()[1] for line in status.splitlines() if line.startswith("VmRSS")]
        if resident:
            found.append(int(resident[0]) / 1000)
    return found


def _print(samples: list[Sample], pages: int) -> None:
    print("     pages   hosts  coordinator  largest worker (MB)")
    for tenth in range(1, 11):
        sample = next((s for s in samples if s.pages >= pages * tenth / 10), samples[-1])
        largest = max(sample.workers, default=0.0)
        print(
            f"{sample.pages:10,}  {sample.hosts:6,}  {sample.coordinator:11,.0f}  {largest:14,.0f}"
        )
    crawling = [sample for sample in samples if sample.pages < pages]
    early, late = (next(s for s in crawling if s.pages >= pages / 5), crawling[-1])
    for what, first, last in (
        ("coordinator", early.coordinator, late.coordinator),
        ("largest worker", max(early.workers), max(late.workers)),
    ):
        print(f"{what}: {last / first:.2f} x from a fifth of the pages to the last ones")
    print(f"coordinator while it ends the crawl: {samples[-1].coordinator:,.0f} MB", flush=True)
