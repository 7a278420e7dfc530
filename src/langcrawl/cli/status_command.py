"""``langcrawl status``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from langcrawl.cli.common import Json, by_language, print_json, print_table

Directory = Annotated[Path, typer.Argument(metavar="DIR", help="The directory of the crawl.")]


def status(directory: Directory, as_json: Json = False) -> None:
    """Show what the crawl in DIR is doing, or how it ended; works while it runs.

    \b
    Example:  langcrawl status thai
              watch langcrawl status thai
    """
    from langcrawl.store.view import read_status

    found = read_status(directory)
    if as_json:
        print_json(found.as_json())
        return
    running = "running" if found.running else "not running"
    print(
        f"{directory}: {running}, {found.pages:,} pages in {found.seconds:,.0f} s "
        f"({found.pages_per_second:,.1f}/s), {found.relevant:,} of them in {found.lang} "
        f"({found.harvest:.1%})."
    )
    if languages := by_language(found.languages):
        print(f"By language: {languages}.")
    print(
        f"{found.queue:,} URLs wait, {found.under_way:,} are under way; "
        f"{found.urls:,} are known on {found.hosts:,} hosts; "
        f"{found.bytes / 1e6:,.1f} MB downloaded."
    )
    for title in ("errors", "discards", "notes"):
        counts = sorted(getattr(found, title).items(), key=lambda item: -item[1])
        if counts:
            print()
            print_table([title, "count"], [(name, f"{count:,}") for name, count in counts])
