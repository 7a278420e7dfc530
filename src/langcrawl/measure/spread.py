"""How counts are spread: over powers of two, and over hosts."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from langcrawl.virtualweb.graph import Graph

_SHARES = 10


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


def degree_summary(degree: npt.NDArray[np.int32]) -> dict[str, Any]:
    """Mean, median, largest and distribution of the degrees of pages."""
    pages = len(degree)
    return {
        "mean": float(degree.mean(dtype=np.float64)) if pages else None,
        "median": float(np.median(degree)) if pages else None,
        "max": int(degree.max()) if pages else None,
        "zero_share": _share(degree == 0),
        "single_share": _share(degree == 1),
        "distribution": by_powers_of_two(degree),
    }


def _share(flags: npt.NDArray[np.bool_]) -> float | None:
    return float(np.count_nonzero(flags) / len(flags)) if len(flags) else None


def component_summary(sizes: npt.NDArray[np.int64]) -> dict[str, Any]:
    """Number of components, the largest, and the share of pages in it."""
    largest = int(sizes.max()) if len(sizes) else 0
    return {
        "count": len(sizes),
        "largest": largest,
        "largest_share": largest / int(sizes.sum()) if len(sizes) else None,
        "single_pages": int(np.count_nonzero(sizes == 1)),
        "distribution": {name: n for name, n in by_powers_of_two(sizes).items() if name != "0"},
    }


def host_summary(graph: Graph, top: int) -> dict[str, Any]:
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
    return {
        "host_pages": {k: n for k, n in by_powers_of_two(pages[fetched]).items() if k != "0"},
        "host_relevant": by_powers_of_two(relevant[fetched]),
        "relevant_by_host_share": _by_share(pages[fetched], relevant[fetched]),
        "top_hosts": [
            {"host": name, "pages": int(pages[at]), "relevant": int(relevant[at])}
            for name, at in zip(names, best, strict=True)
            if relevant[at]
        ],
    }


def _by_share(
    pages: npt.NDArray[np.int64], relevant: npt.NDArray[np.int64]
) -> list[dict[str, Any]]:
    """Hosts and relevant pages by how much of their host is relevant, in tenths.

    A host of the first tenth has a relevant page and at most a tenth of them; hosts without
    any are left out.
    """
    pages, relevant = pages[relevant > 0], relevant[relevant > 0]
    tenth = -(-relevant * _SHARES // pages) - 1
    hosts = np.bincount(tenth, minlength=_SHARES)
    sums = np.zeros(_SHARES, dtype=np.int64)
    np.add.at(sums, tenth, relevant)
    return [
        {"up_to": (at + 1) / _SHARES, "hosts": int(hosts[at]), "relevant": int(sums[at])}
        for at in range(_SHARES)
    ]
