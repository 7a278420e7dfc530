"""The index of an archive: which record answers which URL, as pywb and others read it (CDXJ).

Each line has a key that brings the URLs of a domain together (SURT), a time, and where the
record stands. The keys are those of the `surt` package, but for session ids, which the links of
a crawl have lost before (docs/urls.md).
"""

from __future__ import annotations

import json
import os
import re
import shutil
import string
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from heapq import merge
from itertools import groupby, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO, NamedTuple
from urllib.parse import quote_from_bytes, unquote_to_bytes
from zlib import crc32

from langcrawl.archive.warc_records import warc_date
from langcrawl.url import host_of

INDEX = "index.cdxj"
_STATE = "index.state.json"
_DRAFTS = ".index-"
_BLOCK = 1 << 20
"""Bytes of an index that are read at once."""
_SORTED_AT_ONCE = 100_000
"""Lines that are held in memory."""
_UNQUOTED = string.punctuation.translate({ord("#"): None, ord("%"): None})
_NO_MARKS = str.maketrans("", "", "-T:")
_BEHIND_MIME = re.compile(r"[;\s]")
_WWW = re.compile(r"www\d*\.")


class Capture(NamedTuple):
    """An archived answer, as the crawl log knows it."""

    url: str
    fetched_at: float
    content_type: str
    status: int
    """0 where the record has none."""
    digest: str
    file: str
    offset: int
    length: int
    revisit: bool


Captures = Iterable[Capture]


def update_index(
    directory: Path, sources: Mapping[str, int], captures: Callable[[Sequence[str]], Captures]
) -> None:
    """Bring the index of the archive in this directory up to date.

    `sources` are the parts of the log, by name, with a number that changes when a part does;
    `captures` gives the captures of some of them. Only those of parts that are not in the index
    yet are asked for, and merged into it. An index that is missing, damaged or of another log is
    written anew. Whenever the process dies, the index is the old one or the new one.
    """
    for left in directory.glob(f"{_DRAFTS}*"):
        shutil.rmtree(left, ignore_errors=True)
    state = _State.load(directory)
    if state is not None and state.fits(directory, sources):
        new = [name for name in sources if name not in state.sources]
        if not new and _checksum(directory / INDEX) == state.checksum:
            return
        if new and _merge(directory, captures(new), state.checksum, sources):
            return
    _merge(directory, captures(list(sources)), None, sources)


def write_index(directory: Path, captures: Captures) -> None:
    """Write the index of the archive in this directory, sorted, in place of an earlier one."""
    (directory / _STATE).unlink(missing_ok=True)
    _merge(directory, captures, None, None)


def index_problem(directory: Path, captures: int) -> str:
    """What is wrong with the index of an archive with so many pages; empty where nothing is.

    A crawl that did not end has none, or that of its last end.
    """
    state = _State.load(directory)
    if state is None:
        return ""
    path = directory / INDEX
    if not path.is_file():
        return f"{INDEX} is missing"
    if path.stat().st_size != state.size or _checksum(path) != state.checksum:
        return f"{INDEX} has changed"
    with path.open("rb") as file:
        lines = sum(1 for _ in file)
    return "" if lines <= captures else f"{INDEX} has {lines:,} lines for {captures:,} pages"


def forget_index(directory: Path) -> None:
    """Have the index written anew the next time: some of its lines are no longer true."""
    (directory / _STATE).unlink(missing_ok=True)


@dataclass(frozen=True, slots=True)
class _State:
    """What an index was made of, and how to know it again."""

    sources: dict[str, int]
    size: int
    checksum: int

    @classmethod
    def load(cls, directory: Path) -> _State | None:
        try:
            found = json.loads((directory / _STATE).read_text(encoding="utf-8"))
            return cls(dict(found["sources"]), int(found["size"]), int(found["checksum"]))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def save(self, directory: Path, drafts: Path) -> None:
        draft = drafts / _STATE
        draft.write_text(json.dumps(asdict(self)), encoding="utf-8")
        draft.replace(directory / _STATE)

    def fits(self, directory: Path, sources: Mapping[str, int]) -> bool:
        """Whether it describes the present index, and a log that has only grown since."""
        index = directory / INDEX
        there = index.is_file() and index.stat().st_size == self.size
        return there and all(sources.get(name) == it for name, it in self.sources.items())


