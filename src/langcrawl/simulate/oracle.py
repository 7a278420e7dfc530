"""The oracle behind ``perfect``: which links of a web lead to relevant pages at all.

Paper 000, section 4.1: the links that lead to relevant pages are found in advance by a
breadth-first crawl. Of that crawl's tree only the links are kept below which, at once or
further down, lies a relevant page. A breadth-first crawl of what is left is the perfect one.
"""
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from dataclasses import replace

import numba
import numpy as np
import numpy.typing as npt

from langcrawl.log.graph import Graph


def prune(graph: Graph, seeds: list[int]) -> tuple[Graph, list[int]]:
    """The graph with only the links that the oracle follows, and the seeds that it takes."""
    arrays = graph.arrays
    taken = np.full(graph.pages, -2, dtype=np.int32)
    order = np.empty(graph.pages, dtype=np.int32)
    start = np.array([node for node in seeds if node < graph.pages], dtype=np.int32)
    count = _tree(arrays.offsets, arrays.dst, arrays.redirect, start, taken, order)
    order = order[:count]
    useful = graph.relevant.copy()
    _spread_up(order, taken, useful)
    kept = order[(useful[order] == 1) & (taken[order] >= 0)]
    by_redirect = arrays.redirect[taken[kept]] >= 0
    redirect = np.full(graph.pages, -1, dtype=np.int32)
    redirect[taken[kept[by_redirect]]] = kept[by_redirect]
    offsets, dst = _rows(kept[~by_redirect], taken, graph.pages)
    pruned = replace(arrays, offsets=offsets, dst=dst, redirect=redirect)
    return replace(graph, arrays=pruned), [node for node in start.tolist() if useful[node]]


def _rows(
    kept: npt.NDArray[np.int32], parent: npt.NDArray[np.int32], pages: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """The tree's links as rows; breadth-first order keeps the links of a page in order."""
    src = parent[kept]
    offsets = np.concatenate([[0], np.cumsum(np.bincount(src, minlength=pages))])
    return offsets.astype(np.int64), kept[np.argsort(src, kind="stable")]


@numba.njit("i8(i8[::1], i4[::1], i4[::1], i4[::1], i4[::1], i4[::1])", cache=True, nogil=True)
def _tree(offsets, dst, redirect, seeds, parent, order):
    """A breadth-first crawl: the pages in order, and for each the page that led to it."""
    count = 0
    for node in seeds:
        if parent[node] == -2:
            parent[node] = -1
            order[count] = node
            count += 1
    head = 0
    while head < count:
        page = order[head]
        head += 1
        if redirect[page] >= 0:
            target = redirect[page]
            if target < len(parent) and parent[target] == -2:
                parent[target] = page
                order[count] = target
                count += 1
            continue
        for k in range(offsets[page], offsets[page + 1]):
            target = dst[k]
            if target < len(parent) and parent[target] == -2:
                parent[target] = page
                order[count] = target
                count += 1
    return count


@numba.njit("void(i4[::1], i4[::1], u1[::1])", cache=True, nogil=True)
def _spread_up(order, parent, useful):
    """A page above a useful one is useful."""
    for k in range(len(order) - 1, -1, -1):
        page = order[k]
        if useful[page] and parent[page] >= 0:
            useful[parent[page]] = 1
