"""``langcrawl simulate``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from langcrawl.cli.common import (
    INTERRUPTED,
    Json,
    Log,
    MaxDepth,
    MaxPages,
    MaxPerHost,
    Seeds,
    announce_compiling,
    check_file,
    print_json,
    print_results,
    unknown_fails,
)
from langcrawl.config import read_seeds
from langcrawl.counts import Limits
from langcrawl.errors import UsageError
from langcrawl.progress import Interrupt, ProgressBoard

if TYPE_CHECKING:
    from langcrawl.simulate import Result
    from langcrawl.virtualweb.graph import Graph

PLOT_TYPES = (".png", ".svg", ".pdf")

Strategy = Annotated[
    list[str], typer.Option(help="See 'langcrawl strategies'; may be given several times.")
]
Lang = Annotated[
    str | None, typer.Option(help="Call pages in this language relevant, not the crawl's.")
]
Judge = Annotated[
    str,
    typer.Option(
        help="Judge the pages anew by charset (charset:from=meta); generated ones by any judge."
    ),
]
Unknown = Annotated[
    str, typer.Option(help="What happens to links that have no page in the log: drop or fail.")
]
Points = Annotated[int, typer.Option(min=1, help="How many points a curve has.")]
Order = Annotated[Path | None, typer.Option(help="Write the URLs in the order taken to this file.")]
Report = Annotated[Path | None, typer.Option(help="Write an HTML report.")]
Plot = Annotated[Path | None, typer.Option(help="Write the curves as PNG, SVG or PDF.")]
Timed = Annotated[
    bool, typer.Option("--timed", help="Let time pass: downloads take long, hosts rest.")
]
Delay = Annotated[float, typer.Option(min=0, help="With --timed: seconds that a host rests.")]
Connections = Annotated[int, typer.Option(min=1, help="With --timed: downloads under way at once.")]
Latency = Annotated[
    float | None,
    typer.Option(min=0, help="With --timed: typical seconds to an answer, not those recorded."),
]
Seed = Annotated[int, typer.Option(min=0, help="With --latency: which web is drawn.")]
Interpreted = Annotated[
    bool, typer.Option("--interpreted", help="Use the reference loop, which is slow.")
]


def simulate(
    log: Log,
    strategy: Strategy,
    seeds: Seeds = None,
    lang: Lang = None,
    judge: Judge = "",
    max_pages: MaxPages = None,
    max_depth: MaxDepth = None,
    max_pages_per_host: MaxPerHost = None,
    unknown: Unknown = "drop",
    points: Points = 200,
    order: Order = None,
    report: Report = None,
    plot: Plot = None,
    timed: Timed = False,
    delay: Delay = 1.0,
    connections: Connections = 16,
    latency: Latency = None,
    seed: Seed = 1,
    interpreted: Interpreted = False,
    as_json: Json = False,
) -> None:
    """What a strategy would have done on the web of a log.

    \b
    Example:  langcrawl simulate thai --strategy bfs --strategy soft --report thai.html
              langcrawl simulate thai --strategy soft --timed --delay 5 --connections 100
    """
    announce_compiling()
    from langcrawl.languages import load_pack
    from langcrawl.simulate import Plan, Source, Timing, simulate_all

    if plot and plot.suffix.lower() not in PLOT_TYPES:
        raise UsageError(f"--plot makes {', '.join(PLOT_TYPES)} files, not '{plot.name}'.")
    check_file(report, "--report")
    check_file(plot, "--plot")
    check_file(order, "--order")
    limits = Limits(max_pages=max_pages, max_depth=max_depth, max_pages_per_host=max_pages_per_host)
    timing = Timing(delay, connections, latency, seed) if timed else None
    plan = Plan(read_seeds(seeds or ()), limits, unknown_fails(unknown), points, timing)
    tag = load_pack(lang).tag if lang else ""
    with Interrupt() as stop, ProgressBoard(strategy) as board:
        graph, results = simulate_all(
            Source(log, tag, judge), strategy, plan, board.show, stop, interpreted
        )
    if order:
        _write_orders(order, graph, results)
    entries = [result.as_json() for result in results]
    document = {"log": str(log), "relevant_total": graph.relevant_total, "strategies": entries}
    _write_pictures(document, lang or graph.config.lang, report, plot)
    if as_json:
        print_json(document)
    else:
        print_results(entries)
    if stop.requested:
        raise typer.Exit(INTERRUPTED)


def _write_orders(path: Path, graph: Graph, results: list[Result]) -> None:
    """The URLs in the order taken: one file, or one a strategy."""
    from langcrawl.simulate import as_urls

    path.parent.mkdir(parents=True, exist_ok=True)
    for number, result in enumerate(results, 1):
        name = path if len(results) == 1 else Path(f"{path}.{number}")
        lines = "".join(f"{url}\n" for url in as_urls(graph, result.order))
        name.write_text(lines, encoding="utf-8")


def _write_pictures(
    document: dict[str, Any], lang: str, report: Path | None, plot: Path | None
) -> None:
    if report:
        from langcrawl.report.page import write_report

        title = f"Simulation of {document['log']}"
        lead = f"{document['relevant_total']:,} pages in {lang} are in the log."
        write_report(report, title, lead, document["strategies"])
    if plot:
        from langcrawl.report.charts import save_plot

        save_plot(document["strategies"], plot)
