"""Take the pages in again that a crawl's archive holds and its database does not know.

Files in ``lost+found`` go back to ``warc/`` one by one. Their answers are read, judged and counted,
and their links offered, by the same parts that a crawl is made of; a URL that was downloaded is not
counted twice. Every commit leaves a directory that can be crawled in: whatever is not committed is
set aside again by the next start.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from langcrawl.archive.index import forget_index
from langcrawl.archive.members import member_length
from langcrawl.archive.message import read_answer
from langcrawl.archive.reader import Archive, read_records
from langcrawl.archive.record import Record
from langcrawl.archive.repair import check_wal, has_pages, look_after
from langcrawl.archive.revisits import Revisits
from langcrawl.config import CrawlConfig
from langcrawl.crawl import Crawl
from langcrawl.errors import BadInput, JudgeFailed
from langcrawl.frontier.sqlite import SqliteFrontier
from langcrawl.judge import make_anchor_scorer, make_judge
from langcrawl.languages import load_packs
from langcrawl.log.lost_rows import unarchived_pages
from langcrawl.log.writer import LogWriter, register_archives
from langcrawl.page import Answer, CarefulReader, PageReader
from langcrawl.parallel import Progress, Stop, cores, in_order
from langcrawl.ports import Judge
from langcrawl.records import Facts, Finished, Page, Verdict, Visit
from langcrawl.run import (
    close_archive,
    few_collections,
    room_to_write,
    say,
)
from langcrawl.settings import limits_of, politeness_of, scope_of
from langcrawl.store.database import NONSENSE, undamaged
from langcrawl.store.directory import CrawlDirectory
from langcrawl.store.lost import LostAndFound, free_name
from langcrawl.store.migrate import convert
from langcrawl.store.state import CrawlState
from langcrawl.strategy import make_strategy, start_ranker
from langcrawl.url import canonical, host_of
from langcrawl.web.clock import WallClock

_BATCH_BYTES, _BATCH_RECORDS = 1 << 20, 100
_SMALL = 1_000_000
"""Bytes of archives for which other processes are not worth their start."""
_ANSWERS = ("response", "revisit")
_STORY = ("via", "found_by", "depth", "irrelevant_run", "priority", "fetchTimeMs")


class _Found(NamedTuple):
    """An answer in an archive, and what the crawl noted of it."""

    record: Record
    story: dict[str, str]
    path: Path


class _Read(NamedTuple):
    """The same, understood."""

    page: Page
    verdict: Verdict
    story: dict[str, str]


@dataclass(slots=True)
class Recovered:
    """What was taken in, in numbers."""

    files: int = 0
    """Files that went back to the archive."""
    pages: int = 0
    relevant: int = 0
    known: int = 0
    """Pages that the database knew already."""
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
            if not has_pages(place) and not _lost_archives(place):
                raise BadInput(
                    f"there is nothing in '{directory}' to recover from; 'langcrawl crawl "
                    f"{directory}' starts the crawl."
                )
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
    SqliteFrontier(place.database).close()
    look_after(place, lambda sentence: None)


def _lost_archives(place: CrawlDirectory) -> list[Path]:
    """The archives in lost+found, in the order in which they were begun."""
    return sorted((LostAndFound(place.path).path).glob("*.warc.gz"))


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
        self._work = partial(_understand_all, config.max_page_bytes, self._reader)

    def run(self, progress: Progress, stop: Stop) -> None:
        frontier = self._frontier
        try:
            frontier.at_commit += [self._log.save, self._state.save]
            self._crawl.seed(self._config.seeds)
            frontier.commit()
            files = _lost_archives(self._place)
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
            self._take_logged()
            frontier.at_commit += [
                partial(self._log.save, all_of_it=True), partial(self._state.save, all_of_it=True)
            ]  # fmt: skip
            frontier.write_all()
            close_archive(self._place, frontier)
        finally:
            self._reader.close()
            frontier.close()

    def _take_file(
        self, path: Path, progress: Any, stop: Stop, before: float, share: float
    ) -> None:
        """Move an archive back where it holds new pages, and take them in."""
        if not self._has_new(path):
            self._done.left += 1
            return
        self._place.warc.mkdir(exist_ok=True)
        home = free_name(self._place.warc, path.name)
        path.rename(home)
        size = home.stat().st_size
        tally: Counter[str] = Counter()
        batches = _batches(home, self._config.max_page_bytes, tally)
        last = -1
        results = in_order(self._work, batches, cores() if size > _SMALL else 1)
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
                if not number % _BATCH_RECORDS:
                    self._frontier.commit()
        self._frontier.commit()

    def _take(self, visit: Visit, page: Page, verdict: Verdict) -> None:
        if not self._frontier.claim(visit):
            self._done.known += 1
            return
        self._crawl.recall(visit, page, verdict)
        self._done.pages += 1
        self._done.relevant += verdict.relevant


def _visit(read: _Read) -> Visit:
    """The visit of which a page is the answer, as far as the archive knows it."""
    url, story = read.page.url, read.story
    facts = Facts(_whole(story.get("irrelevant_run")), _whole(story.get("depth")),
                  1, 0, 0.0, 0, 0, 0, 0)  # fmt: skip
    priority = 0.0
    with suppress(ValueError):
        priority = float(story.get("priority", 0.0))
    parent = canonical(story.get("via", "")) or ""
    return Visit(url, host_of(url), facts, priority, parent, story.get("found_by", "link"))


def _whole(text: str | None) -> int:
    return int(text) if text and text.isdecimal() and len(text) < 10 else 0


def _batches(path: Path, limit: int, tally: Counter[str]) -> Iterator[list[_Found]]:
    batch: list[_Found] = []
    size = 0
    for found in _answers(path, limit, tally):
        batch.append(found)
        size += len(found.record.block)
        if size >= _BATCH_BYTES or len(batch) >= _BATCH_RECORDS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _answers(path: Path, limit: int, tally: Counter[str]) -> Iterator[_Found]:
    """The pages in an archive of ours: what has a metadata record before it."""
    archive = Archive(path, "", path.stat().st_size)
    revisits, stories = Revisits(limit), dict[str, dict[str, str]]()
    revisits.enter(archive)
    for record in read_records(archive, limit, tally):
        if record.kind == "metadata":
            stories[record.url] = _story(record.block)
        if record.kind not in _ANSWERS or record.url not in stories:
            continue
        if record.kind == "response":
            revisits.note(record)
            yield _Found(record, stories.pop(record.url), path)
        elif whole := revisits.whole(record):
            yield _Found(whole, stories.pop(record.url), path)
        else:
            revisits.wait(record)
    for bare, late in revisits.rest():
        if late is not None:
            yield _Found(late, stories.get(bare.url, {}), path)
        else:
            tally["broken"] += 1  # its URL waits, and is asked for again


def _story(block: bytes) -> dict[str, str]:
    """What a metadata record says of the way to the page."""
    lines = block.decode("utf-8", "replace").split("\r\n")
    fields = (line.partition(": ") for line in lines)
    return {name: value for name, _, value in fields if name in _STORY}


def _understand_all(
    limit: int, reader: CarefulReader, batch: Sequence[_Found]
) -> list[_Read | None]:
    """Judge answers as a worker does; None for one that cannot be understood."""
    done: list[_Read | None] = []
    for found in batch:
        try:
            done.append(_understand(limit, reader, found))
        except (JudgeFailed, MemoryError):  # nothing is wrong with the page
            raise
        except Exception:  # a page must not be able to stop the work
            done.append(None)
    return done


def _understand(limit: int, reader: CarefulReader, found: _Found) -> _Read | None:
    record = found.record
    url = canonical(record.url)
    answer = read_answer(record.block, min(limit, record.page_limit or limit))
    if url is None or answer is None or record.offset is None:
        return None
    kind, location = answer.header("Content-Type"), answer.header("Location")
    page, verdict, _ = reader.read(
        Answer(url, answer.status, kind, location, answer.body, answer.heeded)
    )
    with found.path.open("rb") as stream:
        length = member_length(stream, record.offset)
    took = found.story.get("fetchTimeMs", "")
    page = page._replace(
        notes=(*answer.notes, *page.notes, *(["revisit"] if record.kind == "revisit" else [])),
        fetched_at=record.fetched_at,
        elapsed=_whole(took) / 1000,
        ip=record.ip,
        digest=record.digest or page.digest,
        warc_file=record.file,
        warc_offset=record.offset,
        warc_length=length,
    )
    return _Read(page, verdict, found.story)
