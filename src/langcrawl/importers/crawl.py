"""Import of other crawl directories: several logs become one, seen from one language."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from langcrawl.archive.sources import all_sources, record_sources
from langcrawl.config import CrawlConfig
from langcrawl.errors import BadInput
from langcrawl.importers.gather import Gatherer, Part
from langcrawl.languages import Target, parse_targets
from langcrawl.log.schema import TABLES
from langcrawl.log.segments import read_batches, read_urls, segments
from langcrawl.parallel import Progress
from langcrawl.store.draft import new_crawl
from langcrawl.store.migrate import open_directory

_OF_THE_TARGET = ("score", "irrelevant_run", "priority", "reason")
"""Columns that mean something for the language that was crawled for, and for no other."""


def import_crawls(
    directory: Path, crawls: Sequence[Path], config: CrawlConfig, progress: Progress
) -> dict[str, Any]:
    """Make a crawl directory of the logs of others; of a URL in several, the first page counts."""
    for crawl in crawls:
        open_directory(crawl)
    configs = [CrawlConfig.load(crawl) for crawl in crawls]
    seeds = config.seeds or tuple(dict.fromkeys(seed for other in configs for seed in other.seeds))
    total = sum(len(segments(crawl)) for crawl in crawls)
    target = parse_targets(config.lang)
    with new_crawl(directory, config.model_copy(update={"seeds": seeds})) as draft:
        log, done = Gatherer(draft), 0
        for crawl, other in zip(crawls, configs, strict=True):
            for part in _parts(crawl, target, parse_targets(other.lang) == target):
                log.add(part)
                done += 1
                progress(log.pages, done / total)
        if not log.pages:
            raise BadInput(f"the log of '{crawls[0]}' has no pages; crawl first.")
        log.flush()
        record_sources(draft, (path for crawl in crawls for path in all_sources(crawl)))
    return {
        "pages": log.pages,
        "links": log.links,
        "urls": log.urls,
        "relevant": log.relevant,
        "repeated_pages": log.counts["repeated"],
    }


def _parts(crawl: Path, target: Target, same: bool) -> Iterator[Part]:
    """The segments of a log, with relevance as the target has it."""
    urls = read_urls(crawl, ["url"])["url"]
    tables = (read_batches(crawl, name, TABLES[name].names) for name in ("pages", "links"))
    for pages, links in zip(*tables, strict=True):
        columns = [pages["id"], pages["redirect"], pages["parent"], links["src"], links["dst"]]
        ids = np.concatenate([column.drop_null().to_numpy() for column in columns])
        used = np.unique(ids).astype(np.int64)
        local = np.full(int(used[-1]) + 1 if len(used) else 0, -1, dtype=np.int64)
        local[used] = np.arange(len(used))
        seen = _seen_from(pages, target, same)
        places = pa.array(local)
        yield Part(
            urls.take(pa.array(used)),
            _with(seen, {name: places.take(pages[name]) for name in ("id", "redirect", "parent")}),
            _with(links, {name: places.take(links[name]) for name in ("src", "dst")}),
            {},
        )


def _seen_from(pages: pa.Table, target: Target, same: bool) -> pa.Table:
    """Pages with their relevance for a target; what only the old target explains is null."""
    said = pages["language"].combine_chunks().dictionary_encode()
    scripts = pc.fill_null(pages["script"], "").to_pylist()
    tags = said.dictionary.to_pylist()
    matching = [
        target.matches(tags[place], script)
        for place, script in zip(said.indices.to_pylist(), scripts, strict=True)
    ]
    answered = pc.and_(pc.equal(pages["status"], 200), pc.is_null(pages["redirect"]))
    columns = {"relevant": pc.and_(pa.chunked_array([pa.array(matching, pa.bool_())]), answered)}
    if not same:
        types = {name: pages.schema.field(name).type for name in _OF_THE_TARGET}
        columns |= {name: pa.nulls(len(pages), kind) for name, kind in types.items()}
    return _with(pages, columns)


def _with(table: pa.Table, columns: dict[str, Any]) -> pa.Table:
    for name, column in columns.items():
        place = table.schema.get_field_index(name)
        table = table.set_column(place, table.schema.field(name), column)
    return table
