"""A running crawl takes commands through its channel, loses nothing by them, and tells of them."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from conftest import Cli
from langcrawl.changes import host_pattern
from langcrawl.config import CrawlConfig
from langcrawl.errors import BadInput, UsageError
from langcrawl.records import Counts
from langcrawl.scope import CrawlScope
from langcrawl.store.control import FILE, ask, command
from langcrawl.store.history import History
from langcrawl.store.view import open_view
from langcrawl.virtualweb.serve import Server
from running import Running, endless, wait_for
from warm import Warm

QUICK = ("--delay", "0.05", "--connections", "8", "--workers", "1")


def status(directory: Path) -> dict[str, Any]:
    found = ask(directory, "/status")
    assert found is not None
    return found


def test_pause_seeds_exclusion_limits_and_stop(warm: Warm, tmp_path: Path, cli: Cli) -> None:
    directory = tmp_path / "c"
    with (
        Server(endless) as server,
        Running(directory, server.connect_to, *QUICK, "--max-pages", "100000", warm=warm) as crawl,
    ):
        wait_for(lambda: server.answered > 60)

        assert command(directory, "pause")["paused"] is True
        wait_for(lambda: status(directory)["under_way"] == 0, 20)
        before = server.answered
        spent = status(directory)["seconds"]
        time.sleep(0.7)
        assert server.answered == before
        assert status(directory)["paused"] is True
        assert status(directory)["seconds"] - spent < 0.5, "a pause is no time of the crawl"
        wait_for(lambda: ": paused, " in cli("status", directory).stdout, 20)

        preview = cli("crawl", directory, "--exclude", host_pattern("h3.th"), "--dry-run", "--json")
        left_out = json.loads(preview.stdout)["left_out"]
        assert left_out > 0
        answer = command(
            directory,
            "change",
            {
                "exclude_hosts": ["h3.th"],
                "seeds": ["http://new.th/1000001"],
                "max_pages": "200k",
                "max_depth": None,
            },
        )
        assert (answer["left_out"], answer["new_seeds"]) == (left_out, 1)
        assert command(directory, "resume")["paused"] is False
        wait_for(lambda: server.answered > before + 100)
        later = server.requests[before:]
        assert not [request for request in later if request.host == "h3.th"]
        assert [request for request in later if request.host == "new.th"]

        for wrong, says in (
            ({"exclude": ["("]}, "not a regular expression"),
            ({"seeds": ["/etc/passwd"]}, "is not a URL"),
            ({"max_pages": "ten"}, "is not a number"),
            ({"delay": 0}, "there is nothing called 'delay' to change"),
            ({"exclude": "x", "exclude_hosts": ["a b"]}, "is not the name of a host"),
            ({}, "nothing to change"),
        ):
            with pytest.raises(BadInput, match=says.replace("(", r"\(")):
                command(directory, "change", dict(wrong))
        wait_for(lambda: status(directory)["seconds"] > 1.5, 20)  # its history has a point a second
        assert command(directory, "stop")["stopping"] is True
        assert crawl.wait() == 0, "it did as it was told"
    config = CrawlConfig.load(directory)
    assert config.exclude == (host_pattern("h3.th"),)
    assert config.seeds == ("http://h0.th/0", "http://new.th/1000001")
    assert config.max_pages == 200_000
    told = [event["event"] for event in crawl.events()]
    order = ["start", "paused", "changed", "scope-changed", "resumed", "told-to-stop", "stop"]
    assert [event for event in told if event in order] == order
    (change,) = crawl.events("changed")
    assert change["changes"]["exclude_hosts"] == ["h3.th"]
    assert "Traceback" not in crawl.err
    verified = cli("verify", directory)
    assert verified.returncode == 0, verified.stdout
    with open_view(directory) as view:
        points = view.history()
        assert points[-1].pages <= view.status().pages
    assert len(points) >= 2
    assert [point.spent for point in points] == sorted(point.spent for point in points)


def test_a_crawl_killed_while_paused_resumes_with_what_was_said(
    warm: Warm, tmp_path: Path, cli: Cli
) -> None:
    directory = tmp_path / "c"
    with Server(endless) as server:
        with Running(directory, server.connect_to, *QUICK, warm=warm) as crawl:
            wait_for(lambda: server.answered > 60)
            command(directory, "pause")
            command(directory, "change", {"exclude": ["//h[0-4]\\.th"]})
            wait_for(lambda: status(directory)["under_way"] == 0, 20)
            crawl.signal(signal.SIGKILL)
            crawl.wait()
        before = server.answered
        most = json.loads(cli("status", directory, "--json").stdout)["pages"] + 30
        done = cli("crawl", directory, "--max-pages", str(most), "--json")
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["pages"] == most
        hosts = {request.host for request in server.requests[before:]}
    assert hosts
    assert not hosts & {f"h{n}.th" for n in range(5)}
    assert cli("verify", directory).returncode == 0


def test_clients_that_make_no_sense_are_told(warm: Warm, tmp_path: Path) -> None:
    directory = tmp_path / "c"
    with (
        Server(endless) as server,
        Running(directory, server.connect_to, *QUICK, warm=warm) as crawl,
    ):
        wait_for(lambda: server.answered > 20)

        def post(path: str, *words: str) -> tuple[str, str]:
            done = subprocess.run(
                ["curl", "-sS", "--unix-socket", FILE, "-w", " %{http_code}", "-X", "POST",
                 *words, f"http://localhost{path}"],
                cwd=directory, capture_output=True, text=True, timeout=30, check=True,
            )  # fmt: skip
            said, _, code = done.stdout.rpartition(" ")
            return code, said

        assert post("/dance")[0] == "404"
        assert post("/change", "-d", "not JSON") == ("400", "send a JSON object\n")
        assert post("/change", "-d", "[1]")[0] == "400"
        deep = tmp_path / "deep.json"
        deep.write_text("[" * 500_000)
        assert post("/change", "-d", f"@{deep}")[0] == "400"
        deep.write_text("[" * 2_000_000)
        assert post("/change", "-H", "Expect:", "-d", f"@{deep}")[0] == "413"
        code, said = post("/pause")
        assert (code, json.loads(said)["paused"]) == ("200", True)
        live = ask(directory, "/live")
        assert live is not None
        assert live["pages"][0]["language"] == "th"
        assert {row["status"] for row in live["failures"]} <= {404}
        crawl.signal(signal.SIGTERM)
        assert crawl.wait() == 0
    assert "Traceback" not in crawl.err
    assert ask(directory, "/status") is None
    with pytest.raises(BadInput, match=r"no crawl in .* answers; start it"):
        command(directory, "pause")


@pytest.mark.parametrize(
    ("host", "out", "kept"),
    [
        ("a.th", ["http://a.th/", "https://www.a.th/x", "http://a.th:8080/"], ["http://ba.th/"]),
        ("a.th", ["http://a.th/?http://b.th/"], ["http://b.th/?x=http://a.th/", "http://a.the/"]),
        ("a.th:8080", ["http://a.th:8080/"], ["http://a.th/", "http://a.th:80801/"]),
        ("A.TH.", ["http://a.th/"], ["http://axth/"]),
    ],
)
def test_a_host_is_left_out_with_what_is_below_it(
    host: str, out: list[str], kept: list[str]
) -> None:
    scope = CrawlScope(exclude=[host_pattern(host)])
    assert [scope.rules_out(url, "a.th") for url in out] == ["excluded"] * len(out)
    assert [scope.rules_out(url, "a.th") for url in kept] == [""] * len(kept)


@pytest.mark.parametrize("host", ["", " ", "a b", "http://a.th/", "a.th/x", "u@a.th", "a?b"])
def test_what_is_no_host_is_refused(host: str) -> None:
    with pytest.raises(UsageError, match="is not the name of a host"):
        host_pattern(host)


def test_a_history_is_whole_and_never_large() -> None:
    history, counts = History(), Counts()
    for second in range(100_000):
        counts.spent, counts.pages = float(second), second * 3
        history.note(counts, 7, 1e9 + second)
        if second == 50_000:
            history = History.from_text(history.as_text())
    points = history.points
    assert 200 < len(points) <= 481
    assert points[0].spent == 0
    assert points[-1].spent > 99_000
    steps = {round(b.spent - a.spent) for a, b in pairwise(points)}
    assert len(steps) == 1
    assert points[-1].pages == 3 * points[-1].spent
