"""Records of an archive one by one: where they stand, which are whole, and whose they are."""

from __future__ import annotations

import gzip
import io
import json
from contextlib import closing
from pathlib import Path
from random import Random

import pytest
from fastwarc.warc import ArchiveIterator
from hypothesis import given, settings
from hypothesis import strategies as st

from archives import ENGLISH, THAI, ArchiveFile, save_wacz
from langcrawl.archive import warc_records
from langcrawl.archive.exchange import Exchange
from langcrawl.archive.members import (
    damaged_spans,
    head_at,
    in_place_of,
    member_length,
    members,
    problem_at,
    whole_bytes,
)
from langcrawl.archive.one_page import Place, read_page
from langcrawl.archive.reader import Archive, OpenArchive
from langcrawl.archive.record import Record
from langcrawl.archive.revisits import Revisits
from langcrawl.archive.sources import all_sources, find_sources, record_sources, recorded_sources
from langcrawl.page import digest_of

LIMIT = 1 << 20


def file_of(count: int, seed: int = 1, largest: int = 200_000) -> ArchiveFile:
    """Answers of very different sizes."""
    chance, made = Random(seed), ArchiveFile()
    for number in range(count):
        size = chance.choice([0, 1, 100, 5_000, largest])
        made.answer(f"http://a.th/{number}", chance.randbytes(size), X_Number=str(number))
    return made


def test_members_are_the_records_each_with_its_place_and_its_beginning(tmp_path: Path) -> None:
    made = file_of(12).record("http://a.th/", "metadata", "x: 1")
    path = made.save(tmp_path / "f.warc.gz")
    found = list(members(path))
    assert [member.start for member in found] == made.offsets
    assert [member.end for member in found] == [*made.offsets[1:], len(made.data)]
    assert [member.kind for member in found] == [b"response"] * 12 + [b"metadata"]
    assert all(member.head.startswith(b"WARC/1.0\r\n") for member in found)
    later = list(members(path, made.offsets[5]))
    assert later == found[5:]
    with path.open("rb") as stream:
        for member in found:
            assert member_length(stream, member.start) == member.end - member.start
            assert member_length(stream, member.start + 1) == 0


@pytest.mark.parametrize("cut", [0, 1, 9, 100, 1000])
def test_a_file_that_breaks_off_is_whole_up_to_its_last_whole_record(
    tmp_path: Path, cut: int
) -> None:
    made = file_of(5)
    path = tmp_path / "f.warc.gz"
    path.write_bytes(made.data[: len(made.data) - cut])
    ends = [*made.offsets[1:], len(made.data)]
    expected = max([end for end in ends if end <= len(made.data) - cut], default=0)
    assert whole_bytes(path) == expected
    assert list(damaged_spans(path)) == [], "what is behind the last whole record is no damage"


@settings(max_examples=15)
@given(st.sets(st.integers(0, 7), min_size=1, max_size=3), st.integers(0, 99))
def test_damage_is_found_where_it_is_and_the_records_between_are_whole(
    tmp_path_factory: pytest.TempPathFactory, hit: set[int], seed: int
) -> None:
    made = file_of(9, seed, largest=9_000)
    data, ends = bytearray(made.data), [*made.offsets[1:], len(made.data)]
    for number in hit:
        data[made.offsets[number]] ^= 0xFF  # its head is none any more
    path = tmp_path_factory.mktemp("damage") / "f.warc.gz"
    path.write_bytes(data)
    spans: list[tuple[int, int]] = []
    for number in sorted(hit):  # records that follow each other are one span
        start, end = made.offsets[number], ends[number]
        if spans and spans[-1][1] == start:
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
    assert list(damaged_spans(path)) == spans


@pytest.mark.parametrize("more", [0, 1, 17, 5000, 70_000])
def test_a_record_takes_the_room_of_another_to_the_byte(more: int) -> None:
    record = warc_records.forgotten()
    least = next(size for size in range(1, 2000) if in_place_of(size, record))
    packed = in_place_of(least + more, record)
    assert packed is not None
    assert len(packed) == least + more
    assert gzip.decompress(packed) == record
    (found,) = ArchiveIterator(io.BytesIO(packed))
    assert found.headers["WARC-Type"] == "metadata"
    assert in_place_of(least - 1, record) is None


