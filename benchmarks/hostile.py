"""What four hosts with pages that are dear to read cost twenty good hosts beside them."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

from benchmarks import costly
from langcrawl.virtualweb.serve import Server
from langcrawl.virtualweb.small import SmallPage

GOOD, BAD, SECONDS, DELAY = 20, 4, 60, 0.5
_TEXT = "<p>หน้านี้เป็นภาษาไทย และมีข้อความพอที่จะรู้ว่าเป็นภาษาอะไร</p>" * 20


@cache
def _dear(name: str) -> bytes:
    return costly.packed(costly.PAGES[name]())


def answer(url: str) -> SmallPage:
    """Good hosts have pages without end, each with a link to the next; bad ones the worst."""
    host, path = url.split("/", 3)[2:]
    if path == "robots.txt":
        return SmallPage(404)
    if host.startswith("good"):
        links = "".join(f'<a href="/{int(path or 0) * 3 + n}">ต่อไป</a>' for n in (1, 2, 3))
        return SmallPage(body=f"<html lang=th>{_TEXT}{links}".encode())
    name = list(costly.PAGES)[int(path.rpartition("/")[2]) % len(costly.PAGES)]
    return SmallPage(body=_dear(name), content_encoding="gzip")


def seeds(bad: int) -> list[str]:
    """Where a crawl of this web begins; below a long path, as relative links like it least."""
    long = "p" * 2_000
    dear = [f"http://bad{h}.example/{long}/{n}" for n in range(100) for h in range(bad)]
    return [f"http://good{h}.example/" for h in range(GOOD)] + dear


def run() -> None:
    """Pages of good hosts within a minute, alone and beside bad hosts; memory of the processes."""
    for name in costly.PAGES:
        _dear(name)
    alone, beside = _crawl(0), _crawl(BAD)
    print(f"{GOOD} good hosts alone: {alone[0] / SECONDS:.1f} pages/s, largest {alone[1]:,} MB")
    print(
        f"beside {BAD} bad hosts: {beside[0] / SECONDS:.1f} pages/s, largest {beside[1]:,} MB; "
        f"{beside[2]} pages over budget"
    )
    print(f"ratio: {beside[0] / alone[0]:.2f}")


def _crawl(bad: int) -> tuple[int, int, int]:
    """Good pages, the megabytes of the largest process, and pages over budget."""
    with tempfile.TemporaryDirectory() as folder, Server(answer, keep=False) as server:
        file = Path(folder, "seeds.txt")
        file.write_text("\n".join(seeds(bad)))
        words = [
            "crawl", str(Path(folder, "crawl")), "--lang", "th", "--seeds", str(file),
            "--strategy", "bfs", "--delay", str(DELAY), "--connections", "30",
            "--max-time", str(SECONDS), "--connect-to", server.connect_to, "--json",
        ]  # fmt: skip
        with subprocess.Popen(
            [sys.executable, "-m", "langcrawl", *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as process:
            largest = _watch(process)
            assert process.stdout is not None
            result = json.loads(process.stdout.read())
    dear = int(result["notes"].get("over-budget", 0))
    return int(result["relevant"]), largest, dear


def _watch(process: subprocess.Popen[bytes]) -> int:
    """The most megabytes that a process of a crawl took, until it ends."""
    largest = 0
    while True:
        try:
            process.wait(0.2)
        except subprocess.TimeoutExpired:
            largest = max(largest, *map(_megabytes, _family(process.pid)), 0)
        else:
            return largest


def _family(pid: int) -> list[int]:
    """A process and all that came from it."""
    found = [pid]
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found += [each for child in task.read_text().split() for each in _family(int(child))]
        except OSError:
            continue
    return found


def _megabytes(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) // 1024 for line in lines if line.startswith("VmHWM")), 0)
