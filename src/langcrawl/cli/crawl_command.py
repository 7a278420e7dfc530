"""``langcrawl crawl``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import ValidationError

from langcrawl import __version__
from langcrawl.cli.common import (
    INTERRUPTED,
    Json,
    MaxDepth,
    MaxPages,
    MaxPerHost,
    Seeds,
    Trust,
    by_language,
    check_trust,
    print_json,
    targets_of,
)
from langcrawl.cli.progress import CrawlProgress, Interrupt, ProgressDisplay
from langcrawl.config import FILE, CrawlConfig, first_problem, read_seeds
from langcrawl.errors import BadInput, UsageError

_LARGE, _SECONDS_A_GB = 0.2, 15
"""Gigabytes of a frontier that takes a while to read, and how long."""

Directory = Annotated[Path, typer.Argument(metavar="DIR", help="The directory of the crawl.")]
Lang = Annotated[
    list[str] | None,
    typer.Option(help="The language to collect: th, Thai, mn-Mong; or several: my,shn,mnw."),
]
Strategy = Annotated[
    str | None, typer.Option(help="Which links to follow; see 'langcrawl strategies'.")
]
Judge = Annotated[
    str | None, typer.Option(help="How to tell the language; see 'langcrawl judges'.")
]
MaxBytes = Annotated[int | None, typer.Option(min=0, help="Stop after this many bytes.")]
MaxTime = Annotated[float | None, typer.Option(min=0, help="Stop after this many seconds.")]
MaxPerDomain = Annotated[
    int | None, typer.Option(min=0, help="Stop at this many pages of one registered domain.")
]
MaxRequests = Annotated[
    int | None,
    typer.Option(min=0, help="Stop after this many requests, robots.txt and sitemaps included."),
]
DomainConnections = Annotated[
    int | None,
    typer.Option(min=0, help="Hosts of one domain asked at the same time; 0 for any number."),
]
Include = Annotated[
    list[str] | None,
    typer.Option(help="Only URLs that match this regular expression, or any of several."),
]
Exclude = Annotated[
    list[str] | None, typer.Option(help="No URL that matches this regular expression.")
]
BlockHosts = Annotated[
    Path | None, typer.Option(help="A file of hosts and domains never to contact, one per line.")
]
Delay = Annotated[
    float | None, typer.Option(min=0, help="Seconds to wait between requests to a host.")
]
Connections = Annotated[
    int | None, typer.Option(min=1, help="Requests at the same time; 1 keeps the exact order.")
]
IpDelay = Annotated[
    float | None, typer.Option(min=0, help="Seconds to wait between requests to one IP address.")
]
Retries = Annotated[
    int | None,
    typer.Option(min=0, help="Retries after 429, 503 or no answer."),
]
Workers = Annotated[
    int | None, typer.Option(min=1, help="Download processes; one per core by default.")
]
Proxy = Annotated[
    str | None, typer.Option(help="Send requests through http://[user:password@]host:port.")
]
Nofollow = Annotated[
    bool | None,
    typer.Option("--nofollow/--follow-all", help="Obey rel=nofollow and META nofollow."),
]
Noindex = Annotated[
    bool | None,
    typer.Option("--noindex/--index-all", help="Do not archive pages that say noindex."),
]
Sitemaps = Annotated[
    bool | None, typer.Option("--sitemaps/--no-sitemaps", help="Also take links from sitemaps.")
]
Store = Annotated[str | None, typer.Option(help="Which pages to archive: all or relevant.")]
Normalize = Annotated[
    str | None,
    typer.Option(
        help="Also archive the text of relevant pages in one encoding: unicode or zawgyi."
    ),
]
Types = Annotated[
    str | None, typer.Option(help="What to archive: pages, or all (images and documents too).")
]
UserAgent = Annotated[str | None, typer.Option(help="The crawler's name, sent to servers.")]
Contact = Annotated[
    str | None, typer.Option(help="Your URL or e-mail address, sent to servers, for complaints.")
]
Context = Annotated[
    bool | None, typer.Option("--context/--no-context", help="Log the text around links as well.")
]
WarcBytes = Annotated[
    int | None, typer.Option(min=1, help="Begin another archive file after this many bytes.")
]
Durable = Annotated[
    bool | None,
    typer.Option(
        "--durable/--not-durable", help="Lose nothing that counts in a power cut; slower."
    ),
]
ConnectTo = Annotated[
    list[str] | None,
    typer.Option(help="HOST1:PORT1:HOST2:PORT2, as in curl; may be given several times."),
]


def crawl(
    directory: Directory,
    lang: Lang = None,
    seeds: Seeds = None,
    strategy: Strategy = None,
    judge: Judge = None,
    max_pages: MaxPages = None,
    max_bytes: MaxBytes = None,
    max_time: MaxTime = None,
    max_depth: MaxDepth = None,
    max_pages_per_host: MaxPerHost = None,
    max_pages_per_domain: MaxPerDomain = None,
    max_requests: MaxRequests = None,
    include: Include = None,
    exclude: Exclude = None,
    block_hosts: BlockHosts = None,
    delay: Delay = None,
    ip_delay: IpDelay = None,
    retries: Retries = None,
    connections: Connections = None,
    domain_connections: DomainConnections = None,
    workers: Workers = None,
    user_agent: UserAgent = None,
    contact: Contact = None,
    proxy: Proxy = None,
    connect_to: ConnectTo = None,
    nofollow: Nofollow = None,
    noindex: Noindex = None,
    sitemaps: Sitemaps = None,
    store: Store = None,
    normalize: Normalize = None,
    types: Types = None,
    context: Context = None,
    warc_bytes: WarcBytes = None,
    durable: Durable = None,
    trust: Trust = False,
    as_json: Json = False,
) -> None:
    """Start a crawl in DIR, or resume the one that is there.

    \b
    Example:  langcrawl crawl thai --lang th --seeds https://www.example.co.th/ --max-pages 1000
              langcrawl crawl thai --max-pages 5000
    """
    given = {key: value for key, value in locals().items() if value is not None}
    del given["directory"], given["as_json"], given["trust"]
    from langcrawl.run import run_crawl

    config = _config(directory, given)
    check_trust(directory, config, trust, given)
    _announce(directory)
    with Interrupt() as stop, ProgressDisplay("crawling", total=config.max_pages) as display:
        result = run_crawl(directory, config, [CrawlProgress(display.show)], stop)
    if as_json:
        print_json(result)
    else:
        print(
            f"{result['pages']:,} pages, {result['relevant']:,} of them in {config.lang} "
            f"({result['harvest']:.1%}), {result['queue']:,} waiting; {result['stopped']}."
        )
        if found := by_language(result["languages"]):
            print(f"By language: {found}.")
        if result["discards"] and not result["pages"]:
            reasons = ", ".join(f"{reason} {n:,}" for reason, n in result["discards"].items())
            print(f"Nothing was downloaded; links were discarded because of: {reasons}.")
        print(f"Try next:  langcrawl simulate {directory} --strategy soft --strategy lswc")
    if result["stopped"] == "interrupted":
        raise typer.Exit(INTERRUPTED)


def _announce(directory: Path) -> None:
    """A large crawl takes a while to resume: say so."""
    from langcrawl.store.directory import DATABASE

    database = directory / DATABASE
    size = database.stat().st_size / 1e9 if database.exists() else 0.0
    if size >= _LARGE:
        said = f"reading a frontier of {size:.1f} GB, about {_SECONDS_A_GB * size:.0f} s ..."
        print(said, file=sys.stderr, flush=True)


def _config(directory: Path, given: dict[str, Any]) -> CrawlConfig:
    """The config of a new crawl, or that of the crawl in the directory with changes."""
    from langcrawl.languages import bridges_of, load_packs
    from langcrawl.store.directory import CrawlDirectory

    if "lang" in given:
        given["lang"] = targets_of(given["lang"])
    if "seeds" in given:
        given["seeds"] = read_seeds(given["seeds"])
    if "block_hosts" in given:
        given["block_hosts"] = str(given["block_hosts"].resolve())
    if (directory / FILE).exists():
        before = CrawlConfig.load(directory)
        if before.source != "crawl":
            raise BadInput(
                f"'{directory}' was made by '{before.source}' and cannot be resumed as a crawl; "
                "name a new directory."
            )
        if sorted(given.get("lang", "").split(",")) == sorted(before.lang.split(",")):
            given["lang"] = before.lang
        for key in ("lang", "seeds"):
            if key in given and given[key] != getattr(before, key):
                raise BadInput(
                    f"the crawl in '{directory}' was started with another --{key}; start a new "
                    "crawl in another directory, or resume this one without that option."
                )
        fields = before.model_dump() | {"version": __version__}
    elif directory.is_file():
        raise BadInput(f"'{directory}' is a file; name a new directory.")
    elif not CrawlDirectory(directory).is_empty:
        raise BadInput(f"'{directory}' is not empty and holds no crawl; name a new directory.")
    else:
        missing = [f"--{key}" for key in ("lang", "seeds") if key not in given]
        if missing:
            raise UsageError(f"a new crawl needs {' and '.join(missing)}.")
        fields = {"bridge": bridges_of(load_packs(given["lang"]))}
    try:
        return CrawlConfig(**(fields | given))
    except ValidationError as error:
        raise UsageError(f"{first_problem(error)}.") from None
