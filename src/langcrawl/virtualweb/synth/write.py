"""A generated web as a crawl log: a chunk of pages is a segment, made on any core."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from langcrawl.config import FILE, CrawlConfig
from langcrawl.errors import BadInput
from langcrawl.virtualweb.log import write_segment
from langcrawl.virtualweb.phrases import WORDS
from langcrawl.virtualweb.schema import TABLES
from langcrawl.virtualweb.synth import chance, pages
from langcrawl.virtualweb.synth.hosts import TARGET, Hosts, Tongues, draw_hosts
from langcrawl.virtualweb.synth.links import Plan, count_new, link_pages, plan_links
from langcrawl.virtualweb.synth.names import host_names, page_urls, unfetched_urls
from langcrawl.virtualweb.synth.pages import Labels, label_pages
from langcrawl.virtualweb.synth.profile import Profile

_CHUNK = 250_000
"""Pages of a segment."""
_UNFETCHED_CHUNK = 2_000_000
ANCHOR = 40
Progress = Callable[[int, int], None]
"""Told now and then: pages written, pages in all."""


@dataclass(frozen=True, slots=True)
class Generated:
    """What was generated."""

    pages: int
    relevant: int
    urls: int
    links: int
    hosts: int
    seeds: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Web:
    """A web that is planned and not yet written."""

    profile: Profile
    tongues: Tongues
    hosts: Hosts
    labels: Labels
    plan: Plan
    names: pa.Array
    has_paths: npt.NDArray[np.bool_]
    seed: int


def generate(
    directory: Path,
    profile: Profile,
    size: int,
    seed: int,
    progress: Progress = lambda done, whole: None,
    stop: Callable[[], bool] = lambda: False,
) -> Generated:
    """Make a web of so many pages and write it as a crawl directory."""
    if (directory / FILE).exists() or (directory / "log").exists():
        raise BadInput(f"'{directory}' already holds a crawl; name a new directory.")
    progress(0, size)
    web, seeds = _plan(profile, size, seed)
    urls = tuple(f"http://{web.names[int(host)].as_py()}/" for host in seeds)
    bounds = [*range(0, size, _CHUNK), size]
    chunks = list(pairwise(bounds))
    ends = size + np.cumsum([0, *(_count_new(web, *chunk) for chunk in chunks)])
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 1
    links = 0
    new_hosts: list[npt.NDArray[np.int32]] = []
    with ThreadPoolExecutor(cores) as pool:
        jobs = [
            pool.submit(_write_chunk, directory, web, number, chunk, int(ends[number]),
                        int(ends[number + 1]), stop)
            for number, chunk in enumerate(chunks)
        ]  # fmt: skip
        for number, job in enumerate(jobs):
            found, hosts = job.result()
            links += found
            new_hosts.append(hosts)
            progress(chunks[number][1], size)
    if stop():
        raise KeyboardInterrupt
    _write_unfetched(directory, web, np.concatenate(new_hosts), size, len(chunks))
    config = CrawlConfig(
        source=f"synth {profile.name} {size} pages, seed {seed}",
        lang=profile.lang, bridge=profile.bridge, seeds=urls,
    )  # fmt: skip
    config.save(directory)
    relevant = int(np.count_nonzero(web.labels.language == TARGET))
    return Generated(size, relevant, int(ends[-1]), links, len(web.hosts), urls)


def _plan(profile: Profile, size: int, seed: int) -> tuple[_Web, npt.NDArray[np.int64]]:
    rng = np.random.default_rng(seed)
    hosts = draw_hosts(profile, size, rng)
    if not np.count_nonzero(hosts.target):
        raise BadInput(f"a web of {size} pages has no target page; ask for more with --pages.")
    seeds = _seeds(profile, hosts)
    hosts.home[seeds] = 0
    labels = label_pages(profile, hosts, seed)
    plan = plan_links(profile, hosts, seeds, rng)
    names = host_names(profile, hosts, rng)
    has_paths = rng.random(len(hosts)) < profile.pages.language_paths
    web = _Web(profile, Tongues.of(profile), hosts, labels, plan, names, has_paths, seed)
    return web, seeds


def _seeds(profile: Profile, hosts: Hosts) -> npt.NDArray[np.int64]:
    """The most popular target hosts."""
    popularity = np.where(hosts.target == 1, hosts.popularity, -1.0)
    count = min(profile.seeds, int(np.count_nonzero(hosts.target)))
    return np.argsort(-popularity, kind="stable")[:count]


def _count_new(web: _Web, first: int, last: int) -> int:
    return int(count_new(web.plan, web.labels.host, web.seed, first, last))


def _write_chunk(
    directory: Path,
    web: _Web,
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
    room = 20 * (last - first) + int(web.hosts.leaves.max()) + 100_000
    while True:
        goals = np.empty(room, np.int64)
        total = link_pages(
            web.plan, web.labels.host, web.seed, first, last, next_url, goals, counts, new_hosts
        )
        if total >= 0:
            break
        room *= 2
    tables = {
        "urls": _urls(web, first, last),
        "links": _links(web, first, counts, goals[:total]),
        "pages": _pages(web, first, last),
    }
    write_segment(directory, number, tables)
    return total, new_hosts


def _urls(web: _Web, first: int, last: int) -> pa.Table:
    host = web.labels.host[first:last]
    url = page_urls(web.names, host, web.hosts, first, web.tongues, web.has_paths)
    return _table("urls", last - first, id=np.arange(first, last), url=url,
                  host=pa.DictionaryArray.from_arrays(pa.array(host), web.names))  # fmt: skip


def _write_unfetched(
    directory: Path, web: _Web, host: npt.NDArray[np.int32], first: int, number: int
) -> None:
    """Segments of URLs that are known from links only."""
    for begin in range(0, len(host), _UNFETCHED_CHUNK):
        part = host[begin : begin + _UNFETCHED_CHUNK]
        ids = np.arange(first + begin, first + begin + len(part))
        url = unfetched_urls(web.names, part, int(ids[0]))
        names = pa.DictionaryArray.from_arrays(pa.array(part), web.names)
        tables = {name: _table(name, 0) for name in ("links", "pages")}
        tables["urls"] = _table("urls", len(part), id=ids, url=url, host=names)
        write_segment(directory, number + begin // _UNFETCHED_CHUNK, tables)


def _links(
    web: _Web, first: int, counts: npt.NDArray[np.int32], goals: npt.NDArray[np.int64]
) -> pa.Table:
    """Links with anchors: in the language of the page they lead to, more often than not."""
    rows = len(goals)
    source = np.repeat(np.arange(first, first + len(counts)), counts)
    begins = np.cumsum(counts, dtype=np.int64) - counts
    position = np.arange(rows) - np.repeat(begins, counts)
    language = web.labels.language
    own = language[source]
    there = np.where(goals < len(language), language[np.minimum(goals, len(language) - 1)], 0)
    draw = chance.units(web.seed, int(source[0]) * 64 if rows else 0,
                        (int(source[0]) * 64 if rows else 0) + rows, ANCHOR)  # fmt: skip
    spoken = np.where((draw < 0.6) & (there > 0), there, own)  # 15 % are images without text
    words, starts, counts_of = _anchor_words(web.tongues)
    pick = starts[spoken] + ((draw * 1e6).astype(np.int64) % counts_of[spoken])
    silent = draw >= 0.85
    anchor = pa.DictionaryArray.from_arrays(pa.array(np.where(silent, 0, pick), pa.int32()), words)
    score = np.where(silent, 0.0, (spoken == TARGET) * (0.7 + 0.3 * (draw * 97 % 1)))
    return _table("links", rows, src=source, dst=goals, position=position, anchor=anchor,
                  anchor_score=score, nofollow=np.zeros(rows, bool))  # fmt: skip


def _anchor_words(
    tongues: Tongues,
) -> tuple[pa.Array, npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """All anchor texts, and where those of each language begin; the first is no text."""
    words = [""]
    starts, counts = [], []
    for tag in tongues.tags:
        own = WORDS.get(tag.split("-")[0], WORDS["en"])
        starts.append(len(words))
        counts.append(len(own))
        words += own
    return pa.array(words), np.array(starts), np.array(counts)


def _pages(web: _Web, first: int, last: int) -> pa.Table:
    seed, about = web.seed, web.profile.pages
    host, language = web.labels.host[first:last], web.labels.language[first:last]
    place = np.arange(first, last) - web.hosts.first[host]
    leaf = place >= web.hosts.ok[host]
    status = pages.statuses(leaf, first, seed, about.redirects)
    moved = (status == 301) & (web.hosts.ok[host] > 0)
    status[(status == 301) & ~moved] = 404
    size = _lognormal(seed, first, last, pages.SIZE, about.bytes, 0.8)
    size = np.where(leaf, size / 10, size).astype(np.int64)
    host_latency = _lognormal(seed, 0, len(web.hosts), pages.LATENCY, about.latency, 0.5)
    elapsed = host_latency[host] * _lognormal(seed, first, last, pages.LATENCY + 50, 1.0, 0.3)
    relevant = (language == TARGET) & ~leaf
    draw = chance.units(seed, first, last, pages.SCORE)
    score = np.where(relevant, 1 - 0.35 * draw**2, np.where(leaf, 0.0, 0.3 * draw**4))
    tags = pa.array(web.tongues.tags)
    language = np.where(moved, 0, language)
    return _table(
        "pages", last - first,
        id=np.arange(first, last), status=status,
        redirect=pa.array(web.hosts.first[host], mask=~moved),
        content_type=pa.array(["text/html", "application/pdf"]).take(pa.array(leaf.astype(int))),
        bytes=size, text_bytes=size // 3, elapsed=elapsed,
        charset_meta=_charsets(web, first, last, leaf, declared=True),
        charset_detected=_charsets(web, first, last, leaf, declared=False),
        language=pa.DictionaryArray.from_arrays(pa.array(language.astype(np.int32)), tags),
        score=score, relevant=relevant,
        reason=pa.DictionaryArray.from_arrays(
            pa.array(np.zeros(last - first, np.int32)), pa.array(["synth"])
        ),
    )  # fmt: skip


def _lognormal(
    seed: int, first: int, last: int, stream: int, typical: float, spread: float
) -> npt.NDArray[np.float64]:
    """Numbers that are typically so large and differ by factors."""
    draw = sum(chance.units(seed, first, last, stream + 100 * k) for k in range(4))
    return np.asarray(typical * np.exp(spread * np.sqrt(3) * (draw - 2)))


def _charsets(
    web: _Web, first: int, last: int, leaf: npt.NDArray[np.bool_], declared: bool
) -> pa.DictionaryArray:
    """The charset of each page: as META declares, which target pages may omit, or as it is."""
    draw = chance.units(web.seed, first, last, pages.CHARSET)
    language, labelled = web.labels.language[first:last], web.labels.meta[first:last] == 1
    about = web.profile.pages
    names = [""]
    code = np.zeros(last - first, np.int32)

    def give(chosen: npt.NDArray[np.bool_], shares: dict[str, float]) -> None:
        bounds = np.cumsum(list(shares.values()))
        place = np.minimum(np.searchsorted(bounds / bounds[-1], draw[chosen]), len(bounds) - 1)
        code[chosen] = len(names) + place
        names.extend(shares)

    for number, tag in enumerate(web.tongues.tags):
        mine = (language == number) & ~leaf
        shares = about.charsets.get(tag)
        if number == TARGET and about.unlabelled:
            give(mine & ~labelled, about.unlabelled)
        if number == TARGET and (declared or about.unlabelled):
            mine &= labelled
        if shares:
            give(mine, shares)
    return pa.DictionaryArray.from_arrays(pa.array(code), pa.array(names))


def _table(name: str, rows: int, **given: Any) -> pa.Table:
    """A table of the log; columns that are not given are null."""
    columns: list[Any] = []
    for field in TABLES[name]:
        values: Any = given.get(field.name)
        if values is None:
            columns.append(pa.nulls(rows, field.type))
        elif isinstance(values, pa.DictionaryArray):
            columns.append(values)
        else:
            columns.append(pa.array(values, field.type) if not isinstance(values, pa.Array)
                           else values.cast(field.type))  # fmt: skip
    return pa.Table.from_arrays(columns, names=TABLES[name].names)
