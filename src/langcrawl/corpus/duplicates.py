"""Which documents and paragraphs of a corpus are there already.

Documents are ranked by what a user wants to keep (`--keep`), and of each set of duplicates the
first in that order stays. Captures of one address come first, then texts that are the same to the
letter, then paragraphs that several pages of a host have, then texts that are nearly the same.
"""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass
from functools import partial
from math import ceil, log
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from langcrawl.corpus.parts import Parts, read_part, room_expected
from langcrawl.parallel import Progress, in_order, silent

Flags = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.int64]
Signatures = npt.NDArray[np.uint8]
"""A row for each document: see `langcrawl.corpus.kernels`."""

KEEP: Final = ("best", "newest", "longest")
"""What is kept of several: the highest score and then the longest, the newest, or the longest."""
_COLUMNS = ["url", "host", "fetched_at", "score", "characters", "key"]
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_RECALL = 0.995
"""Of pairs at the threshold, as many must share a band at least."""
_MOST_BANDS = 32
"""Each takes 8 bytes a document."""


@dataclass(frozen=True, slots=True)
class Rules:
    """Which duplicates are left out."""

    keep: str = "best"
    exact: bool = True
    near: float | None = 0.8
    """The Jaccard similarity of their shingles at which texts are nearly the same."""
    site_repeats: int | None = 3
    """On how many pages of a host a paragraph stands that is kept once."""
    min_chars: int = 0
    """Documents that fall below this without their repeated paragraphs are left out."""


class Decision(NamedTuple):
    """What stays of the documents of all parts, one after another."""

    stays: Flags
    paragraphs: Flags
    """Of the paragraphs of all documents, one after another."""
    first_paragraph: Numbers
    """Where those of each document begin; one more number than documents."""
    dropped: Counter[str]
    paragraphs_dropped: int
    instead: Numbers
    """Of each document that was nearly the same as another: that one; else -1."""


def decide(parts: Parts, rules: Rules, processes: int, progress: Progress = silent) -> Decision:
    """Look at all documents at once."""
    table = parts.columns(_COLUMNS)
    sizes = parts.columns(["paragraph_sizes"])["paragraph_sizes"].combine_chunks()
    stays = np.ones(table.num_rows, bool)
    order = _preferred(table, rules.keep)
    instead = np.full(table.num_rows, -1, np.int64)
    dropped: Counter[str] = Counter()

    def leave_out(reason: str, out: Flags) -> None:
        dropped[reason] += int(np.count_nonzero(out & stays))
        stays[out] = False

    leave_out("same-url", _repeated(table["url"], order, stays))
    if rules.exact:
        leave_out("exact", _repeated(table["key"], order, stays))
    offsets = np.asarray(sizes.offsets)
    kept = np.ones(int(offsets[-1]) if len(offsets) else 0, bool)
    if rules.site_repeats is not None and len(kept):
        progress(0, None, "looking for repeated paragraphs")
        keys = (
            parts.columns(["paragraph_keys"])["paragraph_keys"].combine_chunks().values.to_numpy()
        )
        kept = _paragraphs(keys, offsets, table["host"], order, stays, rules.site_repeats)
        lengths = _lengths(kept, offsets, sizes.values.to_numpy())
        changed = lengths < table["characters"].to_numpy()
        leave_out("short-without-repeats", changed & (lengths < max(rules.min_chars, 1)))
    if rules.near is not None:
        instead = _near(parts, kept, offsets, order, stays, rules.near, processes, progress)
        leave_out("near", instead >= 0)
    within = np.repeat(stays, np.diff(offsets))
    gone = int(np.count_nonzero(~kept & within))
    return Decision(stays, kept, offsets, dropped, gone, instead)


def _preferred(table: pa.Table, keep: str) -> Numbers:
    """The documents, those first that are to be kept; of equals, the one that came first."""
    longest = -table["characters"].to_numpy()
    newest = -pc.fill_null(table["fetched_at"].cast(pa.int64()), 0).to_numpy()
    best = -table["score"].to_numpy()
    by = {"best": (newest, longest, best), "newest": (longest, best, newest)}
    return np.lexsort(by.get(keep, (newest, best, longest)))


def _repeated(values: pa.ChunkedArray, order: Numbers, stays: Flags) -> Flags:
    """Which documents have a value that a better one has too."""
    codes = values.combine_chunks().dictionary_encode().indices.to_numpy()
    ranked = order[stays[order]]
    _, first = np.unique(codes[ranked], return_index=True)
    out = stays.copy()
    out[ranked[first]] = False
    return out


def _paragraphs(
    keys: npt.NDArray[np.uint64],
    offsets: Numbers,
    hosts: pa.ChunkedArray,
    order: Numbers,
    stays: Flags,
    repeats: int,
) -> Flags:
    """Which paragraphs stay: of those on several pages of a host, the ones on the best page."""
    document = np.repeat(np.arange(len(stays)), np.diff(offsets))
    codes = hosts.combine_chunks().dictionary_encode().indices.to_numpy().astype(np.uint64)
    keys = keys ^ ((codes + np.uint64(1)) * _GOLDEN)[document]
    places = np.flatnonzero(stays[document])
    places = places[_often(keys[places], repeats)]
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    places = places[np.lexsort((places, rank[document[places]], keys[places]))]
    key, page = keys[places], document[places]
    begins = np.flatnonzero(np.r_[True, key[1:] != key[:-1]])[: len(key)]
    group = np.cumsum(np.r_[False, key[1:] != key[:-1]])[: len(key)]
    another = np.r_[False, (key[1:] == key[:-1]) & (page[1:] != page[:-1])][: len(key)]
    pages = 1 + np.add.reduceat(another.astype(np.int64), begins) if len(key) else begins
    kept = np.ones(len(keys), bool)
    if len(key):
        kept[places[(pages[group] >= repeats) & (page != page[begins][group])]] = False
    return kept


