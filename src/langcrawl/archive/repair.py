"""Before a crawl goes on: is all there that its database knows of, and nothing else?

What the database does not know is set aside (`langcrawl.store.lost`). What it knows and is not
there any more is told. A page whose answer is lost waits again; its row in the log does not count
any more, and once it is downloaded the new row does.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable, Collection, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow as pa

from langcrawl.archive.index import forget_index
from langcrawl.archive.members import damaged_spans, in_place_of, members, problem_at
from langcrawl.archive.warc_records import damaged as damaged_record
from langcrawl.archive.writer import recover
from langcrawl.errors import BadInput, BrokenLog
from langcrawl.log.schema import TABLES
from langcrawl.log.segments import read_batches, write_file
from langcrawl.log.visits import (
    change_visits,
    unmoved_visits,
    visit_files,
    visit_names,
    without_places,
)
from langcrawl.log.writer import (
    LogWriter,
    archived_bytes,
    new_urls,
    read_unmoved,
    register_archives,
    registered_segments,
    set_aside_unregistered,
)
from langcrawl.store.again import (
    KIND_COLUMNS,
    LostPage,
    ask_again,
    finish_asking_again,
    kind_of_row,
)
from langcrawl.store.checks import check_rows
from langcrawl.store.collected import collected
from langcrawl.store.database import (
    NONSENSE,
    connect,
    damaged,
    read_meta,
    set_up,
    undamaged,
    write_meta,
)
from langcrawl.store.directory import CrawlDirectory
from langcrawl.store.lost import LostAndFound
from langcrawl.store.sealed import problem_of, read_seals, remember
from langcrawl.store.wal import committed_frames, lost_frames, wal_of

Say = Callable[[str], None]
_BOOT = "boot"
"""The key of `meta` with the id of the system's start during which the crawl was written to."""
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_COLUMNS = [
    "id", "status", "relevant", "bytes", "notes", "digest", "warc_file", "warc_offset",
    "warc_length", *KIND_COLUMNS,
]  # fmt: skip


def check_database(directory: CrawlDirectory) -> None:
    """Refuse to begin anew where only the database of a crawl is gone."""
    path = directory.database
    if path.exists() and path.stat().st_size:
        return
    if has_pages(directory):
        state = "is empty" if path.exists() else "is missing"
        if not archives(directory) and not collected(directory.warc):
            raise BadInput(
                f"'{path}' {state}, and there is no archive to make it anew from; restore it from "
                f"a backup, or crawl into another directory than '{directory.path}'."
            )
        raise BadInput(
            f"'{path}' {state}, but '{directory.path}' holds pages; restore it from a backup, or "
            f"let 'langcrawl recover {directory.path}' make it anew from the archive."
        )


def has_pages(directory: CrawlDirectory) -> bool:
    """Whether there is anything that a crawl has collected."""
    kept = [*directory.warc.glob("langcrawl-*"), *(directory.log / "pages").glob("*.parquet")]
    return bool(kept) or wal_of(directory.database).exists()


def archives(directory: CrawlDirectory) -> list[Path]:
    """All that pages can be taken from, those that were set aside the last, in order."""
    kept = sorted(directory.warc.glob("langcrawl-*.warc.gz*"))
    return kept + lost_archives(directory)


def lost_archives(directory: CrawlDirectory) -> list[Path]:
    """The archives in lost+found, in the order in which they were begun."""
    return sorted(LostAndFound(directory.path).path.glob("*.warc.gz"))


def check_wal(directory: CrawlDirectory, say: Say) -> None:
    """Notice commits that SQLite has lost. To be called before anything opens the database."""
    path = directory.database
    committed = committed_frames(path)
    if not committed:
        return
    lost = LostAndFound(directory.path)
    lost.path.mkdir(exist_ok=True)
    kept = lost.path / f"{path.name}-wal"
    shutil.copy2(wal_of(path), kept)
    with undamaged(path), closing(connect(path)) as connection:
        frames = lost_frames(connection, committed)
        if frames and (said := connection.execute("PRAGMA quick_check(1)").fetchone()[0]) != "ok":
            raise BrokenLog(damaged(path, ValueError(said)))
    if frames:
        say(
            f"'{wal_of(path)}' is damaged, so what was committed to the database last is lost "
            f"from it ({frames:,} of {committed:,} parts); pages that it does not know any more "
            "are set aside or downloaded again."
        )
    else:
        kept.unlink()
        if not any(lost.path.iterdir()):
            lost.path.rmdir()


