"""A crawl can be watched: its events, its lines, its signals; all through the real command."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import socket
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from conftest import Cli
from langcrawl.cli.watching import next_line
from langcrawl.virtualweb.serve import Server
from langcrawl.virtualweb.small import SmallPage
from running import Running, children, endless, events, wait_for
from warm import Warm

QUICK = ("--delay", "0.05", "--connections", "8", "--workers", "2")


@pytest.fixture
def closed_port() -> str:
    """The rule that leads every host to a port where nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"::127.0.0.1:{probe.getsockname()[1]}"


def test_every_run_tells_its_start_its_milestones_and_its_stop(cli: Cli, tmp_path: Path) -> None:
    with Server(endless) as server:
        first = (
            "crawl", "c", "--lang", "th", "--seeds", "http://h0.th/0", "--strategy", "bfs",
            "--delay", "0", "--max-pages", "60", "--connect-to", server.connect_to,
        )  # fmt: skip
        done = cli(*first)
        assert done.returncode == 0
        assert "langcrawl:" not in done.stderr
        with (tmp_path / "c/events.jsonl").open("a") as file:
            file.write('{"time": 17, "event": "sta')  # a process that was killed
        assert json.loads(cli("status", "c", "--json").stdout)["last_event"]["event"] == "stop"
        assert cli("crawl", "c", "--max-pages", "230").returncode == 0
    lines = (tmp_path / "c/events.jsonl").read_text().splitlines()
    assert lines.pop(2) == '{"time": 17, "event": "sta'
    told = [json.loads(line) for line in lines]
    start, stop, again, *milestones, end = told
    kinds = [event["event"] for event in (start, stop, again, end)]
    assert kinds == ["start", "stop", "start", "stop"]
    assert {event["event"] for event in milestones} == {"milestone"}
    assert (start["pages"], stop["pages"], stop["stopped"]) == (0, 60, "max-pages")
    assert (again["pages"], end["pages"]) == (60, 230)
    assert milestones[-1]["pages"] >= 200
    assert "60 pages" in again["words"]
    assert all(event["time"] > 1.7e9 and event["words"].endswith(".") for event in told)


def test_a_worker_that_dies_is_told(tmp_path: Path) -> None:
    with (
        Server(endless) as server,
        Running(tmp_path / "c", server.connect_to, *QUICK) as crawl,
    ):
        wait_for(lambda: server.answered > 60)
        helpers = [pid for child in children(crawl.process.pid) for pid in children(child)]
        os.kill(helpers[0], signal.SIGKILL)
        wait_for(lambda: crawl.events("worker-died"))
        before = server.answered
        wait_for(lambda: server.answered > before + 60)
        crawl.signal_all(signal.SIGTERM)
        assert crawl.wait() == 0
    (death,) = crawl.events("worker-died")
    assert death["exit_status"] == -9
    assert f"langcrawl: {death['words']}" in crawl.err.splitlines()
    assert "signal 9" in death["words"]


def test_where_nothing_comes_lines_go_on_and_a_warning_says_why(
    warm: Warm, tmp_path: Path, closed_port: str, cli: Cli
) -> None:
    with Running(tmp_path / "c", closed_port, "--warn-after", "3", "-v", warm=warm) as crawl:
        wait_for(lambda: any(event["failing_hosts"] for event in crawl.events("silent")))
        time.sleep(3)
        found = json.loads(cli("status", "c", "--json").stdout)
        shown = cli("status", "c").stdout
        time.sleep(11)
        crawl.signal(signal.SIGTERM)
        assert crawl.wait() in (0, 1)  # 1 where a crawl without a page counts as one that failed
    warnings = [event for event in crawl.events("silent") if event["failing_hosts"]]
    assert min(warning["seconds"] for warning in warnings) >= 3
    says = (
        r"nothing has come for \d+ s: [01] requests are under way, \d URLs wait; somebody is asked "
        r"again in \d+ s; 1 hosts fail \(\S+\), such as h0\.th \([\w-]+(, again in \d+ s)?\)"
    )
    warning = next(warning for warning in warnings if re.search(says, warning["words"]))
    assert f"langcrawl: {warning['words']}" in crawl.err.splitlines()
    assert len([line for line in crawl.err.splitlines() if line.startswith("crawling: 0 ")]) >= 2
    assert re.search(
        r"^langcrawl: h0\.th fails \(\S+\), \d times in a row, and is asked again in \d+ s\.$",
        crawl.err, re.MULTILINE,
    )  # fmt: skip
    assert found["running"] is True
    assert crawl.events("outage"), "the only host is silent, so nobody answers"
    assert found["failing"] == [], "in an outage no host is to blame"
    assert found["silences"]["refused"] >= 1
    assert re.search(r"^refused +\d+$", shown, re.MULTILINE)


def test_when_answers_come_again_that_is_told(warm: Warm, tmp_path: Path) -> None:
    slow = {"seconds": 0.0}

    def answer(url: str) -> SmallPage:
        return replace(endless(url), seconds=slow["seconds"])

    with (
        Server(answer) as server,
        Running(tmp_path / "c", server.connect_to, *QUICK, "--warn-after", "2", warm=warm) as crawl,
    ):
        wait_for(lambda: server.answered > 20)
        slow["seconds"] = 6.0
        wait_for(lambda: crawl.events("silent"))
        slow["seconds"] = 0.0
        wait_for(lambda: crawl.events("again"))
        crawl.signal(signal.SIGTERM)
        assert crawl.wait() == 0
    assert "requests are under way" in crawl.events("silent")[0]["words"]
    assert "answers come again, after" in crawl.err


