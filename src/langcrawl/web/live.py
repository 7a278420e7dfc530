"""The live web: worker processes that ask servers over HTTP.

A host always goes to the same worker, which remembers its robots.txt and its connection. A
worker that dies or hangs is replaced: the visit whose page it was reading has failed, the
others are begun again once their hosts have rested.
"""

from __future__ import annotations

import multiprocessing
import pickle
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from multiprocessing.sharedctypes import RawValue
from zlib import crc32

from langcrawl.errors import DiskFull, LangcrawlError
from langcrawl.records import UNJUDGED, Finished, Page, Visit
from langcrawl.web.clock import WallClock
from langcrawl.web.process import MakeWorker, Pulse, Result, run_worker
from langcrawl.web.worker import DISK_FULL

_BLINK = 0.2
"""The longest wait in one go, so that a crawl notices soon that it is to stop."""
_PATIENCE = 60.0
"""Seconds after which a worker that shows no sign of life is replaced."""
_START = 60.0
"""Seconds that a new worker may take before its first sign of life."""
_GOODBYE = 10.0
_STILLBORN = 5
"""Workers in a row that ended before they showed a sign of life: another would do the same."""


@dataclass(slots=True)
class _Hand:
    """A worker process as the coordinator sees it."""

    process: BaseProcess
    pipe: Connection
    pulse: Pulse
    first_beat: float
    """When it is to have shown a sign of life; its pulse shows this until it has."""
    visits: dict[int, Visit] = field(default_factory=dict)


class LiveWeb:
    """Servers on the internet, or wherever ``--connect-to`` leads.

    No two workers have the same number, so that one that replaces another touches nothing that
    it left behind.
    """

    def __init__(
        self,
        make_worker: MakeWorker,
        workers: int = 1,
        patience: float = _PATIENCE,
    ) -> None:
        self.clock = WallClock()
        self.replaced = 0
        """Workers that died or hung."""
        self._make_worker, self._patience = make_worker, patience
        self._begun = 0
        self._looked_at = time.monotonic()
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload(["langcrawl.web.process"])
        self._started = self._stillborn = 0
        self._hands = [self._start() for _ in range(workers)]

    def begin(self, visits: Sequence[Visit]) -> None:
        batches: dict[int, list[tuple[int, Visit]]] = {}
        for visit in visits:
            slot = crc32(visit.host.encode()) % len(self._hands)
            self._begun += 1
            self._hands[slot].visits[self._begun] = visit
            batches.setdefault(slot, []).append((self._begun, visit))
        for slot, batch in batches.items():
            self._tell(self._hands[slot], batch)

    def next_done(self, until: float) -> Sequence[Finished]:
        timeout = max(0.0, min(until - self.clock.now(), _BLINK))
        done: list[Finished] = []
        pipes = {hand.pipe: slot for slot, hand in enumerate(self._hands)}
        for pipe in wait(list(pipes), timeout):
            slot = pipes[pipe]  # type: ignore[index]
            try:
                done += self._receive(self._hands[slot])
            except (EOFError, OSError):
                done += self._replace(slot)
        if time.monotonic() - self._looked_at > min(1.0, self._patience / 2):
            done += self._look_after()
        return done

    def close(self) -> None:
        for hand in self._hands:
            self._tell(hand, None)
        for hand in self._hands:
            _drain_until_gone(hand)

    def _start(self) -> _Hand:
        mine, theirs = self._context.Pipe()
        first_beat = time.monotonic() + _START
        pulse = RawValue(Pulse, first_beat, -1)
        process = self._context.Process(
            target=run_worker, args=(theirs, pulse, self._make_worker, self._started), daemon=True
        )
        self._started += 1
        process.start()
        theirs.close()
        return _Hand(process, mine, pulse, first_beat)

    def _tell(self, hand: _Hand, batch: list[tuple[int, Visit]] | None) -> None:
        with suppress(OSError):  # it has died; whoever reads from it next will notice
            hand.pipe.send_bytes(pickle.dumps(batch, protocol=5))

    def _receive(self, hand: _Hand) -> list[Finished]:
        results: list[Result] = pickle.loads(hand.pipe.recv_bytes())
        if any(DISK_FULL in result.page.notes for result in results):
            raise DiskFull
        return [
            Finished(hand.visits.pop(result.number), result.unpack(), result.verdict)
            for result in results
        ]

    def _look_after(self) -> list[Finished]:
        """Replace workers that have not shown a sign of life for too long."""
        self._looked_at = now = time.monotonic()
        done: list[Finished] = []
        for slot, hand in enumerate(self._hands):
            if now - hand.pulse.beat > self._patience or not hand.process.is_alive():
                done += self._replace(slot)
        return done

    def _replace(self, slot: int) -> list[Finished]:
        """Start another worker; say of each of its visits what became of it."""
        hand = self._hands[slot]
        hand.process.kill()
        hand.process.join()
        done = self._last_words(hand)
        hand.pipe.close()
        self.replaced += 1
        self._stillborn = self._stillborn + 1 if hand.pulse.beat == hand.first_beat else 0
        if self._stillborn == _STILLBORN:
            raise LangcrawlError(
                "the processes that fetch pages end as soon as they start. A script of yours that "
                "crawls needs 'if __name__ == \"__main__\":' before the call; else see what they "
                "wrote above."
            )
        self._hands[slot] = self._start()
        now = self.clock.now()
        for number, visit in hand.visits.items():
            if number == hand.pulse.busy_with:
                page = Page(visit.url, 0, fetched_at=now, reason="worker-died")
            else:
                page = Page(visit.url, 0, fetched_at=now, again=True)
            done.append(Finished(visit, page, UNJUDGED))
        return done

    def _last_words(self, hand: _Hand) -> list[Finished]:
        """What a worker that is gone had sent before."""
        done: list[Finished] = []
        with suppress(EOFError, OSError, pickle.UnpicklingError):
            while hand.pipe.poll(0):
                done += self._receive(hand)
        return done


def _drain_until_gone(hand: _Hand) -> None:
    """Wait for a worker to end; it may have to get rid of results first."""
    deadline = time.monotonic() + _GOODBYE
    with suppress(EOFError, OSError):
        while time.monotonic() < deadline and hand.process.is_alive():
            if hand.pipe.poll(0.05):
                hand.pipe.recv_bytes()
    hand.process.join(1.0)
    if hand.process.is_alive():
        hand.process.kill()
        hand.process.join()
    hand.pipe.close()
