"""`verify` tells each damage in a sentence, with what to do, and changes nothing."""

from __future__ import annotations

import shutil
import sqlite3
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from langcrawl.config import CrawlConfig
from langcrawl.errors import BadInput, LangcrawlError, UsageError
from langcrawl.judge import make_judge
from langcrawl.languages import load_packs
from langcrawl.log.graph import load_graph
from langcrawl.log.segments import read_table, write_file
from langcrawl.page import CarefulReader, PageReader
from langcrawl.parallel import silent
from langcrawl.store.directory import CrawlDirectory
from langcrawl.upkeep.answers import _story, batches, understand_all, whole_number
from langcrawl.upkeep.forget import Wanted, wanted
from langcrawl.upkeep.verify import verify_crawl
from webs import P, write_web

LIMIT = 10_000_000


@pytest.fixture
def crawl(small_crawl: Path, tmp_path: Path) -> Path:
    """A copy of a complete crawl, to be damaged."""
    shutil.copytree(small_crawl, tmp_path / "crawl", ignore=shutil.ignore_patterns("graph"))
    return tmp_path / "crawl"


def problems(crawl: Path) -> list[str]:
    return list(verify_crawl(crawl, silent))


def flip(path: Path, at: int) -> None:
    data = bytearray(path.read_bytes())
    data[at] ^= 0xFF
    path.write_bytes(bytes(data))


def archive(crawl: Path) -> Path:
    return sorted((crawl / "warc").glob("*.warc.gz"))[0]


def in_a_page(crawl: Path) -> int:
    """A place within the record of a page in the first archive file."""
    columns = ["warc_file", "warc_offset", "warc_length"]
    for row in read_table(crawl, "pages", columns).to_pylist():
        if row["warc_file"] == archive(crawl).name:
            return int(row["warc_offset"] + row["warc_length"] // 2)
    raise AssertionError("no page is in the first file")


def segment(crawl: Path, table: str) -> Path:
    return sorted((crawl / "log" / table).glob("*.parquet"))[0]


def change(crawl: Path, table: str, how: Callable[[pa.Table], pa.Table]) -> None:
    path = segment(crawl, table)
    write_file(path, how(pq.read_table(path)))


def stray(crawl: Path, table: str, column: str) -> None:
    """Have one row name a URL that nobody knows."""

    def how(rows: pa.Table) -> pa.Table:
        values = rows[column].to_pylist()
        values[-1] = 10**9
        kind = rows.schema.field(column).type
        return rows.set_column(rows.column_names.index(column), column, pa.array(values, kind))

    change(crawl, table, how)


def execute(crawl: Path, statement: str) -> None:
    with closing(sqlite3.connect(crawl / "frontier.db")) as database:
        database.execute(statement)
        database.commit()


def test_a_sound_crawl_has_no_problem_and_is_not_changed(crawl: Path) -> None:
    before = {path: path.read_bytes() for path in crawl.rglob("*") if path.is_file()}
    assert problems(crawl) == []
    for path, data in before.items():
        assert path.read_bytes() == data


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda crawl: segment(crawl, "links").unlink(), ["log/links", "is missing", "--rebuild"]),
        (lambda crawl: flip(segment(crawl, "pages"), 50), ["log/pages", "--rebuild"]),
        (
            lambda crawl: shutil.copy(
                segment(crawl, "urls"), crawl / "log" / "urls" / "000077.parquet"
            ),
            ["000077.parquet' is not known to the database", "takes its pages in"],
        ),
        (lambda crawl: archive(crawl).unlink(), ["is missing", "asks for lost pages again"]),
        (
            lambda crawl: archive(crawl).write_bytes(archive(crawl).read_bytes()[:-100]),
            ["is cut short", "langcrawl crawl"],
        ),
        (
            lambda crawl: archive(crawl).write_bytes(archive(crawl).read_bytes() + b"more"),
            ["the end of", "is not known to the database"],
        ),
        (
            lambda crawl: (crawl / "warc" / "langcrawl-99999.warc.gz").write_bytes(b"x"),
            ["langcrawl-99999.warc.gz' is not known to the database"],
        ),
        (
            lambda crawl: flip(archive(crawl), in_a_page(crawl)),
            ["the record at", "to download it again"],
        ),
        (lambda crawl: stray(crawl, "links", "dst"), ["the column dst names a URL"]),
        (lambda crawl: stray(crawl, "pages", "parent"), ["the column parent names a URL"]),
        (
            lambda crawl: change(crawl, "pages", lambda t: pa.concat_tables([t, t.slice(0, 1)])),
            ["has a page twice", "--rebuild"],
        ),
        (lambda crawl: execute(crawl, "UPDATE archives SET bytes = 'x'"), ["--rebuild"]),
        (
            lambda crawl: flip(crawl / "frontier.db", 20),
            ["frontier.db"],
        ),
        (
            lambda crawl: (crawl / "frontier.db").unlink(),
            ["frontier.db' is missing; restore it from a backup", "langcrawl recover"],
        ),
    ],
    ids=[
        "segment-missing", "segment-flipped", "segment-unknown", "archive-missing", "archive-cut",
        "archive-longer", "archive-unknown", "record-damaged", "link-astray", "parent-astray",
        "page-twice", "database-nonsense", "database-damaged", "database-missing",
    ],
)  # fmt: skip
def test_each_damage_is_told_with_what_to_do(
    crawl: Path, damage: Callable[[Path], object], words: list[str]
) -> None:
    damage(crawl)
    try:
        told = problems(crawl)
    except LangcrawlError as error:
        told = [str(error)]
    assert told
    for word in words:
        assert any(word in sentence for sentence in told), told
    for sentence in told:
        assert "\n" not in sentence
        assert str(crawl) in sentence


