"""Import of a web given as two CSV files: pages with their languages, and links."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from langcodes import tag_is_valid
from pyarrow import csv

from langcrawl.config import FILE, CrawlConfig
from langcrawl.errors import BadInput
from langcrawl.languages import parse_tag
from langcrawl.records import UNKNOWN
from langcrawl.url import Resolver, canonical, host_of
from langcrawl.virtualweb.log import write_segment
from langcrawl.virtualweb.schema import TABLES


class Imported(NamedTuple):
    """What an import took in, and what it had to leave out."""

    pages: int
    links: int
    urls: int
    relevant: int
    bad_pages: int
    repeated_pages: int
    bad_links: int
    bad_languages: int
    """Pages whose language is no tag, so that it counts as unknown."""


def import_csv(directory: Path, pages: Path, links: Path | None, config: CrawlConfig) -> Imported:
    """Make a crawl directory of ``pages.csv`` and ``links.csv``.

    Rows keep their order; of a repeated page the first counts; rows without a usable URL
    are left out and counted.
    """
    if (directory / FILE).exists():
        raise BadInput(f"'{directory}' already holds a crawl; choose a new directory.")
    page_rows = _read(pages, ("url", "language"))
    link_rows = _read(links, ("src", "dst")) if links else pa.table({"src": [], "dst": []})
    numbers = _Numbers(page_rows, link_rows)
    page_table, bad_pages, repeated = _pages(page_rows, numbers, config)
    link_table = _links(link_rows, numbers)
    urls = {
        "id": np.arange(len(numbers.urls)),
        "url": numbers.urls,
        "host": [host_of(url) for url in numbers.urls],
    }
    tables = {
        "urls": pa.table(urls, schema=TABLES["urls"]),
        "pages": page_table,
        "links": link_table,
    }
    write_segment(directory, 0, tables)
    config.save(directory)
    return Imported(
        pages=page_table.num_rows,
        links=link_table.num_rows,
        urls=len(numbers.urls),
        relevant=pc.sum(page_table["relevant"]).as_py() or 0,
        bad_pages=bad_pages,
        repeated_pages=repeated,
        bad_links=link_rows.num_rows - link_table.num_rows,
        bad_languages=sum(_is_no_tag(text) for text in page_rows["language"].to_pylist()),
    )


def _read(path: Path, required: tuple[str, ...]) -> pa.Table:
    """A CSV file as a table of strings."""
    try:
        with csv.open_csv(path) as reader:
            names = reader.schema.names
        missing = [name for name in required if name not in names]
        if missing:
            raise BadInput(
                f"'{path}' has no column '{missing[0]}'; its first line should begin with "
                f"{','.join(required)}."
            )
        if len(set(names)) != len(names):
            raise BadInput(f"'{path}' has a column twice in its first line.")
        return csv.read_csv(
            path,
            read_options=csv.ReadOptions(block_size=1 << 26),
            parse_options=csv.ParseOptions(newlines_in_values=True),
            convert_options=csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False
            ),
        )
    except FileNotFoundError:
        raise BadInput(f"there is no file '{path}'.") from None
    except (pa.ArrowInvalid, OSError) as error:
        first = str(error).splitlines()[0]
        raise BadInput(f"'{path}' is no CSV file that can be read: {first}.") from None


def _is_no_tag(text: str) -> bool:
    return bool(text.strip()) and text.strip() != UNKNOWN and not tag_is_valid(text.strip())


class _Numbers:
    """Dense URL ids in order of appearance, pages first; -1 for what is no URL."""

    def __init__(self, pages: pa.Table, links: pa.Table) -> None:
        columns = [pages["url"], links["src"], links["dst"]]
        if "redirect" in pages.column_names:
            columns.append(_absolute(pages["url"], pages["redirect"]))
        chunks = [chunk.cast(pa.string()) for column in columns for chunk in column.chunks]
        seen = pa.chunked_array(chunks, pa.string()).combine_chunks().dictionary_encode()
        ids: dict[str, int] = {}
        final = []
        for text in seen.dictionary.to_pylist():
            url = canonical(text)
            final.append(-1 if url is None else ids.setdefault(url, len(ids)))
        self.urls = list(ids)
        numbers = np.array(final, dtype=np.int64)[seen.indices.to_numpy()]
        ends = np.cumsum([len(column) for column in columns])
        parts = np.split(numbers, ends[:-1])
        self.page, self.src, self.dst = parts[:3]
        self.redirect = parts[3] if len(parts) > 3 else np.full(pages.num_rows, -1)


def _absolute(urls: pa.ChunkedArray, redirects: pa.ChunkedArray) -> pa.ChunkedArray:
    """Redirects that may be relative to their page, as URLs; empty where there is none."""
    found = []
    for url, redirect in zip(urls.to_pylist(), redirects.to_pylist(), strict=True):
        page = canonical(url) if redirect.strip() else None
        target = Resolver(page)(redirect) if page else ""
        if target is None:
            raise BadInput(f"the redirect '{redirect}' of {url} is no URL; mend or empty it.")
        found.append(target)
    return pa.chunked_array([pa.array(found, pa.string())])


def _pages(rows: pa.Table, numbers: _Numbers, config: CrawlConfig) -> tuple[pa.Table, int, int]:
    """The pages of the log, and how many rows were bad or repeated."""
    usable = np.flatnonzero(numbers.page >= 0)
    _, first = np.unique(numbers.page[usable], return_index=True)
    keep = usable[np.sort(first)]
    rows, ids, redirect = rows.take(pa.array(keep)), numbers.page[keep], numbers.redirect[keep]
    target = parse_tag(config.lang)
    said = rows["language"].combine_chunks().dictionary_encode()
    tags = [parse_tag(text) for text in said.dictionary.to_pylist()]
    place = said.indices.to_numpy()
    language = np.array([str(tag) for tag in tags], dtype=object)[place]
    matching = np.array([target.matches(str(tag)) for tag in tags], dtype=bool)[place]
    status = _number(rows, "status", pa.int16(), 0, 999).to_pylist()
    status = [
        (301 if to >= 0 else 200) if code is None else code
        for code, to in zip(status, redirect, strict=True)
    ]
    answered = (np.array(status) == 200) & (redirect < 0)
    columns = {name: pa.nulls(len(keep), TABLES["pages"].field(name).type)
               for name in TABLES["pages"].names}  # fmt: skip
    columns |= {
        "id": pa.array(ids),
        "status": pa.array(status, pa.int16()),
        "redirect": pa.array(redirect, mask=redirect < 0),
        "bytes": pc.fill_null(_number(rows, "bytes", pa.int64(), 0, 1 << 62), 0),
        "language": pa.array(np.where(answered, language, UNKNOWN), pa.string()),
        "score": _number(rows, "score", pa.float64(), 0, 1),
        "relevant": pa.array(matching & answered),
    }
    table = pa.table(columns, schema=TABLES["pages"])
    bad = len(numbers.page) - len(usable)
    return table, bad, len(usable) - len(keep)


def _number(rows: pa.Table, name: str, kind: pa.DataType, least: int, most: int) -> pa.Array:
    """An optional column of numbers; an empty cell is null."""
    if name not in rows.column_names:
        return pa.nulls(rows.num_rows, kind)
    column = pc.utf8_trim_whitespace(rows[name].combine_chunks())
    filled = pc.if_else(pc.equal(column, ""), pa.scalar(None, pa.string()), column)
    try:
        numbers = pc.cast(filled, kind)
    except pa.ArrowInvalid as error:
        raise BadInput(f"the column '{name}' should hold numbers: {error}.") from None
    inside = pc.and_(pc.greater_equal(numbers, least), pc.less_equal(numbers, most))
    if not pc.all(pc.fill_null(inside, True)).as_py():
        raise BadInput(f"the column '{name}' should hold numbers from {least} to {most}.")
    return numbers


def _links(rows: pa.Table, numbers: _Numbers) -> pa.Table:
    """The links of the log, with their positions on their pages."""
    keep = np.flatnonzero((numbers.src >= 0) & (numbers.dst >= 0))
    src = numbers.src[keep]
    columns = {name: pa.nulls(len(keep), TABLES["links"].field(name).type)
               for name in TABLES["links"].names}  # fmt: skip
    columns |= {
        "src": pa.array(src),
        "dst": pa.array(numbers.dst[keep]),
        "position": pa.array(_positions(src), pa.int32()),
        "nofollow": pa.array(np.zeros(len(keep), dtype=bool)),
    }
    if "anchor" in rows.column_names:
        columns["anchor"] = rows["anchor"].take(pa.array(keep)).combine_chunks()
    return pa.table(columns, schema=TABLES["links"])


def _positions(src: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """For each link, how many links of the same page stand before it."""
    order = np.argsort(src, kind="stable")
    ranks = np.arange(len(src))
    ordered = src[order]
    starts = np.concatenate([np.ones(min(1, len(src)), dtype=bool), ordered[1:] != ordered[:-1]])
    positions = np.empty(len(src), dtype=np.int64)
    positions[order] = ranks - np.maximum.accumulate(np.where(starts, ranks, 0))
    return positions
