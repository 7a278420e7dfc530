"""Workers, shards and the driver of a crawl are killed; it ends where an undisturbed one does."""

from __future__ import annotations

import json
import os
import random
import signal
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

from warcio.archiveiterator import ArchiveIterator

from langcrawl import open_log
from langcrawl.store.events import read_events
from langcrawl.virtualweb.serve import Request, Server
from langcrawl.virtualweb.small import SmallPage
from warm import Process, Warm

KILLS = int(os.environ.get("LANGCRAWL_SHARD_KILLS", "6"))
"""``make soak`` asks for more."""
SHARDS, HOSTS, DELAY = 2, 12, 0.25
PAGES = 100 + 120 * KILLS
VICTIMS = ("shard", "worker", "driver")
THAI = "ภาษาไทย เป็นภาษาราชการ ของประเทศไทย และเป็นภาษา ที่มีผู้พูด หลายสิบล้านคน"


def url_of(number: int) -> str:
    return f"http://h{number % HOSTS}.th/{number}"


def answer(url: str) -> SmallPage:
    """Page n links to 2n + 1 and 2n + 2, so that all are reached, and to some others."""
    name = url.rsplit("/", 1)[1]
    if not name.isdigit() or int(name) >= PAGES:
        return SmallPage(404)
    number = int(name)
    rng = random.Random(number)
    linked = [2 * number + 1, 2 * number + 2, *(rng.randrange(PAGES) for _ in range(6))]
    links = "".join(f'<a href="{url_of(n)}">{n}</a> ' for n in linked if n < PAGES)
    words = " ".join(rng.choices(THAI.split(), k=20))
    return SmallPage(body=f"<p>{THAI} {words}</p>{links}".encode())


def children(pid: int) -> list[int]:
    """The processes that a process has started, in whichever of its threads."""
    found: list[int] = []
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            found += map(int, path.read_text().split())
    return found


class Killer:
    """Runs one crawl, and kills a part of it at moments drawn by chance."""

    def __init__(self, server: Server, warm: Warm, folder: Path) -> None:
        self._server, self._warm, self._folder = server, warm, folder
        self.directory = folder / "killed"
        self._words = [
            "crawl", str(self.directory), "--lang", "th", "--seeds", url_of(0), "--strategy", "bfs",
            "--delay", str(DELAY), "--connections", "20", "--workers", "1", "--shards", str(SHARDS),
            "--connect-to", server.connect_to, "--json",
        ]  # fmt: skip
        self._rng = random.Random(11)
        self._process: Process | None = None
        self._runs = 0

    def run(self) -> Process:
        """The crawl, started anew where it does not run."""
        if self._process is None or self._process.poll() is not None:
            self._runs += 1
            out, err = self._folder / "out", self._folder / f"err{self._runs}"
            with out.open("wb") as o, err.open("wb") as e:
                self._process = self._warm.start(self._words, self._folder, o.fileno(), e.fileno())
        return self._process

    def kill(self, victim: str) -> None:
        process = self.run()
        before, wanted = len(self._server.requests), self._rng.randrange(10, 30)
        self._wait_until(lambda: len(self._server.requests) - before >= wanted)
        time.sleep(self._rng.uniform(0.0, 0.2))
        assert process.poll() is None, "the crawl ended by itself"
        if victim == "driver":
            process.kill()
            return
        number = self._rng.randrange(SHARDS)  # it may be starting anew: it has workers soon
        self._wait_until(lambda: bool(self._workers_of(number)))
        goal = self._pid_of(number) if victim == "shard" else self._workers_of(number)[0]
        os.kill(goal, signal.SIGKILL)

    def _workers_of(self, number: int) -> list[int]:
        return [worker for child in children(self._pid_of(number)) for worker in children(child)]

    def _pid_of(self, number: int) -> int:
        events = read_events(self.directory / "shards" / f"{number:03}")
        return next((event["pid"] for event in reversed(list(events)) if "pid" in event), -1)

    def finish(self) -> dict[str, object]:
        assert self.run().wait(300) == 0, self.errors()
        assert "Traceback" not in self.errors(), self.errors()
        result: dict[str, object] = json.loads((self._folder / "out").read_bytes())
        return result

    def end(self) -> None:
        """Leave nothing behind where the test has failed."""
        if self._process is not None:
            self._process.kill()

    def errors(self) -> str:
        return "".join(path.read_text() for path in sorted(self._folder.glob("err*")))

    def _wait_until(self, condition: Callable[[], bool]) -> None:
        end = time.monotonic() + 120
        while not condition():
            assert self._process is not None
            assert self._process.poll() is None, f"the crawl ended by itself: {self.errors()}"
            assert time.monotonic() < end, f"it did not happen in time: {self.errors()}"
            time.sleep(0.003)


def shortest_pause(requests: list[Request]) -> float:
    """Between two requests to one host, robots.txt included."""
    asked: dict[str, list[float]] = {}
    for request in requests:
        asked.setdefault(request.host, []).append(request.at)
    return min(later - earlier for times in asked.values() for earlier, later in pairwise(times))


def test_whatever_is_killed_nothing_is_lost_and_nobody_is_asked_too_soon(
    warm: Warm, tmp_path: Path
) -> None:
    with Server(answer) as server:
        killer = Killer(server, warm, tmp_path)
        try:
            for number in range(KILLS):
                killer.kill(VICTIMS[number % len(VICTIMS)])
            done = killer.finish()
        finally:
            killer.end()
        requests = list(server.requests)
    assert done["stopped"] == "queue-empty"
    assert done["pages"] == PAGES
    assert done["queue"] == done["failures"] == 0
    pages = Counter(open_log(killer.directory).pages(["url"])["url"].to_pylist())
    assert pages == dict.fromkeys(map(url_of, range(PAGES)), 1)
    assert shortest_pause(requests) >= DELAY
    archived = Counter(archived_urls(killer.directory / "shards"))
    assert archived == pages, "each page is archived once"
    events = Counter(event["event"] for event in read_events(killer.directory))
    assert events["shard-died"] >= KILLS // len(VICTIMS)


def archived_urls(directory: Path) -> list[str]:
    urls = []
    for path in sorted(directory.rglob("*.warc.gz*")):
        if "lost+found" in path.parts:
            continue
        assert path.name.endswith(".warc.gz"), f"{path.name} is not complete"
        with path.open("rb") as file:
            for record in ArchiveIterator(file, check_digests="raise"):
                record.content_stream().read()
                if record.rec_type in ("response", "revisit"):
                    url = record.rec_headers.get_header("WARC-Target-URI")
                    if not url.endswith("/robots.txt"):
                        urls.append(url)
    return urls