def test_a_file_of_the_log_that_was_cut_hides_no_other_damage(crawl: Path) -> None:
    cut = segment(crawl, "pages")
    cut.write_bytes(cut.read_bytes()[: cut.stat().st_size // 2])
    archive(crawl).unlink()
    told = problems(crawl)
    assert any(str(cut) in sentence and "--rebuild" in sentence for sentence in told), told
    assert any("asks for lost pages again" in sentence for sentence in told), told


def test_arrays_that_were_altered_are_told(crawl: Path) -> None:
    load_graph(crawl)
    assert problems(crawl) == []
    goals = crawl / "log" / "graph" / "dst.npy"
    np.save(goals, np.load(goals)[::-1])
    (told,) = problems(crawl)
    assert "remove that folder, which is made anew" in told


def test_many_damaged_records_are_named_up_to_twenty(crawl: Path) -> None:
    data = archive(crawl).read_bytes()
    archive(crawl).write_bytes(data[:1000] + bytes(len(data) - 1000))
    told = [sentence for sentence in problems(crawl) if "the record at" in sentence]
    assert 20 <= len(told) <= 22
    assert any("more records are damaged" in sentence for sentence in problems(crawl))


def test_a_running_crawl_is_not_verified(crawl: Path) -> None:
    with CrawlDirectory(crawl).locked(), pytest.raises(BadInput, match="a crawl is running"):
        problems(crawl)


def test_a_log_without_a_database_is_verified_as_far_as_it_goes(tmp_path: Path) -> None:
    web = write_web(tmp_path, {"a/": P("th", ("b/",)), "b/": P("en")}, ["a/"])
    assert problems(web) == []
    stray(web, "links", "dst")
    (told,) = problems(web)
    assert "the column dst names a URL that is not in the log" in told


class TestAnswers:
    """The answers of an archive, read again with what the crawl noted of them."""

    def test_every_archived_page_of_the_log_is_found_once(self, small_crawl: Path) -> None:
        pages = read_table(small_crawl, "pages", ["id", "warc_file", "warc_offset", "depth"])
        pages = pages.filter(pc.is_valid(pages["warc_file"]))
        tally: Counter[str] = Counter()
        found = [
            answer
            for path in sorted((small_crawl / "warc").glob("*.warc.gz"))
            for batch in batches(path, LIMIT, tally)
            for answer in batch
        ]
        places = {(each.record.file, each.record.offset): each for each in found}
        assert len(places) == len(found) == len(pages)
        assert not tally["broken"]
        for row in pages.to_pylist():
            each = places[row["warc_file"], row["warc_offset"]]
            assert whole_number(each.story["depth"]) == row["depth"]

    def test_they_are_judged_as_they_were(self, small_crawl: Path) -> None:
        config = CrawlConfig.load(small_crawl)
        reader = CarefulReader(PageReader(make_judge(load_packs(config.lang), config.judge)))
        path = archive(small_crawl)
        batch = next(batches(path, LIMIT, Counter()))[:40]
        urls = read_table(small_crawl, "urls", ["url"])["url"].to_pylist()
        rows = {urls[row["id"]]: row for row in read_table(small_crawl, "pages").to_pylist()}
        for read in understand_all(LIMIT, reader, batch):
            assert read is not None
            row = rows[read.page.url]
            assert (read.page.status, read.page.digest) == (row["status"], row["digest"])
            assert (read.verdict.language, read.verdict.relevant) == (
                row["language"], row["relevant"],
            )  # fmt: skip
            assert read.verdict.score == pytest.approx(row["score"])
            assert read.page.warc_length == row["warc_length"]
        reader.close()

    def test_what_cannot_be_understood_is_none_and_stops_nothing(self, small_crawl: Path) -> None:
        config = CrawlConfig.load(small_crawl)
        reader = CarefulReader(PageReader(make_judge(load_packs(config.lang), config.judge)))
        first, *_ = next(batches(archive(small_crawl), LIMIT, Counter()))
        broken = first._replace(record=first.record._replace(block=b"no answer"))
        nowhere = first._replace(record=first.record._replace(url="mailto:x@y"))
        found = understand_all(LIMIT, reader, [broken, first, nowhere])
        assert [each is None for each in found] == [True, False, True]
        reader.close()

    @pytest.mark.parametrize(
        ("text", "number"),
        [("12", 12), ("0", 0), ("", 0), (None, 0), ("-1", 0), ("1.5", 0), ("9" * 10, 0),
         ("x", 0), ("٣", 3)],
    )  # fmt: skip
    def test_a_number_is_read_where_there_is_one(self, text: str | None, number: int) -> None:
        assert whole_number(text) == number

    def test_only_known_words_of_a_story_are_read(self) -> None:
        said = _story(b"via: http://a/: b\r\nmine: 1\r\nno colon\r\ndepth: 3\r\n\xff: x")
        assert said == {"via": "http://a/: b", "depth": "3"}


class TestWanted:
    """What a user names, as a crawl knows it."""

    @pytest.mark.parametrize(
        ("name", "host"),
        [
            ("www.Example.org", "www.example.org"),
            (" example.org/ ", "example.org"),
            ("https://example.org/a/b", "example.org"),
            ("example.org:8080", "example.org:8080"),
            ("münchen.de", "xn--mnchen-3ya.de"),
        ],
    )
    def test_a_host_is_written_in_many_ways(self, name: str, host: str) -> None:
        assert wanted([name], []).hosts == {host}

    def test_a_url_is_put_into_its_canonical_form(self) -> None:
        assert wanted([], ["HTTP://A.org:80/x#part"]).urls == {"http://a.org/x"}

    @pytest.mark.parametrize(
        ("hosts", "urls", "words"),
        [
            ([], [], "--host NAME or --url URL"),
            (["not a host"], [], "is not the name of a host"),
            ([], ["mailto:x@y.org"], "is not a URL"),
            ([], ["nothing"], "is not a URL"),
        ],
    )
    def test_what_is_neither_is_refused(
        self, hosts: list[str], urls: list[str], words: str
    ) -> None:
        with pytest.raises(UsageError, match=words):
            wanted(hosts, urls)

    def test_patterns_shut_out_what_matches_and_nothing_else(self) -> None:
        import re

        goal: Wanted = wanted(["a.org"], ["http://b.org/x?y=1"])
        for url, out in (
            ("http://a.org/", True), ("https://a.org/z", True), ("http://aXorg/", False),
            ("http://www.a.org/", False), ("http://b.org/x?y=1", True),
            ("http://b.org/x?y=12", False), ("http://b.org/xxy=1", False),
        ):  # fmt: skip
            assert goal.matches(url) == out
            assert any(re.search(pattern, url) for pattern in goal.patterns) == out
