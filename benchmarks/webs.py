"""Webs for benchmarks, made of random numbers in a moment."""

from __future__ import annotations

import numpy as np

from langcrawl.config import CrawlConfig
from langcrawl.log.graph import Graph, build_graph
from langcrawl.log.schema import log_table


def random_graph(pages: int, links_per_page: int = 9, seed: int = 1) -> Graph:
    """A web whose hosts have 20 pages on average; three in four links stay near."""
    rng = np.random.default_rng(seed)
    host = np.sort(rng.integers(0, max(1, pages // 20), pages))
    language = rng.random(host.max() + 1)[host] + rng.normal(0, 0.15, pages) < 0.2
    src = np.repeat(np.arange(pages), links_per_page)
    near = np.clip(src + rng.integers(-10, 11, len(src)), 0, pages - 1)
    dst = np.where(rng.random(len(src)) < 0.75, near, rng.integers(0, pages, len(src)))
    urls = [f"http://h{number}.example/p{page}" for page, number in enumerate(host.tolist())]
    columns = {
        "urls": {"id": np.arange(pages), "url": urls, "host": [u.split("/")[2] for u in urls]},
        "pages": {
            "id": np.arange(pages),
            "status": np.full(pages, 200, dtype=np.int16),
            "language": np.where(language, "th", "en"),
            "relevant": language,
        },
        "links": {"src": src, "dst": dst},
    }
    return build_graph(
        CrawlConfig(lang="th", seeds=tuple(urls[n] for n in np.flatnonzero(language)[:20])),
        {
            name: log_table(name, len(src) if name == "links" else pages, given)
            for name, given in columns.items()
        },
    )