def _merge(
    directory: Path, captures: Captures, checksum: int | None, sources: Mapping[str, int] | None
) -> bool:
    """Write an index of these captures and, with its checksum, of the one that is there.

    False where that one turns out to be another.
    """
    with TemporaryDirectory(prefix=_DRAFTS, dir=directory) as name, ExitStack() as opened:
        drafts = Path(name)
        new = _distinct(merge(*_sorted_parts(map(_line, captures), drafts, opened)))
        draft = drafts / INDEX
        size = made = read = 0
        with draft.open("wb") as whole:
            for block, old in _merged(directory / INDEX, new, checksum is not None):
                read = crc32(old, read)
                made = crc32(block, made)
                size += whole.write(block)
            whole.flush()
            os.fsync(whole.fileno())
        if checksum is not None and read != checksum:
            return False
        draft.replace(directory / INDEX)
        if sources is not None:  # killed before, it does not fit the index: that is written anew
            _State(dict(sources), size, made).save(directory, drafts)
    return True


def _distinct(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Sorted lines without repetitions: the log may tell of one capture twice."""
    return (line for line, _ in groupby(lines))


def _checksum(path: Path) -> int:
    made = 0
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            made = crc32(block, made)
    return made


def _sorted_parts(lines: Iterator[bytes], drafts: Path, opened: ExitStack) -> list[BinaryIO]:
    """Lines in files that are sorted each, so that few are in memory."""
    parts: list[BinaryIO] = []
    while some := sorted(islice(lines, _SORTED_AT_ONCE)):
        part = opened.enter_context((drafts / str(len(parts))).open("w+b"))
        part.writelines(some)
        part.seek(0)
        parts.append(part)
    return parts


def _merged(path: Path, new: Iterator[bytes], with_old: bool) -> Iterator[tuple[bytes, bytes]]:
    """The lines of an index and new ones, sorted, in blocks; and what was read for each.

    A block between two new lines is passed on as it is.
    """
    waiting = next(new, None)
    if with_old:
        with path.open("rb") as old:
            while block := old.read(_BLOCK) + old.readline():
                last = block[block.rfind(b"\n", 0, -1) + 1 :]
                if waiting is None or waiting > last:
                    yield block, block
                    continue
                lines = block.splitlines(keepends=True)
                while waiting is not None and waiting <= last:
                    lines.append(waiting)
                    waiting = next(new, None)
                yield b"".join(sorted(set(lines))), block
    while waiting is not None:
        some = [waiting, *islice(new, _SORTED_AT_ONCE)]
        yield b"".join(some), b""
        waiting = next(new, None)


def _line(capture: Capture) -> bytes:
    moment = warc_date(capture.fetched_at)[:19].translate(_NO_MARKS)
    mime = _BEHIND_MIME.split(capture.content_type, maxsplit=1)[0]
    fields = {
        "url": capture.url,
        "mime": "warc/revisit" if capture.revisit else mime,
        "status": str(capture.status or ""),
        "digest": capture.digest,
        "length": str(capture.length),
        "offset": str(capture.offset),
        "filename": capture.file,
    }
    given = {name: value for name, value in fields.items() if value}
    return f"{surt(capture.url)} {moment} {json.dumps(given)}\n".encode()


def surt(url: str) -> str:
    """The key of a canonical URL: host backwards, lower case, without what does not matter."""
    path, mark, query = url.split("/", 3)[3].partition("?")
    query = _sorted_query(_requoted(query)) if mark else ""
    return f"{_backwards(host_of(url))}){_straight(_requoted(path))}{query and '?'}{query}"


def _backwards(host: str) -> str:
    """``www.example.com:81`` as ``com,example:81``; of an IPv6 address only the brackets go."""
    if host.startswith("["):
        return host.replace("[", "").replace("]", "")
    name, colon, port = host.partition(":")
    words = _WWW.sub("", name, count=1) if _WWW.match(name) else name
    return ",".join(reversed(words.rstrip(".").split("."))) + colon + port


def _requoted(text: str) -> str:
    """In lower case, with only those letters quoted that must be."""
    if "%" in text:
        before, raw = b"", text.encode()
        while before != raw:
            before, raw = raw, unquote_to_bytes(raw)
        text = quote_from_bytes(raw, safe=_UNQUOTED)
    return text.lower()


def _straight(path: str) -> str:
    """Without empty segments, dots and the last slash."""
    steps: list[str] = []
    for step in path.split("/"):
        if step == ".." and steps:
            steps.pop()
        elif step not in ("", "."):
            steps.append(step)
    return "/" + "/".join(steps)


def _sorted_query(query: str) -> str:
    """Sorted by names and then by values."""
    return "&".join(sorted(query.split("&"), key=_name_and_value))


def _name_and_value(parameter: str) -> list[str]:
    return parameter.split("=", 1)
