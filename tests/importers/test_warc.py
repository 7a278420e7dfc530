"""Import of WARC, ARC and WACZ files; warcio is the second opinion."""

from __future__ import annotations

import gzip
import json
import signal
import subprocess
import sys
import time
import zipfile
import zlib
from io import BytesIO
from pathlib import Path
from random import Random
from typing import Any

import brotli
import pytest
from fastwarc.stream_io import ZstdWriter
from warcio.archiveiterator import ArchiveIterator

from archives import ENGLISH, THAI, ArchiveFile, save_wacz
from conftest import Cli
from langcrawl.config import CrawlConfig
from langcrawl.errors import BadInput
from langcrawl.importers.warc import import_warc
from langcrawl.judge import make_judge
from langcrawl.languages import load_pack
from langcrawl.log.segments import read_table, read_urls, segments
from langcrawl.parallel import silent
from langcrawl.url import canonical


def take_in(web: Path, *files: Path, lang: str = "th", limit: int = 10_000_000) -> dict[str, Any]:
    config = CrawlConfig(source="import", lang=lang, max_page_bytes=limit)
    judge = make_judge(load_pack(lang))
    return import_warc(web, files, judge, config, silent)


def rows(web: Path) -> dict[str, dict[str, Any]]:
    """The pages of a log by URL, with their links."""
    urls = read_urls(web, ["url"])["url"].to_pylist()
    pages = {urls[row["id"]]: row for row in read_table(web, "pages").to_pylist()}
    for page in pages.values():
        page["redirect"] = None if page["redirect"] is None else urls[page["redirect"]]
        page["links"] = []
    for link in read_table(web, "links").to_pylist():
        pages[urls[link["src"]]]["links"].append((urls[link["dst"]], link["anchor"]))
    return pages


def test_answers_become_pages_and_other_records_are_counted(tmp_path: Path) -> None:
    archive = ArchiveFile()
    archive.record("", "warcinfo", "software: x", "application/warc-fields")
    archive.answer("http://a.th/", f'{THAI}<a href="/x#y">อ่าน ต่อ</a><a href="//b.com/">b</a>')
    archive.record("http://a.th/", "metadata", "via: x", "application/warc-fields")
    archive.answer("http://a.th/x", ENGLISH)
    archive.answer("http://a.th/old", "", "301 Moved", Location="x")
    archive.answer("http://a.th/gone", "no such page", "404 Not Found")
    archive.answer("http://a.th/i.png", b"\x89PNG", kind="image/png")
    archive.answer("http://a.th/x", THAI)
    archive.answer("dns:a.th", "1.2.3.4")
    archive.answer("http://a.th/robots.txt", "User-agent: *", kind="text/plain")
    archive.record("http://c.com/", "resource", ENGLISH, "text/html")
    archive.record("http://c.com/style", "resource", "p {}", "text/css")
    done = take_in(tmp_path / "web", archive.save(tmp_path / "a.warc.gz"))
    assert done == {
        "pages": 6, "links": 2, "urls": 7, "relevant": 1, "repeated_pages": 1, "broken_records": 0,
        "skipped": {
            "metadata": 1, "no-web-address": 1, "resource": 1, "robots.txt": 1, "warcinfo": 1,
        },
    }  # fmt: skip
    pages = rows(tmp_path / "web")
    assert [page["status"] for page in pages.values()] == [200, 200, 301, 404, 200, 200]
    assert [page["language"] for page in pages.values()] == ["th", "en", *["und"] * 3, "en"]
    assert pages["http://a.th/"]["links"] == [
        ("http://a.th/x", "อ่าน ต่อ"),
        ("http://b.com/", "b"),
    ]
    assert pages["http://a.th/old"]["redirect"] == "http://a.th/x"
    assert pages["http://a.th/x"]["warc_file"] == "a.warc.gz"
    assert pages["http://a.th/x"]["warc_offset"] == archive.offsets[3]
    assert abs(pages["http://a.th/"]["fetched_at"] - time.time()) < 60


def test_every_page_is_found_again_at_its_offset(tmp_path: Path) -> None:
    for packed in (True, False):
        archive = ArchiveFile(packed)
        for number in range(20):
            archive.answer(f"http://a.th/{number}", THAI * number)
        path = archive.save(tmp_path / f"{packed}.warc")
        take_in(tmp_path / f"web{packed}", path)
        for url, page in rows(tmp_path / f"web{packed}").items():
            with path.open("rb") as file:
                file.seek(page["warc_offset"])
                record = next(iter(ArchiveIterator(file)))
                assert record.rec_headers.get_header("WARC-Target-URI") == url
                assert len(record.content_stream().read()) == page["bytes"]


