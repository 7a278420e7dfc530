"""The log of a live crawl: it holds what was committed, whatever happens in between."""

from __future__ import annotations

import json
import pickle
import shutil
import sqlite3
from dataclasses import fields
from math import inf
from pathlib import Path
from typing import Any

import pytest

from langcrawl.frontier.sqlite import SqliteFrontier
from langcrawl.log.segments import read_table, segments
from langcrawl.log.writer import (
    LogWriter,
    archived_bytes,
    read_unmoved,
    set_aside_unregistered,
)
from langcrawl.records import Charsets, Facts, Link, Links, Page, Step, Verdict, Visit
from langcrawl.store.lost import LostAndFound

SEED = Facts(0, 0, 1, 0, 1.0, 0, 0, 0, 0)


def step(url: str, *links: str, parent: str = "", redirect: str = "", at: int = 0) -> Step:
    page = Page(
        url, 301 if redirect else 200, redirect, "text/html", 10, 5, 1.5, 0.25, "1.2.3.4",
        Charsets("a", "b", "c"), "sha1:X", Links.of(Link(u, "anchor", True) for u in links),
        notes=("truncated", "javascript"), warc_file="w.warc.gz", warc_offset=at, warc_length=7,
    )  # fmt: skip
    verdict = Verdict("th", "Thai", "", 0.75, not redirect)
    found_by = "link" if parent else "seed"
    return Step(1, Visit(url, "h", SEED, 0.0, parent, found_by), page, verdict, 0)


class Crawl:
    """A frontier and the journal that commits with it, in a directory."""

    def __init__(self, directory: Path, pages: int = 10_000) -> None:
        directory.mkdir(exist_ok=True)
        self.frontier = SqliteFrontier(directory / "frontier.db")
        self.journal = LogWriter(directory, self.frontier.connection, self.frontier.ids_of, pages)
        self.frontier.at_commit.append(self.journal.save)

    def take(self, *steps: Step) -> None:
        for each in steps:
            self.journal.take(each)
        self.frontier.commit()

    def end(self) -> None:
        self.frontier.at_commit.append(lambda db: self.journal.save(db, all_of_it=True))
        self.frontier.commit()
        self.frontier.close()


def test_steps_become_rows_of_the_log(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path)
    crawl.take(step("http://h/1", "http://h/2", "http://g/3", "http://h/2"))
    crawl.take(step("http://h/2", parent="http://h/1", redirect="http://h/4", at=100))
    assert segments(tmp_path) == []
    assert archived_bytes(crawl.frontier.connection) == {"w.warc.gz": 107}
    crawl.end()
    assert len(segments(tmp_path)) == 1
    urls = read_table(tmp_path, "urls").to_pylist()
    assert [row["url"] for row in urls] == ["http://h/1", "http://h/2", "http://g/3", "http://h/4"]
    assert [row["id"] for row in urls] == [0, 1, 2, 3]
    assert [row["host"] for row in urls] == ["h", "h", "g", "h"]
    links = read_table(tmp_path, "links").to_pylist()
    assert [(row["src"], row["dst"], row["position"]) for row in links] == [
        (0, 1, 0), (0, 2, 1), (0, 1, 2),
    ]  # fmt: skip
    assert {(row["anchor"], row["nofollow"]) for row in links} == {("anchor", True)}
    first, second = read_table(tmp_path, "pages").to_pylist()
    assert (first["id"], first["parent"], first["redirect"], first["found_by"]) == (
        0, None, None, "seed",
    )  # fmt: skip
    assert (second["id"], second["parent"], second["redirect"], second["found_by"]) == (
        1, 0, 3, "link",
    )  # fmt: skip
    assert first["notes"] == "truncated javascript"
    assert (second["warc_file"], second["warc_offset"], second["warc_length"]) == (
        "w.warc.gz", 100, 7,
    )  # fmt: skip
    assert (first["language"], first["score"], first["charset_meta"]) == ("th", 0.75, "b")


def test_a_log_goes_on_with_its_ids(tmp_path: Path) -> None:
    for number in (1, 2):
        crawl = Crawl(tmp_path)
        crawl.take(step(f"http://h/{number}", "http://h/1", "http://h/2", "http://h/3"))
        crawl.end()
    urls = read_table(tmp_path, "urls")
    assert urls["id"].to_pylist() == [0, 1, 2]
    assert read_table(tmp_path, "pages")["id"].to_pylist() == [0, 1]
    assert len(segments(tmp_path)) == 2


def test_a_segment_is_made_when_enough_pages_wait(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path, pages=2)
    for number in range(5):
        crawl.take(step(f"http://h/{number}"))
    assert len(segments(tmp_path)) == 2
    crawl.end()
    assert read_table(tmp_path, "pages")["id"].to_pylist() == [0, 1, 2, 3, 4]


def test_what_was_committed_is_there_and_nothing_else(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path / "a")
    crawl.take(step("http://h/1", "http://h/2"))
    crawl.journal.take(step("http://h/2"))
    crawl.frontier.close()  # as if killed: neither committed nor moved
    Crawl(tmp_path / "a").end()
    assert read_table(tmp_path / "a", "pages")["id"].to_pylist() == [0]
    assert read_table(tmp_path / "a", "urls")["url"].to_pylist() == ["http://h/1", "http://h/2"]


