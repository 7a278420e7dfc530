"""``langcrawl import``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from langcrawl.cli.common import Json, Seeds, print_json
from langcrawl.config import CrawlConfig, read_seeds


def import_(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="A new directory.")],
    lang: Annotated[str, typer.Option(help="The language that counts as relevant.")],
    pages: Annotated[
        Path, typer.Option(help="CSV with url,language and optionally status,bytes,score,redirect.")
    ],
    links: Annotated[
        Path | None, typer.Option(help="CSV with src,dst and optionally anchor.")
    ] = None,
    seeds: Seeds = None,
    as_json: Json = False,
) -> None:
    """Make a crawl directory, ready to simulate on, of CSV files.

    \b
    Example:  langcrawl import web --pages pages.csv --links links.csv --seeds seeds.txt --lang th
    """
    from langcrawl.languages import load_pack
    from langcrawl.virtualweb.csv_import import import_csv

    pack = load_pack(lang)
    config = CrawlConfig(
        source="import", lang=pack.tag, bridge=pack.bridge, seeds=read_seeds(seeds or ())
    )
    done = import_csv(directory, pages, links, config)._asdict()
    if as_json:
        print_json(done)
        return
    print(
        f"{done['pages']:,} pages, {done['relevant']:,} of them in {pack.tag}, "
        f"and {done['links']:,} links are in {directory}."
    )
    if done["bad_languages"]:
        print(f"{done['bad_languages']:,} pages have a language that is no BCP-47 tag: unknown.")
    left_out = {key: done[key] for key in ("bad_pages", "repeated_pages", "bad_links") if done[key]}
    if left_out:
        words = ", ".join(f"{key.replace('_', ' ')}: {count:,}" for key, count in left_out.items())
        print(f"Rows left out: {words}.")
