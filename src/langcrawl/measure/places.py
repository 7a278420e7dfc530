"""Where pages are: the top-level and the registered domain of every host."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from langcrawl.log.graph import Graph
from langcrawl.url import domain_of, tld_of


@dataclass(frozen=True, slots=True)
class Places:
    """Top-level and registered domains as numbers, so that links can be compared quickly."""

    tlds: list[str]
    """Names such as ``.th``, by number; ``ip`` for hosts that are addresses."""
    tld: npt.NDArray[np.int32]
    """The top-level domain of every host."""
    domain: npt.NDArray[np.int32]
    """The registered domain of every host."""

    @property
    def domains(self) -> int:
        return int(self.domain.max()) + 1 if len(self.domain) else 0


def places_of(graph: Graph) -> Places:
    """Look up the hosts of a graph in the public suffix list, each once."""
    hosts = graph.hosts.to_pylist()
    tlds: dict[str, int] = {}
    domains: dict[str, int] = {}
    tld = np.empty(len(hosts), dtype=np.int32)
    domain = np.empty(len(hosts), dtype=np.int32)
    for number, host in enumerate(hosts):
        tld[number] = tlds.setdefault(tld_of(host), len(tlds))
        domain[number] = domains.setdefault(domain_of(host), len(domains))
    return Places(list(tlds), tld, domain)
