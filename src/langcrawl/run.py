"""The only wiring of a live crawl: config to objects, objects to a crawl, crawl to files."""

from __future__ import annotations

import gc
import sqlite3
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from langcrawl.archive.index import Capture, update_index
from langcrawl.archive.repair import (
    check_database,
    check_wal,
    look_after,
    remember_sealed,
    set_aside_archives,
)
from langcrawl.archive.writer import Archive, finish
from langcrawl.config import CrawlConfig
from langcrawl.crawl import Crawl
from langcrawl.errors import (
    NO_ROOM,
    BadInput,
    CannotArchive,
    DiskFull,
    LangcrawlError,
    UsageError,
)
from langcrawl.frontier.sqlite import SqliteFrontier
from langcrawl.judge import make_anchor_scorer, make_judge
from langcrawl.languages import load_packs
from langcrawl.log.segments import read_batches, segment_sizes
from langcrawl.log.writer import LogWriter
from langcrawl.parallel import cores
from langcrawl.politeness import Politeness
from langcrawl.ports import Judge, Sink
from langcrawl.records import Limits, Outcome, Visit
from langcrawl.scope import CrawlScope, read_hosts
from langcrawl.store.database import NONSENSE, undamaged
from langcrawl.store.directory import CrawlDirectory
from langcrawl.store.lost import LostAndFound
from langcrawl.store.migrate import convert
from langcrawl.store.state import CrawlState
from langcrawl.store.view import count_languages
from langcrawl.strategy import make_strategy, start_ranker
from langcrawl.web.descriptors import fit_connections
from langcrawl.web.fetch import FetchSettings
from langcrawl.web.guard import ConnectTo
from langcrawl.web.live import LiveWeb
from langcrawl.web.worker import ArchivePolicy, Worker

_MOST_WORKERS = 8
_MOST_REDIRECTS = 20
"""In a row, as in browsers."""
_ALLOCATIONS = 100_000
"""New objects until the collector looks at them."""
_ERRORS_SHOWN = 5
_REQUESTS_A_PAGE, _MORE_REQUESTS = 20, 100
_POLITE_TO_ADDRESSES = 0.2
"""Seconds between two requests to one address, unless the user says otherwise."""


def run_crawl(
    directory: Path,
    config: CrawlConfig,
    sinks: Sequence[Sink] = (),
    stop: Callable[[], bool] = lambda: False,
) -> dict[str, Any]:
    """Start a crawl in a directory, or resume the one that is there; the JSON of ``crawl``."""
    strategy = make_strategy(config.strategy)
    if strategy.oracle:
        raise UsageError(
            f"'{strategy.name}' is an oracle: it works only in 'langcrawl simulate'; "
            "choose another strategy."
        )
    judge = make_judge(load_packs(config.lang), config.judge)
    scope = scope_of(config)
    for text in config.connect_to:
        ConnectTo.parse(text)
    if not config.seeds:
        raise BadInput("there are no seeds to start from; give a URL or a file with --seeds.")
    place = CrawlDirectory(directory)
    with place.locked(), few_collections(), room_to_write(), undamaged(place.database):
        check_database(place)
        check_wal(place, say)
        convert(place, say)
        config.save(directory)
        config = _fitted(config)
        look_after(place, say)
        ranker = start_ranker(strategy, config.lang)
        frontier = SqliteFrontier(
            place.database,
            ranker.last_first,
            ranker.group_of if ranker.grouped else None,
            ranker.name if ranker.grouped else "",
            config.durable,
        )
        try:
            log = LogWriter(directory, frontier.connection, frontier.id_of)
            context = config.context or ranker.reads_context
            worker = partial(_make_worker, directory, config, judge, ranker.gathers, context)
            web = LiveWeb(worker, workers_of(config))
            try:
                crawl = Crawl(
                    web,
                    frontier,
                    ranker,
                    politeness=politeness_of(config),
                    scope=scope,
                    bridge=config.bridge,
                    limits=limits_of(config),
                    connections=config.connections,
                    retries=config.retries,
                    max_redirects=_MOST_REDIRECTS,
                    nofollow=config.nofollow,
                    sinks=(log, *sinks),
                    stop=stop,
                    survives=Survivor(),
                )
                state = CrawlState(crawl, frontier.connection, scope)
                with undamaged(place.database, *NONSENSE):
                    _say_wrong_clocks(state.restore(frontier.leased_hosts))
                frontier.at_commit += [log.save, state.save]
                outcome = crawl.run(config.seeds)
            finally:
                web.close()
            frontier.at_commit += [
                partial(log.save, all_of_it=True), partial(state.save, all_of_it=True)
            ]  # fmt: skip
            frontier.write_all()
            close_archive(place, frontier)
        finally:
            frontier.close()
    found = count_languages(directory, config.lang, outcome.counts.relevant)
    return summary(outcome) | {"languages": found}


