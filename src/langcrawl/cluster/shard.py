"""One shard of a crawl: an ordinary crawl, in its own directory, that exchanges links with others.

`run_shard` is the same wherever it runs: in a process of this machine (`langcrawl.cluster.local`)
or in an actor of a cluster (`langcrawl.cluster.actors`).
"""

from __future__ import annotations

import time
from math import inf
from pathlib import Path

from langcrawl.cluster.exchange import Exchange
from langcrawl.cluster.messages import Channel, Ended, Event, Start
from langcrawl.config import CrawlConfig
from langcrawl.errors import BadInput, LangcrawlError
from langcrawl.parallel import cores
from langcrawl.run import run_crawl
from langcrawl.settings import workers_of
from langcrawl.store.directory import CrawlDirectory
from langcrawl.store.status import Status

_WHOLE = ("max_pages", "max_bytes", "max_time", "max_requests")
"""Limits of the whole crawl, which the driver holds."""
_PATIENCE = 60.0
"""Seconds that the process before may take to let go of the directory."""


def run_shard(start: Start, channel: Channel) -> None:
    """Crawl until the driver says that it is enough; what goes wrong is told to it."""
    try:
        _wait_for(start.directory)
        exchange = Exchange(start, channel)
        run_crawl(
            start.directory, config_of(start.config, start.shards), (), exchange.turn,
            _Teller(channel), start.retry, exchange,
        )  # fmt: skip
    except LangcrawlError as error:
        channel.send(Ended(str(error)))
    else:
        channel.send(Ended())


def config_of(config: CrawlConfig, shards: int) -> CrawlConfig:
    """The settings of one shard: those of the crawl without what holds for all shards together."""
    alone = config.model_copy(update=dict.fromkeys(_WHOLE) | {"shards": 1, "cluster": ""})
    if config.workers is None and not config.cluster:
        alone = alone.model_copy(update={"workers": min(workers_of(alone), -(-cores() // shards))})
    return alone


def _wait_for(directory: Path) -> None:
    """Wait while the process before this one is on its way out."""
    place, deadline = CrawlDirectory(directory), time.monotonic() + _PATIENCE
    while True:
        try:
            with place.locked():
                return
        except BadInput:
            if not place.is_running or time.monotonic() > deadline:
                raise
        time.sleep(0.05)


class _Teller:
    """Passes on to the driver what a user is to hear and see."""

    warn_after = inf
    """A shard may well have nothing to do."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    def hear(self, event: str, words: str, /) -> None:
        self._channel.send(Event(event, words))

    def look(self, status: Status, /) -> None:
        self._channel.send(status)
