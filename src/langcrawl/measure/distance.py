"""How far relevant pages are from one another (paper 000, section 2.2.1, Figure 1).

The distance of a relevant page is the number of links on the shortest path to it from
*another* relevant page. All relevant pages are searched from at once, breadth first, and
the search goes on through irrelevant pages only: on a shortest path there are no others
in between. An irrelevant page remembers the two nearest relevant pages that it is reached
from; two are enough to tell, for any relevant page behind it, whether a path comes from
another page or only back from that page itself. A redirect is no step of a path.
"""

from __future__ import annotations

import numba
import numpy as np
import numpy.typing as npt

from langcrawl.log.graph import Graph

_FREE, _RELEVANT, _REACHED, _REDIRECT = -1, -2, -3, -4
"""What `first` holds of a page where it is not the relevant page that it is reached from."""
_UNKNOWN, _ON_THE_WAY = -3, -2
"""What is known of the end of a redirect before it is found."""


def distances(graph: Graph) -> npt.NDArray[np.int32]:
    """The distance of every page: 0 where it is irrelevant or reached from no other."""
    arrays = graph.arrays
    goal = redirect_goals(arrays.redirect, graph.pages)
    first = np.full(graph.pages, _FREE, dtype=np.int32)
    first[arrays.redirect >= 0] = _REDIRECT
    first[graph.relevant != 0] = _RELEVANT
    found = np.zeros(graph.pages, dtype=np.int32)
    _search(arrays.offsets, arrays.dst, goal, first, found)
    return found


def distance_counts(found: npt.NDArray[np.int32]) -> dict[str, int]:
    """How many relevant pages there are at each distance, up to the largest."""
    counts = np.bincount(found)
    return {str(at): int(count) for at, count in enumerate(counts) if at and count}


def redirect_goals(redirect: npt.NDArray[np.int32], pages: int) -> npt.NDArray[np.int32]:
    """Where a chain of redirects ends, for every page that redirects; -1 where it never does."""
    goal = np.full(pages, _UNKNOWN, dtype=np.int32)
    _follow(redirect, goal)
    return goal


@numba.njit(cache=True, nogil=True)
def _follow(redirect, goal):  # type: ignore[no-untyped-def]
    """Walk every chain to its end once; a page that does not redirect has no goal."""
    pages = len(goal)
    for page in range(pages):
        at = page
        while at < pages and redirect[at] >= 0 and goal[at] == _UNKNOWN:
            goal[at] = _ON_THE_WAY
            at = redirect[at]
        if at >= pages or redirect[at] < 0:
            end = at
        elif goal[at] == _ON_THE_WAY:
            end = -1
        else:
            end = goal[at]
        at = page
        while at < pages and redirect[at] >= 0 and goal[at] == _ON_THE_WAY:
            goal[at] = end
            at = redirect[at]


@numba.njit(cache=True, nogil=True)
def _search(offsets, dst, goal, first, found):  # type: ignore[no-untyped-def]
    """Breadth first over (page, relevant page that it is reached from)."""
    pages = len(first)
    second = np.full(pages, _FREE, dtype=np.int32)
    queue = np.empty((2 * pages + 1, 2), dtype=np.int32)
    tail = 0
    for page in range(pages):
        if first[page] == _RELEVANT:
            queue[tail, 0] = queue[tail, 1] = page
            tail += 1
    head, steps = 0, 0
    while head < tail:
        steps += 1
        last = tail
        for at in range(head, last):
            page, source = queue[at]
            for k in range(offsets[page], offsets[page + 1]):
                target = dst[k]
                if target >= pages:
                    continue
                state = first[target]
                if state == _REDIRECT:
                    target = goal[target]
                    if target < 0 or target >= pages:
                        continue
                    state = first[target]
                if state == _RELEVANT:
                    if target != source:
                        first[target] = _REACHED
                        found[target] = steps
                    continue
                if state == _FREE:
                    first[target] = source
                elif state >= 0 and state != source and second[target] == _FREE:
                    second[target] = source
                else:
                    continue
                queue[tail, 0], queue[tail, 1] = target, source
                tail += 1
        head = last
