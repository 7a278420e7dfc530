"""Shards and other work on real Ray clusters on this machine; run by ``make cluster``."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from secrets import token_hex
from typing import Any

import pytest

os.environ["RAY_AUTH_MODE"] = "token"
os.environ.setdefault("RAY_AUTH_TOKEN", token_hex(16))
os.environ.setdefault("RAY_worker_niceness", "0")  # else shards starve on a busy machine

from ray.cluster_utils import Cluster

import cluster.test_shard_kills as small_web
from cluster.test_shard_kills import DELAY, SHARDS, answer, archived_urls, shortest_pause, url_of
from langcrawl import open_log
from langcrawl.cluster.tasks import RayPlace
from langcrawl.errors import BadInput, LangcrawlError
from langcrawl.parallel import Job, cores, in_order, side_by_side, spread_over
from langcrawl.store.events import read_events
from langcrawl.virtualweb.serve import Server
from langcrawl.virtualweb.small import SmallPage

KILLS = int(os.environ.get("LANGCRAWL_RAY_KILLS", "10"))
VICTIMS = ("shard", "worker", "node", "driver", "head")
PAGES = 400 + 700 * KILLS
"""Ray takes seconds to notice and to begin anew, without a head a minute, and the shards that are
left go on meanwhile: some 40 pages a second."""
_SMALL = {"include_dashboard": False, "object_store_memory": 80 * 1024 * 1024}


class Nodes:
    """A cluster of a head, which runs no shard, and two nodes with raylets of their own."""

    def __init__(self) -> None:
        self._start()

    def _start(self) -> None:
        self._cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, **_SMALL})
        self.nodes = [self._add() for _ in range(2)]

    def _add(self) -> Any:
        """Ray gives a node 30 seconds to start, which a busy machine may take for one."""
        add = partial(
            self._cluster.add_node, num_cpus=2, object_store_memory=_SMALL["object_store_memory"]
        )
        for _ in range(2):
            with suppress(Exception):
                return add()
        return add()

    @property
    def address(self) -> str:
        return str(self._cluster.address)

    def drivers(self) -> int:
        """How many programs have ever joined."""
        return len(self._cluster.global_state.job_table())

    def kill_node(self, which: int) -> None:
        """All of its processes; another node takes its place."""
        self._cluster.remove_node(self.nodes[which], allow_graceful=False)
        self.nodes[which] = self._add()

    def kill_head(self) -> None:
        self._cluster.remove_node(self._cluster.head_node, allow_graceful=False)

    def start_anew(self) -> None:
        """As who runs a cluster would: end what is left of it, and start another one."""
        self.end()
        self._start()

    def end(self) -> None:
        self._cluster.shutdown()


class Killer(small_web.Killer):
    """Kills parts of a crawl on a cluster, and of the cluster."""

    def __init__(self, server: Server, nodes: Nodes, folder: Path) -> None:
        super().__init__(server, None, folder)  # type: ignore[arg-type]
        self._nodes = nodes
        self.killed = Counter[str]()

    def run(self) -> Any:
        if self._process is None or self._process.poll() is not None:
            self._runs += 1
            words = [*self._words, "--cluster", self._nodes.address]
            out, err = self._folder / "out", self._folder / f"err{self._runs}"
            with out.open("wb") as o, err.open("wb") as e:
                command = [sys.executable, "-m", "langcrawl", *words]
                self._process = subprocess.Popen(command, stdout=o, stderr=e)  # type: ignore[assignment]
        return self._process

    def kill(self, victim: str) -> None:
        before, wanted = len(self._server.requests), self._rng.randrange(10, 30)
        end = time.monotonic() + 900
        while len(self._server.requests) - before < wanted:
            process = self.run()  # a driver whose own node was killed is gone with it
            assert process.poll() != 0, "the crawl was over before all had been killed"
            assert time.monotonic() < end, self.errors()
            time.sleep(0.05)
        time.sleep(self._rng.uniform(0.0, 1.0))
        process, number = self.run(), self._rng.randrange(SHARDS)
        print(f"{time.strftime('%X')} {len(self._server.requests)} requests; killed: {victim}")
        self.killed[victim] += 1
        if victim == "driver":
            process.kill()
            process.wait(30)
        elif victim == "node":
            self._nodes.kill_node(self._rng.randrange(2))
        elif victim == "head":
            self._nodes.kill_head()
            process.wait(300)  # it ends by itself: without the head there is no cluster
            self._nodes.start_anew()
        else:
            while not (workers := self._workers_of(number)):
                self.run()
                assert time.monotonic() < end, self.errors()
                time.sleep(0.05)
            os.kill(self._pid_of(number) if victim == "shard" else workers[0], signal.SIGKILL)

    def finish(self) -> dict[str, Any]:
        while self.run().wait(600):  # a node may still take the driver with it
            assert self._runs < 2 * KILLS + 3, self.errors()
        result: dict[str, Any] = json.loads((self._folder / "out").read_bytes())
        return result


@pytest.fixture(scope="module")
def nodes() -> Iterator[Nodes]:
    made = Nodes()
    yield made
    made.end()


def test_whatever_part_of_a_cluster_is_killed_nothing_is_lost(
    nodes: Nodes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(small_web, "PAGES", PAGES)
    with Server(answer) as server:
        killer = Killer(server, nodes, tmp_path)
        try:
            for number in range(KILLS):
                killer.kill(VICTIMS[number % len(VICTIMS)])
            done = killer.finish()
        finally:
            killer.end()
        requests = list(server.requests)
    assert "Traceback" not in killer.errors(), killer.errors()
    assert (done["pages"], done["stopped"]) == (PAGES, "queue-empty")
    assert done["queue"] == done["failures"] == 0
    pages = Counter(open_log(killer.directory).pages(["url"])["url"].to_pylist())
    assert pages == dict.fromkeys(map(url_of, range(PAGES)), 1)
    assert shortest_pause(requests) >= DELAY
    assert Counter(archived_urls(killer.directory / "shards")) == pages
    events = Counter(event["event"] for event in read_events(killer.directory))
    assert events["shard-died"] >= killer.killed["shard"]


def _twice(number: int) -> tuple[int, int]:
    if number == 99:
        raise BadInput("99 is bad.")
    return 2 * number, os.getpid()


def _long(number: int, job: Job) -> int:
    job.progress(number, 0.5, "half")
    if number == 2:
        raise BadInput("two is bad.")
    end = time.monotonic() + 60
    while number == 3 and not job.stop() and time.monotonic() < end:
        time.sleep(0.1)
    return number


def _half(number: int, job: Job) -> int:
    job.progress(number, 0.5, "half")
    return number


def _kill_first_time(path: str) -> str:
    """The first process that does this dies of it."""
    marker = Path(path)
    if not marker.exists():
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return "done"


def test_work_goes_to_the_processes_of_a_cluster_and_comes_back_in_order(
    nodes: Nodes, tmp_path: Path
) -> None:
    import ray

    ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])  # nodes do not have this file
    ray.init(address=nodes.address, log_to_driver=False)
    try:
        with spread_over(RayPlace(ray)):
            assert cores() == 4
            results = list(in_order(_twice, range(40), cores()))
            assert [number for number, _ in results] == list(range(0, 80, 2))
            assert len({pid for _, pid in results}) > 1
            with pytest.raises(BadInput, match=r"^99 is bad\.$"):
                list(in_order(_twice, range(90, 110), 2))
            assert list(in_order(_kill_first_time, [str(tmp_path / "x")], 2)) == ["done"]
            told: dict[int, str] = {}

            def progress(done: int, share: float | None = None, words: str = "", job: int = 0, /):  # type: ignore[no-untyped-def]
                told[job] = words

            def failed(number: int, error: LangcrawlError) -> int:
                assert str(error) == "two is bad."
                return -number

            found = side_by_side(_long, [1, 2, 3], 3, failed, progress, stop=lambda: len(told) == 3)
            assert found == [1, -2, 3]
            assert told == dict.fromkeys(range(3), "half")
            told.clear()  # processes that do several short jobs in turn tell of each
            side_by_side(_half, range(20), 4, failed, progress)
            assert told == dict.fromkeys(range(20), "half")
    finally:
        ray.shutdown()


def _run(*words: object) -> Any:
    command = [sys.executable, "-m", "langcrawl", *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout) if "--json" in words else done.stdout


def large_answer(url: str) -> SmallPage:
    """The small web with pages that make work for several processes."""
    page = answer(url)
    if page.status != 200:
        return page
    noise = random.Random(url).randbytes(6_000).hex()
    return SmallPage(body=page.body + f"<!-- {noise} -->".encode())


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A generated web, and a crawl with an archive beside it."""
    folder = tmp_path_factory.mktemp("webs")
    _run("synth", folder / "web", "--profile", "thai-2005", "--pages", "60000", "--seed", "1")
    with Server(large_answer) as server:
        _run(
            "crawl", folder / "crawl", "--lang", "th", "--seeds", url_of(0), "--strategy", "bfs",
            "--delay", "0", "--connect-to", server.connect_to, "--max-pages", "300", "--json",
        )  # fmt: skip
    return folder


