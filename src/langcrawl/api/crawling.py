"""`langcrawl.crawl`: the settings that it takes and the result that it returns."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal, TypedDict, Unpack

from langcrawl.api.common import PathLike, interrupt, open_log
from langcrawl.api.tables import CrawlLog
from langcrawl.errors import UnknownName
from langcrawl.parallel import never
from langcrawl.settings import ADD_UP


class CrawlKeys(TypedDict, total=False):
    """The settings of a crawl, as in crawl.toml; docs/config.md describes them."""

    lang: str
    bridge: str
    seeds: str | Sequence[str]
    strategy: str
    judge: str
    max_pages: int | None
    max_bytes: int | None
    max_time: float | None
    max_depth: int | None
    sample: float
    max_pages_per_host: int | None
    max_pages_per_domain: int | None
    max_requests: int | None
    include: str | Sequence[str]
    exclude: str | Sequence[str]
    block_hosts: PathLike | Sequence[PathLike]
    delay: float
    ip_delay: float | None
    retries: int
    backoff: float
    max_wait: float
    max_outage: float | None
    shards: int
    cluster: str
    connections: int
    domain_connections: int
    workers: int | None
    timeout: float
    connect_timeout: float
    max_page_bytes: int
    user_agent: str
    contact: str
    connect_to: str | Sequence[str]
    proxy: str
    nofollow: bool
    noindex: bool
    sitemaps: bool
    store: Literal["all", "relevant"]
    normalize: Literal["none", "unicode", "zawgyi"]
    types: Literal["pages", "pdf", "all"]
    context: bool
    warc_bytes: int
    durable: bool


@dataclass(frozen=True, slots=True)
class CrawlResult:
    """How the crawl in a directory stands when `crawl` returns, earlier runs included."""

    directory: Path
    pages: int
    relevant: int
    harvest: float
    queue: int
    bytes: int
    requests: int
    seconds: float
    stopped: str
    """Why it ended: queue-empty, max-pages, max-bytes, max-requests, max-time, interrupted,
    no-answer or outage."""
    answers: dict[str, int]
    """Pages by what they are: text, file, redirect, error."""
    failures: int
    silences: dict[str, int]
    discards: dict[str, int]
    errors: dict[str, int]
    notes: dict[str, int]

    def log(self) -> CrawlLog:
        """Its pages, links and hosts."""
        return open_log(self.directory)


def crawl(
    directory: PathLike,
    *,
    config: PathLike | None = None,
    trust: bool = False,
    progress: bool = False,
    **keys: Unpack[CrawlKeys],
) -> CrawlResult:
    """Start a crawl in a directory, or resume the one that is there; returns when it ends.

    The keys are those of crawl.toml (docs/config.md). `config` names a TOML file with the same
    keys, over which these win. A limit that is None is lifted. With `progress`, what the
    command line shows is shown on standard error. The first Ctrl-C, or the stop button of a
    notebook, ends the crawl in good order; the same call resumes it.

    Pages are downloaded by other processes, so a script needs the guard below. A notebook does
    not.

    >>> if __name__ == "__main__":  # doctest: +SKIP
    ...     done = langcrawl.crawl(
    ...         "thai", lang="th", seeds=["https://www.example.co.th/"], max_pages=1000,
    ...         contact="you@example.org",
    ...     )
    ...     print(done.pages, done.harvest, done.stopped)
    ...     done.log().hosts(as_="pandas")
    """
    from langcrawl.cli.common import check_trust
    from langcrawl.cli.config_file import read_config_file
    from langcrawl.cli.progress import CrawlProgress, ProgressDisplay
    from langcrawl.cluster import crawl as run_crawl
    from langcrawl.settings import settings

    place, file = Path(directory), Path(config) if config is not None else None
    given = _as_options(keys)
    asked = settings(place, (read_config_file(file) if file else {}) | given)
    check_trust(place, asked, trust, given, file)
    display = ProgressDisplay("crawling", total=asked.max_pages) if progress else nullcontext()
    with interrupt() as stop, display as shown:
        sinks = [CrawlProgress(shown.show)] if shown else []
        found = run_crawl(place, asked, sinks, stop or never)
    known = {each.name for each in fields(CrawlResult)}
    return CrawlResult(place, **{key: value for key, value in found.items() if key in known})


def _as_options(keys: Mapping[str, Any]) -> dict[str, Any]:
    """The keys as the command line would give them; a limit that is None is lifted."""
    given = dict(keys)
    for key in given:
        if key not in CrawlKeys.__annotations__:
            raise UnknownName("key", key, CrawlKeys.__annotations__)
    for key in ADD_UP:
        if isinstance(given.get(key), str | os.PathLike):
            given[key] = [given[key]]
    return given
