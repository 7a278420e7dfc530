"""What the estimate of coverage needs of a crawl: of a simulated one, or of a live one's log."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow.compute as pc

from langcrawl.config import CrawlConfig
from langcrawl.draws import MARK
from langcrawl.log.graph import Graph
from langcrawl.measure.estimate import Estimate, estimate
from langcrawl.measure.signs import Crawled, Flags, Numbers, lately
from langcrawl.store.view import View, open_view

_NEVER = np.iinfo(np.int64).max


def of_simulation(
    graph: Graph, order: npt.NDArray[np.int32], drawn: npt.NDArray[np.int32]
) -> Crawled:
    """A simulated crawl, of which only the order is looked at, and links of pages taken."""
    arrays, pages = graph.arrays, graph.pages
    taken = order[order < pages]
    place = _places(order, graph.nodes)
    relevant, page = np.zeros((2, graph.nodes), bool)
    relevant[taken] = graph.relevant[taken] != 0
    page[taken] = arrays.status[taken] == 200
    counts = arrays.offsets[taken + 1] - arrays.offsets[taken]
    ends = np.cumsum(counts)
    into = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - counts, counts)
    dst = arrays.dst[np.repeat(arrays.offsets[taken], counts) + into]
    src = np.repeat(taken, counts)
    found_at = np.full(graph.nodes, _NEVER)
    np.minimum.at(found_at, dst, place[src] + 1)
    turned = taken[arrays.redirect[taken] >= 0]
    np.minimum.at(found_at, arrays.redirect[turned], place[turned] + 1)
    found_at[order] = np.minimum(found_at[order], place[order])
    by_chance = np.zeros(graph.nodes, bool)
    by_chance[order[drawn]] = True
    known = np.flatnonzero(found_at < _NEVER)
    known = known[(known < pages) | (place[known] >= 0)]
    host = np.asarray(arrays.host, np.int64)
    links = _LinksOfLately(place, relevant, host)
    links.add(src, dst)
    return Crawled(
        place[known], relevant[known], page[known], found_at[known], host[known],
        links.all[known], links.abroad[known], by_chance[known],
    )  # fmt: skip


def estimate_crawl(directory: Path) -> Estimate | None:
    """The coverage of the crawl in a directory; None where it draws no sample, or too small a one.

    URLs that a strategy has discarded count as waiting: nobody has looked at them.
    """
    config = CrawlConfig.load(directory)
    if not config.sample:
        return None
    with open_view(directory) as view:
        order, relevant, page, drawn = _downloads(view)
        if not len(order):
            return None
        host = _hosts(view)
        place = _places(order, len(host))
        hits, pages = np.zeros((2, len(host)), bool)
        hits[order], pages[order] = relevant, page
        links = _LinksOfLately(place, hits, host)
        found_at = _found_at(view.links(["src", "dst"]), place, links)
        given_up = np.zeros(len(host), bool)
        given_up[np.array(view.taken(), np.int64)] = True
    found_at[order] = np.minimum(found_at[order], np.arange(len(order)))
    by_chance = np.zeros(len(host), bool)
    by_chance[order[drawn]] = True
    known = (place >= 0) | ~given_up
    return estimate(
        Crawled(
            place[known], hits[known], pages[known], found_at[known], host[known],
            links.all[known], links.abroad[known], by_chance[known],
        ),
        config.delay,
    )  # fmt: skip


def _downloads(view: View) -> tuple[Numbers, Flags, Flags, Flags]:
    """The ids of the downloads in the order taken, which are relevant, pages, and drawn."""
    ids = [np.empty(0, np.int64)]
    hits, pages, marks = ([np.empty(0, bool)] for _ in range(3))
    for table in view.pages(["id", "relevant", "reason", "status"]):
        table = table.filter(pc.greater(table["status"], 0))
        ids.append(table["id"].to_numpy())
        hits.append(pc.fill_null(table["relevant"], False).to_numpy(zero_copy_only=False))
        pages.append(pc.equal(table["status"], 200).to_numpy(zero_copy_only=False))
        reasons = pc.fill_null(table["reason"], "")
        marks.append(pc.starts_with(reasons, MARK).to_numpy(zero_copy_only=False))
    return (
        np.concatenate(ids).astype(np.int64), np.concatenate(hits).astype(bool),
        np.concatenate(pages).astype(bool), np.concatenate(marks).astype(bool),
    )  # fmt: skip


def _hosts(view: View) -> Numbers:
    """The host of each URL, as a number."""
    names = [table["host"].combine_chunks() for table in view.urls(["host"])]
    hosts = np.concatenate([np.asarray(part.to_pylist(), object) for part in names])
    return np.unique(hosts.astype(str), return_inverse=True)[1].astype(np.int64)


class _LinksOfLately:
    """How many relevant pages of lately link to each URL, and how many of other hosts."""

    def __init__(self, place: Numbers, relevant: Flags, host: Numbers) -> None:
        taken = np.flatnonzero(place >= 0)
        since = lately(relevant[taken[np.argsort(place[taken], kind="stable")]])
        self._late, self._host = relevant & (place >= since), host
        self.all, self.abroad = np.zeros((2, len(place)), np.int64)

    def add(self, src: npt.NDArray[np.integer[Any]], dst: npt.NDArray[np.integer[Any]]) -> None:
        late = self._late[src]
        src, dst = src[late], dst[late]
        self.all += np.bincount(dst, minlength=len(self.all))
        far = self._host[src] != self._host[dst]
        self.abroad += np.bincount(dst[far], minlength=len(self.all))


def _found_at(tables: Iterable[Any], place: Numbers, links: _LinksOfLately) -> Numbers:
    """After how many downloads each URL was known; all links are counted on the way.

    Ids are given in the order in which URLs become known, so a page makes known all up to the
    largest that it links to.
    """
    largest = np.full(int(place.max()) + 1, -1)
    for table in tables:
        src, dst = table["src"].to_numpy(), table["dst"].to_numpy()
        inside = (src < len(place)) & (dst < len(place))
        src, dst = src[inside], dst[inside]
        src, dst = src[place[src] >= 0], dst[place[src] >= 0]
        np.maximum.at(largest, place[src], dst)
        links.add(src, dst)
    known_after = np.maximum.accumulate(largest)
    return np.searchsorted(known_after, np.arange(len(place))) + 1


def _places(order: npt.NDArray[np.integer[Any]], size: int) -> Numbers:
    """The number of the download of each URL; -1 where it was not downloaded."""
    place = np.full(size, -1)
    place[order] = np.arange(len(order))
    return place
