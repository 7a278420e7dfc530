"""How much the anchors of a log's links are in the target: a number for each link of a graph.

The log says it where the crawl asked for it. Where it does not, an anchor counts 1 if most
of its letters are in the usual script of the target, or in a legacy encoding of it, and 0
otherwise: so a language in Latin letters cannot be told from another without scores.
"""
# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

from collections.abc import Callable, Iterator

import numba
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from langcrawl.languages import load_pack
from langcrawl.languages.scripts import script_shares
from langcrawl.script import detect
from langcrawl.virtualweb.build import Arrays, count_links, place_links

COLUMNS = ["src", "dst", "anchor", "anchor_score"]
_MOST = 0.5


def anchor_scores(
    arrays: Arrays, links: Callable[[], Iterator[pa.Table]], lang: str
) -> npt.NDArray[np.float32]:
    """The score of each link in `arrays.dst`: of a page's links to one URL, the best."""
    node = np.empty(len(arrays.url_id), np.int32)
    node[arrays.url_id] = np.arange(len(node), dtype=np.int32)
    offsets = np.zeros(len(arrays.status) + 1, np.int64)
    for batch in links():
        count_links(node[batch["src"].to_numpy()], offsets)
    np.cumsum(offsets, out=offsets)
    goals, found = np.empty(offsets[-1], np.int32), np.empty(offsets[-1], np.float32)
    judge = _Scripts(lang)
    ends, again = offsets[:-1].copy(), offsets[:-1].copy()
    for batch in links():
        src = node[batch["src"].to_numpy()]
        place_links(src, node[batch["dst"].to_numpy()], ends, goals)
        place_links(src, judge.scores(batch), again, found)
    best = np.zeros(len(arrays.dst), np.float32)
    _best(offsets, goals, found, arrays.offsets, arrays.dst, np.empty(len(node), np.int64), best)
    return best


class _Scripts:
    """Scores the anchors that have none."""

    def __init__(self, lang: str) -> None:
        self._scripts = load_pack(lang).scripts
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


@numba.njit(cache=True, nogil=True)
def _best(offsets, goals, found, kept_offsets, kept, place, best):  # type: ignore[no-untyped-def]
    """Of a page's links to one URL, the best score, where the graph keeps that link."""
    for page in range(len(kept_offsets) - 1):
        for k in range(kept_offsets[page], kept_offsets[page + 1]):
            place[kept[k]] = k
        if kept_offsets[page] < kept_offsets[page + 1]:
            for k in range(offsets[page], offsets[page + 1]):
                at = place[goals[k]]
                best[at] = max(best[at], found[k])
