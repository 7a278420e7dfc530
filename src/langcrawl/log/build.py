"""From the tables of a log to the arrays of a graph."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numba
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from numba import types

from langcrawl.errors import BrokenLog
from langcrawl.records import UNKNOWN

Links = Callable[[], Iterator[pa.Table | pa.RecordBatch]]


@dataclass(frozen=True, slots=True)
class Arrays:
    """What a simulation needs of a log; see `langcrawl.log.graph` for the layout."""

    url_id: npt.NDArray[np.int64]
    """The id in the log of every node."""
    url_hash: npt.NDArray[np.uint64]
    """The hashes of all URLs, sorted, to find a node by its URL without reading the URLs."""
    hash_node: npt.NDArray[np.int32]
    """The node of each of those hashes."""
    host: npt.NDArray[np.int32]
    """The host of every node, as a number from 0."""
    offsets: npt.NDArray[np.int64]
    """The links of page p are ``dst[offsets[p]:offsets[p + 1]]``."""
    dst: npt.NDArray[np.int32]
    status: npt.NDArray[np.int16]
    redirect: npt.NDArray[np.int32]
    """The node that a page redirects to, or -1."""
    tongue: npt.NDArray[np.int16]
    """The code of the page's language and script; the last for a page without one."""
    relevant: npt.NDArray[np.uint8]
    score: npt.NDArray[np.float64]
    """NaN where the log has none."""
    bytes: npt.NDArray[np.int64]
    elapsed: npt.NDArray[np.float32]

    @staticmethod
    def page_columns() -> list[str]:
        """The columns of the log's pages that are read."""
        return [
            "id", "status", "redirect", "language", "script", "relevant", "score", "bytes",
            "elapsed",
        ]  # fmt: skip


ARRAY_TYPES: dict[str, type[np.generic]] = {
    "url_id": np.int64, "url_hash": np.uint64, "hash_node": np.int32, "host": np.int32,
    "offsets": np.int64, "dst": np.int32, "status": np.int16, "redirect": np.int32,
    "tongue": np.int16, "relevant": np.uint8, "score": np.float64, "bytes": np.int64,
    "elapsed": np.float32,
}  # fmt: skip
"""The type of the entries of each array."""


class Built(NamedTuple):
    """The arrays, and the names of what stands in them as a number."""

    arrays: Arrays
    tongues: tuple[tuple[str, str], ...]
    """(language, script) by the code in `arrays.tongue`."""
    hosts: pa.Array | None
    """Host names by the code in `arrays.host`; None where the log is to be asked for them."""


def build_arrays(urls: pa.Table, pages: pa.Table, links: Links) -> Built:
    """Make the arrays; `links` is called twice, so that the links need not fit in memory."""
    count = urls.num_rows
    host, hosts = code_hosts(urls["host"])
    hashes = hash_strings(urls["url"])
    del urls  # the largest of all; a caller that keeps no hold on it has its memory back here
    ids = _checked(pages["id"].to_numpy(), count, "pages")
    fetched = np.zeros(count, dtype=bool)
    fetched[ids] = True
    if np.count_nonzero(fetched) != len(ids):
        raise BrokenLog("the log has a page twice; move its last segment out of it.")
    url_id = np.concatenate([np.flatnonzero(fetched), np.flatnonzero(~fetched)])
    node = np.empty(count, dtype=np.int32)
    node[url_id] = np.arange(count, dtype=np.int32)
    rows = _in_order(pages, ids)
    status = rows["status"].to_numpy().astype(np.int16)
    redirect = _redirects(rows, node, count)
    answered = (status == 200) & (redirect < 0)
    tongue, tongues = _tongues(rows, answered)
    offsets, dst = _rows(links, node, len(ids), answered)
    del node
    hashes = hashes[url_id]
    by_hash = np.argsort(hashes, kind="stable").astype(np.int32)
    arrays = Arrays(
        url_id=url_id,
        url_hash=hashes[by_hash],
        hash_node=by_hash,
        host=host[url_id],
        offsets=offsets,
        dst=dst,
        status=status,
        redirect=redirect,
        tongue=tongue,
        relevant=(_column(rows, "relevant", False).astype(bool) & answered).astype(np.uint8),
        score=np.where(answered, _column(rows, "score", np.nan), 0.0),
        bytes=_column(rows, "bytes", 0).astype(np.int64),
        elapsed=_column(rows, "elapsed", 0.0).astype(np.float32),
    )
    return Built(arrays, tongues, hosts)


