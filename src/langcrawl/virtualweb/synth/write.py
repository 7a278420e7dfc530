"""A generated web as a crawl log: a chunk of pages is a segment, made on any core."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from langcrawl.config import CrawlConfig
from langcrawl.log.schema import log_table
from langcrawl.log.segments import write_segment
from langcrawl.parallel import Progress, Stop, cores, in_order, never, silent
from langcrawl.store.draft import new_crawl
from langcrawl.virtualweb.synth.hosts import TARGET
from langcrawl.virtualweb.synth.links import count_new, link_pages
from langcrawl.virtualweb.synth.profile import Profile
from langcrawl.virtualweb.synth.tables import link_table, page_table, unfetched_table, url_table
from langcrawl.virtualweb.synth.web import Web, plan_web

_CHUNK = 250_000
"""Pages of a segment."""
_UNFETCHED_CHUNK = 2_000_000


class _Chunk(NamedTuple):
    """Pages that become a segment, and the numbers of the URLs that only they link to."""

    number: int
    first: int
    last: int
    next_url: int
    end_url: int


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
    progress: Progress = silent,
    stop: Stop = never,
) -> Generated:
    """Make a web of so many pages and write it as a crawl directory."""
    progress(0, 0.0)
    web, seeds = plan_web(profile, size, seed)
    urls = tuple(f"http://{web.names[int(host)].as_py()}/" for host in seeds)
    config = generated_config(profile.name, size, seed, urls, profile.lang, profile.bridge)
    with new_crawl(directory, config) as draft:
        links, last_url = _write(draft, web, size, progress, stop)
    relevant = int(np.count_nonzero(web.labels.language == TARGET))
    return Generated(size, relevant, last_url, links, len(web.hosts), urls)


def generated_config(
    profile: str, size: int, seed: int, urls: tuple[str, ...], lang: str, bridge: str = "en"
) -> CrawlConfig:
    """The config of a generated web, which says how it was made."""
    source = f"synth {profile} {size} pages, seed {seed}"
    return CrawlConfig(source=source, lang=lang, bridge=bridge, seeds=urls)


def _write(draft: Path, web: Web, size: int, progress: Progress, stop: Stop) -> tuple[int, int]:
    """Write all segments; how many links and how many URLs there are."""
    parts = list(pairwise([*range(0, size, _CHUNK), size]))
    ends = (size + np.cumsum([0, *(_count_new(web, *part) for part in parts)])).tolist()
    chunks = [
        _Chunk(number, *part, ends[number], ends[number + 1]) for number, part in enumerate(parts)
    ]
    links = 0
    new_hosts: list[npt.NDArray[np.int32]] = []
    work = partial(_write_chunk, draft, web)
    with closing(in_order(work, chunks, min(cores(), len(chunks)))) as written:
        for chunk, (found, hosts) in zip(chunks, written, strict=True):
            links += found
            new_hosts.append(hosts)
            progress(chunk.last, chunk.last / size)
            if stop():
                raise KeyboardInterrupt
    _write_unfetched(draft, web, np.concatenate(new_hosts), size, len(chunks))
    return links, int(ends[-1])


def _count_new(web: Web, first: int, last: int) -> int:
    return int(count_new(web.plan, web.labels.host, web.seed, first, last))


def _write_chunk(directory: Path, web: Web, chunk: _Chunk) -> tuple[int, npt.NDArray[np.int32]]:
    """Make one segment; how many links it has, and the hosts of the URLs never fetched."""
    number, first, last, next_url, end_url = chunk
    new_hosts = np.empty(end_url - next_url, np.int32)
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
