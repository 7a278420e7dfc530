"""A worker process: takes batches of visits from a pipe and gives batches of results back.

It keeps no state that cannot be sent again, so any worker may die at any moment.
Visits come in through a thread, so that the pipe is always read; everything else happens
in one event loop.
"""

from __future__ import annotations

import asyncio
import os
import pickle
import signal
import threading
import time
from collections.abc import Callable
from ctypes import Structure, c_double, c_longlong
from functools import partial
from multiprocessing.connection import Connection
from typing import NamedTuple

import uvloop

from langcrawl.errors import NO_MEMORY, LocalFault
from langcrawl.page import limit_memory
from langcrawl.records import Asked, Later, Page, Refused, Sitemap, Verdict, Visit
from langcrawl.web.worker import Worker

_FLUSH_AFTER = 0.025
"""Seconds that a result may wait for others to travel with."""
_FLUSH_AT = 64
_BEAT = 1.0
_MEMORY = 700_000_000
"""Bytes that a worker may take beside those that it has when it begins, some 130 MB."""
_GRACE = 20
"""Seconds after SIGTERM in which the coordinator ends a worker in order; then it ends by itself."""
_STACK = 1 << 20
"""Bytes for the stack of a thread; there are many, and they count as memory."""

MakeWorker = Callable[[int], Worker]
"""Makes the worker of a number, in its own process."""
Numbered = tuple[int, Visit, bool]
"""A visit, and whether its page is to be read with care."""


class Heartbeat(Structure):
    """What a coordinator sees of a worker without asking it, in shared memory."""

    _fields_ = (("beat", c_double), ("busy_with", c_longlong))
    beat: float
    """When the event loop last came round."""
    busy_with: int
    """The number of the visit whose page is being read; -1 where none is."""


class Result(NamedTuple):
    """What became of the visit of a number."""

    number: int
    answer: Page | Sitemap | Refused | Later
    verdict: Verdict
    asked: Asked


def run_worker(
    pipe: Connection, heartbeat: Heartbeat, make_worker: MakeWorker, number: int
) -> None:
    """What a worker process does from its start to its end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the coordinator's business
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # and so is a terminal that closes
    signal.signal(signal.SIGTERM, lambda *_: signal.alarm(_GRACE))  # sent to a whole service
    uvloop.run(_Process(pipe, heartbeat).run(partial(make_worker, number)))


class _Process:
    def __init__(self, pipe: Connection, heartbeat: Heartbeat) -> None:
        self._pipe, self._heartbeat = pipe, heartbeat
        self._results: list[Result] = []
        self._under_way: set[asyncio.Task[None]] = set()
        self._flush: asyncio.TimerHandle | None = None

    async def run(self, make_worker: Callable[[], Worker]) -> None:
        self._loop = asyncio.get_running_loop()
        self._over = asyncio.Event()
        threading.stack_size(_STACK)
        try:
            self._worker = make_worker()
        except LocalFault as error:
            self._fail(error)
            return
        limit_memory(_MEMORY)
        threading.Thread(target=self._listen, daemon=True).start()
        beating = self._loop.create_task(self._beat())
        await self._over.wait()
        beating.cancel()
        for task in self._under_way:
            task.cancel()
        await asyncio.gather(*self._under_way, return_exceptions=True)
        self._send()
        await self._worker.close()

    def _listen(self) -> None:
        """Take visits from the pipe, in a thread; None ends the work."""
        while True:
            try:
                visits: list[Numbered] | None = pickle.loads(self._pipe.recv_bytes())
            except (EOFError, OSError):
                os._exit(1)  # the coordinator is gone: what is under way counts for nobody
            if visits is None:
                self._loop.call_soon_threadsafe(self._over.set)
                return
            self._loop.call_soon_threadsafe(self._begin, visits)

    async def _beat(self) -> None:
        while True:
            self._heartbeat.beat = time.monotonic()
            await asyncio.sleep(_BEAT)

    def _begin(self, visits: list[Numbered]) -> None:
        for number, visit, careful in visits:
            task = self._loop.create_task(self._visit(number, visit, careful))
            self._under_way.add(task)
            task.add_done_callback(self._under_way.discard)

    async def _visit(self, number: int, visit: Visit, careful: bool) -> None:
        if careful:  # whatever ends this process now, it is this visit
            self._busy(number)
        try:
            answer = await self._worker.visit(visit, lambda: self._busy(number), careful)
        except LocalFault as error:
            self._fail(error)
            return
        except MemoryError:
            self._fail(LocalFault(NO_MEMORY))
            return
        self._heartbeat.busy_with = -1
        self._results.append(Result(number, *answer))
        if len(self._results) >= _FLUSH_AT or len(self._under_way) <= 2:
            self._send()
        elif self._flush is None:
            self._flush = self._loop.call_later(_FLUSH_AFTER, self._send)

    def _fail(self, error: LocalFault) -> None:
        """The machine is at fault: tell so instead of a result."""
        self._pipe.send_bytes(pickle.dumps(error, protocol=5))

    def _busy(self, number: int) -> None:
        self._heartbeat.busy_with = number

    def _send(self) -> None:
        if self._flush is not None:
            self._flush.cancel()
            self._flush = None
        if self._results:
            try:
                self._worker.sync()
                self._pipe.send_bytes(pickle.dumps(self._results, protocol=5))
            except LocalFault as error:
                self._fail(error)
            except OSError:
                os._exit(1)  # the coordinator is gone: the results count for nobody
            self._results = []
