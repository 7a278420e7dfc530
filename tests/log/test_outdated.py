"""Rows that do not count any more, tables of earlier versions, and files that are not sound."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from langcrawl.errors import BrokenLog, NoSuchLog
from langcrawl.log.graph import load_graph, log_stamp
from langcrawl.log.schema import ADDED, TABLES, as_now, log_table
from langcrawl.log.segments import (
    OUTDATED,
    mark_outdated,
    outdated,
    read_batches,
    read_table,
    read_urls,
    remove_pages,
    segment_sizes,
    segments,
    write_file,
)
from webs import P, write_web

ONLY = "000000.parquet"
WEB = {"a/": P("th", ("b/", "c/")), "b/": P("th", ("c/",)), "c/": P("en", ("a/",))}


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return write_web(tmp_path, WEB, ["a/"])


def ids(log: Path) -> list[int]:
    return read_table(log, "pages", ["id"])["id"].to_pylist()


def test_rows_that_count_no_more_are_read_by_nobody(log: Path) -> None:
    stamp = log_stamp(log)
    mark_outdated(log, {ONLY: [1]})
    assert ids(log) == [0, 2]
    assert set(read_table(log, "links")["src"].to_pylist()) == {0, 2}
    assert read_table(log, "links", ["dst"]).column_names == ["dst"]  # not the one to choose by
    assert [len(batch) for batch in read_batches(log, "pages", ["status"])] == [2]
    assert len(read_urls(log, ["url"])) == 3  # URLs stay known
    assert load_graph(log).pages == 2
    assert log_stamp(log) != stamp  # so that arrays made before are made anew


def test_marks_add_up_and_are_kept_once(log: Path) -> None:
    mark_outdated(log, {ONLY: [2, 1]})
    mark_outdated(log, {ONLY: [1], "000007.parquet": [5]})
    assert outdated(log) == {ONLY: [1, 2], "000007.parquet": [5]}
    assert not list((log / "log").glob("*.tmp"))


@pytest.mark.parametrize("text", ["{", "[]", '{"x": 5}', '{"x": ["y"]}', "\x00"])
def test_marks_that_cannot_be_read_are_said_and_not_guessed(log: Path, text: str) -> None:
    (log / "log" / OUTDATED).write_text(text)
    with pytest.raises(BrokenLog, match=r"recover .* --rebuild"):
        read_table(log, "pages")


def test_removed_pages_are_gone_from_the_files(log: Path) -> None:
    mark_outdated(log, {ONLY: [0, 1], "000007.parquet": [1]})
    remove_pages(log, ONLY, {1, 99})
    assert outdated(log) == {ONLY: [0], "000007.parquet": [1]}
    for name, column in (("pages", "id"), ("links", "src")):
        table = pq.read_table(log / "log" / name / ONLY)
        assert 1 not in table[column].to_pylist()
    assert ids(log) == [2]
    remove_pages(log, ONLY, {0})
    assert outdated(log) == {"000007.parquet": [1]}


def test_a_file_without_a_row_to_remove_is_left_alone(log: Path) -> None:
    before = [(log / "log" / name / ONLY).stat().st_ino for name in ("pages", "links")]
    remove_pages(log, ONLY, {50})
    assert [(log / "log" / name / ONLY).stat().st_ino for name in ("pages", "links")] == before


def test_sizes_are_those_of_complete_segments(log: Path) -> None:
    (log / "log" / "urls" / "000001.parquet").write_bytes(b"half a segment")
    (log / "log" / "pages" / "000001.tmp").write_bytes(b"half a file")
    assert segments(log) == [ONLY]
    assert segment_sizes(log) == {ONLY: (log / "log" / "pages" / ONLY).stat().st_size}


def test_no_log_yet_is_said(tmp_path: Path) -> None:
    assert segments(tmp_path) == []
    with pytest.raises(NoSuchLog, match="has no log yet; run 'langcrawl crawl"):
        read_table(tmp_path, "pages")


class TestEarlierVersions:
    """Version 0.1 had fewer columns, and called `reason` what is `found_by` now."""

    @staticmethod
    def as_before(log: Path, name: str) -> pa.Table:
        """Write a table of the log as version 0.1 did."""
        path = log / "log" / name / ONLY
        table = pq.read_table(path)
        rows = len(table)
        if name == "pages":
            table = table.set_column(
                table.column_names.index("reason"), "reason", pa.array(["seed"] * rows)
            )
        old = table.drop_columns(sorted(ADDED[name]))
        write_file(path, old)
        return old

    @pytest.mark.parametrize("name", ["pages", "links", "urls"])
    def test_columns_that_it_lacked_are_null(self, log: Path, name: str) -> None:
        self.as_before(log, name)
        table = read_table(log, name)
        assert table.column_names == TABLES[name].names
        for column in ADDED[name] - {"found_by"}:
            assert table[column].null_count == len(table)

    def test_its_reason_is_how_a_page_was_found(self, log: Path) -> None:
        self.as_before(log, "pages")
        assert read_table(log, "pages", ["found_by"])["found_by"].to_pylist() == ["seed"] * 3
        assert read_table(log, "pages", ["reason"])["reason"].null_count == 3
        both = read_table(log, "pages", ["reason", "id", "found_by"])
        assert both.column_names == ["reason", "id", "found_by"]

    def test_a_table_of_now_is_left_as_it_is(self, log: Path) -> None:
        for name in TABLES:
            table = read_table(log, name)
            assert as_now(name, table) is table

    def test_a_simulation_reads_both_alike(self, log: Path) -> None:
        now = load_graph(log)
        for name in ("pages", "links"):
            self.as_before(log, name)
        before = load_graph(log)
        assert before.arrays.dst.tolist() == now.arrays.dst.tolist()
        assert before.relevant.tolist() == now.relevant.tolist()


def drop(column: str) -> Callable[[pa.Table], pa.Table]:
    return lambda table: table.drop_columns([column])


def fill(column: str, values: list[object]) -> Callable[[pa.Table], pa.Table]:
    def change(table: pa.Table) -> pa.Table:
        return table.set_column(table.column_names.index(column), column, pa.array(values))

    return change


@pytest.mark.parametrize(
    ("name", "change", "words"),
    [
        ("pages", drop("status"), "has no column 'status'"),
        ("links", drop("dst"), "has no column 'dst'"),
        ("pages", fill("status", [200, None, 200]), "a row has no status"),
        ("urls", fill("url", ["a", None, "b"]), "a row has no url"),
        ("pages", fill("id", ["x", "y", "z"]), "is cut short or damaged"),
        ("pages", fill("status", [200, 70_000, 200]), "is cut short or damaged"),
    ],
)
def test_a_table_that_is_not_sound_is_named_with_what_to_do(
    log: Path, name: str, change: Callable[[pa.Table], pa.Table], words: str
) -> None:
    path = log / "log" / name / ONLY
    write_file(path, change(pq.read_table(path)))
    with pytest.raises(BrokenLog, match=words) as told:
        read_table(log, name)
    assert str(path) in str(told.value)
    assert "move the files of that name" in str(told.value)


def test_numbers_of_another_width_and_words_in_a_dictionary_are_read(log: Path) -> None:
    """As other programs write them."""
    path = log / "log" / "pages" / ONLY
    table = pq.read_table(path)
    expected = read_table(log, "pages").to_pylist()
    for name in ("status", "depth"):
        table = table.set_column(
            table.column_names.index(name), name, pc.cast(table[name], pa.int64())
        )
    table = table.set_column(
        table.column_names.index("language"), "language", table["language"].dictionary_encode()
    )
    pq.write_table(table, path)
    found = read_table(log, "pages")
    assert found.schema.field("status").type == pa.int16()
    assert found.to_pylist() == expected


def test_a_table_is_made_of_what_is_given() -> None:
    made = log_table("urls", 2, {"id": [0, 1], "host": pa.array(["a", "a"]).dictionary_encode()})
    assert made.to_pylist() == [
        {"id": 0, "url": None, "host": "a"}, {"id": 1, "url": None, "host": "a"},
    ]  # fmt: skip
    assert log_table("pages", 0, {}).schema.names == TABLES["pages"].names


def test_marks_are_plain_json_for_whoever_looks(log: Path) -> None:
    mark_outdated(log, {ONLY: [2]})
    assert json.loads((log / "log" / OUTDATED).read_text()) == {ONLY: [2]}
