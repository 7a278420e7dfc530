"""Strongly connected components: sets of pages that can all be reached from one another."""

from __future__ import annotations

import numba
import numpy as np
import numpy.typing as npt

from langcrawl.log.graph import Graph


def component_sizes(graph: Graph) -> npt.NDArray[np.int64]:
    """The size of every strongly connected component of the pages; a redirect is a link."""
    arrays = graph.arrays
    component = np.zeros(graph.pages, dtype=np.int32)
    count = _components(arrays.offsets, arrays.dst, arrays.redirect, component)
    return np.bincount(component, minlength=count)


@numba.njit(cache=True, nogil=True)
def _components(offsets, dst, redirect, component):  # type: ignore[no-untyped-def]
    """Number the components, by Tarjan's algorithm with a stack of its own; how many there are.

    While a page is on the way, `low` holds the earliest page that is known to be reachable
    from it and leads back to it, counted from 1 in the order of arrival; once its component
    is complete, a number that is larger than any of those.
    """
    pages = len(component)
    low = np.zeros(pages, dtype=np.int32)
    done = np.int32(pages + 1)
    path = np.empty(pages, dtype=np.int32)
    place = np.empty(pages, dtype=np.int64)
    waiting = np.empty(pages, dtype=np.int32)
    root = np.ones(pages, dtype=np.bool_)
    count, arrived, depth, held = 0, 0, 0, 0
    for start in range(pages):
        if low[start]:
            continue
        path[0], place[0], depth = start, offsets[start] - (redirect[start] >= 0), 1
        arrived += 1
        low[start] = arrived
        while depth:
            page, k = path[depth - 1], place[depth - 1]
            if k < offsets[page + 1]:
                place[depth - 1] = k + 1
                target = redirect[page] if k < offsets[page] else dst[k]
                if target >= pages:
                    continue
                if not low[target]:
                    arrived += 1
                    low[target] = arrived
                    path[depth] = target
                    place[depth] = offsets[target] - (redirect[target] >= 0)
                    depth += 1
                elif low[target] < low[page]:
                    low[page], root[page] = low[target], False
                continue
            depth -= 1
            if root[page]:
                own = low[page]
                while held and low[waiting[held - 1]] >= own:
                    held -= 1
                    component[waiting[held]] = count
                    low[waiting[held]] = done
                component[page], low[page] = count, done
                count += 1
            else:
                waiting[held] = page
                held += 1
            if depth and low[page] < low[path[depth - 1]]:
                low[path[depth - 1]], root[path[depth - 1]] = low[page], False
    return count
