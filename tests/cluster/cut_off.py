"""A node is cut off from the others for a while; run by ``make cluster``.

The node has a network namespace of its own, and a server in it that answers for the hosts of the
shard that runs there. So while the wire to the rest of the cluster is cut, it can go on.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from secrets import token_hex

import pytest

import cluster.test_shard_kills as small_web
from cluster.test_shard_kills import DELAY, answer, archived_urls, shortest_pause, url_of
from langcrawl import open_log
from langcrawl.store.events import read_events
from langcrawl.virtualweb.serve import Request, Server

os.environ["RAY_AUTH_MODE"] = "token"
os.environ.setdefault("RAY_AUTH_TOKEN", token_hex(16))
os.environ.setdefault("RAY_worker_niceness", "0")  # else shards starve on a busy machine
PAGES = 3_000
CUT = 12.0
"""Seconds, within which Ray does not give a node up."""
NAMESPACE, HERE, THERE = "langcrawl-cut", "langcrawl0", "langcrawl1"
HEAD, NODE, PORT = "10.77.0.1", "10.77.0.2", 26379
RAY = str(Path(sys.executable).parent / "ray")
SERVE = """
import sys, time
sys.path.insert(0, sys.argv[1])
import cluster.test_shard_kills as web
from langcrawl.virtualweb.serve import Server
web.PAGES = int(sys.argv[2])
with Server(web.answer, int(sys.argv[3])) as server:
    seen = 0
    print("ready", flush=True)
    while True:
        for request in server.requests[seen:]:
            print(request.at, request.host, request.path, flush=True)
            seen += 1
        time.sleep(0.05)
"""


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


@pytest.fixture
def namespace() -> Iterator[list[str]]:
    """A network namespace with a wire to this one; the words that run a command in it."""
    inside = ["ip", "netns", "exec", NAMESPACE]
    try:
        ip("netns", "add", NAMESPACE)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"network namespaces cannot be made here: {error}")
    try:
        ip("link", "add", HERE, "type", "veth", "peer", "name", THERE, "netns", NAMESPACE)
        ip("addr", "add", f"{HEAD}/24", "dev", HERE)
        ip("link", "set", HERE, "up")
        ip("-n", NAMESPACE, "addr", "add", f"{NODE}/24", "dev", THERE)
        for device in (THERE, "lo"):
            ip("-n", NAMESPACE, "link", "set", device, "up")
        yield inside
    finally:
        with suppress(subprocess.CalledProcessError):
            ip("link", "del", HERE)
        ip("netns", "del", NAMESPACE)


@pytest.fixture
def cluster(namespace: list[str]) -> Iterator[str]:
    """A head here and a node in the namespace, with room for one shard each."""
    common = ["--num-cpus=1", "--object-store-memory=80000000", "--block"]
    head = [RAY, "start", "--head", f"--node-ip-address={HEAD}", f"--port={PORT}",
            "--include-dashboard=false", *common]  # fmt: skip
    node = [*namespace, RAY, "start", f"--address={HEAD}:{PORT}", f"--node-ip-address={NODE}",
            *common]  # fmt: skip
    running = []
    try:
        for command in (head, node):
            quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
            running.append(subprocess.Popen(command, **quiet))  # type: ignore[call-overload]
            time.sleep(8.0)
        yield f"{HEAD}:{PORT}"
    finally:
        for process in running:
            process.terminate()
        for process in running:
            process.wait(60)


def test_a_shard_that_is_cut_off_goes_on_with_its_own_hosts_and_catches_up(
    namespace: list[str], cluster: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(small_web, "PAGES", PAGES)
    directory, inside = tmp_path / "crawl", tmp_path / "inside"
    with Server(answer) as server, inside.open("w") as out, (tmp_path / "err").open("w+") as err:
        about = [str(Path(__file__).parents[1]), str(PAGES), str(server.port)]
        serve = [*namespace, sys.executable, "-c", SERVE, *about]
        words = [
            "crawl", str(directory), "--lang", "th", "--seeds", url_of(0), "--strategy", "bfs",
            "--delay", str(DELAY), "--connections", "20", "--workers", "1", "--shards", "2",
            "--cluster", cluster, "--connect-to", server.connect_to, "--json",
        ]  # fmt: skip
        command = [sys.executable, "-m", "langcrawl", *words]
        with (
            subprocess.Popen(serve, stdout=out) as other,
            subprocess.Popen(command, stdout=subprocess.PIPE, stderr=err, text=True) as process,
        ):
            try:
                deadline = time.monotonic() + 900
                while min(len(server.requests), len(requests_in(inside))) < 150:
                    assert process.poll() is None, (tmp_path / "err").read_text()
                    assert time.monotonic() < deadline
                    time.sleep(0.1)
                ip("link", "set", HERE, "down")
                try:
                    began = time.monotonic()
                    time.sleep(CUT)
                    ended = time.monotonic()
                finally:
                    ip("link", "set", HERE, "up")
                printed, _ = process.communicate(timeout=900)
            finally:
                process.kill()
                other.kill()
        assert process.returncode == 0, (tmp_path / "err").read_text()
        requests = [requests_in(inside), list(server.requests)]
    for some in requests:
        meanwhile = [each for each in some if began + 2 < each.at < ended]
        assert len(meanwhile) > 5 * (CUT - 2), "a side did not go on by itself"
    done = json.loads(printed)
    assert (done["pages"], done["stopped"]) == (PAGES, "queue-empty")
    pages = Counter(open_log(directory).pages(["url"])["url"].to_pylist())
    assert pages == dict.fromkeys(map(url_of, range(PAGES)), 1)
    assert Counter(archived_urls(directory / "shards")) == pages
    assert shortest_pause(sorted(requests[0] + requests[1])) >= DELAY
    pids = [
        event["pid"]
        for number in range(2)
        for event in read_events(directory / "shards" / f"{number:03}")
        if event["event"] == "start"
    ]
    assert len(pids) == 2, "a shard was started anew: the cut was no cut but a loss"


def requests_in(path: Path) -> list[Request]:
    """What the server in the namespace was asked for."""
    lines = [
        line.split() for line in path.read_text().splitlines(keepends=True) if line[-1] == "\n"
    ]
    return [Request(float(words[0]), *words[1:]) for words in lines if len(words) == 3]
