"""``langcrawl analyze``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from langcrawl.cli.common import (
    Json,
    Log,
    OtherLang,
    check_file,
    print_json,
    print_table,
    targets_of,
)
from langcrawl.cli.progress import ProgressDisplay, interruptible

if TYPE_CHECKING:
    from langcrawl.measure.webgraph import Analysis


def analyze(
    log: Log,
    lang: OtherLang = None,
    top: Annotated[
        int, typer.Option(min=1, help="How many domains, charsets and hosts are listed.")
    ] = 8,
    report: Annotated[Path | None, typer.Option(help="Write an HTML report with charts.")] = None,
    as_json: Json = False,
) -> None:
    """The web graph of a log: languages by domain, locality of links, distances, encodings.

    \b
    Example:  langcrawl analyze thai
              langcrawl analyze thai --lang ja --report thai.html
    """
    check_file(report, "--report")
    from langcrawl.log.graph import load_graph
    from langcrawl.measure.webgraph import analyze_graph
    from langcrawl.store.migrate import open_directory

    tag = targets_of(lang)

    def say(stage: str) -> None:
        display.show(0, None, stage)

    def measure() -> Analysis:
        say("opening the log")
        open_directory(log)
        graph = load_graph(log, tag)
        return analyze_graph(graph, tag or graph.config.lang, top, say)

    with ProgressDisplay("analyze") as display:
        found = interruptible(measure)
    if report:
        from langcrawl.report.analysis_page import write_analysis

        write_analysis(report, str(log), found, top)
    if as_json:
        print_json({"log": str(log), **found.as_json()})
    else:
        _print_tables(found, top)


def _print_tables(found: Analysis, top: int) -> None:
    from langcrawl.report.analysis import lead, tables

    print(lead(found))
    for table in tables(found, top):
        print(f"\n{table.title}")
        print_table(table.heads, table.rows, whole=True)
