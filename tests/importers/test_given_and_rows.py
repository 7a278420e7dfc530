"""Which files a user means, and the rows of tables that users bring."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langcrawl.config import FILE
from langcrawl.errors import BadInput
from langcrawl.importers.csv import _positions
from langcrawl.importers.csv_rows import read_rows
from langcrawl.importers.files import find_files, read_file
from langcrawl.importers.given import ARCHIVE, CSV, WAT, archives_given, crawls_given, wats_given


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Archives at two depths, and what is none."""
    monkeypatch.chdir(tmp_path)
    for name in ("b.warc.gz", "a.warc", "sub/c.wacz", "sub/d.ARC", "e.wat.gz", "notes.txt",
                 "sub/lost+found/f.warc", "g.warc.zst", "warc"):  # fmt: skip
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).touch()
    Path("hollow").mkdir()
    Path("x.warc").mkdir()
    return tmp_path


def names(paths: list[Path]) -> list[str]:
    return [path.as_posix() for path in paths]


def test_a_folder_stands_for_its_archives_by_name_and_not_for_what_was_set_aside(
    folder: Path,
) -> None:
    assert names(archives_given([Path()])) == [
        "a.warc", "b.warc.gz", "g.warc.zst", "sub/c.wacz", "sub/d.ARC",
    ]  # fmt: skip
    assert names(wats_given([Path()])) == ["e.wat.gz"]


def test_patterns_stand_for_what_they_match_in_its_order(folder: Path) -> None:
    assert names(archives_given([Path("[ab].warc*")])) == ["a.warc", "b.warc.gz"]
    assert names(archives_given([Path("**/*.wacz")])) == ["sub/c.wacz"]


def test_a_file_named_in_several_ways_counts_once_at_its_first_place(folder: Path) -> None:
    given_names = ["b.warc.gz", "./sub/../a.warc", "a.warc", str(folder / "b.warc.gz")]
    found = archives_given([Path(name) for name in given_names])
    assert [path.name for path in found] == ["b.warc.gz", "a.warc"]


def test_a_file_that_is_named_is_taken_whatever_its_ending(folder: Path) -> None:
    assert names(archives_given([Path("notes.txt"), Path("absent")])) == ["notes.txt", "absent"]