BODY = f'<a href="/next">n</a>{THAI}'.encode()
CHUNKED = b"".join(b"%x;x=1\r\n%s\r\n" % (len(BODY[i : i + 99]), BODY[i : i + 99])
                   for i in range(0, len(BODY), 99)) + b"0\r\n\r\n"  # fmt: skip


@pytest.mark.parametrize(
    ("body", "headers"),
    [
        (BODY, {}),
        (CHUNKED, {"Transfer_Encoding": "chunked"}),
        (CHUNKED[:-5], {"Transfer_Encoding": "chunked"}),
        (BODY, {"Transfer_Encoding": "chunked"}),
        (gzip.compress(BODY), {"Content_Encoding": "gzip"}),
        (gzip.compress(BODY)[:-8], {"Content_Encoding": "x-gzip"}),
        (BODY, {"Content_Encoding": "gzip"}),
        (zlib.compress(BODY), {"Content_Encoding": "deflate"}),
        (zlib.compress(BODY)[2:-4], {"Content_Encoding": "deflate"}),
        (brotli.compress(BODY), {"Content_Encoding": "br"}),
        (gzip.compress(brotli.compress(BODY)), {"Content_Encoding": "br, gzip"}),
        (BODY, {"Content_Encoding": "zstd"}),
        (BODY, {"Content_Encoding": "identity"}),
    ],
)
def test_a_body_is_read_however_it_was_sent(
    tmp_path: Path, body: bytes, headers: dict[str, str]
) -> None:
    archive = ArchiveFile().answer("http://a.th/", body, **headers)
    take_in(tmp_path / "web", archive.save(tmp_path / "a.warc.gz"))
    page = rows(tmp_path / "web")["http://a.th/"]
    assert page["bytes"] == len(BODY)
    assert page["language"] == "th"
    assert page["links"] == [("http://a.th/next", "n")]


def test_zstd_is_read(tmp_path: Path) -> None:
    out = BytesIO()
    writer = ZstdWriter(out)
    writer.write(BODY)
    writer.finish()
    writer.flush()
    archive = ArchiveFile().answer("http://a.th/", out.getvalue(), Content_Encoding="zstd")
    take_in(tmp_path / "web", archive.save(tmp_path / "a.warc.gz"))
    assert rows(tmp_path / "web")["http://a.th/"]["bytes"] == len(BODY)


def test_a_bomb_and_a_page_of_50_megabytes_are_cut(tmp_path: Path) -> None:
    bomb = gzip.compress(b"boom " * 10_000_000, 1)
    archive = ArchiveFile(packed=False).answer("http://a.th/bomb", bomb, Content_Encoding="gzip")
    archive.answer("http://a.th/large", THAI.encode() * 65_000)
    archive.answer("http://a.th/", THAI)
    done = take_in(tmp_path / "web", archive.save(tmp_path / "a.warc"), limit=200_000)
    assert (done["pages"], done["broken_records"]) == (3, 0)
    pages = rows(tmp_path / "web")
    assert pages["http://a.th/bomb"]["bytes"] == 200_000
    assert pages["http://a.th/large"]["bytes"] == 200_000
    assert pages["http://a.th/large"]["language"] == "th"


def test_wrong_charsets_do_not_hide_the_language(tmp_path: Path) -> None:
    archive = ArchiveFile()
    archive.answer("http://a.th/1", THAI.encode("cp874"), kind="text/html; charset=iso-8859-1")
    archive.answer("http://a.th/2", THAI.encode(), kind="text/html; charset=tis-620")
    archive.answer("http://a.th/3", THAI.encode("cp874"), kind="text/html; charset=nonsense")
    archive.answer("http://a.th/4", THAI.encode(), kind="")
    done = take_in(tmp_path / "web", archive.save(tmp_path / "a.warc.gz"))
    pages = rows(tmp_path / "web")
    assert [page["language"] for page in pages.values()][:3] == ["th", "th", "th"]
    assert pages["http://a.th/2"]["charset_header"] == "tis-620"
    assert (done["pages"], done["relevant"]) == (4, 3)


