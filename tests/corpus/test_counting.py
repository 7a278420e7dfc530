"""What is in a corpus, counted: against plain counts, for every kind of file and none at all."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from langcrawl.corpus.stats import Group, Stats, _places, _slope, _thinned, measure_corpus
from langcrawl.corpus.stats_report import charts, lead, tables
from langcrawl.corpus.units import split_units, unit_of
from langcrawl.errors import BadInput

TEXTS = ["the cat and the dog", "the end\nmenu", "สวัสดี ครับ\nmenu", "menu\nmenu"]
ROWS = [
    {"text": text, "url": f"https://{host}/x?y", "language": language, "fetched_at": when}
    for text, host, language, when in zip(
        TEXTS, ["a.org", "b.org:80", "a.org", "a.org"], ["en", "en", "th", None],
        ["2024-05-01T10:00:00", "2024-06-01", "2024-05-09", None], strict=True,
    )
]  # fmt: skip


def written(folder: Path, ending: str, rows: list[dict[str, object]] = ROWS) -> Path:
    path = folder / f"c.{ending}"
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    if ending == "parquet":
        pq.write_table(pa.Table.from_pylist(rows), path)
    elif ending == "jsonl":
        path.write_text(lines)
    elif ending == "jsonl.gz":
        path.write_bytes(gzip.compress(lines.encode()))
    else:
        path.write_text("".join(f"{row['text']}\n\n" for row in rows))
    return path


@pytest.mark.parametrize("ending", ["parquet", "jsonl", "jsonl.gz", "txt"])
def test_documents_characters_and_words_are_plain_counts(tmp_path: Path, ending: str) -> None:
    found = measure_corpus(written(tmp_path, ending))
    words = [split_units(text, unit_of(text)) for text in TEXTS]
    assert found.documents == 4
    assert found.characters == sum(map(len, TEXTS))
    assert found.words == sum(map(len, words))
    assert found.types == len({word for each in words for word in each})
    assert found.units == {"words": 3, "graphemes": 1}
    assert found.unit == "words"
    assert found.repeated_lines == [("menu", 4, 3)]
    ranked = Counter(word for each in words for word in each).most_common()
    assert [times for _, times, _ in found.rank_frequency] == [times for _, times in ranked]
    assert found.rank_frequency[0][::2] == (1, ranked[0][0])
    assert found.lengths["shortest"] == min(map(len, TEXTS))
    assert found.lengths["longest"] == max(map(len, TEXTS))


def test_groups_are_by_what_the_corpus_says(tmp_path: Path) -> None:
    found = measure_corpus(written(tmp_path, "jsonl"))
    assert {group.name: group.documents for group in found.groups["host"]} == {
        "a.org": 3, "b.org:80": 1,
    }  # fmt: skip
    assert {group.name: group.documents for group in found.groups["month"]} == {
        "": 1, "2024-05": 2, "2024-06": 1,
    }  # fmt: skip
    assert [group.name for group in found.groups["month"]] == ["", "2024-05", "2024-06"]
    assert found.groups["language"][0] == Group("en", 2, 31, 8)
    for name, groups in found.groups.items():
        assert sum(group.documents for group in groups) == 4, name
        assert sum(group.words for group in groups) == found.words
    assert "script" not in found.groups


def test_only_the_first_groups_are_listed_and_all_are_counted(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [{"text": "x", "host": f"h{n % 30}.org"} for n in range(60)]
    found = measure_corpus(written(tmp_path, "jsonl", rows), top=5)
    assert len(found.groups["host"]) == 5
    assert found.distinct["host"] == 30
    (hosts,) = [table for table in tables(found) if table.name == "host"]
    assert hosts.title == "By host, the first 5 of 30"


def test_another_column_may_hold_the_texts(tmp_path: Path) -> None:
    path = written(tmp_path, "parquet", [{"content": "one two"}, {"content": None}])
    found = measure_corpus(path, text_column="content")
    assert (found.documents, found.words) == (2, 2)
    with pytest.raises(BadInput, match="has no column 'text', only content"):
        measure_corpus(path)


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("c.parquet", b"PAR1", "cannot be read"),
        ("c.jsonl", b"{", "cannot be read"),
        ("c.txt", b"\xff\xff", "is not text in UTF-8"),
        ("c.txt", b"\n\n \n\n", "there is no document"),
        ("c.jsonl", b"", "there is no document"),
    ],
)
def test_what_cannot_be_counted_is_said(tmp_path: Path, name: str, data: bytes, words: str) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(BadInput, match=words):
        measure_corpus(tmp_path / name)


def test_tables_and_charts_show_every_group_and_the_lead_the_size(tmp_path: Path) -> None:
    found: Stats = measure_corpus(written(tmp_path, "jsonl"))
    drawn, shown = charts(found), tables(found)
    assert {table.name for table in shown} == {
        "language", "host", "month", "rank_frequency", "type_token", "repeated_lines",
    }  # fmt: skip
    assert set(drawn) == {"language", "host", "month", "type_token", "rank_frequency"}
    assert lead(found).startswith(f"4 documents with {found.characters} characters and ")
    (languages,) = [table for table in shown if table.name == "language"]
    assert languages.rows[0][:2] == ["en", "2"]
    assert languages.rows[-1][0] in ("th", "unknown")
    for chart in drawn.values():
        assert chart.to_dict()["data"]


@given(st.integers(0, 100_000))
def test_places_of_ranks_begin_with_the_first_ten_and_end_with_the_last(count: int) -> None:
    places = _places(count)
    assert places == sorted(set(places))
    assert len(places) <= 110
    if count:
        assert places[: min(10, count)] == list(range(min(10, count)))
        assert places[-1] == count - 1


@given(st.lists(st.tuples(st.integers(), st.integers()), min_size=1, max_size=400))
def test_a_thinned_curve_keeps_its_ends(curve: list[tuple[int, int]]) -> None:
    thin = _thinned(curve)
    assert (thin[0], thin[-1]) == (curve[0], curve[-1])
    assert len(thin) <= 100
    if len(curve) <= 100:
        assert thin == curve


def test_frequencies_by_zipfs_law_have_a_slope_of_minus_one() -> None:
    assert _slope([round(1e9 / rank) for rank in range(1, 5000)]) == pytest.approx(-1, abs=0.01)
    assert _slope([7] * 100) == pytest.approx(0, abs=1e-9)
    assert _slope([3, 1]) is None
