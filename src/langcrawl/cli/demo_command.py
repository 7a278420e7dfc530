"""``langcrawl demo``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from langcrawl.cli.common import INTERRUPTED, Json, announce_compiling, print_json, print_results
from langcrawl.progress import Interrupt, ProgressLine


def demo(
    directory: Annotated[
        Path, typer.Option("--dir", help="Where to write the crawl and its report.")
    ] = Path("langcrawl-demo"),
    as_json: Json = False,
) -> None:
    """Crawl a small web on loopback for Thai pages, replay the log, and write a report.

    \b
    Example:  langcrawl demo
    """
    announce_compiling()
    from langcrawl.demo import make_way, run_demo
    from langcrawl.virtualweb.small import SITES

    make_way(directory)
    say = Console(stderr=as_json, highlight=False, soft_wrap=True)
    say.print(f"Crawling a small generated web of {len(SITES)} hosts on loopback for Thai pages.")
    with Interrupt() as stop, ProgressLine("crawling") as line:
        done = run_demo(directory, [line], stop)
    if as_json:
        print_json({"crawl": done.crawl, "strategies": done.results, "report": str(done.report)})
    else:
        for fact in done.facts:
            say.print(fact)
        say.print("\nThe same web, replayed from the crawl's log under five strategies:")
        print_results(done.results)
        say.print(f"\nWritten: {done.report} (open it in a browser), {directory}/log (Parquet).")
        say.print(f"Try next:  langcrawl simulate {directory} --strategy soft:n=1 --strategy dfs")
        say.print("           langcrawl crawl thai --lang th --seeds URL --contact YOUR-ADDRESS")
    if done.crawl["stopped"] == "interrupted":
        raise typer.Exit(INTERRUPTED)
