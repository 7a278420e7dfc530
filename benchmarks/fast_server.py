"""A web of 200 hosts that costs next to nothing to serve: the load for crawlers, not their peer.

Run as ``python -m benchmarks.fast_server PAGES [LATENCY [SIZE LINKS]]``; prints its port, and when
its standard input ends, the number of pages served, the seconds between the first and the last
request; with LATENCY, the seconds that every answer takes, also the seconds in which the middle
three fifths of them came. SIZE and LINKS are the bytes and the links of a page.
"""

from __future__ import annotations

import asyncio
import random
import sys
import time

import uvloop

from langcrawl.virtualweb.phrases import PHRASES

HOSTS, LINKS, SIZE = 200, 50, 30_000


def url_of(number: int) -> str:
    return f"http://host{number % HOSTS:03}.example/page/{number}.html"


class Web:
    """Pages of about 30 KB with 50 links each; every page is linked from an earlier one.

    Eight links lead to other hosts, and of the rest nine in ten stay.
    """

    def __init__(self, pages: int, size: int = SIZE, links: int = LINKS) -> None:
        self.pages, self._links = pages, links
        rng = random.Random(1)
        self._texts = []
        for language in ("th", "en", "ja"):
            words: list[str] = []
            written = 0
            while written < size - 60 * links:
                words.append(f"<p>{rng.choice(PHRASES[language])} {rng.random():.6f}</p>\n")
                written += len(words[-1].encode())
            self._texts.append("".join(words))
        self.moments: list[float] = []

    def answer(self, path: bytes) -> bytes:
        """A whole HTTP answer."""
        if path == b"/robots.txt":
            return _packed(b"User-agent: *\nDisallow: /private/\n", b"text/plain")
        self.moments.append(time.perf_counter())
        number = int(path[6:-5])
        rng = random.Random(number)
        linked = [number * 8 + k + 1 for k in range(8)]
        for _ in range(self._links - 8):  # most links stay on their host
            there = HOSTS * rng.randrange(self.pages // HOSTS) + number % HOSTS
            linked.append(there if rng.random() < 0.9 else rng.randrange(self.pages))
        links = "".join(
            f'<a href="{url_of(n % self.pages)}">page number {n % self.pages}</a>\n' for n in linked
        )
        text = self._texts[number % 3]
        html = f"<!doctype html><meta charset=utf-8><title>{number}</title>\n{links}{text}"
        return _packed(html.encode(), b"text/html; charset=utf-8")


def _packed(body: bytes, kind: bytes) -> bytes:
    return b"HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s" % (
        kind,
        len(body),
        body,
    )


class _Served(asyncio.Protocol):
    def __init__(self, web: Web, latency: float) -> None:
        self._web, self._latency = web, latency
        self._loop = asyncio.get_running_loop()
        self._buffer = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._write = transport.write  # type: ignore[attr-defined]

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        while b"\r\n\r\n" in self._buffer:
            head, self._buffer = self._buffer.split(b"\r\n\r\n", 1)
            path = head.split(b" ", 2)[1]
            if self._latency:
                self._loop.call_later(self._latency, self._answer, path)
            else:
                self._answer(path)

    def _answer(self, path: bytes) -> None:
        self._write(self._web.answer(path))


async def _serve(pages: int, latency: float = 0.0, *shape: int) -> None:
    loop = asyncio.get_running_loop()
    web = Web(pages, *shape)
    server = await loop.create_server(lambda: _Served(web, latency), "127.0.0.1", 0, backlog=1000)
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)
    at, served = web.moments or [0.0], len(web.moments)
    middle = (at[served * 4 // 5] - at[served // 5],) if latency else ()
    print(served, at[-1] - at[0], *middle, flush=True)


if __name__ == "__main__":
    pages, latency, *shape = [*sys.argv[1:], "0"] if len(sys.argv) == 2 else sys.argv[1:]
    uvloop.run(_serve(int(pages), float(latency), *map(int, shape)))
