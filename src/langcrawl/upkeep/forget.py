"""Take pages out of a crawl for good: out of its archive, log, index, counts and queue.

Records of the archive are overwritten where they stand, because log and index know where the others
stand. First the crawl is told never to ask for the pages again, then the log to count them no more,
and only then are they overwritten: whenever this is interrupted, nothing is downloaded again, and
the same command completes it.
"""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NamedTuple

from langcrawl.archive.complete import complete_archive
from langcrawl.archive.index import forget_index
from langcrawl.archive.members import Member, in_place_of, members
from langcrawl.archive.repair import check_wal, look_after
from langcrawl.archive.warc_records import forgotten as forgotten_record
from langcrawl.config import CrawlConfig
from langcrawl.errors import BadInput, UsageError
from langcrawl.frontier.sqlite import SqliteFrontier
from langcrawl.log.segments import mark_outdated, read_batches, remove_pages
from langcrawl.log.visits import change_visits, visit_files, visit_names, without_pages
from langcrawl.log.writer import LogWriter, registered_segments
from langcrawl.parallel import Progress, Stop
from langcrawl.run import room_to_write, say
from langcrawl.store.again import (
    KIND_COLUMNS,
    LostPage,
    ask_again,
    finish_asking_again,
    kind_of_row,
    uncount_all,
)
from langcrawl.store.collected import need_all
from langcrawl.store.database import (
    NONSENSE,
    connect,
    fingerprints,
    seed_of,
    set_up,
    undamaged,
)
from langcrawl.store.directory import CrawlDirectory
from langcrawl.store.events import EventLog
from langcrawl.store.lost import LOST
from langcrawl.store.migrate import convert
from langcrawl.store.sealed import forget as forget_seals
from langcrawl.url import canonical, host_of

_COLUMNS = ["id", "status", "relevant", "bytes", "notes", "error"]
_SHOWN = 3


class Wanted(NamedTuple):
    """What is to be forgotten."""

    hosts: frozenset[str]
    urls: frozenset[str]

    def matches(self, url: str) -> bool:
        return url in self.urls or host_of(url) in self.hosts

    @property
    def patterns(self) -> list[str]:
        """Regular expressions that exclude it from a crawl."""
        hosts = [f"^https?://{re.escape(host)}/" for host in sorted(self.hosts)]
        return hosts + [f"^{re.escape(url)}$" for url in sorted(self.urls)]


class NothingKnown(BadInput):
    """Raised where a crawl never met what is to be forgotten."""


@dataclass(slots=True)
class Forgotten:
    """What was taken out, or would be, in numbers."""

    urls: int = 0
    """URLs that the crawl knew of."""
    waiting: int = 0
    """Those of them that were still to be asked for."""
    pages: int = 0
    relevant: int = 0
    records: int = 0
    """Records of the archive, requests and answers to robots.txt included."""
    bytes: int = 0
    """How many bytes they have in the archive."""
    asked_again: int = 0
    """Pages elsewhere with the same content, which the archive held only there."""
    stopped: bool = False


def wanted(hosts: Sequence[str], urls: Sequence[str]) -> Wanted:
    """What a user names, in the form in which a crawl knows it."""
    if not hosts and not urls:
        raise UsageError("say what to forget: --host NAME or --url URL.")
    names = set()
    for name in hosts:
        url = canonical(name if "://" in name else f"http://{name.strip().rstrip('/')}/")
        if url is None:
            raise UsageError(f"'{name}' is not the name of a host; write it as www.example.org.")
        names.add(host_of(url))
    pages = set()
    for given in urls:
        url = canonical(given)
        if url is None:
            raise UsageError(f"'{given}' is not a URL; write it as http://host/path.")
        pages.add(url)
    return Wanted(frozenset(names), frozenset(pages))


def forget_everywhere(
    directory: Path, goal: Wanted, dry_run: bool, progress: Progress, stop: Stop
) -> Forgotten:
    """The same for a crawl of several shards: some of them may know nothing of it."""
    parts = CrawlDirectory(directory).parts
    if not parts:
        return forget_pages(directory, goal, dry_run, progress, stop)
    each: list[Forgotten] = []
    for part in parts:
        try:
            each.append(forget_pages(part, goal, dry_run, progress, stop))
        except NothingKnown as error:
            missed = error
    if not each:
        raise missed
    if not dry_run:  # what the driver tells all shards when the crawl is resumed
        _exclude(CrawlConfig.load(directory), directory, goal)
    return Forgotten(
        **{
            name: type(value)(sum(getattr(one, name) for one in each))
            for name, value in asdict(each[0]).items()
        }
    )


