"""A web of many host names, served over real HTTP on one loopback port."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from typing import NamedTuple

from aiohttp import web

from langcrawl.errors import BadInput
from langcrawl.virtualweb.small import SmallPage


class Request(NamedTuple):
    """A request as the server saw it."""

    at: float
    host: str
    path: str


class Server:
    """Answers requests by their Host header, in a thread of its own; a context manager."""

    def __init__(
        self, answer: Callable[[str], SmallPage], port: int = 0, keep: bool = True
    ) -> None:
        self._answer, self._keep = answer, keep
        self.answered = 0
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self.requests: list[Request] = []
        self.port = port

    @property
    def connect_to(self) -> str:
        """The ``--connect-to`` rule that leads every host name here."""
        return f"::127.0.0.1:{self.port}"

    def __enter__(self) -> Server:
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._start(), self._loop).result()
        return self

    def __exit__(self, *_: object) -> None:
        asyncio.run_coroutine_threadsafe(self._runner.cleanup(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _start(self) -> None:
        self._runner = web.ServerRunner(web.Server(self._handle))
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self.port)
        try:
            await site.start()
        except OSError as error:
            await self._runner.cleanup()
            raise BadInput(
                f"port {self.port} cannot be used ({error.strerror}); name another with --port."
            ) from None
        self.port = self._runner.addresses[0][1]

    async def _handle(self, request: web.BaseRequest) -> web.Response:
        if self._keep:
            self.requests.append(Request(time.monotonic(), request.host, request.raw_path))
        self.answered += 1
        page = self._answer(f"http://{request.host}{request.raw_path}")
        await asyncio.sleep(page.seconds)
        if page.status == 0 and request.transport:
            request.transport.abort()
        headers = {"Location": page.location} if page.location else {}
        headers["Content-Type"] = page.content_type
        if page.content_encoding:
            headers["Content-Encoding"] = page.content_encoding
        return web.Response(status=page.status or 500, body=page.body, headers=headers)
