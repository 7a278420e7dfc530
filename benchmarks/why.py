"""Why: how long `langcrawl why` takes in a directory of ten million known URLs.

The frontier is that of ``python -m benchmarks frontier``. One URL in ten is downloaded and in the
log, one in ten was seen and left out, the others wait. Paths from a seed are eleven pages long. A
frontier that was filled already may be named in ``LANGCRAWL_FRONTIER``; it is copied. With
``LANGCRAWL_WHY=DIR`` the directory is kept, and the next time only the questions are asked.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.frontier import Site
from langcrawl.config import CrawlConfig
from langcrawl.log.schema import log_table
from langcrawl.log.segments import write_segment
from langcrawl.why import explain

KNOWN = 10_000_000
PAGE = 50
"""URLs that were met on one page; the first of them is the page's own parent in the path."""
SEGMENTS = 20
ROUNDS = 3


def run() -> None:
    """seconds of `langcrawl why` where ten million URLs are known"""
    known = int(os.environ.get("LANGCRAWL_URLS", KNOWN))
    with tempfile.TemporaryDirectory() as name:
        directory = Path(os.environ.get("LANGCRAWL_WHY", name)) / "crawl"
        if not directory.exists():
            draft = directory.with_name("draft")
            draft.mkdir(parents=True)
            _make(draft, known)
            draft.rename(directory)
        asked = _urls(directory, known)
        for kind, url in asked.items():
            runs = [_ask(directory, url) for _ in range(ROUNDS)]
            answer = runs[0][2]
            assert answer["state"] == kind.split(",")[0], (kind, answer["state"])
            seconds, cpu = min(run[0] for run in runs), min(run[1] for run in runs)
            looked = min(_look(directory, url) for _ in range(ROUNDS))
            print(
                f"{kind}: {seconds:.2f} s by the clock, {cpu:.2f} s of processor time, of which "
                f"{looked:.2f} s are not the start of the command; a path of "
                f"{len(answer['path'])} pages",
                flush=True,
            )


def _make(directory: Path, known: int) -> None:
    database = directory / "frontier.db"
    if filled := os.environ.get("LANGCRAWL_FRONTIER"):
        shutil.copyfile(filled, database)
    else:
        command = [sys.executable, "-m", "benchmarks.frontier", str(database), str(known), "fill"]
        subprocess.run(command, check=True)
    CrawlConfig(lang="th", seeds=("http://www.site-0.example/",), strategy="soft").save(directory)
    ends = np.linspace(0, known, SEGMENTS + 1).astype(np.int64) // PAGE * PAGE
    connection = sqlite3.connect(database)
    connection.execute("PRAGMA cache_size = -3000000")
    connection.execute(
        "UPDATE known SET state = CASE id % 10 WHEN 0 THEN 2 ELSE 0 END, "
        f"parent = CASE WHEN id % {PAGE} = 0 THEN id / {PAGE} / 3 * {PAGE} ELSE parent END "
        "WHERE id % 10 IN (0, 3)"
    )
    connection.executemany(
        "INSERT INTO segments VALUES (?, ?)",
        [(number, int(end)) for number, end in enumerate(ends[1:])],
    )
    connection.commit()
    connection.close()
    for number, (first, end) in enumerate(pairwise(ends)):
        write_segment(directory, number, _tables(np.arange(first, end)))


def _tables(ids: np.ndarray) -> dict[str, Any]:
    """The log of URLs that were met one after the other."""
    pages = ids[ids % 10 == 0]
    count = len(pages)
    return {
        "urls": log_table("urls", 0, {}),
        "links": log_table("links", len(ids), {"src": ids // PAGE * PAGE, "dst": ids}),
        "pages": log_table("pages", count, {
            "id": pages, "status": np.full(count, 200, np.int16), "relevant": pages % 3 == 0,
            "language": np.where(pages % 3 == 0, "th", "en"), "score": np.full(count, 0.9),
            "title": [f"A title of some words, and a number: {page}" for page in pages.tolist()],
            "evidence": [f"CLD2: th 97%\nn-grams: th {page % 100}%" for page in pages.tolist()],
            "depth": np.full(count, 3), "priority": np.zeros(count),
        }),
    }  # fmt: skip


def _urls(directory: Path, known: int) -> dict[str, str]:
    """URLs of each kind, by the state that is expected, late in the crawl and on large hosts."""
    connection = sqlite3.connect(directory / "frontier.db")

    def url_of(number: int) -> str:
        row = connection.execute("SELECT url FROM urls WHERE id = ?", (number,)).fetchone()
        return str(row[0])

    site = Site(known)
    largest = int(np.argmax(np.diff(site.starts)))
    late = known - known // 50 // PAGE * PAGE
    asked = {
        "downloaded": url_of(late), "waiting": url_of(late + 7), "left-out": url_of(late + 13),
        "unknown, of a known host": f"{url_of(late)}/never-seen",
        "unknown, of the largest host": f"http://www.site-{largest}.example/never-seen",
        "unknown, of an unknown host": "http://nobody.example/",
    }  # fmt: skip
    connection.close()
    return asked


def _look(directory: Path, url: str) -> float:
    """Seconds of processor time in a process that has all loaded, as on the dashboard."""
    began = time.process_time()
    explain(directory, url)
    return time.process_time() - began


def _ask(directory: Path, url: str) -> tuple[float, float, dict[str, Any]]:
    """Seconds by the clock, and of the processor, with the start of Python; and the answer."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    command = [sys.executable, "-m", "langcrawl", "why", str(directory), url, "--json"]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE)
    after, seconds = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter() - began
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, cpu, json.loads(done.stdout)
