"""Import of a web given as two CSV files: pages with their languages, and links."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from langcodes import tag_is_valid

from langcrawl.config import CrawlConfig
from langcrawl.errors import BadInput
from langcrawl.importers.csv_rows import Rows, read_rows
from langcrawl.languages import parse_targets
from langcrawl.languages.find import tag_or_unknown
from langcrawl.log.schema import log_table
from langcrawl.log.segments import write_segment
from langcrawl.records import UNKNOWN
from langcrawl.store.draft import new_crawl
from langcrawl.url import Resolver, canonical, host_of

_ENDS = ("src", "dst")
_NO_LINKS = Rows(pa.table({name: pa.array([], pa.string()) for name in _ENDS}), 0)


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
    with new_crawl(directory, config) as draft:
        page_rows, broken_pages = read_rows(pages, ("url", "language"))
        link_rows, broken_links = _NO_LINKS if links is None else read_rows(links, ("src", "dst"))
        if "language" not in page_rows.column_names:
            unknown = pa.repeat(UNKNOWN, page_rows.num_rows)
            page_rows = page_rows.append_column("language", unknown)
        numbers = _Numbers(page_rows, link_rows)
        page_table, bad_pages, repeated = _pages(page_rows, numbers, config)
        link_table = _links(link_rows, numbers)
        urls = {
            "id": np.arange(len(numbers.urls)),
            "url": numbers.urls,
            "host": [host_of(url) for url in numbers.urls],
        }
        tables = {
            "urls": log_table("urls", len(numbers.urls), urls),
            "pages": page_table,
            "links": link_table,
        }
        write_segment(draft, 0, tables)
    return Imported(
        pages=page_table.num_rows,
        links=link_table.num_rows,
        urls=len(numbers.urls),
        relevant=pc.sum(page_table["relevant"]).as_py() or 0,
        bad_pages=bad_pages + broken_pages,
        repeated_pages=repeated,
        bad_links=link_rows.num_rows - link_table.num_rows + broken_links,
        bad_languages=_no_tags(page_rows["language"]),
    )


def _no_tags(languages: pa.ChunkedArray) -> int:
    """How many rows have a language that is neither a tag nor a name."""
    return sum(
        count["counts"]
        for count in pc.value_counts(languages).to_pylist()
        if (text := count["values"].strip()) and text != UNKNOWN and not _is_language(text)
    )


def _is_language(text: str) -> bool:
    tag = str(tag_or_unknown(text))
    return tag != UNKNOWN and tag_is_valid(tag)


class _Numbers:
    """Dense URL ids in order of appearance, pages first; -1 for what is no URL."""

    def __init__(self, pages: pa.Table, links: pa.Table) -> None:
        self._ids: dict[str, int] = {}
        self._known: dict[str, int] = {}
        if "id" in pages.column_names:
            self.page = self._number(pc.dictionary_encode(pages["url"]))
            of_row = np.append(self.page, -1)
            self.src, self.dst = (of_row[_rows(links[name], pages["id"])] for name in _ENDS)
        else:
            columns = [pages["url"], *(links[name] for name in _ENDS)]
            with ThreadPoolExecutor() as pool:
                encoded = pool.map(pc.dictionary_encode, columns)
                self.page, self.src, self.dst = (self._number(column) for column in encoded)
        self.redirect = np.full(pages.num_rows, -1)
        if "redirect" in pages.column_names:
            targets = _absolute(pages["url"], pages["redirect"])
            self.redirect = self._number(pc.dictionary_encode(targets))
        self.urls = list(self._ids)

    def _number(self, encoded: pa.ChunkedArray) -> npt.NDArray[np.int64]:
        """The ids of a column of URLs, of which each is made canonical once."""
        if not encoded.num_chunks or not len(encoded):
            return np.empty(0, dtype=np.int64)
        known, ids = self._known, self._ids
        final = []
        for text in encoded.chunk(encoded.num_chunks - 1).dictionary.to_pylist():
            number = known.get(text)
            if number is None:
                url = canonical(text)
                number = -1 if url is None else ids.setdefault(url, len(ids))
                known[text] = number
            final.append(number)
        numbers = np.array(final, dtype=np.int64)
        return np.concatenate([numbers[chunk.indices.to_numpy()] for chunk in encoded.chunks])


def _rows(column: pa.ChunkedArray, ids: pa.ChunkedArray) -> npt.NDArray[np.int64]:
    """The row of each id; -1 where there is none."""
    places: npt.NDArray[np.int64] = pc.fill_null(pc.index_in(column, ids), -1).to_numpy()
    return places


def _absolute(urls: pa.ChunkedArray, redirects: pa.ChunkedArray) -> pa.ChunkedArray:
    """Redirects that may be relative to their page, as URLs; empty where there is none."""
    found = []
    for url, redirect in zip(urls.to_pylist(), redirects.to_pylist(), strict=True):
        page = canonical(url) if redirect.strip() else None
        target = Resolver(page)(redirect) if page else ""
        if target is None:
            raise BadInput(
                f"the redirect '{redirect}' of {url} is not a URL; fix it or leave it empty."
            )
        found.append(target)
    return pa.chunked_array([pa.array(found, pa.string())])


def _pages(rows: pa.Table, numbers: _Numbers, config: CrawlConfig) -> tuple[pa.Table, int, int]:
    """The pages of the log, and how many rows were bad or repeated."""
    usable = np.flatnonzero(numbers.page >= 0)
    _, first = np.unique(numbers.page[usable], return_index=True)
    keep = usable[np.sort(first)]
    rows, ids, redirect = rows.take(pa.array(keep)), numbers.page[keep], numbers.redirect[keep]
    target = parse_targets(config.lang)
    said = rows["language"].combine_chunks().dictionary_encode()
    tags = [tag_or_unknown(text) for text in said.dictionary.to_pylist()]
    place = said.indices.to_numpy()
    language = np.array([str(tag) for tag in tags], dtype=object)[place]
    matching = np.array([target.matches(str(tag)) for tag in tags], dtype=bool)[place]
    status = _number(rows, "status", pa.int16(), 0, 999).to_pylist()
    status = [
        (301 if to >= 0 else 200) if code is None else code
        for code, to in zip(status, redirect, strict=True)
    ]
    answered = (np.array(status) == 200) & (redirect < 0)
    columns = {
        "id": pa.array(ids),
        "status": pa.array(status, pa.int16()),
        "redirect": pa.array(redirect, mask=redirect < 0),
        "bytes": pc.fill_null(_number(rows, "bytes", pa.int64(), 0, 1 << 62), 0),
        "language": pa.array(np.where(answered, language, UNKNOWN), pa.string()),
        "score": _number(rows, "score", pa.float64(), 0, 1),
        "relevant": pa.array(matching & answered),
    }
    table = log_table("pages", len(keep), columns)
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
        raise BadInput(f"the column '{name}' should hold numbers; fix it ({error}).") from None
    inside = pc.and_(pc.greater_equal(numbers, least), pc.less_equal(numbers, most))
    if not pc.all(pc.fill_null(inside, True)).as_py():
        raise BadInput(f"the column '{name}' should hold numbers from {least} to {most}.")
    return numbers


def _links(rows: pa.Table, numbers: _Numbers) -> pa.Table:
    """The links of the log, with their positions on their pages."""
    keep = np.flatnonzero((numbers.src >= 0) & (numbers.dst >= 0))
    src = numbers.src[keep]
    columns = {
        "src": pa.array(src),
        "dst": pa.array(numbers.dst[keep]),
        "position": pa.array(_positions(src), pa.int32()),
        "nofollow": pa.array(np.zeros(len(keep), dtype=bool)),
    }
    if "anchor" in rows.column_names:
        columns["anchor"] = rows["anchor"].take(pa.array(keep))
    return log_table("links", len(keep), columns)


def _positions(src: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """For each link, how many links of the same page stand before it."""
    order = np.argsort(src, kind="stable")
    ranks = np.arange(len(src))
    ordered = src[order]
    starts = np.concatenate([np.ones(min(1, len(src)), dtype=bool), ordered[1:] != ordered[:-1]])
    positions = np.empty(len(src), dtype=np.int64)
    positions[order] = ranks - np.maximum.accumulate(np.where(starts, ranks, 0))
    return positions