def test_plain_lines_come_at_least_once_a_minute() -> None:
    assert next_line(1000.0, 1002.0) == 1007.0
    moment, gaps = 1002.0, []
    for _ in range(100):
        gaps.append(next_line(1000.0, moment) - moment)
        moment = next_line(1000.0, moment)
    assert max(gaps) <= 59
    assert gaps[-1] == 30.0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_service_that_is_stopped_ends_in_order_and_with_0(
    tmp_path: Path, cli: Cli, number: signal.Signals
) -> None:
    """The signal goes to all processes of the crawl, and twice, as it does from a shell."""
    with Server(endless) as server:
        with Running(tmp_path / "c", server.connect_to, *QUICK, "--json") as crawl:
            wait_for(lambda: server.answered > 100)
            crawl.signal_all(number)
            time.sleep(0.05)
            crawl.signal_all(number)
            assert crawl.wait() == 0, crawl.err
        result = json.loads(crawl.out)
        assert result["stopped"] == "interrupted"
        assert result["pages"] > 50
        assert "Traceback" not in crawl.err
        assert not crawl.events("worker-died")
        assert crawl.events()[-1]["event"] == "stop"
        names = {path.name for path in (tmp_path / "c").iterdir()}
        assert names == {".lock", "crawl.toml", "events.jsonl", "frontier.db", "log", "warc"}
        assert not list((tmp_path / "c/warc").glob("*.open"))
        assert cli("verify", "c").returncode == 0
        pages = str(result["pages"] + 20)
        again = cli("crawl", "c", "--max-pages", pages)
    assert again.returncode == 0
    assert "langcrawl:" not in again.stderr  # nothing had to be set aside


def test_nohup_stays_deaf_to_the_end_of_the_terminal(tmp_path: Path) -> None:
    with (
        Server(endless) as server,
        Running(tmp_path / "c", server.connect_to, *QUICK, before=["nohup"]) as crawl,
    ):
        wait_for(lambda: server.answered > 40)
        crawl.signal_all(signal.SIGHUP)
        before = server.answered
        wait_for(lambda: server.answered > before + 40)
        os.kill(crawl.process.pid, signal.SIGINT)
        assert crawl.wait() == 130


def test_a_terminal_that_closes_ends_the_crawl_in_order(tmp_path: Path, cli: Cli) -> None:
    with Server(endless) as server:
        command = [
            sys.executable, "-m", "langcrawl", "crawl", str(tmp_path / "c"), "--lang", "th",
            "--seeds", "http://h0.th/0", "--strategy", "bfs", "--connect-to", server.connect_to,
            *QUICK,
        ]  # fmt: skip
        pid, terminal = pty.fork()
        if not pid:
            os.execv(command[0], command)
        deadline = time.monotonic() + 90
        while server.answered < 60 and time.monotonic() < deadline:
            if select.select([terminal], [], [], 0.1)[0]:
                os.read(terminal, 65536)
        os.close(terminal)
        _, status = os.waitpid(pid, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert events(tmp_path / "c")[-1]["event"] == "stop"
    assert cli("verify", "c").returncode == 0


def test_quiet_says_nothing_and_verbose_says_every_event_and_failure(
    warm: Warm, tmp_path: Path
) -> None:
    with Server(endless) as server:
        crawls = {
            word: Running(
                tmp_path / f"c{word}", server.connect_to, *QUICK, "--max-time", "14",
                *([word] if word else []), warm=warm)
            for word in ("-q", "", "-v")
        }  # fmt: skip
        with crawls["-q"], crawls[""], crawls["-v"]:
            assert [crawl.wait() for crawl in crawls.values()] == [0, 0, 0]
        for word, crawl in crawls.items():
            lines = crawl.err.splitlines()
            assert re.search(r"downloads: .* pages in th .*; stopped by --max-time\.", crawl.out)
            if word == "-q":
                assert lines == []
                continue
            assert any(line.startswith("crawling: ") for line in lines)
            told = [f"langcrawl: {event['words']}" for event in crawl.events()]
            failed = "langcrawl: http://h6.th/6 failed: 404."
            if word:
                assert set(told) <= set(lines)
                assert failed in lines
            else:
                assert not set(told) & set(lines)
                assert failed not in lines


def test_quiet_and_verbose_contradict_each_other(cli: Cli) -> None:
    done = cli("crawl", "c", "--lang", "th", "--seeds", "http://h0.th/", "-q", "-v")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "--quiet" in done.stderr


def test_an_event_that_the_disk_has_no_room_for_ends_the_crawl(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "c").mkdir()
    with Server(endless) as server:
        words = ("--lang", "th", "--seeds", "http://h0.th/0", "--connect-to", server.connect_to)
        assert cli("crawl", "c", *words, "--max-pages", "0").returncode == 0
        (tmp_path / "c/events.jsonl").unlink()
        (tmp_path / "c/events.jsonl").symlink_to("/dev/full")
        done = cli("crawl", "c", "--max-pages", "10")
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr == (
            "langcrawl: the disk is full; make room and run the same command again.\n"
        )
        (tmp_path / "c/events.jsonl").unlink()
        assert cli("crawl", "c", "--max-pages", "10").returncode == 0
