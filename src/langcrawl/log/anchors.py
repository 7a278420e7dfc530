"""The anchors of a log's links, and how much they are in the target, for each link of a graph.

The log says it where the crawl asked for it. Where it does not, an anchor counts 1 if most
of its letters are in the usual script of the target, or in a legacy encoding of it, and 0
otherwise: so a language in Latin letters cannot be told from another without scores.
"""
# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numba
import numpy as np
import numpy.typing as npt
import pyarrow as pa
from numba import types

from langcrawl.languages import load_packs
from langcrawl.languages.scripts import script_shares
from langcrawl.log.build import ENDS, NODES, SCORES, Arrays, count_links, place_links
from langcrawl.script import detect

Links = Callable[[list[str]], Iterator[pa.Table]]
"""Gives these columns of a log's links, a part at a time."""
_MOST = 0.5


def anchor_scores(arrays: Arrays, links: Links, lang: str) -> npt.NDArray[np.float32]:
    """The score of each link in `arrays.dst`: of a page's links to one URL, the best."""
    judge, columns = _Scripts(lang), ["anchor_score"]
    if any(batch["anchor_score"].null_count for batch in links(columns)):
        columns = ["anchor", "anchor_score"]
    rows = _in_rows(arrays, links, columns, judge.scores, np.float32)
    best = np.zeros(len(arrays.dst), np.float32)
    _best(*rows, arrays.offsets, arrays.dst, np.empty(len(arrays.url_id), np.int64), best)
    return best


def link_texts(
    arrays: Arrays, links: Links, column: str = "anchor"
) -> tuple[list[str], npt.NDArray[np.int32]]:
    """All texts in a column of a log's links, and for each link in `arrays.dst` which it has: of a
    page's links to one URL, the first that says something."""
    number = {"": 0}

    def codes(batch: pa.Table) -> npt.NDArray[np.int32]:
        coded = pa.chunked_array(batch[column]).combine_chunks().fill_null("").dictionary_encode()
        here = [number.setdefault(text, len(number)) for text in coded.dictionary.to_pylist()]
        return np.asarray(np.array(here or [0], np.int32)[coded.indices.to_numpy()])

    rows = _in_rows(arrays, links, [column], codes, np.int32)
    first = np.zeros(len(arrays.dst), np.int32)
    _first(*rows, arrays.offsets, arrays.dst, np.empty(len(arrays.url_id), np.int64), first)
    return list(number), first


def _in_rows(
    arrays: Arrays,
    links: Links,
    columns: list[str],
    known: Callable[[pa.Table], npt.NDArray[Any]],
    kind: type,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[Any]]:
    """All links of the pages, repeated ones too: rows, where each leads, what is known of it."""
    node = np.empty(len(arrays.url_id), np.int32)
    node[arrays.url_id] = np.arange(len(node), dtype=np.int32)
    offsets = np.zeros(len(arrays.status) + 1, np.int64)
    for batch in links(["src"]):
        count_links(node[batch["src"].to_numpy()], offsets)
    np.cumsum(offsets, out=offsets)
    goals, found = np.empty(offsets[-1], np.int32), np.empty(offsets[-1], kind)
    ends, again = offsets[:-1].copy(), offsets[:-1].copy()
    for batch in links(["src", "dst", *columns]):
        src = node[batch["src"].to_numpy()]
        place_links(src, node[batch["dst"].to_numpy()], ends, goals)
        place_links(src, known(batch), again, found)
    return offsets, goals, found


class _Scripts:
    """Scores the anchors that have none."""

    def __init__(self, lang: str) -> None:
        found = (script for pack in load_packs(lang) for script in pack.scripts)
        self._scripts = tuple(dict.fromkeys(found))
        self._known: dict[str, float] = {}

    def scores(self, batch: pa.Table) -> npt.NDArray[np.float32]:
        """The recorded score of each link, or what the script of its anchor says."""
        given: npt.NDArray[np.float32] = batch["anchor_score"].to_numpy().astype(np.float32)
        missing = np.isnan(given)
        if not missing.any():
            return given
        coded = pa.chunked_array(batch["anchor"]).combine_chunks().fill_null("").dictionary_encode()
        by_anchor = np.array([self._score(text) for text in coded.dictionary.to_pylist()] or [0.0])
        filled = np.where(missing, by_anchor[coded.indices.to_numpy()], given)
        return np.asarray(filled, np.float32)

    def _score(self, anchor: str) -> float:
        score = self._known.get(anchor)
        if score is None:
            shares = script_shares(anchor)
            score = float(sum(shares.get(script, 0.0) for script in self._scripts) > _MOST)
            if not score and detect(anchor).script in self._scripts:
                score = 1.0
            self._known[anchor] = score
        return score


@numba.njit(
    types.void(ENDS, NODES, SCORES, ENDS, NODES, types.int64[::1], types.float32[::1]),
    cache=True,
    nogil=True,
)
def _best(offsets, goals, found, kept_offsets, kept, place, best):  # type: ignore[no-untyped-def]
    """Of a page's links to one URL, the best score, where the graph keeps that link."""
    for page in range(len(kept_offsets) - 1):
        for k in range(kept_offsets[page], kept_offsets[page + 1]):
            place[kept[k]] = k
        if kept_offsets[page] < kept_offsets[page + 1]:
            for k in range(offsets[page], offsets[page + 1]):
                at = place[goals[k]]
                best[at] = max(best[at], found[k])


@numba.njit(
    types.void(ENDS, NODES, NODES, ENDS, NODES, types.int64[::1], types.int32[::1]),
    cache=True,
    nogil=True,
)
def _first(offsets, goals, found, kept_offsets, kept, place, first):  # type: ignore[no-untyped-def]
    """Of a page's links to one URL, the first number above 0, where the graph keeps that link."""
    for page in range(len(kept_offsets) - 1):
        for k in range(kept_offsets[page], kept_offsets[page + 1]):
            place[kept[k]] = k
        if kept_offsets[page] < kept_offsets[page + 1]:
            for k in range(offsets[page], offsets[page + 1]):
                at = place[goals[k]]
                if first[at] == 0:
                    first[at] = found[k]
