"""The only wiring of a live crawl: config to objects, objects to a crawl, crawl to files."""

from __future__ import annotations

import gc
import sqlite3
import sys
import traceback
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from langcrawl.archive.complete import complete_archive
from langcrawl.archive.repair import (
    check_database,
    check_wal,
    look_after,
)
from langcrawl.archive.retry import NETWORK, failed_for, retry_failures
from langcrawl.archive.writer import Archive
from langcrawl.changes import Changes, in_words
from langcrawl.config import CrawlConfig
from langcrawl.crawl import Crawl
from langcrawl.draws import Draws
from langcrawl.errors import (
    NO_ROOM,
    BadInput,
    CannotArchive,
    DiskFull,
    LangcrawlError,
    UsageError,
)
from langcrawl.frontier.sqlite import SqliteFrontier
from langcrawl.judge import make_anchor_scorer, make_judge, pinned
from langcrawl.languages import load_packs
from langcrawl.log.writer import LogWriter
from langcrawl.page.quick import modules_for
from langcrawl.ports import Judge, Learned, Peers, Ranker, Sink, Strategy
from langcrawl.records import Outcome, Visit
from langcrawl.scope import CrawlScope
from langcrawl.settings import (
    fetch_settings_of,
    ip_delay_of,
    limits_of,
    politeness_of,
    scope_of,
    workers_of,
)
from langcrawl.store.database import NONSENSE, undamaged
from langcrawl.store.directory import CrawlDirectory
from langcrawl.store.events import UNTOLD, EventLog
from langcrawl.store.migrate import convert
from langcrawl.store.state import CrawlState
from langcrawl.store.status import Status
from langcrawl.store.view import count_languages
from langcrawl.store.watch import WARN_AFTER, Audience, Watch
from langcrawl.strategy import make_strategy, start_ranker
from langcrawl.web.connection import Proxy
from langcrawl.web.descriptors import fit_connections
from langcrawl.web.guard import ConnectTo
from langcrawl.web.live import LiveWeb
from langcrawl.web.worker import ArchivePolicy, Worker

_MOST_REDIRECTS = 20
"""In a row, as in browsers."""
_ALLOCATIONS = 100_000
"""New objects until the collector looks at them."""
_ERRORS_SHOWN = 5
_SHARED = (__name__, "langcrawl.judge")
"""Modules that every worker needs."""
_PAGE = 30_000
"""Bytes of a page, about."""


class Part(Peers, Protocol):
    """What makes a crawl one of several shards: `langcrawl.cluster.exchange`."""

    @property
    def first_slot(self) -> int:
        """The number of its first worker; no two shards have the same, nor have their archives."""

    def join(self, crawl: Crawl, frontier: SqliteFrontier, changes: Changes) -> None:
        """The crawl is about to begin."""

    def save(self, connection: sqlite3.Connection) -> None:
        """Write what goes to others and what has come from them, within a transaction."""


class Session(NamedTuple):
    """A crawl that is about to run, and what it runs with."""

    directory: CrawlDirectory
    config: CrawlConfig
    crawl: Crawl
    frontier: SqliteFrontier
    log: LogWriter
    web: LiveWeb
    scope: CrawlScope
    watch: Watch
    tell: EventLog


class Errand(Protocol):
    """What a run is for, if not just to go on with the crawl: `langcrawl.recrawl`."""

    def run(self, session: Session) -> Outcome:
        """Called in place of the crawl's own `run`."""


