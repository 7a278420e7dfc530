"""Shards as processes of this machine, each with a pipe to the driver."""

from __future__ import annotations

import multiprocessing
import os
import signal
from contextlib import suppress
from multiprocessing.connection import Connection
from queue import SimpleQueue
from threading import Thread

from langcrawl.cluster.messages import Down, Start, Up

_GOODBYE = 30.0
_PRELOADED = ["langcrawl.cluster.preloaded", "langcrawl.web.unhurried"]


class PipeChannel:
    """A shard's end of the pipe. Without the driver there is no crawl, so the process ends."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe

    def poll(self, seconds: float) -> bool:
        try:
            return self._pipe.poll(seconds)
        except OSError:
            os._exit(1)

    def receive(self) -> Down:
        try:
            message: Down = self._pipe.recv()
            return message
        except (EOFError, OSError):
            os._exit(1)  # what was committed counts; the rest is as if the process had been killed

    def send(self, message: Up) -> None:
        try:
            self._pipe.send(message)
        except OSError:
            os._exit(1)


def _main(pipe: Connection, start: Start) -> None:
    """What the process of a shard does from its start to its end."""
    from langcrawl.cluster.shard import run_shard

    for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(name, signal.SIG_IGN)  # the driver ends a crawl
    run_shard(start, PipeChannel(pipe))


class LocalShard:
    """The driver's end: a process, a thread that reads from it and one that writes to it."""

    def __init__(self, start: Start, inbox: SimpleQueue[tuple[LocalShard, Up | None]]) -> None:
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(_PRELOADED)
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_main, args=(theirs, start))
        self._process.start()
        theirs.close()
        self.pid = self._process.pid
        self._inbox, self._outbox = inbox, SimpleQueue[Down | None]()
        for work in (self._read, self._write):
            Thread(target=work, daemon=True).start()

    def send(self, message: Down) -> None:
        """Hand a message over; it waits where the shard is busy."""
        self._outbox.put(message)

    def end(self) -> str:
        """Wait for the process, which has said its last word; how it ended."""
        self._outbox.put(None)
        self._process.join(_GOODBYE)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()
        code = self._process.exitcode
        return f"signal {-code}" if code is not None and code < 0 else f"status {code}"

    def kill(self) -> None:
        self._process.kill()

    def _read(self) -> None:
        with suppress(EOFError, OSError):
            while True:
                self._inbox.put((self, self._pipe.recv()))
        self._inbox.put((self, None))

    def _write(self) -> None:
        with suppress(OSError):
            while (message := self._outbox.get()) is not None:
                self._pipe.send(message)
