"""The only wiring of a live crawl: config to objects, objects to a crawl, crawl to files."""

from __future__ import annotations

import fcntl
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from langcrawl.config import CrawlConfig
from langcrawl.crawl import Crawl, Limits, Outcome
from langcrawl.errors import BadInput, UsageError
from langcrawl.frontier.memory import MemoryFrontier
from langcrawl.judge import make_judge
from langcrawl.languages import load_pack
from langcrawl.politeness import Politeness
from langcrawl.ports import Sink
from langcrawl.strategy import make_strategy
from langcrawl.virtualweb.log import LogWriter, segments
from langcrawl.virtualweb.recall import recorded
from langcrawl.web.guard import ConnectTo
from langcrawl.web.live import LiveWeb
from langcrawl.web.worker import Manners


def run_crawl(
    directory: Path,
    config: CrawlConfig,
    sinks: Sequence[Sink] = (),
    stop: Callable[[], bool] = lambda: False,
) -> dict[str, Any]:
    """Crawl into a directory, or go on with the crawl that is there; the JSON of ``crawl``."""
    strategy = make_strategy(config.strategy)
    if strategy.oracle:
        raise UsageError(f"'{strategy.name}' is an oracle: it works in 'langcrawl simulate' only.")
    judge = make_judge(load_pack(config.lang), config.judge)
    for text in config.connect_to:
        ConnectTo.parse(text)
    if not config.seeds:
        raise BadInput("there are no seeds to start from; give a URL or a file with --seeds.")
    with locked(directory):
        log = LogWriter(directory)
        web = LiveWeb(judge, manners_of(config))
        try:
            config.save(directory)
            crawl = Crawl(
                web,
                MemoryFrontier(strategy.last_first),
                strategy,
                politeness=Politeness(config.delay),
                bridge=config.bridge,
                limits=limits_of(config),
                connections=config.connections,
                sinks=(log, *sinks),
                stop=stop,
            )
            began = time.monotonic()
            outcome = _go_on(crawl, directory, config)
        finally:
            web.close()
            log.close()
        spent = config.spent + time.monotonic() - began
        config.model_copy(update={"spent": spent}).save(directory)
    return summary(outcome, spent)


@contextmanager
def locked(directory: Path) -> Iterator[None]:
    """Keep others from crawling into the same directory."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        lock = (directory / ".lock").open("w")
    except OSError as error:
        raise BadInput(f"'{directory}' cannot be written to ({error.strerror}).") from None
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BadInput(
                f"another process is crawling into '{directory}'; stop it first."
            ) from None
        yield


def _go_on(crawl: Crawl, directory: Path, config: CrawlConfig) -> Outcome:
    """Take in what an earlier run has downloaded, and crawl from there."""
    if segments(directory):
        crawl.seed(config.seeds)
        for finished in recorded(directory, config.bridge.split("-")[0]):
            crawl.recall(finished)
    return crawl.run(config.seeds)


def summary(outcome: Outcome, seconds: float) -> dict[str, Any]:
    """A finished crawl in numbers."""
    return {
        "pages": outcome.pages,
        "relevant": outcome.relevant,
        "harvest": outcome.relevant / outcome.pages if outcome.pages else 0.0,
        "queue": outcome.queue,
        "bytes": outcome.bytes,
        "seconds": seconds,
        "stopped": outcome.stopped,
        "discards": outcome.discards,
    }


def limits_of(config: CrawlConfig) -> Limits:
    """The limits that a config sets."""
    return Limits(
        config.max_pages,
        config.max_bytes,
        config.max_time,
        config.max_depth,
        config.max_pages_per_host,
    )


def manners_of(config: CrawlConfig) -> Manners:
    """How the crawl behaves towards servers."""
    return Manners(
        config.user_agent,
        config.contact,
        config.delay,
        config.timeout,
        config.max_page_bytes,
        config.connect_to,
        config.connections,
    )
