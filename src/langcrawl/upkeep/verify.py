"""Check everything in a crawl directory against everything else; nothing there is changed."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from langcrawl.archive.index import index_problem
from langcrawl.archive.members import problem_at, whole_bytes
from langcrawl.config import FILE, CrawlConfig
from langcrawl.errors import BadInput, LangcrawlError
from langcrawl.frontier.moves import unpacked
from langcrawl.log.graph import arrays_problem
from langcrawl.log.schema import TABLES
from langcrawl.log.segments import read_batches, read_urls, segments
from langcrawl.log.visits import read_visits, unmoved_visits, visit_files, visit_names
from langcrawl.log.writer import archived_bytes, read_unmoved, registered_segments
from langcrawl.parallel import Progress
from langcrawl.store.checks import database_problems
from langcrawl.store.collected import Collected, collected
from langcrawl.store.database import NONSENSE, VERSION
from langcrawl.store.directory import CrawlDirectory
from langcrawl.store.learned import read_learned
from langcrawl.store.remote import size_of
from langcrawl.store.sealed import problem_of, read_seals

_PLACES = ["id", "digest", "warc_file", "warc_offset", "warc_length"]
_MOST = 20
"""Records of one archive file that are named one by one."""


def verify_crawl(directory: Path, progress: Progress) -> Iterator[str]:
    """What is wrong in a crawl directory, a sentence each, with what to do."""
    config, place = CrawlConfig.load(directory), CrawlDirectory(directory)
    if place.is_running:
        raise BadInput(f"a crawl is running in '{directory}'; wait until it ends, or stop it.")
    if place.parts:  # what stands beside them is made of them, and made anew when it is read
        if lost := place.lost_shard(config.shards):
            yield lost
        for part in place.parts:
            if (part / FILE).exists():
                yield from verify_crawl(part, progress)
        return
    if not place.database.exists():
        if any(place.warc.glob("langcrawl-*")):
            yield (
                f"'{place.database}' is missing; restore it from a backup, or run 'langcrawl "
                f"recover {directory}'."
            )
        yield from _log(place, progress)
        return
    rebuild = f"run 'langcrawl recover {directory} --rebuild', or restore a backup."
    uri = f"{place.database.resolve().as_uri()}?mode=ro"
    try:
        with closing(sqlite3.connect(uri, uri=True, isolation_level=None)) as connection:
            connection.execute("BEGIN")
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            if version != VERSION:
                raise BadInput(
                    f"'{directory}' was made by another version of langcrawl; 'langcrawl crawl' "
                    "converts it."
                )
            progress(0, None, "the database")
            found = list(database_problems(connection))
            if not found:
                for (row,) in connection.execute("SELECT rows FROM moves"):
                    list(unpacked(row))
                read_learned(connection)
            for problem in found:
                yield f"'{place.database}': {problem}; {rebuild}"
            if not found:
                yield from _files(place, connection, rebuild, progress)
                yield from _log(place, progress)
                yield from _records(place, connection, progress)
    except NONSENSE as error:
        yield f"'{place.database}' is damaged ({error}); {rebuild}"


def _files(
    place: CrawlDirectory, connection: sqlite3.Connection, rebuild: str, progress: Progress
) -> Iterator[str]:
    """Sizes and checksums of files that are complete; files that nobody knows."""
    crawl = f"run 'langcrawl crawl {place.path}', which asks for lost pages again."
    elsewhere = collected(place.warc)
    yield from _in_store(elsewhere, progress)
    for number, (name, seal) in enumerate(read_seals(connection).items()):
        if name.removeprefix("warc/") in elsewhere:
            continue
        progress(number, None, "checksums")
        if problem := problem_of(place.path / name, seal, thorough=True):
            yield f"'{place.path / name}' {problem}; {rebuild if name[:3] == 'log' else crawl}"
    for name in visit_names(visit_files(connection)):
        if not (place.path / name).is_file():
            yield (
                f"'{place.path / name}' is missing; restore it from a backup: it has the history "
                "of pages that were asked for again."
            )
    aside = f"run 'langcrawl recover {place.path}', which takes its pages in."
    archives, known = archived_bytes(connection), registered_segments(connection)
    for path in sorted(place.warc.glob("langcrawl-*.warc.gz*")):
        size = archives.get(path.name.removesuffix(".open"))
        if size is None:
            yield f"'{path}' is not known to the database; {aside}"
        elif path.stat().st_size > size:
            yield f"the end of '{path}' is not known to the database; {aside}"
    for name, size in archives.items():
        if name in elsewhere:
            continue
        path = place.warc / name
        path = path if path.exists() else path.with_name(f"{name}.open")
        if not path.exists():
            yield f"'{place.warc / name}' is missing; {crawl}"
        elif path.stat().st_size < size:
            yield f"'{path}' is cut short; {crawl}"
    for table in TABLES:
        there = {path.name for path in (place.log / table).glob("*.parquet")}
        for name in sorted(there - set(known)):
            yield f"'{place.log / table / name}' is not known to the database; {aside}"
        for name in sorted(set(known) - there):
            yield f"'{place.log / table / name}' is missing; {rebuild}"


def _in_store(files: Mapping[str, Collected], progress: Progress) -> Iterator[str]:
    """Whether files that lie in an object store are there, with the size that they had here."""
    for number, (uri, size, _) in enumerate(files.values()):
        progress(number, None, "the object store")
        found = size_of(uri)
        if found != size:
            problem = "is missing" if found is None else f"has {found:,} bytes, not {size:,}"
            yield f"'{uri}' {problem}; restore it there from a backup."


def _log(place: CrawlDirectory, progress: Progress) -> Iterator[str]:
    """Whether the log can be read to its end and does not contradict itself."""
    if not segments(place.path):
        return
    progress(0, None, "the log")
    try:
        urls = read_urls(place.path, ["url"]).num_rows
        seen: list[pa.ChunkedArray] = []
        for name in ("pages", "links"):
            for table in read_batches(place.path, name, TABLES[name].names):
                for column in {"pages": ("id", "redirect", "parent"), "links": ("src", "dst")}[
                    name
                ]:
                    values = table[column].drop_null()
                    if len(values) and not (
                        pc.min(values).as_py() >= 0 and pc.max(values).as_py() < urls
                    ):
                        yield (
                            f"'{place.log / name}': the column {column} names a URL that is not in "
                            f"the log; run 'langcrawl recover {place.path} --rebuild'."
                        )
                if name == "pages":
                    seen += table["id"].chunks
        for table in read_visits(place.path):
            if len(table) and not 0 <= pc.max(table["id"]).as_py() < urls:
                yield (
                    f"'{place.log / 'visits'}': a visit names a URL that is not in the log; "
                    "restore the folder from a backup."
                )
        ids = pa.chunked_array(seen, pa.int64()).to_numpy()
        if len(np.unique(ids)) != len(ids):
            yield (
                f"'{place.log / 'pages'}' has a page twice; run 'langcrawl recover {place.path} "
                "--rebuild'."
            )
    except LangcrawlError as error:
        yield str(error)
        return
    if problem := arrays_problem(place.path):
        yield (
            f"'{place.log / 'graph'}': {problem}; remove that folder, which is made anew from the "
            "log."
        )


def _records(
    place: CrawlDirectory, connection: sqlite3.Connection, progress: Progress
) -> Iterator[str]:
    """Whether every record that the log lists can be read, and the index lists them all."""
    by_file: dict[str, list[tuple[int, int, int, str]]] = {}
    logged = 0
    for table in _places(place, connection):
        for page, digest, file, start, length in zip(
            *(table[name].to_pylist() for name in _PLACES), strict=True
        ):
            if file is not None:
                by_file.setdefault(file, []).append((start, length, page, digest or ""))
    total, done = sum(map(len, by_file.values())), 0
    remedy = f"run 'langcrawl crawl {place.path}' to download it again."
    for file, rows in by_file.items():
        path = place.warc / file
        path = path if path.exists() else path.with_name(f"{file}.open")
        if not path.exists():
            continue  # told before
        bad = 0
        with path.open("rb") as stream:
            for start, length, page, digest in sorted(rows):
                row = connection.execute("SELECT url FROM urls WHERE id = ?", (page,)).fetchone()
                problem = problem_at(stream, start, length, row[0], digest) if row else "is unknown"
                done += 1
                if problem:
                    bad += 1
                    if bad <= _MOST:
                        yield f"'{path}': the record at {start} (page {page}) {problem}; {remedy}"
                if not done % 100:
                    progress(done, done / total, "records")
        if bad > _MOST:
            yield f"'{path}': {bad - _MOST} more records are damaged; {remedy}"
        yield from _unreadable(place, path)
    with suppress(OSError, LangcrawlError):  # told before
        for table in (
            *read_batches(place.path, "pages", ["warc_file"]),
            *read_visits(place.path, visit_names(visit_files(connection))),
        ):
            logged += len(table) - table["warc_file"].null_count
        if problem := index_problem(place.warc, logged):
            yield (
                f"'{place.warc}': {problem}; run 'langcrawl crawl {place.path}', which writes the "
                "index at its end."
            )


def _unreadable(place: CrawlDirectory, path: Path) -> Iterator[str]:
    """Whether other programs can read an archive file from its start to its end."""
    end = whole_bytes(path)
    if end < path.stat().st_size:
        yield (
            f"'{path}': the record at {end} is damaged, so programs that read the file from its "
            f"start stop there; run 'langcrawl crawl {place.path}', which mends that."
        )


def _places(place: CrawlDirectory, connection: sqlite3.Connection) -> Iterator[pa.Table]:
    """Where the log says that answers are archived: present ones, and those of earlier visits."""
    with suppress(LangcrawlError):  # told before
        yield from read_batches(place.path, "pages", _PLACES)
        for table in read_visits(place.path, visit_names(visit_files(connection))):
            yield table.select(_PLACES)
    yield unmoved_visits(connection).select(_PLACES)
    for pages, _ in read_unmoved(connection):
        yield pages.select(_PLACES)
