"""``langcrawl stats``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from langcrawl.cli.common import Json, check_file, print_json, print_table
from langcrawl.cli.progress import ProgressDisplay
from langcrawl.errors import UsageError

_PICTURES = (".png", ".svg", ".pdf")


def stats(
    corpus: Annotated[
        Path,
        typer.Argument(help="A Parquet, JSON lines or text file, or a folder of them."),
    ],
    text_column: Annotated[
        str, typer.Option(help="The column that has the texts, in a corpus of others.")
    ] = "text",
    top: Annotated[int, typer.Option(min=1, help="How many hosts, lines and so on to list.")] = 10,
    report: Annotated[Path | None, typer.Option(help="Write an HTML report with charts.")] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Write the curves as a picture: PNG, SVG or PDF.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Count what is in a corpus: documents, words, hosts, languages, months, repeated lines.

    \b
    Example:  langcrawl stats thai.parquet
              langcrawl stats thai/corpus --report thai.html --plot curves.png
              langcrawl stats others.jsonl.gz --text-column content --json
    """
    check_file(report, "--report")
    check_file(plot, "--plot")
    if plot and plot.suffix.lower() not in _PICTURES:
        raise UsageError(f"--plot writes {', '.join(_PICTURES)}, not '{plot.name}'.")
    from langcrawl.corpus.stats import measure_corpus

    with ProgressDisplay("counting", unit="documents") as display:
        found = measure_corpus(corpus, text_column, top, display.show)
    if report or plot:
        from langcrawl.corpus.stats_report import save_curves, write_stats

        if report:
            write_stats(report, found)
        if plot:
            save_curves(plot, found)
    if as_json:
        print_json(found.as_json())
        return
    from langcrawl.corpus.stats_report import lead, tables

    print(lead(found))
    for table in tables(found):
        print(f"\n{table.title}")
        print_table(table.heads, table.rows)
