"""``langcrawl analyze``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from langcrawl.cli.common import Json, Log, check_file, print_json, print_table
from langcrawl.progress import StageLine, interruptible


def analyze(
    log: Log,
    lang: Annotated[
        str | None, typer.Option(help="Call pages in this language relevant, not the crawl's.")
    ] = None,
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
    from langcrawl.languages import load_pack
    from langcrawl.measure.webgraph import analyze_graph
    from langcrawl.virtualweb.graph import load_graph

    tag = load_pack(lang).tag if lang else ""

    def measure() -> dict[str, Any]:
        line.show("opening the log")
        graph = load_graph(log, tag)
        return analyze_graph(graph, tag or graph.config.lang, top, line.show)

    with StageLine("analyze") as line:
        document = {"log": str(log), **interruptible(measure)}
    if report:
        from langcrawl.report.analysis_page import write_analysis

        write_analysis(report, document, top)
    if as_json:
        print_json(document)
    else:
        _print_tables(document, top)


def _print_tables(document: dict[str, Any], top: int) -> None:
    from langcrawl.report.analysis import lead, tables

    print(lead(document))
    for table in tables(document, top):
        print(f"\n{table.title}")
        print_table(table.heads, table.rows, whole=True)
