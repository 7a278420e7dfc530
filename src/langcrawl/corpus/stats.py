"""What is in a corpus: sizes, where it comes from, its words and its most repeated lines.

Reads Parquet and JSON lines, ours or those of others, and plain text. DuckDB reads and groups;
words are split on all cores.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from langcrawl.config import FILE
from langcrawl.corpus.card import CORPUS
from langcrawl.corpus.units import UNITS, split_units, unit_of
from langcrawl.errors import BadInput
from langcrawl.parallel import Progress, cores, in_order, silent

_ENDINGS = (".parquet", ".jsonl", ".jsonl.zst", ".jsonl.gz", ".txt")
_BATCH = 256
"""Documents that a process is handed at a time."""
_POINTS = 100
"""Points of a curve."""
_SMALL = 2_000_000
"""Bytes of a corpus that are not worth several processes."""
GROUPS = ("language", "script", "encoding", "charset", "host", "month")
"""What documents are counted by, where the corpus says it."""
_TIMES = ("fetched_at", "timestamp", "time", "crawl_date", "date")
"""Columns that may say when a page was downloaded; the first that is there counts."""
_LONGEST_LINE = 200
_NO_DOCUMENT = "there is no document in '{}'."


@dataclass(frozen=True, slots=True)
class Group:
    """The documents that share a value."""

    name: str
    documents: int
    characters: int
    words: int


@dataclass(frozen=True, slots=True)
class Stats:
    """What a corpus linguist asks first."""

    corpus: str
    documents: int
    characters: int
    words: int
    unit: str
    """What most documents are counted in: words, syllables or graphemes."""
    units: dict[str, int]
    """How many documents are counted in which."""
    types: int
    lengths: dict[str, int]
    """Characters of the shortest, the median and the longest document, and of the quartiles."""
    groups: dict[str, list[Group]]
    distinct: dict[str, int]
    """How many values there are, of those that are grouped by."""
    type_token: list[tuple[int, int]]
    """How many different words the first so many words have."""
    rank_frequency: list[tuple[int, int, str]]
    """The place of a word by how often it is there, and that number."""
    zipf: float | None
    """The slope of that curve with both axes in logarithms; -1 is Zipf's law."""
    repeated_lines: list[tuple[str, int, int]]
    """Lines that are there most often: the line, how often, in how many documents."""

    def as_json(self) -> dict[str, Any]:
        by = {
            f"by_{name}": [
                {name: each.name, "documents": each.documents, "characters": each.characters,
                 "words": each.words}
                for each in groups
            ]
            for name, groups in self.groups.items()
        }  # fmt: skip
        return {
            "corpus": self.corpus,
            "documents": self.documents,
            "characters": self.characters,
            "words": self.words,
            "unit": self.unit,
            "units": self.units,
            "types": self.types,
            "type_token_ratio": self.types / self.words if self.words else None,
            "lengths": self.lengths,
            "distinct": self.distinct,
            **by,
            "zipf": self.zipf,
            "type_token": [{"words": words, "types": types} for words, types in self.type_token],
            "rank_frequency": [
                {"rank": rank, "frequency": frequency, "word": word}
                for rank, frequency, word in self.rank_frequency
            ],
            "repeated_lines": [
                {"line": line, "times": times, "documents": documents}
                for line, times, documents in self.repeated_lines
            ],
        }


def corpus_files(path: Path) -> list[Path]:
    """The files of a corpus: itself, or those below a folder, all of the same kind."""
    if (path / FILE).is_file():
        if not (path / CORPUS).is_dir():
            raise BadInput(
                f"the crawl in '{path}' has no corpus yet; make it with 'langcrawl export {path}'."
            )
        path = path / CORPUS
    if path.is_dir():
        below = sorted(each for each in path.rglob("*") if each.is_file())
        for ending in _ENDINGS:
            if files := [each for each in below if each.name.endswith(ending)]:
                return files
        raise BadInput(f"the folder '{path}' holds no corpus ({', '.join(_ENDINGS)}).")
    if not path.exists():
        raise BadInput(f"there is no corpus '{path}'; check the path.")
    if not path.name.endswith(_ENDINGS):
        raise BadInput(f"'{path}' is no corpus by its name; it must end in {', '.join(_ENDINGS)}.")
    return [path]


