"""A crawl that is killed again and again ends where an undisturbed one does."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

from warcio.archiveiterator import ArchiveIterator

from langcrawl.log.segments import read_table
from langcrawl.virtualweb.serve import Request, Server
from langcrawl.virtualweb.small import SmallPage
from warm import Process, Warm

KILLS = int(os.environ.get("LANGCRAWL_KILLS", "50"))
"""``make soak`` asks for more."""
HOSTS, PAGES, DELAY = 15, 24 * KILLS, 0.3
LAST_KILLS = 4
"""So many more while the last pages are written, the log is finished and the archive closed."""
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
    linked = [2 * number + 1, 2 * number + 2, *(rng.randrange(PAGES) for _ in range(8))]
    links = "".join(f'<a href="{url_of(n)}">{n}</a> ' for n in linked if n < PAGES)
    words = " ".join(rng.choices(THAI.split(), k=20))  # no two pages are the same: that is a trap
    return SmallPage(body=f"<p>{THAI} {words}</p>{links}".encode())


def words_of(directory: Path, server: Server, delay: float) -> list[str]:
    return [
        "crawl", str(directory), "--lang", "th", "--seeds", url_of(0), "--strategy", "bfs",
        "--delay", str(delay), "--connections", "30", "--connect-to", server.connect_to, "--json",
        "--warc-bytes", "60000",
    ]  # fmt: skip


class Killer:
    """Runs a crawl again and again, and kills it at moments drawn by chance."""

    def __init__(self, server: Server, warm: Warm, directory: Path) -> None:
        self._server, self._warm, self._directory = server, warm, directory
        self._words = words_of(directory / "killed", server, DELAY)
        self._rng = random.Random(7)
        self._runs = 0

    def kill_in_the_middle(self) -> None:
        """Every tenth time from a new interpreter; every fifth while it starts or recovers."""
        with self._start(cold=self._runs % 10 == 0) as process:
            if self._runs % 5 == 1:
                time.sleep(self._rng.uniform(0.0, 1.5))
            else:
                before, wanted = len(self._server.requests), self._rng.randrange(HOSTS * 3)
                self._wait_until(process, lambda: len(self._server.requests) - before >= wanted)
                time.sleep(self._rng.uniform(0.0, 0.15))
            assert process.poll() is None, f"run {self._runs} ended by itself"
            process.kill()

    def kill_at_the_end(self, after: float) -> None:
        """Once all pages were asked for; it may have ended by itself."""
        with self._start() as process:
            self._wait_until(process, self._all_asked_for)
            time.sleep(after)
            process.kill()

    def finish(self, words: list[str] | None = None) -> dict[str, object]:
        """Run to the end."""
        self._words = words or self._words
        with self._start() as process:
            assert process.wait(300) == 0
        result: dict[str, object] = json.loads((self._directory / "stdout").read_bytes())
        return result

    @contextmanager
    def _start(self, cold: bool = False) -> Iterator[Process | subprocess.Popen[bytes]]:
        self._runs += 1
        words = [*self._words, "--workers", str(1 + self._runs % 2)]
        log = self._directory / f"stderr{self._runs}"
        with (self._directory / "stdout").open("wb") as out, log.open("wb") as err:
            if cold:
                command = [sys.executable, "-m", "langcrawl", *words]
                with subprocess.Popen(command, stdout=out, stderr=err) as process:
                    yield process
            else:
                yield self._warm.start(words, self._directory, out.fileno(), err.fileno())
        assert b"Traceback" not in log.read_bytes(), log.read_text()

    def _all_asked_for(self) -> bool:
        return len({r.path for r in self._server.requests}) > PAGES  # and robots.txt

    @staticmethod
    def _wait_until(
        process: Process | subprocess.Popen[bytes], condition: Callable[[], bool]
    ) -> None:
        end = time.monotonic() + 120
        while not condition() and process.poll() is None:
            assert time.monotonic() < end, "it did not happen in time"
            time.sleep(0.003)


def pages_of(directory: Path) -> set[str]:
    urls = read_table(directory, "urls")["url"].to_pylist()
    return {urls[number] for number in read_table(directory, "pages")["id"].to_pylist()}


def shortest_pause(requests: list[Request]) -> float:
    """Between two requests to one host, robots.txt included."""
    asked: dict[str, list[float]] = {}
    for request in requests:
        asked.setdefault(request.host, []).append(request.at)
    return min(later - earlier for times in asked.values() for earlier, later in pairwise(times))


def test_many_kills_change_nothing(warm: Warm, tmp_path: Path) -> None:
    with Server(answer) as server:
        killer = Killer(server, warm, tmp_path)
        for _ in range(KILLS):
            killer.kill_in_the_middle()
        for number in range(LAST_KILLS):
            killer.kill_at_the_end(0.04 * number)
        killed = killer.finish()
        requests = list(server.requests)
        whole = killer.finish(words_of(tmp_path / "whole", server, 0.0))
    assert killed["stopped"] == whole["stopped"] == "queue-empty"
    assert killed["pages"] == whole["pages"] == PAGES
    assert killed["discards"] == whole["discards"] == {}
    assert pages_of(tmp_path / "killed") == pages_of(tmp_path / "whole")
    assert shortest_pause(requests) >= DELAY
    archived = Counter(archived_urls(tmp_path / "killed"))
    assert set(archived) == pages_of(tmp_path / "killed")
    assert set(archived.values()) == {1}, "a page is archived twice"
    assert len(list((tmp_path / "killed" / "warc").glob("*.warc.gz"))) > PAGES / 200
    words = [sys.executable, "-m", "langcrawl", "verify", str(tmp_path / "killed")]
    verified = subprocess.run(words, capture_output=True, text=True, check=False)
    assert verified.returncode == 0, verified.stdout + verified.stderr


def archived_urls(directory: Path) -> list[str]:
    """The pages in the archive as warcio reads them; it complains of whatever is broken."""
    urls = []
    for path in sorted((directory / "warc").glob("*.warc.gz*")):
        assert path.name.endswith(".warc.gz"), f"{path.name} is not complete"
        with path.open("rb") as file:
            for record in ArchiveIterator(file, check_digests="raise"):
                record.content_stream().read()
                if record.rec_type in ("response", "revisit"):
                    url = record.rec_headers.get_header("WARC-Target-URI")
                    if not url.endswith("/robots.txt"):
                        urls.append(url)
    return urls
