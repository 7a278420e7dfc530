"""An archive with several captures of a page, as pywb and cdxj-indexer see it."""

from __future__ import annotations

import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from changing import Changing, small_changing_web
from conftest import Cli

ORACLES = Path(__file__).resolve().parents[2] / ".oracles" / "bin"
needs_oracles = pytest.mark.skipif(
    not (ORACLES.parent / ".ready").exists(), reason="needs pywb in .oracles, which make test makes"
)


@contextmanager
def replayed(warc: Path, folder: Path) -> Iterator[str]:
    """The address at which pywb replays an archive."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    (folder / "config.yaml").write_text(
        f"collections:\n  crawl:\n    index_paths: {warc}/index.cdxj\n    archive_paths: {warc}/\n"
    )
    command = [ORACLES / "wayback", "-d", folder, "-b", "127.0.0.1", "-p", str(port)]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, cwd=folder, stdout=log, stderr=log)
    try:
        place = f"http://127.0.0.1:{port}"
        for _ in range(600):
            try:
                urlopen(place, timeout=10).close()
                break
            except URLError:
                time.sleep(0.1)
        yield f"{place}/crawl"
    finally:
        process.kill()
        process.wait()


@needs_oracles
def test_every_capture_is_in_the_index_and_replays_as_it_was(cli: Cli, tmp_path: Path) -> None:
    bodies: dict[tuple[str, str], bytes] = {}
    warc = tmp_path / "crawl" / "warc"
    with small_changing_web() as web:

        def run(*words: str) -> None:
            done = cli(*words)
            assert done.returncode == 0, done.stderr
            index = (warc / "index.cdxj").read_text("utf-8")
            for line in index.splitlines():
                _, moment, fields = line.split(" ", 2)
                url = fields.split('"url": "', 1)[1].split('"', 1)[0]
                page = web.pages.get(url, Changing(status=404))
                bodies.setdefault((moment, url), page.body)
            time.sleep(1.1)  # an index tells seconds apart

        run(
            "crawl", "crawl", "--lang", "th", "--seeds", "http://etag.th/", "--strategy", "bfs",
            "--delay", "0", "--connect-to", web.connect_to,
        )  # fmt: skip
        run("recrawl", "crawl")
        for url in ("http://etag.th/1", "http://date.th/1", "http://plain.th/1"):
            web.pages[url].change("another text")
        run("recrawl", "crawl")
        run("recrawl", "crawl")
    made = subprocess.run(
        [ORACLES / "cdxj-indexer", "--sort", *sorted(warc.glob("*.warc.gz"))],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    theirs = [line for line in made.stdout.splitlines() if "/robots.txt" not in line]
    assert (warc / "index.cdxj").read_text("utf-8").splitlines() == theirs
    assert len(theirs) == 15 + 3 * 14
    with replayed(warc, tmp_path) as place:
        for (moment, url), body in bodies.items():
            with urlopen(f"{place}/{moment}id_/{url}", timeout=20) as answer:
                assert answer.read() == body, (moment, url)
