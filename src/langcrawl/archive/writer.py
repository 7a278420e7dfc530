"""Pages as web archives keep them: WARC 1.1, one gzip member a record.

Each worker process has an `Archive` and writes to a file of its own, which ends in
``.open`` until it is complete. The crawl's database is what counts: on start `recover` sets aside
whatever the database does not know of.
"""

from __future__ import annotations

import fcntl
import os
import re
import time
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from zlib_ng import zlib_ng

from langcrawl import __version__
from langcrawl.archive import warc_records
from langcrawl.archive.exchange import Exchange
from langcrawl.archive.members import AnswerHead, head_at, members, whole_bytes
from langcrawl.errors import BadInput
from langcrawl.page import digest_of
from langcrawl.records import Known, Page, Verdict, Visit
from langcrawl.store.lost import LostAndFound, sync_folder

_OPEN, _UNKNOWN = ".open", ".unknown"
"""Endings of files that are being written, and that earlier versions gave to unknown ones."""
_NAME = re.compile(r"langcrawl-\d{8}T\d{6}-w(\d+)-\d{5,}(?:\.at-\d+)?(?:\.\d+)?\.warc\.gz")
"""The end of a file that came back from lost+found says where in the file it stood."""
_LEVEL, _GZIP = 6, 31
_SHORT, _SHORT_LEVEL = 2_000, 1
"""Bytes of records that hardly shrink: at a low level they take a third of the time."""
_WRITER_ENDS_WITHIN = 60.0
_REMEMBERED = 100_000
"""How many archived bodies a worker knows again."""
_WORTH_A_REVISIT = 1024
"""Bytes; a shorter body takes hardly more room than the words that say where it stands."""


class Place(NamedTuple):
    """Where the archive holds an answer.

    The record is the last of those written for its page, so that the first
    ``offset + length`` bytes of the file hold all that was written up to it.
    """

    file: str
    """The name that the file has once it is complete."""
    offset: int
    length: int
    digest: str
    """``sha1:`` and base 32, of the body as the server sent it."""
    revisit: bool = False
    """The body is the same as that of an earlier page, and stands only there."""


