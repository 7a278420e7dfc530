"""The history of pages that were asked for again: kept in the database, then in files."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from langcrawl.errors import BrokenLog
from langcrawl.frontier.sqlite import SqliteFrontier
from langcrawl.log.segments import outdated
from langcrawl.log.visits import (
    VISITS,
    Visited,
    change_visits,
    has_visits,
    move_visits,
    read_visits,
    replaced_pages,
    save_visits,
    set_up_visits,
    unmoved_visits,
    visit_files,
    visit_names,
    visits_in,
    without_pages,
    without_places,
)
from langcrawl.store.sealed import problem_of, read_seals


def visit(page: int, outcome: str = "changed", at: float = 1.5) -> Visited:
    return Visited(page, at, outcome, 200, f"sha1:{page}", "text/html", outcome == "unchanged", 77,
                   "", "a.warc.gz", 10 * page, 5)  # fmt: skip


GONE = Visited(9, 2.5, "failed", 0, "", "", False, None, "no answer, ไม่ตอบ", None, None, None)


class Kept:
    """A database in which visits wait, and the directory that it belongs to."""

    def __init__(self, directory: Path) -> None:
        (directory / "log").mkdir()
        self.directory = directory
        self.frontier = SqliteFrontier(directory / "frontier.db")
        self.database = self.frontier.connection

    def save(self, *visits: tuple[Visited, str | None]) -> None:
        self._begin()
        set_up_visits(self.database)
        save_visits(self.database, visits)
        self.frontier.commit()

    def move(self) -> None:
        self._begin()
        move_visits(self.directory, self.database)
        self.frontier.commit()

    def _begin(self) -> None:
        if not self.database.in_transaction:
            self.database.execute("BEGIN")


@pytest.fixture
def kept(tmp_path: Path) -> Kept:
    return Kept(tmp_path)


def rows(kept: Kept) -> list[list[tuple[object, ...]]]:
    return [[tuple(row.values()) for row in table.to_pylist()]
            for table in read_visits(kept.directory)]  # fmt: skip


def test_a_crawl_that_never_asked_again_has_no_visits(kept: Kept) -> None:
    assert not has_visits(kept.database)
    assert replaced_pages(kept.database) == []
    assert unmoved_visits(kept.database).num_rows == 0
    kept.move()
    assert visits_in(kept.directory) == []
    assert visit_files(kept.database) == 0


def test_visits_come_back_as_they_were_and_in_order(kept: Kept) -> None:
    kept.save((visit(3, "unchanged"), None), (GONE, None))
    assert [tuple(row.values()) for row in unmoved_visits(kept.database).to_pylist()] == [
        tuple(visit(3, "unchanged")), tuple(GONE),
    ]  # fmt: skip
    assert visits_in(kept.directory) == []
    kept.move()
    assert rows(kept) == [[tuple(visit(3, "unchanged")), tuple(GONE)]]
    assert unmoved_visits(kept.database).num_rows == 0
    assert unmoved_visits(kept.database).schema == VISITS


def test_each_move_makes_one_more_file_and_seals_it(kept: Kept) -> None:
    for page in (1, 2):
        kept.save((visit(page), None))
        kept.move()
    kept.move()  # nothing has come since
    assert visit_files(kept.database) == 2
    assert visits_in(kept.directory) == visit_names(2)
    assert [row[0][0] for row in rows(kept)] == [1, 2]
    assert [table["id"].to_pylist() for table in read_visits(kept.directory, visit_names(1))] == [
        [1]
    ]
    seals = read_seals(kept.database)
    for name in visit_names(2):
        assert problem_of(kept.directory / name, seals[name], True) == ""


def test_rows_that_a_visit_replaces_count_until_it_is_in_a_file(kept: Kept) -> None:
    first, second = "000000.parquet", "000003.parquet"
    kept.save((visit(5), first), (visit(2), first), (visit(7), second), (visit(8), None))
    assert sorted(replaced_pages(kept.database)) == [2, 5, 7]
    assert outdated(kept.directory) == {}
    kept.move()
    assert outdated(kept.directory) == {first: [2, 5], second: [7]}
    assert replaced_pages(kept.database) == []
    kept.save((visit(4), first))
    kept.move()
    assert outdated(kept.directory) == {first: [2, 4, 5], second: [7]}


def test_what_was_not_committed_is_not_kept(kept: Kept) -> None:
    kept.save((visit(1), None))
    kept.database.execute("BEGIN")
    save_visits(kept.database, [(visit(2), None)])
    kept.database.rollback()
    kept.move()
    assert [row[0] for row in rows(kept)[0]] == [1]


def table_of(*visits: Visited) -> pa.Table:
    return pa.Table.from_pylist([each._asdict() for each in visits], VISITS)


def test_pages_and_places_can_be_taken_out_of_the_history() -> None:
    table = table_of(visit(1), visit(2), visit(1, "unchanged"))
    assert without_pages(table, {1})["id"].to_pylist() == [2]
    assert without_pages(table, ()).equals(table)
    assert without_places(table, ()) is table
    lost = without_places(table, {0, 2})
    assert lost["warc_file"].to_pylist() == [None, "a.warc.gz", None]
    assert lost["warc_offset"].to_pylist() == [None, 20, None]
    assert lost["digest"].to_pylist() == table["digest"].to_pylist()
    assert lost.schema == VISITS


def test_a_change_writes_only_the_files_that_it_changes(kept: Kept) -> None:
    for page in (1, 2):
        kept.save((visit(page), None))
        kept.move()
    before = [(kept.directory / name).stat().st_ino for name in visit_names(2)]
    change_visits(kept.directory, visit_names(2), lambda table: without_pages(table, {2}))
    after = [(kept.directory / name).stat().st_ino for name in visit_names(2)]
    assert after[0] == before[0]
    assert after[1] != before[1]
    assert rows(kept)[1] == []


@pytest.mark.parametrize(
    "data", [b"", b"PAR1", b"no table at all"], ids=["empty", "head-only", "other-bytes"]
)
def test_a_damaged_file_is_named_with_what_to_do(kept: Kept, data: bytes) -> None:
    kept.save((visit(1), None))
    kept.move()
    (name,) = visit_names(1)
    (kept.directory / name).write_bytes(data)
    with pytest.raises(BrokenLog, match=r"000000\.parquet' is damaged .* restore it"):
        list(read_visits(kept.directory))


def test_a_file_that_is_missing_is_named(kept: Kept) -> None:
    with pytest.raises(BrokenLog, match=r"000004\.parquet"):
        list(read_visits(kept.directory, ["log/visits/000004.parquet"]))