def test_tune_and_simulate_say_the_same_on_a_cluster(nodes: Nodes, web: Path) -> None:
    there, before = ("--cluster", nodes.address), nodes.drivers()
    search = ("tune", web / "web", "--strategy", "lswc", "--tries", "35", "--json")
    here = _run(*search)
    for notebook in (web / "web" / "log" / "graph").glob("tune-*.jsonl"):
        notebook.unlink()  # or nothing would be left to do
    on_ray = _run(*search, *there)
    assert len(here["tried"]) == 35
    for one, other in zip(here["tried"], on_ray["tried"], strict=True):
        assert other | {"seconds": 0} == one | {"seconds": 0}
    sweep = (
        "simulate", web / "web", "--interpreted", "--strategy", "soft", "--strategy", "hard",
        "--max-pages", "3000", "--json",
    )  # fmt: skip
    here, on_ray = _run(*sweep), _run(*sweep, *there)
    for one, other in zip(here["strategies"], on_ray["strategies"], strict=True):
        assert other | {"seconds": 0} == one | {"seconds": 0}
    assert nodes.drivers() == before + 2


def test_import_and_export_write_the_same_on_a_cluster(
    nodes: Nodes, web: Path, tmp_path: Path
) -> None:
    there, before = ("--cluster", nodes.address), nodes.drivers()
    archives = sorted((web / "crawl" / "warc").glob("*.warc.gz"))
    assert sum(path.stat().st_size for path in archives) > 1_000_000
    bring = ("--lang", "th", "--seeds", url_of(0), "--json", "--warc", *archives)
    here = _run("import", tmp_path / "here", *bring)
    on_ray = _run("import", tmp_path / "there", *bring, *there)
    assert on_ray == here
    assert here["pages"] >= 300
    logs = [open_log(tmp_path / name).pages().to_pylist() for name in ("here", "there")]
    assert logs[0] == logs[1]
    keep = ("--min-chars", "1", "--max-repeated-lines", "none", "--min-mean-line", "none", "--json")
    one, other = tmp_path / "one.jsonl.gz", tmp_path / "other.jsonl.gz"
    here = _run("export", web / "crawl", "--to", one, *keep)
    on_ray = _run("export", web / "crawl", "--to", other, *keep, *there)
    assert on_ray["dropped"] == here["dropped"]
    assert _unpacked(one) == _unpacked(other) != b""
    assert nodes.drivers() == before + 2


def _unpacked(path: Path) -> bytes:
    return subprocess.run(["gzip", "-dc", str(path)], capture_output=True, check=True).stdout
