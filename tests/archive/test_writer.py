"""The archive that a worker writes, read by other programs."""

from __future__ import annotations

import errno
import gzip
import hashlib
import os
import shutil
import subprocess
import sys
import threading
import time
from base64 import b32encode
from pathlib import Path

import pytest
from fastwarc.warc import ArchiveIterator as FastIterator
from fastwarc.warc import WarcRecordType
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from exchanges import ABOUT, BODY, KIND, exchange, files, put, read, read_at, sizes
from langcrawl.archive.warc_records import Normalized
from langcrawl.archive.writer import Archive, Recovered, finish
from langcrawl.archive.writer import recover as set_aside
from langcrawl.records import Verdict
from langcrawl.script import Conversion
from langcrawl.store.lost import LostAndFound


@pytest.fixture
def warc(tmp_path: Path) -> Path:
    """The folder of the archive in a crawl directory."""
    return tmp_path / "warc"


def test_a_page_is_kept_with_its_request_its_answer_and_why_it_was_crawled(tmp_path: Path) -> None:
    archive = Archive(tmp_path, 3, ABOUT)
    verdict = Verdict("th", "Thai", "unicode", 0.975, True, ("charset: tis-620", "ngram: th"))
    place = put(archive, exchange(), verdict)
    archive.close()

    (path,) = files(tmp_path)
    assert path.name == place.file
    info, request, metadata, response = read(path)
    assert info.kind == "warcinfo"
    assert info["WARC-Filename"] == path.name
    assert b"operator: crawler@example.org\r\nrobots: obey\r\n" in info.payload

    assert request.kind == "request"
    assert request.http.statusline == "/a?b=c HTTP/1.1"
    assert request.http.get_header("User-Agent") == "langcrawl/1"

    assert response.kind == "response"
    assert response.http.statusline == "200 OK"
    assert response.payload == BODY
    assert response["WARC-Date"] == "2026-11-16T06:15:00.123456Z"
    assert response["WARC-IP-Address"] == "192.0.2.7"
    assert response["WARC-Target-URI"] == "http://one.example/a?b=c"
    assert response["WARC-Payload-Digest"] == place.digest
    assert place.digest == "sha1:" + b32encode(hashlib.sha1(BODY).digest()).decode()

    assert metadata.kind == "metadata"
    assert metadata.payload.decode().splitlines() == [
        "via: http://parent.example/",
        "found_by: link",
        "depth: 3",
        "irrelevant_run: 1",
        "priority: 2",
        "fetchTimeMs: 250",
        "language: th",
        "script: Thai",
        "encoding: unicode",
        "score: 0.975",
        "relevant: true",
        "evidence: charset: tis-620",
        "evidence: ngram: th",
    ]
    for record in (request, metadata):
        assert record["WARC-Concurrent-To"] == response["WARC-Record-ID"]


def test_every_field_of_a_metadata_record_is_documented(tmp_path: Path) -> None:
    archive = Archive(tmp_path, 0, ABOUT)
    asked = exchange(notes=("truncated",))
    normalized = Normalized("unicode", Conversion("ᠠ", {"\ue25e": 1}, {"\u1032": 2}))
    put(archive, asked, Verdict("th", "Thai", "zawgyi", 0.5, True, ("charset",)), normalized)
    archive.close()
    document = (Path(__file__).parents[2] / "docs" / "archive.md").read_text("utf-8")
    (metadata,) = (one for one in read(files(tmp_path)[0]) if one.kind == "metadata")
    for line in metadata.payload.decode().splitlines():
        assert f"`{line.split(':')[0]}`" in document
    assert metadata.payload.endswith(b"unmapped: U+E25E 1\r\nmerged: U+1032 2\r\n")


def test_a_place_is_that_of_one_gzip_member_and_the_last_of_its_page(tmp_path: Path) -> None:
    archive = Archive(tmp_path, 0, ABOUT)
    places = [put(archive, exchange(f"http://one.example/{i}", BODY + b"%d" % i)) for i in range(5)]
    archive.close()
    for i, place in enumerate(places):
        assert read_at(tmp_path, place).payload == BODY + b"%d" % i
    last = places[-1]
    assert last.offset + last.length == (tmp_path / last.file).stat().st_size