def many(count: int = 9, packed: bool = True) -> ArchiveFile:
    archive = ArchiveFile(packed)
    for number in range(count):
        archive.answer(f"http://a.th/{number}", THAI + str(number) * 50)
    return archive


@pytest.mark.parametrize("packed", [True, False])
@pytest.mark.parametrize("damage", ["cut", "overwritten", "garbage", "headless"])
def test_what_is_damaged_is_left_out_and_the_rest_is_kept(
    tmp_path: Path, packed: bool, damage: str
) -> None:
    archive = many(packed=packed)
    data, place, after = archive.data, archive.offsets[4], archive.offsets[5]
    if damage == "cut":
        data, kept = data[: place + 60], {0, 1, 2, 3}
    elif damage == "overwritten":
        data, kept = data[: place + 5] + b"\xff" * 60 + data[place + 65 :], set(range(9)) - {4}
    elif damage == "garbage":
        data, kept = data[:place] + b"\0garbage\n\n" * 40 + data[place:], set(range(9))
    else:
        data, kept = data[:place] + data[place + 40 : after] + data[after:], set(range(9)) - {4}
    path = tmp_path / "a.warc.gz"
    path.write_bytes(data)
    done = take_in(tmp_path / "web", path)
    assert set(rows(tmp_path / "web")) == {f"http://a.th/{number}" for number in kept}
    assert done["broken_records"] == 1


def test_answers_that_are_no_http_are_broken(tmp_path: Path) -> None:
    archive = many(2)
    archive.record("http://a.th/odd", "response", "<html>", "text/html")
    done = take_in(tmp_path / "web", archive.save(tmp_path / "a.warc.gz"))
    assert (done["pages"], done["broken_records"]) == (2, 1)


def test_a_file_that_is_compressed_as_a_whole_has_no_offsets(tmp_path: Path) -> None:
    (tmp_path / "a.warc.gz").write_bytes(gzip.compress(many(packed=False).data))
    done = take_in(tmp_path / "web", tmp_path / "a.warc.gz")
    assert done["pages"] == 9
    offsets = {page["warc_offset"] for page in rows(tmp_path / "web").values()}
    assert offsets <= {None, 0}


@pytest.mark.parametrize("how", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_wacz_file_is_its_archives(tmp_path: Path, how: int) -> None:
    second = ArchiveFile().answer("http://b.th/", THAI).answer("http://a.th/3", ENGLISH)
    path = save_wacz(tmp_path / "a.wacz", many().data, second.data, how=how)
    done = take_in(tmp_path / "web", path)
    assert (done["pages"], done["repeated_pages"], done["relevant"]) == (10, 1, 10)
    page = rows(tmp_path / "web")["http://b.th/"]
    assert (page["warc_file"], page["warc_offset"]) == ("a.wacz/archive/1.warc.gz", 0)


@pytest.mark.parametrize("how", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_damaged_wacz_file_gives_what_stands_before_the_damage(tmp_path: Path, how: int) -> None:
    archive = many(3)
    for number in range(40):
        archive.answer(f"http://a.th/large/{number}", Random(number).randbytes(100_000))
    path = save_wacz(tmp_path / "a.wacz", archive.data, how=how)
    whole = path.read_bytes()
    place = len(whole) - 50_000
    path.write_bytes(whole[:place] + b"damage" + whole[place + 6 :])
    done = take_in(tmp_path / "web", path)
    assert done["pages"] > 30
    assert done["broken_records"] > 0
    header = whole.index(b"archive/0.warc.gz") - 30
    path.write_bytes(whole[:header] + b"XXXX" + whole[header + 4 :])
    with pytest.raises(BadInput, match="no record can be read"):
        take_in(tmp_path / "more", path)
    path.write_bytes(whole[:4] + whole[whole.index(b"PK\x01\x02") :])  # as if it began earlier
    with pytest.raises(BadInput, match="no record can be read"):
        take_in(tmp_path / "more", path)


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.warc.gz", b"", "is empty"),
        ("a.warc", b"<html>no archive</html>" * 99, "is not a WARC file"),
        (
            "a.warc.gz",
            gzip.compress(b"<html>no archive</html>" * 99, mtime=0),
            "is not a WARC file",
        ),
        ("a.warc.gz", b"\x1f\x8b\x08 and nothing of gzip", "is not a WARC file"),
        ("a.wacz", b"PK\x03\x04 cut short", "cannot be read"),
        ("a.warc", ArchiveFile(False).record("", "warcinfo", "a: b").data, "there is no page in"),
        ("folder/a.warc", None, "there is no file"),
        ("", None, "cannot be read"),
    ],
)
def test_a_file_that_is_no_archive_is_named_and_nothing_is_made(
    tmp_path: Path, name: str, data: bytes | None, message: str
) -> None:
    good = many(2).save(tmp_path / "good.warc.gz")
    if data is not None:
        (tmp_path / name).write_bytes(data)
    files = [tmp_path / name] if "no page" in message else [good, tmp_path / name]
    with pytest.raises(BadInput, match=message):
        take_in(tmp_path / "web", *files)
    assert not (tmp_path / "web").exists()


