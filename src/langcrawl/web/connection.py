"""Connections to servers: opened, secured, tunnelled through a proxy, and asked."""

from __future__ import annotations

import asyncio
import base64
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from langcrawl.archive.http1 import AnswerReader, BrokenAnswer
from langcrawl.errors import NO_DESCRIPTORS, NO_MEANS, LocalFault, UsageError


class FetchError(Exception):
    """No answer came: `word` is the log's column `error`, the message says more.

    ======== ===========================================================================
    address  the guard lets nobody ask there
    closed   the server closed the connection without an answer
    connect  no connection was made in time
    dns      the name leads to no address
    protocol what came is no HTTP
    proxy    the proxy did not connect us
    refused  nobody listens there
    reset    the connection broke
    stale    a kept connection was closed under the request: nobody's failure, the URL may be
             asked for again once the delay is over
    timeout  it took too long
    tls      no secure connection could be made, not even with a bad certificate
    unreach  there is no way to that address
    url      this is no URL that could be asked for
    ======== ===========================================================================
    """

    def __init__(self, word: str, message: str, temporary: bool) -> None:
        super().__init__(message)
        self.word = word
        self.temporary = temporary
        """Whether it makes sense to try again later."""

    @property
    def is_silence(self) -> bool:
        """Whether the host could not be reached, so that the URL has nothing to do with it."""
        return self.temporary and self.word in ("connect", "dns", "proxy", "refused", "unreach")


class Tls(NamedTuple):
    """How to secure a connection, and what to note of its exchanges."""

    context: ssl.SSLContext
    name: str
    notes: tuple[str, ...]


def _nothing() -> None:
    pass


class Connection(asyncio.Protocol):
    """A connection that carries one exchange at a time."""

    def __init__(self, address: str, notes: tuple[str, ...] = ()) -> None:
        self.address = address
        self.notes = notes
        self.kept = False
        """Set once it has carried an exchange and waited for another."""
        self.expiry: asyncio.TimerHandle | None = None
        """Set while it waits for another exchange."""
        self.when_lost: Callable[[], None] = _nothing
        self._transport: asyncio.Transport | None = None
        self._reader: AnswerReader | None = None
        self._done: asyncio.Future[None] | None = None

    @classmethod
    async def open(cls, host: str, port: int, address: str, tls: Tls | None = None) -> Connection:
        """Connect to an address, or to the host of a proxy; raises ssl.SSLError as well."""
        loop = asyncio.get_running_loop()
        context, name, notes = tls or (None, None, ())
        try:
            _, connection = await loop.create_connection(
                lambda: cls(address, notes), host, port, ssl=context, server_hostname=name
            )
        except ssl.SSLError:
            raise
        except ConnectionRefusedError as error:
            raise FetchError("refused", str(error), True) from None
        except ConnectionError as error:
            raise FetchError("reset", str(error), True) from None
        except TimeoutError as error:
            raise FetchError("timeout", str(error), True) from None
        except OSError as error:
            if error.errno in NO_MEANS:
                raise LocalFault(NO_DESCRIPTORS) from error
            raise FetchError("unreach", str(error), True) from None
        return connection

    async def secure(self, tls: Tls) -> Connection:
        """This connection with TLS over it; raises ssl.SSLError where that fails."""
        inner = Connection(self.address, tls.notes)
        loop = asyncio.get_running_loop()
        transport = await loop.start_tls(
            self._open_transport(), inner, tls.context, server_hostname=tls.name
        )
        assert transport is not None
        inner.connection_made(transport)
        return inner

    @property
    def usable(self) -> bool:
        return self._transport is not None and not self._transport.is_closing()

    async def ask(self, request: bytes, reader: AnswerReader) -> None:
        """Send a request and feed the reader until its answer is complete."""
        self._reader = reader
        self._done = asyncio.get_running_loop().create_future()
        try:
            self._open_transport().write(request)
            await self._done
        finally:
            self._reader = self._done = None

    def close(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    def _open_transport(self) -> asyncio.Transport:
        if self._transport is None or self._transport.is_closing():
            raise FetchError("reset", "the connection broke at once", True)
        return self._transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport  # type: ignore[assignment]

    def data_received(self, data: bytes) -> None:
        if self._reader is None or self._done is None or self._done.done():
            self.close()  # nobody asked
            return
        try:
            if self._reader.feed(data):
                self._done.set_result(None)
        except BrokenAnswer as error:
            self._done.set_exception(FetchError("protocol", str(error), False))

    def connection_lost(self, error: Exception | None) -> None:
        self._transport = None
        self.when_lost()
        if self._reader is None or self._done is None or self._done.done():
            return
        if self._reader.end():
            self._done.set_result(None)
        elif self.kept and not self._reader.begun:
            message = "the server closed a kept connection"
            self._done.set_exception(FetchError("stale", message, True))
        elif error is not None:
            self._done.set_exception(FetchError("reset", str(error), True))
        else:
            message = "the server closed the connection without an answer"
            self._done.set_exception(FetchError("closed", message, True))


@dataclass(frozen=True, slots=True)
class Proxy:
    """An HTTP proxy; where there is one, it is the only address that is connected to."""

    host: str
    port: int
    authorization: bytes
    """The header line that says who we are; empty where the proxy does not ask."""

    @classmethod
    def parse(cls, text: str) -> Proxy:
        problem = UsageError(f"--proxy takes http://[user:password@]host:port, not '{text}'.")
        try:
            parts = urlsplit(text)
            host, port = parts.hostname, parts.port
        except ValueError:
            raise problem from None
        if parts.scheme != "http" or not host or not port or parts.path.strip("/"):
            raise problem
        authorization = b""
        if parts.username is not None:
            secret = f"{unquote(parts.username)}:{unquote(parts.password or '')}".encode()
            authorization = b"Proxy-Authorization: Basic %s\r\n" % base64.b64encode(secret)
        return cls(host, port, authorization)

    async def connect(self) -> Connection:
        """Connect to the proxy itself."""
        return await Connection.open(self.host, self.port, "")

    async def connect_through(self, target: str, tls: Tls) -> Connection:
        """Connect through the proxy to a host and port, and secure that."""
        connection = await self.connect()
        try:
            await self._tunnel(connection, target.encode())
            return await connection.secure(tls)
        except BaseException:
            connection.close()
            raise

    async def _tunnel(self, connection: Connection, target: bytes) -> None:
        reader = AnswerReader(limit=0, head_only=True)
        lines = b"CONNECT %s HTTP/1.1\r\nHost: %s\r\n%s\r\n"
        await connection.ask(lines % (target, target, self.authorization), reader)
        if not 200 <= reader.status < 300:
            message = f"the proxy answered {reader.status} {reader.reason}".strip()
            raise FetchError("proxy", message, reader.status >= 500)