def _fitted(config: CrawlConfig) -> CrawlConfig:
    """The config with as many connections as there are descriptors for."""
    fitting = fit_connections(config.connections)
    if fitting < config.connections:
        say(
            f"so few files may be open here that {fitting} connections are used instead of "
            f"{config.connections}; 'ulimit -n' allows more."
        )
    return config.model_copy(update={"connections": fitting})


def _make_worker(
    directory: Path,
    config: CrawlConfig,
    judge: Judge,
    score_anchors: bool,
    context: bool,
    slot: int,
) -> Worker:
    settings = fetch_settings_of(config)
    about = {
        "http-header-user-agent": settings.agent_line,
        "operator": config.contact,
        "robots": "obey",
        "max-page-bytes": str(config.max_page_bytes),
        "description": f"pages in {config.lang}, strategy {config.strategy}",
    }
    try:
        archive = Archive(directory / "warc", slot, about, config.warc_bytes, config.durable)
    except OSError as error:
        raise CannotArchive(error.strerror or str(error)) from error
    policy = ArchivePolicy(
        config.store == "relevant",
        config.types == "all",
        config.noindex,
        config.sitemaps,
        config.normalize,
        context,
    )
    scorer = None
    if score_anchors:
        scorer = make_anchor_scorer(load_packs(config.lang)).score
    fit_connections(config.connections)  # the process of which this is a copy may allow fewer
    blocks = scope_of(config).blocks
    return Worker(judge, settings, archive, policy, scorer, ip_delay_of(config) > 0, blocks)


def close_archive(directory: CrawlDirectory, frontier: SqliteFrontier) -> None:
    """Once all is committed and the workers have ended: complete the archive and its index."""
    lost = LostAndFound(directory.path)
    set_aside_archives(directory, frontier.connection, lost)
    if sentence := lost.sentence():
        say(sentence)
    finish(directory.warc)
    captures = partial(_captures, directory.path, frontier.url_of)
    if directory.warc.is_dir():
        update_index(directory.warc, segment_sizes(directory.path), captures)
    frontier.connection.execute("BEGIN")
    remember_sealed(directory, frontier.connection)
    frontier.connection.execute("COMMIT")


class Survivor:
    """Lets a crawl go on after an error about one result, and shows the first few."""

    def __init__(self) -> None:
        self._met = 0

    def __call__(self, visit: Visit, error: Exception) -> bool:
        """The machine's failures, and those that are told in a sentence, end a crawl."""
        if isinstance(error, (LangcrawlError, sqlite3.Error, OSError, MemoryError)):
            return False
        self._met += 1
        if self._met <= _ERRORS_SHOWN:
            where = traceback.extract_tb(error.__traceback__)[-1]
            say(
                f"the answer to {visit.url} was lost by an error of langcrawl: {error!r} in "
                f"{Path(where.filename).name}, line {where.lineno}; please report it."
            )
        return True


def _say_wrong_clocks(hosts: int) -> None:
    if hosts:
        say(
            f"an earlier run left {hosts:,} hosts resting until a moment far ahead, so the "
            "computer's clock was wrong then or is wrong now; they rest for one delay from now on."
        )


def say(sentence: str) -> None:
    """Tell the user something that the result does not show."""
    print(f"langcrawl: {sentence}", file=sys.stderr, flush=True)


def _captures(
    directory: Path, url_of: Callable[[int], str], names: Sequence[str]
) -> Iterator[Capture]:
    """What these segments of the log know of the archive."""
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
    for table in read_batches(directory, "pages", wanted, names):
        for row in zip(*(table[name].to_pylist() for name in wanted), strict=True):
            moment, kind, status, digest, file, offset, length, notes, number = row
            if file is not None:
                revisit = "revisit" in notes.split()
                yield Capture(
                    url_of(number), moment, kind, status, digest, file, offset, length, revisit
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
def room_to_write() -> Iterator[None]:
    """A full disk is told as one, wherever it was noticed."""
    try:
        yield
    except OSError as error:
        if error.errno in NO_ROOM:
            raise DiskFull from error
        raise


def summary(outcome: Outcome) -> dict[str, Any]:
    """A finished crawl in numbers."""
    counts = outcome.counts
    return {
        "pages": counts.pages,
        "relevant": counts.relevant,
        "harvest": counts.relevant / counts.pages if counts.pages else 0.0,
        "queue": outcome.queue,
        "bytes": counts.bytes,
        "requests": counts.requests,
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
        config.max_pages_per_domain,
        max_requests_of(config),
    )


def max_requests_of(config: CrawlConfig) -> int | None:
    """A crawl of few pages is to be one of few requests, whatever servers answer."""
    if config.max_requests is not None or config.max_pages is None:
        return config.max_requests
    return _REQUESTS_A_PAGE * config.max_pages + _MORE_REQUESTS


def fetch_settings_of(config: CrawlConfig) -> FetchSettings:
    """How the crawl behaves towards servers."""
    return FetchSettings(
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
    return Politeness(
        config.delay,
        ip_delay_of(config),
        config.backoff,
        config.max_wait,
        config.domain_connections,
    )


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