def test_a_zip_file_without_archives_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="not a WACZ file"):
        take_in(tmp_path / "web", save_wacz(tmp_path / "a.wacz"))


FILES = (
    "N0taN3rd+node-warc/test/files/books.toscrape.warc",
    "N0taN3rd+node-warc/test/files/parseMe.warc",
    "N0taN3rd+node-warc/test/files/parseMe.warc.gz",
    "commoncrawl+whirlwind-python/whirlwind.warc",
    "commoncrawl+whirlwind-python/whirlwind.warc.gz",
    "webrecorder+warcio/test/data/example-iana.org-chunked.warc",
    "webrecorder+warcio/test/data/example-resource.warc.gz",
    "webrecorder+warcio/test/data/example-wget-bad-target-uri.warc.gz",
    "webrecorder+warcio/test/data/example.arc",
    "webrecorder+warcio/test/data/example.arc.gz",
    "webrecorder+warcio/test/data/example.warc",
    "webrecorder+warcio/test/data/example.warc.gz",
    "webrecorder+warcio/test/data/post-test.warc.gz",
)


def second_opinion(path: Path) -> dict[str, tuple[int, int]]:
    """Status and bytes of each first page of a URL, by warcio."""
    found: dict[str, tuple[int, int]] = {}
    with path.open("rb") as file:
        for record in ArchiveIterator(file, arc2warc=True):
            url = canonical((record.rec_headers.get_header("WARC-Target-URI") or "").strip("<>"))
            if url and record.rec_type in ("response", "resource"):
                status = int(record.http_headers.get_statuscode()) if record.http_headers else 200
                found.setdefault(url, (status, len(record.content_stream().read())))
    return found


@pytest.mark.parametrize("name", FILES)
def test_real_archives_hold_what_warcio_finds(shared: Path, tmp_path: Path, name: str) -> None:
    path = shared / "warc" / name
    done = take_in(tmp_path / "web", path, lang="en")
    pages = rows(tmp_path / "web")
    assert {url: (row["status"], row["bytes"]) for url, row in pages.items()} == second_opinion(
        path
    )
    assert done["broken_records"] == 0


@pytest.mark.parametrize(
    ("name", "pages", "broken"),
    [
        ("example-bad-non-chunked.warc.gz", 1, 0),
        ("example-bad.warc.gz.bad", 2, 0),
        ("example-trunc.warc", 1, 1),
        ("example-wrong-chunks.warc.gz", 1, 0),
    ],
)
def test_real_archives_with_faults_give_what_they_can(
    shared: Path, tmp_path: Path, name: str, pages: int, broken: int
) -> None:
    path = shared / "warc" / "webrecorder+warcio" / "test" / "data" / name
    done = take_in(tmp_path / "web", path, lang="en")
    assert (done["pages"], done["broken_records"]) == (pages, broken)