def test_files_that_no_transaction_knows_are_set_aside(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path)
    crawl.take(step("http://h/1"))
    crawl.end()
    for name in ("urls", "links", "pages"):
        folder = tmp_path / "log" / name
        shutil.copy(folder / "000000.parquet", folder / "000001.parquet")
        (folder / "000002.tmp").write_bytes(b"half")
    again, lost = Crawl(tmp_path), LostAndFound(tmp_path)
    set_aside_unregistered(tmp_path, again.frontier.connection, lost)
    again.end()
    assert segments(tmp_path) == ["000000.parquet"]
    assert read_table(tmp_path, "pages").num_rows == 1
    assert (lost.files, lost.ends) == (3, 0)
    kept = [path for path in (tmp_path / "lost+found").rglob("*") if path.is_file()]
    assert {path.parent.name for path in kept} == {"urls", "links", "pages"}
    assert not list((tmp_path / "log").rglob("*.tmp"))


def test_opening_commits_nothing(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path)
    crawl.frontier.put(Visit("http://h/1", "h", SEED, 0.0, ""))
    assert crawl.frontier.take(lambda host: True, overtake=False)
    crawl.frontier.commit()
    crawl.frontier.close()  # as if killed while the URL was leased
    for _ in range(3):  # and again and again before anything was committed
        again = Crawl(tmp_path)
        assert (len(again.frontier), again.frontier.leased_hosts) == (1, ["h"])
        again.frontier.close()


def test_numbers_without_end_and_columns_of_some_batches_are_kept(tmp_path: Path) -> None:
    """An infinite priority, and columns that only some batches have."""
    crawl = Crawl(tmp_path)
    odd = step("http://h/1", "http://h/2")
    crawl.take(odd._replace(visit=odd.visit._replace(priority=inf)))
    links = Links(("http://h/4", "http://h/5"), hreflangs=("th", ""), anchor_scores=(0.5, None))
    more = step("http://h/3")
    crawl.take(more._replace(page=more.page._replace(links=links)))
    crawl.end()
    assert read_table(tmp_path, "pages")["priority"].to_pylist() == [inf, 0.0]
    rows = read_table(tmp_path, "links").to_pylist()
    assert [row["anchor"] for row in rows] == ["anchor", None, None]
    assert [row["hreflang"] for row in rows] == [None, "th", ""]
    assert [row["anchor_score"] for row in rows] == [None, 0.5, None]


def test_links_travel_whole(tmp_path: Path) -> None:
    links = Links(*([f"{field.name} {n}" for n in range(3)] for field in fields(Links)))
    assert pickle.loads(pickle.dumps(links, protocol=5)) == links


def test_batches_of_earlier_versions_become_the_same_rows(tmp_path: Path) -> None:
    steps = [
        step("http://h/1", "http://h/2", "http://g/3"), step("http://h/2"),
        step("http://g/3", "http://h/1"),
    ]  # fmt: skip
    logs = []
    for name in ("now", "before"):
        crawl = Crawl(tmp_path / name)
        for each in steps:
            crawl.take(each)
        if name == "before":
            _as_written_before(crawl.frontier.connection, number=1)
        crawl.end()
        logs.append(read_table(tmp_path / name, "links").to_pylist())
    assert logs[0] == logs[1]
    assert [(row["src"], row["dst"], row["position"], row["nofollow"]) for row in logs[0]] == [
        (0, 1, 0, True), (0, 2, 1, True), (2, 0, 0, True),
    ]  # fmt: skip


def _as_written_before(database: sqlite3.Connection, number: int) -> None:
    """A batch as it was when every link had a row of its own."""
    ((blob,),) = database.execute("SELECT links FROM batches WHERE id = ?", (number,)).fetchall()
    columns = json.loads(blob)
    pages = columns.pop("of")
    columns["src"] = [page for page, size in pages for _ in range(size)]
    columns["position"] = [place for _, size in pages for place in range(size)]
    marked = columns["nofollow"]
    columns["nofollow"] = [place in marked for place in range(len(columns["dst"]))]
    row = (json.dumps(columns).encode(), number)
    database.execute("UPDATE batches SET links = ? WHERE id = ?", row)


@pytest.mark.parametrize(
    "change",
    [{"of": [[0, 10**15]]}, {"of": [[0, -1], [0, 3]]}, {"nofollow": [2]}, {"of": [["x", 2]]}],
)
def test_a_batch_that_contradicts_itself_is_told(tmp_path: Path, change: dict[str, Any]) -> None:
    crawl = Crawl(tmp_path)
    crawl.take(step("http://h/1", "http://h/2", "http://g/3"))
    database = crawl.frontier.connection
    ((blob,),) = database.execute("SELECT links FROM batches").fetchall()
    changed = json.dumps(json.loads(blob) | change).encode()
    database.execute("UPDATE batches SET links = ?", (changed,))
    with pytest.raises(ValueError, match="cannot be read"):
        list(read_unmoved(database))
