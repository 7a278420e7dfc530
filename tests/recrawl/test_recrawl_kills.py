"""A recrawl that is killed or interrupted loses nothing, and the same command resumes it."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from changing import Changing, ChangingWeb
from conftest import Cli
from langcrawl.log.visits import read_visits

HOSTS, PAGES, DELAY = 6, 150, 0.15


def many_pages() -> ChangingWeb:
    urls = [f"http://h{n % HOSTS}.th/{n}" for n in range(PAGES)]
    pages = {
        url: Changing(f"page {n} {random.Random(n).random()}", by=("etag", "date", "")[n % 3])
        for n, url in enumerate(urls)
    }
    pages[urls[0]].links = tuple(urls[1:])
    return ChangingWeb(pages)


STARTED: list[subprocess.Popen[str]] = []


@pytest.fixture(autouse=True)
def _nothing_is_left() -> Iterator[None]:
    """A test that fails leaves no process behind."""
    yield
    for process in STARTED:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
    STARTED.clear()


def start(directory: Path, *words: str) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-m", "langcrawl", "recrawl", str(directory), "--json", *words],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    STARTED.append(process)
    return process


def crawled(cli: Cli, web: ChangingWeb) -> None:
    done = cli(
        "crawl", "crawl", "--lang", "th", "--seeds", "http://h0.th/0", "--strategy", "bfs",
        "--delay", "0", "--connections", "16", "--connect-to", web.connect_to, "--json",
    )  # fmt: skip
    assert json.loads(done.stdout)["pages"] == PAGES, done.stderr
    assert cli("crawl", "crawl", "--delay", str(DELAY)).returncode == 0
    web.asked.clear()


def wait_for_answers(web: ChangingWeb, count: int) -> None:
    end = time.monotonic() + 60
    while len(web.asked) < count:
        assert time.monotonic() < end
        time.sleep(0.01)


def test_kills_lose_nothing_and_no_host_is_asked_too_soon(cli: Cli, tmp_path: Path) -> None:
    directory = tmp_path / "crawl"
    times: dict[str, list[float]] = {}
    lock = threading.Lock()

    def note(url: str) -> None:
        with lock:
            times.setdefault(url.split("/")[2], []).append(time.monotonic())

    with many_pages() as web:
        crawled(cli, web)
        changed = [url for n, url in enumerate(web.pages) if n % 5 == 1]
        for url in changed:
            web.pages[url].change("changed", f"{url}-new")
            web.pages[f"{url}-new"] = Changing(f"new {url}")
        web.before = note
        draw = random.Random(3)
        for _ in range(4):
            before = len(web.asked)
            process = start(directory)
            wait_for_answers(web, before + draw.randint(8, 30))
            time.sleep(draw.random() / 5)
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
        process = start(directory)
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
        asked = Counter(one.url for one in web.asked if not one.url.endswith("robots.txt"))
    said: dict[str, Any] = json.loads(out)
    assert said["resumed"]
    assert said["asked"] == PAGES
    assert said["changed"] == len(changed)
    assert said["new_pages"] == said["new_urls"] == len(changed)
    assert set(asked) >= set(web.pages)
    assert sum(asked.values()) <= len(web.pages) + 4 * 16  # what was under way is asked for again
    for host, moments in times.items():
        gaps = [later - sooner for sooner, later in pairwise(moments)]
        assert min(gaps) > 0.8 * DELAY, host
    rows = [row for table in read_visits(directory) for row in table.to_pylist()]
    visits = Counter((row["id"], row["outcome"] == "new") for row in rows)
    assert set(visits.values()) == {1}
    assert len(visits) == 2 * PAGES
    verified = cli("verify", "crawl")
    assert verified.returncode == 0, verified.stdout
    status = json.loads(cli("status", "crawl", "--json").stdout)
    assert (status["pages"], status["relevant"]) == (PAGES + len(changed),) * 2


def test_ctrl_c_ends_in_order_and_the_budget_holds_over_both_runs(cli: Cli, tmp_path: Path) -> None:
    directory = tmp_path / "crawl"
    with many_pages() as web:
        crawled(cli, web)
        process = start(directory, "--max-pages", "100")
        wait_for_answers(web, 30)
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=60)
        assert process.returncode == 130, err
        first = json.loads(out)
        assert 0 < first["asked"] < 100
        assert cli("verify", "crawl").returncode == 0
        assert cli("crawl", "crawl").returncode == 0  # a crawl in between knows nothing of it
        process = start(directory, "--max-pages", "100")
        out, err = process.communicate(timeout=60)
        second = json.loads(out)
        assert second["resumed"]
        assert second["asked"] == 100
        assert len({one.url for one in web.asked if "robots" not in one.url}) == 100
        process = start(directory, "--max-pages", "10")
        third = json.loads(process.communicate(timeout=60)[0])
        assert (third["resumed"], third["asked"]) == (False, 10)
