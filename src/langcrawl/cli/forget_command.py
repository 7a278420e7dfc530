"""``langcrawl forget``."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from langcrawl.cli.common import INTERRUPTED, Json, as_one, print_json
from langcrawl.cli.progress import Interrupt, ProgressDisplay

Directory = Annotated[Path, typer.Argument(metavar="DIR", help="The directory of the crawl.")]
Host = Annotated[
    list[str] | None,
    typer.Option(help="All pages of this host; may be given several times."),
]
Url = Annotated[
    list[str] | None, typer.Option(help="The page of this URL; may be given several times.")
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would go, and change nothing.")]


def forget(
    directory: Directory,
    host: Host = None,
    url: Url = None,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Take pages out of the crawl in DIR for good: archive, index, log and queue.

    They are never asked for again. This cannot be undone.

    \b
    Example:  langcrawl forget thai --host www.example.co.th --dry-run
              langcrawl forget thai --host www.example.co.th
              langcrawl forget thai --url https://www.example.co.th/private.html
    """
    from langcrawl.upkeep.forget import forget_everywhere, wanted

    goal = wanted(host or (), url or ())
    with Interrupt() as stop, ProgressDisplay("forgetting", unit="bytes") as display:
        done = forget_everywhere(directory, goal, dry_run, display.show, stop)
        as_one(directory)  # it links to archives as they were
    if as_json:
        print_json(asdict(done))
    elif done.stopped:
        print("Stopped half way: the pages count no more; run the same command to complete it.")
    else:
        verb = "would be" if dry_run else "were"
        print(
            f"{done.pages:,} pages, {done.relevant:,} of them in the target, and {done.records:,} "
            f"records of the archive ({done.bytes:,} bytes) {verb} taken out; {done.waiting:,} of "
            f"{done.urls:,} URLs were waiting."
        )
        if done.asked_again:
            print(
                f"{done.asked_again:,} pages elsewhere had the same content, which the archive "
                "held only there: the next run asks for them again."
            )
        if (directory / "corpus").is_dir():
            print(f"{directory / 'corpus'} was made before: export it again.")
    if done.stopped:
        raise typer.Exit(INTERRUPTED)
