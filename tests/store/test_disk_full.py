"""A crawl on a disk that fills up: it stops in words, loses nothing, and goes on with room."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

from warcio.archiveiterator import ArchiveIterator

from langcrawl.virtualweb.serve import Server
from langcrawl.virtualweb.small import SmallPage

PAGES = 400
# In a mount namespace of its own: a disk of a few megabytes, which grows after the first run.
SCRIPT = """
set -u
disk=$1; out=$2; shift 2
mount -t tmpfs -o size=4m none "$disk"
"$@" > "$out/first" 2> "$out/first.err"; echo $? > "$out/first.status"
"$@" > "$out/second" 2> "$out/second.err"; echo $? > "$out/second.status"
mount -o remount,size=100m "$disk"
"$@" > "$out/third" 2> "$out/third.err"; echo $? > "$out/third.status"
cp -r "$disk/crawl" "$out/crawl"
"""


def answer(url: str) -> SmallPage:
    """Pages of 20 KB that hardly compress, each linked from the one before."""
    name = url.rsplit("/", 1)[1]
    if not name.isdigit() or int(name) >= PAGES:
        return SmallPage(404)
    number = int(name)
    noise = random.Random(number).randbytes(10_000).hex()
    links = "".join(
        f'<a href="http://h{n % 10}.th/{n}">x</a>'
        for n in (2 * number + 1, 2 * number + 2)
        if n < PAGES
    )
    return SmallPage(body=f"<p>ภาษาไทยเป็นภาษาราชการ</p>{links}<!-- {noise} -->".encode())


def test_a_full_disk_stops_the_crawl_and_room_lets_it_go_on(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    with Server(answer) as server:
        command = [
            sys.executable, "-m", "langcrawl", "crawl", str(disk / "crawl"), "--lang", "th",
            "--seeds", "http://h0.th/0", "--strategy", "bfs", "--delay", "0",
            "--connect-to", server.connect_to, "--json",
        ]  # fmt: skip
        subprocess.run(
            ["unshare", "-rm", "sh", "-c", SCRIPT, "sh", str(disk), str(tmp_path), *command],
            check=True,
            timeout=150,
        )

    def said(name: str) -> str:
        return (tmp_path / name).read_text()

    for run in ("first", "second"):
        assert said(f"{run}.status") == "1\n", said(f"{run}.err")
        assert said(f"{run}.err").splitlines()[-1] == (
            "langcrawl: the disk is full; make room and run the same command again."
        )
        assert "Traceback" not in said(f"{run}.err")
        assert said(run) == ""
    assert said("third.status") == "0\n", said("third.err")
    assert f'"pages": {PAGES}' in said("third")
    urls = []
    for path in (tmp_path / "crawl" / "warc").glob("*.warc.gz"):
        with path.open("rb") as file:
            for record in ArchiveIterator(file, check_digests="raise"):
                record.content_stream().read()
                if record.rec_type == "response":
                    url = record.rec_headers.get_header("WARC-Target-URI")
                    urls += [url] if not url.endswith("/robots.txt") else []
    assert len(urls) == len(set(urls)) == PAGES
