"""A generated web as a crawl log: a chunk of pages is a segment, made on any core."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt

from langcrawl.config import CrawlConfig
from langcrawl.virtualweb.draft import new_crawl
from langcrawl.virtualweb.log import write_segment
from langcrawl.virtualweb.pool import cores
from langcrawl.virtualweb.schema import log_table
from langcrawl.virtualweb.synth.hosts import TARGET
from langcrawl.virtualweb.synth.links import count_new, link_pages
from langcrawl.virtualweb.synth.profile import Profile
from langcrawl.virtualweb.synth.tables import link_table, page_table, unfetched_table, url_table
from langcrawl.virtualweb.synth.web import Web, plan_web

_CHUNK = 250_000
"""Pages of a segment."""
_UNFETCHED_CHUNK = 2_000_000
Progress = Callable[[float, int], None]
"""Told now and then: the share that is done, and how many pages that is."""


@dataclass(frozen=True, slots=True)
class Generated:
    """What was generated."""

    pages: int
    relevant: int
    urls: int
    links: int
    hosts: int
    seeds: tuple[str, ...]


def generate(
    directory: Path,
    profile: Profile,
    size: int,
    seed: int,
    progress: Progress = lambda share, pages: None,
    stop: Callable[[], bool] = lambda: False,
) -> Generated:
    """Make a web of so many pages and write it as a crawl directory."""
    progress(0.0, 0)
    web, seeds = plan_web(profile, size, seed)
    urls = tuple(f"http://{web.names[int(host)].as_py()}/" for host in seeds)
    config = CrawlConfig(
        source=f"synth {profile.name} {size} pages, seed {seed}",
        lang=profile.lang, bridge=profile.bridge, seeds=urls,
    )  # fmt: skip
    with new_crawl(directory, config) as draft:
        links, last_url = _write(draft, web, size, progress, stop)
    relevant = int(np.count_nonzero(web.labels.language == TARGET))
    return Generated(size, relevant, last_url, links, len(web.hosts), urls)


def _write(
    draft: Path, web: Web, size: int, progress: Progress, stop: Callable[[], bool]
) -> tuple[int, int]:
    """Write all segments; how many links and how many URLs there are."""
    chunks = list(pairwise([*range(0, size, _CHUNK), size]))
    ends = size + np.cumsum([0, *(_count_new(web, *chunk) for chunk in chunks)])
    links = 0
    new_hosts: list[npt.NDArray[np.int32]] = []
    with ThreadPoolExecutor(cores()) as pool:
        jobs = [
            pool.submit(_write_chunk, draft, web, number, chunk, int(ends[number]),
                        int(ends[number + 1]), stop)
            for number, chunk in enumerate(chunks)
        ]  # fmt: skip
        for number, job in enumerate(jobs):
            found, hosts = job.result()
            links += found
            new_hosts.append(hosts)
            progress(chunks[number][1] / size, chunks[number][1])
    if stop():
        raise KeyboardInterrupt
    _write_unfetched(draft, web, np.concatenate(new_hosts), size, len(chunks))
    return links, int(ends[-1])


def _count_new(web: Web, first: int, last: int) -> int:
    return int(count_new(web.plan, web.labels.host, web.seed, first, last))


def _write_chunk(
    directory: Path,
    web: Web,
    number: int,
    chunk: tuple[int, int],
    next_url: int,
    end_url: int,
    stop: Callable[[], bool],
) -> tuple[int, npt.NDArray[np.int32]]:
    """Make one segment; how many links it has, and the hosts of the URLs never fetched."""
    first, last = chunk
    new_hosts = np.empty(end_url - next_url, np.int32)
    if stop():
        return 0, new_hosts
    counts = np.zeros(last - first, np.int32)
    room = 40 * (last - first) + int(web.hosts.leaves.max()) + 100_000
    while True:
        goals = np.empty(room, np.int64)
        total = link_pages(
            web.plan, web.labels.host, web.seed, first, last, next_url, goals, counts, new_hosts
        )
        if total >= 0:
            break
        room *= 2
    tables = {
        "urls": url_table(web, first, last),
        "links": link_table(web, first, counts, goals[:total]),
        "pages": page_table(web, first, last),
    }
    write_segment(directory, number, tables)
    return total, new_hosts


def _write_unfetched(
    directory: Path, web: Web, host: npt.NDArray[np.int32], first: int, number: int
) -> None:
    """Segments of URLs that are known from links only."""
    for begin in range(0, len(host), _UNFETCHED_CHUNK):
        part = host[begin : begin + _UNFETCHED_CHUNK]
        tables = {name: log_table(name, 0, {}) for name in ("links", "pages")}
        tables["urls"] = unfetched_table(web, part, first + begin)
        write_segment(directory, number + begin // _UNFETCHED_CHUNK, tables)