def test_the_head_of_an_answer_is_read_without_its_body(tmp_path: Path) -> None:
    made = ArchiveFile().answer("http://a.th/", "x" * 100_000, ETag='"7"')
    made.record("http://a.th/", "revisit", "HTTP/1.1 304 Not Modified\r\nETag: 8\r\n\r\n")
    made.record("http://a.th/", "metadata", "a: 1")
    with made.save(tmp_path / "f.warc.gz").open("rb") as stream:
        answer, revisit, other = (head_at(stream, offset) for offset in made.offsets)
        assert head_at(stream, 5) is None
    assert answer is not None
    assert dict(answer.headers)[b"etag"] == b'"7"'
    assert (answer.is_revisit, answer.bytes > 100_000) == (False, True)
    assert revisit is not None
    assert (revisit.is_revisit, dict(revisit.headers)) == (True, {b"etag": b"8"})
    assert other is None


def exchange_of(url: str, body: bytes) -> Exchange:
    headers = ((b"Content-Type", b"text/html"), (b"X-Own", url.encode()))
    return Exchange(url, "127.0.0.1", 1e9, 0.5, (), 200, "OK", "1.1", headers, body, body)


def written(url: str, body: bytes, digest: str = "") -> bytes:
    """An answer as the archive writes it."""
    number, digest = warc_records.new_id(), digest or digest_of(body)
    return gzip.compress(warc_records.response(exchange_of(url, body), number, digest))


def test_what_is_wrong_with_a_record_is_told() -> None:
    url, body = "http://a.th/x", ENGLISH.encode()
    digest = digest_of(body)
    good, lying = written(url, body), written(url, b"other", digest)

    def problem(data: bytes, url: str = url, digest: str = digest, length: int = 0) -> str:
        return problem_at(io.BytesIO(data), 0, length or len(data), url, digest)

    assert problem(good) == ""
    assert problem(good, digest="") == ""
    assert problem(good, url="http://a.th/") == "is another page's"
    assert problem(good, digest="sha1:X") == "has another digest than the log says"
    assert problem(lying) == "has a body that does not fit its digest"
    assert problem(good[:-20], length=len(good)) == "is cut short"
    assert problem(good, length=len(good) - 20) == "is cut short"
    assert problem(b"\x00" + good[1:]) == "is damaged"


def test_a_revisit_has_its_own_head_and_the_body_of_the_answer_that_it_repeats(
    tmp_path: Path,
) -> None:
    body = THAI.encode()
    digest = digest_of(body)
    url, moment = "http://a.th/", 1e9
    early, late, lost = (
        gzip.compress(
            warc_records.revisit(exchange_of(f"http://{name}.th/", b""), warc_records.new_id(),
                                 said, url, moment)
        )
        for name, said in (("early", digest), ("late", digest), ("lost", "sha1:NONE"))
    )  # fmt: skip
    path = tmp_path / "f.warc.gz"
    path.write_bytes(early + written(url, body) + late + lost)
    archive = Archive(path, "", path.stat().st_size)
    revisits = Revisits(LIMIT)
    revisits.enter(archive)
    whole: dict[str, Record | None] = {}
    with closing(OpenArchive(archive)) as opened:
        for member in members(path):
            record = opened.record_at(member.start, LIMIT)
            assert record is not None
            if record.kind == "response":
                revisits.note(record)
                continue
            whole[record.url] = revisits.whole(record)
            if whole[record.url] is None:
                revisits.wait(record)
    assert [url for url, found in whole.items() if found is None] == [
        "http://early.th/", "http://lost.th/",
    ]  # fmt: skip
    for bare, found in revisits.rest():
        assert bare.block == b"", "what waits takes no room"
        whole[bare.url] = found
    assert whole["http://lost.th/"] is None
    for name in ("early", "late"):
        found = whole[f"http://{name}.th/"]
        assert found is not None
        head, _, rest = found.block.partition(b"\r\n\r\n")
        assert f"X-Own: http://{name}.th/".encode() in head
        assert rest.removesuffix(b"\r\n\r\n") == body


