"""``langcrawl tune``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from langcrawl.cli.common import (
    INTERRUPTED,
    Cluster,
    Json,
    Log,
    MaxDepth,
    MaxPages,
    MaxPerHost,
    OtherLang,
    Seeds,
    announce_compiling,
    check_file,
    print_json,
    print_table,
    spread,
    targets_of,
)
from langcrawl.cli.progress import Interrupt, ProgressDisplay
from langcrawl.cli.simulate_command import PLOT_TYPES, Judge
from langcrawl.config import read_seeds
from langcrawl.errors import UsageError
from langcrawl.records import Limits

if TYPE_CHECKING:
    from langcrawl.measure.results import Tuned

_SHOWN = 10

Strategy = Annotated[
    str, typer.Option(help="lswc, for example, or lswc:s=2 to keep s and search the others.")
]
Try = Annotated[
    list[str] | None,
    typer.Option("--try", help="Values to try for a parameter, such as s=1,2,4; may be repeated."),
]
Tries = Annotated[int, typer.Option(min=2, help="Run at most this many simulations.")]
Measure = Annotated[str, typer.Option(help="What to maximise: auc, coverage or harvest.")]
HeldOut = Annotated[
    float, typer.Option(min=0, max=0.9, help="The share of the hosts that the search never sees.")
]
Seed = Annotated[
    int, typer.Option(min=0, help="Random seed of the search and of the held-out hosts.")
]
Report = Annotated[Path | None, typer.Option(help="Write an HTML report of everything tried.")]
Plot = Annotated[Path | None, typer.Option(help="Write its charts as PNG, SVG or PDF.")]


def tune(
    log: Log,
    strategy: Strategy,
    try_: Try = None,
    tries: Tries = 40,
    measure: Measure = "auc",
    held_out: HeldOut = 0.3,
    seed: Seed = 1,
    seeds: Seeds = None,
    lang: OtherLang = None,
    judge: Judge = "",
    max_pages: MaxPages = None,
    max_depth: MaxDepth = None,
    max_pages_per_host: MaxPerHost = None,
    report: Report = None,
    plot: Plot = None,
    cluster: Cluster = None,
    as_json: Json = False,
) -> None:
    """Find a strategy's best parameters on the web of a log.

    \b
    Example:  langcrawl tune thai --strategy lswc --max-pages 100000
              langcrawl tune thai --strategy correlation:min=0 --tries 60 --report weights.html
    """
    announce_compiling()
    from langcrawl.simulate import Plan, Source
    from langcrawl.simulate import tune as search

    if measure not in search.MEASURES:
        raise UsageError(f"--measure must be one of {', '.join(search.MEASURES)}, not '{measure}'.")
    if plot and plot.suffix.lower() not in PLOT_TYPES:
        raise UsageError(f"--plot writes {', '.join(PLOT_TYPES)} files, not '{plot.name}'.")
    check_file(report, "--report")
    check_file(plot, "--plot")
    limits = Limits(max_pages=max_pages, max_depth=max_depth, max_pages_per_host=max_pages_per_host)
    source = Source(log, targets_of(lang), judge)
    plan = Plan(read_seeds(seeds or ()), limits)
    question = search.Question(source, plan, measure, held_out, seed)
    with (
        spread(cluster), Interrupt() as stop,
        ProgressDisplay("searching", unit="simulations") as display,
    ):  # fmt: skip
        tuned = search.tune(question, strategy, tries, try_ or (), display.show, stop)
    if tuned.trials:
        _write_pictures(tuned, report, plot)
    if as_json:
        print_json(tuned.as_json())
    elif tuned.trials:
        from langcrawl.report.tuning import tuning_table

        table = tuning_table(tuned, _SHOWN)
        print_table(table.heads, table.rows)
        print(f"Best of {len(tuned.trials)}: --strategy {tuned.best.name}")
    if stop.requested:
        raise typer.Exit(INTERRUPTED)


def _write_pictures(tuned: Tuned, report: Path | None, plot: Path | None) -> None:
    from langcrawl.report.tuning import save_tuning_plot, write_tuning

    if report:
        write_tuning(report, tuned)
    if plot:
        save_tuning_plot(plot, tuned)
