"""Shards as actors of a real Ray cluster on this machine; run by ``make cluster``."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from test_shard_kills import DELAY, PAGES, answer, shortest_pause, url_of

from langcrawl import open_log
from langcrawl.store.events import read_events
from langcrawl.virtualweb.serve import Server


def test_a_shard_on_ray_that_is_killed_is_started_anew_and_nothing_is_lost(tmp_path: Path) -> None:
    directory = tmp_path / "crawl"
    with Server(answer) as server, (tmp_path / "err").open("w+") as err:
        words = [
            "crawl", str(directory), "--lang", "th", "--seeds", url_of(0), "--strategy", "bfs",
            "--delay", str(DELAY), "--connections", "20", "--workers", "1", "--shards", "2",
            "--cluster", "local", "--connect-to", server.connect_to, "--json",
        ]  # fmt: skip
        command = [sys.executable, "-m", "langcrawl", *words]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=err, text=True) as process:
            deadline = time.monotonic() + 240
            while len(server.requests) < 60 and process.poll() is None:
                assert time.monotonic() < deadline
                time.sleep(0.05)
            starts = [e for e in read_events(directory / "shards" / "001") if e["event"] == "start"]
            os.kill(int(starts[-1]["pid"]), signal.SIGKILL)
            out, _ = process.communicate(timeout=400)
        err.seek(0)
        assert process.returncode == 0, err.read()
        requests = list(server.requests)
    assert out.startswith("{"), repr(out)
    done = json.loads(out)
    assert (done["pages"], done["stopped"]) == (PAGES, "queue-empty")
    found = open_log(directory).pages(["url"])["url"].to_pylist()
    assert sorted(found) == sorted(map(url_of, range(PAGES)))
    assert shortest_pause(requests) >= DELAY
    assert any(event["event"] == "shard-died" for event in read_events(directory))