def test_chunks_are_undone_and_compression_is_kept(tmp_path: Path) -> None:
    archive = Archive(tmp_path, 0, ABOUT)
    headers = (KIND, (b"transfer-encoding", b"chunked"), (b"Content-Encoding", b"gzip"))
    place = put(archive, exchange(raw=gzip.compress(BODY), headers=headers))
    archive.close()
    record = read_at(tmp_path, place)
    assert record.http.get_header("X-Archive-Orig-Transfer-Encoding") == "chunked"
    assert record.http.get_header("Transfer-Encoding") is None
    assert record.http.get_header("Content-Encoding") == "gzip"
    assert gzip.decompress(record.payload) == BODY


def test_a_page_that_was_cut_says_so(tmp_path: Path) -> None:
    archive = Archive(tmp_path, 0, ABOUT)
    places = [
        put(archive, exchange("http://one.example/", notes=("truncated",))),
        put(archive, exchange("http://whole.example/")),
        put(archive, exchange("http://two.example/", notes=("truncated",))),
    ]
    archive.close()
    cut = [read_at(tmp_path, place).fields.get_header("WARC-Truncated") for place in places]
    assert cut == ["length", None, "length"]
    assert not any(place.revisit for place in places)
    metadata = [record for record in read(files(tmp_path)[0]) if record.kind == "metadata"]
    assert metadata[0].payload.endswith(b"\r\nnotes: truncated\r\n")


def test_a_body_that_is_known_is_not_kept_twice(tmp_path: Path) -> None:
    archive = Archive(tmp_path, 0, ABOUT)
    first = put(archive, exchange())
    second = put(archive, exchange("http://two.example/", status=404, reason="Gone"))
    archive.close()
    assert (first.revisit, second.revisit) == (False, True)
    assert first.digest == second.digest
    record = read_at(tmp_path, second)
    assert record.kind == "revisit"
    assert record.payload == b""
    assert record.http.statusline == "404 Gone"
    assert record["WARC-Payload-Digest"] == first.digest
    assert record["WARC-Profile"].endswith("/revisit/identical-payload-digest")
    assert record["WARC-Refers-To-Target-URI"] == "http://one.example/a?b=c"
    assert record["WARC-Refers-To-Date"] == "2026-11-16T06:15:00.123456Z"


def test_small_bodies_and_robots_files_are_always_kept(tmp_path: Path) -> None:
    archive = Archive(tmp_path, 0, ABOUT)
    robots = [archive.write_robots(exchange(f"http://{n}.example/robots.txt")) for n in "ab"]
    empty = [put(archive, exchange(raw=b"")) for _ in range(2)]
    small = [put(archive, exchange(raw=b"not found")) for _ in range(2)]
    page = put(archive, exchange())
    archive.close()
    assert not any(place.revisit for place in (*robots, *empty, *small, page))
    assert read_at(tmp_path, robots[1]).payload == BODY


def test_only_so_many_bodies_are_remembered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("langcrawl.archive.writer._REMEMBERED", 2)
    archive = Archive(tmp_path, 0, ABOUT)
    bodies = [BODY + b"%d" % n for n in (1, 2, 3, 3, 2, 1)]
    revisits = [put(archive, exchange(raw=raw)).revisit for raw in bodies]
    assert revisits == [False, False, False, True, True, False]
    archive.close()


def test_a_full_file_is_completed_and_another_begun(tmp_path: Path) -> None:
    archive = Archive(tmp_path, 1, ABOUT, max_bytes=5000)
    places = [put(archive, exchange(raw=os.urandom(2000))) for _ in range(9)]
    assert len(list(tmp_path.glob("*.open"))) == 1
    archive.close()
    assert not list(tmp_path.glob("*.open"))
    assert {place.file for place in places} == {path.name for path in files(tmp_path)}
    assert len(files(tmp_path)) == 5
    for path in files(tmp_path):
        assert path.stat().st_size < 5000 + 4000
        assert [record.kind for record in read(path)].count("warcinfo") == 1


def test_an_archive_without_pages_leaves_no_file(tmp_path: Path) -> None:
    Archive(tmp_path / "warc", 0, ABOUT).close()
    assert list((tmp_path / "warc").iterdir()) == []


def test_workers_and_runs_within_a_second_have_files_of_their_own(tmp_path: Path) -> None:
    names = set()
    for _ in range(4):
        archives = [Archive(tmp_path, slot, ABOUT) for slot in (0, 1, 10)]
        names |= {put(archive, exchange()).file for archive in archives}
        for archive in archives:
            archive.close()
    assert len(names) == len(files(tmp_path)) == 12


