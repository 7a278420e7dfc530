"""The live web: asks servers over HTTP.

The event loop runs only while the crawl waits in `next_done`; asyncio is hidden here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import uvloop

from langcrawl.ports import Judge
from langcrawl.records import Finished, Visit
from langcrawl.web.clock import WallClock
from langcrawl.web.worker import Manners, Worker

_BLINK = 0.2
"""The longest wait in one go, so that a crawl notices soon that it is to stop."""


class LiveWeb:
    """Servers on the internet, or wherever ``--connect-to`` leads."""

    def __init__(self, judge: Judge, manners: Manners) -> None:
        self.clock = WallClock()
        self._loop = uvloop.new_event_loop()
        self._under_way: set[asyncio.Task[None]] = set()
        self._done: asyncio.Queue[Finished] = asyncio.Queue()
        self._worker = self._loop.run_until_complete(self._make_worker(judge, manners))

    async def _make_worker(self, judge: Judge, manners: Manners) -> Worker:
        return Worker(judge, manners, self.clock)  # inside the loop, as aiohttp wants it

    def begin(self, visits: Sequence[Visit]) -> None:
        for visit in visits:
            task = self._loop.create_task(self._visit(visit))
            self._under_way.add(task)
            task.add_done_callback(self._under_way.discard)

    async def _visit(self, visit: Visit) -> None:
        self._done.put_nowait(await self._worker.visit(visit))

    def next_done(self, until: float) -> Sequence[Finished]:
        wait = max(0.0, min(until - self.clock.now(), _BLINK))
        return self._loop.run_until_complete(self._collect(wait))

    async def _collect(self, wait: float) -> list[Finished]:
        try:
            async with asyncio.timeout(wait):
                done = [await self._done.get()]
        except TimeoutError:
            return []
        while not self._done.empty():
            done.append(self._done.get_nowait())
        return done

    def close(self) -> None:
        self._loop.run_until_complete(self._shut_down())
        self._loop.close()

    async def _shut_down(self) -> None:
        for task in self._under_way:
            task.cancel()
        await asyncio.gather(*self._under_way, return_exceptions=True)
        await self._worker.close()
