"""What a crawl has seen comes back from its log, whatever pages and links say, to the letter."""

from __future__ import annotations

from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langcrawl.config import CrawlConfig
from langcrawl.frontier.sqlite import SqliteFrontier
from langcrawl.log.graph import load_graph
from langcrawl.log.lost_rows import unarchived_pages
from langcrawl.log.segments import read_table, segments
from langcrawl.log.writer import (
    LogWriter,
    archived_bytes,
    new_urls,
    read_unmoved,
    register_archives,
    registered_segments,
    segment_files,
)
from langcrawl.records import Charsets, Facts, Link, Links, Page, Step, Verdict, Visit

TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), max_size=8).map(str.strip)
WORDS = st.text(st.characters(codec="utf-8", categories=["L", "N"]), min_size=1, max_size=5)
URLS = st.integers(0, 9).map(lambda n: f"http://h{n % 3}/{n}")
NUMBERS = st.floats(0, 1e6, width=32)


def links() -> st.SearchStrategy[Links]:
    one = st.builds(
        Link, URLS, TEXT, st.booleans(), st.none() | st.sampled_from([0.0, 0.25, 1.0]), TEXT, TEXT,
        TEXT, TEXT,
    )  # fmt: skip
    return st.lists(one, max_size=4).map(Links.of)


def steps() -> st.SearchStrategy[list[Step]]:
    page = st.builds(
        lambda **said: Page(**said),  # as Page itself, all its fields would be made up
        url=URLS,
        status=st.sampled_from([0, 200, 404]),
        redirect=st.just("") | URLS,
        content_type=TEXT,
        bytes=st.integers(0, 1 << 40),
        text_bytes=st.integers(0, 1 << 40),
        fetched_at=st.floats(0, 1e10),
        elapsed=NUMBERS,
        ip=TEXT,
        charsets=st.builds(Charsets, TEXT, TEXT, TEXT),
        digest=TEXT,
        links=links(),
        error=TEXT,
        notes=st.lists(WORDS, max_size=2).map(tuple),
        title=TEXT,
        html_lang=TEXT,
        content_language=TEXT,
        fonts=st.lists(WORDS, max_size=2).map(tuple),
    )
    verdict = st.builds(
        Verdict, st.sampled_from(["th", "en", "und"]), TEXT, TEXT, st.floats(0, 1), st.booleans(),
        st.lists(WORDS, max_size=2).map(tuple),
    )  # fmt: skip
    visit = st.builds(
        lambda run, depth, priority, parent, reason: (
            Facts(run, depth, 1, 0, 0.0, 0, 0, 0, 0), priority, parent, reason,
        ),
        st.integers(0, 50), st.integers(0, 50), st.floats(0, 1e9) | st.just(inf),
        st.just("") | URLS, TEXT,
    )  # fmt: skip

    def step(drawn: tuple[Page, Verdict, tuple[Facts, float, str, str]]) -> Step:
        page, verdict, (facts, priority, parent, reason) = drawn
        host = page.url.split("/")[2]
        asked = Visit(page.url, host, facts, priority, parent, "link", reason=reason)
        return Step(1, asked, page, verdict, 0)

    one = st.tuples(page, verdict, visit).map(step)
    return st.lists(one, min_size=1, max_size=5, unique_by=lambda each: each.page.url)


class Written:
    """A log to which steps are written in commits of a few."""

    def __init__(self, directory: Path, pages: int = 10_000) -> None:
        self.directory = directory
        self.frontier = SqliteFrontier(directory / "frontier.db")
        self.writer = LogWriter(directory, self.frontier.connection, self.frontier.ids_of, pages)
        self.frontier.at_commit.append(self.writer.save)

    def write(self, steps: list[Step], at_a_time: int = 2) -> None:
        for at in range(0, len(steps), at_a_time):
            for each in steps[at : at + at_a_time]:
                self.writer.take(each)
            self.frontier.commit()

    def finish(self) -> None:
        self.frontier.at_commit.append(lambda db: self.writer.save(db, all_of_it=True))
        self.frontier.commit()
        self.frontier.close()


@settings(max_examples=20)
@given(steps())
def test_pages_links_and_verdicts_come_back_as_they_were(steps: list[Step]) -> None:
    with TemporaryDirectory() as folder:
        log = Written(Path(folder))
        log.write(steps)
        log.finish()
        found = list(unarchived_pages(Path(folder), lambda number: pytest.fail(str(number))))
    for step, (visit, page, verdict) in zip(steps, found, strict=True):
        assert page == step.page
        assert verdict == step.verdict
        assert visit == step.visit


