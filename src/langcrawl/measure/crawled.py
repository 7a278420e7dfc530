"""What the estimate of coverage needs of a crawl: of a simulated one, or of a live one's log."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow.compute as pc

from langcrawl.config import CrawlConfig
from langcrawl.draws import MARK
from langcrawl.log.graph import Graph
from langcrawl.measure.estimate import (
    Crawled,
    Estimate,
    Numbers,
    estimate,
    split_by_finder,
    strata_of,
)
from langcrawl.store.view import open_view

_NEVER = np.iinfo(np.int64).max


def of_simulation(
    graph: Graph, order: npt.NDArray[np.int32], drawn: npt.NDArray[np.int32]
) -> Crawled:
    """A simulated crawl, of which only the order is looked at, and links of pages taken."""
    arrays, pages = graph.arrays, graph.pages
    place = np.full(graph.nodes, _NEVER)
    place[order] = np.arange(len(order))
    taken = np.zeros(graph.nodes, bool)
    taken[order] = True
    sources = np.repeat(np.arange(pages), np.diff(arrays.offsets[: pages + 1]))
    links = taken[:pages][sources]
    found_at = np.full(graph.nodes, _NEVER)
    np.minimum.at(found_at, arrays.dst[links], place[sources[links]] + 1)
    turned = np.flatnonzero(taken[:pages] & (arrays.redirect[:pages] >= 0))
    np.minimum.at(found_at, arrays.redirect[turned], place[turned] + 1)
    found_at[order] = np.minimum(found_at[order], place[order])
    waiting = np.flatnonzero((found_at < _NEVER) & ~taken)
    waiting = waiting[waiting < pages]
    relevant = np.zeros(len(order), bool)
    inside = order < pages
    relevant[inside] = graph.relevant[order[inside]] != 0
    host = np.asarray(arrays.host, np.int64)
    return _crawled(
        relevant, found_at[order], host[order], np.asarray(drawn, np.int64), found_at[waiting],
        host[waiting],
    )  # fmt: skip


def estimate_crawl(directory: Path) -> Estimate | None:
    """The coverage of the crawl in a directory; None where it draws no sample, or too small a one.

    URLs that a strategy has discarded count as waiting: nobody has looked at them.
    """
    if not CrawlConfig.load(directory).sample:
        return None
    ids, hits, marks = [], [], []
    with open_view(directory) as view:
        for table in view.pages(["id", "relevant", "reason", "status"]):
            table = table.filter(pc.greater(table["status"], 0))
            ids.append(table["id"].to_numpy())
            hits.append(pc.fill_null(table["relevant"], False).to_numpy(zero_copy_only=False))
            reasons = pc.fill_null(table["reason"], "")
            marks.append(pc.starts_with(reasons, MARK).to_numpy(zero_copy_only=False))
        if not ids:
            return None
        order = np.concatenate(ids)
        largest = np.full(len(order), -1)
        place = {int(number): at for at, number in enumerate(order.tolist())}
        for links in view.links(["src", "dst"]):
            where = np.array([place.get(src, -1) for src in links["src"].to_pylist()], np.int64)
            known = where >= 0
            np.maximum.at(largest, where[known], links["dst"].to_numpy()[known])
        names = [table["host"].combine_chunks() for table in view.urls(["host"])]
        taken = view.taken()
    hosts = np.concatenate([np.asarray(part.to_pylist(), object) for part in names])
    _, host = np.unique(hosts.astype(str), return_inverse=True)
    known_after = np.maximum.accumulate(largest)
    urls = np.arange(len(host))
    found_at = np.searchsorted(known_after, urls) + 1
    found_at[order] = np.minimum(found_at[order], np.arange(len(order)))
    waiting = np.ones(len(host), bool)
    waiting[order] = False
    waiting[np.array(taken, np.int64)] = False
    return estimate(
        _crawled(
            np.concatenate(hits).astype(bool), found_at[order], host[order],
            np.flatnonzero(np.concatenate(marks)), found_at[waiting], host[waiting],
        )
    )  # fmt: skip


def _crawled(
    relevant: npt.NDArray[np.bool_], found_at: Numbers, host: Numbers, drawn: Numbers,
    waiting_found_at: Numbers, waiting_host: Numbers,
) -> Crawled:  # fmt: skip
    size = int(max(host.max(initial=0), waiting_host.max(initial=0))) + 1
    downloads = np.bincount(host, minlength=size)
    hits = np.bincount(host[relevant], minlength=size)
    own = strata_of(downloads[host] - 1, hits[host] - relevant)
    waiting = strata_of(downloads[waiting_host], hits[waiting_host])
    return Crawled(
        relevant, found_at, split_by_finder(own, found_at, relevant), drawn, waiting_found_at,
        split_by_finder(waiting, waiting_found_at, relevant),
    )  # fmt: skip
