"""An outage is no result: the crawl waits, loses nothing, and says what is wrong."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conftest import Cli
from langcrawl.config import CrawlConfig
from langcrawl.log.graph import load_graph
from langcrawl.virtualweb.serve import Server
from langcrawl.virtualweb.small import SmallPage
from running import Started
from warm import Warm

THAI = "<p>ภาษาไทยเป็นภาษาราชการของประเทศไทย มีผู้พูดหลายสิบล้านคน</p>"
PAGES = 30


def answer(url: str) -> SmallPage:
    if url.endswith("/robots.txt"):
        return SmallPage(404)
    links = "".join(f'<a href="http://h{n % 6}.example/{n}">x</a>' for n in range(PAGES))
    return SmallPage(body=(THAI + links).encode())


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


class Running(Started):
    """A crawl whose words can be waited for."""

    def __init__(self, warm: Warm, directory: Path, *words: str) -> None:
        super().__init__(warm, "crawl", directory, "--json", *words)

    def wait_for(self, condition: Callable[[], bool], seconds: float = 60) -> None:
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, self.said
            assert self.poll() is None, self.said
            time.sleep(0.02)

    def result(self) -> tuple[int | None, Any]:
        out, _ = self.communicate(160)
        return self.returncode, json.loads(out)


def start(warm: Warm, directory: Path, port: int, *words: str) -> Running:
    new = ["--lang", "th", "--seeds", "http://h0.example/0", "--strategy", "bfs", "--delay", "0"]
    return Running(warm, directory, *new, "--connect-to", f"::127.0.0.1:{port}", *words)


def test_a_crawl_waits_for_a_network_that_is_not_there_yet(warm: Warm, tmp_path: Path) -> None:
    port = free_port()
    crawl = start(warm, tmp_path / "c", port, "--retries", "0")
    crawl.wait_for(lambda: "nobody answers" in crawl.said)
    time.sleep(1.0)
    with Server(answer, port=port):
        status, result = crawl.result()
    assert (status, result["pages"], result["stopped"]) == (0, PAGES, "queue-empty")
    assert result["failures"] == 0
    assert result["silences"]["refused"] >= 1
    assert "answers again" in crawl.said


def test_an_outage_in_the_middle_costs_no_url(warm: Warm, tmp_path: Path) -> None:
    port = free_port()
    with Server(answer, port=port) as server:
        crawl = start(warm, tmp_path / "c", port, "--delay", "0.3", "--domain-connections", "2")
        crawl.wait_for(lambda: len(server.requests) > 12)
    crawl.wait_for(lambda: "nobody answers" in crawl.said, 120)
    with Server(answer, port=port):
        status, result = crawl.result()
    assert (status, result["pages"], result["failures"]) == (0, PAGES, 0), crawl.said
    assert load_graph(tmp_path / "c").pages == PAGES


def test_what_a_run_did_not_reach_the_next_one_asks_for(
    warm: Warm, tmp_path: Path, cli: Cli
) -> None:
    """One of two servers is down: the crawl ends, and its URLs wait for the next run."""
    up, down = free_port(), free_port()
    words = ("--retries", "0", "--connect-to", f"h3.example:80:127.0.0.1:{down}")
    with Server(answer, port=up):
        crawl = Running(
            warm, tmp_path / "c", "--lang", "th", "--seeds", "http://h0.example/0",
            "--strategy", "bfs", "--delay", "0", *words, "--connect-to", f"::127.0.0.1:{up}",
        )  # fmt: skip
        status, result = crawl.result()
        assert (status, result["stopped"]) == (0, "no-answer")
        assert (result["pages"], result["queue"]) == (PAGES - 5, 5)
        with Server(answer, port=down):
            done = cli("crawl", tmp_path / "c", "--json")
            result = json.loads(done.stdout)
    assert (result["pages"], result["queue"], result["stopped"]) == (PAGES, 0, "queue-empty")


def test_one_connection_does_not_wait_for_a_silent_host(warm: Warm, tmp_path: Path) -> None:
    up, down = free_port(), free_port()
    with Server(answer, port=up):
        crawl = Running(
            warm, tmp_path / "c", "--lang", "th", "--seeds", "http://h0.example/0",
            "--strategy", "bfs", "--delay", "0", "--retries", "0", "--connections", "1",
            "--connect-to", f"h3.example:80:127.0.0.1:{down}",
            "--connect-to", f"::127.0.0.1:{up}",
        )  # fmt: skip
        status, result = crawl.result()
    assert (status, result["stopped"], result["pages"]) == (0, "no-answer", PAGES - 5)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may make a network without a network")
def test_without_a_network_nothing_is_spent_and_the_cause_is_told(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "langcrawl", "crawl", str(tmp_path / "c"), "--json"]
    new = ["--lang", "th", "--seeds", "http://www.nectec.or.th/", "--seeds", "http://mthai.com/"]
    done = subprocess.run(
        ["unshare", "--net", *words, *new, "--max-time", "25", "--retries", "0"],
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    result = json.loads(done.stdout)
    assert (result["pages"], result["failures"], result["queue"]) == (0, 0, 2), done.stderr
    assert done.returncode == 1
    assert "nobody answers" in done.stderr
    assert "nothing was collected, because nobody answered" in done.stderr
    with Server(answer) as server:
        again = [*words, "--connect-to", server.connect_to, "--max-time", "none"]
        done = subprocess.run(again, capture_output=True, text=True, timeout=120)
    assert json.loads(done.stdout)["pages"] == 2 + PAGES, done.stderr


def test_an_outage_that_does_not_end_ends_the_crawl(warm: Warm, tmp_path: Path, cli: Cli) -> None:
    crawl = start(warm, tmp_path / "c", free_port(), "--retries", "0", "--max-outage", "3s")
    status, result = crawl.result()
    assert (status, result["stopped"], result["queue"]) == (1, "outage", 1)
    assert "nobody answered (refused" in crawl.said


def test_failures_are_no_pages_and_can_be_tried_again_by_reason(
    warm: Warm, tmp_path: Path, cli: Cli
) -> None:
    broken = {"http://h0.example/1", "http://h0.example/2"}
    sick = {"http://h0.example/3"}

    def serve(url: str) -> SmallPage:
        if url in broken:
            return SmallPage(0)  # closes the connection without an answer
        if url in sick:
            return SmallPage(500)
        if url.endswith("/robots.txt"):
            return SmallPage(404)
        links = "".join(f'<a href="/{n}">x</a>' for n in range(6))
        return SmallPage(body=(THAI + links).encode())

    with Server(serve) as server:
        CrawlConfig(
            lang="th", seeds=("http://h0.example/0",), strategy="bfs", delay=0.0, retries=0,
            backoff=0.1, connect_to=(server.connect_to,),
        ).save(tmp_path / "c")  # fmt: skip
        crawl = Running(warm, tmp_path / "c")
        status, result = crawl.result()
        assert (status, result["stopped"]) == (0, "queue-empty"), crawl.said
        assert (result["pages"], result["failures"]) == (4, 2)
        assert result["errors"] == {"closed": 2, "500": 1}
        broken.remove("http://h0.example/1")
        done = cli("crawl", tmp_path / "c", "--json")  # the network's failures, by itself
        result = json.loads(done.stdout)
        assert (result["pages"], result["failures"]) == (5, 1)
        assert "2 URLs that failed before wait again: closed 2" in done.stderr
        broken.clear()
        sick.clear()
        result = json.loads(cli("retry", tmp_path / "c", "--reason", "5xx", "--json").stdout)
        assert (result["pages"], result["errors"].get("500", 0)) == (5, 0)
        assert result["failures"] == 1
        result = json.loads(cli("retry", tmp_path / "c", "--json").stdout)
        assert (result["pages"], result["failures"], result["relevant"]) == (6, 0, 6)
    assert load_graph(tmp_path / "c").relevant_total == 6
    assert cli("verify", tmp_path / "c").returncode == 0


@pytest.mark.parametrize(
    ("serve", "says"),
    [
        (lambda url: SmallPage(404), "the servers answered with errors (404 1)"),
        (
            lambda url: SmallPage(content_type="text/plain", body=b"User-agent: *\nDisallow: /\n"),
            "the robots.txt of the seeds' hosts forbids it",
        ),
    ],
)
def test_a_crawl_that_collected_nothing_fails_and_says_why(
    tmp_path: Path, cli: Cli, serve: Callable[[str], SmallPage], says: str
) -> None:
    with Server(serve) as server:
        done = cli(
            "crawl", tmp_path / "c", "--lang", "th", "--seeds", "http://a.example/",
            "--connect-to", server.connect_to, "--delay", "0",
        )  # fmt: skip
    assert done.returncode == 1
    assert f"nothing was collected, because {says}" in done.stderr


def test_the_end_says_what_came_and_how_to_go_on(tmp_path: Path, cli: Cli) -> None:
    def serve(url: str) -> SmallPage:
        kinds = {
            "/404": SmallPage(404),
            "/pic": SmallPage(content_type="image/png", body=b"\x89PNG" + bytes(99)),
            "/moved": SmallPage(301, location="http://a.example/"),
            "/en": SmallPage(body=b"<p>An English page about nothing in particular at all."),
        }
        path = "/" + url.split("/", 3)[3]
        links = "".join(f'<a href="{link}">x</a>' for link in kinds)
        return (
            SmallPage(404)
            if path == "/robots.txt"
            else kinds.get(path, SmallPage(body=(THAI + links).encode()))
        )

    with Server(serve) as server:
        done = cli(
            "crawl", tmp_path / "c", "--lang", "th", "--seeds", "http://a.example/",
            "--connect-to", server.connect_to, "--delay", "0", "--strategy", "bfs",
        )  # fmt: skip
    assert done.stdout.startswith(
        "5 downloads: 1 pages in th (20.0%), 1 in other languages, 1 redirects, 1 errors, "
        "1 other files. no URL is left."
    )


def test_after_an_interruption_the_command_to_resume_is_quoted_rightly(tmp_path: Path) -> None:
    directory = tmp_path / "it's a crawl"
    with Server(answer) as server:
        crawl = subprocess.Popen(
            [sys.executable, "-m", "langcrawl", "crawl", str(directory), "--lang", "th",
             "--seeds", "http://h0.example/0", "--connect-to", server.connect_to, "--delay", "2"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        while not server.requests:
            assert crawl.poll() is None
            time.sleep(0.02)
        crawl.send_signal(signal.SIGINT)
        out, _ = crawl.communicate(timeout=60)
        assert crawl.returncode == 130
        line = next(line for line in out.splitlines() if line.startswith("Resume it with:"))
        command = (
            line.split(":", 1)[1].strip().replace("langcrawl", f"{sys.executable} -m langcrawl", 1)
        )
        done = subprocess.run(f"{command} --delay 0 --json", shell=True, capture_output=True)
    assert json.loads(done.stdout)["pages"] == PAGES, done.stderr


@pytest.mark.parametrize("proxy", ["localhost:8080", "127.0.0.1", "ftp://x:1", "http://x"])
def test_a_proxy_without_a_scheme_is_a_sentence(tmp_path: Path, cli: Cli, proxy: str) -> None:
    done = cli(
        "crawl", tmp_path / "c", "--lang", "th", "--seeds", "http://a.example/", "--proxy", proxy
    )
    assert done.returncode == 2
    assert done.stderr.strip() == (
        f"langcrawl: --proxy takes http://[user:password@]host:port, not '{proxy}'."
    )
