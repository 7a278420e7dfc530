"""A web on loopback whose pages change, vanish, and answer conditional requests in several ways."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

THAI = "ภาษาไทย เป็นภาษาราชการ ของประเทศไทย และเป็นภาษา ที่มีผู้พูด หลายสิบล้านคน "


@dataclass
class Changing:
    """A page as it is now, and how its server speaks of it."""

    text: str = ""
    links: tuple[str, ...] = ()
    by: str = "etag"
    """How it tells what has changed: ``etag``, ``date``, or ``""`` for not at all."""
    status: int = 200
    location: str = ""
    modified: int = 1_700_000_000
    raw: bytes = b""
    """The body, where it is not made of text and links."""

    @property
    def body(self) -> bytes:
        if self.raw or self.status != 200:
            return self.raw
        links = "".join(f'<a href="{url}">{url}</a>' for url in self.links)
        return f"<title>{self.text}</title><p>{THAI * 9}{self.text}</p>{links}".encode()

    @property
    def etag(self) -> str:
        return f'"{hashlib.sha1(self.body).hexdigest()[:12]}"'

    def change(self, text: str, *links: str) -> None:
        """Another text, and links in place of those before if any are named."""
        self.text, self.links = text, links or self.links
        self.modified += 60


@dataclass
class Asked:
    """A request as the server saw it, and how it was answered."""

    url: str
    headers: dict[str, str]
    status: int
    bytes: int


@dataclass
class ChangingWeb:
    """Pages by URL, all at one port; a context manager."""

    pages: dict[str, Changing] = field(default_factory=dict)
    asked: list[Asked] = field(default_factory=list)
    before: Callable[[str], None] = lambda url: None
    """Called with each URL before it is answered."""

    def __enter__(self) -> Self:
        web = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                web.answer(self)

            def log_message(self, *words: Any) -> None:
                """Nobody wants to know."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def connect_to(self) -> str:
        return f"::127.0.0.1:{self._server.server_port}"

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        url = f"http://{handler.headers['Host']}{handler.path}"
        self.before(url)
        page = self.pages.get(url, Changing(status=404))
        headers = {"Content-Type": "text/html; charset=utf-8"}
        date = formatdate(page.modified, usegmt=True)
        status, body = page.status, page.body
        if page.location:
            headers["Location"] = page.location
        if page.by == "etag":
            headers["ETag"] = page.etag
            if handler.headers["If-None-Match"] == page.etag and status == 200:
                status, body = 304, b""
        elif page.by == "date":
            headers["Last-Modified"] = date
            if handler.headers["If-Modified-Since"] == date and status == 200:
                status, body = 304, b""
                del headers["Last-Modified"]  # as many servers do
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name, value)
        if status != 304:
            handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)
        self.asked.append(Asked(url, dict(handler.headers), status, len(body)))

    def pages_asked(self) -> dict[str, int]:
        """The status of the last answer to each URL but those of robots.txt; forgets them."""
        found = {one.url: one.status for one in self.asked if not one.url.endswith("/robots.txt")}
        self.asked.clear()
        return found


def small_changing_web() -> ChangingWeb:
    """Three hosts: one names versions, one dates, one nothing; a page that two hosts share."""
    same = Changing("same", by="")
    urls = [
        f"http://{host}/{path}"
        for host in ("etag.th", "date.th", "plain.th")
        for path in ("", "1", "2", "3")
    ]
    pages = {}
    for url in urls:
        host = url.split("/")[2].split(".")[0]
        by = host if host in ("etag", "date") else ""
        pages[url] = Changing(url, tuple(urls) if url.endswith(".th/") else (), by)
    pages["http://etag.th/"].links += ("http://plain.th/same", "http://date.th/same")
    pages["http://plain.th/same"] = pages["http://date.th/same"] = same
    pages["http://date.th/english"] = Changing(
        raw=b"<p>This is an English page, and only that.</p>"
    )
    pages["http://date.th/"].links += ("http://date.th/english",)
    return ChangingWeb(pages)
