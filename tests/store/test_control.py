"""The local channel of a running crawl, its metrics, and what clients can do to it: nothing."""

from __future__ import annotations

import json
import os
import signal
import socket
import stat
import subprocess
import time
from contextlib import closing, suppress
from pathlib import Path

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from conftest import Cli
from langcrawl.store.control import FILE, ControlSocket
from langcrawl.store.metrics import metrics_of
from langcrawl.store.status import EstimatedEnd, FailingHost, Status, sum_statuses
from langcrawl.virtualweb.serve import Server
from running import Running, endless, wait_for
from warm import Warm

SHOUTS = (
    b"", b"G", b"GET /status", b"\xff" * 200_000, b"POST /status HTTP/1.0\r\n\r\n",
    b"GET " + b"/" * 50_000 + b" HTTP/1.0\r\n\r\n", b"\n\n", b"\0\r\n\r\n",
)  # fmt: skip
QUICK = ("--delay", "0.05", "--connections", "8", "--workers", "1")


def ask(directory: Path, path: str) -> str:
    """What curl gets from the channel; from within the directory, for its path may be long."""
    done = subprocess.run(
        ["curl", "-sSf", "--unix-socket", FILE, f"http://localhost{path}"],
        cwd=directory, capture_output=True, text=True, timeout=20, check=True,
    )  # fmt: skip
    return done.stdout


