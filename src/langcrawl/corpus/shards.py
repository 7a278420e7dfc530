"""The files of a corpus: which documents go into which, and how each kind of file is written."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from gzip import GzipFile
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import zstandard

from langcrawl.corpus.duplicates import Decision, Numbers, kept_texts
from langcrawl.corpus.parts import Parts, read_part, room_expected
from langcrawl.corpus.schema import DOCUMENT, documents_only
from langcrawl.parallel import Progress, in_order

Write = Callable[[pa.Table], None]
Open = Callable[[Path], AbstractContextManager[Write]]
"""Opens a file of a corpus: a function that adds documents, until it is left."""
_ROWS = 2_000
"""Documents that are written at a time: a row group of Parquet."""
_GZIP_LEVEL, _ZSTD_LEVEL = 6, 9


class Shard(NamedTuple):
    """Documents that go into one file: rows of parts, with the number of each part's first."""

    path: Path
    pieces: Sequence[tuple[Path, int, Numbers]]


def write_shards(
    parts: Parts,
    decision: Decision,
    open_file: Open,
    names: Callable[[int, int], Path],
    shard_bytes: int | None,
    processes: int,
    progress: Progress,
) -> list[Path]:
    """Write the documents that stay; `names` gives a file its path, by its number and their sum."""
    pieces = _pieces(parts, decision, shard_bytes)
    shards = [Shard(names(number, len(pieces)), piece) for number, piece in enumerate(pieces)]
    work = partial(_write_shard, open_file=open_file, decision=decision)
    done, total = 0, max(int(np.count_nonzero(decision.stays)), 1)
    for count in in_order(work, shards, processes if len(shards) > 1 else 1):
        done += count
        progress(done, done / total, "written")
    return [shard.path for shard in shards]


def _pieces(
    parts: Parts, decision: Decision, shard_bytes: int | None
) -> list[list[tuple[Path, int, Numbers]]]:
    """The documents that stay, file by file; one is full once it has its size."""
    files: list[list[tuple[Path, int, Numbers]]] = [[]]
    first = size = 0
    for path in parts.files:
        texts = read_part(path, ["text"])["text"].combine_chunks()
        rows = np.flatnonzero(decision.stays[first : first + len(texts)])
        sizes = np.diff(np.frombuffer(texts.buffers()[1], np.int64)[: len(texts) + 1])[rows]
        while len(rows):
            ends = size + np.cumsum(sizes)
            full = np.searchsorted(ends, shard_bytes) + 1 if shard_bytes else len(rows)
            taken = min(int(full), len(rows))
            files[-1].append((path, first, rows[:taken]))
            size = int(ends[taken - 1])
            rows, sizes = rows[taken:], sizes[taken:]
            if shard_bytes and size >= shard_bytes:
                files.append([])
                size = 0
        first += len(texts)
    return files if files[-1] or len(files) == 1 else files[:-1]


def _write_shard(shard: Shard, open_file: Open, decision: Decision) -> int:
    """Write one file, and have it on the disk; how many documents are in it."""
    count = 0
    with room_expected():
        shard.path.parent.mkdir(parents=True, exist_ok=True)
        with open_file(shard.path) as write:
            for path, first, rows in shard.pieces:
                for table in _documents(path, first, rows, decision):
                    write(table)
                    count += table.num_rows
        with shard.path.open("rb") as file:
            os.fsync(file.fileno())
    return count


def _documents(path: Path, first: int, rows: Numbers, decision: Decision) -> Iterator[pa.Table]:
    """Some documents of a part as they go into the corpus, without paragraphs that are repeated."""
    part = documents_only(read_part(path)).replace_schema_metadata(None)
    texts = kept_texts(part["text"], first, decision.paragraphs, decision.first_paragraph)
    part = part.set_column(part.column_names.index("text"), DOCUMENT.field("text"), texts)
    lengths = pa.compute.utf8_length(texts).cast(pa.int64())
    part = part.set_column(
        part.column_names.index("characters"), DOCUMENT.field("characters"), lengths
    )
    for begin in range(0, len(rows), _ROWS):
        yield part.take(pa.array(rows[begin : begin + _ROWS]))


@contextmanager
def open_parquet(path: Path) -> Iterator[Write]:
    """Parquet; without Arrow's own schema, so that text is text to every reader."""
    with (
        path.open("wb") as file,
        pq.ParquetWriter(file, DOCUMENT, compression="zstd", store_schema=False) as writer,
    ):
        yield writer.write_table


@contextmanager
def open_json_zstd(path: Path) -> Iterator[Write]:
    """JSON lines, compressed with Zstandard."""
    packed = zstandard.ZstdCompressor(level=_ZSTD_LEVEL)
    with path.open("wb") as file, packed.stream_writer(file) as stream:
        yield partial(_write_json, stream)


@contextmanager
def open_json_gzip(path: Path) -> Iterator[Write]:
    """JSON lines, compressed with gzip; neither name nor time is in it."""
    with (
        path.open("wb") as file,
        GzipFile("", "wb", _GZIP_LEVEL, file, mtime=0) as stream,
    ):
        yield partial(_write_json, stream)


@contextmanager
def open_text(path: Path) -> Iterator[Write]:
    """Plain text: a line for each paragraph, an empty line between documents."""
    with path.open("wb") as file:
        yield partial(_write_text, file)


def _write_text(file: IO[bytes], table: pa.Table) -> None:
    for text in table["text"].to_pylist():
        file.write(f"{text}\n\n".encode())


def _write_json(stream: Any, table: pa.Table) -> None:
    for row in table.to_pylist():
        moment = row["fetched_at"]
        row["fetched_at"] = moment and moment.isoformat(timespec="milliseconds")
        stream.write(json.dumps(row, ensure_ascii=False).encode() + b"\n")
