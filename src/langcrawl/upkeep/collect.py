"""Bring the complete archive files of a crawl to one place, and free the disk that they filled.

A file is copied, the copy is read back and compared by checksum, and only then the file here goes.
In a folder, a link to the copy takes its place, so that every command finds it as before. An object
store has no links: ``warc/collected.json`` says where the file is, until it is brought back.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from langcrawl.errors import BadInput, NoSuchLog
from langcrawl.parallel import Progress, Stop
from langcrawl.run import room_to_write
from langcrawl.store import remote
from langcrawl.store.collected import Collected, collected, write_collected
from langcrawl.store.directory import CrawlDirectory
from langcrawl.store.sealed import checksum_of

_WARC = "langcrawl-*.warc.gz"


@dataclass(slots=True)
class Moved:
    """What was collected or brought back."""

    files: int = 0
    bytes: int = 0
    stopped: bool = False


def collect(directory: Path, to: str, progress: Progress, stop: Stop) -> Moved:
    """Bring complete archive files to a folder, or to an object store."""
    if not remote.is_remote(to):
        return _to_folder(directory, Path(to), progress, stop)
    done, places = Moved(), _places(directory)
    with ExitStack() as stack:
        for place in places:  # a running crawl would miss its files
            stack.enter_context(place.locked())
        for place, path in _each(places, _here, done, progress, stop):
            uri = remote.below(to, path.name)
            (checksum,) = remote.send([(path, uri)])
            sent = Collected(uri, path.stat().st_size, checksum)
            known = collected(place.warc) | {path.name: sent}
            write_collected(place.warc, known)
            path.unlink()
    return done


def bring_back(directory: Path, progress: Progress, stop: Stop) -> Moved:
    """Have all archive files in the crawl directory again; the copies stay where they are."""
    done, places = Moved(), _places(directory)
    with ExitStack() as stack:
        for place in places:
            stack.enter_context(place.locked())
        for _, path in _each(places, _links, done, progress, stop):
            _replace(path, _copied(path.resolve(), path.with_name(f".{path.name}")))
        if not done.stopped:
            _fetch_back(places, done, progress, stop)
    return done


def _fetch_back(places: list[CrawlDirectory], done: Moved, progress: Progress, stop: Stop) -> None:
    for place in places:
        files = collected(place.warc)
        for name, (uri, size, checksum) in sorted(files.items()):
            if stop():
                done.stopped = True
                return
            progress(done.bytes, None, name)
            draft = place.warc / f".{name}"
            draft.unlink(missing_ok=True)
            remote.bring(uri, draft)
            if checksum_of(draft) != checksum:
                draft.unlink()
                raise BadInput(f"'{uri}' is not what was sent there; restore it from a backup.")
            draft.replace(place.warc / name)
            write_collected(place.warc, collected(place.warc))
            done.files, done.bytes = done.files + 1, done.bytes + size


def _to_folder(directory: Path, folder: Path, progress: Progress, stop: Stop) -> Moved:
    done, places = Moved(), _places(directory)
    folder = folder.absolute()
    if any(folder.resolve() == place.warc.resolve() for place in places):
        raise BadInput(f"'{folder}' is where the archive is; name another folder with --to.")
    if folder.exists() and not folder.is_dir():
        raise BadInput(f"'{folder}' is a file; name a folder with --to.")
    folder.mkdir(parents=True, exist_ok=True)
    for _, path in _each(places, _here, done, progress, stop):
        target = folder / path.name
        if not target.exists():
            _copied(path, target)
        elif checksum_of(target) != checksum_of(path):
            raise BadInput(
                f"'{target}' is there already, and is another file; name another folder."
            )
        link = path.with_name(f".{path.name}")
        link.unlink(missing_ok=True)
        link.symlink_to(target)
        _replace(path, link)
    return done


def _copied(path: Path, target: Path) -> Path:
    """A copy that was read back, and is there whole or not at all."""
    draft = target.with_name(f"{target.name}.part")
    try:
        with room_to_write():
            shutil.copyfile(path, draft)
            with draft.open("r+b") as file:
                os.fsync(file.fileno())
            shutil.copystat(path, draft)
        if checksum_of(draft) != checksum_of(path):
            raise BadInput(f"'{target}' is not what was copied there; check that disk.")
        return draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)


def _replace(path: Path, draft: Path) -> None:
    """Put a draft in the place of a file, for good."""
    draft.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _places(directory: Path) -> list[CrawlDirectory]:
    """The crawl, or its shards."""
    if not directory.exists():
        raise NoSuchLog(f"there is no directory '{directory}'; give the directory of a crawl.")
    place = CrawlDirectory(directory)
    places = [CrawlDirectory(part) for part in place.parts] or [place]
    if not any(each.database.exists() for each in places):
        raise BadInput(f"'{directory}' holds no live crawl, so it has no archive to collect.")
    return places


def _here(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


def _links(path: Path) -> bool:
    return path.is_symlink() and path.is_file()


def _each(
    places: list[CrawlDirectory],
    wanted: Callable[[Path], bool],
    done: Moved,
    progress: Progress,
    stop: Stop,
) -> Iterator[tuple[CrawlDirectory, Path]]:
    """The complete files that are wanted, with the progress over all of them."""
    files = [(place, path) for place in places for path in sorted(place.warc.glob(_WARC))]
    files = [(place, path) for place, path in files if wanted(path)]
    sizes = [path.stat().st_size for _, path in files]
    total = sum(sizes) or 1
    for (place, path), size in zip(files, sizes, strict=True):
        if stop():
            done.stopped = True
            return
        progress(done.bytes, done.bytes / total, path.name)
        yield place, path
        done.files, done.bytes = done.files + 1, done.bytes + size
