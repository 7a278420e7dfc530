"""Time in a simulation: how long answers take, and what a crawl then costs.

Paper 002 left elapsed time and queues per server for later (sections 4 and 6). Here a page
takes its recorded time, or a modelled one: the latency of its host, and its size at the
host's bandwidth. Hosts rest between requests, and several connections work side by side.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from langcrawl.log.graph import Graph
from langcrawl.measure.collection import by_hour
from langcrawl.measure.curve import LEVELS
from langcrawl.measure.results import TimeReport

BANDWIDTH = 1e6
"""Bytes a second of a typical host in the model."""
_MOST_HOURS = 240
"""Hours that are reported one by one."""
_SPREAD = 0.5
"""How much hosts differ, and twice as much as the pages of one: the deviation of the logarithm."""


@dataclass(frozen=True, slots=True)
class Timing:
    """How time passes in a simulation."""

    delay: float = 1.0
    connections: int = 16
    latency: float | None = None
    """Typical seconds until an answer begins; None for the times recorded in the log."""
    seed: int = 1
    spread: float = _SPREAD
    """How much the latency of hosts differs: the deviation of its logarithm."""

    def seconds(self, graph: Graph) -> npt.NDArray[np.float64]:
        """How long each page takes to download."""
        arrays = graph.arrays
        if self.latency is None:
            return arrays.elapsed.astype(np.float64)
        rng = np.random.default_rng(self.seed)
        hosts = int(arrays.host.max(initial=-1)) + 1
        latency = self.latency * rng.lognormal(0.0, self.spread, hosts)
        bandwidth = BANDWIDTH * rng.lognormal(0.0, _SPREAD, hosts)
        host = arrays.host[: graph.pages]
        jitter = rng.lognormal(0.0, _SPREAD / 2, graph.pages)
        return latency[host] * jitter + arrays.bytes / bandwidth[host]


def time_report(
    timing: Timing,
    ends: npt.NDArray[np.float64],
    busy: float,
    hits: npt.NDArray[np.bool_],
    sizes: npt.NDArray[np.int64],
    relevant_total: int,
) -> TimeReport:
    """Virtual seconds: in all, to each level of coverage, and how idle connections were; and what
    was collected hour by hour (paper 001, Tables 3 to 5).

    `ends` are the moments when pages were finished, `busy` the seconds that connections
    spent downloading.
    """
    total = float(ends[-1]) if len(ends) else 0.0
    found = np.cumsum(hits)
    to: dict[str, float | None] = {}
    for level in LEVELS:
        wanted = level * relevant_total - 1e-9
        reached = len(found) > 0 and wanted > 0 and found[-1] >= wanted
        to[f"{level:g}"] = float(ends[np.searchsorted(found, wanted)]) if reached else None
    capacity = total * timing.connections
    hours = min(math.ceil(total / 3600), _MOST_HOURS)
    return TimeReport(
        seconds=total,
        seconds_to=to,
        idle=1.0 - busy / capacity if capacity else 0.0,
        pages_per_second=len(ends) / total if total else 0.0,
        delay=timing.delay,
        connections=timing.connections,
        hours=tuple(by_hour(ends, sizes, hits, hours)),
    )