LINE_ENDS = st.sampled_from([b"\r\n", b"\n", b"\r", b"\r\n\r\n", b"\0", b"WARC/1.1\r\n", b": "])
ANYTHING = st.lists(st.binary(max_size=20) | LINE_ENDS, max_size=5).map(b"".join)
HEADERS = st.lists(st.tuples(ANYTHING, ANYTHING), max_size=6)
TEXT = st.text(
    st.sampled_from("ab:\r\n\0\x1c\x85\u2028\ud800\udfffก ") | st.characters(), max_size=20
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(HEADERS, ANYTHING, st.text(max_size=20), TEXT, st.lists(TEXT, max_size=3))
def test_nothing_in_an_answer_can_break_a_record(
    tmp_path_factory: pytest.TempPathFactory,
    headers: list[tuple[bytes, bytes]],
    raw: bytes,
    reason: str,
    language: str,
    evidence: list[str],
) -> None:
    directory = tmp_path_factory.mktemp("hostile")
    archive = Archive(directory, 0, ABOUT)
    asked = exchange(raw=raw, reason=reason, headers=tuple(headers))
    place = put(archive, asked, Verdict(language, evidence=tuple(evidence)))
    archive.close()
    _, _, metadata, response = read(directory / place.file)
    assert response.payload == raw
    names = [line.split(b": ")[0] for line in metadata.payload.splitlines()]
    assert names.count(b"evidence") == len([text for text in evidence if text])
    assert set(names) <= {
        b"via", b"found_by", b"depth", b"irrelevant_run", b"priority", b"fetchTimeMs",
        b"language", b"score", b"relevant", b"evidence",
    }  # fmt: skip
    with (directory / place.file).open("rb") as stream:
        kinds = [record.record_type for record in FastIterator(stream, verify_digests=True)]
    assert kinds[1:] == [WarcRecordType.request, WarcRecordType.metadata, WarcRecordType.response]


FULL_DISK = """
import os, resource, signal, sys
from pathlib import Path
from exchanges import ABOUT, Archive, exchange, put

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
directory, limit = Path(sys.argv[1]), int(sys.argv[2])
archive = Archive(directory, 0, ABOUT)
def write():
    return put(archive, exchange(raw=os.urandom(3000)))
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
while True:
    try:
        write()
    except OSError as error:
        print(error.errno, *(path.stat().st_size for path in directory.iterdir()))
        break
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
write()
archive.close()
"""


@pytest.mark.parametrize(("limit", "pages"), [(10_000, 3), (3_000, 1), (100, 1)])
def test_a_full_disk_is_an_error_that_leaves_the_file_whole(
    tmp_path: Path, limit: int, pages: int
) -> None:
    """A limit on the size of a file stands in for the disk: a write is cut, then refused."""
    done = subprocess.run(
        [sys.executable, "-c", FULL_DISK, tmp_path, str(limit)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    number, *left = map(int, done.stdout.split())
    assert number == errno.EFBIG
    assert len(left) == (limit > 100)
    assert all(size < limit for size in left)
    (path,) = files(tmp_path)
    assert [record.kind for record in read(path)].count("response") == pages


def kill(archive: Archive) -> None:
    """Let go of the file as the end of the process would."""
    assert archive._file is not None
    os.close(archive._file._fd)
    archive._file = None


def recover(directory: Path, committed: dict[str, int]) -> Recovered:
    return set_aside(directory, committed, LostAndFound(directory.parent))


def lost(directory: Path) -> dict[str, int]:
    return sizes(directory.parent / "lost+found")


def test_what_the_database_does_not_know_is_set_aside(warc: Path) -> None:
    archive = Archive(warc, 0, ABOUT)
    places = [put(archive, exchange(raw=os.urandom(3000))) for _ in range(4)]
    kill(archive)
    whole = (warc / f"{places[0].file}.open").read_bytes()
    for place in (places[2], places[1]):
        committed = {place.file: place.offset + place.length}
        for _ in range(2):
            recover(warc, committed)
            assert sizes(warc) == {f"{place.file}.open": place.offset + place.length}
    parts = sorted((warc.parent / "lost+found").iterdir(), key=lambda path: int(path.name[40:-8]))
    assert {path.name for path in parts} == {
        place.file.replace(".warc.gz", f".at-{place.offset + place.length}.warc.gz")
        for place in places[1:3]
    }
    rest = b"".join(path.read_bytes() for path in parts)
    assert (warc / f"{places[0].file}.open").read_bytes() + rest == whole
    assert sum([record.kind for record in read(path)].count("response") for path in parts) == 2


def test_files_that_the_database_does_not_know_at_all_are_set_aside(warc: Path) -> None:
    done, underway = Archive(warc, 0, ABOUT), Archive(warc, 1, ABOUT)
    complete = put(done, exchange())
    done.close()
    begun = put(underway, exchange())
    kill(underway)
    (warc / "langcrawl-notes.txt").write_text("mine")
    old = warc / complete.file.replace("-w0-", "-w7-")
    shutil.copy(warc / complete.file, f"{old}.unknown")  # as earlier versions left them
    for _ in range(2):
        recover(warc, {})
        assert set(sizes(warc)) == {"langcrawl-notes.txt"}
        assert set(lost(warc)) == {complete.file, begun.file, old.name}


def test_what_belongs_to_no_page_stays(warc: Path) -> None:
    """The answers to robots.txt are no pages: the log does not list them."""
    archive = Archive(warc, 0, ABOUT)
    page = put(archive, exchange())
    archive.write_robots(exchange("http://a.example/robots.txt"))
    kill(archive)
    size = (warc / f"{page.file}.open").stat().st_size
    found = recover(warc, {page.file: page.offset + page.length})
    assert found.grown == {page.file: size}
    assert sizes(warc) == {f"{page.file}.open": size}
    assert not (warc.parent / "lost+found").exists()


def test_an_end_that_was_kept_and_not_cut_off_is_kept_once(warc: Path) -> None:
    archive = Archive(warc, 0, ABOUT)
    places = [put(archive, exchange(raw=os.urandom(3000))) for _ in range(2)]
    kill(archive)
    path = warc / f"{places[0].file}.open"
    whole = path.read_bytes()
    committed = {places[0].file: places[0].offset + places[0].length}
    recover(warc, committed)
    path.write_bytes(whole)
    recover(warc, committed)
    assert len(lost(warc)) == 1
    path.write_bytes(whole[:-100])  # another end at the same place
    recover(warc, committed)
    assert len(lost(warc)) == 2


def test_a_file_is_mended_only_once_its_writer_is_gone(warc: Path) -> None:
    archive = Archive(warc, 0, ABOUT)
    first, _ = put(archive, exchange()), put(archive, exchange(raw=os.urandom(3000)))
    gone = threading.Timer(0.3, kill, [archive])
    gone.start()
    began = time.monotonic()
    recover(warc, {first.file: first.offset + first.length})
    gone.join()
    assert time.monotonic() - began >= 0.3
    assert sizes(warc) == {f"{first.file}.open": first.offset + first.length}


def test_the_next_worker_of_a_slot_goes_on_with_its_file(warc: Path) -> None:
    before = Archive(warc, 0, ABOUT)
    first = put(before, exchange())
    kill(before)
    after = Archive(warc, 0, ABOUT | {"operator": "someone else"})
    second = put(after, exchange())
    after.close()
    assert first.file == second.file
    kinds = [record.kind for record in read(warc / first.file)]
    page = ["request", "metadata", "response"]
    assert kinds == ["warcinfo", *page, "warcinfo", *page]


def test_files_of_slots_without_a_worker_are_completed_in_the_end(warc: Path) -> None:
    archive = Archive(warc, 7, ABOUT)
    place = put(archive, exchange())
    kill(archive)
    recover(warc, {place.file: place.offset + place.length})
    finish(warc)
    finish(warc)
    assert set(sizes(warc)) == {place.file}


@pytest.mark.parametrize("missing", [1, 700, 3000])
@pytest.mark.parametrize("zeros", [0, 500])
def test_a_file_that_lost_its_end_keeps_its_whole_records_and_is_not_gone_on_with(
    warc: Path, missing: int, zeros: int
) -> None:
    archive = Archive(warc, 0, ABOUT)
    places = [put(archive, exchange(raw=os.urandom(3000))) for _ in range(3)]
    kill(archive)
    last = places[-1]
    committed = {last.file: last.offset + last.length}
    path = warc / f"{last.file}.open"
    path.write_bytes(path.read_bytes()[:-missing] + bytes(min(zeros, missing - 1)))
    for _ in range(2):
        assert recover(warc, committed).short == [last.file]
    assert [record.kind for record in read(warc / last.file)].count("response") == 2
    assert put(Archive(warc, 0, ABOUT), exchange()).file != last.file
