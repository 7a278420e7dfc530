"""Reading archives: whole, at a place, and what is said of each record."""

from __future__ import annotations

import gzip
import zipfile
from collections import Counter
from pathlib import Path

import pytest

from archives import THAI, ArchiveFile, save_wacz
from langcrawl.archive.reader import Archive, OpenArchive, find_archives, read_records
from langcrawl.archive.record import Record

LIMIT = 100_000


def whole(path: Path, limit: int = LIMIT) -> tuple[list[Record], Counter[str]]:
    tally: Counter[str] = Counter()
    found = [
        record
        for archive in find_archives(path)
        for record in read_records(archive, limit, tally)
    ]  # fmt: skip
    return found, tally


def sample(packed: bool = True) -> ArchiveFile:
    archive = ArchiveFile(packed).record("", "warcinfo", "software: x\r\n")
    for number in range(5):
        archive.answer(f"http://a.th/{number}", THAI + str(number))
    return archive


@pytest.mark.parametrize("packed", [True, False])
def test_records_are_read_in_their_order_and_again_at_their_places(
    tmp_path: Path, packed: bool
) -> None:
    archive = sample(packed)
    path = archive.save(tmp_path / "a.warc")
    found, tally = whole(path)
    assert [record.kind for record in found] == ["warcinfo", *["response"] * 5]
    assert [record.offset for record in found] == archive.offsets
    assert tally == {"read": 6, "broken": 0}
    opened = OpenArchive(find_archives(path)[0])
    for record in reversed(found):
        assert record.offset is not None
        assert opened.record_at(record.offset, LIMIT) == record
    opened.close()


def test_a_place_where_no_record_begins_gives_none(tmp_path: Path) -> None:
    archive = sample()
    opened = OpenArchive(Archive(archive.save(tmp_path / "a.warc.gz"), "", len(archive.data)))
    for place in (archive.offsets[2] + 1, archive.offsets[5] + 20, len(archive.data), 10**9):
        assert opened.record_at(place, LIMIT) is None
    assert opened.record_at(archive.offsets[2], LIMIT) is not None
    opened.close()


@pytest.mark.parametrize("how", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_archives_in_a_wacz_file_are_read_at_places_too(tmp_path: Path, how: int) -> None:
    archive = sample()
    path = save_wacz(tmp_path / "a.wacz", archive.data, archive.data, how=how)
    first, second = find_archives(path)
    assert (first.name, second.name) == (
        "a.wacz/archive/0.warc.gz",
        "a.wacz/archive/1.warc.gz",
    )
    assert first.at_random == (how == zipfile.ZIP_STORED)
    opened = OpenArchive(second)
    record = opened.record_at(archive.offsets[3], LIMIT)
    opened.close()
    assert record is not None
    assert (record.url, record.file) == ("http://a.th/2", second.name)


def test_a_block_is_cut_where_no_page_needs_more_of_it(tmp_path: Path) -> None:
    path = ArchiveFile().answer("http://a.th/", b"x" * 2_000_000).save(tmp_path / "a.warc.gz")
    (record,), _ = whole(path, 1000)
    assert 1000 + 128 * 1024 < len(record.block) < 1_000_000


def test_what_the_archive_says_of_bodies_and_limits_is_passed_on(tmp_path: Path) -> None:
    def fields(lines: str, kind: str, block: str) -> bytes:
        head = f"WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Target-URI: <http://a.th/>\r\n{lines}"
        return gzip.compress(
            f"{head}Content-Length: {len(block)}\r\n\r\n{block}\r\n\r\n".encode(), mtime=0
        )

    same = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
    unchanged = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
    digest = "WARC-Payload-Digest: sha1:ABC\r\n"
    path = tmp_path / "a.warc.gz"
    path.write_bytes(
        fields("", "warcinfo", "software: x\r\nmax-page-bytes: 5000\r\nrobots: obey\r\n")
        + fields(digest, "response", "HTTP/1.1 200 OK\r\n\r\n")
        + fields(f"{digest}WARC-Profile: {same}\r\n", "revisit", "")
        + fields("", "warcinfo", "software: y\r\n")
        + fields(f"WARC-Profile: {unchanged}\r\n", "revisit", "")
    )
    found, _ = whole(path)
    about = [(record.digest, record.same_body, record.page_limit) for record in found]
    assert about == [
        ("", False, 0), ("sha1:ABC", False, 5000), ("sha1:ABC", True, 5000), ("", False, 5000),
        ("", False, 0),
    ]  # fmt: skip
    assert {record.url for record in found} == {"http://a.th/"}


@pytest.mark.parametrize("packed", [True, False])
def test_reading_goes_on_behind_damage(tmp_path: Path, packed: bool) -> None:
    archive = sample(packed)
    data, place = archive.data, archive.offsets[3]
    path = tmp_path / "a.warc"
    path.write_bytes(data[: place + 5] + b"\xff" * 40 + data[place + 45 :])
    found, tally = whole(path)
    assert [record.url[-1:] for record in found] == ["", "0", "1", "3", "4"]
    assert tally["broken"] == 1
