"""Sites that two crawls found: how many there are that neither did (capture and recapture)."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import asdict, dataclass
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.compute as pc

from langcrawl.config import FILE
from langcrawl.errors import BadInput
from langcrawl.scope import read_hosts
from langcrawl.store.view import open_view

_NORMAL = 1.6449


@dataclass(frozen=True, slots=True)
class Recapture:
    """This crawl against another source of sites with relevant pages."""

    here: int
    there: int
    both: int
    reach: float
    """The share of the other's sites that this crawl found."""
    low: float
    high: float
    """90 % interval of `reach` (Wilson)."""
    sites: float
    """How many sites there are by Chapman's formula."""
    sites_low: float
    sites_high: float

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    def sentence(self) -> str:
        return (
            f"of {self.there:,} sites known from elsewhere this crawl found {self.both:,}: "
            f"{self.reach:.0%} ({self.low:.0%} to {self.high:.0%}) of the sites are within its "
            f"reach, so there may be about {self.sites:,.0f} sites ({self.sites_low:,.0f} to "
            f"{self.sites_high:,.0f})"
        )


def recapture(here: Set[str], there: Set[str]) -> Recapture:
    """Compare the sites of two sources that were made independently of each other."""
    n, m, both = len(here), len(there), len(here & there)
    share = both / m
    square = _NORMAL**2
    middle = (share + square / (2 * m)) / (1 + square / m)
    half = _NORMAL * sqrt(share * (1 - share) / m + square / (4 * m * m)) / (1 + square / m)
    sites = (n + 1) * (m + 1) / (both + 1) - 1
    variance = (n + 1) * (m + 1) * (n - both) * (m - both) / ((both + 1) ** 2 * (both + 2))
    least = float(n + m - both)
    return Recapture(
        n, m, both, share, max(0.0, middle - half), min(1.0, middle + half), sites,
        max(least, sites - _NORMAL * sqrt(variance)), sites + _NORMAL * sqrt(variance),
    )  # fmt: skip


def recapture_of(directory: Path, other: Path) -> Recapture:
    """A crawl against another crawl, or against a file of hosts."""
    there = relevant_hosts(other) if (other / FILE).exists() else read_hosts(other)
    if not there:
        raise BadInput(f"'{other}' names no site to compare with; give a crawl or a list of hosts.")
    return recapture(relevant_hosts(directory), there)


def relevant_hosts(directory: Path) -> frozenset[str]:
    """The hosts of relevant pages of the crawl in a directory."""
    with open_view(directory) as view:
        parts = [table.filter(table["relevant"])["id"] for table in view.pages(["id", "relevant"])]
        numbers = np.concatenate([part.to_numpy() for part in parts]) if parts else np.empty(0)
        hosts: set[str] = set()
        first = 0
        for table in view.urls(["host"]):
            inside = numbers[(numbers >= first) & (numbers < first + len(table))] - first
            hosts |= set(pc.unique(table["host"].take(inside.astype(np.int64))).to_pylist())
            first += len(table)
    return frozenset(hosts)
