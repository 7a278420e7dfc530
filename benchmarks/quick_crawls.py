"""Many crawls in little time: generated webs in memory, and a compiled loop that draws by chance.

The order is that of `simulate` with `bfs` or `soft`; tests/benchmarks/test_quick_crawls.py compares
them. Draws are uniform over what waits, as in `langcrawl.draws`, but by other random numbers.
"""
# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np
import numpy.typing as npt

from langcrawl.log.graph import Graph
from langcrawl.measure.signs import Crawled, lately
from langcrawl.simulate import Plan
from langcrawl.simulate.plan import find_seeds
from langcrawl.virtualweb.synth import Profile, pages
from langcrawl.virtualweb.synth.hosts import TARGET
from langcrawl.virtualweb.synth.links import count_new, link_pages
from langcrawl.virtualweb.synth.web import plan_web

Numbers = npt.NDArray[np.int64]


class QuickWeb(NamedTuple):
    """Pages and the links between them.

    URLs without a page are left out with the links to them, or are pages that are not relevant and
    have no links: as dead links are on the live web.
    """

    offsets: Numbers
    dst: npt.NDArray[np.int32]
    redirect: Numbers
    host: Numbers
    relevant: npt.NDArray[np.bool_]
    page: npt.NDArray[np.bool_]
    """Whether its status is 200."""
    seeds: Numbers


class QuickCrawl(NamedTuple):
    """A crawl of a web to its end."""

    web: QuickWeb
    order: Numbers
    drawn: npt.NDArray[np.bool_]
    """Whether each download was drawn."""
    found_at: Numbers
    """After how many downloads each page was known; -1 for never."""


def generated(profile: Profile, size: int, seed: int, dead: float = 0.0) -> QuickWeb:
    """The web that `langcrawl synth` writes for this profile, size and seed.

    `dead` is the share of the URLs without a page that are kept, as dead links.
    """
    web, seeds = plan_web(profile, size, seed)
    host, hosts = web.labels.host, web.hosts
    new = np.empty(int(count_new(web.plan, host, web.seed, 0, size)), np.int32)
    counts = np.zeros(size, np.int32)
    room, total = 40 * size + int(hosts.leaves.max()) + 100_000, -1
    while total < 0:
        goals = np.empty(room, np.int64)
        total = link_pages(web.plan, host, web.seed, 0, size, size, goals, counts, new)
        room *= 2
    leaf = np.arange(size) - hosts.first[host] >= hosts.ok[host]
    status = pages.statuses(leaf, 0, web.seed, profile.pages.redirects)
    moved = (status == 301) & (hosts.ok[host] > 0)
    offsets = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
    redirect = np.where(moved, hosts.first[host], -1)
    relevant = (web.labels.language == TARGET) & ~leaf
    if dead:
        more = len(new)
        kept = np.append(np.ones(size, bool), np.random.default_rng(seed).random(more) < dead)
        goals = np.where(kept[goals[:total]], goals[:total], size + more)
        offsets = np.append(offsets, np.full(more, total))
        redirect, host = np.append(redirect, np.full(more, -1)), np.append(host, new)
        relevant = np.append(relevant, np.zeros(more, bool))
        leaf = np.append(leaf, np.ones(more, bool))
    return _without_unknown(
        offsets, goals[:total], redirect, host, relevant, ~leaf, hosts.first[seeds]
    )


def of_graph(graph: Graph) -> QuickWeb:
    """The pages of a log."""
    arrays, size = graph.arrays, graph.pages
    return _without_unknown(
        arrays.offsets[: size + 1], arrays.dst, arrays.redirect[:size], arrays.host[:size],
        graph.relevant != 0, arrays.status[:size] == 200,
        np.array(find_seeds(graph, Plan()).nodes),
    )  # fmt: skip


