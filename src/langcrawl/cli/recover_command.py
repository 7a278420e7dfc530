"""``langcrawl recover``."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from langcrawl.cli.common import INTERRUPTED, Json, Trust, check_trust, print_json
from langcrawl.cli.progress import Interrupt, ProgressDisplay
from langcrawl.config import CrawlConfig
from langcrawl.errors import BadInput
from langcrawl.store.directory import CrawlDirectory

Directory = Annotated[Path, typer.Argument(metavar="DIR", help="The directory of the crawl.")]
Rebuild = Annotated[
    bool,
    typer.Option("--rebuild", help="Make database and log anew from the whole archive."),
]


def recover(
    directory: Directory, rebuild: Rebuild = False, trust: Trust = False, as_json: Json = False
) -> None:
    """Take pages in again that are in the archive of DIR, or its lost+found, and not in its log.

    \b
    Example:  langcrawl recover thai
              langcrawl recover thai --rebuild
    """
    from langcrawl.upkeep.recover import recover_crawl

    config = CrawlConfig.load(directory)
    if parts := CrawlDirectory(directory).parts:
        raise BadInput(
            f"the crawl in '{directory}' has {len(parts)} shards; recover the one that needs it, "
            f"such as '{parts[0]}'."
        )
    check_trust(directory, config, trust)
    with Interrupt() as stop, ProgressDisplay("recovering") as display:
        done = recover_crawl(directory, config, rebuild, display.show, stop)
    if as_json:
        print_json(asdict(done))
    elif not (done.pages or done.known or done.broken or done.rebuilt):
        print(f"There is nothing in {directory} to take in: the database knows all of it.")
    else:
        made = "Database and log were made anew. " if done.rebuilt else ""
        print(
            f"{made}{done.pages:,} pages, {done.relevant:,} of them in {config.lang}, were taken "
            f"in from {done.files:,} files; {done.known:,} were known already, "
            f"{done.broken:,} cannot be read and will be downloaded again."
        )
        if done.left:
            print(
                f"{done.left:,} files in {directory / 'lost+found'} hold nothing new; "
                "remove them when you like."
            )
    if done.stopped:
        raise typer.Exit(INTERRUPTED)
