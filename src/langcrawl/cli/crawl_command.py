"""``langcrawl crawl``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from langcrawl.cli.common import (
    COUNT,
    Json,
    MaxDepth,
    MaxPages,
    MaxPerHost,
    Seeds,
    Trust,
    as_one,
    check_trust,
    number,
)
from langcrawl.cli.config_file import read_config_file
from langcrawl.cli.crawl_words import tell_result
from langcrawl.cli.dry_run import try_out
from langcrawl.cli.priors import Prior, with_prior
from langcrawl.cli.progress import Interrupt
from langcrawl.cli.watching import CrawlDisplay, Loudness
from langcrawl.config import FILE, MOST_SHARDS, CrawlConfig
from langcrawl.units import read_bytes, read_count, read_seconds, read_share

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
MaxBytes = Annotated[
    int | None,
    typer.Option(parser=number(read_bytes), help="Stop after this many bytes, such as 10GB."),
]
MaxTime = Annotated[
    float | None,
    typer.Option(parser=number(read_seconds), help="Stop after this time: seconds, or 2h."),
]
MaxPerDomain = Annotated[
    int | None,
    typer.Option(parser=COUNT, help="Stop at this many pages of one registered domain."),
]
MaxRequests = Annotated[
    int | None,
    typer.Option(
        parser=COUNT, help="Stop after this many requests, robots.txt and sitemaps included."
    ),
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
    list[str] | None,
    typer.Option(metavar="FILE", help="A file of hosts and domains never to contact, one a line."),
]
NoInclude = Annotated[list[str] | None, typer.Option(help="Take an --include back.")]
NoExclude = Annotated[list[str] | None, typer.Option(help="Take an --exclude back.")]
NoBlockHosts = Annotated[
    list[str] | None, typer.Option(metavar="FILE", help="Take a --block-hosts back.")
]
NoConnectTo = Annotated[list[str] | None, typer.Option(help="Take a --connect-to back.")]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Say what the options would change, and change nothing.")
]
SECONDS = number(read_seconds, optional=False)
Delay = Annotated[
    float | None,
    typer.Option(parser=SECONDS, help="Seconds to wait between requests to a host."),
]
Connections = Annotated[
    int | None, typer.Option(min=1, help="Requests at the same time; 1 keeps the exact order.")
]
IpDelay = Annotated[
    float | None,
    typer.Option(
        parser=number(read_seconds), help="Seconds to wait between requests to one IP address."
    ),
]
Retries = Annotated[
    int | None,
    typer.Option(min=0, help="Retries after 429, 503 or no answer."),
]
Sample = Annotated[
    float | None,
    typer.Option(
        parser=number(read_share), help="Draw this share of the downloads by chance, such as 2%."
    ),
]
MaxOutage = Annotated[
    float | None,
    typer.Option(parser=number(read_seconds), help="Give up when nobody has answered for so long."),
]
Workers = Annotated[
    int | None,
    typer.Option(parser=number(read_count, 1), help="Download processes; one per core by default."),
]
Shards = Annotated[
    int | None,
    typer.Option(
        min=1, max=MOST_SHARDS, help="Crawl with so many shards, each with its own hosts."
    ),
]
Cluster = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS|local", help="Run the shards on this Ray cluster."),
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
    str | None, typer.Option(help="What to keep: pages; pdf, PDFs too; or all, unread.")
]
UserAgent = Annotated[str | None, typer.Option(help="The crawler's name, sent to servers.")]
Contact = Annotated[
    str | None, typer.Option(help="Your URL or e-mail address, sent to servers, for complaints.")
]
Context = Annotated[
    bool | None, typer.Option("--context/--no-context", help="Log the text around links as well.")
]
WarcBytes = Annotated[
    int | None,
    typer.Option(
        parser=number(read_bytes, 1, optional=False),
        help="Begin another archive file after this many bytes, such as 1GB.",
    ),
]
Durable = Annotated[
    bool | None,
    typer.Option(
        "--durable/--not-durable", help="Lose nothing that counts in a power cut; slower."
    ),
]
Verbose = Annotated[
    bool, typer.Option("--verbose", "-v", help="Also say every event and every page that failed.")
]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="Say nothing but errors and the result.")
]
WarnAfter = Annotated[
    float | None, typer.Option(min=1, help="Warn when nothing has come for this many seconds.")
]
ConnectTo = Annotated[
    list[str] | None,
    typer.Option(help="HOST1:PORT1:HOST2:PORT2, as in curl; may be given several times."),
]
ConfigFile = Annotated[
    Path | None,
    typer.Option("--config", help="A TOML file with the keys of crawl.toml; options win over it."),
]


def crawl(
    call: typer.Context,
    directory: Directory,
    lang: Lang = None,
    seeds: Seeds = None,
    strategy: Strategy = None,
    prior: Prior = None,
    judge: Judge = None,
    max_pages: MaxPages = None,
    max_bytes: MaxBytes = None,
    max_time: MaxTime = None,
    max_depth: MaxDepth = None,
    max_pages_per_host: MaxPerHost = None,
    max_pages_per_domain: MaxPerDomain = None,
    max_requests: MaxRequests = None,
    sample: Sample = None,
    include: Include = None,
    exclude: Exclude = None,
    block_hosts: BlockHosts = None,
    no_include: NoInclude = None,
    no_exclude: NoExclude = None,
    no_block_hosts: NoBlockHosts = None,
    no_connect_to: NoConnectTo = None,
    delay: Delay = None,
    ip_delay: IpDelay = None,
    retries: Retries = None,
    max_outage: MaxOutage = None,
    connections: Connections = None,
    domain_connections: DomainConnections = None,
    workers: Workers = None,
    shards: Shards = None,
    cluster: Cluster = None,
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
    config_file: ConfigFile = None,
    trust: Trust = False,
    dry_run: DryRun = False,
    verbose: Verbose = False,
    quiet: Quiet = False,
    warn_after: WarnAfter = None,
    as_json: Json = False,
) -> None:
    """Start a crawl in DIR, or resume the one that is there.

    \b
    Example:  langcrawl crawl thai --lang th --seeds https://www.example.co.th/ --max-pages 1000
              langcrawl crawl thai --max-pages 5000
              langcrawl crawl thai --config thai.toml --max-time 3600
    """
    from langcrawl.cluster import crawl as run_crawl
    from langcrawl.settings import settings

    loudness = Loudness.of(verbose, quiet)
    given = {
        key: value
        for key, value in call.params.items()
        if key in CrawlConfig.model_fields or key.startswith("no_")
        if (source := call.get_parameter_source(key)) and source.name == "COMMANDLINE"
    }
    asked = (read_config_file(config_file) if config_file else {}) | given
    if prior:
        usual = "" if (directory / FILE).exists() else CrawlConfig.model_fields["strategy"].default
        asked["strategy"] = with_prior(str(asked.get("strategy", usual)), prior)
    config = settings(directory, asked)
    check_trust(directory, config, trust, given, config_file)
    if dry_run:
        try_out(as_one(directory), config, as_json)
        return
    if loudness is not Loudness.QUIET:
        _announce(directory)
    with Interrupt() as stop, CrawlDisplay(config.max_pages, loudness, warn_after) as display:
        result = run_crawl(directory, config, [display], stop, display)
    tell_result(directory, config, result, as_json, by_service=stop.by_service)


def _announce(directory: Path) -> None:
    """A large crawl takes a while to resume: say so."""
    from langcrawl.store.directory import DATABASE

    database = directory / DATABASE
    size = database.stat().st_size / 1e9 if database.exists() else 0.0
    if size >= _LARGE:
        said = f"reading a frontier of {size:.1f} GB, about {_SECONDS_A_GB * size:.0f} s ..."
        print(said, file=sys.stderr, flush=True)