def _without_unknown(
    offsets: Any, dst: Any, redirect: Any, host: Any, relevant: Any, page: Any, seeds: Any
) -> QuickWeb:
    size = len(relevant)
    known = dst < size
    before = np.concatenate([[0], np.cumsum(known)])
    return QuickWeb(
        before[offsets].astype(np.int64), dst[known].astype(np.int32),
        np.where(redirect < size, redirect, -1).astype(np.int64), host.astype(np.int64),
        relevant, page, np.asarray(seeds, np.int64),
    )  # fmt: skip


def reachable(web: QuickWeb, seeds: Numbers | None = None) -> int:
    """How many relevant pages the seeds lead to."""
    return int(np.count_nonzero(web.relevant[crawl(web, "bfs", 0.0, 0, seeds).order]))


def crawl(
    web: QuickWeb, strategy: str, share: float, seed: int, seeds: Numbers | None = None
) -> QuickCrawl:
    """Crawl a web to its end by `bfs` or `soft`, with a share of draws."""
    begin = web.seeds if seeds is None else seeds
    order, drawn, found_at = _crawl(
        web.offsets, web.dst, web.redirect, web.relevant, begin, share, seed, strategy == "soft"
    )
    return QuickCrawl(web, order, drawn, found_at)


def crawled(done: QuickCrawl, end: int) -> Crawled:
    """What the crawl knew after so many downloads."""
    web, order = done.web, done.order[:end]
    size = len(web.relevant)
    place = np.full(size, -1)
    place[order] = np.arange(end)
    late = order[lately(web.relevant[order]) :]
    late = late[web.relevant[late]]
    counts = web.offsets[late + 1] - web.offsets[late]
    into = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    dst = web.dst[np.repeat(web.offsets[late], counts) + into]
    far = web.host[np.repeat(late, counts)] != web.host[dst]
    links, abroad = (np.bincount(some, minlength=size) for some in (dst, dst[far]))
    by_chance = np.zeros(size, bool)
    by_chance[order[done.drawn[:end]]] = True
    known = np.flatnonzero((done.found_at >= 0) & (done.found_at <= end))
    return Crawled(
        place[known], web.relevant[known] & (place[known] >= 0),
        web.page[known] & (place[known] >= 0), done.found_at[known], web.host[known],
        links[known], abroad[known], by_chance[known],
    )  # fmt: skip


@numba.njit(cache=True)
def _crawl(offsets, dst, redirect, relevant, seeds, share, seed, soft):
    """States: 0 unseen, 1 taken, 2 waits in the first lane, 3 in the second."""
    size = len(relevant)
    np.random.seed(seed)
    state, found_at = np.zeros(size, np.int8), np.full(size, -1)
    lanes = np.empty((2, size + 1), np.int64)
    head, tail = np.zeros(2, np.int64), np.zeros(2, np.int64)
    waiting, at = np.empty(size, np.int64), np.empty(size, np.int64)
    order, drawn = np.empty(size, np.int64), np.zeros(size, np.bool_)
    count = taken = 0
    for node in seeds:
        if state[node] == 0:
            state[node], found_at[node] = 2, 0
            lanes[0, tail[0]] = node
            tail[0] += 1
            waiting[count], at[node] = node, count
            count += 1
    while count:
        node = -1
        if share > 0 and np.random.random() < share:
            node = waiting[np.random.randint(0, count)]
            drawn[taken] = True
        for lane in range(2):
            while node < 0 and head[lane] < tail[lane]:
                first = lanes[lane, head[lane]]
                head[lane] += 1
                if state[first] == 2 + lane:
                    node = first
        state[node] = 1
        count -= 1
        last = waiting[count]
        waiting[at[node]], at[last] = last, at[node]
        order[taken] = node
        taken += 1
        lane = 0 if relevant[node] or not soft else 1
        for link in range(offsets[node] - 1, offsets[node + 1]):
            target = redirect[node] if link < offsets[node] else dst[link]
            if target < 0 or state[target] == 1 or state[target] == 2 or state[target] == 2 + lane:
                continue
            if state[target] == 0:
                found_at[target] = taken
                waiting[count], at[target] = target, count
                count += 1
            state[target] = 2 + lane
            lanes[lane, tail[lane]] = target
            tail[lane] += 1
    return order[:taken], drawn[:taken], found_at