def look_after(directory: CrawlDirectory, say: Say) -> None:
    """Set aside what the database does not know, and ask again for what is lost."""
    path = directory.database
    if not path.exists() or not path.stat().st_size:
        return
    with undamaged(path, *NONSENSE), closing(connect(path)) as connection:
        (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if tables:
            check_rows(connection)
            set_up(connection)
            for _ in read_unmoved(connection):
                pass
            unmoved_visits(connection)
            _look_after(directory, connection, say)


def _look_after(directory: CrawlDirectory, connection: sqlite3.Connection, say: Say) -> None:
    finish_asking_again(directory.path, connection)
    lost = LostAndFound(directory.path)
    set_aside_unregistered(directory.path, connection, lost)
    left_open = [path.name.removesuffix(".open") for path in directory.warc.glob("*.open")]
    damaged_files = set_aside_archives(directory, connection, lost)
    if sentence := lost.sentence():
        say(sentence)
    _check_log(directory, connection, say)
    damaged_files |= _damaged_archives(directory, connection, left_open)
    if damaged_files:
        _replace_lost(directory, connection, damaged_files, say)
    connection.execute("BEGIN")
    remember_sealed(directory, connection)
    connection.execute("COMMIT")


def set_aside_archives(
    directory: CrawlDirectory, connection: sqlite3.Connection, lost: LostAndFound
) -> set[str]:
    """Set aside what of the archive the database does not know; the files that are too short."""
    found = recover(directory.warc, archived_bytes(connection), lost)
    rows = {name: (size, -1) for name, size in found.grown.items()}
    for name, last in connection.execute("SELECT file, last FROM archives").fetchall():
        if name in rows and last is not None:
            rows[name] = rows[name][0], last
    register_archives(connection, rows)
    return set(found.short)


def remember_sealed(directory: CrawlDirectory, connection: sqlite3.Connection) -> None:
    """Remember complete files that are not yet, or have changed and were looked through."""
    known = read_seals(connection)
    names = [f"warc/{name}" for name in archived_bytes(connection)]
    for segment in registered_segments(connection):
        names += [f"log/{table}/{segment}" for table in TABLES]
    new = []
    for name in names:
        path = directory.path / name
        if path.is_file():
            status = path.stat()
            seal = known.get(name)
            if seal is None or (status.st_size, status.st_mtime_ns) != seal[:2]:
                new.append(name)
    remember(connection, directory.path, new)
    boot = boot_id()
    if read_meta(connection, _BOOT) != boot:
        write_meta(connection, _BOOT, boot)


def boot_id() -> str:
    """Another one after every start of the system; empty where it has none."""
    try:
        return _BOOT_ID.read_text().strip()
    except OSError:
        return ""


def _check_log(directory: CrawlDirectory, connection: sqlite3.Connection, say: Say) -> None:
    """Notice segments of the log that are lost; the URLs of one stand in the database too."""
    seals = read_seals(connection)
    first = 0
    for segment, urls in registered_segments(connection).items():
        for table in TABLES:
            name = f"log/{table}/{segment}"
            path, seal = directory.path / name, seals.get(name)
            problem = problem_of(path, seal) if seal else "" if path.is_file() else "is missing"
            if problem and table == "urls":
                path.parent.mkdir(parents=True, exist_ok=True)
                write_file(path, new_urls(connection, first, urls))
                remember(connection, directory.path, [name])
                say(f"'{path}' {problem}; it was written anew from the database.")
            elif problem:
                say(
                    f"'{path}' {problem}; restore it from a backup, or let 'langcrawl recover "
                    f"{directory.path} --rebuild' make the log anew from the archive."
                )
        first = urls


def _damaged_archives(
    directory: CrawlDirectory, connection: sqlite3.Connection, left_open: Collection[str]
) -> set[str]:
    """The archive files that are missing, or may have lost something."""
    seals, found = read_seals(connection), set()
    restarted = read_meta(connection, _BOOT) not in (None, boot_id())
    rows = connection.execute("SELECT file, bytes, last FROM archives").fetchall()
    elsewhere = collected(directory.warc)
    for name, size, last in rows:
        if name in elsewhere:
            continue
        path = directory.warc / name
        seal = seals.get(f"warc/{name}")
        if not path.is_file():
            path = directory.warc / f"{name}.open"
        if (
            not path.is_file()
            or (seal is not None and problem_of(path, seal))
            or (restarted and name in left_open)  # what the system held back may be lost
            or (seal is None and last is not None and last >= 0 and not _ends(path, last, size))
        ):
            found.add(name)
    return found


def _ends(path: Path, last: int, size: int) -> bool:
    """Whether the record that begins there is whole, and those behind it up to that size."""
    for member in members(path, last):
        last = member.end
        if last >= size:
            break
    return last == size


def _replace_lost(
    directory: CrawlDirectory, connection: sqlite3.Connection, names: set[str], say: Say
) -> None:
    """Look through damaged archive files, and have the pages wait again that they have lost."""
    connection.execute("BEGIN")
    log = LogWriter(directory.path, connection, lambda urls: [])
    log.save(connection, all_of_it=True)  # what counts no more must stand in a segment
    connection.execute("COMMIT")
    lost = list(lost_pages(directory, connection, names))
    if _forget_lost_visits(directory, connection, names):
        forget_index(directory.warc)
    if lost:
        forget_index(directory.warc)
    connection.execute("BEGIN")
    ask_again(connection, lost)
    missing = {name for name in names if not _find(directory, name).is_file()}
    connection.executemany("DELETE FROM archives WHERE file = ?", [(name,) for name in missing])
    connection.executemany(
        "DELETE FROM files WHERE name = ?", [(f"warc/{name}",) for name in names]
    )
    for name in names - missing:
        size = _find(directory, name).stat().st_size
        _fill_damage(_find(directory, name), LostAndFound(directory.path))
        connection.execute(
            "UPDATE archives SET last = NULL, bytes = min(bytes, ?) WHERE file = ?", (size, name)
        )
    connection.execute("COMMIT")
    finish_asking_again(directory.path, connection)
    for name in sorted(names):
        of_it = "is missing" if name in missing else "has changed or lost a part"
        say(f"'{directory.warc / name}' {of_it}; 'langcrawl verify {directory.path}' says more.")
    if lost:
        say(f"{len(lost):,} pages whose records are lost will be downloaded again.")


def _forget_lost_visits(
    directory: CrawlDirectory, connection: sqlite3.Connection, names: Collection[str]
) -> bool:
    """Earlier answers that are lost cannot be had again: the log says no more where they are."""
    changed = False

    def without_lost(table: pa.Table) -> pa.Table:
        nonlocal changed
        rows = [row if row["warc_file"] in names else None for row in table.to_pylist()]
        lost = {at for at, row in enumerate(rows) if row and _is_lost(directory, connection, row)}
        changed = changed or bool(lost)
        return without_places(table, lost)

    files = visit_names(visit_files(connection))
    change_visits(directory.path, files, without_lost)
    if changed:
        remember(connection, directory.path, files)
    return changed


def _is_lost(
    directory: CrawlDirectory, connection: sqlite3.Connection, row: dict[str, Any]
) -> bool:
    """Whether the record of a page, or of an earlier visit, cannot be read."""
    path = _find(directory, row["warc_file"])
    if not path.is_file():
        return True
    (url,) = connection.execute("SELECT url FROM urls WHERE id = ?", (row["id"],)).fetchone()
    with path.open("rb") as stream:
        place = row["warc_offset"], row["warc_length"]
        return bool(problem_at(stream, *place, url, row["digest"] or ""))


def _fill_damage(path: Path, lost: LostAndFound) -> None:
    """Put other records in place of damaged ones, so that the file can be read to its end.

    Nothing moves, because the log and the index know where records stand.
    """
    name = path.name.removesuffix(".open")
    for start, end in list(damaged_spans(path)):
        with path.open("r+b") as file:
            file.seek(start)
            data = file.read(end - start)
            if filler := in_place_of(end - start, damaged_record(name, start)):
                lost.keep(data, f"{name}.damaged-{start}")
                file.seek(start)
                file.write(filler)
                file.flush()
                os.fsync(file.fileno())


def _find(directory: CrawlDirectory, name: str) -> Path:
    path = directory.warc / name
    return path if path.is_file() else directory.warc / f"{name}.open"


def lost_pages(
    directory: CrawlDirectory, connection: sqlite3.Connection, names: Collection[str]
) -> Iterator[LostPage]:
    """The pages of the log whose records cannot be read from these files of the archive."""
    known = list(registered_segments(connection))
    for segment in known:
        (table,) = read_batches(directory.path, "pages", _COLUMNS, [segment])
        rows = [row for row in table.to_pylist() if row["warc_file"] in names]
        for name in sorted({row["warc_file"] for row in rows}):
            path = _find(directory, name)
            stream = path.open("rb") if path.is_file() else None
            for row in rows:
                if row["warc_file"] != name:
                    continue
                (url,) = connection.execute(
                    "SELECT url FROM urls WHERE id = ?", (row["id"],)
                ).fetchone()
                place = row["warc_offset"], row["warc_length"]
                if stream is None or problem_at(stream, *place, url, row["digest"] or ""):
                    yield LostPage(
                        row["id"], url, segment, row["status"], bool(row["relevant"]),
                        row["bytes"] or 0, row["notes"] or "", kind=kind_of_row(row),
                    )  # fmt: skip
            if stream is not None:
                stream.close()