def measure_corpus(
    path: Path, text_column: str = "text", top: int = 10, progress: Progress = silent
) -> Stats:
    """Count what is in a corpus."""
    files = corpus_files(path)
    with duckdb.connect() as base:
        base.execute("SET enable_progress_bar = false; SET TimeZone = 'UTC'")
        try:
            columns = _open(base, files, path, text_column)
            counted = _count_words(base, files, columns, progress)
            progress(0, None, "counting lines")
            lines = _repeated_lines(base, top)
        except duckdb.Error as error:
            said = str(error).splitlines()[0]
            raise BadInput(f"'{path}' cannot be read ({said}); check the file.") from None
        if not counted.documents:
            raise BadInput(_NO_DOCUMENT.format(path))
        return _summary(base, str(path), counted, columns, lines, top)


def _open(
    base: duckdb.DuckDBPyConnection, files: Sequence[Path], path: Path, text_column: str
) -> list[str]:
    """Make the corpus a view with the columns that are known; their names."""
    names = [str(file) for file in files]
    if files[0].name.endswith(".txt"):
        base.register("given", pa.table({text_column: pa.array(_texts(files), pa.large_string())}))
    elif files[0].name.endswith(".parquet"):
        base.read_parquet(names, union_by_name=True).create_view("given")
    else:
        base.read_json(names, format="newline_delimited").create_view("given")  # type: ignore[arg-type]
    there = base.table("given").columns
    if text_column not in there and not base.table("given").limit(1).fetchall():
        raise BadInput(_NO_DOCUMENT.format(path))
    if text_column not in there:
        raise BadInput(
            f"'{path}' has no column '{text_column}', only {', '.join(there)}; name the one with "
            "the texts with --text-column."
        )
    chosen = {name: f'CAST("{name}" AS VARCHAR)' for name in GROUPS if name in there}
    if "host" not in chosen and "url" in there:
        chosen["host"] = "regexp_extract(CAST(url AS VARCHAR), '^[a-z]+://([^/?#]+)', 1)"
    if moment := next((name for name in _TIMES if name in there), ""):
        chosen["month"] = f'substr(CAST("{moment}" AS VARCHAR), 1, 7)'
    picked = "".join(f", {expression} AS {name}" for name, expression in chosen.items())
    base.execute(
        f"CREATE VIEW corpus AS SELECT coalesce(CAST(\"{text_column}\" AS VARCHAR), '') AS text"
        f"{picked} FROM given"
    )
    return list(chosen)


def _texts(files: Sequence[Path]) -> Iterator[str]:
    """The documents of plain text: an empty line stands between them."""
    for file in files:
        try:
            whole = file.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            raise BadInput(f"'{file}' is not text in UTF-8; convert it first.") from None
        yield from (text for text in whole.split("\n\n") if text.strip())


@dataclass(slots=True)
class _Counted:
    documents: int
    words: int
    units: Counter[str]
    frequencies: Counter[str]
    curve: list[tuple[int, int]]


def _count_words(
    base: duckdb.DuckDBPyConnection,
    files: Sequence[Path],
    columns: Sequence[str],
    progress: Progress,
) -> _Counted:
    """Split all texts into words, in order; their numbers become the table ``facts``."""
    size = sum(file.stat().st_size for file in files)
    picked = "".join(f", {name} VARCHAR" for name in columns)
    base.execute(f"CREATE TABLE facts (characters BIGINT, words BIGINT{picked})")
    ((total,),) = base.execute("SELECT count(*) FROM corpus").fetchall()
    batches: Any = base.sql("SELECT * FROM corpus").to_arrow_reader(_BATCH)
    counted = _Counted(0, 0, Counter(), Counter(), [(0, 0)])
    writer = base.cursor()
    for facts, units, words in in_order(_count, batches, cores() if size > _SMALL else 1):
        writer.register("batch", facts)
        writer.execute("INSERT INTO facts SELECT * FROM batch")
        counted.documents += facts.num_rows
        counted.words += sum(words.values())
        counted.units.update(units)
        counted.frequencies.update(words)
        counted.curve.append((counted.words, len(counted.frequencies)))
        progress(counted.documents, counted.documents / max(total, 1))
    return counted


