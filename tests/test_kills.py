"""A crawl that is killed again and again ends where an undisturbed one does."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from itertools import pairwise
from pathlib import Path

from warcio.archiveiterator import ArchiveIterator

from langcrawl.virtualweb.log import read_table
from langcrawl.virtualweb.serve import Request, Server
from langcrawl.virtualweb.small import SmallPage

HOSTS, PAGES, KILLS, DELAY = 20, 2000, 50, 0.8
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


def command(directory: Path, server: Server, delay: float) -> list[str]:
    return [
        sys.executable, "-m", "langcrawl", "crawl", str(directory), "--lang", "th",
        "--seeds", url_of(0), "--strategy", "bfs", "--delay", str(delay), "--connections", "30",
        "--connect-to", server.connect_to, "--json",
    ]  # fmt: skip


def finish(words: list[str]) -> dict[str, object]:
    done = subprocess.run(words, capture_output=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr.decode()
    result: dict[str, object] = json.loads(done.stdout)
    return result


def pages_of(directory: Path) -> set[str]:
    urls = read_table(directory, "urls")["url"].to_pylist()
    return {urls[number] for number in read_table(directory, "pages")["id"].to_pylist()}


def shortest_pause(requests: list[Request]) -> float:
    """Between two requests to one host, robots.txt included."""
    asked: dict[str, list[float]] = {}
    for request in requests:
        asked.setdefault(request.host, []).append(request.at)
    return min(later - earlier for times in asked.values() for earlier, later in pairwise(times))


def test_fifty_kills_change_nothing(tmp_path: Path) -> None:
    rng = random.Random(7)
    with Server(answer) as server:
        words = command(tmp_path / "killed", server, DELAY)
        for number in range(KILLS):
            log = tmp_path / f"stderr{number}"
            with log.open("wb") as stderr, subprocess.Popen(words, stderr=stderr) as process:
                time.sleep(rng.uniform(0.3, 4.0))
                assert process.poll() is None, f"run {number} ended by itself: {log.read_text()}"
                process.send_signal(signal.SIGKILL)
            assert b"Traceback" not in log.read_bytes(), log.read_text()
        killed = finish(words)
        requests = list(server.requests)
        whole = finish(command(tmp_path / "whole", server, 0.0))
    assert killed["stopped"] == whole["stopped"] == "queue-empty"
    assert killed["pages"] == whole["pages"] == PAGES
    assert killed["discards"] == whole["discards"] == {}
    assert pages_of(tmp_path / "killed") == pages_of(tmp_path / "whole")
    assert shortest_pause(requests) >= DELAY
    archived = Counter(archived_urls(tmp_path / "killed"))
    assert set(archived) == pages_of(tmp_path / "killed")
    assert set(archived.values()) == {1}, "a page is archived twice"


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