def forget_pages(
    directory: Path, goal: Wanted, dry_run: bool, progress: Progress, stop: Stop
) -> Forgotten:
    """Take these pages out of a crawl that is not running; with `dry_run` only count them."""
    config = CrawlConfig.load(directory)
    place, done = CrawlDirectory(directory), Forgotten()
    if not place.database.exists():
        raise BadInput(
            f"'{directory}' was not crawled here, so there is no archive to take pages out of; "
            "take them out of what it was made of, and make it anew."
        )
    need_all(directory, "taking pages out")
    with place.locked(), room_to_write(), undamaged(place.database, *NONSENSE):
        if not dry_run:
            convert(place)
            check_wal(place, say)
            look_after(place, say)
        with closing(connect(place.database)) as connection:
            set_up(connection)
            known = _known(connection, goal)
            if not known and not _mentioned(place, goal):
                raise NothingKnown(_unknown(connection, directory, goal))
            done.urls = len(known)
            done.waiting = sum(state == 1 for state in known.values())
            if dry_run:
                _count(place, connection, goal, set(known), done, progress)
                return done
            _exclude(config, directory, goal)
            _stop_counting(place, connection, known, done)
            _overwrite(place, connection, goal, done, progress, stop)
            if stop():
                done.stopped = True
                return done
            _remove_rows(place, connection, set(known))
            connection.execute("VACUUM")  # deleted rows stay in a database until then
        with closing(SqliteFrontier(place.database)) as frontier:
            forget_index(place.warc)
            if sentence := complete_archive(place, frontier):
                say(sentence)
        with EventLog(directory, lambda event, words: None) as tell:
            tell("forgotten", f"{done.pages:,} pages were taken out for good.", pages=done.pages)
    return done


def _known(connection: sqlite3.Connection, goal: Wanted) -> dict[int, int]:
    """The ids of the URLs that the crawl knows, and the state of each."""
    seed, found = seed_of(connection), dict[int, int]()
    for host in goal.hosts:
        rows = connection.execute(
            "SELECT id, state FROM known WHERE host = ?", fingerprints((host,), seed)
        )
        found.update(rows)
    for url in goal.urls:
        rows = connection.execute(
            "SELECT id, state FROM known WHERE host = ? AND fp = ?",
            fingerprints((host_of(url), url), seed),
        )
        found.update(rows)
    return found


def _unknown(connection: sqlite3.Connection, directory: Path, goal: Wanted) -> str:
    """What to say where the crawl knows none of it."""
    like = [f"%.{host}" for host in goal.hosts]
    near = [
        name
        for pattern in like
        for (name,) in connection.execute(
            "SELECT name FROM hosts WHERE name LIKE ? LIMIT ?", (pattern, _SHOWN)
        )
    ]
    named = ", ".join(sorted({*goal.hosts, *goal.urls})[:_SHOWN])
    hint = f"; it knows {', '.join(near[:_SHOWN])}" if near else "; check how it is written"
    return f"the crawl in '{directory}' knows nothing of {named}{hint}. Nothing was changed."


def _exclude(config: CrawlConfig, directory: Path, goal: Wanted) -> None:
    """Never ask for it again, whoever links to it."""
    more = tuple(pattern for pattern in goal.patterns if pattern not in config.exclude)
    seeds = tuple(seed for seed in config.seeds if not goal.matches(seed))
    changed = config.model_copy(update={"exclude": config.exclude + more, "seeds": seeds})
    changed.save(directory)


def _stop_counting(
    place: CrawlDirectory,
    connection: sqlite3.Connection,
    known: dict[int, int],
    done: Forgotten,
) -> None:
    """Have the pages count no more, and nothing of them wait."""
    connection.execute("BEGIN")
    log = LogWriter(place.path, connection, lambda urls: [])
    log.save(connection, all_of_it=True)  # what counts no more must stand in a segment
    connection.execute("COMMIT")
    pages = list(_rows(place, connection, set(known)))
    _mark(place.path, pages)
    done.pages, done.relevant = len(pages), sum(page.relevant for page in pages)
    connection.execute("BEGIN")
    uncount_all(connection, pages, known)
    forget_seals(connection, _changing(place, connection))
    connection.execute("COMMIT")


def _changing(place: CrawlDirectory, connection: sqlite3.Connection) -> list[str]:
    """The files that may change, as the database knows them."""
    names = [f"warc/{path.name.removesuffix('.open')}" for path in _archives(place)]
    for segment in registered_segments(connection):
        names += [f"log/{table}/{segment}" for table in ("pages", "links")]
    return names + visit_names(visit_files(connection))


def _rows(
    place: CrawlDirectory, connection: sqlite3.Connection, ids: set[int]
) -> Iterator[LostPage]:
    """The pages in the log with these ids."""
    for segment in registered_segments(connection):
        (table,) = read_batches(place.path, "pages", [*_COLUMNS, *KIND_COLUMNS], [segment])
        for row in table.to_pylist():
            if row["id"] in ids:
                yield _lost(connection, segment, row)