class Archive:
    """What one worker process writes; no two processes may share a slot at the same time."""

    def __init__(
        self,
        directory: Path,
        slot: int,
        about: Mapping[str, str],
        max_bytes: int = 1_000_000_000,
        durable: bool = False,
    ) -> None:
        """A `durable` archive is on the disk, and not only with the system, after `sync`."""
        directory.mkdir(parents=True, exist_ok=True)
        self._directory, self._slot, self._max_bytes = directory, slot, max_bytes
        self._durable = durable
        self._about = {
            "software": f"langcrawl/{__version__}",
            "format": "WARC File Format 1.1",
            "conformsTo": "http://iipc.github.io/warc-specifications/"
            "specifications/warc-format/warc-1.1/",
            **about,
        }
        self._file: _File | None = None
        self._seen: OrderedDict[str, tuple[str, float]] = OrderedDict()

    def write(
        self,
        visit: Visit,
        exchange: Exchange,
        page: Page,
        verdict: Verdict,
        normalized: warc_records.Normalized | None = None,
    ) -> Place:
        """Archive a page: request, metadata, and the response or where its body stands.

        The page's text in one encoding comes before the response, where it is given. All of it
        has reached the operating system when this returns. Where there is no room for it an
        OSError says so, and the file is as it was.
        """
        same = page.digest and exchange.raw is exchange.body
        digest = page.digest if same else digest_of(exchange.raw)
        answer_id = warc_records.new_id()
        may_repeat = _may_repeat(exchange)
        known = self._seen.get(digest) if may_repeat else None
        if known is None:
            answer = warc_records.response(exchange, answer_id, digest)
        else:
            answer = warc_records.revisit(exchange, answer_id, digest, *known)
        records = [
            warc_records.request(exchange, answer_id),
            warc_records.metadata(visit, exchange, page, verdict, answer_id, normalized),
        ]
        if normalized is not None:
            records.append(warc_records.conversion(exchange, answer_id, normalized))
        records.append(answer)
        place = self._append(records, digest)._replace(revisit=known is not None)
        if may_repeat and known is None:
            self._seen[digest] = (exchange.url, exchange.asked_at)
            if len(self._seen) > _REMEMBERED:
                self._seen.popitem(last=False)
        return place

    def write_again(self, visit: Visit, exchange: Exchange, known: Known) -> Place:
        """Archive an answer that brought nothing new: request, metadata, and a revisit record."""
        answer_id = warc_records.new_id()
        profile = warc_records.NOT_MODIFIED if exchange.status == 304 else warc_records.SAME_BODY
        place = known.digest, known.url, known.asked_at
        records = [
            warc_records.request(exchange, answer_id),
            warc_records.again(visit, exchange, profile, answer_id),
            warc_records.revisit(exchange, answer_id, *place, profile),
        ]
        return self._append(records, known.digest)._replace(revisit=True)

    def read_head(self, file: str, offset: int) -> AnswerHead | None:
        """The head of the answer at a place; None where there is none."""
        for name in (file, file + _OPEN):
            with suppress(FileNotFoundError), (self._directory / name).open("rb") as stream:
                return head_at(stream, offset)
        return None

    def write_robots(self, exchange: Exchange) -> Place:
        """Archive an answer to robots.txt, which is not a page: request and response."""
        digest, answer_id = digest_of(exchange.raw), warc_records.new_id()
        records = [
            warc_records.request(exchange, answer_id),
            warc_records.response(exchange, answer_id, digest),
        ]
        return self._append(records, digest)

    def sync(self) -> None:
        """Have all that was written reach the disk, if that was asked for."""
        if self._durable and self._file is not None:
            self._file.sync()

    def close(self) -> None:
        """Complete the file, if there is one."""
        if self._file is not None:
            self.sync()
            self._file.complete()
            self._file = None

    def _append(self, records: list[bytes], digest: str) -> Place:
        """Write these records, of which the last is the answer."""
        packed = [_packed(record) for record in records]
        file = self._ready_file()
        end = file.append(b"".join(packed))
        return Place(file.name, end - len(packed[-1]), len(packed[-1]), digest)

    def _ready_file(self) -> _File:
        """The file to write to: the one at hand, one that an earlier run left, or a new one."""
        if self._file is not None and self._file.size >= self._max_bytes:
            self.close()
        if self._file is None:
            file = _left_open(self._directory, self._slot) or _new(self._directory, self._slot)
            try:
                file.append(_packed(warc_records.warcinfo(file.name, self._about)))
            except OSError:
                file.release()
                raise
            self._file = file
        return self._file


class _File:
    """A WARC file that is being written, and holds complete records only."""

    def __init__(self, path: Path, fd: int) -> None:
        self._path, self._fd = path, fd
        fcntl.flock(fd, fcntl.LOCK_EX)  # until the process ends, however it ends
        self.name = _final(path)
        self.size = self._synced = os.fstat(fd).st_size
        self._is_new = not self.size

    def append(self, data: bytes) -> int:
        """Write data, all of it or nothing, and say where the file ends now."""
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[os.write(self._fd, rest) :]
        except OSError:
            os.ftruncate(self._fd, self.size)
            raise
        self.size += len(data)
        return self.size

    def sync(self) -> None:
        """Have it reach the disk, and its name too where it is new."""
        if self._synced < self.size:
            os.fsync(self._fd)
            if self._is_new:
                sync_folder(self._path.parent)
                self._is_new = False
            self._synced = self.size

    def release(self) -> None:
        """Leave the file as it is for a later try; an empty one goes."""
        os.close(self._fd)
        if not self.size:
            self._path.unlink()

    def complete(self) -> None:
        os.close(self._fd)
        self._path.rename(self._path.with_name(self.name))


class Recovered(NamedTuple):
    """What `recover` has found."""

    short: list[str]
    """Files that hold less than the database knows of."""
    grown: dict[str, int]
    """Files with more records than that, none of them a page's, and how many bytes count now."""


