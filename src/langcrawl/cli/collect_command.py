"""``langcrawl collect``."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from langcrawl.cli.common import INTERRUPTED, Json, as_one, print_json
from langcrawl.cli.progress import Interrupt, ProgressDisplay
from langcrawl.errors import BadValue

Directory = Annotated[Path, typer.Argument(metavar="DIR", help="The directory of the crawl.")]
To = Annotated[
    str,
    typer.Option(
        metavar="PLACE", help="The folder, or the address in an object store, to bring them to."
    ),
]
Back = Annotated[bool, typer.Option("--back", help="Bring all of them back to DIR.")]


def collect(directory: Directory, to: To = "", back: Back = False, as_json: Json = False) -> None:
    """Bring the complete archive files of the crawl in DIR to one place, and free its disk.

    Each copy is read back and compared before the file in DIR goes.

    \b
    Example:  langcrawl collect thai --to /archive/thai
              langcrawl collect thai --to s3://bucket/thai
              langcrawl collect thai --back
    """
    from langcrawl.upkeep.collect import bring_back
    from langcrawl.upkeep.collect import collect as bring

    if bool(to) == back:
        raise BadValue("say where to bring the archive files: --to PLACE, or --back.")
    with Interrupt() as stop, ProgressDisplay("collecting", unit="bytes") as display:
        if back:
            done = bring_back(directory, display.show, stop)
        else:
            done = bring(directory, to, display.show, stop)
        as_one(directory)  # it links to archives as they were
    if as_json:
        print_json(asdict(done))
    else:
        where = f"back to {directory}" if back else f"to {to}"
        print(f"{done.files:,} archive files ({done.bytes:,} bytes) were brought {where}.")
        if done.stopped:
            print("Stopped half way: run the same command to complete it.")
    if done.stopped:
        raise typer.Exit(INTERRUPTED)
