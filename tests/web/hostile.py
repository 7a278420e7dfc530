"""A hostile web on loopback: every host shows one way in which servers hurt crawlers.

``http://NAME.hostile.th/`` is where behaviour NAME begins; `BEHAVIOURS` is the table of all
of them, with what is to come of each. The answers are raw bytes, because no web library
would send most of them.
"""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import random
import socket
import ssl
import struct
import tempfile
import threading
import zlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from types import TracebackType

import brotli  # type: ignore[import-untyped]
import zstandard
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

DOMAIN = "hostile.th"
THAI = "ภาษาไทยเป็นภาษาราชการของประเทศไทย มีผู้พูดหลายสิบล้านคน " * 5


@dataclass(frozen=True, slots=True)
class Ask:
    """A request that came in."""

    host: str
    path: str
    headers: dict[str, str]
    number: int
    """The how manieth request to this host it is, from 1, without robots.txt."""
    on_connection: int
    """The how manieth request on its connection it is, from 1."""


Serve = Callable[[Ask, asyncio.StreamWriter], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Behaviour:
    """One way to be hostile, and what is to come of it."""

    name: str
    does: str
    serve: Serve
    """Answers every request to the host, robots.txt included where `robots` is set."""
    status: int = 200
    """Of the first page; 0 where no answer is to come of it."""
    reason: str = ""
    """Why there is no answer: the word of the FetchError."""
    notes: tuple[str, ...] = ()
    """What is to be noted of the first page."""
    refused: str = ""
    """Why a crawl does not ask for the first page at all."""
    pages: int = 1
    """The most pages that a crawl downloads from this host (robots.txt is none)."""
    robots: bool = False
    """Whether it shows in robots.txt; all other hosts have none."""
    scheme: str = "http"
    in_the_end: int = 0
    """The status of the first page once it was tried again; 0 where that changes nothing."""

    @property
    def host(self) -> str:
        return f"{self.name}.{DOMAIN}"

    @property
    def url(self) -> str:
        return f"{self.scheme}://{self.host}/"


def page(
    body: bytes | str = THAI,
    kind: str = "text/html; charset=utf-8",
    status: str = "200 OK",
    headers: str = "",
) -> bytes:
    """A well-made answer."""
    data = body.encode() if isinstance(body, str) else body
    head = f"HTTP/1.1 {status}\r\n" + (f"Content-Type: {kind}\r\n" if kind else "")
    head += f"Content-Length: {len(data)}\r\n{headers}\r\n"
    return head.encode("utf-8", "surrogateescape") + data


def always(*parts: bytes) -> Serve:
    """Send the same bytes whatever is asked, and hang up."""

    async def serve(ask: Ask, out: asyncio.StreamWriter) -> None:
        for part in parts:
            out.write(part)
            await out.drain()

    return serve


def answer(make: Callable[[Ask], bytes]) -> Serve:
    """Send what a function makes of the request."""

    async def serve(ask: Ask, out: asyncio.StreamWriter) -> None:
        out.write(make(ask))

    return serve


def robots(make: Callable[[Ask], bytes]) -> Serve:
    """An ordinary host but for its robots.txt."""
    return answer(lambda ask: make(ask) if "robots" in ask.path else page(links(ask.host, "a")))


def links(host: str, *paths: str) -> str:
    """A page in Thai with links to paths of a host."""
    return f"<p>{THAI}" + "".join(f"<a href='http://{host}/{path}'>{path}</a> " for path in paths)


def endless(start: bytes, more: bytes, seconds: float = 0.0) -> Serve:
    """Begin an answer and never come to its end."""

    async def serve(ask: Ask, out: asyncio.StreamWriter) -> None:
        out.write(start)
        while not out.transport.is_closing():
            out.write(more)
            await out.drain()
            await asyncio.sleep(seconds)

    return serve


async def never(ask: Ask, out: asyncio.StreamWriter) -> None:
    await asyncio.sleep(60)


async def reset_in_body(ask: Ask, out: asyncio.StreamWriter) -> None:
    out.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 9000\r\n\r\n<p>half")
    await out.drain()
    await asyncio.sleep(0.1)
    connection = out.get_extra_info("socket")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    out.transport.abort()


async def hang_up_when_asked_again(ask: Ask, out: asyncio.StreamWriter) -> None:
    if ask.on_connection == 1:
        out.write(page(links(ask.host, "next")))
    else:
        out.close()


@cache
def bomb(coding: str) -> bytes:
    """A small body that unpacks to 300 MB."""
    if coding == "gzip":
        return gzip.compress(bytes(10_000_000)) * 30
    if coding == "zstd":
        return zstandard.compress(bytes(10_000_000)) * 30
    packer = brotli.Compressor(quality=1)
    return b"".join(packer.process(bytes(1_000_000)) for _ in range(300)) + bytes(packer.finish())


def packed(data: bytes, coding: str, kind: str = "text/html; charset=utf-8") -> bytes:
    return page(data, kind, headers=f"Content-Encoding: {coding}\r\n")


def damaged(data: bytes) -> bytes:
    """Data with one byte wrong."""
    middle = len(data) // 2
    return data[:middle] + bytes([data[middle] ^ 0xFF]) + data[middle + 1 :]


def raw(lines: str, body: bytes = THAI.encode()) -> bytes:
    return lines.replace("\n", "\r\n").encode() + b"\r\n\r\n" + body


def redirect(to: str, status: str = "302 Found") -> bytes:
    return page(b"", status=status, headers=f"Location: {to}\r\n")


def sitemap_host(ask: Ask, places: str) -> bytes:
    """A host whose robots.txt names a sitemap of its own, and one at a private address."""
    if ask.path == "/robots.txt":
        own = f"Sitemap: http://{ask.host}/sitemap.xml\n"
        return page(own + "Sitemap: http://169.254.169.254/sitemap.xml\n", "text/plain")
    if ask.path != "/sitemap.xml":
        return page()
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    outside = '<!ENTITY l0 SYSTEM "file:///etc/passwd">'
    return page(f"<!DOCTYPE x [{outside}{laughs}]><sitemapindex>{places}", "text/xml")


def next_number(ask: Ask) -> int:
    digits = "".join(c for c in ask.path if c.isdigit())
    return int(digits or 0) + 1


_HTML = "HTTP/1.1 200 OK\nContent-Type: text/html; charset=utf-8"
_LONG = len(THAI.encode())
_INWARD = (
    "http://127.0.0.1/", "http://2130706433/", "http://0x7f.1/", "http://0177.0.0.1/",
    "http://127.1/", "http://127.0.0.1./", "http://１２７.0.0.1/", "http://%31%32%37.0.0.1/",
    "http://[::1]/", "http://[::ffff:127.0.0.1]/", "http://[64:ff9b::7f00:1]/",
    "http://[2002:7f00:1::]/", "http://10.0.0.1/", "http://192.168.0.1/", "http://0/",
    "http://169.254.169.254/latest/meta-data/", "http://[fd00:ec2::254]/",
    "http://100.100.100.200/", "http://metadata.google.internal/", "http://localhost/",
    "http://a.localhost/",
)  # fmt: skip
_NUMBERS = b"<p>" + b"".join(b"%d " % (n * n * 7919) for n in range(30_000))
_SAME = (
    f"<p>{THAI}<a href='/1/'>1</a><a href='/2/'>2</a><a href='/3/'>3</a><a href='x'>x</a>"
    f"{random.Random(3).randbytes(2000).hex()}"
)
_B = Behaviour

BEHAVIOURS: tuple[Behaviour, ...] = (
    # Answers that break the protocol
    _B(
        "status-nonsense",
        "a status line that is none",
        always(raw("HTTP/1.1 abc OK")),
        0,
        "protocol",
    ),
    _B(
        "no-status", "HTTP/0.9: a body and nothing else", always(b"<html>old</html>"), 0, "protocol"
    ),
    _B(
        "binary-greeting",
        "another protocol answers",
        always(b"SSH-2.0-x\r\n\x00\xff"),
        0,
        "protocol",
    ),
    _B("status-999", "a status that nobody knows", always(page(status="999 Denied")), 999),
    _B("status-000", "a status below all", always(raw("HTTP/1.1 000 No")), 0, "protocol"),
    _B(
        "no-reason",
        "a status without words, and lines that end in LF alone",
        always(b"HTTP/1.1 200\nContent-Type: text/html\n\n<p>x"),
    ),
    _B(
        "http-1-0",
        "HTTP/1.0, ended by closing",
        always(raw("HTTP/1.0 200 OK\nContent-Type: text/html")),
    ),
    _B("http-9-9", "a version that does not exist", always(page().replace(b"1.1", b"9.9"))),
    _B(
        "continue-first",
        "100 and 103 before the answer",
        always(
            b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n", page()
        ),
    ),
    _B(
        "continue-for-ever",
        "100 again and again",
        endless(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
        0,
        "protocol",
    ),
    _B(
        "switching",
        "101 that nobody asked for",
        always(raw("HTTP/1.1 101 Switching Protocols")),
        0,
        "protocol",
    ),
    _B("nothing", "hangs up without a word", always(b""), 0, "closed"),
    _B(
        "half-a-head",
        "hangs up in the headers",
        always(b"HTTP/1.1 200 OK\r\nContent-"),
        0,
        "closed",
    ),
    _B("no-content-with-body", "204 with a body", always(page(status="204 No Content")), 204),
    _B(
        "not-modified",
        "304 without a reason, with a body",
        always(page(status="304 Not Modified")),
        304,
    ),
    _B(
        "partial",
        "206 that nobody asked for",
        always(page(status="206 Partial Content", headers="Content-Range: bytes 0-9/99\r\n")),
        206,
    ),
    # Lengths
    _B(
        "length-too-long",
        "promises more than it sends",
        always(raw(f"{_HTML}\nContent-Length: 99999")),
        notes=("length",),
    ),
    _B(
        "length-too-short",
        "sends more than it promises",
        always(raw(f"{_HTML}\nContent-Length: {_LONG - 50}")),
        notes=("length",),
    ),
    _B(
        "length-negative",
        "a negative length",
        always(raw(f"{_HTML}\nContent-Length: -5")),
        notes=("length",),
    ),
    _B(
        "length-garbage",
        "a length that is no number",
        always(raw(f"{_HTML}\nContent-Length: many")),
        notes=("length",),
    ),
    _B(
        "length-huge",
        "a length of 10^30",
        always(raw(f"{_HTML}\nContent-Length: 1{'0' * 30}")),
        notes=("length",),
    ),
    _B(
        "length-twice",
        "two lengths that differ",
        always(raw(f"{_HTML}\nContent-Length: 5\nContent-Length: 7")),
        notes=("length",),
    ),
    _B(
        "length-twice-same",
        "the same length twice",
        always(raw(f"{_HTML}\nContent-Length: {_LONG}\nContent-Length: {_LONG}")),
    ),
    _B("no-length", "no length, ended by closing", always(raw(_HTML))),
    _B(
        "chunked",
        "well-made chunks with an extension and a trailer",
        always(
            raw(
                f"{_HTML}\nTransfer-Encoding: chunked",
                b"5;x=y\r\n<p>hi\r\n1\r\n!\r\n0\r\nT: 1\r\n\r\n",
            )
        ),
    ),
    _B(
        "chunked-no-end",
        "chunks that stop",
        always(raw(f"{_HTML}\nTransfer-Encoding: chunked", b"5\r\n<p>hi\r\n")),
        notes=("length",),
    ),
    _B(
        "chunked-garbage",
        "chunk sizes that are none",
        always(raw(f"{_HTML}\nTransfer-Encoding: chunked", b"5\r\n<p>hi\r\nzz\r\nno")),
        notes=("length",),
    ),
    _B(
        "chunked-wrong",
        "a chunk longer than it says",
        always(raw(f"{_HTML}\nTransfer-Encoding: chunked", b"5\r\n<p>hi and more\r\n0\r\n\r\n")),
        notes=("length",),
    ),
    _B(
        "chunked-dust",
        "endless chunks of one byte",
        endless(raw(f"{_HTML}\nTransfer-Encoding: chunked", b""), b"1\r\nx\r\n" * 5000),
        notes=("truncated",),
    ),
    _B(
        "chunked-not",
        "says chunked and is not",
        always(raw(f"{_HTML}\nTransfer-Encoding: chunked")),
        notes=("length",),
    ),
    _B("reset-in-body", "a reset in the middle of the body", reset_in_body, notes=("length",)),
    # Time and size
    _B("never", "accepts and never answers", never, 0, "timeout"),
    _B(
        "drip",
        "a byte now and then",
        endless(raw(f"{_HTML}\nContent-Length: 9999", b"<p>"), b"x", 0.1),
        notes=("timeout",),
    ),
    _B(
        "drip-head",
        "headers, a byte now and then",
        endless(b"HTTP/1.1 200 OK\r\nX: ", b"x", 0.1),
        0,
        "timeout",
    ),
    _B(
        "endless-body",
        "a body without end",
        endless(raw(_HTML, b""), b"<p>more</p>" * 5000),
        notes=("truncated",),
    ),
    _B(
        "endless-headers",
        "headers without end",
        endless(b"HTTP/1.1 200 OK\r\n", b"X-More: 1\r\n" * 1000),
        0,
        "protocol",
    ),
    _B(
        "endless-line",
        "one header without end",
        endless(b"HTTP/1.1 200 OK\r\nX: ", b"x" * 9000),
        0,
        "protocol",
    ),
    _B(
        "huge-header",
        "a header of 1 MB",
        always(page(headers=f"X: {'x' * 1_000_000}\r\n")),
        0,
        "protocol",
    ),
    _B("long-line", "a page of 150 KB in one line", always(page("<p>" + "ก" * 50_000))),
    _B(
        "many-links",
        "10,000 links to itself with a fragment",
        always(page("<a href='#x'>x</a>" * 10_000)),
    ),
    _B("deep-html", "20,000 elements inside each other", always(page("<div>" * 20_000 + THAI))),
    _B(
        "gzip-bomb",
        "300 MB in 300 KB of gzip",
        answer(lambda ask: packed(bomb("gzip"), "gzip")),
        notes=("truncated",),
    ),
    _B(
        "br-bomb",
        "300 MB in a few KB of brotli",
        answer(lambda ask: packed(bomb("br"), "br")),
        notes=("truncated",),
    ),
    _B(
        "zstd-bomb",
        "300 MB in 10 KB of zstd",
        answer(lambda ask: packed(bomb("zstd"), "zstd")),
        notes=("truncated",),
    ),
    _B(
        "bomb-in-bomb",
        "gzip in gzip, both named",
        answer(lambda ask: packed(gzip.compress(bomb("gzip"), 1), "gzip, gzip")),
        notes=("truncated",),
    ),
    # Codings
    _B("gzip", "well-made gzip", always(packed(gzip.compress(THAI.encode()), "gzip"))),
    _B(
        "deflate",
        "deflate as the standard has it",
        always(packed(zlib.compress(THAI.encode()), "deflate")),
    ),
    _B(
        "deflate-raw",
        "deflate without its header",
        always(packed(zlib.compress(THAI.encode())[2:-4], "deflate")),
    ),
    _B("br", "brotli", always(packed(brotli.compress(THAI.encode()), "br"))),
    _B("zstd", "zstd", always(packed(zstandard.compress(THAI.encode()), "zstd"))),
    _B(
        "two-codings",
        "gzip, then brotli",
        always(packed(brotli.compress(gzip.compress(THAI.encode())), "gzip, br")),
    ),
    _B(
        "gzip-not",
        "says gzip and is plain",
        always(packed(THAI.encode(), "gzip")),
        notes=("encoding",),
    ),
    _B(
        "gzip-twice",
        "gzip twice, named once",
        always(packed(gzip.compress(gzip.compress(THAI.encode())), "gzip")),
        notes=("encoding",),
    ),
    _B(
        "gzip-cut",
        "gzip that breaks off",
        always(packed(gzip.compress(random.Random(1).randbytes(9000))[:5000], "gzip")),
        notes=("encoding",),
    ),
    _B(
        "gzip-tail",
        "gzip with something behind it",
        always(packed(gzip.compress(THAI.encode()) + b"tail", "gzip")),
    ),
    _B(
        "gzip-members",
        "9,000 empty members",
        always(packed(gzip.compress(b"") * 9_000 + gzip.compress(b"x"), "gzip")),
        notes=("encoding",),
    ),
    _B(
        "gzip-two-members",
        "gzip in two members, the target language in the second",
        always(packed(gzip.compress(b"<p>" + b"x " * 500) + gzip.compress(THAI.encode()), "gzip")),
    ),
    _B(
        "gzip-second-member-broken",
        "a second member of gzip that is none",
        always(packed(gzip.compress(THAI.encode()) + b"\x1f\x8b\x08 and no more", "gzip")),
        notes=("encoding",),
    ),
    _B(
        "gzip-damaged",
        "a byte in the middle of gzip is wrong",
        always(packed(damaged(gzip.compress(_NUMBERS)), "gzip")),
        notes=("encoding",),
    ),
    _B(
        "coding-headers",
        "two codings in headers of their own",
        always(
            page(
                brotli.compress(gzip.compress(THAI.encode())),
                headers="Content-Encoding: gzip\r\nContent-Encoding: br\r\n",
            )
        ),
    ),
    _B(
        "coding-unknown",
        "a coding that nobody knows",
        always(packed(THAI.encode(), "rot13")),
        notes=("encoding",),
    ),
    _B(
        "coding-charset", "a charset where a coding belongs", always(packed(THAI.encode(), "utf-8"))
    ),
    # Headers and types
    _B("header-100k", "a header of 100 KB", always(page(headers=f"X: {'x' * 100_000}\r\n"))),
    _B(
        "header-canonical",
        "a Link header that names another URL as the canonical one",
        answer(lambda ask: page(headers=f"Link: <http://{ask.host}/real>; rel=canonical\r\n")),
        pages=2,
    ),
    _B(
        "header-robots",
        "an X-Robots-Tag header that forbids everything",
        answer(
            lambda ask: page(links(ask.host, "a"), headers="X-Robots-Tag: noindex, nofollow\r\n")
        ),
        notes=("noindex",),
        pages=2,
    ),
    _B(
        "reason-bytes",
        "words behind the status that are no UTF-8",
        always(page(status="200 D\udce9j\udce0")),
    ),
    _B(
        "header-bytes",
        "headers that are no UTF-8 and no ASCII",
        always(page(headers="X-\udcff: \udcfe\udcff\r\nSet-Cookie: \udc80\r\n")),
    ),
    _B(
        "header-nul",
        "NUL and bare CR in headers",
        always(page(headers="X: a\0b\rY: c\r\n: empty\r\nno colon\r\n")),
    ),
    _B(
        "header-folded",
        "a header over two lines",
        always(page(kind="", headers="Content-Type: text/html;\r\n charset=utf-8\r\n")),
    ),
    _B(
        "inject",
        "a redirect with line ends in its target",
        answer(lambda ask: redirect("/x%0d%0aHost:%20127.0.0.1") if ask.path == "/" else page()),
        302,
        pages=2,
    ),
    _B("no-type", "no Content-Type", always(page(kind=""))),
    _B("type-nonsense", "a Content-Type that is none", always(page(kind=";;;///"))),
    _B(
        "charset-nonsense",
        "a charset that does not exist",
        always(page(kind="text/html; charset=klingon")),
    ),
    _B(
        "charset-wrong",
        "UTF-8 that says it is UTF-16",
        always(page(kind="text/html; charset=utf-16")),
    ),
    _B(
        "binary-as-html",
        "random bytes as text/html",
        always(page(random.Random(2).randbytes(20_000), "text/html")),
    ),
    _B("html-as-image", "a page that says it is a picture", always(page(kind="image/png"))),
    _B("nul-bytes", "NUL bytes in the text", always(page("<p>" + "\0".join(THAI)))),
    _B("bad-utf8", "UTF-8 that breaks", always(page(b"<p>\xff\xfe\xe0\xb8" + THAI.encode()[1:]))),
    _B(
        "cookies",
        "a redirect to itself until a cookie comes back",
        answer(
            lambda ask: (
                page()
                if "cookie" in ask.headers
                else page(b"", status="302 Found", headers="Location: /\r\nSet-Cookie: a=1\r\n")
            )
        ),
        302,
    ),
    _B("empty", "200 without a body", always(page(b""))),
    _B(
        "javascript",
        "a page that is empty without JavaScript",
        always(page("<div id=root></div><script src=/app.js></script>")),
    ),
    # Redirects
    _B(
        "redirect-loop",
        "A to B to A",
        answer(lambda ask: redirect("/b" if ask.path == "/" else "/")),
        302,
        pages=2,
    ),
    _B("redirect-self", "to itself", answer(lambda ask: redirect("/")), 302, pages=1),
    _B(
        "redirect-chain",
        "a chain without end",
        answer(lambda ask: redirect(f"/{next_number(ask)}")),
        302,
        pages=60,
    ),
    _B("redirect-nowhere", "without a Location", always(page(status="302 Found")), 302),
    _B("redirect-garbage", "to no URL", always(redirect("http://[nonsense")), 302),
    _B("redirect-file", "to a file", always(redirect("file:///etc/passwd")), 302),
    _B("redirect-javascript", "to a script", always(redirect("javascript:alert(1)")), 302),
    _B(
        "redirect-inward",
        "to private addresses in odd notations",
        answer(
            lambda ask: (
                redirect(_INWARD[next_number(ask) - 1])
                if ask.path != "/"
                else page(links(ask.host, *map(str, range(len(_INWARD)))))
            )
        ),
        pages=1 + len(_INWARD),
    ),
    _B(
        "links-inward",
        "links to private addresses",
        always(page("".join(f"<a href='{url}'>x</a>" for url in _INWARD))),
    ),
    _B(
        "refresh-loop",
        "META refresh to itself and back",
        answer(
            lambda ask: page(
                f"<meta http-equiv=refresh content='0;url=/{'' if ask.path == '/b' else 'b'}'>"
            )
        ),
        pages=2,
    ),
    _B(
        "canonical-elsewhere",
        "names another URL as the canonical one",
        answer(lambda ask: page(f"<link rel=canonical href='http://{ask.host}/real'>{THAI}")),
        pages=2,
    ),
    _B(
        "iframes",
        "a chain of iframes without end",
        answer(lambda ask: page(f"{THAI}<iframe src='/{next_number(ask)}'></iframe>")),
        pages=60,
    ),
    # Traps: pages without end
    _B(
        "same-bytes",
        "four URLs with the same bytes, whose links lead elsewhere from each",
        always(packed(gzip.compress(_SAME.encode(), mtime=0), "gzip")),
        pages=12,
    ),
    _B(
        "calendar",
        "a calendar without end",
        answer(
            lambda ask: page(
                links(ask.host, f"cal?month={next_number(ask)}") + str(next_number(ask))
            )
        ),
        pages=200,
    ),
    _B(
        "session-ids",
        "every link carries a new session",
        answer(
            lambda ask: page(
                links(ask.host, *(f"p{n}?PHPSESSID={ask.number * 10 + n:032x}" for n in range(3)))
            )
        ),
        pages=60,
    ),
    _B(
        "same-content",
        "one page under URLs without end",
        answer(
            lambda ask: page(
                links("same-content." + DOMAIN, "x").replace("/x", f"/{ask.path.strip('/')}1")
            )
        ),
        pages=60,
    ),
    _B(
        "endless-path",
        "every page links deeper",
        answer(
            lambda ask: page(
                f"{THAI}<a href='{ask.path.rstrip('/')}/d{ask.number}/'>{ask.number}</a>"
            )
        ),
        pages=60,
    ),
    _B(
        "repeated-segments",
        "relative links that repeat a segment",
        answer(lambda ask: page(f"{THAI}{ask.path}<a href='a/b/'>x</a>")),
        pages=60,
    ),
    _B(
        "soft-404",
        "200 for pages that are not there",
        answer(
            lambda ask: page(
                links(ask.host, *(f"gone{ask.number}-{n}" for n in range(3))) + "ไม่พบหน้า"
            )
        ),
        pages=120,
    ),
    # Asking for patience
    _B(
        "too-many",
        "429 with Retry-After",
        always(page(status="429 Too Many Requests", headers="Retry-After: 2\r\n")),
        429,
        pages=10,
    ),
    _B(
        "busy-once",
        "503 once, then a page",
        answer(
            lambda ask: (
                page(status="503 Busy", headers="Retry-After: 1\r\n") if ask.number == 1 else page()
            )
        ),
        503,
        in_the_end=200,
        pages=2,
    ),
    _B(
        "retry-for-ever",
        "Retry-After of a hundred years",
        always(page(status="503 Busy", headers="Retry-After: 3153600000\r\n")),
        503,
        pages=10,
    ),
    _B(
        "hangs-up-kept",
        "closes a kept connection when it is asked again",
        hang_up_when_asked_again,
        pages=2,
    ),
    # robots.txt
    _B(
        "robots-closed",
        "closes everything",
        robots(lambda ask: page("User-agent: *\nDisallow: /", "text/plain")),
        refused="robots",
        pages=0,
        robots=True,
    ),
    _B(
        "robots-bom",
        "begins with a byte order mark",
        robots(lambda ask: page("\ufeffUser-agent: *\nDisallow: /", "text/plain")),
        refused="robots",
        pages=0,
        robots=True,
    ),
    _B(
        "robots-huge",
        "1 MB; what closes stands at the beginning",
        robots(lambda ask: page("User-agent: *\nDisallow: /\n" + "# x\n" * 250_000, "text/plain")),
        refused="robots",
        pages=0,
        robots=True,
    ),
    _B(
        "robots-late",
        "1 MB; what closes stands behind the limit and does not count",
        robots(lambda ask: page("# x\n" * 250_000 + "User-agent: *\nDisallow: /\n", "text/plain")),
        pages=2,
        robots=True,
    ),
    _B(
        "robots-loop",
        "redirects to itself",
        robots(lambda ask: redirect("/robots.txt")),
        pages=2,
        robots=True,
    ),
    _B(
        "robots-inward",
        "redirects to a private address",
        robots(lambda ask: redirect("http://169.254.169.254/robots.txt")),
        refused="address",
        pages=0,
        robots=True,
    ),
    _B(
        "robots-html",
        "a page where robots.txt should be",
        robots(lambda ask: page()),
        pages=2,
        robots=True,
    ),
    _B(
        "robots-busy",
        "503",
        robots(lambda ask: page(status="503 Busy")),
        refused="robots-unreachable",
        pages=0,
        robots=True,
    ),
    _B(
        "robots-forbidden",
        "403 is no file",
        robots(lambda ask: page(status="403 No")),
        pages=2,
        robots=True,
    ),
    _B(
        "robots-half",
        "closes everything, in a line that is cut off in the middle",
        robots(
            lambda ask: raw(
                "HTTP/1.1 200 OK\nContent-Type: text/plain\nContent-Length: 900",
                b"User-agent: other\nDisallow: /\nUser-agent: *\nDisallow: /private",
            )
        ),
        refused="robots-unreachable",
        pages=0,
        robots=True,
    ),
    _B(
        "robots-slow",
        "a Crawl-delay of a year",
        robots(lambda ask: page("User-agent: *\nCrawl-delay: 31536000", "text/plain")),
        pages=2,
        robots=True,
    ),
    _B(
        "sitemap-inward",
        "a sitemap at a private address, and private addresses in another",
        answer(lambda ask: sitemap_host(ask, "".join(f"<loc>{url}</loc>" for url in _INWARD))),
        pages=3,
        robots=True,
    ),
    _B(
        "sitemap-laughs",
        "a sitemap whose entities expand to gigabytes and to files",
        answer(lambda ask: sitemap_host(ask, "<loc>http://sitemap-laughs.hostile.th/&l9;</loc>")),
        pages=4,
        robots=True,
    ),
    _B(
        "sitemap-loop",
        "a sitemap index that names itself",
        answer(lambda ask: sitemap_host(ask, f"<loc>http://{ask.host}/sitemap.xml</loc>")),
        pages=3,
        robots=True,
    ),
    # TLS
    _B(
        "tls-self-signed",
        "a certificate that it made itself",
        always(page()),
        notes=("tls",),
        scheme="https",
    ),
    _B("tls-expired", "a certificate of long ago", always(page()), notes=("tls",), scheme="https"),
    _B(
        "tls-wrong-host",
        "a certificate for another name",
        always(page()),
        notes=("tls",),
        scheme="https",
    ),
    _B("tls-plain", "plain HTTP where TLS should be", always(page()), 0, "tls", scheme="https"),
    _B(
        "tls-stall",
        "a handshake that never ends",
        never,
        0,
        "connect",
        refused="silence",
        scheme="https",
    ),
)
"""Every way to be hostile that is tried."""

BY_HOST = {behaviour.host: behaviour for behaviour in BEHAVIOURS}


def certificate(name: str, folder: Path) -> ssl.SSLContext:
    """A certificate that nobody has signed; of long ago where the name says so."""
    key = ec.generate_private_key(ec.SECP256R1())
    held_by = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "hostile")])
    host = "elsewhere.th" if name == "tls-wrong-host" else f"{name}.{DOMAIN}"
    end = datetime(2001, 1, 1, tzinfo=UTC) if name == "tls-expired" else datetime.now(UTC)
    made = (
        x509.CertificateBuilder(held_by, held_by, key.public_key(), x509.random_serial_number())
        .not_valid_before(end - timedelta(days=9))
        .not_valid_after(end + timedelta(days=9))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    file = folder / f"{name}.pem"
    file.write_bytes(
        made.public_bytes(serialization.Encoding.PEM)
        + key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    return context


@dataclass
class Hostile:
    """The server, in a thread of its own; a port for HTTP and one for each host with TLS."""

    asked: list[tuple[str, str]] = field(default_factory=list)
    """Host and path of every request, in order."""
    ports: dict[str, int] = field(default_factory=dict)
    """Ports by host; the others are at ``""``."""

    @property
    def connect_to(self) -> tuple[str, ...]:
        """Rules for the hosts of the table and no others: what leads elsewhere is refused."""
        return tuple(
            f"{b.host}:{443 if b.scheme == 'https' else 80}:127.0.0.1:"
            f"{self.ports.get(b.host, self.ports[''])}"
            for b in BEHAVIOURS
        )

    def __enter__(self) -> Hostile:
        self._counts: dict[str, int] = {}
        for coding in ("gzip", "br", "zstd"):
            bomb(coding)  # made before anybody waits for it
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._start(), self._loop).result(10)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        asyncio.run_coroutine_threadsafe(self._stop(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    async def _start(self) -> None:
        self._servers = [await asyncio.start_server(self._serve, "127.0.0.1", 0)]
        self.ports[""] = self._servers[0].sockets[0].getsockname()[1]
        with tempfile.TemporaryDirectory() as folder:
            for behaviour in BEHAVIOURS:
                if behaviour.scheme == "https":
                    await self._start_tls(behaviour, Path(folder))

    async def _start_tls(self, behaviour: Behaviour, folder: Path) -> None:
        if behaviour.name == "tls-stall":
            server = await asyncio.start_server(self._stall, "127.0.0.1", 0)
        elif behaviour.name == "tls-plain":
            server = await asyncio.start_server(self._plain, "127.0.0.1", 0)
        else:
            context = certificate(behaviour.name, folder)
            server = await asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=context)
        self._servers.append(server)
        self.ports[behaviour.host] = server.sockets[0].getsockname()[1]

    async def _stop(self) -> None:
        for server in self._servers:
            server.close()
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _stall(self, read: asyncio.StreamReader, out: asyncio.StreamWriter) -> None:
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(60)
        out.close()

    async def _plain(self, read: asyncio.StreamReader, out: asyncio.StreamWriter) -> None:
        out.write(page())
        out.close()

    async def _serve(self, read: asyncio.StreamReader, out: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            on_connection = 0
            keep = True
            while keep:
                head = (await read.readuntil(b"\r\n\r\n")).decode("latin-1")
                on_connection += 1
                keep = await self._answer(head, on_connection, out)
        out.close()

    async def _answer(self, head: str, on_connection: int, out: asyncio.StreamWriter) -> bool:
        """Answer one request; True where the connection stays open."""
        first, *lines = head.rstrip().split("\r\n")
        headers = {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in lines)}
        host, path = headers.get("host", ""), first.split(" ")[1]
        self.asked.append((host, path))
        behaviour = BY_HOST.get(host)
        if behaviour is None or (path == "/robots.txt" and not behaviour.robots):
            out.write(page(b"", status="404 Not Found"))
            return True
        if path != "/robots.txt":
            self._counts[host] = self._counts.get(host, 0) + 1
        ask = Ask(host, path, headers, self._counts.get(host, 0), on_connection)
        await behaviour.serve(ask, out)
        return behaviour.name == "hangs-up-kept" and not out.is_closing()