def recover(directory: Path, committed: Mapping[str, int], lost: LostAndFound) -> Recovered:
    """Make the archive hold what the crawl's database knows of; all else is set aside.

    `committed` says how many bytes of a file count, by the name that the file has once it is
    complete. Called before the workers start and after they have ended. Files that do not count,
    and what stands behind the part of a file that does, go to `lost`. Records that belong to no
    page, such as the answers to robots.txt, may stay at the end of a file.

    Where the computer itself went down, a file may hold less than the database knows of. Such
    a file is completed with the records that are whole, so that nothing else ever stands
    where the lost ones were.
    """
    found = Recovered([], {})
    for path in list(_files(directory)):
        if path.name.endswith(_OPEN):
            _wait_for_writer(path)
        name = _final(path)
        size, counts = path.stat().st_size, committed.get(name, 0)
        if size < counts:
            if (whole := whole_bytes(path)) < size:
                lost.cut(path, whole, _end_name(name, whole))
            path.rename(path.with_name(name))
            found.short.append(name)
        elif size > counts:
            kinds = _kinds_behind(path, counts, size)
            if kinds is not None and b"metadata" not in kinds:
                _keep(path, size, kinds, found)
            elif counts:
                lost.cut(path, counts, _end_name(name, counts))
            else:
                lost.move(path, name)
        elif not size:
            path.unlink()
    return found


def _keep(path: Path, size: int, kinds: set[bytes], found: Recovered) -> None:
    """Records that belong to no page stay; a file with nothing but its first record goes."""
    if kinds == {b"warcinfo"} and path.name.endswith(_OPEN) and _only_one(path):
        path.unlink()
    else:
        found.grown[_final(path)] = size


def _only_one(path: Path) -> bool:
    return len(list(members(path))) == 1


def _kinds_behind(path: Path, start: int, end: int) -> set[bytes] | None:
    """The kinds of the records from there on; None where they are not all whole."""
    kinds = set()
    for member in members(path, start):
        kinds.add(member.kind)
        start = member.end
    return kinds if start == end else None


def _end_name(name: str, start: int) -> str:
    return name.replace(".warc.gz", f".at-{start}.warc.gz")


def finish(directory: Path) -> None:
    """Complete files that no worker continues; call it at the end, after `recover`."""
    for path in _files(directory):
        path.rename(path.with_name(_final(path)))


def _files(directory: Path, slot: int | None = None) -> Iterator[Path]:
    """The archive's files, of one slot or of all, complete or not; other files are not ours."""
    for path in sorted(directory.glob("langcrawl-*")):
        ours = _NAME.fullmatch(_final(path))
        if ours and slot in (None, int(ours[1])):
            yield path


def _wait_for_writer(path: Path) -> None:
    """A worker of a process that was killed may need a moment to notice and end."""
    deadline = time.monotonic() + _WRITER_ENDS_WITHIN
    with path.open("rb") as file:
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise BadInput(
                        f"'{path}' is being written by another process; "
                        "wait until that process ends."
                    ) from None
                time.sleep(0.02)


def _final(path: Path) -> str:
    """The name that a file has once it is complete."""
    return path.name.removesuffix(_OPEN).removesuffix(_UNKNOWN)


def _left_open(directory: Path, slot: int) -> _File | None:
    """The file that an earlier worker of the slot left, if it left one."""
    for path in _files(directory, slot):
        if path.name.endswith(_OPEN):
            return _File(path, os.open(path, os.O_WRONLY | os.O_APPEND))
    return None


def _new(directory: Path, slot: int) -> _File:
    """A file with a name that none has had: of the time, the slot and a number."""
    stem = f"langcrawl-{time.strftime('%Y%m%dT%H%M%S', time.gmtime())}-w{slot}"
    number = 1
    while any(directory.glob(f"{stem}-{number:05}.*")):
        number += 1
    path = directory / f"{stem}-{number:05}.warc.gz{_OPEN}"
    return _File(path, os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL, 0o644))


def _packed(record: bytes) -> bytes:
    """A record as a gzip member of its own."""
    level = _LEVEL if len(record) > _SHORT else _SHORT_LEVEL
    return zlib_ng.compress(record, level, wbits=_GZIP)


def _may_repeat(exchange: Exchange) -> bool:
    """Whether an equal body elsewhere is worth a revisit; a part of a page proves nothing."""
    return len(exchange.raw) >= _WORTH_A_REVISIT and "truncated" not in exchange.notes
