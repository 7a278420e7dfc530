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
    print_json,
)
from langcrawl.config import FILE, CrawlConfig, first_problem, read_seeds
from langcrawl.errors import BadInput, UsageError
from langcrawl.progress import Interrupt, ProgressLine

_LARGE, _SECONDS_A_GB = 0.2, 15
"""Gigabytes of a frontier that takes a while to read, and how long."""

Directory = Annotated[Path, typer.Argument(metavar="DIR", help="Where the crawl is kept.")]
Lang = Annotated[str | None, typer.Option(help="The language to collect, as th or mn-Mong.")]
Strategy = Annotated[
    str | None, typer.Option(help="Which links to follow; see 'langcrawl strategies'.")
]
Judge = Annotated[
    str | None, typer.Option(help="How to tell the language; see 'langcrawl judges'.")
]
MaxBytes = Annotated[int | None, typer.Option(min=0, help="Stop after so many bytes.")]
MaxTime = Annotated[float | None, typer.Option(min=0, help="Stop after so many seconds.")]
Include = Annotated[
    list[str] | None,
    typer.Option(help="Only URLs with a match of this regular expression; several: any of them."),
]
Exclude = Annotated[
    list[str] | None, typer.Option(help="No URL with a match of this regular expression.")
]
BlockHosts = Annotated[
    Path | None, typer.Option(help="A file of hosts and domains, a line each, never to be asked.")
]
Delay = Annotated[
    float | None, typer.Option(min=0, help="Seconds to leave a host alone between requests.")
]
Connections = Annotated[
    int | None, typer.Option(min=1, help="Requests under way at once; 1 keeps exact order.")
]
IpDelay = Annotated[
    float | None, typer.Option(min=0, help="Seconds between requests to one address.")
]
Retries = Annotated[
    int | None,
    typer.Option(min=0, help="Tries again after 429, 503 or no answer."),
]
Workers = Annotated[
    int | None, typer.Option(min=1, help="Processes that download; as many as cores by default.")
]
Proxy = Annotated[str | None, typer.Option(help="Ask through http://[user:password@]host:port.")]
Nofollow = Annotated[
    bool | None, typer.Option("--nofollow/--follow-all", help="Obey rel=nofollow and its META.")
]
Noindex = Annotated[
    bool | None,
    typer.Option("--noindex/--index-all", help="Leave pages that say noindex out."),
]
Sitemaps = Annotated[
    bool | None, typer.Option("--sitemaps/--no-sitemaps", help="Take links from sitemaps as well.")
]
Store = Annotated[str | None, typer.Option(help="Which pages to archive: all or relevant.")]
Normalize = Annotated[
    str | None,
    typer.Option(
        help="Archive the text of relevant pages in one encoding as well: unicode or zawgyi."
    ),
]
Types = Annotated[
    str | None, typer.Option(help="What to archive: pages, or all with pictures and documents.")
]
UserAgent = Annotated[str | None, typer.Option(help="The name to show to servers.")]
Contact = Annotated[str | None, typer.Option(help="A URL or address for those who mind the crawl.")]
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
    include: Include = None,
    exclude: Exclude = None,
    block_hosts: BlockHosts = None,
    delay: Delay = None,
    ip_delay: IpDelay = None,
    retries: Retries = None,
    connections: Connections = None,
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
    as_json: Json = False,
) -> None:
    """Start a crawl in DIR, or go on with the one that is there.

    \b
    Example:  langcrawl crawl thai --lang th --seeds https://www.example.co.th/ --max-pages 1000
              langcrawl crawl thai --max-pages 5000
    """
    given = {key: value for key, value in locals().items() if value is not None}
    del given["directory"], given["as_json"]
    from langcrawl.run import run_crawl

    config = _config(directory, given)
    _announce(directory)
    with Interrupt() as stop, ProgressLine("crawling", config.max_pages) as line:
        result = run_crawl(directory, config, [line], stop)
    if as_json:
        print_json(result)
    else:
        print(
            f"{result['pages']:,} pages, {result['relevant']:,} of them in {config.lang} "
            f"({result['harvest']:.1%}), {result['queue']:,} waiting; {result['stopped']}."
        )
        if result["discards"] and not result["pages"]:
            reasons = ", ".join(f"{reason} {n:,}" for reason, n in result["discards"].items())
            print(f"Nothing was downloaded; links were left out for: {reasons}.")
        print(f"Try next:  langcrawl simulate {directory} --strategy soft --strategy lswc")
    if result["stopped"] == "interrupted":
        raise typer.Exit(INTERRUPTED)


def _announce(directory: Path) -> None:
    """A large crawl is silent for a while when it is gone on with: say so."""
    from langcrawl.ledger import DATABASE

    database = directory / DATABASE
    size = database.stat().st_size / 1e9 if database.exists() else 0.0
    if size >= _LARGE:
        said = f"reading a frontier of {size:.1f} GB, about {_SECONDS_A_GB * size:.0f} s ..."
        print(said, file=sys.stderr, flush=True)


def _config(directory: Path, given: dict[str, Any]) -> CrawlConfig:
    """The config of a new crawl, or that of the crawl in the directory with changes."""
    from langcrawl.languages import load_pack

    if "lang" in given:
        given["lang"] = load_pack(given["lang"]).tag
    if "seeds" in given:
        given["seeds"] = read_seeds(given["seeds"])
    if "block_hosts" in given:
        given["block_hosts"] = str(given["block_hosts"].resolve())
    if (directory / FILE).exists():
        before = CrawlConfig.load(directory)
        if before.source != "crawl":
            raise BadInput(
                f"'{directory}' was made by '{before.source}' and cannot be crawled on; "
                "name a new directory."
            )
        for key in ("lang", "seeds"):
            if key in given and given[key] != getattr(before, key):
                raise BadInput(
                    f"the crawl in '{directory}' has other {key}; start a new one in another "
                    "directory, or go on without that option."
                )
        fields = before.model_dump() | {"version": __version__}
    elif directory.is_file():
        raise BadInput(f"'{directory}' is a file; name a new directory.")
    elif directory.is_dir() and any(name.name != ".lock" for name in directory.iterdir()):
        raise BadInput(f"'{directory}' is not empty and holds no crawl; name a new directory.")
    else:
        missing = [f"--{key}" for key in ("lang", "seeds") if key not in given]
        if missing:
            raise UsageError(f"a new crawl needs {' and '.join(missing)}.")
        fields = {"bridge": load_pack(given["lang"]).bridge}
    try:
        return CrawlConfig(**(fields | given))
    except ValidationError as error:
        raise UsageError(f"{first_problem(error)}.") from None