def _lost(connection: sqlite3.Connection, segment: str, row: dict[str, object]) -> LostPage:
    (url,) = connection.execute("SELECT url FROM urls WHERE id = ?", (row["id"],)).fetchone()
    page, status, relevant, size, notes, error = (row[name] for name in _COLUMNS)
    return LostPage(
        int(str(page)), url, segment, int(str(status)), bool(relevant), int(str(size or 0)),
        str(notes or ""), str(error or ""), kind_of_row(row),
    )  # fmt: skip


def _mark(directory: Path, pages: Sequence[LostPage]) -> None:
    """Have rows of the log count no more."""
    segments: dict[str, list[int]] = {}
    for page in pages:
        segments.setdefault(page.segment, []).append(page.id)
    if segments:
        mark_outdated(directory, segments)


def _archives(place: CrawlDirectory) -> list[Path]:
    """All archive files: those of the crawl, and those that were set aside."""
    aside = sorted((place.path / LOST).rglob("*.warc.gz*"))
    return sorted(place.warc.glob("*.warc.gz*")) + aside


def _found(place: CrawlDirectory, progress: Progress) -> Iterator[tuple[Path, Member]]:
    """Every record of the archive."""
    paths = _archives(place)
    total, before = sum(path.stat().st_size for path in paths) or 1, 0
    for path in paths:
        for number, member in enumerate(members(path)):
            if not number % 256:
                progress(before + member.end, (before + member.end) / total, "the archive")
            yield path, member
        before += path.stat().st_size


def _mentioned(place: CrawlDirectory, goal: Wanted) -> bool:
    """Whether the archive has a record of it, as it may have where the database is another."""
    return any(goal.matches(_field(member, b"WARC-Target-URI")) for _, member in _found(place, _no))


def _no(*_: object) -> None:
    """No progress is shown."""


def _field(member: Member, name: bytes) -> str:
    """A field of a record's head; a URL that no crawl could have asked for where there is none."""
    _, found, rest = member.head.partition(b"\r\n" + name + b": ")
    return rest.split(b"\r\n", 1)[0].decode("utf-8", "replace") if found else "http:///"


def _overwrite(
    place: CrawlDirectory,
    connection: sqlite3.Connection,
    goal: Wanted,
    done: Forgotten,
    progress: Progress,
    stop: Stop,
) -> None:
    """Put other records in place of those that are to go."""
    bereft: set[str] = set()
    for path, member in _found(place, progress):
        if stop():
            return
        url = _field(member, b"WARC-Target-URI")
        if goal.matches(url):
            _overwrite_one(path, member)
            done.records += 1
            done.bytes += member.end - member.start
        elif goal.matches(_field(member, b"WARC-Refers-To-Target-URI")):
            bereft.add(url)
    done.asked_again = _ask_again(place, connection, bereft)


def _overwrite_one(path: Path, member: Member) -> None:
    size = member.end - member.start
    filler = in_place_of(size, forgotten_record())
    assert filler is not None, "a record with a URL is longer than one without"
    with path.open("r+b") as file:
        file.seek(member.start)
        file.write(filler)
        file.flush()
        os.fsync(file.fileno())


def _ask_again(place: CrawlDirectory, connection: sqlite3.Connection, urls: set[str]) -> int:
    """Have pages wait again whose content stood only in a record that is gone."""
    if not urls:
        return 0
    ids = set(_known(connection, Wanted(frozenset(), frozenset(urls))))
    pages = list(_rows(place, connection, ids))
    connection.execute("BEGIN")
    asked = ask_again(connection, pages)
    connection.execute("COMMIT")
    finish_asking_again(place.path, connection)
    return asked


def _remove_rows(place: CrawlDirectory, connection: sqlite3.Connection, ids: set[int]) -> None:
    """Write the parts of the log anew that tell of these pages, without them."""
    for segment in registered_segments(connection):
        remove_pages(place.path, segment, ids)
    names = visit_names(visit_files(connection))
    change_visits(place.path, names, lambda table: without_pages(table, ids))
    shutil.rmtree(place.log / "graph", ignore_errors=True)  # it is made anew from the log


def _count(
    place: CrawlDirectory,
    connection: sqlite3.Connection,
    goal: Wanted,
    ids: set[int],
    done: Forgotten,
    progress: Progress,
) -> None:
    """What would be taken out. What is not in a segment of the log yet is not counted."""
    pages = list(_rows(place, connection, ids))
    done.pages, done.relevant = len(pages), sum(page.relevant for page in pages)
    for _, member in _found(place, progress):
        if goal.matches(_field(member, b"WARC-Target-URI")):
            done.records += 1
            done.bytes += member.end - member.start
        elif goal.matches(_field(member, b"WARC-Refers-To-Target-URI")):
            done.asked_again += 1
