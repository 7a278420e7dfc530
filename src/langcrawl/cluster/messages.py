"""What the driver and the shards of a crawl say to each other.

Whatever carries them, each way is first come, first served; a message may be lost only together
with the process that was to read it. Nothing else is assumed.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from langcrawl.config import CrawlConfig
from langcrawl.store.status import Status


class Start(NamedTuple):
    """What a shard is told before it begins."""

    directory: Path
    number: int
    shards: int
    config: CrawlConfig
    allowed: float
    """Pages that it may download, those of earlier runs included."""
    retry: Collection[str] | None


class Batch(NamedTuple):
    """Links for another shard; its number counts the batches from one shard to the other."""

    sender: int
    receiver: int
    number: int
    offers: str
    """JSON, see `langcrawl.cluster.wire`."""


class Ack(NamedTuple):
    """The receiver has committed all batches of the sender up to this number."""

    sender: int
    receiver: int
    number: int


class Allow(NamedTuple):
    """Download so many pages and no more; a shard that has begun more allows itself those."""

    order: int
    pages: float


class Order(NamedTuple):
    """A command of the local channel: pause, resume or change."""

    do: str
    about: dict[str, Any]


class Stop(NamedTuple):
    """End in order."""


class Report(NamedTuple):
    """How a shard stands. It is sent when something has changed."""

    heard: int
    """Batches that have reached this process."""
    outbox: int
    """Batches that no receiver has committed yet, as far as is known here."""
    idle: str
    """Why it has nothing to do: ``queue-empty``, ``no-answer``, ``full``; empty where it works."""
    begun: int
    """Pages that were downloaded or are under way."""
    pages: int
    bytes: int
    requests: int
    order: int
    """The last `Allow` that it took."""
    allowed: float


class Event(NamedTuple):
    """Something happened in a shard."""

    event: str
    words: str


class Ended(NamedTuple):
    """A shard is through; with a sentence where it failed."""

    error: str = ""


Down = Batch | Ack | Allow | Order | Stop
"""To a shard."""
Up = Batch | Ack | Report | Event | Ended | Status
"""From a shard."""


class Channel(Protocol):
    """A shard's way to the driver."""

    def poll(self, seconds: float) -> bool:
        """Whether a message waits, or comes within so many seconds."""

    def receive(self) -> Down: ...

    def send(self, message: Up) -> None: ...
