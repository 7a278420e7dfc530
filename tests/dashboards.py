"""A dashboard by the real command, to be asked by scripts and browsers; and a crawl of a web that
would hurt whoever shows its pages carelessly."""

from __future__ import annotations

import http.client
import json
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any
from urllib.parse import urlencode

from langcrawl.config import CrawlConfig
from langcrawl.run import run_crawl
from langcrawl.virtualweb.serve import Server
from langcrawl.virtualweb.small import SmallPage
from running import wait_for
from warm import Warm

THAI = "ภาษาไทยเป็นภาษาที่มีระดับเสียงของคำแน่นอน เด็ก ๆ กำลังเรียนภาษาไทยอยู่ในห้องเรียน "
TITLES = {
    "/": "หน้าแรก",
    "/markup": "</title><script>document.title='owned'</script><img src=x onerror=alert(1)>",
    "/quotes": "\"'><svg onload=alert(2)> {{ 7*7 }} javascript:alert(3)",
    "/bidi": "abc \u202egnp.exe\u202c \u2066x\u2069 \u200f",
    "/long": "๑" * 1_000_000,  # a browser would look for words among letters, for ten seconds
    "/control": "a\x00b\x1b[31mc",
}
BEACON = "http://beacon.th"
BODY = (
    "<script>parent.document.title = 'owned'; fetch('http://beacon.th/script')</script>"
    "<img src='http://beacon.th/picture' onerror='alert(4)'>"
    "<link rel=stylesheet href='http://beacon.th/style'>"
    "<iframe src='http://beacon.th/frame'></iframe>"
    "<meta http-equiv=refresh content='0;url=http://beacon.th/refresh'>"
    "<form action='http://beacon.th/form'><button autofocus>x</button></form>"
    "<a href='javascript:alert(5)'>a</a>"
)


def hostile(url: str, beacon: str = BEACON) -> SmallPage:
    """Thai pages with the titles above; what they load tells the beacon."""
    host, _, path = url.removeprefix("http://").partition("/")
    title = TITLES.get(f"/{path}")
    if host != "hostile.th" or title is None:
        return SmallPage(404)
    escaped = title if path == "markup" else title.replace("<", "&lt;")
    links = "".join(f"<a href='{name}'>{name}</a>" for name in TITLES)
    body = BODY.replace(BEACON, beacon)
    text = f"<p>{THAI * 40} {path}</p>{body}{links}<title>{escaped}</title>"
    return SmallPage(body=f"<html><meta charset=utf-8>{text}".encode())


def crawl_hostile(directory: Path, beacon: str = BEACON) -> None:
    """Crawl that web."""
    with Server(partial(hostile, beacon=beacon)) as server:
        config = CrawlConfig(
            lang="th", seeds=("http://hostile.th/",), strategy="bfs", delay=0.0, connections=2,
            workers=1, connect_to=(server.connect_to,),
        )  # fmt: skip
        run_crawl(directory, config)


def linked_copy(crawl: Path, copy: Path) -> Path:
    """A copy of a crawl that has ended, to write other files into; its own are links."""
    copy.mkdir()
    for path in crawl.iterdir():
        (copy / path.name).symlink_to(path)
    return copy


@dataclass(frozen=True, slots=True)
class Dashboard:
    """Where a dashboard is served."""

    url: str
    port: int

    def ask(
        self, path: str, method: str = "GET", body: str | None = None, **headers: str
    ) -> tuple[int, dict[str, str], str]:
        """The status, headers and body of an answer; header names are given with underscores."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        try:
            connection.request(method, path, body and body.encode(), named)
            answer = connection.getresponse()
            found = {name.lower(): value for name, value in answer.getheaders()}
            return answer.status, found, answer.read().decode()
        finally:
            connection.close()

    def json(self, path: str, **query: str) -> Any:
        status, headers, text = self.ask(f"{path}?{urlencode(query)}" if query else path)
        assert status == 200, text
        assert headers["content-type"] == "application/json"
        return json.loads(text)


@contextmanager
def served(warm: Warm, *words: str | Path) -> Iterator[Dashboard]:
    """Run ``langcrawl dashboard`` until the end of the block; Ctrl-C then ends it."""
    line = ["dashboard", *map(str, words), "--port", "0", "--json"]
    with TemporaryFile() as said, TemporaryFile() as errors:
        process = warm.start(line, Path.cwd(), said.fileno(), errors.fileno())
        try:
            wait_for(lambda: _text(said).endswith("\n") or process.poll() is not None)
            assert process.poll() is None, _text(errors)
            about = json.loads(_text(said))
            yield Dashboard(about["url"], about["port"])
            os.kill(process.pid, signal.SIGINT)
            process.wait(20)
        finally:
            process.kill()
        complaints = _text(errors)
    assert "Traceback" not in complaints, complaints


def _text(file: IO[bytes]) -> str:
    return os.pread(file.fileno(), 1 << 20, 0).decode()
