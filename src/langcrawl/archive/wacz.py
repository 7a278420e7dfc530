"""WACZ: a web archive in one file, with its index and a list of its pages (WACZ 1.1.1).

A ZIP file with the WARC files as they are (``archive/``), an index of them (``indexes/``), the
pages that a reader may want to begin with (``pages/``), and ``datapackage.json``, which has the
size and the SHA-256 of each. ReplayWeb.page and other players read it from any place that serves
files. The same archives always make the same bytes.
"""

from __future__ import annotations

import hashlib
import html
import json
import re
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, NamedTuple

from langcrawl import __version__
from langcrawl.archive.index import INDEX, Capture, write_index
from langcrawl.archive.message import read_answer
from langcrawl.archive.reader import Archive, read_records
from langcrawl.archive.record import Record
from langcrawl.archive.warc_records import warc_date
from langcrawl.errors import BadInput
from langcrawl.page import decode, is_html
from langcrawl.url import canonical

VERSION = "1.1.1"
_SOME = 1 << 16
"""Bytes of a page that are read for its status and its title."""
_BLOCK = 1 << 20
_TITLE = re.compile(r"<title[^>]{0,200}>([^<]{1,1000})", re.IGNORECASE)
_LONGEST_TITLE = 500
_KINDS = ("response", "revisit", "resource")
_LONG_AGO = (1980, 1, 1, 0, 0, 0)
"""The time of all files in a WACZ file: that of its making would make it another file each time."""


class Listed(NamedTuple):
    """A page that the list of pages names."""

    url: str
    fetched_at: float
    title: str


class Made(NamedTuple):
    """What a WACZ file holds."""

    archives: int
    captures: int
    pages: int
    broken: int


def write_wacz(
    path: Path,
    archives: Sequence[Archive],
    title: str,
    is_page: Callable[[str], bool],
    say: Callable[[int, float], None],
) -> Made:
    """Pack archives into a WACZ file; `is_page` says which URLs the list of pages names."""
    names = _names(archives)
    total = 2 * sum(archive.size for archive in archives) or 1
    looks = [_Look(archive, name, is_page) for archive, name in zip(archives, names, strict=True)]
    with TemporaryDirectory(dir=path.parent, prefix=f".{path.name}-") as folder:
        place = Path(folder)
        draft = place / path.name
        with (place / "pages.jsonl").open("wb") as pages:
            pages.write(_line({"format": "json-pages-1.0", "id": "pages", "title": "All Pages"}))
            write_index(place, _captures(looks, pages, lambda done: say(0, done / total)))
        with zipfile.ZipFile(draft, "w", allowZip64=True) as whole:
            zipped = _Zip(whole)
            done = total // 2
            for archive, name in zip(archives, names, strict=True):
                with archive.open() as file:
                    zipped.add(f"archive/{name}", file)
                done += archive.size
                say(0, done / total)
            for name, source in (
                ("indexes/index.cdx", INDEX),
                ("pages/pages.jsonl", "pages.jsonl"),
            ):
                with (place / source).open("rb") as file:
                    zipped.add(name, file, packed=True)
            newest = max((look.newest for look in looks), default=0.0)
            zipped.finish(title, newest)
        draft.replace(path)
    sums = [sum(getattr(look, name) for look in looks) for name in ("captures", "pages", "broken")]
    return Made(len(archives), *sums)


