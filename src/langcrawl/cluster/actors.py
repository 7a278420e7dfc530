"""Shards as actors of a Ray cluster, spread over its nodes (``pip install langcrawl[cluster]``).

The directory of the crawl must be on a file system that all nodes share. The driver asks each actor
again and again for what it has to say, and hands it what others say. An actor that cannot be asked
is lost, whatever Ray says of the reason: the driver starts another one, which waits for the lock of
the directory and lets the hosts that were being asked rest a full delay. An actor that is not asked
any more ends by itself, so no two ever work in one directory.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any

from langcrawl.cluster.messages import Down, Start, Up
from langcrawl.config import CrawlConfig
from langcrawl.errors import LangcrawlError, UsageError

_ANSWER_WITHIN = 0.1
"""Seconds that an actor waits for something to say before it answers that there is nothing."""
_LONELY = 60.0
"""Seconds without the driver after which an actor ends."""
_LOST = 120.0
"""Seconds without an answer after which an actor is given up."""
_FIRST_ANSWER = 900.0
"""The same for its first answer: a cluster may have to make room for it, or to start a machine."""


class ActorChannel:
    """A shard's way to the driver: two queues that the actor empties and fills."""

    def __init__(self) -> None:
        self._inbound: deque[Down] = deque()
        self._come = threading.Condition()
        self._outbound: SimpleQueue[Up] = SimpleQueue()

    def poll(self, seconds: float) -> bool:
        with self._come:
            if not self._inbound and seconds:
                self._come.wait(seconds)
            return bool(self._inbound)

    def receive(self) -> Down:
        return self._inbound.popleft()

    def send(self, message: Up) -> None:
        self._outbound.put(message)

    def exchange(self, messages: list[Down]) -> list[Up]:
        """Hand messages to the shard; what it has to say, at least something unless it is quiet."""
        if messages:
            with self._come:
                self._inbound += messages
                self._come.notify()
        said: list[Up] = []
        try:
            said.append(self._outbound.get(timeout=_ANSWER_WITHIN))
            while True:
                said.append(self._outbound.get_nowait())
        except Empty:
            return said


class ShardActor:
    """What runs in a cluster: one shard in a thread, and its channel."""

    def __init__(self, start: Start) -> None:
        self._channel, self._asked_at = ActorChannel(), time.monotonic()
        self._thread = threading.Thread(target=self._run, args=(start,), daemon=True)
        self._thread.start()
        threading.Thread(target=self._end_if_lonely, daemon=True).start()

    def _run(self, start: Start) -> None:
        import langcrawl.cluster.preloaded  # noqa: F401
        from langcrawl.cluster.shard import run_shard

        try:
            run_shard(start, self._channel)
        except BaseException:
            import traceback

            traceback.print_exc()
            os._exit(1)

    def exchange(self, messages: list[Down]) -> list[Up] | None:
        """See `ActorChannel.exchange`; None once the shard is through and all is said."""
        self._asked_at = time.monotonic()
        over = not self._thread.is_alive()
        said = self._channel.exchange(messages)
        return None if over and not said else said

    def _end_if_lonely(self) -> None:
        while time.monotonic() - self._asked_at < _LONELY:
            time.sleep(1.0)
        os._exit(1)


class RayShard:
    """The driver's end: a thread that asks the actor."""

    def __init__(self, ray: Any, start: Start, inbox: SimpleQueue[tuple[Any, Up | None]]) -> None:
        self._ray, self._inbox = ray, inbox
        made = ray.remote(ShardActor).options(
            num_cpus=start.config.workers or 1, scheduling_strategy="SPREAD", max_restarts=0
        )
        try:
            self._actor = made.remote(start)
        except Exception as error:  # whatever it is, Ray itself is gone
            raise LangcrawlError(
                f"the cluster is lost ({type(error).__name__}); once there is one again, the same "
                "command resumes the crawl."
            ) from None
        self._outbox: SimpleQueue[Down] = SimpleQueue()
        self._how = "it is through"
        threading.Thread(target=self._pump, daemon=True).start()

    def send(self, message: Down) -> None:
        self._outbox.put(message)

    def end(self) -> str:
        self.kill()
        return self._how

    def kill(self) -> None:
        with suppress(Exception):  # it may be gone, and Ray with it
            self._ray.kill(self._actor, no_restart=True)

    def _pump(self) -> None:
        messages: list[Down] = []
        patience = _FIRST_ANSWER
        try:
            while True:
                messages.clear()
                while not self._outbox.empty():
                    messages.append(self._outbox.get())
                answer = self._actor.exchange.remote(messages)
                said = self._ray.get(answer, timeout=patience)
                patience = _LOST
                if said is None:
                    break
                for message in said:
                    self._inbox.put((self, message))
        except Exception as error:  # also where Ray itself has ended: the shard is lost
            self._how = type(error).__name__
        self._inbox.put((self, None))


@contextmanager
def on_ray(config: CrawlConfig) -> Iterator[Callable[..., RayShard]]:
    """What starts shards on a cluster."""
    with joined(config.cluster) as ray:
        yield partial(RayShard, ray)


@contextmanager
def joined(cluster: str) -> Iterator[Any]:
    """Ray, as a part of this cluster. What it prints meanwhile goes to standard error."""
    try:
        import ray
    except ImportError:
        raise UsageError(
            "--cluster needs Ray; install it with 'pip install langcrawl[cluster]'."
        ) from None
    with redirect_stdout(sys.stderr):
        was_there = ray.is_initialized()
        if not was_there:
            _join(ray, cluster)
        try:
            yield ray
        finally:
            if not was_there:
                ray.shutdown()


def _join(ray: Any, cluster: str) -> None:
    try:
        ray.init(
            address=cluster, log_to_driver=False,  # "local" is Ray's own word for a new one here
            include_dashboard=False, configure_logging=False, logging_level="ERROR",
        )  # fmt: skip
    except (ConnectionError, RuntimeError, ValueError) as error:
        why = str(error).splitlines()[0]
        raise LangcrawlError(f"the cluster '{cluster}' cannot be reached: {why}") from None
