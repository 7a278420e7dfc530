"""The crawl log on disk: segments of three Parquet tables, written once, read by all.

A segment is a file of the same name in ``log/urls``, ``log/links`` and ``log/pages``,
written in that order and each renamed into place when complete. What has no file of pages
does not count, so a crawl that dies while writing leaves a log that ends one segment
earlier, never a broken one.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from langcrawl.errors import BrokenLog, NoSuchLog
from langcrawl.log.schema import ADDED, TABLES, as_now
from langcrawl.store.lost import sync_folder

OUTDATED = "outdated.json"
"""Which rows do not count any more, because the answer was lost and asked for again: by segment,
the ids of their pages. A page may then stand in the log twice, and the later row counts."""
_NEVER_NULL = {
    "urls": ("id", "url", "host"), "pages": ("id", "status"), "links": ("src", "dst"),
}  # fmt: skip
"""What every row must say."""
_PAGE_OF = {"pages": "id", "links": "src"}
"""The column that names the page to which a row belongs."""


def segments(directory: Path) -> list[str]:
    """The names of the complete segments of a crawl's log, in order."""
    return sorted(path.name for path in (directory / "log" / "pages").glob("*.parquet"))


def write_segment(directory: Path, number: int, tables: dict[str, pa.Table]) -> None:
    """Write one segment; it counts from the moment its pages are in place."""
    for name in TABLES:
        folder = directory / "log" / name
        folder.mkdir(parents=True, exist_ok=True)
        write_file(folder / f"{number:06}.parquet", tables[name])
        sync_folder(folder)


def write_file(path: Path, table: pa.Table) -> None:
    """Write one file of a log, in place of what is there, whole or not at all."""
    draft = path.with_suffix(".tmp")
    # Without Arrow's own schema a column of words is text to every reader.
    with draft.open("wb") as file:
        pq.write_table(table, file, compression="zstd", store_schema=False)
        file.flush()
        os.fsync(file.fileno())  # once renamed, it is whole, even if the power fails
    draft.replace(path)


