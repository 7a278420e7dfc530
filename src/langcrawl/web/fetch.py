"""Asks servers: one GET request, and its answer as it came.

This is a small HTTP/1.1 client of our own, because it is the hot path and because an archive
wants what a server sent, broken or not (docs/safety.md). `http1` reads the answer, `unpack`
takes compression off, `guard` says which addresses may be asked. A name is looked up here
and nowhere else; the address that the guard has seen is the one that is connected to.
"""

from __future__ import annotations

import asyncio
import os
import re
import socket
import ssl
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from functools import cache, partial

from langcrawl.archive.exchange import Exchange, Headers
from langcrawl.archive.http1 import AnswerReader
from langcrawl.archive.unpack import ACCEPT_ENCODING, unpack
from langcrawl.errors import NO_DESCRIPTORS, NO_MEANS, LocalFault
from langcrawl.url import has_web_port
from langcrawl.web.clock import WallClock
from langcrawl.web.connection import Connection, FetchError, Proxy, Tls
from langcrawl.web.guard import ConnectTo, is_public, is_public_name, literal

__all__ = ["FetchError", "FetchSettings", "Fetcher", "Lookup", "look_up", "retry_after"]

_PIN_SECONDS = 3600.0
_MOST_PINS = 100_000
"""Hosts whose addresses are remembered."""
_IDLE_SECONDS = 4.0
"""A connection is kept so long for the next request; common servers hang up after five."""
MOST_IDLE = 256
"""Connections that are kept at a time, beside those that are in use."""
LOOKUP_THREADS = 32
_MOST_PATIENCE = 3600.0
"""The longest Retry-After that is heeded, in seconds."""
_PLAIN_URL = re.compile(r"(https?)://((\[[0-9A-Fa-f:.]+\]|[^\x00-\x20/?#@\\:\[\]\x7f-\U0010ffff]+)"
                        r"(?::([0-9]{1,5}))?)(/[!-~]*)")  # fmt: skip

Lookup = Callable[[str], list[str]]
"""A name to its addresses, best first; may block; raises socket.gaierror where there are none."""


@dataclass(frozen=True, slots=True)
class FetchSettings:
    """How a crawler behaves towards servers."""

    user_agent: str
    contact: str = ""
    delay: float = 1.0
    timeout: float = 30.0
    """Seconds for a whole exchange."""
    max_page_bytes: int = 10_000_000
    """Bytes of a body, as it came and unpacked."""
    connect_to: tuple[str, ...] = ()
    connections: int = 16
    proxy: str = ""
    """As http://[user:password@]host:port; then nothing else is connected to."""
    connect_timeout: float = 7.0
    """Seconds of the timeout to connect and to agree on how to encrypt: two packets may be lost."""

    @property
    def agent_line(self) -> str:
        """The User-Agent header: who we are and where to complain."""
        return f"{self.user_agent} (+{self.contact})" if self.contact else self.user_agent


def retry_after(exchange: Exchange, now: float) -> float:
    """Seconds that a server asks to be left alone; 0 where it does not, an hour at most."""
    text = exchange.header("Retry-After")[:64]
    if text.isascii() and text.isdigit():
        seconds = float(text[:9])
    else:
        try:
            seconds = parsedate_to_datetime(text).timestamp() - now
        except (ValueError, TypeError, OverflowError):
            return 0.0
    return min(max(seconds, 0.0), _MOST_PATIENCE)