def _count(batch: pa.RecordBatch) -> tuple[pa.Table, Counter[str], Counter[str]]:
    """In any process: the sizes of some documents, what they are counted in, and their words."""
    sizes: list[tuple[int, int]] = []
    units: Counter[str] = Counter()
    words: Counter[str] = Counter()
    for text in batch["text"].to_pylist():
        unit = unit_of(text)
        split = split_units(text, unit)
        units[unit] += 1
        words.update(split)
        sizes.append((len(text), len(split)))
    characters, counts = zip(*sizes, strict=True) if sizes else ((), ())
    others = {name: batch[name] for name in batch.schema.names if name != "text"}
    columns = {
        "characters": pa.array(characters, pa.int64()),
        "words": pa.array(counts, pa.int64()),
    }
    return pa.table(columns | others), units, words


def _repeated_lines(base: duckdb.DuckDBPyConnection, top: int) -> list[tuple[str, int, int]]:
    found = base.execute(
        "SELECT line, count(*) AS times, count(DISTINCT document) AS documents FROM (SELECT "
        "unnest(string_split(text, chr(10))) AS line, row_number() OVER () AS document "
        "FROM corpus) WHERE line <> '' GROUP BY line HAVING count(*) > 1 "
        f"ORDER BY times DESC, line LIMIT {top}"
    ).fetchall()
    return [(line[:_LONGEST_LINE], times, documents) for line, times, documents in found]


def _summary(
    base: duckdb.DuckDBPyConnection,
    corpus: str,
    counted: _Counted,
    columns: Sequence[str],
    lines: list[tuple[str, int, int]],
    top: int,
) -> Stats:
    groups: dict[str, list[Group]] = {}
    distinct: dict[str, int] = {}
    for name in (each for each in GROUPS if each in columns):
        order, most = ("name", 10_000) if name == "month" else ("documents DESC, name", top)
        rows = base.execute(
            f"SELECT coalesce({name}, '') AS name, count(*) AS documents, "
            "sum(characters)::BIGINT, sum(words)::BIGINT FROM facts "
            f"GROUP BY 1 ORDER BY {order} LIMIT {most}"
        ).fetchall()
        groups[name] = [Group(*row) for row in rows]
        ((distinct[name],),) = base.execute(
            f"SELECT count(DISTINCT coalesce({name}, '')) FROM facts"
        ).fetchall()
    (least,) = base.execute(
        "SELECT min(characters), quantile_disc(characters, [0.25, 0.5, 0.75]), max(characters), "
        "sum(characters)::BIGINT FROM facts"
    ).fetchall()
    names = ("shortest", "quarter", "median", "three_quarters", "longest")
    ranked = counted.frequencies.most_common()
    return Stats(
        corpus=corpus,
        documents=counted.documents,
        characters=least[3],
        words=counted.words,
        unit=max(UNITS, key=lambda unit: counted.units[unit]),
        units={unit: counted.units[unit] for unit in UNITS if counted.units[unit]},
        types=len(ranked),
        lengths=dict(zip(names, (least[0], *least[1], least[2]), strict=True)),
        groups=groups,
        distinct=distinct,
        type_token=_thinned(counted.curve),
        rank_frequency=[(at + 1, ranked[at][1], ranked[at][0]) for at in _places(len(ranked))],
        zipf=_slope([count for _, count in ranked]),
        repeated_lines=lines,
    )


def _thinned(curve: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Some points of a curve, its ends among them."""
    places = np.unique(np.linspace(0, len(curve) - 1, _POINTS).round().astype(int))
    return [curve[at] for at in places.tolist()]


def _places(count: int) -> list[int]:
    """Places of ranks that are drawn: all of the first ten, then evenly by their logarithm."""
    if not count:
        return []
    spread = np.geomspace(1, count, _POINTS).round().astype(int) - 1
    places: list[int] = np.unique(np.r_[np.arange(min(10, count)), spread]).tolist()
    return places


def _slope(frequencies: Sequence[int]) -> float | None:
    """The slope of frequencies over ranks, in logarithms, at ranks that are evenly spread there."""
    places = _places(len(frequencies))
    if len(places) < 3:
        return None
    ranks = [log(at + 1) for at in places]
    return float(np.polyfit(ranks, [log(frequencies[at]) for at in places], 1)[0])