def run_crawl(
    directory: Path,
    config: CrawlConfig,
    sinks: Sequence[Sink] = (),
    stop: Callable[[], bool] = lambda: False,
    audience: Audience | None = None,
    retry: Collection[str] | None = None,
    part: Part | None = None,
    errand: Errand | None = None,
) -> dict[str, Any]:
    """Start a crawl in a directory, or resume the one that is there; the JSON of ``crawl``.

    Unless there is an `audience`, sentences about what happens go to standard error. `retry` are
    the reasons for which failures are tried again: by default, those of the network. With a
    `part`, the crawl is one shard of several. With an `errand`, the run is up to that, and nothing
    that failed is tried again.
    """
    config = config.model_copy(update={"judge": pinned(config.judge)})
    place, audience = CrawlDirectory(directory), audience or listener()
    strategy, judge, scope = check_plan(config, place)
    with (
        place.locked(), few_collections(), room_to_write(), undamaged(place.database),
        EventLog(directory, audience.hear) as tell,
    ):  # fmt: skip
        config = _made_ready(place, config, tell)
        if errand is None:
            _try_failures_again(place, NETWORK if retry is None else retry, tell)
        ranker = start_ranker(strategy, config.lang, config.connections)
        with closing(_open_frontier(place, config, ranker)) as frontier:
            context = config.context or ranker.reads_context
            first = part.first_slot if part else 0
            worker = partial(_make_worker, directory, config, judge, ranker.gathers, context, first)
            loads = (*_SHARED, *modules_for((config.max_pages or len(frontier)) * _PAGE))
            with closing(LiveWeb(worker, workers_of(config), tell=tell, loads=loads)) as web:
                log = LogWriter(directory, frontier.connection, frontier.ids_of)
                watch = Watch(directory, config, web, tell, audience, stop)
                crawl = _make_crawl(
                    config,
                    web,
                    frontier,
                    ranker,
                    scope,
                    (log, watch.live, *sinks),
                    watch.stop,
                    tell,
                    part,
                )
                session = Session(place, config, crawl, frontier, log, web, scope, watch, tell)
                state = CrawlState(crawl, frontier.connection, scope)
                changes = _resume(session, state, part)
                with watch.following(crawl, frontier.connection, changes):
                    outcome = errand.run(session) if errand else crawl.run(config.seeds)
            _write_all(session, state)
        watch.tell_end(outcome)
    found = count_languages(directory, config.lang, outcome.counts.relevant)
    return summary(outcome) | {"languages": found, "told_to_stop": changes.stopping}


def _made_ready(place: CrawlDirectory, config: CrawlConfig, tell: EventLog) -> CrawlConfig:
    """Have the directory in order; the config with what this machine allows."""
    check_database(place)
    check_wal(place, tell.notice)
    convert(place, tell.notice)
    config.save(place.path)
    config = _fitted(config, tell.notice)
    look_after(place, tell.notice)
    return config


def _try_failures_again(place: CrawlDirectory, reasons: Collection[str], tell: EventLog) -> None:
    if again := retry_failures(place, failed_for(reasons)):
        said = f"{again.total():,} URLs that failed before wait again: {in_words(again)}."
        tell("retry", said, reasons=dict(again))


def _open_frontier(place: CrawlDirectory, config: CrawlConfig, ranker: Ranker) -> SqliteFrontier:
    return SqliteFrontier(
        place.database,
        ranker.last_first,
        ranker.group_of if ranker.grouped else None,
        ranker.name if ranker.grouped else "",
        config.durable,
    )


def _make_crawl(
    config: CrawlConfig,
    web: LiveWeb,
    frontier: SqliteFrontier,
    ranker: Ranker,
    scope: CrawlScope,
    sinks: Sequence[Sink],
    stop: Callable[[], bool],
    tell: EventLog,
    part: Part | None,
) -> Crawl:
    return Crawl(
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
        sinks=sinks,
        stop=stop,
        survives=Survivor(tell.notice),
        failures_are_pages=False,
        max_outage=config.max_outage,
        tell=tell,
        draws=Draws(config.sample) if config.sample else None,
        peers=part,
    )


def _resume(session: Session, state: CrawlState, part: Part | None) -> Changes:
    """Restore what an earlier run has left, and hold it against what this one was asked."""
    crawl, frontier = session.crawl, session.frontier
    with undamaged(session.directory.database, *NONSENSE):
        _say_wrong_clocks(state.restore(frontier.leased_hosts), session.tell.notice)
    frontier.at_commit += [session.log.save, state.save, session.watch.save]
    changes = Changes(
        session.directory.path, session.config, crawl, frontier, session.scope, session.tell
    )
    if part is not None:
        frontier.at_commit.append(part.save)
        part.join(crawl, frontier, changes)
    changes.review()
    return changes


