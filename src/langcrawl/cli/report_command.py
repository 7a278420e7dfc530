"""``langcrawl report``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from langcrawl.cli.common import CrawlToRead, Json, announce_compiling, check_file, print_json
from langcrawl.cli.progress import ProgressDisplay, interruptible
from langcrawl.errors import UsageError

if TYPE_CHECKING:
    from langcrawl.measure.results import Result


def report(
    directory: CrawlToRead,
    to: Annotated[
        Path | None, typer.Option(help="The HTML file to write; DIR/report.html by default.")
    ] = None,
    plots: Annotated[
        Path | None, typer.Option(help="A folder: each chart as PNG, SVG, PDF and CSV.")
    ] = None,
    strategy: Annotated[
        list[str] | None,
        typer.Option(help="Replay the log under this strategy and compare; several times."),
    ] = None,
    against: Annotated[
        Path | None,
        typer.Option(help="Another crawl, or a file of hosts: which sites are out of reach?"),
    ] = None,
    samples: Annotated[int, typer.Option(min=0, help="How many pages are shown.")] = 12,
    as_json: Json = False,
) -> None:
    """Write what the crawl in DIR collected as one HTML page; works while it runs.

    \b
    Example:  langcrawl report thai
              langcrawl report thai --to thai.html --plots figures --strategy bfs --strategy soft
    """
    path = to or directory / "report.html"
    check_file(path, "--to")
    if plots is not None and plots.is_file():
        raise UsageError(f"--plots names the file '{plots}'; give the name of a folder.")
    from langcrawl.measure.portrait import portrait_of
    from langcrawl.measure.recapture import recapture_of

    def say(stage: str) -> None:
        display.show(0, None, stage)

    def make() -> dict[str, object]:
        say("counting pages and links")
        found = portrait_of(directory)
        if against is not None:
            found = replace(found, recapture=recapture_of(directory, against))
        results = _replayed(directory, strategy or [])
        if as_json and to is None and plots is None:
            return found.as_json()
        from langcrawl.report.crawl_page import write_crawl_report, write_plots
        from langcrawl.report.samples import sample_pages

        say("reading some pages")
        shown = sample_pages(directory, samples) if samples else []
        say("drawing")
        write_crawl_report(path, found, shown, results)
        if plots is not None:
            write_plots(plots, found, results)
        return found.as_json()

    with ProgressDisplay("report") as display:
        document = interruptible(make)
    if as_json:
        print_json(document)
    else:
        print(f"Written: {path}" + (f", {plots}/" if plots else "") + ".")


def _replayed(directory: Path, names: list[str]) -> list[Result]:
    """What strategies would have done with the log, up to this moment where the crawl runs."""
    if not names:
        return []
    from langcrawl.config import CrawlConfig
    from langcrawl.log.graph import build_graph, load_graph
    from langcrawl.simulate import Plan, simulate
    from langcrawl.store.view import open_view
    from langcrawl.strategy import make_strategy

    announce_compiling()
    with open_view(directory) as view:
        tables = view.tables()
    graph = build_graph(CrawlConfig.load(directory), tables) if tables else load_graph(directory)
    return [simulate(graph, make_strategy(name), Plan()) for name in names]
