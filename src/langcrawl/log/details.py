"""Details of pages and links in a log that only learning strategies read.

A simulation gives it back as a live crawl had it, so that a strategy sees the same in both worlds.
Texts are kept as numbers into a list of the distinct ones, because most come again and again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from langcrawl.log.anchors import Links as ReadLinks
from langcrawl.log.anchors import link_texts
from langcrawl.log.graph import Graph
from langcrawl.log.segments import read_batches, read_table
from langcrawl.records import Charsets, Links, Page, Verdict

_LINK_COLUMNS = {
    "anchors": "anchor", "contexts": "context", "hreflangs": "hreflang", "rels": "rel",
    "tag_paths": "tag_path",
}  # fmt: skip
"""The columns of `Links`, and what the log calls them."""
_PAGE_COLUMNS = (
    "content_type", "ip", "charset_header", "charset_meta", "charset_detected", "encoding",
    "notes", "title", "html_lang", "content_language", "evidence", "fonts",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Texts:
    """A column of texts: the distinct ones, and which of them stands in each row."""

    distinct: list[str]
    rows: npt.NDArray[np.int32]

    @classmethod
    def of(cls, column: pa.ChunkedArray, order: npt.NDArray[np.int64]) -> Texts:
        coded = pa.chunked_array(column).combine_chunks().fill_null("").dictionary_encode()
        return cls(coded.dictionary.to_pylist(), coded.indices.to_numpy().astype(np.int32)[order])

    def __getitem__(self, row: int) -> str:
        return self.distinct[self.rows[row]] if self.distinct else ""


@dataclass(frozen=True, slots=True)
class LinkDetails:
    """Anchors, languages and the like of every link in `Graph.arrays.dst`."""

    columns: dict[str, Texts]
    """By the names that they have in `Links`; those that say nothing are left out."""
    whole: npt.NDArray[np.int64] | None = None
    """Where only some links of a larger graph are left: the places that they had there."""

    @classmethod
    def of(cls, graph: Graph) -> LinkDetails:
        if graph.part_of is not None:
            whole, kept = graph.part_of
            return replace(cls.of(whole), whole=np.flatnonzero(kept))
        links: ReadLinks = partial(_from_memory, graph)
        if graph.directory is not None:
            links = partial(read_batches, graph.directory, "links")
        columns = {}
        for name, column in _LINK_COLUMNS.items():
            if any(batch[column].null_count < len(batch) for batch in links([column])):
                texts, rows = link_texts(graph.arrays, links, column)
                if len(texts) > 1:
                    columns[name] = Texts(texts, rows)
        return cls(columns)

    def links(self, urls: list[str], places: list[int], scores: Sequence[float]) -> Links:
        """The links to these URLs, which stand at these places of the graph."""
        at = places if self.whole is None else self.whole[places]
        texts = {
            name: [column.distinct[row] for row in column.rows[at].tolist()]
            for name, column in self.columns.items()
        }
        return Links(urls, anchor_scores=scores, **texts)


def _from_memory(graph: Graph, columns: list[str]) -> Iterator[pa.Table]:
    assert graph.link_table is not None
    yield graph.link_table.select(columns)


@dataclass(frozen=True, slots=True)
class PageDetails:
    """Titles, charsets and the like of every page."""

    columns: dict[str, Texts]
    text_bytes: list[int]

    @classmethod
    def of(cls, graph: Graph) -> PageDetails:
        wanted = ["id", "text_bytes", *_PAGE_COLUMNS]
        if graph.directory is not None:
            table = read_table(graph.directory, "pages", wanted)
        else:
            assert graph.page_table is not None
            table = graph.page_table.select(wanted)
        order = np.argsort(table["id"].to_numpy(), kind="stable")
        sizes = table["text_bytes"].fill_null(0).to_numpy()[order].tolist()
        return cls({name: Texts.of(table[name], order) for name in _PAGE_COLUMNS}, sizes)

    def filled(self, node: int, page: Page, verdict: Verdict) -> tuple[Page, Verdict]:
        """A page and the verdict on it, with all that the log knows of them."""
        texts = {name: column[node] for name, column in self.columns.items()}
        page = page._replace(
            content_type=texts["content_type"],
            text_bytes=self.text_bytes[node],
            ip=texts["ip"],
            charsets=Charsets(
                texts["charset_header"], texts["charset_meta"], texts["charset_detected"]
            ),
            notes=tuple(texts["notes"].split()),
            title=texts["title"],
            html_lang=texts["html_lang"],
            content_language=texts["content_language"],
            fonts=tuple(filter(None, texts["fonts"].split(", "))),
        )
        evidence = tuple(filter(None, texts["evidence"].split("\n")))
        if texts["encoding"] or evidence:
            verdict = replace(verdict, encoding=texts["encoding"], evidence=evidence)
        return page, verdict