def outdated(directory: Path) -> dict[str, list[int]]:
    """The pages whose rows in a segment do not count any more, by the name of the segment."""
    path = directory / "log" / OUTDATED
    try:
        found = json.loads(path.read_bytes())
        return {str(name): [int(page) for page in pages] for name, pages in found.items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise BrokenLog(
            f"'{path}' cannot be read ({error}); 'langcrawl recover {directory} --rebuild' makes "
            "the log anew from the archive."
        ) from None


def mark_outdated(directory: Path, pages: Mapping[str, Sequence[int]]) -> None:
    """Have rows count no more; as long as no later ones are there, the pages are not in the log."""
    known = outdated(directory)
    for name, more in pages.items():
        known[name] = sorted({*known.get(name, ()), *more})
    _write_outdated(directory, known)


def _write_outdated(directory: Path, known: Mapping[str, Sequence[int]]) -> None:
    draft = directory / "log" / f"{OUTDATED}.tmp"
    with draft.open("w", encoding="utf-8") as file:
        json.dump({name: pages for name, pages in known.items() if pages}, file)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(directory / "log" / OUTDATED)


def remove_pages(directory: Path, segment: str, gone: Collection[int]) -> None:
    """Write a segment anew without the rows of these pages, whether they count or not."""
    for name, column in _PAGE_OF.items():
        path = directory / "log" / name / segment
        table = _read_columns(path, TABLES[name].names)
        kept = without(table, column, gone)
        if len(kept) < len(table):
            write_file(path, kept)
    known = outdated(directory)
    if left := set(known.get(segment, ())).intersection(gone):
        _write_outdated(directory, known | {segment: sorted({*known[segment]} - left)})


def read_table(directory: Path, name: str, columns: list[str] | None = None) -> pa.Table:
    """One of the three tables of a log, all its segments together."""
    names = segments(directory)
    if not names:
        raise NoSuchLog(
            f"the crawl in '{directory}' has no log yet; run 'langcrawl crawl {directory}' first."
        )
    return pa.concat_tables([_read_file(directory / "log" / name / n, columns) for n in names])


def segment_sizes(directory: Path) -> dict[str, int]:
    """The complete segments of a crawl's log, in order, with the bytes of their pages."""
    folder = directory / "log" / "pages"
    return {name: (folder / name).stat().st_size for name in segments(directory)}


def read_batches(
    directory: Path, name: str, columns: list[str], names: Sequence[str] | None = None
) -> Iterator[pa.Table]:
    """One of the three tables of a log, a segment at a time: of all, or of those named."""
    for segment in segments(directory) if names is None else names:
        yield _read_file(directory / "log" / name / segment, columns)


def read_urls(directory: Path, columns: list[str]) -> pa.Table:
    """The URLs of a log, whose ids must be 0, 1, 2, ... without a gap."""
    table = read_table(directory, "urls", ["id", *columns])
    if not np.array_equal(table["id"].to_numpy(), np.arange(table.num_rows)):
        raise BrokenLog(
            f"the ids in '{directory}/log/urls' are not 0, 1, 2, ... in order; a segment of the "
            "log is missing, so put it back or move the later ones out of the log."
        )
    return table


def _read_file(path: Path, columns: list[str] | None) -> pa.Table:
    """A file of a log, without the rows that do not count any more."""
    name = path.parent.name
    wanted = columns or TABLES[name].names
    gone = outdated(path.parents[2]).get(path.name) if name in _PAGE_OF else None
    if not gone:
        return _read_columns(path, wanted)
    page = _PAGE_OF[name]
    table = _read_columns(path, list(dict.fromkeys([*wanted, page])))
    return without(table, page, gone).select(wanted)


def without(table: pa.Table, column: str, ids: Iterable[int]) -> pa.Table:
    """A table without the rows of these ids."""
    return table.filter(pa.array(~np.isin(table[column].to_numpy(), np.array([*ids], np.int64))))


def _read_columns(path: Path, wanted: list[str]) -> pa.Table:
    name = path.parent.name
    try:
        # `pq.read_table` would load pyarrow's datasets, which takes longer than a small log.
        with pq.ParquetFile(path) as file:
            there = file.schema_arrow.names
            missing = set(wanted).difference(there)
            if not missing and not ADDED[name].difference(there):
                return _sound(name, file.read(wanted).select(wanted))
            if missing <= ADDED[name]:  # of an earlier version that could not be converted
                old = file.read(_old_names(wanted, there))
                return _sound(name, as_now(name, old).select(wanted))
        problem = f"has no column '{min(missing - ADDED[name])}'"
    except FileNotFoundError:
        problem = "is missing"
    except (pa.ArrowException, OSError, KeyError, ValueError) as error:
        problem = f"is cut short or damaged ({_clean(error)})"
    raise _broken(path, problem)


def columns_of(path: Path) -> set[str]:
    """The columns that a file of a log has."""
    try:
        return set(pq.read_schema(path).names)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise _broken(path, f"is cut short or damaged ({_clean(error)})") from None


def _broken(path: Path, problem: str) -> BrokenLog:
    remedy = (
        "move the files of that name and of later ones out of log/urls, log/links and log/pages"
    )
    return BrokenLog(f"the log file '{path}' {problem}; to use what came before it, {remedy}.")


def _sound(name: str, table: pa.Table) -> pa.Table:
    """A table whose columns are of the kinds that they should be; raises an Arrow error if not.

    Words may be kept as a dictionary. What must be known of a row is.
    """
    for field in table.schema:
        wanted, found = TABLES[name].field(field.name).type, field.type
        plain = found.value_type if pa.types.is_dictionary(found) else found
        if plain != wanted:
            table = table.set_column(
                table.schema.get_field_index(field.name), field.name, table[field.name].cast(wanted)
            )
        if field.name in _NEVER_NULL[name] and table[field.name].null_count:
            raise pa.ArrowInvalid(f"a row has no {field.name}")
    table.validate(full=True)
    return table


def _old_names(wanted: Sequence[str], there: Sequence[str]) -> list[str]:
    """What to read of a file of version 0.1, whose `reason` is what `found_by` is now."""
    names = ["reason" if name == "found_by" else name for name in wanted]
    return [name for name in dict.fromkeys(names) if name in there]


def _clean(error: Exception) -> str:
    return str(error).split(". ")[0].splitlines()[0].rstrip(".")
