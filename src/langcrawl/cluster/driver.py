"""The driver of a crawl of several shards: starts them, carries what they say, knows the end.

It keeps nothing that cannot be had again from the directories of the shards, so it may die like
any of them. A shard that dies is started anew and recovers from its own database; what it was sent
and had not committed is sent again by whoever sent it. The crawl is over when every shard has
nothing to do, has heard all that was sent to it, and has been told that all it sent is committed.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any, Protocol

from langcrawl.changes import LIMITS, changed
from langcrawl.cluster.allowance import Allowance
from langcrawl.cluster.messages import (
    Ack,
    Batch,
    Down,
    Ended,
    Event,
    Order,
    Report,
    Start,
    Stop,
    Up,
)
from langcrawl.config import CrawlConfig
from langcrawl.errors import LangcrawlError
from langcrawl.settings import max_requests_of
from langcrawl.store.control import Command, ControlSocket
from langcrawl.store.directory import CrawlDirectory
from langcrawl.store.events import EventLog
from langcrawl.store.status import Status, sum_statuses
from langcrawl.store.watch import Audience

_BLINK = 0.1
_SHOW_EVERY = 1.0
_STILLBORN = 5
"""Times in a row that a shard may end before it has said how it stands."""
_WHOLE = ("max_pages", "max_bytes", "max_time", "max_requests")


class Handle(Protocol):
    """A running shard as the driver sees it. What it says comes through an inbox; None at last."""

    def send(self, message: Down) -> None: ...

    def end(self) -> str:
        """Wait until it is gone; how it ended."""

    def kill(self) -> None:
        """End it at once."""


Inbox = SimpleQueue[tuple[Any, Up | None]]
Starter = Callable[[Start, Inbox], Handle]


@dataclass(slots=True)
class _Shard:
    """A shard and what is known of it."""

    handle: Handle
    carried: int = 0
    """Batches that were carried to this process."""
    report: Report | None = None
    status: Status | None = None
    ended: bool = False
    stillborn: int = 0

    @property
    def why_idle(self) -> str:
        """Why it has nothing to do, if that is certain."""
        report = self.report
        if report is None or report.outbox or report.heard != self.carried:
            return ""
        return report.idle


class Driver:
    """Runs the shards of one crawl from the start of a run to its end."""

    def __init__(
        self,
        place: CrawlDirectory,
        config: CrawlConfig,
        start: Starter,
        tell: EventLog,
        audience: Audience,
        stop: Callable[[], bool],
    ) -> None:
        self.config = config
        self.told_to_stop = False
        self._place, self._start_shard, self._tell = place, start, tell
        self._audience, self._stop = audience, stop
        self._inbox: Inbox = SimpleQueue()
        self._shards: list[_Shard] = []
        self._paused = False
        self._began, self._show_at = time.monotonic(), 0.0

    def run(self, starts: list[Start], downloaded: list[int]) -> str:
        """Crawl; why it ended."""
        self._starts = starts
        self._allowance = Allowance(self.config.max_pages, downloaded)
        try:
            for number in range(len(starts)):
                self._shards.append(_Shard(self._begin(number)))
            return self._run()
        except BaseException:  # also Ctrl-C for the second time: nothing is to go on by itself
            for shard in self._shards:
                shard.handle.kill()
            raise

    def _run(self) -> str:
        with ControlSocket(self._place.path, self._tell.notice) as channel:
            while not (stopped := self._over()):
                self._take_some()
                self._share_out()
                for command in channel.commands():
                    command.take(self._obey)
                self._show(channel)
        self._end()
        return stopped

    def _begin(self, number: int) -> Handle:
        start = self._starts[number]._replace(allowed=self._allowance.allowed[number])
        return self._start_shard(start, self._inbox)

    def _over(self) -> str:
        """Why the crawl ends now, if it does."""
        if self._stop() or self.told_to_stop:
            return "interrupted"
        reports = [shard.report for shard in self._shards]
        known = [report for report in reports if report is not None]
        total = Counter[str]()
        for report in known:
            total.update(pages=report.pages, bytes=report.bytes, requests=report.requests)
        total["time"] = int(time.monotonic() - self._began)
        limits = {name: getattr(self.config, f"max_{name}") for name in ("pages", "bytes", "time")}
        limits["requests"] = max_requests_of(self.config)
        if len(known) == len(reports):
            for name, limit in limits.items():
                if limit is not None and total[name] >= limit:
                    return f"max-{name}"
        why = {shard.why_idle for shard in self._shards}
        if why <= {"queue-empty", "no-answer"}:
            return "no-answer" if "no-answer" in why else "queue-empty"
        return ""

    def _take_some(self) -> None:
        """Take what the shards have said; wait a moment where nothing has come."""
        with suppress(Empty):
            handle, message = self._inbox.get(timeout=_BLINK)
            while True:
                self._take(handle, message)
                handle, message = self._inbox.get_nowait()

    def _take(self, handle: Handle, message: Up | None) -> None:
        number = next((n for n, one in enumerate(self._shards) if one.handle is handle), None)
        if number is None:
            return
        shard = self._shards[number]
        if isinstance(message, Batch):
            self._shards[message.receiver].carried += 1
            self._shards[message.receiver].handle.send(message)
        elif isinstance(message, Ack):
            self._shards[message.sender].handle.send(message)
        elif isinstance(message, Report):
            shard.report, shard.stillborn = message, 0
        elif isinstance(message, Status):
            shard.status = message
        elif isinstance(message, Event):
            self._audience.hear(message.event, f"shard {number}: {message.words}")
        elif isinstance(message, Ended):
            shard.ended = True
            if message.error:
                self._end()
                raise LangcrawlError(f"shard {number}: {message.error}")
        elif not shard.ended:
            self._replace(number)

    def _replace(self, number: int) -> None:
        """A shard has died: start it anew."""
        shard = self._shards[number]
        how = shard.handle.end()
        self._tell(
            "shard-died",
            f"shard {number} ended ({how}); it is started anew.",
            shard=number,
            how=how,
        )
        if shard.stillborn >= _STILLBORN:
            shard.ended = True
            self._end()
            raise LangcrawlError(
                f"shard {number} ends as soon as it starts; see what it wrote above."
            )
        self._allowance.forget(number)
        fresh = _Shard(self._begin(number), status=shard.status, stillborn=shard.stillborn + 1)
        self._shards[number] = fresh
        if self._paused:
            fresh.handle.send(Order("pause", {}))

    def _share_out(self) -> None:
        reports = self._reports()
        for number, order in self._allowance.orders(reports).items():
            self._shards[number].handle.send(order)

    def _reports(self) -> dict[int, Report]:
        return {
            number: shard.report
            for number, shard in enumerate(self._shards)
            if shard.report is not None
        }

    def _obey(self, command: Command) -> dict[str, Any]:
        """Do what came through the local channel of the whole crawl."""
        if command.do == "stop":
            self.told_to_stop = True
        elif command.do in ("pause", "resume"):
            self._paused = command.do == "pause"
            self._broadcast(Order(command.do, {}))
        else:
            self._change(command.about)
        return {"ok": True, "paused": self._paused, "stopping": self.told_to_stop}

    def _change(self, said: Mapping[str, Any]) -> None:
        """Settings change: limits of the whole crawl here, all others in the shards."""
        self.config = changed(self._place.path, said)
        self.config.save(self._place.path)
        whole = [key for key in _WHOLE if key in said and key in LIMITS]
        if "max_pages" in whole:
            orders = self._allowance.change(self.config.max_pages, self._reports())
            for number, order in orders.items():
                self._shards[number].handle.send(order)
        if rest := {key: value for key, value in said.items() if key not in _WHOLE}:
            self._broadcast(Order("change", rest))

    def _broadcast(self, message: Down) -> None:
        for shard in self._shards:
            if not shard.ended:
                shard.handle.send(message)

    def _show(self, channel: ControlSocket) -> None:
        """Say how all shards stand together, once a second."""
        if time.monotonic() < self._show_at:
            return
        self._show_at = time.monotonic() + _SHOW_EVERY
        statuses = {n: one.status for n, one in enumerate(self._shards) if one.status is not None}
        if len(statuses) == len(self._shards):
            status = sum_statuses(statuses, self._tell.last, self.config.max_pages)
            channel.publish(status)
            self._audience.look(status)

    def _end(self) -> None:
        """Have all shards end in order; one that dies meanwhile recovers in the next run."""
        self._broadcast(Stop())
        left = {id(shard.handle) for shard in self._shards if not shard.ended}
        while left:
            handle, message = self._inbox.get()
            if message is None or isinstance(message, Ended):
                left.discard(id(handle))
        for shard in self._shards:
            shard.handle.end()