def _often(keys: npt.NDArray[np.uint64], repeats: int) -> Flags:
    """Which keys are there at least so many times."""
    ordered = np.sort(keys)
    many = np.unique(
        ordered[repeats - 1 :][ordered[repeats - 1 :] == ordered[: 1 - repeats or None]]
    )
    at = np.searchsorted(many, keys)
    at[at == len(many)] = 0
    return many[at] == keys if len(many) else np.zeros(len(keys), bool)


def _lengths(kept: Flags, offsets: Numbers, sizes: npt.NDArray[np.int32]) -> Numbers:
    """The characters of each document without the paragraphs that go."""
    sums = np.r_[0, np.cumsum(np.where(kept, sizes + 1, 0), dtype=np.int64)]
    lengths: Numbers = np.maximum(sums[offsets[1:]] - sums[offsets[:-1]] - 1, 0)
    return lengths


def _near(
    parts: Parts,
    kept: Flags,
    offsets: Numbers,
    order: Numbers,
    stays: Flags,
    threshold: float,
    processes: int,
    progress: Progress,
) -> Numbers:
    """Of each document, the better one that stays and is nearly the same, or -1."""
    from langcrawl.corpus.kernels import BINS, find_near

    count = len(stays)
    firsts = np.cumsum([0, *_part_sizes(parts)])
    jobs = list(zip(parts.files, firsts.tolist(), strict=False))
    with room_expected():
        path = parts.folder / "signatures"
        signatures = _mapped(path, (max(count, 1), BINS))
        work = partial(_sign_part, to=path, kept=kept, offsets=offsets)
        done = 0
        for size in in_order(work, jobs, processes if len(jobs) > 1 else 1):
            done += size
            progress(done, done / max(count, 1), "prepared for comparing")
    instead = np.full(count, -1, np.int64)
    ranked = np.ascontiguousarray(order[stays[order]])
    progress(0, None, "looking for near-duplicates")
    find_near(signatures, ranked, *bands_for(threshold), instead)
    return instead


def _mapped(path: Path, shape: tuple[int, int]) -> Signatures:
    """An array in a file; its room is taken at once, since a mapped file cannot say it has none."""
    with path.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, shape[0] * shape[1])
    return np.memmap(path, np.uint8, "r+", shape=shape)


def _part_sizes(parts: Parts) -> list[int]:
    return [read_part(path, ["score"]).num_rows for path in parts.files]


class Bands(NamedTuple):
    """How signatures are compared: bands of so many bins, and how many bins must be the same."""

    rows: int
    bands: int
    least: int


def bands_for(threshold: float) -> Bands:
    """The widest bands, few enough, that find nearly all pairs at the threshold."""
    from langcrawl.corpus.kernels import BINS, CHANCE

    least = ceil((threshold + (1 - threshold) * CHANCE) * BINS)
    for rows in range(32, 1, -1):
        missed = 1 - threshold**rows
        if missed == 1:  # so wide a band is hardly ever shared
            continue
        bands = ceil(log(1 - _RECALL) / log(missed)) if missed else 1
        if bands <= min(BINS // rows, _MOST_BANDS):
            return Bands(rows, bands, least)
    return Bands(1, _MOST_BANDS, least)


def _sign_part(part: tuple[Path, int], to: Path, kept: Flags, offsets: Numbers) -> int:
    """Sign a part's documents, as they are without the paragraphs that go; how many they are.

    Signatures are written to their place in a file, so that none travels between processes.
    """
    path, first = part
    made = signatures_of(kept_texts(read_part(path, ["text"])["text"], first, kept, offsets))
    if len(made):
        np.memmap(to, np.uint8, "r+", first * made.shape[1], made.shape)[:] = made
    return len(made)


def kept_texts(texts: pa.ChunkedArray, first: int, kept: Flags, offsets: Numbers) -> pa.Array:
    """Texts without the paragraphs that go; `first` is the number of the first of them."""
    whole = texts.combine_chunks() if isinstance(texts, pa.ChunkedArray) else texts
    places = offsets[first : first + len(whole) + 1]
    gone = np.r_[0, np.cumsum(~kept[places[0] : places[-1]])]
    changed = np.flatnonzero(np.diff(gone[places - places[0]]))
    if not len(changed):
        return whole
    rows = whole.to_pylist()
    for row in changed.tolist():
        begin, end = offsets[first + row], offsets[first + row + 1]
        lines = rows[row].split("\n")
        stay = kept[begin:end].tolist()
        rows[row] = "\n".join(line for line, stays in zip(lines, stay, strict=True) if stays)
    return pa.array(rows, pa.large_string())


def signatures_of(texts: pa.Array) -> Signatures:
    """The MinHash signatures of texts."""
    from langcrawl.corpus.kernels import BINS, sign

    made = np.zeros((len(texts), BINS), np.uint8)
    if len(texts):
        _, offsets, data = texts.buffers()
        places = np.frombuffer(offsets, np.int64)[texts.offset : texts.offset + len(texts) + 1]
        sign(np.frombuffer(data or b"\0", np.uint8), places, made)
    return made
