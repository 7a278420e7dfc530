"""What hosts that hang cost the others: they accept a connection and never say a word."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from langcrawl.virtualweb.serve import Server
from langcrawl.virtualweb.small import SmallPage

GOOD, SECONDS, DELAY, CONNECTIONS = 200, 60, 1.0, 128
HANGING = {"a third of the hosts hang": 100}
_TEXT = "<p>หน้านี้เป็นภาษาไทย และมีข้อความพอที่จะรู้ว่าเป็นภาษาอะไร</p>" * 20


def answer(url: str) -> SmallPage:
    """Good hosts have pages without end, each with links to the next."""
    path = url.split("/", 3)[3]
    if path == "robots.txt":
        return SmallPage(404)
    links = "".join(f'<a href="/{int(path or 0) * 3 + n}">ต่อไป</a>' for n in (1, 2, 3))
    return SmallPage(body=f"<html lang=th>{_TEXT}{links}".encode())


@contextmanager
def silent_server() -> Iterator[int]:
    """A port where connections are accepted, and nothing is ever sent."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=512)
    kept: list[socket.socket] = []

    def accept() -> None:
        while True:
            try:
                kept.append(listener.accept()[0])
            except OSError:
                return

    thread = threading.Thread(target=accept, daemon=True)
    thread.start()
    try:
        yield int(listener.getsockname()[1])
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        for connection in kept:
            connection.close()


def seeds(hanging: int) -> list[str]:
    """Good hosts, and between them those that hang."""
    urls = [f"http://good{host}.example/" for host in range(GOOD)]
    for host in range(hanging):
        urls.insert(host * (len(urls) // max(1, hanging)), f"https://hangs{host}.example/")
    return urls


def run() -> None:
    """Pages of 200 good hosts within a minute, alone and beside hosts that hang."""
    alone = _crawl(0)
    print(f"{GOOD} good hosts alone: {alone / SECONDS:.1f} pages/s")
    for name, hanging in HANGING.items():
        beside = _crawl(hanging)
        print(f"{name}: {beside / SECONDS:.1f} pages/s, ratio {beside / alone:.2f}", flush=True)


def _crawl(hanging: int) -> int:
    with (
        tempfile.TemporaryDirectory() as folder,
        Server(answer, keep=False) as server,
        silent_server() as silent,
    ):
        file = Path(folder, "seeds.txt")
        file.write_text("\n".join(seeds(hanging)))
        words = [
            "crawl", str(Path(folder, "crawl")), "--lang", "th", "--seeds", str(file),
            "--strategy", "bfs", "--delay", str(DELAY), "--connections", str(CONNECTIONS),
            "--domain-connections", "0", "--max-time", str(SECONDS),
            "--connect-to", f":443:127.0.0.1:{silent}", "--connect-to", server.connect_to,
            "--json",
        ]  # fmt: skip
        done = subprocess.run(
            [sys.executable, "-m", "langcrawl", *words], capture_output=True, check=True
        )
    return int(json.loads(done.stdout)["relevant"])
