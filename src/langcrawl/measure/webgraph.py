"""The web graph of a log in numbers: all that paper 000, section 2 counts, and more.

docs/analysis.md says what each number is and how it is read.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from langcrawl.languages import parse_tag, parse_targets
from langcrawl.log.graph import Graph
from langcrawl.measure.components import component_sizes
from langcrawl.measure.distance import distance_counts, distances
from langcrawl.measure.locality import Locality, count_links, locality
from langcrawl.measure.places import Places, places_of
from langcrawl.measure.spread import (
    ComponentSummary,
    DegreeSummary,
    HostSummary,
    component_summary,
    degree_summary,
    host_summary,
)
from langcrawl.measure.tally import Table, Tally, tally_pages
from langcrawl.records import UNKNOWN

GROUPS = ("target", "bridge", "other", "unknown")
"""The rows of paper 000, Table 2."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """How large a web is, and for which language it is looked at."""

    lang: str
    bridge: str
    pages: int
    ok_pages: int
    redirects: int
    failed: int
    relevant: int
    languages: dict[str, int]
    """Relevant pages by target language."""
    urls: int
    links: int
    hosts: int
    known_hosts: int
    domains: int


@dataclass(frozen=True, slots=True)
class Analysis:
    """All that ``langcrawl analyze`` says of a web."""

    sizes: Sizes
    languages_by_tld: Table
    groups_by_tld: Table
    """Pages by one of `GROUPS`."""
    relevant_by_tld: dict[str, int]
    charsets_by_tld: dict[str, Table]
    """Relevant pages, by where the charset stands: header, meta, detected."""
    encodings_by_tld: Table
    locality: dict[str, Locality]
    """Of links from relevant and from irrelevant pages, under these names."""
    self_links: int
    distance: dict[str, int]
    unreached: int
    in_degree: DegreeSummary
    out_degree: DegreeSummary
    components: ComponentSummary
    hosts: HostSummary

    def as_json(self) -> dict[str, Any]:
        """The document of ``langcrawl analyze``, apart from the name of the log."""
        return {
            **asdict(self.sizes),
            "languages_by_tld": self.languages_by_tld,
            "groups_by_tld": self.groups_by_tld,
            "relevant_by_tld": self.relevant_by_tld,
            "charsets_by_tld": self.charsets_by_tld,
            "encodings_by_tld": self.encodings_by_tld,
            "locality": {source: found.shares() for source, found in self.locality.items()},
            "locality_links": {source: found.counts() for source, found in self.locality.items()},
            "self_links": self.self_links,
            "distance": self.distance,
            "unreached": self.unreached,
            "degrees": {"in": asdict(self.in_degree), "out": asdict(self.out_degree)},
            "components": asdict(self.components),
            **asdict(self.hosts),
        }


def analyze_graph(
    graph: Graph, lang: str, top: int = 10, show: Callable[[str], None] = lambda stage: None
) -> Analysis:
    """Everything that ``langcrawl analyze`` says of a graph.

    `lang` is the target that the graph was loaded for; `show` is told what is done next.
    """
    show("looking up hosts")
    places = places_of(graph)
    show("counting languages and charsets")
    tally = tally_pages(graph, places)
    show("counting links")
    links = count_links(graph, places)
    show("measuring distances")
    found = distances(graph)
    show("finding strongly connected components")
    sizes = component_sizes(graph)
    show("counting hosts")
    return Analysis(
        sizes=_sizes(graph, lang, places),
        languages_by_tld=_sorted(tally.languages),
        groups_by_tld=_groups(tally, lang, graph.config.bridge),
        relevant_by_tld=_relevant_by_tld(graph, places),
        charsets_by_tld={source: _sorted(table) for source, table in tally.charsets.items()},
        encodings_by_tld=_sorted(tally.encodings),
        locality=locality(links),
        self_links=links.self_links,
        distance=distance_counts(found),
        unreached=graph.relevant_total - int(np.count_nonzero(found)),
        in_degree=degree_summary(links.in_degree[: graph.pages]),
        out_degree=degree_summary(links.out_degree),
        components=component_summary(sizes),
        hosts=host_summary(graph, top),
    )


def _sizes(graph: Graph, lang: str, places: Places) -> Sizes:
    arrays = graph.arrays
    fetched = np.unique(arrays.host[: graph.pages])
    redirects = int(np.count_nonzero(arrays.redirect >= 0))
    ok_pages = int(np.count_nonzero((arrays.status == 200) & (arrays.redirect < 0)))
    return Sizes(
        lang=lang,
        bridge=graph.config.bridge,
        pages=graph.pages,
        ok_pages=ok_pages,
        redirects=redirects,
        failed=graph.pages - ok_pages - redirects,
        relevant=graph.relevant_total,
        languages=graph.relevant_by_target(),
        urls=graph.nodes,
        links=graph.links,
        hosts=len(fetched),
        known_hosts=len(graph.hosts),
        domains=len(np.unique(places.domain[fetched])),
    )


def _groups(tally: Tally, lang: str, bridge: str) -> Table:
    """Table 2 of paper 000: target, bridge, other and unknown languages by top-level domain."""
    target, between = parse_targets(lang), parse_targets(bridge).primaries
    groups: Table = {group: {} for group in GROUPS}
    for (language, script), row in tally.tongues.items():
        primary = parse_tag(language).primary
        if target.matches(language, script):
            group = "target"
        elif primary == UNKNOWN:
            group = "unknown"
        else:
            group = "bridge" if primary in between else "other"
        for tld, count in row.items():
            groups[group][tld] = groups[group].get(tld, 0) + count
    return {group: _largest_first(row) for group, row in groups.items()}


def _relevant_by_tld(graph: Graph, places: Places) -> dict[str, int]:
    """Paper 003, Figure 8: where the pages of the target are."""
    hosts = graph.arrays.host[: graph.pages][graph.relevant != 0]
    counts = np.bincount(places.tld[hosts], minlength=len(places.tlds))
    return _largest_first({places.tlds[at]: int(counts[at]) for at in np.flatnonzero(counts)})


def _sorted(table: Table) -> Table:
    """The rows and their cells, the largest first."""
    order = sorted(table, key=lambda name: (-sum(table[name].values()), name))
    return {name: _largest_first(table[name]) for name in order}


def _largest_first(row: dict[str, int]) -> dict[str, int]:
    return dict(sorted(row.items(), key=lambda cell: (-cell[1], cell[0])))
