"""The live web: worker processes that ask servers over HTTP.

A host always goes to the same worker, which remembers its robots.txt and its connection. A
worker that dies or hangs is replaced, and its visits are begun again once their hosts have rested.
Where it was reading a page, those of that host are read with care from then on; should a worker
die of one all the same, that visit has failed.
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
from typing import NamedTuple
from zlib import crc32

from langcrawl.errors import LangcrawlError
from langcrawl.ports import Tell, tell_nobody
from langcrawl.records import Asked, Finished, Later, Page, Refused, Sitemap, Visit
from langcrawl.web.clock import WallClock
from langcrawl.web.process import Heartbeat, MakeWorker, Numbered, Result, run_worker

_BLINK = 0.2
"""The longest wait in one go, so that a crawl notices soon that it is to stop."""
_PATIENCE = 60.0
"""Seconds after which a worker that shows no sign of life is replaced."""
_START = 60.0
"""Seconds that a new worker may take before its first sign of life."""
_GOODBYE = 10.0
_FAREWELL = 1.0
"""Seconds until the system knows how a process has ended whose pipe is closed."""
_STILLBORN = 5
"""Workers in a row that ended before they showed a sign of life: another would do the same."""
_LOADED = ("langcrawl.web.process", "langcrawl.web.unhurried")
"""Modules that the process of which workers are copies has loaded."""
_TROUBLES = 10_000
"""Hosts in trouble that are remembered; beyond that the one known longest is forgotten."""


class Trouble(NamedTuple):
    """Why a host did not answer when it was last asked, and how often in a row."""

    error: str
    times: int


@dataclass(slots=True)
class WorkerHandle:
    """A worker process as the coordinator sees it."""

    process: BaseProcess
    pipe: Connection
    heartbeat: Heartbeat
    first_beat: float
    """When it is to have shown a sign of life; its heartbeat shows this until it has."""
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
        tell: Tell = tell_nobody,
        loads: Sequence[str] = (),
    ) -> None:
        """`loads` are modules that all workers need: they are loaded once, and shared."""
        self.clock = WallClock()
        self.replaced = 0
        """Workers that died or hung."""
        self.troubles: dict[str, Trouble] = {}
        """Hosts that did not answer when they were last asked."""
        self._make_worker, self._patience, self._tell_of = make_worker, patience, tell
        self._begun = 0
        self._looked_at = time.monotonic()
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload([*_LOADED, *loads])
        self._started = self._stillborn = 0
        self._careful: set[str] = set()
        """Hosts with a page that ended a worker."""
        self._workers = [self._start() for _ in range(workers)]

    def begin(self, visits: Sequence[Visit]) -> None:
        batches: dict[int, list[Numbered]] = {}
        for visit in visits:
            slot = crc32(visit.host.encode()) % len(self._workers)
            self._begun += 1
            self._workers[slot].visits[self._begun] = visit
            careful = visit.host in self._careful
            batches.setdefault(slot, []).append((self._begun, visit, careful))
        for slot, batch in batches.items():
            self._tell(self._workers[slot], batch)

    def next_done(self, until: float) -> Sequence[Finished]:
        timeout = max(0.0, min(until - self.clock.now(), _BLINK))
        done: list[Finished] = []
        pipes = {worker.pipe: slot for slot, worker in enumerate(self._workers)}
        for pipe in wait(list(pipes), timeout):
            slot = pipes[pipe]  # type: ignore[index]
            try:
                done += self._receive(self._workers[slot])
            except (EOFError, OSError):
                self._workers[slot].process.join(_FAREWELL)
                done += self._replace(slot)
        if time.monotonic() - self._looked_at > min(1.0, self._patience / 2):
            done += self._look_after()
        return done

    def stop(self) -> Sequence[Finished]:
        done: list[Finished] = []
        for worker in self._workers:
            self._tell(worker, None)
        for worker in self._workers:
            done += self._wait_for_end(worker)
        self._workers = []
        return done

    def close(self) -> None:
        self.stop()

    def _start(self) -> WorkerHandle:
        mine, theirs = self._context.Pipe()
        first_beat = time.monotonic() + _START
        heartbeat = RawValue(Heartbeat, first_beat, -1)
        process = self._context.Process(
            target=run_worker,
            args=(theirs, heartbeat, self._make_worker, self._started),
            daemon=True,
        )
        self._started += 1
        process.start()
        theirs.close()
        return WorkerHandle(process, mine, heartbeat, first_beat)

    def _tell(self, worker: WorkerHandle, batch: list[Numbered] | None) -> None:
        with suppress(OSError):  # it has died; whoever reads from it next will notice
            worker.pipe.send_bytes(pickle.dumps(batch, protocol=5))

    def _receive(self, worker: WorkerHandle) -> list[Finished]:
        results: list[Result] | LangcrawlError = pickle.loads(worker.pipe.recv_bytes())
        if isinstance(results, LangcrawlError):  # the machine's failure, not the page's
            raise results
        done = []
        for result in results:
            visit = worker.visits.pop(result.number)
            self._note(visit.host, result.answer)
            done.append(Finished(visit, result.answer, result.verdict, result.asked))
        return done

    def recall_trouble(self, host: str, error: str, times: int) -> None:
        """A host failed when an earlier process asked it last."""
        self.troubles[host] = Trouble(error, times)

    def _note(self, host: str, answer: Page | Sitemap | Refused | Later) -> None:
        """Remember whether the host is in trouble."""
        what = answer.instead if isinstance(answer, Later) else answer
        if isinstance(answer, Later) and isinstance(what, Refused):
            error = what.reason
        elif isinstance(what, Page) and (isinstance(answer, Later) or not what.status):
            error = what.error or str(what.status)
        else:
            if isinstance(answer, (Page, Sitemap)):
                self.troubles.pop(host, None)
            return
        before = self.troubles.pop(host, None)
        self.troubles[host] = Trouble(error, before.times + 1 if before else 1)
        if len(self.troubles) > _TROUBLES:
            del self.troubles[next(iter(self.troubles))]

    def _look_after(self) -> list[Finished]:
        """Replace workers that have not shown a sign of life for too long."""
        self._looked_at = now = time.monotonic()
        done: list[Finished] = []
        for slot, worker in enumerate(self._workers):
            if now - worker.heartbeat.beat > self._patience or not worker.process.is_alive():
                done += self._replace(slot)
        return done

    def _replace(self, slot: int) -> list[Finished]:
        """Start another worker; say of each of its visits what became of it."""
        worker = self._workers[slot]
        ended = not worker.process.is_alive()
        worker.process.kill()
        worker.process.join()
        done = self._last_words(worker)
        worker.pipe.close()
        self.replaced += 1
        self._stillborn = self._stillborn + 1 if worker.heartbeat.beat == worker.first_beat else 0
        if self._stillborn == _STILLBORN:
            raise LangcrawlError(
                "the download processes end as soon as they start. A script that "
                "crawls needs 'if __name__ == \"__main__\":' before the call; "
                "otherwise see what they "
                "wrote above."
            )
        self._workers[slot] = self._start()
        self._tell_of_death(worker, ended)
        now = self.clock.now()
        for number, visit in worker.visits.items():
            answer: Page | Later = Later()
            if number == worker.heartbeat.busy_with:
                if visit.host in self._careful:
                    answer = Page(visit.url, 0, fetched_at=now, error="worker-died")
                self._careful.add(visit.host)
            done.append(Finished(visit, answer, asked=Asked(now)))
        return done

    def _tell_of_death(self, worker: WorkerHandle, ended: bool) -> None:
        """Say that a download process was replaced, and what it was reading."""
        busy = worker.visits.get(worker.heartbeat.busy_with)
        how = f"ended ({_status(worker.process.exitcode)})" if ended else "gave no sign of life"
        reading = f" while it was reading {busy.url}" if busy else ""
        self._tell_of(
            "worker-died",
            f"a download process {how}{reading}; another takes over its "
            f"{len(worker.visits):,} visits.",
            url=busy.url if busy else None,
            visits=len(worker.visits),
            exit_status=worker.process.exitcode if ended else None,
        )

    def _wait_for_end(self, worker: WorkerHandle) -> list[Finished]:
        """What a worker that was told to end still has to say; one that does not end is ended."""
        done: list[Finished] = []
        deadline = time.monotonic() + _GOODBYE
        while time.monotonic() < deadline and worker.process.is_alive():
            if worker.pipe.poll(0.05):
                done += self._last_words(worker)
        worker.process.join(1.0)
        if worker.process.is_alive():
            worker.process.kill()
            worker.process.join()
        done += self._last_words(worker)
        worker.pipe.close()
        return done

    def _last_words(self, worker: WorkerHandle) -> list[Finished]:
        """Results that a worker has sent; whatever else it says does not matter any more."""
        done: list[Finished] = []
        with suppress(EOFError, OSError, pickle.UnpicklingError, LangcrawlError):
            while worker.pipe.poll(0):
                done += self._receive(worker)
        return done


def _status(code: int | None) -> str:
    """How a process ended, in words."""
    if code is not None and code < 0:
        return f"signal {-code}"
    return f"status {code}"
