"""The data card of a corpus, and what an export is asked for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from langcrawl.corpus.card import Card, settings, size_category, write_card
from langcrawl.corpus.duplicates import Rules
from langcrawl.corpus.export import Layout, Order, _nothing_left, layout_of
from langcrawl.corpus.quality import Filters
from langcrawl.corpus.schema import COLUMNS, DOCUMENT, PART
from langcrawl.errors import UsageError
from webs import P, write_web

REPORT: dict[str, Any] = {
    "documents": 1234, "characters": 5_000_000, "hosts": 7, "pages": 2000,
    "oldest": "2024-01-01T00:00:00+00:00", "newest": None,
    "languages": {"th": 1200, "": 30, "mn-Mong": 3, "und": 1}, "encodings": {"unicode": 1234},
    "dropped": {"short": 700, "near": 66},
    "paragraphs_dropped": {"repeated": 5, "other-language": 0}, "broken_records": 0,
}  # fmt: skip


def card_of(folder: Path, layout: Layout | None = None, **more: Any) -> str:
    order = Order((Path("crawl"),), "parquet", **more)
    layout = layout or Layout(folder / "thai.parquet", False, "parquet")
    write_card(folder / "card.md", layout, Card(order, "th", ["my|crawl", "b"], REPORT))
    return (folder / "card.md").read_text("utf-8")


def head_of(text: str) -> dict[str, Any]:
    _, head, _ = text.split("---\n", 2)
    found: dict[str, Any] = yaml.safe_load(head)
    return found


def test_the_head_is_what_hugging_face_reads(tmp_path: Path) -> None:
    head = head_of(card_of(tmp_path))
    assert head["language"] == ["mn", "th"]
    assert head["pretty_name"] == "thai"
    assert head["size_categories"] == ["1K<n<10K"]
    (config,) = head["configs"]
    assert config["data_files"] == [{"split": "train", "path": "thai.parquet"}]


def test_a_folder_of_files_is_named_by_its_pattern_and_its_crawl(tmp_path: Path) -> None:
    layout = Layout(tmp_path / 'say "ไทย"' / "corpus", True, "jsonl.zst")
    head = head_of(card_of(tmp_path, layout))
    assert head["pretty_name"] == 'say "ไทย"'
    (config,) = head["configs"]
    assert config["data_files"][0]["path"] == "data/train-*.jsonl.zst"


@pytest.mark.parametrize(
    ("documents", "category"),
    [
        (0, "n<1K"), (999, "n<1K"), (1000, "1K<n<10K"), (99_999, "10K<n<100K"),
        (10**6, "1M<n<10M"), (10**12, "100M<n<1B"),
    ],
)  # fmt: skip
def test_sizes_have_the_names_of_hugging_face(documents: int, category: str) -> None:
    assert size_category(documents) == category


def test_the_card_says_what_was_left_out_and_why(tmp_path: Path) -> None:
    text = card_of(tmp_path)
    assert "| short | 700 | fewer characters than `--min-chars` |" in text
    assert "Of 2,000 pages, for the first reason that held:" in text
    assert "5 paragraphs were left out because they stand on several pages" in text
    assert "- `my|crawl`" in text
    assert "downloaded between 2024-01-01T00:00:00+00:00 and unknown" in text
    assert "| unknown | 30 |" in text
    assert "could not be read" not in text


def test_every_column_is_explained_but_for_plain_text(tmp_path: Path) -> None:
    text = card_of(tmp_path)
    for name in DOCUMENT.names:
        assert f"| `{name}` |" in text
    assert set(COLUMNS) == set(DOCUMENT.names)
    assert set(PART.names) > set(DOCUMENT.names)
    plain = card_of(tmp_path, Layout(tmp_path / "thai.txt", False, "txt"))
    assert "## Columns" not in plain


def test_every_threshold_is_named_as_it_was() -> None:
    filters = Filters(0.5, 7, None, 0.0, None, ("a.org", "b.org"))
    rules = Rules("newest", False, None, None)
    order = Order((Path("x"),), "txt", filters=filters, rules=rules, judge="cld")
    found = dict(settings(Card(order, "", [], REPORT)))
    assert found["target"] == "none"
    assert found["judge"] == "cld"
    assert found["min score"] == "0.5"
    assert found["since"] == "1970-01-01T00:00:00+00:00"
    assert found["until"] == found["max chars"] == found["not hosts"] == "none"
    assert found["hosts"] == "a.org, b.org"
    assert found["exact duplicates left out"] == found["near-duplicates left out from"] == "no"
    assert found["kept of duplicates"] == "newest"
    for name in Filters.__slots__:
        assert name.replace("_", " ") in found


class TestLayout:
    """Where the files of a corpus go."""

    @pytest.fixture
    def crawl(self, tmp_path: Path) -> Path:
        return write_web(tmp_path / "crawl", {"a/": P("th")}, ["a/"])

    def test_a_bare_format_goes_into_the_crawl(self, crawl: Path) -> None:
        layout = layout_of(Order((crawl,), "parquet"))
        assert layout == Layout(crawl / "corpus", True, "parquet")
        assert layout.card == crawl / "corpus" / "README.md"
        assert layout.work == crawl / ".corpus.export"
        assert layout.name(3, 12) == "data/train-00003-of-00012.parquet"

    def test_a_file_has_its_card_beside_it(self) -> None:
        layout = layout_of(Order((Path("a"),), "jsonl.gz", Path("out/th.v1.jsonl.gz")))
        assert layout.card == Path("out/th.v1.README.md")
        assert not layout.is_folder

    def test_a_size_of_files_makes_a_folder_of_the_same_name(self) -> None:
        order = Order((Path("a"),), "parquet", Path("out/th.parquet"), shard_bytes=1000)
        assert layout_of(order) == Layout(Path("out/th"), True, "parquet")

    def test_archives_and_several_crawls_need_the_name_of_a_file(self, crawl: Path) -> None:
        archive = crawl.parent / "a.warc.gz"
        archive.touch()
        for given in ((archive,), (crawl, crawl)):
            with pytest.raises(UsageError, match=r"name a file: --to corpus\.txt"):
                layout_of(Order(given, "txt"))


def test_when_nothing_is_left_the_reasons_are_told_with_what_helps() -> None:
    from collections import Counter

    assert _nothing_left(Counter()).startswith("there is no page to export")
    told = _nothing_left(Counter(short=1200, near=3))
    assert "all 1,203 were left out (short 1,200, near 3)" in told
    assert "--min-chars 0 keeps them" in told
    assert "Loosen the filters" in _nothing_left(Counter({"no-text": 2}))
