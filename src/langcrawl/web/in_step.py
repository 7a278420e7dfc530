"""Pages that have come together are read together: each step is done to all of them in a row.

A step finds its code and its tables in the processor's caches when it has just been done to
another page. One page after the other from its first step to its last, each step drives those of
the others out: that takes a fourth more time.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import NamedTuple

from langcrawl.page import Reading, Steps

_AT_ONCE = 16
"""Pages that are read together: more gain little, and the event loop has other things to do."""


class _Page(NamedTuple):
    steps: Steps[Reading]
    at_work: Callable[[], None]
    """Called before each of its steps."""
    done: asyncio.Future[tuple[Reading, float]]


class InStep:
    """Reads pages in step; lives inside one event loop."""

    def __init__(self) -> None:
        self._come: list[_Page] = []

    async def read(
        self, steps: Steps[Reading], at_work: Callable[[], None]
    ) -> tuple[Reading, float]:
        """Read a page along with the others that have come; what it is, and its processor time."""
        loop = asyncio.get_running_loop()
        page = _Page(steps, at_work, loop.create_future())
        self._come.append(page)
        if len(self._come) == 1:
            loop.call_soon(self._read_all)
        return await page.done

    def _read_all(self) -> None:
        pages, self._come = self._come[:_AT_ONCE], self._come[_AT_ONCE:]
        if self._come:
            asyncio.get_running_loop().call_soon(self._read_all)
        spent = [0.0] * len(pages)
        left = list(range(len(pages)))
        while left:
            left = [at for at in left if self._step(pages[at], spent, at)]

    def _step(self, page: _Page, spent: list[float], at: int) -> bool:
        """Do the next step of a page; False where that was the last."""
        if page.done.cancelled():
            return False
        page.at_work()
        began = time.thread_time()
        try:
            next(page.steps)
        except StopIteration as end:
            page.done.set_result((end.value, spent[at] + time.thread_time() - began))
            return False
        except Exception as error:
            page.done.set_exception(error)
            return False
        spent[at] += time.thread_time() - began
        return True
