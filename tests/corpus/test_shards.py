"""The files of a corpus: which documents go into which, and that each kind holds the same."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow.parquet as pq
import pytest
import zstandard
from hypothesis import example, given, settings
from hypothesis import strategies as st

from corpus.parts import Doc, parts_of
from langcrawl.corpus import shards
from langcrawl.corpus.duplicates import Rules, decide
from langcrawl.corpus.formats import FORMATS, read_target
from langcrawl.corpus.schema import DOCUMENT
from langcrawl.corpus.shards import (
    Open,
    open_json_gzip,
    open_json_zstd,
    open_parquet,
    open_text,
    write_shards,
)
from langcrawl.corpus.stats import corpus_files
from langcrawl.errors import BadInput, UnknownName
from langcrawl.parallel import silent

ALL = Rules(exact=False, near=None, site_repeats=None)
DOCUMENTS = [
    Doc("http://a/1", ("ภาษาไทย", 'quotes " and \\ and \t'), 0.25, 1_000),
    Doc("http://b/2", ("line one", "line two", "😀 \u200b"), 1.0, 0),
    Doc("http://b/3", ("x" * 300,), 0.5, 1_700_000_000_123),
]


def written(
    folder: Path,
    documents: list[Doc],
    open_file: Open,
    size: int | None = None,
    rules: Rules = ALL,
    at_a_time: int = 2,
) -> list[Path]:
    bundles = [documents[at : at + at_a_time] for at in range(0, len(documents), at_a_time)]
    parts = parts_of(folder / "work", *bundles)
    decision = decide(parts, rules, 1)

    def name(number: int, files: int) -> Path:
        return folder / f"{number}-of-{files}"

    return write_shards(parts, decision, open_file, name, size, 1, silent)


def test_every_kind_of_file_says_the_same(tmp_path: Path) -> None:
    (table,) = written(tmp_path / "p", DOCUMENTS, open_parquet)
    rows = pq.read_table(table).to_pylist()
    assert [row["text"] for row in rows] == [each.text for each in DOCUMENTS]
    assert [row["characters"] for row in rows] == [len(each.text) for each in DOCUMENTS]
    assert [row["score"] for row in rows] == [0.25, 1.0, 0.5]
    assert pq.read_schema(table).names == DOCUMENT.names
    (packed,) = written(tmp_path / "g", DOCUMENTS, open_json_gzip)
    (dense,) = written(tmp_path / "z", DOCUMENTS, open_json_zstd)
    with zstandard.open(dense, "rb") as stream:
        whole = stream.read()
    assert gzip.decompress(packed.read_bytes()) == whole
    lines = [json.loads(line) for line in whole.decode().splitlines()]
    for line, row in zip(lines, rows, strict=True):
        moment = row["fetched_at"]
        assert line == row | {"fetched_at": moment and moment.isoformat(timespec="milliseconds")}
    assert lines[2]["fetched_at"] == "2023-11-14T22:13:20.123+00:00"
    assert lines[1]["fetched_at"] is None
    assert "ภาษาไทย" in whole.decode()  # readable, not escaped
    (text,) = written(tmp_path / "t", DOCUMENTS, open_text)
    assert text.read_text("utf-8").split("\n\n")[:-1] == [each.text for each in DOCUMENTS]


@pytest.mark.parametrize("open_file", [open_json_gzip, open_json_zstd, open_parquet, open_text])
def test_the_same_documents_are_the_same_bytes(tmp_path: Path, open_file: Open) -> None:
    made = [written(tmp_path / name, DOCUMENTS, open_file)[0].read_bytes() for name in "ab"]
    assert made[0] == made[1]


@settings(max_examples=40)
@given(
    st.lists(st.integers(1, 40), min_size=1, max_size=12),
    st.integers(1, 100),
    st.sampled_from([1, 3, 100]),
)
@example([1, 1, 1], 3, 100)  # a file that is full to the byte takes no more
def test_files_are_full_but_the_last_and_hold_all_documents_in_order(
    lengths: list[int], size: int, at_a_time: int
) -> None:
    documents = [Doc(f"http://a/{n}", ("ก" * length,)) for n, length in enumerate(lengths)]
    with TemporaryDirectory() as folder:
        files = written(Path(folder), documents, open_text, size, at_a_time=at_a_time)
        found = [path.read_text("utf-8").split("\n\n")[:-1] for path in files]
        names = [path.name for path in files]
    assert [text for texts in found for text in texts] == [each.text for each in documents]
    assert names == [f"{n}-of-{len(files)}" for n in range(len(files))]
    for texts in found[:-1]:
        sizes = [len(text.encode()) for text in texts]
        assert sum(sizes) >= size > sum(sizes[:-1])
    assert found[-1]


def test_repeated_paragraphs_are_left_out_of_the_files_and_of_the_lengths(tmp_path: Path) -> None:
    documents = [Doc(f"http://a/{n}", (f"page {n}", "notice")) for n in range(3)]
    rules = Rules(exact=False, near=None, site_repeats=3)
    (path,) = written(tmp_path, documents, open_parquet, rules=rules)
    rows = pq.read_table(path).to_pylist()
    assert [row["text"] for row in rows] == ["page 0\nnotice", "page 1", "page 2"]
    assert [row["characters"] for row in rows] == [13, 6, 6]


def test_more_documents_than_are_written_at_a_time_are_all_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shards, "_ROWS", 2)
    documents = [Doc(f"http://a/{n}", (f"page {n}",)) for n in range(7)]
    told: list[tuple[int, float | None]] = []
    parts = parts_of(tmp_path / "work", documents)
    (path,) = write_shards(
        parts, decide(parts, ALL, 1), open_parquet, lambda *_: tmp_path / "c.parquet", None, 1,
        lambda done, share, *_: told.append((done, share)),
    )  # fmt: skip
    assert pq.ParquetFile(path).num_row_groups == 4
    assert pq.read_table(path)["url"].to_pylist() == [each.url for each in documents]
    assert told == [(7, 1.0)]


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_is_named_alone_or_by_the_ending_of_a_file(name: str) -> None:
    assert read_target(name) == (name, None)
    assert read_target(f"a.b/corpus.{name}") == (name, Path(f"a.b/corpus.{name}"))


@pytest.mark.parametrize("text", ["corpus", "corpus.csv", "jsonl", "parquet.old", ""])
def test_a_format_that_is_not_known_is_refused_with_those_that_are(text: str) -> None:
    with pytest.raises(UnknownName, match="the ending of the file says it") as refused:
        read_target(text)
    for name in FORMATS:
        assert f"corpus.{name}" in str(refused.value)


class TestFiles:
    """Which files make up a corpus."""

    def test_a_folder_stands_for_all_files_of_one_kind_below_it(self, tmp_path: Path) -> None:
        for name in ("data/2.parquet", "data/1.parquet", "README.md", "notes.txt"):
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_text("x")
        assert corpus_files(tmp_path) == [tmp_path / "data/1.parquet", tmp_path / "data/2.parquet"]

    @pytest.mark.parametrize("name", ["c.jsonl", "c.jsonl.gz", "c.jsonl.zst", "c.txt"])
    def test_a_file_is_known_by_its_name(self, tmp_path: Path, name: str) -> None:
        (tmp_path / name).write_text("x")
        assert corpus_files(tmp_path / name) == [tmp_path / name] == corpus_files(tmp_path)

    def test_what_is_no_corpus_is_said(self, tmp_path: Path) -> None:
        with pytest.raises(BadInput, match="holds no corpus"):
            corpus_files(tmp_path)
        with pytest.raises(BadInput, match="there is no corpus"):
            corpus_files(tmp_path / "absent.parquet")
        (tmp_path / "c.csv").write_text("x")
        with pytest.raises(BadInput, match="no corpus by its name"):
            corpus_files(tmp_path / "c.csv")