@pytest.mark.parametrize(
    ("given_name", "says"),
    [
        ("hollow", "the folder 'hollow' holds no archive"),
        ("*.nothing", r"no file matches '\*.nothing'"),
        ("x.warc", "the folder 'x.warc' holds no archive"),
    ],
)
def test_what_holds_no_archive_is_named(folder: Path, given_name: str, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        archives_given([Path(given_name)])


def test_a_folder_of_crawls_stands_for_them(folder: Path) -> None:
    for name in ("crawls/two", "crawls/one", "crawls/none", "alone"):
        Path(name).mkdir(parents=True)
    for name in ("crawls/two", "crawls/one", "alone"):
        (Path(name) / FILE).touch()
    assert names(crawls_given([Path("crawls"), Path("alone")])) == [
        "crawls/one", "crawls/two", "alone",
    ]  # fmt: skip
    assert names(crawls_given([Path("crawls/t*"), Path("crawls")])) == ["crawls/two", "crawls/one"]
    assert names(crawls_given([Path("hollow"), Path("absent")])) == ["hollow", "absent"]


@pytest.mark.parametrize(
    ("pattern", "good", "bad"),
    [
        (ARCHIVE, ["a.warc", "a.WARC.GZ", "a.arc.gz", "a.wacz", "a.warc.zst"],
         ["warc", "a.warc.txt", "a.warc.gz.part", "a.zip", "a.wacz.gz"]),
        (WAT, ["a.wat", "a.wat.gz"], ["a.wat.zst", "wat", "a.wet.gz"]),
        (CSV, ["a.csv", "a.CSV.gz"], ["a.tsv", "csv", "a.csv.zst"]),
    ],
)  # fmt: skip
def test_endings_tell_what_a_file_is(
    pattern: re.Pattern[str], good: list[str], bad: list[str]
) -> None:
    assert all(pattern.search(name) for name in good)
    assert not any(pattern.search(name) for name in bad)


def test_files_are_found_in_the_order_given_and_sorted_within_a_folder(folder: Path) -> None:
    assert names(find_files([Path("notes.txt"), Path("sub"), Path("a.warc")])) == [
        "notes.txt", "sub/c.wacz", "sub/d.ARC", "sub/lost+found/f.warc", "a.warc",
    ]  # fmt: skip
    for nothing in ([], [Path("hollow")]):
        with pytest.raises(BadInput, match="there is no file to read"):
            find_files(nothing)
    with pytest.raises(BadInput, match="there is no file or directory 'absent'"):
        find_files([Path("notes.txt"), Path("absent")])


def test_a_file_that_cannot_be_read_says_why(folder: Path) -> None:
    with pytest.raises(BadInput, match="there is no file 'absent'"):
        read_file(Path("absent"))
    with pytest.raises(BadInput, match=r"'hollow' cannot be read \(Is a directory\)"):
        read_file(Path("hollow"))


def test_of_a_huge_file_only_the_beginning_is_read(folder: Path) -> None:
    with Path("huge").open("wb") as file:
        file.write(b"begin")
        file.truncate(30_000_000)
    body = read_file(Path("huge"))
    assert len(body) == 10_000_000
    assert body.startswith(b"begin")


def saved(folder: Path, text: str | bytes) -> Path:
    path = folder / "rows.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


CELLS = st.text(
    st.characters(blacklist_categories=("Cs", "Cc"), blacklist_characters="\u2028\u2029\x85\ufeff"),
    max_size=8,
)


@settings(max_examples=20)
@given(st.lists(st.tuples(CELLS, CELLS), max_size=8))
def test_rows_are_those_that_pythons_own_reader_finds(
    tmp_path_factory: pytest.TempPathFactory, cells: list[tuple[str, str]]
) -> None:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writerows([("url", "language"), *cells])
    rows = read_rows(saved(tmp_path_factory.mktemp("csv"), text.getvalue()), ("url", "language"))
    assert rows.table.column_names == ["url", "language"]
    assert [(row["url"], row["language"]) for row in rows.table.to_pylist()] == cells
    assert rows.broken == 0


@pytest.mark.parametrize(
    ("head", "columns"),
    [
        ("src,dst", ["src", "dst"]), ("from,to", ["src", "dst"]), ("Source,Target", ["src", "dst"]),
        ("start,end,anchor", ["src", "dst", "anchor"]), ("src,dst,to", ["src", "dst", "to"]),
        ("from,src,dst", ["from", "src", "dst"]),
    ],
)  # fmt: skip
def test_columns_of_edge_lists_go_by_our_names(
    tmp_path: Path, head: str, columns: list[str]
) -> None:
    line = ",".join("x" * len(columns)) + "\n"
    assert (
        read_rows(saved(tmp_path, f"{head}\n{line}"), ("src", "dst")).table.column_names == columns
    )


@pytest.mark.parametrize("between", [" ", "\t", "   "])
def test_columns_may_stand_between_blanks(tmp_path: Path, between: str) -> None:
    lines = [("src", "dst"), ("1", "2"), ("2", "3"), ("4",), ("5", "6", "7")]
    text = "".join(between.join(line) + "\n" for line in lines) + "\n"
    rows = read_rows(saved(tmp_path, "\ufeff" + text), ("src", "dst"))
    assert rows.table.to_pylist() == [{"src": "1", "dst": "2"}, {"src": "2", "dst": "3"}]
    assert rows.broken == 2


def test_lines_with_another_number_of_columns_are_counted(tmp_path: Path) -> None:
    rows = read_rows(saved(tmp_path, "url,language\na,th\nb\nc,th,x\nd,en\n"), ("url", "language"))
    assert rows.table["url"].to_pylist() == ["a", "d"]
    assert rows.broken == 2


def test_a_value_may_hold_line_breaks_and_commas(tmp_path: Path) -> None:
    rows = read_rows(saved(tmp_path, 'url,language\n"a,\nb",th\n'), ("url", "language"))
    assert rows.table.to_pylist() == [{"url": "a,\nb", "language": "th"}]


def test_a_table_of_numbered_urls_needs_no_language(tmp_path: Path) -> None:
    rows = read_rows(saved(tmp_path, "node,url\n1,http://a.th/\n"), ("url", "language"))
    assert rows.table.column_names == ["id", "url"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "cannot be read as CSV"),
        ("url\nx\n", "has no column 'language'; its first line should begin with url,language"),
        ("a,b\n1,2\n", "has no column 'url'"),
        ("url,language,url\n1,2,3\n", "names a column twice"),
        ("url,language\nonly\n", "no line has as many columns as the first"),
        ("url," * 1001 + "language\n", "names more than 1,000 columns"),
        (b"url,language\n\xff\xfe\x00,th\n", "cannot be read as CSV"),
        ("x" * 2_000_000 + ",url,language\n", "names more than 1,000 columns"),
    ],
)
def test_a_table_that_cannot_be_used_is_named(tmp_path: Path, text: str | bytes, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        read_rows(saved(tmp_path, text), ("url", "language"))


def test_a_table_that_is_not_there_or_a_directory_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="there is no file"):
        read_rows(tmp_path / "absent.csv", ("url",))
    with pytest.raises(BadInput, match="cannot be read as CSV"):
        read_rows(tmp_path, ("url",))


@settings(max_examples=30)
@given(st.lists(st.integers(0, 5), max_size=30))
def test_the_position_of_a_link_counts_those_before_it_on_its_page(pages: list[int]) -> None:
    plain = [pages[:at].count(page) for at, page in enumerate(pages)]
    assert _positions(np.array(pages, dtype=np.int64)).tolist() == plain