def _write_all(session: Session, state: CrawlState) -> None:
    """Have all that the run came to in the log, and the archive closed."""
    frontier = session.frontier
    frontier.at_commit += [
        partial(save, all_of_it=True) for save in (session.log.save, state.save, session.watch.save)
    ]  # fmt: skip
    frontier.write_all()
    if sentence := complete_archive(session.directory, frontier):
        session.tell.notice(sentence)


def check_plan(
    config: CrawlConfig, place: CrawlDirectory
) -> tuple[Strategy | Learned, Judge, CrawlScope]:
    """What decides in a crawl; a sentence where its settings make no sense.

    One that has begun needs no seeds: those of pages that were forgotten are gone.
    """
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
    if config.proxy:
        Proxy.parse(config.proxy)
    if not config.seeds and not place.database.exists() and not place.parts:
        raise BadInput("there are no seeds to start from; give a URL or a file with --seeds.")
    return strategy, judge, scope


def listener() -> Audience:
    """Has sentences about a crawl written to standard error."""
    return _Sentences()


class _Sentences:
    """Has sentences about a crawl written to standard error, and nothing else."""

    warn_after = WARN_AFTER

    def hear(self, event: str, words: str, /) -> None:
        if event not in UNTOLD:
            say(words)

    def look(self, status: Status, /) -> None:
        """Nobody looks."""


def _fitted(config: CrawlConfig, say: Callable[[str], None]) -> CrawlConfig:
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
    first_slot: int,
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
        archive = Archive(
            directory / "warc", first_slot + slot, about, config.warc_bytes, config.durable
        )
    except OSError as error:
        raise CannotArchive(error.strerror or str(error)) from error
    policy = ArchivePolicy(
        config.store == "relevant",
        config.types == "all",
        config.noindex,
        config.sitemaps,
        config.normalize,
        context,
        config.types == "pdf",
    )
    scorer = None
    if score_anchors:
        scorer = make_anchor_scorer(load_packs(config.lang)).score
    fit_connections(config.connections)  # the process of which this is a copy may allow fewer
    blocks = scope_of(config).blocks
    return Worker(judge, settings, archive, policy, scorer, ip_delay_of(config) > 0, blocks)


class Survivor:
    """Lets a crawl go on after an error about one result, and shows the first few."""

    def __init__(self, notice: Callable[[str], None]) -> None:
        self._met, self._notice = 0, notice

    def __call__(self, visit: Visit, error: Exception) -> bool:
        """The machine's failures, and those that are told in a sentence, end a crawl."""
        if isinstance(error, (LangcrawlError, sqlite3.Error, OSError, MemoryError)):
            return False
        self._met += 1
        if self._met <= _ERRORS_SHOWN:
            where = traceback.extract_tb(error.__traceback__)[-1]
            self._notice(
                f"the answer to {visit.url} was lost by an error of langcrawl: {error!r} in "
                f"{Path(where.filename).name}, line {where.lineno}; please report it."
            )
        return True


def _say_wrong_clocks(hosts: int, say: Callable[[str], None]) -> None:
    if hosts:
        say(
            f"an earlier run left {hosts:,} hosts resting until a moment far ahead, so the "
            "computer's clock was wrong then or is wrong now; they rest for one delay from now on."
        )


def say(sentence: str) -> None:
    """Tell the user something that the result does not show."""
    print(f"langcrawl: {sentence}", file=sys.stderr, flush=True)


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
        "answers": dict(counts.answers),
        "failures": counts.failures,
        "queue": outcome.queue,
        "bytes": counts.bytes,
        "requests": counts.requests,
        "seconds": counts.spent,
        "stopped": outcome.stopped,
        "discards": dict(counts.discards),
        "errors": dict(counts.errors),
        "silences": dict(counts.silences),
        "notes": dict(counts.notes),
    }