def values(text: str) -> dict[tuple[str, str], float]:
    """Every sample of an OpenMetrics text by name and label, as Prometheus' own parser reads it."""
    return {
        (sample.name, next(iter(sample.labels.values()), "")): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_a_running_crawl_answers_and_takes_its_socket_away(warm: Warm, tmp_path: Path) -> None:
    directory = tmp_path / "c"
    with (
        Server(endless) as server,
        Running(directory, server.connect_to, *QUICK, "--max-pages", "100000", warm=warm) as crawl,
    ):
        wait_for(lambda: server.answered > 100)
        wait_for(lambda: json.loads(ask(directory, "/status"))["lately"], 30)
        mode = (directory / FILE).stat().st_mode
        assert stat.S_ISSOCK(mode)
        assert stat.S_IMODE(mode) == 0o600
        first = json.loads(ask(directory, "/status"))
        wait_for(lambda: json.loads(ask(directory, "/status"))["pages"] > first["pages"])
        found = values(ask(directory, "/metrics"))
        then = json.loads(ask(directory, "/status"))
        crawl.signal(signal.SIGTERM)
        assert crawl.wait() == 0
    assert not (directory / FILE).exists()
    assert first["running"] is True
    assert first["estimated_end"]["because"] == "max-pages"
    assert first["estimated_end"]["at"] == pytest.approx(
        time.time() + (100_000 - first["pages"]) / first["lately"], rel=0.2
    )
    assert first["pages"] <= found["langcrawl_pages_total", ""] <= then["pages"]
    assert found["langcrawl_running", ""] == 1
    assert found["langcrawl_errors_total", "404"] > 0
    assert found["langcrawl_queue_urls", ""] > 0


def test_a_long_path_and_a_socket_left_by_a_kill_do_no_harm(warm: Warm, tmp_path: Path) -> None:
    directory = tmp_path / ("long" * 30) / "c"
    assert len(os.fsencode(directory / FILE)) > 107
    with Server(endless) as server:
        with Running(directory, server.connect_to, *QUICK, warm=warm) as crawl:
            wait_for(lambda: server.answered > 40)
            assert json.loads(ask(directory, "/status"))["running"]
        assert crawl.process.returncode == -signal.SIGKILL
        assert (directory / FILE).exists()
        before = server.answered
        with Running(directory, server.connect_to, *QUICK, warm=warm) as crawl:
            wait_for(lambda: server.answered > before + 40)
            assert json.loads(ask(directory, "/status"))["running"]
            crawl.signal(signal.SIGTERM)
            assert crawl.wait() == 0
    assert not (directory / FILE).exists()


def test_clients_that_stall_or_shout_hinder_nobody(
    warm: Warm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = tmp_path / "c"
    with (
        Server(endless) as server,
        Running(directory, server.connect_to, *QUICK, warm=warm) as crawl,
    ):
        wait_for(lambda: server.answered > 40)
        monkeypatch.chdir(tmp_path)
        clients = []
        for words in SHOUTS:
            client = socket.socket(socket.AF_UNIX)
            client.settimeout(5)
            client.connect(f"c/{FILE}")
            with suppress(OSError):  # it has heard enough
                client.sendall(words)
            clients.append(client)
        before = server.answered
        wait_for(lambda: server.answered > before + 100)
        wait_for(lambda: "langcrawl_pages_total" in ask(directory, "/metrics"), 40)
        crawl.signal(signal.SIGTERM)
        assert crawl.wait() == 0
        for client in clients:
            client.close()
    assert "Traceback" not in crawl.err


def test_another_file_of_that_name_is_left_alone(tmp_path: Path, cli: Cli) -> None:
    with Server(endless) as server:
        words = ("crawl", "c", "--lang", "th", "--seeds", "http://h0.th/0", "--delay", "0",
                 "--connect-to", server.connect_to, "--max-pages")  # fmt: skip
        assert cli(*words, "1").returncode == 0
        (tmp_path / "c" / FILE).write_text("mine")
        done = cli("crawl", "c", "--max-pages", "5")
    assert done.returncode == 0
    assert "there is no local channel" in done.stderr
    assert (tmp_path / "c" / FILE).read_text() == "mine"


def status(**changed: object) -> Status:
    fields: dict[str, object] = {
        "running": True, "lang": "th",
        "answers": {}, "silences": {}, "failures": 0, "languages": {},
        "strategy": 'x.py:"a\\b"\n:n=1', "pages": 7, "relevant": 3,
        "harvest": 3 / 7, "queue": 9, "under_way": 1, "urls": 20, "hosts": 2, "bytes": 1234,
        "requests": 11, "seconds": 2.5, "pages_per_second": 2.8, "lately": 2.0,
        "last_page": 1.8e9, "failing_hosts": 1,
        "failing": (FailingHost("a.th", "dns", 2, None),),
        "estimated_end": EstimatedEnd(1.9e9, 5.0, "max-pages"), "last_event": None,
        "errors": {"404": 2, 'a "b"\\\n\udcff': 1}, "discards": {"robots": 1}, "notes": {},
    }  # fmt: skip
    return Status(**(fields | changed))  # type: ignore[arg-type]


def test_the_end_of_a_crawl_of_shards_is_that_of_all_of_them() -> None:
    shards = {
        0: status(pages=40, lately=2.0, estimated_end=None),
        2: status(pages=20, lately=1.0, estimated_end=None),
    }
    assert sum_statuses(shards, None, None).estimated_end is None
    end = sum_statuses(shards, None, 90).estimated_end
    assert end is not None
    assert (end.because, end.seconds) == ("max-pages", 10.0)
    assert abs(end.at - time.time() - 10.0) < 60.0
    empty = EstimatedEnd(time.time() + 1.0, 1.0, "queue-empty")
    shards[2] = status(pages=20, lately=1.0, estimated_end=empty)
    assert sum_statuses(shards, None, 90).estimated_end == empty
    asleep = {number: status(lately=None, estimated_end=None) for number in range(2)}
    assert sum_statuses(asleep, None, 90).estimated_end is None


def test_metrics_are_openmetrics_whatever_the_words() -> None:
    found = values(metrics_of(status()))
    assert found["langcrawl_pages_total", ""] == 7
    assert found["langcrawl_downloaded_bytes_total", ""] == 1234
    assert found["langcrawl_estimated_end_timestamp_seconds", ""] == 1.9e9
    assert found["langcrawl_errors_total", 'a "b"\\\n\\udcff'] == 1
    bare = values(metrics_of(status(lately=None, last_page=None, estimated_end=None, errors={})))
    assert ("langcrawl_recent_pages_per_second", "") not in bare
    assert bare["langcrawl_queue_urls", ""] == 9


def test_metrics_of_a_crawl_that_has_ended_agree_with_its_status(
    cli: Cli, small_crawl: Path
) -> None:
    done = cli("status", small_crawl, "--metrics")
    assert (done.returncode, done.stderr) == (0, "")
    found, known = values(done.stdout), json.loads(cli("status", small_crawl, "--json").stdout)
    assert found["langcrawl_running", ""] == 0
    for name, key in (
        ("pages_total", "pages"), ("relevant_pages_total", "relevant"), ("queue_urls", "queue"),
        ("downloaded_bytes_total", "bytes"), ("requests_total", "requests"),
        ("known_urls", "urls"), ("known_hosts", "hosts"),
    ):  # fmt: skip
        assert found[f"langcrawl_{name}", ""] == known[key], name
    for reason, count in known["errors"].items():
        assert found["langcrawl_errors_total", reason] == count
    both = cli("status", small_crawl, "--metrics", "--json")
    assert (both.returncode, both.stdout) == (2, "")


def test_before_the_first_status_the_channel_asks_for_patience(tmp_path: Path) -> None:
    said: list[str] = []
    with ControlSocket(tmp_path, said.append) as channel:
        with closing(socket.socket(socket.AF_UNIX)) as client:
            client.connect(str(tmp_path / FILE))
            client.sendall(b"GET /status HTTP/1.0\r\n\r\n")
            assert client.recv(100).startswith(b"HTTP/1.0 503 ")
        channel.publish(status())
        assert json.loads(ask(tmp_path, "/status"))["pages"] == 7
    assert not (tmp_path / FILE).exists()
    assert said == []