def hash_strings(column: pa.ChunkedArray) -> npt.NDArray[np.uint64]:
    """A 64-bit hash (FNV-1a) of each string."""
    hashes = np.empty(len(column), dtype=np.uint64)
    for first, ends, letters in _letters(column):
        _hash(ends, letters, hashes[first : first + len(ends) - 1])
    return hashes


def slashes_in_paths(column: pa.ChunkedArray) -> npt.NDArray[np.uint16]:
    """`langcrawl.url.path_slashes` of each URL."""
    counts = np.empty(len(column), dtype=np.uint16)
    for first, ends, letters in _letters(column):
        _count_slashes(ends, letters, counts[first : first + len(ends) - 1])
    return counts


def _letters(
    column: pa.ChunkedArray,
) -> Iterator[tuple[int, npt.NDArray[np.int64], npt.NDArray[np.uint8]]]:
    """The bytes of strings a chunk at a time: its first row, where each begins and ends."""
    at = 0
    for chunk in pa.chunked_array(column).chunks:
        text = chunk.cast(pa.large_string())
        _, ends, letters = text.buffers()
        ends = np.frombuffer(ends, dtype=np.int64)[text.offset : text.offset + len(text) + 1]
        bytes_ = np.frombuffer(letters, dtype=np.uint8) if letters else np.empty(0, np.uint8)
        yield at, ends, bytes_
        at += len(text)


def _column(rows: pa.Table, name: str, empty: object) -> npt.NDArray[np.generic]:
    values: npt.NDArray[np.generic] = pc.fill_null(rows[name], empty).to_numpy()
    return values


def _checked(ids: npt.NDArray[np.int64], count: int, name: str) -> npt.NDArray[np.int64]:
    if len(ids) and (ids.min() < 0 or ids.max() >= count):
        raise BrokenLog(
            f"the log's {name} name a URL id that is not in its urls, so a file is missing; "
            "put it back."
        )
    return ids


def _in_order(pages: pa.Table, ids: npt.NDArray[np.int64]) -> pa.Table:
    """The pages by id; a log that was written in that order is left as it is."""
    if np.all(ids[1:] > ids[:-1]):
        return pages
    return pages.take(pa.array(np.argsort(ids, kind="stable")))


def code_hosts(names: pa.ChunkedArray) -> tuple[npt.NDArray[np.int32], pa.Array]:
    """Hosts as numbers, in order of appearance, and the name of each number."""
    coded = pa.chunked_array(names).dictionary_encode()
    if not coded.num_chunks:
        return np.empty(0, dtype=np.int32), pa.array([], pa.string())
    # Arrow encodes the chunks of a column one after the other into one dictionary.
    codes = np.concatenate([chunk.indices.to_numpy() for chunk in coded.chunks])
    return codes.astype(np.int32, copy=False), coded.chunk(0).dictionary


def _redirects(rows: pa.Table, node: npt.NDArray[np.int32], count: int) -> npt.NDArray[np.int32]:
    targets = _column(rows, "redirect", -1).astype(np.int64)
    valid = targets >= 0
    _checked(targets[valid], count, "pages")
    redirect = np.full(len(targets), -1, dtype=np.int32)
    redirect[valid] = node[targets[valid]]
    return redirect


def _tongues(
    rows: pa.Table, answered: npt.NDArray[np.bool_]
) -> tuple[npt.NDArray[np.int16], tuple[tuple[str, str], ...]]:
    """The distinct (language, script) of the pages, and each page's place among them."""
    empty = pa.scalar("", pa.string())
    language = pc.fill_null(rows["language"], UNKNOWN)
    joined = pc.binary_join_element_wise(language, pc.fill_null(rows["script"], empty), "\t")
    coded = pa.chunked_array(joined).combine_chunks().dictionary_encode()
    names = [tuple(name.split("\t")) for name in coded.dictionary.to_pylist()]
    codes = np.where(answered, coded.indices.to_numpy(), len(names)).astype(np.int16)
    return codes, tuple((language, script) for language, script in names)


