"""The only wiring of a live crawl: config to objects, objects to a crawl, crawl to files."""

from __future__ import annotations

import fcntl
import gc
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from langcrawl.config import CrawlConfig
from langcrawl.counts import Limits, Outcome
from langcrawl.crawl import Crawl
from langcrawl.errors import NO_ROOM, BadInput, DiskFull, UsageError
from langcrawl.frontier.sqlite import SqliteFrontier
from langcrawl.judge import make_anchor_scorer, make_judge
from langcrawl.languages import load_pack
from langcrawl.ledger import DATABASE, Ledger
from langcrawl.politeness import Politeness
from langcrawl.ports import Judge, Sink
from langcrawl.scope import CrawlScope, read_hosts
from langcrawl.strategy import make_strategy
from langcrawl.virtualweb.journal import Journal, archived_bytes
from langcrawl.virtualweb.log import read_batches, segments
from langcrawl.virtualweb.pool import cores
from langcrawl.web.archive import Archive, mend, seal
from langcrawl.web.cdxj import Capture, write_index
from langcrawl.web.fetch import Manners
from langcrawl.web.guard import ConnectTo
from langcrawl.web.live import LiveWeb
from langcrawl.web.worker import Keeping, Worker

_MOST_WORKERS = 8
_MOST_REDIRECTS = 20
"""In a row, as in browsers."""
_ALLOCATIONS = 100_000
"""New objects until the collector looks at them."""
_POLITE_TO_ADDRESSES = 0.2
"""Seconds between two requests to one address, unless the user says otherwise."""


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
    scope = scope_of(config)
    for text in config.connect_to:
        ConnectTo.parse(text)
    if not config.seeds:
        raise BadInput("there are no seeds to start from; give a URL or a file with --seeds.")
    with locked(directory), few_collections(), _room_to_write():
        _check_age(directory)
        config.save(directory)
        frontier = SqliteFrontier(directory / DATABASE, strategy.last_first)
        try:
            journal = Journal(directory, frontier.connection, frontier.id_of)
            _mend(directory, frontier)
            web = LiveWeb(partial(_make_worker, directory, config, judge), workers_of(config))
            try:
                crawl = Crawl(
                    web,
                    frontier,
                    strategy,
                    politeness=politeness_of(config),
                    scope=scope,
                    bridge=config.bridge,
                    limits=limits_of(config),
                    connections=config.connections,
                    retries=config.retries,
                    max_redirects=_MOST_REDIRECTS,
                    nofollow=config.nofollow,
                    sinks=(journal, *sinks),
                    stop=stop,
                )
                ledger = Ledger(crawl, frontier)
                ledger.restore()
                frontier.at_commit += [journal.save, ledger.save]
                outcome = crawl.run(config.seeds)
            finally:
                web.close()
            frontier.at_commit.append(partial(journal.save, all_of_it=True))
            frontier.settle()
            _mend(directory, frontier)
            seal(directory / "warc")
            write_index(directory / "warc", _captures(directory, frontier.url_of))
        finally:
            frontier.close()
    return summary(outcome)


def _make_worker(directory: Path, config: CrawlConfig, judge: Judge, slot: int) -> Worker:
    manners = manners_of(config)
    about = {
        "http-header-user-agent": manners.agent_line,
        "operator": config.contact,
        "robots": "obey",
        "description": f"pages in {config.lang}, strategy {config.strategy}",
    }
    archive = Archive(directory / "warc", slot, about)
    keeping = Keeping(
        config.store == "relevant",
        config.types == "all",
        config.noindex,
        config.sitemaps,
        config.normalize,
    )
    scorer = None
    if make_strategy(config.strategy).gathers:
        scorer = make_anchor_scorer(load_pack(config.lang)).score
    return Worker(judge, manners, archive, keeping, scorer, ip_delay_of(config) > 0)


def _mend(directory: Path, frontier: SqliteFrontier) -> None:
    """Cut the archive back to what the database knows of; say what a power cut took."""
    for name in mend(directory / "warc", archived_bytes(frontier.connection)):
        print(
            f"langcrawl: the end of warc/{name} is lost, although the log speaks of it; the rest "
            "of the file is whole.",
            file=sys.stderr,
        )


def _captures(directory: Path, url_of: Callable[[int], str]) -> Iterator[Capture]:
    """What the log knows of the archive."""
    wanted = [
        "fetched_at",
        "content_type",
        "status",
        "digest",
        "warc_file",
        "warc_offset",
        "warc_length",
        "notes",
        "id",
    ]
    for table in read_batches(directory, "pages", wanted):
        for row in zip(*(table[name].to_pylist() for name in wanted), strict=True):
            moment, kind, status, digest, file, offset, length, notes, number = row
            if file is not None:
                revisit = "revisit" in notes.split()
                yield Capture(
                    url_of(number), moment, kind, status, digest, file, offset, length, revisit
                )


def _check_age(directory: Path) -> None:
    if segments(directory) and not (directory / DATABASE).exists():
        raise BadInput(
            f"the crawl in '{directory}' was made by an earlier version and cannot be gone on "
            "with; 'langcrawl import' makes a new log of it, and a new crawl needs a new directory."
        )


@contextmanager
def few_collections() -> Iterator[None]:
    """Let the garbage collector look less often: records hold each other in no circles."""
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(_ALLOCATIONS, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


@contextmanager
def _room_to_write() -> Iterator[None]:
    """A full disk is told as one, wherever it was noticed."""
    try:
        yield
    except OSError as error:
        if error.errno in NO_ROOM:
            raise DiskFull from error
        raise


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


def summary(outcome: Outcome) -> dict[str, Any]:
    """A finished crawl in numbers."""
    counts = outcome.counts
    return {
        "pages": counts.pages,
        "relevant": counts.relevant,
        "harvest": counts.relevant / counts.pages if counts.pages else 0.0,
        "queue": outcome.queue,
        "bytes": counts.bytes,
        "seconds": counts.spent,
        "stopped": outcome.stopped,
        "discards": dict(counts.discards),
        "errors": dict(counts.errors),
        "notes": dict(counts.notes),
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
        user_agent=config.user_agent,
        contact=config.contact,
        delay=config.delay,
        timeout=config.timeout,
        max_page_bytes=config.max_page_bytes,
        connect_to=config.connect_to,
        connections=config.connections,
        proxy=config.proxy,
    )


def politeness_of(config: CrawlConfig) -> Politeness:
    """How long hosts and addresses are left alone."""
    return Politeness(config.delay, ip_delay_of(config), config.backoff, config.max_wait)


def scope_of(config: CrawlConfig) -> CrawlScope:
    """What the crawl leaves out."""
    blocked = read_hosts(Path(config.block_hosts)) if config.block_hosts else frozenset()
    return CrawlScope(config.include, config.exclude, blocked)


def workers_of(config: CrawlConfig) -> int:
    """How many processes: one for each core, and never more than there are connections."""
    return config.workers or min(cores(), _MOST_WORKERS, config.connections)


def ip_delay_of(config: CrawlConfig) -> float:
    """Seconds between requests to one address; --connect-to sends many hosts to the same."""
    if config.ip_delay is not None:
        return config.ip_delay
    return 0.0 if config.connect_to or config.proxy else min(config.delay, _POLITE_TO_ADDRESSES)