def test_archives_of_a_log_are_found_where_they_were_given_or_beside_it(tmp_path: Path) -> None:
    crawl, given = tmp_path / "c", tmp_path / "given" / "f.warc.gz"
    (crawl / "warc").mkdir(parents=True)
    given.parent.mkdir()
    ArchiveFile().answer("http://a.th/").save(given)
    assert recorded_sources(crawl) == []
    assert find_sources(crawl, "f.warc.gz") == []
    record_sources(crawl, [given])
    assert recorded_sources(crawl) == [given]
    assert [archive.path for archive in find_sources(crawl, "f.warc.gz")] == [given]
    beside = ArchiveFile().answer("http://b.th/").save(crawl / "warc" / "f.warc.gz")
    assert [archive.path for archive in find_sources(crawl, "f.warc.gz")] == [given, beside]
    given.unlink()
    assert [archive.path for archive in find_sources(crawl, "f.warc.gz")] == [beside]
    beside.rename(crawl / "warc" / "f.warc.gz.open")
    (found,) = find_sources(crawl, "f.warc.gz")
    assert found.path.name == "f.warc.gz.open", "a crawl that runs is writing it"
    assert find_sources(crawl, "../../../etc/passwd") == []


def test_a_list_of_archives_that_cannot_be_read_names_none(tmp_path: Path) -> None:
    (tmp_path / "log").mkdir()
    for text in ("", "{", "[1, null]", '["a", 7]'):
        (tmp_path / "log" / "archives.json").write_text(text)
        expected = [Path("a")] if "a" in text else []
        assert recorded_sources(tmp_path) == expected
    (tmp_path / "log" / "archives.json").write_text(json.dumps(["/x/b.warc.gz"]))
    (tmp_path / "warc").mkdir()
    (tmp_path / "warc" / "a.warc.gz").write_bytes(b"")
    names = [path.name for path in all_sources(tmp_path)]
    assert names == ["a.warc.gz", "b.warc.gz"]


def test_one_page_is_read_from_its_place_in_the_right_file(tmp_path: Path) -> None:
    made = ArchiveFile().answer("http://a.th/1", THAI).answer("http://a.th/2", ENGLISH)
    made.record("http://a.th/3", "revisit", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n")
    made.record("http://a.th/4", "resource", "plain words", "text/plain")
    (tmp_path / "warc").mkdir()
    made.save(tmp_path / "warc" / "f.warc.gz")
    places = [
        Place(f"http://a.th/{n + 1}", "f.warc.gz", made.offsets[n]) for n in range(4)
    ]  # fmt: skip
    first = read_page(tmp_path, places[0], LIMIT)
    assert first is not None
    assert (first.body.decode(), first.is_html, first.is_readable) == (THAI, True, True)
    assert first.source() == THAI
    assert "ตลาดริมน้ำ" in first.content().text
    assert first.is_harmless
    assert read_page(tmp_path, places[2], LIMIT) is None, "it has no body of its own"
    again = read_page(tmp_path, places[2], LIMIT, places[0])
    assert again is not None
    assert (again.url, again.body) == ("http://a.th/3", first.body)
    resource = read_page(tmp_path, places[3], LIMIT)
    assert resource is not None
    assert (resource.body, resource.kind) == (b"plain words", "text/plain")
    assert read_page(tmp_path, places[0]._replace(url="http://a.th/2"), LIMIT) is None
    assert read_page(tmp_path, places[0]._replace(offset=3), LIMIT) is None
    assert read_page(tmp_path, places[0]._replace(file="gone.warc.gz"), LIMIT) is None


def test_a_page_in_an_archive_within_a_file_is_found_by_both_names(tmp_path: Path) -> None:
    made = ArchiveFile().answer("http://a.th/1", THAI)
    save_wacz(tmp_path / "w.wacz", made.data)
    place = Place("http://a.th/1", "w.wacz/archive/0.warc.gz", 0)
    found = read_page(tmp_path, place, LIMIT)
    assert found is not None
    assert found.body.decode() == THAI
