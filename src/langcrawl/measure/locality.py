"""Linguistic locality: how often a link leads to a relevant page (paper 000, section 2.2.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from langcrawl.measure.places import Places
from langcrawl.virtualweb.graph import Graph

SOURCES = ("irrelevant", "relevant")
"""In the order of the first axis of `Links.counts`."""
_SAME_HOST, _SAME_DOMAIN, _OTHER_DOMAIN = 0, 1, 2


@dataclass(frozen=True, slots=True)
class Links:
    """All links of a graph, counted in one pass; a page's link to itself is left out."""

    counts: npt.NDArray[np.int64]
    """Links to fetched pages by [source relevant][nearness][target relevant]."""
    unfetched: npt.NDArray[np.int64]
    """Links to URLs that were never fetched, by [source relevant]."""
    self_links: int
    in_degree: npt.NDArray[np.int32]
    """Links to every URL."""
    out_degree: npt.NDArray[np.int32]
    """Links from every page."""


def count_links(graph: Graph, places: Places) -> Links:
    """Go through the links of a graph once."""
    arrays, pages = graph.arrays, graph.pages
    # One word a page, because every link costs one look at its target.
    facts = arrays.host[:pages] * np.int32(2) + graph.relevant
    in_degree = np.zeros(graph.nodes, dtype=np.int32)
    out_degree = np.zeros(pages, dtype=np.int32)
    counts = np.zeros((2, 3, 2), dtype=np.int64)
    unfetched = np.zeros(2, dtype=np.int64)
    self_links = _count(
        arrays.offsets, arrays.dst, facts, places.domain, in_degree, out_degree, counts, unfetched
    )
    return Links(counts, unfetched, int(self_links), in_degree, out_degree)


def locality(links: Links) -> dict[str, dict[str, float | None]]:
    """Table 3: the share of links to fetched pages that lead to relevant ones."""
    return {
        source: {
            name: part["relevant"] / part["links"] if part["links"] else None
            for name, part in parts.items()
        }
        for source, parts in _parts(links).items()
    }


def locality_links(links: Links) -> dict[str, dict[str, Any]]:
    """The counts behind `locality`, with the links to URLs that were never fetched."""
    return {
        source: {**parts, "unfetched": int(links.unfetched[SOURCES.index(source)])}
        for source, parts in _parts(links).items()
    }


def _parts(links: Links) -> dict[str, dict[str, dict[str, int]]]:
    groups = {
        "all": (_SAME_HOST, _SAME_DOMAIN, _OTHER_DOMAIN),
        "same_host": (_SAME_HOST,),
        "other_host": (_SAME_DOMAIN, _OTHER_DOMAIN),
        "same_domain": (_SAME_HOST, _SAME_DOMAIN),
        "other_domain": (_OTHER_DOMAIN,),
    }
    return {
        source: {
            name: {
                "links": int(links.counts[SOURCES.index(source), list(group)].sum()),
                "relevant": int(links.counts[SOURCES.index(source), list(group), 1].sum()),
            }
            for name, group in groups.items()
        }
        for source in ("relevant", "irrelevant")
    }


@numba.njit(cache=True, nogil=True)
def _count(offsets, dst, facts, domain, in_degree, out_degree, counts, unfetched):  # type: ignore[no-untyped-def]
    pages, self_links = len(facts), 0
    for page in range(pages):
        own = facts[page]
        host, source = own >> 1, own & 1
        for k in range(offsets[page], offsets[page + 1]):
            target = dst[k]
            if target == page:
                self_links += 1
                continue
            out_degree[page] += 1
            in_degree[target] += 1
            if target >= pages:
                unfetched[source] += 1
                continue
            other = facts[target]
            nearness = 0
            if other >> 1 != host:
                nearness = 1 if domain[other >> 1] == domain[host] else 2
            counts[source, nearness, other & 1] += 1
    return self_links
