"""What pages are written in, by top-level domain: languages, charsets and encodings.

Paper 000, Table 2 counts languages; paper 003, Figure 8 and Table 8 count the pages and
the encodings of one language. Everything is counted as it stands in the log, a segment at
a time, for pages with an error too if they have a language.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from langcrawl.log.graph import Graph
from langcrawl.log.segments import read_batches, segments
from langcrawl.measure.places import Places
from langcrawl.records import UNKNOWN

Table = dict[str, dict[str, int]]
"""Counts by a name and a top-level domain."""

Name = TypeVar("Name")

CHARSETS = {"header": "charset_header", "meta": "charset_meta", "detected": "charset_detected"}
NONE = "none"
"""The name of a charset or encoding that is not recorded."""


@dataclass(slots=True)
class Tally:
    """Counts of pages by top-level domain."""

    tongues: dict[tuple[str, str], dict[str, int]] = field(default_factory=dict)
    """All pages by (language, script)."""
    charsets: dict[str, Table] = field(default_factory=dict)
    """Relevant pages by source of the charset and by charset."""
    encodings: Table = field(default_factory=dict)
    """Relevant pages by encoding, such as ``zawgyi``."""

    @property
    def languages(self) -> Table:
        """All pages by language, whatever its script."""
        table: Table = {}
        for (language, _), row in self.tongues.items():
            _add(table, language, row)
        return table


def tally_pages(graph: Graph, places: Places) -> Tally:
    """Count the pages of a graph; without the tables of its log, only their languages."""
    tally = Tally(charsets={source: {} for source in CHARSETS})
    tld_of_page = places.tld[graph.arrays.host[: graph.pages]]
    if graph.directory is None or not segments(graph.directory):
        names = [f"{language}\t{script}" for language, script in graph.tongues]
        _count_tongues(tally, graph.arrays.tongue, [*names, f"{UNKNOWN}\t"], tld_of_page, places)
        return tally
    for batch, nodes in _batches(graph):
        tld, wanted = tld_of_page[nodes], graph.relevant[nodes] != 0
        codes, names = _coded(_tongue_column(batch))
        _count_tongues(tally, codes, names, tld, places)
        rows = batch.filter(pa.array(wanted))
        for source, column in CHARSETS.items():
            _count_column(tally.charsets[source], rows[column], tld[wanted], places)
        _count_column(tally.encodings, rows["encoding"], tld[wanted], places)
    return tally


def _batches(graph: Graph) -> Iterator[tuple[pa.Table, npt.NDArray[np.int64]]]:
    """The pages of a log, a segment at a time, with their places among the pages of the graph.

    What a running crawl has added since the graph was made is left out.
    """
    assert graph.directory is not None
    columns = ["id", "language", "script", *CHARSETS.values(), "encoding"]
    ids = graph.arrays.url_id[: graph.pages]
    for batch in read_batches(graph.directory, "pages", columns) if len(ids) else ():
        wanted = batch["id"].to_numpy()
        nodes = np.minimum(np.searchsorted(ids, wanted), len(ids) - 1)
        known = ids[nodes] == wanted
        yield (batch, nodes) if known.all() else (batch.filter(pa.array(known)), nodes[known])


def _tongue_column(batch: pa.Table) -> pa.ChunkedArray:
    language = pc.if_else(pc.equal(batch["language"], ""), UNKNOWN, batch["language"])
    script = pc.fill_null(batch["script"].cast(pa.string()), "")
    return pc.binary_join_element_wise(pc.fill_null(language, UNKNOWN), script, "\t")


def _count_tongues(
    tally: Tally,
    codes: npt.NDArray[np.integer],
    names: list[str],
    tld: npt.NDArray[np.int32],
    places: Places,
) -> None:
    for name, row in _cross(codes, names, tld, places.tlds).items():
        language, script = name.split("\t")
        _add(tally.tongues, (language, script), row)


def _count_column(
    table: Table, column: pa.ChunkedArray, tld: npt.NDArray[np.int32], places: Places
) -> None:
    """Count a column of names, in lower case, by top-level domain."""
    for name, row in _cross(*_coded(column.cast(pa.string())), tld, places.tlds).items():
        _add(table, name.lower() or NONE, row)


def _coded(column: pa.ChunkedArray) -> tuple[npt.NDArray[np.integer], list[str]]:
    """A column as numbers, and the name of each number."""
    coded = pa.chunked_array(pc.fill_null(column, "")).combine_chunks().dictionary_encode()
    return coded.indices.to_numpy(), coded.dictionary.to_pylist()


def _cross(
    codes: npt.NDArray[np.integer], names: list[str], tld: npt.NDArray[np.int32], tlds: list[str]
) -> Table:
    """How often each name occurs with each top-level domain, without the zeros."""
    cells = np.bincount(codes.astype(np.int64) * len(tlds) + tld)
    table: Table = {}
    for cell in np.flatnonzero(cells):
        name, place = divmod(int(cell), len(tlds))
        table.setdefault(names[name], {})[tlds[place]] = int(cells[cell])
    return table


def _add(table: dict[Name, dict[str, int]], name: Name, row: dict[str, int]) -> None:
    sums = table.setdefault(name, {})
    for tld, count in row.items():
        sums[tld] = sums.get(tld, 0) + count
