"""``langcrawl verify``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from langcrawl.cli.common import Json, print_json
from langcrawl.cli.progress import ProgressDisplay

Directory = Annotated[Path, typer.Argument(metavar="DIR", help="The directory of the crawl.")]


def verify(directory: Directory, as_json: Json = False) -> None:
    """Check everything in DIR: database, log, archive and index, against each other.

    \b
    Example:  langcrawl verify thai
    """
    from langcrawl.upkeep.verify import verify_crawl

    with ProgressDisplay("verifying", unit="records") as display:
        problems = list(verify_crawl(directory, display.show))
    aside = directory / "lost+found"
    waiting = sum(path.is_file() for path in aside.rglob("*")) if aside.is_dir() else 0
    if as_json:
        print_json({"problems": problems, "lost_and_found": waiting})
    else:
        for problem in problems:
            print(problem)
        if waiting:
            print(
                f"Note: {aside} holds {waiting:,} files that are no part of the crawl; "
                f"'langcrawl recover {directory}' says whether any page in them is new."
            )
        if not problems:
            print(f"{directory}: all is well.")
    if problems:
        raise typer.Exit(1)
