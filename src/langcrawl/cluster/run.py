"""Wires a crawl of several shards: from its settings to the driver, and to one result."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from math import inf
from pathlib import Path
from typing import Any

from langcrawl import __version__
from langcrawl.archive.repair import check_wal
from langcrawl.cluster.driver import Driver, Starter
from langcrawl.cluster.growth import grow
from langcrawl.cluster.local import LocalShard
from langcrawl.cluster.messages import Start
from langcrawl.config import CrawlConfig
from langcrawl.errors import BadInput, UsageError
from langcrawl.judge import pinned
from langcrawl.ports import Sink, Tell
from langcrawl.run import check_plan, listener, run_crawl
from langcrawl.store.database import connect, new_seed, seed_of, set_up, take_seed
from langcrawl.store.directory import CrawlDirectory
from langcrawl.store.events import NOTICE, EventLog
from langcrawl.store.migrate import convert
from langcrawl.store.status import Status
from langcrawl.store.view import read_status
from langcrawl.store.watch import Audience

_PATIENCE = 60.0
"""Seconds in which a shard is to notice that its driver is gone; they are busy for a moment."""


def crawl(
    directory: Path,
    config: CrawlConfig,
    sinks: Sequence[Sink] = (),
    stop: Callable[[], bool] = lambda: False,
    audience: Audience | None = None,
    retry: Collection[str] | None = None,
) -> dict[str, Any]:
    """Crawl with as many shards as the config says; with one, this is `run_crawl`.

    The steps of several shards are not passed on to sinks.
    """
    place = CrawlDirectory(directory)
    if whole := place.whole:
        raise BadInput(f"'{directory}' is a shard of the crawl in '{whole}'; resume that one.")
    if config.shards == 1 and not place.parts and not config.cluster:
        return run_crawl(directory, config, sinks, stop, audience, retry)
    config = config.model_copy(update={"judge": pinned(config.judge)})
    check_plan(config, place)
    audience = audience or listener()
    with place.locked(), EventLog(directory, audience.hear) as tell:
        config = prepare(place, config, tell)
        starts = [
            Start(place.part(number), number, config.shards, config, inf, retry)
            for number in range(config.shards)
        ]
        before = [read_status(start.directory) if _has_begun(start) else None for start in starts]
        downloaded = [found.pages if found else 0 for found in before]
        tell(
            "start", f"starting {config.shards} shards with {sum(downloaded):,} pages.",
            version=__version__, pid=os.getpid(), lang=config.lang, strategy=config.strategy,
            pages=sum(downloaded), queue=sum(found.queue for found in before if found),
            shards=config.shards,
        )  # fmt: skip
        with _starter(config) as start_shard:
            driver = Driver(place, config, start_shard, tell, audience, stop)
            stopped = driver.run(starts, downloaded)
        found = read_status(place.path)
        tell(
            "stop", f"stopped ({stopped}) with {found.pages:,} pages, {found.relevant:,} of them "
            f"in {config.lang}, and {found.queue:,} URLs waiting.",
            stopped=stopped, pages=found.pages, relevant=found.relevant, queue=found.queue,
            bytes=found.bytes, seconds=round(found.seconds, 1),
        )  # fmt: skip
    return result_of(found, stopped) | {"told_to_stop": driver.told_to_stop}


@contextmanager
def _starter(config: CrawlConfig) -> Iterator[Starter]:
    """What starts shards where they are to run."""
    if not config.cluster:
        yield LocalShard
        return
    from langcrawl.cluster.actors import on_ray

    with on_ray(config) as start:
        yield start


def _has_begun(start: Start) -> bool:
    return (start.directory / "crawl.toml").exists()


def prepare(place: CrawlDirectory, config: CrawlConfig, tell: Tell) -> CrawlConfig:
    """Make the directories of the shards, or of more of them; the config that holds then."""
    _wait_for_the_last_run(place)
    there, saved = len(place.parts), config.shards
    if place.config.exists():
        saved = CrawlConfig.load(place.path).shards
        if not there and place.database.exists():
            raise BadInput(
                f"the crawl in '{place.path}' was started without --shards; start a new one with "
                "them."
            )
    if there and config.shards < saved:
        raise UsageError(
            f"the crawl in '{place.path}' has {saved} shards; there can be more, but not fewer."
        )
    if lost := place.lost_shard(saved):
        raise BadInput(lost)
    shards = max(config.shards, there)  # more than were asked for: a growth was cut off
    config = config.model_copy(update={"shards": shards})
    if not there:
        config.save(place.path)
    notice = partial(tell, NOTICE)
    for part in map(CrawlDirectory, place.parts):
        with part.locked():
            check_wal(part, notice)
            convert(part, notice)
    _make_databases(place, shards)
    if there and saved < shards:
        hosts = grow(place, config, saved)
        tell(
            "grown", f"the crawl has {shards} shards instead of {saved}; {hosts:,} hosts moved.",
            shards=shards, before=saved, hosts=hosts,
        )  # fmt: skip
    config.save(place.path)
    return config


def _wait_for_the_last_run(place: CrawlDirectory) -> None:
    """Shards of a driver that was killed end by themselves, once they miss it."""
    patience = time.monotonic() + _PATIENCE
    for part in place.parts:
        while CrawlDirectory(part).is_running:
            if time.monotonic() > patience:
                raise BadInput(f"a shard still crawls into '{part}'; end its process first.")
            time.sleep(0.05)


def _make_databases(place: CrawlDirectory, shards: int) -> None:
    """A database for each shard, with fingerprints that are the same in all of them."""
    seed = new_seed()
    for number in range(shards):
        part = CrawlDirectory(place.part(number))
        part.path.mkdir(parents=True, exist_ok=True)
        with closing(connect(part.database)) as connection:
            set_up(connection)
            if number == 0:
                seed = seed_of(connection)
            take_seed(connection, seed)


def result_of(found: Status, stopped: str) -> dict[str, Any]:
    """The JSON of ``crawl``."""
    keys = (
        "pages", "relevant", "harvest", "answers", "failures", "queue", "bytes", "requests",
        "seconds", "discards", "errors", "silences", "notes", "languages",
    )  # fmt: skip
    return {key: getattr(found, key) for key in keys} | {"stopped": stopped}