@settings(max_examples=10)
@given(steps(), st.integers(1, 3), st.integers(1, 3))
def test_how_steps_are_parted_into_commits_and_segments_changes_no_row(
    steps: list[Step], at_a_time: int, pages: int
) -> None:
    tables = []
    for commits, every in ((len(steps), 10_000), (at_a_time, pages)):
        with TemporaryDirectory() as folder:
            log = Written(Path(folder), every)
            log.write(steps, commits)
            log.finish()
            tables.append({name: read_table(Path(folder), name).to_pylist()
                           for name in ("urls", "pages", "links")})  # fmt: skip
    assert tables[0] == tables[1]


@settings(max_examples=10)
@given(steps())
def test_what_still_waits_in_the_database_is_what_the_log_will_say(steps: list[Step]) -> None:
    with TemporaryDirectory() as folder:
        log = Written(Path(folder))
        log.write(steps)
        waiting = list(read_unmoved(log.frontier.connection))
        urls = new_urls(log.frontier.connection, 0)
        assert segments(Path(folder)) == []
        log.finish()
        rows = {name: read_table(Path(folder), name).to_pylist() for name in ("pages", "links")}
        assert urls.equals(read_table(Path(folder), "urls"))
    for name, place in (("pages", 0), ("links", 1)):
        assert [row for tables in waiting for row in tables[place].to_pylist()] == rows[name]


@settings(max_examples=10)
@given(steps())
def test_a_graph_of_the_log_leads_where_the_pages_led(steps: list[Step]) -> None:
    with TemporaryDirectory() as folder:
        log = Written(Path(folder))
        log.write(steps)
        log.finish()
        CrawlConfig(lang="th", seeds=(steps[0].page.url,)).save(Path(folder))
        graph = load_graph(Path(folder))
        assert graph.pages == len(steps)
        for step in steps:
            (node,) = graph.find([step.page.url])
            first, last = graph.arrays.offsets[node : node + 2].tolist()
            goals = [graph.urls[goal] for goal in graph.arrays.dst[first:last].tolist()]
            answered = step.page.status == 200 and not step.page.redirect
            assert goals == (list(dict.fromkeys(step.page.links.urls)) if answered else [])
            assert graph.relevant[node] == (answered and step.verdict.relevant)
            redirect = int(graph.arrays.redirect[node])
            assert (graph.urls[redirect] if redirect >= 0 else "") == step.page.redirect


def test_what_counts_of_an_archive_never_becomes_less(tmp_path: Path) -> None:
    database = Written(tmp_path).frontier.connection
    register_archives(database, {"a": (100, 90), "b": (5, 0)})
    register_archives(database, {"a": (50, 40)})
    assert archived_bytes(database) == {"a": 100, "b": 5}
    register_archives(database, {"a": (200, 150)})
    assert archived_bytes(database)["a"] == 200


def test_segments_are_registered_with_the_urls_up_to_them(tmp_path: Path) -> None:
    log = Written(tmp_path, pages=1)
    for number in range(2):
        page = Page(f"http://h/{number}", 200, links=Links((f"http://g/{number}",)))
        facts = Facts(0, 0, 1, 0, 1.0, 0, 0, 0, 0)
        log.write([Step(1, Visit(page.url, "h", facts, 0.0, ""), page, Verdict(), 0)])
    assert registered_segments(log.frontier.connection) == {
        "000000.parquet": 2, "000001.parquet": 4,
    }  # fmt: skip
    for number in range(2):
        assert all((tmp_path / name).is_file() for name in segment_files(number))
    assert new_urls(log.frontier.connection, 2, 3)["url"].to_pylist() == ["http://h/1"]
    log.finish()


@pytest.mark.parametrize("row", [("a", "many"), ("b", None), ("c", 1.5)])
def test_a_row_of_archives_that_makes_no_sense_is_told(
    tmp_path: Path, row: tuple[str, object]
) -> None:
    database = Written(tmp_path).frontier.connection
    database.execute("INSERT INTO archives VALUES (?, ?, 0)", row)
    with pytest.raises(ValueError, match="makes no sense"):
        archived_bytes(database)
