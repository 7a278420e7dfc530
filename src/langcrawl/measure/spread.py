"""How counts are spread: over powers of two, and over hosts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from langcrawl.log.graph import Graph

_SHARES = 10


@dataclass(frozen=True, slots=True)
class DegreeSummary:
    """How many links pages have; None where there are no pages."""

    mean: float | None
    median: float | None
    max: int | None
    zero_share: float | None
    """The share of pages with no link."""
    single_share: float | None
    """The share of pages with just one."""
    distribution: dict[str, int]
    """How many pages have 0, 1, 2-3, 4-7, ... links."""


@dataclass(frozen=True, slots=True)
class ComponentSummary:
    """The strongly connected components of a graph."""

    count: int
    largest: int
    largest_share: float | None
    """The share of all pages that is in the largest."""
    single_pages: int
    distribution: dict[str, int]
    """How many components have 1, 2-3, 4-7, ... pages."""


@dataclass(frozen=True, slots=True)
class HostShare:
    """The hosts of which at most this share is relevant, and more than the share before."""

    up_to: float
    hosts: int
    relevant: int
    """Relevant pages on them."""


@dataclass(frozen=True, slots=True)
class TopHost:
    """A host with many relevant pages."""

    host: str
    pages: int
    relevant: int


@dataclass(frozen=True, slots=True)
class HostSummary:
    """The hosts that have a page."""

    host_pages: dict[str, int]
    """How many have 1, 2-3, 4-7, ... pages."""
    host_relevant: dict[str, int]
    """How many have 0, 1, 2-3, 4-7, ... relevant pages."""
    relevant_by_host_share: tuple[HostShare, ...]
    top_hosts: tuple[TopHost, ...]


def by_powers_of_two(counts: npt.NDArray[np.integer]) -> dict[str, int]:
    """How many of the counts are 0, 1, 2-3, 4-7, 8-15, ...; to the largest that occurs."""
    if not len(counts):
        return {}
    # The exponent of a float is the place of the leading bit, exactly so below 2 ** 53.
    bins = np.bincount(np.frexp(counts.astype(np.float64))[1])
    return {_bin_name(number): int(size) for number, size in enumerate(bins)}


def _bin_name(number: int) -> str:
    low, high = (1 << number) >> 1, (1 << number) - 1
    return str(low) if low >= high else f"{low}-{high}"


def degree_summary(degree: npt.NDArray[np.int32]) -> DegreeSummary:
    """Mean, median, largest and distribution of the degrees of pages."""
    pages = len(degree)
    return DegreeSummary(
        mean=float(degree.mean(dtype=np.float64)) if pages else None,
        median=float(np.median(degree)) if pages else None,
        max=int(degree.max()) if pages else None,
        zero_share=_share(degree == 0),
        single_share=_share(degree == 1),
        distribution=by_powers_of_two(degree),
    )


def _share(flags: npt.NDArray[np.bool_]) -> float | None:
    return float(np.count_nonzero(flags) / len(flags)) if len(flags) else None


def component_summary(sizes: npt.NDArray[np.int64]) -> ComponentSummary:
    """Number of components, the largest, and the share of pages in it."""
    largest = int(sizes.max()) if len(sizes) else 0
    return ComponentSummary(
        count=len(sizes),
        largest=largest,
        largest_share=largest / int(sizes.sum()) if len(sizes) else None,
        single_pages=int(np.count_nonzero(sizes == 1)),
        distribution=_without_zero(by_powers_of_two(sizes)),
    )


def _without_zero(bins: dict[str, int]) -> dict[str, int]:
    return {name: count for name, count in bins.items() if name != "0"}


def host_summary(graph: Graph, top: int) -> HostSummary:
    """Sizes of the hosts that have a page, and how many relevant pages they have.

    Paper 000, section 4.2 asks for the latter, to understand its threshold S.
    """
    hosts = len(graph.hosts)
    place = graph.arrays.host[: graph.pages]
    pages = np.bincount(place, minlength=hosts)
    relevant = np.bincount(place[graph.relevant != 0], minlength=hosts)
    fetched = pages > 0
    best = np.lexsort((np.arange(hosts), -pages, -relevant))[:top]
    names = graph.hosts.take(pa.array(best)).to_pylist()
    return HostSummary(
        host_pages=_without_zero(by_powers_of_two(pages[fetched])),
        host_relevant=by_powers_of_two(relevant[fetched]),
        relevant_by_host_share=_by_share(pages[fetched], relevant[fetched]),
        top_hosts=tuple(
            TopHost(name, int(pages[at]), int(relevant[at]))
            for name, at in zip(names, best, strict=True)
            if relevant[at]
        ),
    )


def _by_share(
    pages: npt.NDArray[np.int64], relevant: npt.NDArray[np.int64]
) -> tuple[HostShare, ...]:
    """Hosts and relevant pages by how much of their host is relevant, in tenths.

    A host of the first tenth has a relevant page and at most a tenth of them; hosts without
    any are left out.
    """
    pages, relevant = pages[relevant > 0], relevant[relevant > 0]
    tenth = -(-relevant * _SHARES // pages) - 1
    hosts = np.bincount(tenth, minlength=_SHARES)
    sums = np.zeros(_SHARES, dtype=np.int64)
    np.add.at(sums, tenth, relevant)
    return tuple(
        HostShare((at + 1) / _SHARES, int(hosts[at]), int(sums[at])) for at in range(_SHARES)
    )
