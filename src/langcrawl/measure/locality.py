"""Linguistic locality: how often a link leads to a relevant page (paper 000, section 2.2.2)."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from langcrawl.log.graph import Graph
from langcrawl.measure.places import Places

SOURCES = ("irrelevant", "relevant")
"""In the order of the first axis of `Links.counts`."""
_SAME_HOST, _SAME_DOMAIN, _OTHER_DOMAIN = 0, 1, 2
_NEARNESS = {
    "all": (_SAME_HOST, _SAME_DOMAIN, _OTHER_DOMAIN),
    "same_host": (_SAME_HOST,),
    "other_host": (_SAME_DOMAIN, _OTHER_DOMAIN),
    "same_domain": (_SAME_HOST, _SAME_DOMAIN),
    "other_domain": (_OTHER_DOMAIN,),
}


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


@dataclass(frozen=True, slots=True)
class LinkCounts:
    """Some links to fetched pages, and how many of them lead to relevant ones."""

    links: int
    relevant: int

    @property
    def share(self) -> float | None:
        return self.relevant / self.links if self.links else None


@dataclass(frozen=True, slots=True)
class Locality:
    """Where the links of one kind of page lead."""

    parts: dict[str, LinkCounts]
    """By how near the target is: all, same_host, other_host, same_domain, other_domain."""
    unfetched: int
    """Links to URLs that were never fetched."""

    def shares(self) -> dict[str, float | None]:
        """The shares of Table 3, as in the JSON of ``analyze``."""
        return {name: part.share for name, part in self.parts.items()}

    def counts(self) -> dict[str, Any]:
        """The links behind those shares, as in the JSON of ``analyze``."""
        parts = {name: asdict(part) for name, part in self.parts.items()}
        return {**parts, "unfetched": self.unfetched}


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


def locality(links: Links) -> dict[str, Locality]:
    """Table 3: where the links of relevant and of irrelevant pages lead."""
    return {source: _of_source(links, SOURCES.index(source)) for source in SOURCES[::-1]}


def _of_source(links: Links, source: int) -> Locality:
    counts = links.counts[source]
    return Locality(
        {
            name: LinkCounts(
                int(counts[list(nearness)].sum()), int(counts[list(nearness), 1].sum())
            )
            for name, nearness in _NEARNESS.items()
        },
        int(links.unfetched[source]),
    )


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