def look_up(name: str) -> list[str]:
    """Ask the system's resolver; addresses of IP version 4 come first."""
    found = socket.getaddrinfo(name.encode("ascii"), None, type=socket.SOCK_STREAM)
    found.sort(key=lambda info: info[0] != socket.AF_INET)
    return [str(info[4][0]) for info in found]


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a URL leads, and what to ask for there."""

    secure: bool
    netloc: str
    host: str
    port: int
    path: str

    @classmethod
    def of(cls, url: str) -> _Place:
        matched = _PLAIN_URL.fullmatch(url)
        if matched is None:
            raise FetchError("url", "this is not a canonical URL", False)
        scheme, netloc, host, port, path = matched.groups()
        if not has_web_port(netloc):
            raise FetchError("port", f"no web is asked on port {port}", False)
        secure = scheme == "https"
        return cls(secure, netloc, host, int(port or (443 if secure else 80)), path)


@dataclass(frozen=True, slots=True)
class _Pin:
    """The address of a host that the guard has let through."""

    address: str
    port: int
    until: float


class Fetcher:
    """Asks servers for pages; lives inside one event loop."""

    def __init__(self, settings: FetchSettings, lookup: Lookup = look_up) -> None:
        self._settings = settings
        self._clock = WallClock()
        self._rules = [ConnectTo.parse(text) for text in settings.connect_to]
        self._proxy = Proxy.parse(settings.proxy) if settings.proxy else None
        self._lookup = lookup
        self._threads = ThreadPoolExecutor(LOOKUP_THREADS, "lookup")
        self._pins: dict[tuple[str, int], _Pin] = {}
        self._strict, self._lax = _contexts()
        self._distrusted: set[str] = set()
        self._keeps = settings.delay <= _IDLE_SECONDS
        self._idle: dict[tuple[bool, str], list[Connection]] = {}
        self._idle_count = 0
        self._most_idle = min(MOST_IDLE, settings.connections)
        self._headers: Headers = (
            (b"User-Agent", settings.agent_line.encode()),
            (b"Accept", b"text/html,application/xhtml+xml,*/*;q=0.5"),
            (b"Accept-Encoding", ACCEPT_ENCODING.encode()),
            (b"Connection", b"keep-alive" if self._keeps else b"close"),
        )
        self._lines = b"".join(b"%s: %s\r\n" % header for header in self._headers) + b"\r\n"

    async def address_of(self, url: str) -> str:
        """The address that will be asked for this URL, once the guard has seen it.

        It is looked up once an hour. Empty where a proxy looks names up.
        """
        place = _Place.of(url)
        try:
            async with asyncio.timeout(self._settings.timeout):
                pin = await self._pin(place)
        except TimeoutError:
            raise FetchError("dns", f"looking up {place.host} took too long", True) from None
        return pin.address if pin else ""

    async def fetch(self, url: str, conditions: Headers = ()) -> Exchange:
        """Ask once for a URL in canonical form; raises FetchError where no answer comes.

        `conditions` are headers that ask for an answer only where the page has changed.
        """
        place = _Place.of(url)
        reader = AnswerReader(self._settings.max_page_bytes)
        connection: Connection | None = None
        looked_up = False
        asked_at = self._clock.now()
        try:
            async with asyncio.timeout(self._settings.timeout):
                pin = await self._pin(place)
                looked_up = True
                connection = self._kept(place) or await self._connect(place, pin)
                await connection.ask(self._request(place, conditions), reader)
        except TimeoutError:
            if connection is None:
                word = "connect" if looked_up else "dns"
                raise FetchError(word, f"{place.netloc} did not connect", True) from None
            if not reader.size:
                raise FetchError("timeout", f"no answer from {place.netloc}", True) from None
            if not reader.done:
                reader.cut("timeout")
        finally:
            if connection is not None:
                self._put_away(connection, place, reader)
        elapsed = self._clock.now() - asked_at
        raw = reader.body
        unpacked = unpack(raw, reader.codings, self._settings.max_page_bytes)
        return Exchange(
            url=url,
            ip=connection.address,
            asked_at=asked_at,
            elapsed=elapsed,
            request_headers=((b"Host", place.netloc.encode()), *conditions, *self._headers),
            status=reader.status,
            reason=reader.reason,
            http_version=reader.version,
            headers=reader.headers,
            raw=raw,
            body=unpacked.body,
            notes=tuple(dict.fromkeys((*connection.notes, *reader.notes, *unpacked.notes))),
        )

    async def close(self) -> None:
        """Close every connection that is kept."""
        for connection in [one for kept in self._idle.values() for one in kept]:
            connection.close()
        self._threads.shutdown(wait=False, cancel_futures=True)
        await asyncio.sleep(0)  # the loop lets go of sockets on its next turn

    def _request(self, place: _Place, conditions: Headers) -> bytes:
        more = b"".join(b"%s: %s\r\n" % header for header in conditions)
        head = f"Host: {place.netloc}\r\n".encode() + more + self._lines
        if self._proxy is None or place.secure:
            return b"GET %s HTTP/1.1\r\n%s" % (place.path.encode(), head)
        target = f"http://{place.netloc}{place.path}".encode()
        return b"GET %s HTTP/1.1\r\n%s%s" % (target, self._proxy.authorization, head)

    async def _pin(self, place: _Place) -> _Pin | None:
        """Look a host up, let the guard see its addresses, and remember the one to use.

        None where a proxy does the looking up; then the guard sees the host itself.
        """
        key = (place.host, place.port)
        pin = self._pins.get(key)
        if pin is not None and pin.until > time.monotonic():
            return pin
        rule = next((rule for rule in self._rules if rule.matches(*key)), None)
        if rule is None and not is_public_name(place.host):
            raise FetchError("address", f"{place.host} is not on the public internet", False)
        if self._proxy is not None:
            return None
        name, port = place.host, place.port
        if rule is not None:
            name, port = rule.to_host or name, int(rule.to_port or port)
        addresses = await self._addresses(name)
        allowed = addresses if rule else [one for one in addresses if is_public(one)]
        if not allowed:
            message = f"{place.host} is at {addresses[0]}, which is not on the public internet"
            raise FetchError("address", message, False)
        self._pins.pop(key, None)
        while len(self._pins) >= _MOST_PINS:
            del self._pins[next(iter(self._pins))]
        pin = self._pins[key] = _Pin(allowed[0], port, time.monotonic() + _PIN_SECONDS)
        return pin

    async def _addresses(self, name: str) -> list[str]:
        address = literal(name)
        if address is not None:
            return [address]
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._threads, self._lookup, name)
        except socket.gaierror as error:
            _check_descriptors()  # without one, nobody can be asked for a name
            temporary = error.errno not in (socket.EAI_NONAME, socket.EAI_NODATA)
            raise FetchError("dns", f"{name}: {error.strerror}", temporary) from None
        except UnicodeError:
            raise FetchError("dns", f"{name} is not a host name", False) from None

    async def _connect(self, place: _Place, pin: _Pin | None) -> Connection:
        """A new connection; where the certificate is bad, one with a note that says so.

        An archive wants the page all the same, and no secrets are sent.
        """
        if not place.secure:
            return await self._dial(place, pin, None)
        name = place.host.strip("[]")
        if place.netloc not in self._distrusted:
            try:
                return await self._dial(place, pin, Tls(self._strict, name, ()))
            except ssl.SSLError:
                if len(self._distrusted) >= _MOST_PINS:
                    self._distrusted.clear()
                self._distrusted.add(place.netloc)
        try:
            return await self._dial(place, pin, Tls(self._lax, name, ("tls",)))
        except ssl.SSLError as error:
            raise FetchError("tls", str(error), False) from None

    async def _dial(self, place: _Place, pin: _Pin | None, tls: Tls | None) -> Connection:
        try:
            async with asyncio.timeout(self._settings.connect_timeout):
                return await self._dial_at_leisure(place, pin, tls)
        except TimeoutError:
            raise FetchError("connect", f"{place.netloc} did not connect", True) from None

    async def _dial_at_leisure(
        self, place: _Place, pin: _Pin | None, tls: Tls | None
    ) -> Connection:
        if pin is not None:
            try:
                return await Connection.open(pin.address, pin.port, pin.address, tls)
            except FetchError:
                self._pins.pop((place.host, place.port), None)  # the host may have moved
                raise
        assert self._proxy is not None
        if tls is None:
            return await self._proxy.connect()
        return await self._proxy.connect_through(f"{place.host}:{place.port}", tls)

    def _kept(self, place: _Place) -> Connection | None:
        """A connection that an earlier exchange left open."""
        key = (place.secure, place.netloc)
        while key in self._idle:
            connection = self._idle[key][-1]
            self._take_out(key, connection)
            if connection.usable:
                connection.kept = True
                return connection
        return None

    def _put_away(self, connection: Connection, place: _Place, reader: AnswerReader) -> None:
        """Keep a connection for the next request, or close it."""
        reusable = self._keeps and reader.done and reader.reusable and connection.usable
        if not reusable or self._idle_count >= self._most_idle:
            connection.close()
            return
        key = (place.secure, place.netloc)
        self._idle.setdefault(key, []).append(connection)
        self._idle_count += 1
        connection.when_lost = partial(self._take_out, key, connection)
        loop = asyncio.get_running_loop()
        connection.expiry = loop.call_later(_IDLE_SECONDS, connection.close)

    def _take_out(self, key: tuple[bool, str], connection: Connection) -> None:
        """A kept connection is used again, or lost."""
        if connection.expiry is None:
            return
        connection.expiry.cancel()
        connection.expiry = None
        self._idle_count -= 1
        kept = self._idle[key]
        kept.remove(connection)
        if not kept:
            del self._idle[key]


def _check_descriptors() -> None:
    """Raise LocalFault where this process may open no more files."""
    try:
        os.close(os.dup(0))
    except OSError as error:
        if error.errno in NO_MEANS:
            raise LocalFault(NO_DESCRIPTORS) from None


@cache
def _contexts() -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """One that checks certificates; one that takes any, and old protocols as well."""
    lax = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    lax.check_hostname = False
    lax.verify_mode = ssl.CERT_NONE
    lax.set_ciphers("DEFAULT:@SECLEVEL=0")
    lax.minimum_version = ssl.TLSVersion.MINIMUM_SUPPORTED
    return ssl.create_default_context(), lax