def _rows(
    links: Links,
    node: npt.NDArray[np.int32],
    pages: int,
    answered: npt.NDArray[np.bool_],
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """The links of the pages that have any, in document order, each target once."""
    offsets = np.zeros(pages + 1, dtype=np.int64)
    for batch in links():
        _checked(batch["dst"].to_numpy(), len(node), "links")
        count_links(node[_checked(batch["src"].to_numpy(), len(node), "links")], offsets)
    np.cumsum(offsets, out=offsets)
    dst = np.empty(offsets[-1], dtype=np.int32)
    ends = offsets[:-1].copy()
    for batch in links():
        place_links(node[batch["src"].to_numpy()], node[batch["dst"].to_numpy()], ends, dst)
    size = _drop_repeated(offsets, dst, answered, np.full(len(node), -1, dtype=np.int32))
    return offsets, dst[:size].copy() if size < len(dst) else dst


# Each kernel is compiled for the types that are named, and for no others: two processes that met
# different ones first would write them into one file, and run the other's code.
def readable(kind: Any) -> Any:
    """An array that is read only; one that may be written will do."""
    return types.Array(kind, 1, "C", readonly=True)


ENDS, _LETTERS = readable(types.int64), readable(types.uint8)
NODES, SCORES = readable(types.int32), readable(types.float32)


@numba.njit(types.void(ENDS, _LETTERS, types.uint64[::1]), cache=True, nogil=True)
def _hash(ends, letters, hashes):  # type: ignore[no-untyped-def]
    for k in range(len(hashes)):
        value = np.uint64(0xCBF29CE484222325)
        for at in range(ends[k], ends[k + 1]):
            value = (value ^ np.uint64(letters[at])) * np.uint64(0x100000001B3)
        hashes[k] = value


@numba.njit(types.void(ENDS, _LETTERS, types.uint16[::1]), cache=True, nogil=True)
def _count_slashes(ends, letters, counts):  # type: ignore[no-untyped-def]
    for k in range(len(counts)):
        found = 0
        for at in range(ends[k], ends[k + 1]):
            if letters[at] == ord("?"):
                break
            if letters[at] == ord("/"):
                found += 1
        counts[k] = found - 2


@numba.njit(types.void(NODES, types.int64[::1]), cache=True, nogil=True)
def count_links(src, offsets):  # type: ignore[no-untyped-def]
    """Count the links of each page one place further on, where its row will end."""
    pages = len(offsets) - 1
    for k in range(len(src)):
        page = src[k]
        if page < pages:
            offsets[page + 1] += 1


@numba.njit(
    [
        types.void(NODES, NODES, types.int64[::1], types.int32[::1]),
        types.void(NODES, SCORES, types.int64[::1], types.float32[::1]),
    ],
    cache=True,
    nogil=True,
)
def place_links(src, target, ends, dst):  # type: ignore[no-untyped-def]
    """Put links, or what is known of them, behind those of the same page that came before."""
    for k in range(len(src)):
        page = src[k]
        if page < len(ends):
            dst[ends[page]] = target[k]
            ends[page] += 1


@numba.njit(
    types.int64(types.int64[::1], types.int32[::1], readable(types.boolean), types.int32[::1]),
    cache=True,
    nogil=True,
)
def _drop_repeated(offsets, dst, answered, seen_by):  # type: ignore[no-untyped-def]
    """Keep each page's first link to a target, move all rows together; the new total."""
    size = 0
    first = offsets[0]
    for page in range(len(offsets) - 1):
        last = offsets[page + 1]
        offsets[page] = size
        if answered[page]:
            for k in range(first, last):
                if seen_by[dst[k]] != page:
                    seen_by[dst[k]] = page
                    dst[size] = dst[k]
                    size += 1
        first = last
    offsets[-1] = size
    return size
