"""``langcrawl stats``, and who else can open what ``langcrawl export`` writes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from conftest import Cli
from corpus.pages import archive, html, sentences
from langcrawl.corpus.units import split_units, unit_of

PAGES = {f"http://{n % 3}.example/{n}": html([*sentences(n), "เมนูหลักของเว็บ"]) for n in range(9)}


@pytest.fixture
def corpus(cli: Cli, tmp_path: Path) -> Path:
    archive(tmp_path / "a.warc.gz", PAGES)
    words = ("--lang", "th", "--to", "c.parquet", "--shard-size", "3kB")
    assert cli("export", "a.warc.gz", *words).returncode == 0
    return tmp_path / "c"


def counted(cli: Cli, *words: str | Path) -> dict[str, object]:
    done = cli("stats", *words, "--json")
    assert done.returncode == 0, done.stderr
    found: dict[str, object] = json.loads(done.stdout)
    return found


def test_a_process_of_its_own_says_no_more_than_what_it_counted(
    cold_cli: Cli, corpus: Path
) -> None:
    """The copies of one process that other tests use end before libraries could complain."""
    done = cold_cli("stats", corpus)
    assert done.returncode == 0
    assert done.stdout.startswith("9 documents with ")
    assert done.stderr == ""


def test_a_folder_of_shards_is_counted_as_a_whole(cli: Cli, corpus: Path) -> None:
    texts = [
        text
        for path in sorted((corpus / "data").iterdir())
        for text in pq.read_table(path)["text"].to_pylist()
    ]
    found = counted(cli, "c")
    assert found["documents"] == 9
    assert found["characters"] == sum(map(len, texts))
    units = [split_units(text, "graphemes") for text in texts]
    assert found["unit"] == "graphemes"
    assert found["words"] == sum(map(len, units))
    assert found["types"] == len({unit for each in units for unit in each})
    assert found["by_host"] == [
        {
            "host": f"{n}.example",
            "documents": 3,
            "characters": sum(len(t) for at, t in enumerate(texts) if at % 3 == n),
            "words": sum(len(u) for at, u in enumerate(units) if at % 3 == n),
        }
        for n in range(3)
    ]
    assert found["repeated_lines"] == [{"line": "เมนูหลักของเว็บ", "times": 9, "documents": 9}]
    curve = found["type_token"]
    assert isinstance(curve, list)
    assert curve[-1] == {"words": found["words"], "types": found["types"]}
    ranks = found["rank_frequency"]
    assert isinstance(ranks, list)
    assert [each["frequency"] for each in ranks] == sorted(
        (each["frequency"] for each in ranks), reverse=True
    )


def test_formats_are_counted_alike(cli: Cli, tmp_path: Path) -> None:
    archive(tmp_path / "a.warc.gz", PAGES)
    found = []
    for ending in ("parquet", "jsonl.zst", "jsonl.gz", "txt"):
        assert cli("export", "a.warc.gz", "--lang", "th", "--to", f"c.{ending}").returncode == 0
        found.append(counted(cli, f"c.{ending}"))
    keys = ("documents", "characters", "words", "types", "repeated_lines")
    assert all([each[key] for key in keys] == [found[0][key] for key in keys] for each in found)
    for key in ("by_language", "by_month", "by_charset"):
        assert found[0][key] == found[1][key] == found[2][key]
    assert "by_language" not in found[3]


def test_a_crawl_stands_for_its_corpus(cli: Cli, tmp_path: Path) -> None:
    file = archive(tmp_path / "a.warc.gz", PAGES)
    assert cli("import", "web", "--warc", file, "--lang", "th").returncode == 0
    done = cli("stats", "web")
    assert done.returncode == 1
    assert "'langcrawl export web'" in done.stderr
    assert cli("export", "web").returncode == 0
    assert counted(cli, "web")["documents"] == 9


def test_a_report_with_charts_and_a_picture_are_written(cli: Cli, corpus: Path) -> None:
    done = cli("stats", "c", "--report", "r.html", "--plot", "p.svg")
    assert done.returncode == 0
    assert done.stdout.startswith("9 documents with ")
    page = (corpus.parent / "r.html").read_text("utf-8")
    for words in ("Most repeated lines", "chart-type_token", "chart-rank_frequency", "0.example"):
        assert words in page
    assert (corpus.parent / "p.svg").read_text("utf-8").startswith("<svg")


def test_a_corpus_of_others_is_counted_by_the_column_that_is_named(
    cli: Cli, tmp_path: Path
) -> None:
    table = pa.table({"content": ["one two two", "three"], "url": ["http://a/1", "https://b/2"]})
    pq.write_table(table, tmp_path / "o.parquet")
    done = cli("stats", "o.parquet")
    assert done.returncode == 1
    assert "has no column 'text', only content, url" in done.stderr
    found = counted(cli, "o.parquet", "--text-column", "content")
    assert (found["words"], found["types"], found["unit"]) == (4, 3, "words")
    assert [each["host"] for each in found["by_host"]] == ["a", "b"]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("absent.parquet", None, "there is no corpus"),
        ("c.csv", b"a,b", "is no corpus by its name"),
        ("c.parquet", b"PAR1 this is none", "cannot be read"),
        ("c.jsonl", b'{"text": ', "cannot be read"),
        ("c.jsonl.gz", b"not packed", "cannot be read"),
        ("c.txt", b"\xff\xfe\xfa", "is not text in UTF-8"),
        ("e.txt", b"", "there is no document"),
    ],
)
def test_what_cannot_be_counted_is_said_in_a_sentence(
    cli: Cli, tmp_path: Path, name: str, data: bytes | None, says: str
) -> None:
    if data is not None:
        (tmp_path / name).write_bytes(data)
    done = cli("stats", name)
    assert done.returncode == 1
    assert says in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("text", "unit", "split"),
    [
        ("The cat's hat, 42 naïve cats.", "words", ["the", "cat's", "hat", "42", "naïve", "cats"]),
        ("हिन्दी में लिखा", "words", ["हिन्दी", "में", "लिखा"]),
        ("ที่น้ำ ok", "graphemes", ["ที่", "น้ำ", "ok"]),
        ("日本語の文 text", "graphemes", ["日", "本", "語", "の", "文", "text"]),
        ("ខ្មែរ", "graphemes", ["ខ្មែ", "រ"]),
        ("မြန်မာစာ", "syllables", ["မြန်", "မာ", "စာ"]),
        ("བོད་ཡིག", "syllables", ["བོད", "ཡིག"]),
        ("", "words", []),
    ],
)
def test_text_is_counted_in_what_its_script_parts(text: str, unit: str, split: list[str]) -> None:
    assert unit_of(text) == unit
    assert split_units(text, unit) == split


def test_duckdb_pandas_and_polars_open_the_shards(corpus: Path) -> None:
    pattern = str(corpus / "data" / "*.parquet")
    ((count,),) = duckdb.sql(f"SELECT count(*) FROM '{pattern}'").fetchall()
    frame = pd.read_parquet(corpus / "data")
    lazy = pl.read_parquet(pattern)
    assert count == len(frame) == lazy.height == 9
    assert frame["text"].tolist() == lazy["text"].to_list()
    assert str(frame["fetched_at"].dtype).startswith("datetime64")


def test_hugging_face_datasets_opens_the_folder_by_its_card(corpus: Path) -> None:
    code = (
        "import sys; from datasets import load_dataset; "
        "found = load_dataset(sys.argv[1], split='train'); "
        "print(found.num_rows, sorted(found.column_names) == sorted(found[0]))"
    )
    environment = {
        **os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(corpus.parent / "hf"),
        "HF_HUB_DISABLE_TELEMETRY": "1",
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", code, str(corpus)], env=environment, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[:2] == ["9", "True"]
