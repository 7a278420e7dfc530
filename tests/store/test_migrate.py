"""Directories of version 0.1 are converted when they are opened; later ones are refused.

data/crawl-0.1.tar.gz is a crawl of the small web that version 0.1 made: a first run that ended well
after 40 pages, and a second that was killed at 71, with one URL leased and 31 pages in batches.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import stat
import tarfile
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from conftest import Cli
from langcrawl import __version__
from langcrawl.config import CrawlConfig
from langcrawl.errors import BadInput
from langcrawl.log.graph import load_graph
from langcrawl.log.schema import TABLES
from langcrawl.log.segments import read_table, segments
from langcrawl.run import run_crawl
from langcrawl.store.database import VERSION
from langcrawl.store.directory import CrawlDirectory
from langcrawl.store.migrate import convert, open_directory
from langcrawl.store.view import open_view, read_status
from langcrawl.virtualweb.serve import Server
from langcrawl.virtualweb.small import make_small_web

OLD = Path(__file__).parent / "data" / "crawl-0.1.tar.gz"
PAGES, COMMITTED = 40, 71


@pytest.fixture
def old(tmp_path: Path) -> Path:
    with tarfile.open(OLD) as archive:
        safe = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}  # from 3.11.4 on
        archive.extractall(tmp_path, **safe)  # type: ignore[arg-type]
    return tmp_path / "crawl-0.1"


def test_a_crawl_of_version_0_1_is_resumed_with_nothing_lost_and_nothing_twice(old: Path) -> None:
    web = make_small_web(pages=120, seed=3)
    before = pq.read_table(old / "log" / "pages").to_pylist()
    with Server(web.answer) as server:
        changes = {"delay": 0.0, "connect_to": (server.connect_to,)}
        result = run_crawl(old, CrawlConfig.load(old).model_copy(update=changes))
        whole = CrawlConfig(lang="th", seeds=web.seeds, strategy="soft", **changes)
        fresh = run_crawl(old.parent / "fresh", whole)
    assert result["pages"] == fresh["pages"]
    assert result["relevant"] == fresh["relevant"]
    pages = read_table(old, "pages").to_pylist()
    assert len({page["id"] for page in pages}) == len(pages) == result["pages"]
    for then, now in zip(before, pages, strict=False):
        assert now["found_by"] == then["reason"]
        assert (now["id"], now["digest"], now["score"]) == (
            then["id"],
            then["digest"],
            then["score"],
        )
    assert [page["reason"] for page in pages] == [None] * len(pages)
    assert {page["found_by"] for page in pages} == {"seed", "link", "redirect"}
    assert any(page["title"] for page in pages[COMMITTED:])  # what is new is there from now on
    urls = [set(read_table(place, "urls", ["url"])["url"].to_pylist())
            for place in (old, old.parent / "fresh")]  # fmt: skip
    assert urls[0] == urls[1]


def test_every_file_has_the_columns_of_now_and_any_reader_can_read_them_together(old: Path) -> None:
    convert(CrawlDirectory(old))
    for name, schema in TABLES.items():
        for path in (old / "log" / name).glob("*.parquet"):
            assert pq.read_schema(path).names == schema.names
    with sqlite3.connect(old / "frontier.db") as database:
        assert database.execute("PRAGMA user_version").fetchone() == (VERSION,)
        (misses,) = database.execute(
            "SELECT count(*) FROM hosts WHERE hits = 0 AND misses != downloads"
        ).fetchone()
        assert misses == 0
    assert CrawlConfig.load(old).version == __version__


def test_a_conversion_may_be_cut_off_anywhere(old: Path) -> None:
    """The database is converted, the log half: the next opening does the rest."""
    untouched = old.parent / "untouched"
    shutil.copytree(old, untouched)
    convert(CrawlDirectory(old))
    first = segments(old)[0]
    shutil.copy(untouched / "log" / "pages" / first, old / "log" / "pages" / first)
    shutil.copy(untouched / "crawl.toml", old / "crawl.toml")
    convert(CrawlDirectory(old))
    convert(CrawlDirectory(old))
    assert read_table(old, "pages")["found_by"].null_count == 0


def test_what_was_not_in_parquet_yet_is_seen_without_changing_anything(old: Path) -> None:
    status = read_status(old)
    assert (status.pages, status.running) == (COMMITTED, False)
    with open_view(old) as view:
        pages = [row for table in view.pages(["id", "found_by", "title"])
                 for row in table.to_pylist()]  # fmt: skip
        links = sum(len(table) for table in view.links(["src", "tag_path"]))
    assert len(pages) == len({page["id"] for page in pages}) == COMMITTED
    assert {page["found_by"] for page in pages} <= {"seed", "link", "redirect"}
    assert links > 100
    assert len(read_table(old, "pages")) == PAGES  # no segment was written


def test_simulating_and_analysing_convert_and_a_read_only_directory_is_read_as_it_is(
    old: Path, cli: Cli
) -> None:
    asis = old.parent / "asis"
    shutil.copytree(old, asis)
    for path in [asis, *asis.rglob("*")]:
        path.chmod(path.stat().st_mode & ~(stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH))
    graph = load_graph(asis)
    assert graph.pages == PAGES
    assert read_table(asis, "pages", ["found_by"])["found_by"].null_count == 0
    assert read_table(asis, "links", ["tag_path"])["tag_path"].null_count > 0
    done = cli("simulate", old, "--strategy", "bfs", "--json")
    assert json.loads(done.stdout)["strategies"][0]["pages"] > 0
    assert CrawlConfig.load(old).version == __version__
    for path in [asis, *asis.rglob("*")]:
        path.chmod(path.stat().st_mode | stat.S_IWUSR)


def test_a_directory_of_a_later_version_is_refused_and_left_as_it_is(old: Path, cli: Cli) -> None:
    toml = (old / "crawl.toml").read_text().replace('version = "0.1.0"', 'version = "9.1.0"')
    (old / "crawl.toml").write_text(toml)
    for words in (("status", old), ("simulate", old, "--strategy", "bfs"), ("crawl", old)):
        done = cli(*words)
        assert done.returncode == 1
        assert "was made by langcrawl 9.1.0" in done.stderr
        assert "install that version" in done.stderr
    with sqlite3.connect(old / "frontier.db") as database:
        assert database.execute("PRAGMA user_version").fetchone() == (3,)
    assert (old / "crawl.toml").read_text() == toml


@pytest.mark.parametrize(("version", "says"), [(VERSION + 1, "later"), (2, "before version 0.1")])
def test_a_database_of_another_age_is_refused_in_words(old: Path, version: int, says: str) -> None:
    with sqlite3.connect(old / "frontier.db") as database:
        database.execute(f"PRAGMA user_version = {version}")
    with pytest.raises(BadInput, match=says):
        convert(CrawlDirectory(old))


def test_a_running_crawl_is_not_converted_under_its_hands(old: Path) -> None:
    with CrawlDirectory(old).locked():
        open_directory(old)
    assert CrawlConfig.load(old).version == "0.1.0"