class _Look:
    """Goes through an archive once for its index and its pages."""

    def __init__(self, archive: Archive, name: str, is_page: Callable[[str], bool]) -> None:
        self.archive, self.name, self._is_page = archive, name, is_page
        self.captures = self.pages = self.broken = 0
        self.newest = 0.0

    def all(self) -> Iterator[tuple[Capture, Listed | None]]:
        """What each record of an answer captures, and the page if it is one."""
        tally: Counter[str] = Counter()
        before: Record | None = None
        for record in read_records(self.archive, _SOME, tally):
            if record.offset is None:
                raise BadInput(
                    f"'{self.archive.name}' is compressed as a whole, or is no WARC file, so that "
                    "its records cannot be found; recompress it with 'warcio recompress'."
                )
            if before is not None:
                yield from self._look(before, record.offset)
            before = record
        if before is not None:
            yield from self._look(before, self.archive.size)
        self.broken = tally["broken"]

    def _look(self, record: Record, end: int) -> Iterator[tuple[Capture, Listed | None]]:
        self.newest = max(self.newest, record.fetched_at)
        url = canonical(record.url) if record.kind in _KINDS else None
        if url is None:
            return
        answer = None if record.kind == "resource" else read_answer(record.block, _SOME)
        if answer is None and record.kind != "resource":
            self.broken += 1
            return
        status = answer.status if answer else 200
        kind = answer.header("Content-Type") if answer else record.content_type
        body = answer.body if answer else record.block
        place = record.offset or 0
        self.captures += 1
        capture = Capture(
            url, record.fetched_at, kind, status, record.digest, self.name, place, end - place,
            record.kind == "revisit",
        )  # fmt: skip
        listed = None
        if status == 200 and is_html(kind, body) and self._is_page(url):
            self.pages += 1
            listed = Listed(url, record.fetched_at, _title(body, kind))
        yield capture, listed


def _captures(
    looks: Iterable[_Look], pages: IO[bytes], say: Callable[[float], None]
) -> Iterator[Capture]:
    """The captures of all archives; on the way their pages are listed."""
    done, count = 0.0, 0
    for look in looks:
        for capture, page in look.all():
            if page is not None:
                moment = warc_date(page.fetched_at)
                entry = {"id": f"{count:08}", "url": page.url, "ts": moment}
                pages.write(_line(entry | ({"title": page.title} if page.title else {})))
                count += 1
            yield capture
        done += look.archive.size
        say(done)


class _Zip:
    """Adds files to a ZIP file, and remembers the size and the digest of each."""

    def __init__(self, whole: zipfile.ZipFile) -> None:
        self._whole = whole
        self._resources: list[dict[str, object]] = []

    def add(self, name: str, file: IO[bytes], packed: bool = False) -> None:
        entry = zipfile.ZipInfo(name, _LONG_AGO)
        entry.compress_type = zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED
        digest, size = hashlib.sha256(), 0
        with self._whole.open(entry, "w", force_zip64=True) as target:
            while block := file.read(_BLOCK):
                target.write(block)
                digest.update(block)
                size += len(block)
        self._resources.append(
            {
                "name": name.rpartition("/")[2].lower(),
                "path": name,
                "hash": f"sha256:{digest.hexdigest()}",
                "bytes": size,
            }
        )

    def finish(self, title: str, newest: float) -> None:
        """Add what says of all others what they are."""
        package = {
            "profile": "data-package",
            "wacz_version": VERSION,
            "title": title,
            "created": warc_date(newest),
            "software": f"langcrawl {__version__}",
            "resources": self._resources,
        }
        text = json.dumps(package, indent=2, ensure_ascii=False).encode()
        digest = {"path": "datapackage.json", "hash": f"sha256:{hashlib.sha256(text).hexdigest()}"}
        for name, data in (
            ("datapackage.json", text),
            ("datapackage-digest.json", json.dumps(digest, indent=2).encode()),
        ):
            self._whole.writestr(zipfile.ZipInfo(name, _LONG_AGO), data, zipfile.ZIP_DEFLATED)


def _names(archives: Sequence[Archive]) -> list[str]:
    """What the archives are called within; of two with the same name, one gets a number."""
    taken: dict[str, None] = {}
    for archive in archives:
        name = plain = (archive.member or archive.path.name).rpartition("/")[2]
        number = 1
        while name in taken:
            number += 1
            name = f"{number}-{plain}"
        taken[name] = None
    return list(taken)


def _title(body: bytes, kind: str) -> str:
    found = _TITLE.search(decode(body, kind).text)
    return " ".join(html.unescape(found[1]).split())[:_LONGEST_TITLE] if found else ""


def _line(entry: dict[str, str]) -> bytes:
    return json.dumps(entry, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