@pytest.mark.parametrize(
    "name", ["bad.arc", "example-digest.warc", "example-space-in-target-uri.warc.gz"]
)
def test_real_archives_without_pages_are_refused(shared: Path, tmp_path: Path, name: str) -> None:
    path = shared / "warc" / "webrecorder+warcio" / "test" / "data" / name
    with pytest.raises(BadInput, match=name):
        take_in(tmp_path / "web", path, lang="en")
    assert not (tmp_path / "web").exists()


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An archive that is worth several processes."""
    archive = ArchiveFile(packed=False)
    for number in range(600):
        links = "".join(f'<a href="/{number + step}">{step}</a>' for step in range(40))
        archive.answer(f"http://h{number % 7}.th/{number}", links + THAI * (number % 30))
    archive.answer("http://h0.th/0", ENGLISH)
    return archive.save(tmp_path_factory.mktemp("large") / "large.warc")


def test_several_processes_keep_the_order_of_the_records(
    tmp_path: Path, large: Path, cli: Cli
) -> None:
    done = cli("import", "web", "--warc", large, "--lang", "th", "--json")
    assert done.returncode == 0
    figures = json.loads(done.stdout)
    assert large.stat().st_size > 4_000_000
    assert (figures["pages"], figures["links"], figures["repeated_pages"]) == (600, 24_000, 1)
    pages = rows(tmp_path / "web")
    assert list(pages) == [f"http://h{number % 7}.th/{number}" for number in range(600)]
    assert pages["http://h3.th/3"]["links"][39] == ("http://h3.th/42", "39")
    result = cli("simulate", "web", "--strategy", "bfs", "--seeds", "http://h0.th/0", "--json")
    assert json.loads(result.stdout)["strategies"][0]["pages"] > 80


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_an_import_that_is_ended_leaves_no_crawl_and_can_be_repeated(
    tmp_path: Path, large: Path, cli: Cli, number: signal.Signals
) -> None:
    words = ["import", "web", "--warc", str(large), "--lang", "th"]
    command = [sys.executable, "-m", "langcrawl", *words]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE) as process:
        draft = tmp_path / "web" / "draft.tmp"
        while not draft.exists() and process.poll() is None:
            time.sleep(0.005)
        process.send_signal(number)
        said = process.communicate()[1]
    assert b"Traceback" not in said
    assert process.returncode == (130 if number == signal.SIGINT else -9)
    assert (tmp_path / "web").exists() == (number == signal.SIGKILL)
    assert not (tmp_path / "web" / "crawl.toml").exists()
    assert cli(*words).returncode == 0
    assert not draft.exists()
    assert segments(tmp_path / "web")


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        ([], 2, "give one kind of source"),
        (["--warc", "a.warc.gz", "--pages", "p.csv"], 2, "give one kind of source"),
        (["--warc", "a.warc.gz", "--links", "l.csv"], 2, "--links works with --pages"),
        (["--pages", "p.csv", "--judge", "cld"], 2, "needs texts"),
        (["--warc", "a.warc.gz", "--judge", "clt"], 2, "did you mean 'cld'"),
        (["--warc", "none.warc"], 1, "no file 'none.warc'"),
        (["--wat", "a.warc.gz"], 1, "there is no page in"),
    ],
)
def test_wrong_usage_is_one_sentence(
    tmp_path: Path, cli: Cli, words: list[str], status: int, message: str
) -> None:
    many(2).save(tmp_path / "a.warc.gz")
    done = cli("import", "web", "--lang", "th", *words)
    assert (done.returncode, done.stdout) == (status, "")
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "web").exists()


def test_the_command_says_what_was_taken_in_and_what_not(tmp_path: Path, cli: Cli) -> None:
    archive = many(3).answer("http://a.th/1", ENGLISH)
    archive.record("", "warcinfo", "a: b")
    archive.save(tmp_path / "a.warc.gz")
    ArchiveFile().answer("http://b.com/", ENGLISH).save(tmp_path / "b.warc.gz")
    done = cli("import", "web", "--lang", "th", "--warc", "a.warc.gz", "--warc", "b.warc.gz",
               "--judge", "cld:share=0.9")  # fmt: skip
    assert done.stdout.splitlines() == [
        "4 pages, 3 of them in th, and 0 links are in web.",
        "Left out: repeated pages: 1, warcinfo: 1.",
    ]
    assert CrawlConfig.load(tmp_path / "web").judge == "cld:share=0.9"


def test_links_keep_their_page_and_place_whatever_stands_between_pages(tmp_path: Path) -> None:
    archive = ArchiveFile()
    archive.answer(
        "http://a.th/1", '<a href="/2">two</a><a href="/1">one</a><a href="/2">again</a>'
    )
    archive.answer("http://a.th/none", THAI)
    archive.answer("http://a.th/old", "", "301 Moved", Location="/2")
    archive.answer("http://a.th/2", '<a href="/1" rel=nofollow>back</a>')
    take_in(tmp_path / "web", archive.save(tmp_path / "a.warc.gz"))
    urls = read_urls(tmp_path / "web", ["url"])["url"].to_pylist()
    links = read_table(tmp_path / "web", "links").to_pylist()
    assert [
        (urls[link["src"]][-1], urls[link["dst"]][-1], link["position"], link["anchor"],
         link["nofollow"]) for link in links
    ] == [
        ("1", "2", 0, "two", False),
        ("1", "1", 1, "one", False),
        ("1", "2", 2, "again", False),
        ("2", "1", 0, "back", True),
    ]  # fmt: skip


SAME = "http://netpreserve.org/warc/1.0/revisit/identical-payload-digest"
UNCHANGED = "http://netpreserve.org/warc/1.0/revisit/server-not-modified"


def captured(url: str, body: str = "", digest: str = "sha1:A", profile: str = SAME) -> bytes:
    """A response with a body, or a revisit of one, with its payload digest."""
    kind = "response" if body else "revisit"
    block = f"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n{body}".encode()
    lines = f"WARC-Payload-Digest: {digest}\r\n" + (f"WARC-Profile: {profile}\r\n" * (not body))
    head = (
        f"WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\n{lines}"
        f"Content-Length: {len(block)}\r\n\r\n"
    )
    return gzip.compress(head.encode() + block + b"\r\n\r\n")


PAGE = f"{THAI}<a href='x'>x</a>"


@pytest.mark.parametrize("order", ["before", "behind", "other file before", "other file behind"])
def test_a_revisit_has_the_body_that_stands_elsewhere(tmp_path: Path, order: str) -> None:
    parts = [captured("http://a.th/1/", PAGE), captured("http://b.th/2/")]
    if "before" in order:
        parts.reverse()
    files = [tmp_path / "0.warc.gz", tmp_path / "1.warc.gz"]
    if "file" in order:
        files[0].write_bytes(parts[0])
        files[1].write_bytes(parts[1])
    else:
        files.pop().write_bytes(b"")
        files[0].write_bytes(b"".join(parts))
    done = take_in(tmp_path / "web", *files)
    assert (done["pages"], done["relevant"], done["skipped"]) == (2, 2, {})
    pages = rows(tmp_path / "web")
    assert pages["http://b.th/2/"]["links"] == [("http://b.th/2/x", "x")]
    assert pages["http://b.th/2/"]["digest"] == pages["http://a.th/1/"]["digest"]
    assert pages["http://b.th/2/"]["notes"] == "revisit"


def test_a_revisit_without_its_body_is_counted(tmp_path: Path) -> None:
    parts = [
        captured("http://a.th/", PAGE),
        captured("http://a.th/other", digest="sha1:B"),
        captured("http://a.th/unchanged", profile=UNCHANGED),
    ]
    (tmp_path / "a.warc.gz").write_bytes(b"".join(parts))
    done = take_in(tmp_path / "web", tmp_path / "a.warc.gz")
    assert (done["pages"], done["skipped"]) == (1, {"revisit": 2})


def test_a_revisit_of_a_page_that_is_there_is_a_repeated_page(tmp_path: Path) -> None:
    parts = [captured("http://a.th/", PAGE), captured("http://a.th/")]
    (tmp_path / "a.warc.gz").write_bytes(b"".join(parts))
    done = take_in(tmp_path / "web", tmp_path / "a.warc.gz")
    assert (done["pages"], done["repeated_pages"]) == (1, 1)


@pytest.mark.parametrize("how", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_revisits_in_a_wacz_file(tmp_path: Path, how: int) -> None:
    """Within a compressed one they would have to be searched from its beginning, each time."""
    data = captured("http://a.th/", PAGE) + captured("http://b.th/")
    done = take_in(tmp_path / "web", save_wacz(tmp_path / "a.wacz", data, how=how))
    stored = how == zipfile.ZIP_STORED
    assert (done["pages"], done["skipped"]) == ((2, {}) if stored else (1, {"revisit": 1}))


def test_pages_are_cut_where_the_crawl_that_archived_them_cut_them(tmp_path: Path) -> None:
    archive = ArchiveFile().record("", "warcinfo", "software: x\r\nmax-page-bytes: 700\r\n")
    archive.answer("http://a.th/1", THAI * 9)
    archive.record("", "warcinfo", "software: y\r\n")
    archive.answer("http://a.th/2", THAI * 9)
    take_in(tmp_path / "web", archive.save(tmp_path / "a.warc.gz"))
    pages = rows(tmp_path / "web")
    assert (pages["http://a.th/1"]["bytes"], pages["http://a.th/1"]["notes"]) == (700, "truncated")
    assert pages["http://a.th/2"]["bytes"] == len((THAI * 9).encode())
