"""Take the pages in again that a crawl's archive holds and its database does not know.

Files in ``lost+found`` go back to ``warc/`` one by one. Their answers are read, judged and counted,
and their links offered, by the same parts that a crawl is made of; a URL that was downloaded is not
counted twice. Every commit leaves a directory that can be crawled in: whatever is not committed is
set aside again by the next start.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from langcrawl.archive.complete import complete_archive
from langcrawl.archive.index import forget_index
from langcrawl.archive.reader import Archive, read_records
from langcrawl.archive.repair import (
    archives,
    check_wal,
    has_pages,
    look_after,
    lost_archives,
)
from langcrawl.config import CrawlConfig
from langcrawl.crawl import Crawl
from langcrawl.errors import BadInput
from langcrawl.frontier.sqlite import SqliteFrontier
from langcrawl.judge import make_anchor_scorer, make_judge
from langcrawl.languages import load_packs
from langcrawl.log.lost_rows import unarchived_pages
from langcrawl.log.writer import LogWriter, register_archives
from langcrawl.page import CarefulReader, PageReader
from langcrawl.parallel import Progress, Stop, cores, in_order
from langcrawl.ports import Judge
from langcrawl.records import UNCHANGED, Facts, Finished, Page, Verdict, Visit
from langcrawl.recrawl.newer import take_newer
from langcrawl.run import (
    few_collections,
    room_to_write,
    say,
)
from langcrawl.settings import limits_of, politeness_of, scope_of
from langcrawl.store.collected import need_all
from langcrawl.store.database import NONSENSE, connect, seed_of, set_up, take_seed, undamaged
from langcrawl.store.directory import DATABASE, CrawlDirectory
from langcrawl.store.lost import LostAndFound, free_name
from langcrawl.store.migrate import convert
from langcrawl.store.snapshot import snapshot_of
from langcrawl.store.state import CrawlState
from langcrawl.strategy import make_strategy, start_ranker
from langcrawl.upkeep.answers import ReadAnswer, batches, understand_all, whole_number
from langcrawl.url import canonical, host_of
from langcrawl.web.clock import WallClock

_BATCH = 100
_SMALL = 1_000_000
"""Bytes of archives for which other processes are not worth their start."""


@dataclass(slots=True)
class Recovered:
    """What was taken in, in numbers."""

    files: int = 0
    """Files that went back to the archive."""
    pages: int = 0
    relevant: int = 0
    known: int = 0
    """Pages that the database knew already."""
    visits: int = 0
    """Later answers for pages, of which the newest is the page."""
    broken: int = 0
    """Records that cannot be read, or repeat a body that is not there."""
    left: int = 0
    """Files with nothing new, which stay where they are."""
    rebuilt: bool = False
    stopped: bool = False


class _NoWeb:
    """Recovering asks no server for anything."""

    def __init__(self) -> None:
        self.clock = WallClock()

    def begin(self, visits: Sequence[Visit]) -> None:
        """Nothing is visited."""

    def next_done(self, until: float) -> Sequence[Finished]:
        return ()

    def stop(self) -> Sequence[Finished]:
        return ()

    def close(self) -> None:
        """Nothing is open."""


def recover_crawl(
    directory: Path, config: CrawlConfig, rebuild: bool, progress: Progress, stop: Stop
) -> Recovered:
    """Take in what the database does not know; with `rebuild`, make it and the log anew."""
    place, done = CrawlDirectory(directory), Recovered()
    judge = make_judge(load_packs(config.lang), config.judge)
    with place.locked(), few_collections(), room_to_write(), undamaged(place.database):
        database = place.database
        if rebuild or not database.exists() or not database.stat().st_size:
            need_all(directory, "making the database anew")
            if not archives(place):
                more = "." if has_pages(place) else f"; 'langcrawl crawl {directory}' starts it."
                raise BadInput(f"there is no archive in '{directory}' to recover from{more}")
            _set_aside(place)
            done.rebuilt = True
        check_wal(place, say)
        convert(place, say)
        look_after(place, say)
        if done.rebuilt:
            _set_aside_archives(place)
        _Taker(place, config, judge, done).run(progress, stop)
    return done


def _set_aside(place: CrawlDirectory) -> None:
    """Move database and log away, so that they are made anew."""
    lost = LostAndFound(place.path)
    for suffix in ("", "-wal", "-shm"):
        path = place.database.with_name(place.database.name + suffix)
        if path.exists():
            lost.move(path)
    if any(place.log.glob("*")):
        lost.move_folder(place.log, "crawl")
    forget_index(place.warc)


def _set_aside_archives(place: CrawlDirectory) -> None:
    """A new database knows no file of the archive."""
    _share_fingerprints(place)
    SqliteFrontier(place.database).close()
    look_after(place, lambda sentence: None)


def _share_fingerprints(place: CrawlDirectory) -> None:
    """The shards of a crawl know URLs by the same numbers, also one that is made anew."""
    parts = CrawlDirectory(place.whole).parts if place.whole else []
    others = [part / DATABASE for part in parts if part.name != place.path.name]
    other = next((path for path in others if path.exists()), None)
    if other is not None:
        with snapshot_of(other) as known, closing(connect(place.database)) as connection:
            set_up(connection)
            take_seed(connection, seed_of(known))


class _Taker:
    """A crawl that downloads nothing."""

    def __init__(
        self, place: CrawlDirectory, config: CrawlConfig, judge: Judge, done: Recovered
    ) -> None:
        self._place, self._config, self._done = place, config, done
        ranker = start_ranker(make_strategy(config.strategy), config.lang)
        self._frontier = SqliteFrontier(
            place.database,
            ranker.last_first,
            ranker.group_of if ranker.grouped else None,
            ranker.name if ranker.grouped else "",
            config.durable,
        )
        frontier = self._frontier
        self._log = LogWriter(place.path, frontier.connection, frontier.ids_of)
        scope = scope_of(config)
        self._crawl = Crawl(
            _NoWeb(),
            frontier,
            ranker,
            politeness=politeness_of(config),
            scope=scope,
            failures_are_pages=False,
            bridge=config.bridge,
            limits=limits_of(config),
            nofollow=config.nofollow,
            sinks=(self._log,),
        )
        with undamaged(place.database, *NONSENSE):
            self._state = CrawlState(self._crawl, frontier.connection, scope)
            self._state.restore(frontier.leased_hosts)
        scorer = make_anchor_scorer(load_packs(config.lang)) if ranker.gathers else None
        context = config.context or ranker.reads_context
        reader = PageReader(judge, scorer.score if scorer else None, context=context)
        self._reader = CarefulReader(reader)
        self._work = partial(understand_all, config.max_page_bytes, self._reader)
        self._homes: list[Path] = []
        self._again: set[str] = set()
        """URLs with more than one capture."""

    def run(self, progress: Progress, stop: Stop) -> None:
        frontier = self._frontier
        try:
            frontier.at_commit += [self._log.save, self._state.save]
            if self._place.whole is None:  # the seeds of a shard are its crawl's to give
                self._crawl.seed(self._config.seeds)
            frontier.commit()
            files = lost_archives(self._place)
            total = sum(path.stat().st_size for path in files) or 1
            before = 0
            for path in files:
                size = path.stat().st_size
                self._take_file(path, lambda share: progress(self._done.pages, share), stop,
                                before / total, size / total)  # fmt: skip
                before += size
                if stop():
                    self._done.stopped = True
                    break
            if self._again and not stop():
                self._done.visits = take_newer(
                    self._place.path, self._crawl, frontier, self._log, self._again,
                    self._answers, stop,
                )  # fmt: skip
            self._take_logged()
            frontier.at_commit += [
                partial(self._log.save, all_of_it=True), partial(self._state.save, all_of_it=True)
            ]  # fmt: skip
            frontier.write_all()
            if sentence := complete_archive(self._place, frontier):
                say(sentence)
        finally:
            self._reader.close()
            frontier.close()

    def _take_file(
        self, path: Path, progress: Any, stop: Stop, before: float, share: float
    ) -> None:
        """Move an archive back where it holds new pages, and take them in."""
        if not self._has_new(path) and not self._done.rebuilt:  # known pages may have newer answers
            self._done.left += 1
            return
        self._place.warc.mkdir(exist_ok=True)
        home = free_name(self._place.warc, path.name)
        path.rename(home)
        self._homes.append(home)
        size = home.stat().st_size
        tally: Counter[str] = Counter()
        found = batches(home, self._config.max_page_bytes, tally)
        last = -1
        results = in_order(self._work, found, cores() if size > _SMALL else 1)
        for batch in results:
            for read in batch:
                if read is None:
                    tally["broken"] += 1
                else:
                    self._take(_visit(read), read.page, read.verdict)
                    last = max(last, read.page.warc_offset)
            self._frontier.commit()
            progress(before + share * max(0, last) / size)
            if stop():
                results.close()
                return
        self._done.broken += tally["broken"]
        self._done.files += 1
        register_archives(self._frontier.connection, {home.name: (size, -1)})

    def _has_new(self, path: Path) -> bool:
        """Whether a file holds a page that is not known to be downloaded."""
        records = read_records(Archive(path, "", path.stat().st_size), 0, Counter())
        known, urls = 0, set()
        for record in records:
            if record.kind == "metadata" and (url := canonical(record.url)) is not None:
                urls.add(url)
        for url in urls:
            if self._frontier.lookup([url]):
                return True
            known += 1
        self._done.known += known
        return False

    def _take_logged(self) -> None:
        """Take pages in from logs that were set aside, where no archive has them."""
        for folder in sorted(LostAndFound(self._place.path).path.glob("crawl*")):
            for number, logged in enumerate(unarchived_pages(folder, self._frontier.url_of)):
                if self._frontier.lookup([logged.visit.url]):
                    self._take(*logged)
                if not number % _BATCH:
                    self._frontier.commit()
        self._frontier.commit()

    def _answers(self) -> Iterator[tuple[Page, Verdict]]:
        """The answers in the files that went back to the archive."""
        for home in self._homes:
            for batch in batches(home, self._config.max_page_bytes, Counter()):
                for read in self._work(batch):
                    if read is not None:
                        yield read.page, read.verdict

    def _take(self, visit: Visit, page: Page, verdict: Verdict) -> None:
        if UNCHANGED in page.notes or not self._frontier.claim(visit):
            self._done.known += 1
            self._again.add(visit.url)
            return
        self._crawl.recall(visit, page, verdict)
        self._done.pages += 1
        self._done.relevant += verdict.relevant


def _visit(read: ReadAnswer) -> Visit:
    """The visit of which a page is the answer, as far as the archive knows it."""
    url, story = read.page.url, read.story
    facts = Facts(whole_number(story.get("irrelevant_run")), whole_number(story.get("depth")),
                  1, 0, 0.0, 0, 0, 0, 0)  # fmt: skip
    priority = 0.0
    with suppress(ValueError):
        priority = float(story.get("priority", 0.0))
    parent = canonical(story.get("via", "")) or ""
    return Visit(url, host_of(url), facts, priority, parent, story.get("found_by", "link"))
