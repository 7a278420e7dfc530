"""Files in object stores: copied here before they are read, and there once they are written.

A file is named by a URI that pyarrow's file systems open: ``s3://``, ``gs://``, ``file://``, ...
Archives are read in places all over them, and some more than once, so a copy on the disk is read
much sooner than the store itself. What is written there is complete here before.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from fnmatch import fnmatchcase
from pathlib import Path
from typing import IO, Any, NamedTuple

import pyarrow as pa
from pyarrow.fs import FileSelector, FileSystem, FileType
from xxhash import xxh3_64

from langcrawl.errors import NO_ROOM, BadInput, DiskFull

_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_PATTERN = re.compile(r"[*\[]")
_BLOCK = 1 << 22


class RemoteFile(NamedTuple):
    """A file in a store."""

    system: FileSystem
    path: str
    size: int

    @property
    def name(self) -> str:
        return self.path.rsplit("/", 1)[-1]


def is_remote(text: str) -> bool:
    """Whether this names something in a store, and no path of this machine."""
    return _URI.match(text) is not None


def below(uri: str, name: str) -> str:
    """The URI of something below another."""
    place, mark, query = uri.partition("?")
    return f"{place.rstrip('/')}/{name}{mark}{query}"


def split(uri: str) -> tuple[str, str]:
    """The URI of the folder in which something lies, and its name."""
    place, mark, query = uri.partition("?")
    folder, _, name = place.rpartition("/")
    if folder.endswith("/") or not name:
        raise BadInput(f"'{uri}' names no file; write it as s3://bucket/folder/file.")
    return f"{folder}{mark}{query}", name


def fetch(given: Iterable[str], folder: Path, ending: re.Pattern[str]) -> list[Path]:
    """Paths of this machine as they are given, and copies in a folder of what URIs name.

    A URI names a file, a pattern, or a folder, of which the files with such an ending are meant.
    Two of the same name must not be among them, because a log knows archives by their names.
    """
    found: list[Path] = []
    for text in given:
        if not is_remote(text):
            found.append(Path(text))
            continue
        with _reachable(text):
            for remote in _find(text, ending):
                path = folder / remote.name
                if path.exists():
                    raise BadInput(f"'{path}' is there already; take one of each name.")
                found.append(_copy_here(remote, path))
    return found


def exists(uri: str) -> bool:
    """Whether there is something of this name, or below it."""
    with _reachable(uri):
        system, path = FileSystem.from_uri(uri)
        return bool(system.get_file_info(path).type != FileType.NotFound)


def bring(uri: str, path: Path) -> None:
    """Copy a file from a store."""
    with _reachable(uri):
        system, place = FileSystem.from_uri(uri)
        info = system.get_file_info(place)
        if info.type != FileType.File:
            raise BadInput(f"there is no '{uri}'; check the address.")
        _copy_here(RemoteFile(system, place, info.size), path)


def size_of(uri: str) -> int | None:
    """How many bytes a file in a store has; None where there is none."""
    with _reachable(uri):
        system, place = FileSystem.from_uri(uri)
        info = system.get_file_info(place)
        return int(info.size) if info.type == FileType.File else None


def send(files: Sequence[tuple[Path, str]]) -> list[str]:
    """Copy files to their URIs, in this order; each is read back and compared. Their checksums."""
    checksums = []
    for path, uri in files:
        with _reachable(uri):
            system, place = FileSystem.from_uri(uri)
            if system.type_name == "local":  # stores have no folders, only names with strokes
                system.create_dir(place.rpartition("/")[0], recursive=True)
            with (
                path.open("rb") as source,
                system.open_output_stream(place, compression=None) as target,
            ):
                sent = _copy(source, target)
            with system.open_input_stream(place, compression=None) as back:
                if _copy(back, None) != sent:
                    raise BadInput(f"'{uri}' is not what was sent; check the store, and try again.")
        checksums.append(sent)
    return checksums


def _find(uri: str, ending: re.Pattern[str]) -> list[RemoteFile]:
    place, mark, query = uri.partition("?")
    magic = _PATTERN.search(place)
    root = place[: magic.start()].rpartition("/")[0] if magic else place
    system, path = FileSystem.from_uri(f"{root}{mark}{query}")
    info = system.get_file_info(path)
    if info.type == FileType.File:
        return [RemoteFile(system, path, info.size)]
    if info.type == FileType.NotFound:
        raise BadInput(f"there is no '{uri}'; check the address.")
    wanted = place[len(root) + 1 :].split("/") if magic else []
    found = [
        RemoteFile(system, each.path, each.size)
        for each in system.get_file_info(FileSelector(path, recursive=True))
        if each.type == FileType.File
        and (_fits(each.path[len(path) :].strip("/").split("/"), wanted) if magic
             else ending.search(each.path))
    ]  # fmt: skip
    if not found:
        raise BadInput(f"no file that can be read is at '{uri}'; check the address.")
    return sorted(found, key=lambda each: each.path)


def _fits(names: list[str], patterns: list[str]) -> bool:
    return len(names) == len(patterns) and all(map(fnmatchcase, names, patterns))


def _copy_here(remote: RemoteFile, path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with (
            remote.system.open_input_stream(remote.path, compression=None) as source,
            path.open("wb") as target,
        ):
            _copy(source, target)
        if path.stat().st_size != remote.size:
            raise BadInput(f"'{remote.path}' did not come whole; try again.")
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return path


def _copy(source: IO[bytes], target: Any) -> str:
    """Copy all bytes, if there is somewhere to copy them to; their checksum."""
    checksum = xxh3_64()
    while block := source.read(_BLOCK):
        checksum.update(block)
        if target is not None:
            target.write(block)
    return checksum.hexdigest()


@contextmanager
def _reachable(uri: str) -> Iterator[None]:
    """Say in a sentence what a store does not do."""
    try:
        yield
    except pa.ArrowInvalid as error:
        raise BadInput(f"'{uri}' is no address of a file: {_first_line(error)}") from None
    except (OSError, pa.ArrowException) as error:
        if getattr(error, "errno", None) in NO_ROOM:
            raise DiskFull("the disk is full; make room, or set TMPDIR.") from None
        raise BadInput(
            f"'{uri}' cannot be reached ({_first_line(error)}); check the address, and what the "
            "environment says of the store, such as AWS_ACCESS_KEY_ID."
        ) from None


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
