"""``langcrawl simulate``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

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
    number,
    print_json,
    print_results,
    print_table,
    spread,
    targets_of,
    unknown_fails,
)
from langcrawl.cli.priors import Prior, some_with_prior
from langcrawl.cli.progress import Interrupt, ProgressDisplay
from langcrawl.config import read_seeds
from langcrawl.errors import StrategyFailed, UsageError
from langcrawl.records import Limits
from langcrawl.units import read_share

if TYPE_CHECKING:
    from langcrawl.log.graph import Graph
    from langcrawl.simulate import Plan, Result, Source
    from langcrawl.simulate.explain import Brought

PLOT_TYPES = (".png", ".svg", ".pdf")
CURVES = ".csv"
PANELS = ("harvest", "coverage", "queue")

Strategy = Annotated[
    list[str], typer.Option(help="See 'langcrawl strategies'; may be given several times.")
]
Judge = Annotated[
    str,
    typer.Option(
        help="Judge the pages again: by charset (charset:from=meta), or by their text with any "
        "judge."
    ),
]
Unknown = Annotated[
    str, typer.Option(help="Links that have no page in the log: drop them, or let them fail.")
]
Points = Annotated[int, typer.Option(min=1, help="Number of points on each curve.")]
Order = Annotated[
    Path | None, typer.Option(help="Write the URLs to this file, in the order they were taken.")
]
Report = Annotated[Path | None, typer.Option(help="Write an HTML report.")]
Plot = Annotated[Path | None, typer.Option(help="Write the curves as PNG, SVG or PDF.")]
Plots = Annotated[
    list[Path] | None,
    typer.Option(
        "--plot",
        help="Write the curves as PNG, SVG, PDF or CSV; may be given several times. With {panel} "
        "in the name, each panel is a file.",
    ),
]
Panels = Annotated[
    list[str] | None,
    typer.Option(
        "--panel",
        help="Draw this panel only: harvest, coverage or queue; may be given several times.",
        show_default="all three",
    ),
]
Timed = Annotated[
    bool, typer.Option("--timed", help="Simulate time: downloads take time, hosts rest.")
]
Delay = Annotated[
    float, typer.Option(min=0, help="With --timed: seconds between requests to a host.")
]
Connections = Annotated[int, typer.Option(min=1, help="With --timed: downloads at the same time.")]
Latency = Annotated[
    float | None,
    typer.Option(
        min=0, help="With --timed: typical seconds to an answer, in place of the recorded ones."
    ),
]
Seed = Annotated[int, typer.Option(min=0, help="With --latency: the random seed.")]
Explain = Annotated[
    bool,
    typer.Option(
        "--explain", help="Of adaptive: run it without one signal after the other, and rank them."
    ),
]
Interpreted = Annotated[
    bool, typer.Option("--interpreted", help="Use the reference loop: same results, much slower.")
]

Sample = Annotated[
    float,
    typer.Option(
        parser=number(read_share, optional=False),
        help="Draw this share of the downloads by chance, such as 2%, and estimate the coverage.",
    ),
]


def simulate(
    log: Log,
    strategy: Strategy,
    seeds: Seeds = None,
    lang: OtherLang = None,
    judge: Judge = "",
    max_pages: MaxPages = None,
    max_depth: MaxDepth = None,
    max_pages_per_host: MaxPerHost = None,
    unknown: Unknown = "drop",
    points: Points = 200,
    order: Order = None,
    report: Report = None,
    plot: Plots = None,
    panel: Panels = None,
    timed: Timed = False,
    delay: Delay = 1.0,
    connections: Connections = 16,
    latency: Latency = None,
    seed: Seed = 1,
    interpreted: Interpreted = False,
    prior: Prior = None,
    explain: Explain = False,
    sample: Sample = 0.0,
    cluster: Cluster = None,
    as_json: Json = False,
) -> None:
    """Show what a strategy would have done on the web of a log.

    \b
    Example:  langcrawl simulate thai --strategy bfs --strategy soft --report thai.html
              langcrawl simulate thai --strategy soft --timed --delay 5 --connections 100
              langcrawl simulate thai --strategy adaptive --explain
              langcrawl simulate thai --strategy soft --plot fig.pdf --panel harvest --plot fig.csv
    """
    announce_compiling()
    from langcrawl.simulate import Plan, Source, Timing, simulate_all
    from langcrawl.simulate.explain import rank_signals, without_each

    if prior:
        strategy = some_with_prior(strategy, prior)
    ablated = without_each(strategy) if explain else []
    panels = check_plots(plot or [], panel or [])
    check_file(report, "--report")
    check_file(order, "--order")
    limits = Limits(max_pages=max_pages, max_depth=max_depth, max_pages_per_host=max_pages_per_host)
    timing = Timing(delay, connections, latency, seed) if timed else None
    plan = Plan(
        read_seeds(seeds or ()), limits, unknown_fails(unknown), points, timing, sample, seed
    )
    tag = targets_of(lang)
    source = Source(log, tag, judge)
    names = [*strategy, *ablated]
    with spread(cluster), Interrupt() as stop, ProgressDisplay(*names) as display:
        graph, results = simulate_all(source, names, plan, display.show, stop, interpreted)
    brought = rank_signals(strategy, results) if explain else []
    results = results[: len(strategy)]
    if order:
        _write_orders(order, graph, results, len(strategy))
    if report:
        write_report_of(report, graph, results, source, plan)
    write_plots(plot or [], results, panels)
    if as_json:
        entries = [_entry(graph, result) for result in results]
        totals = {
            "relevant_total": graph.relevant_total, "languages": graph.relevant_by_target()
        }  # fmt: skip
        more = {"explain": [each.as_json() for each in brought]} if explain else {}
        print_json({"log": str(log), **totals, "strategies": entries, **more})
    else:
        print_results(results)
        if brought:
            _print_signals(brought)
        if sample:
            _print_estimates(graph, results)
    if stop.requested:
        raise typer.Exit(INTERRUPTED)
    _complain_of_failures(results)


def _entry(graph: Graph, result: Result) -> dict[str, Any]:
    """What one strategy did, and how many pages of each target it found."""
    taken = result.order[result.order < graph.pages]
    entry = {**result.as_json(), "languages": graph.relevant_by_target(taken)}
    if result.drawn is not None and len(result.drawn):
        entry["estimate"] = _estimated(graph, result)
    return entry


def _estimated(graph: Graph, result: Result) -> dict[str, Any] | None:
    """How complete the crawl seems to be, by its random draws."""
    from langcrawl.measure.crawled import of_simulation
    from langcrawl.measure.estimate import estimate

    assert result.drawn is not None
    found = estimate(of_simulation(graph, result.order, result.drawn))
    return found.as_json() if found else None


def _print_estimates(graph: Graph, results: list[Result]) -> None:
    for result in results:
        said = None if result.error else _estimated(graph, result)
        words = "too few random draws to estimate the coverage"
        if said is not None:
            words = f"estimated coverage {said['coverage']:.1%} ({said['low']:.1%} to "
            words += f"{said['high']:.1%}), by {said['draws']:,} random draws"
        print(f"{result.name}: {words}.")


def _print_signals(brought: list[Brought]) -> None:
    """What each signal brought, the best first."""
    from langcrawl.strategy.learned.start import SIGNALS

    rows = [
        (
            f"{each.signal}: {SIGNALS[each.signal]}",
            f"{float(each.level):.0%}" if each.level else "-",
            "never" if each.pages is None else f"{each.pages:,}",
            "-" if each.saved is None else f"{each.saved:+,}",
        )
        for each in brought
    ]
    print()
    print_table(("signal", "coverage", "pages without it", "pages it saves"), rows)


def _complain_of_failures(results: list[Result]) -> None:
    """End with the exit status of failure where a strategy failed, and name those that did."""
    failed = [result for result in results if result.error]
    if failed and len(results) == 1:
        raise StrategyFailed(failed[0].error)
    if failed:
        names = ", ".join(f"'{result.name}'" for result in failed)
        count = f"{len(failed)} of {len(results)}"
        raise StrategyFailed(f"{count} strategies failed: {names}; the results say why.")


def _write_orders(path: Path, graph: Graph, results: list[Result], asked: int) -> None:
    """The URLs in the order taken: one file, or one a strategy that did not fail."""
    from langcrawl.simulate import as_urls

    path.parent.mkdir(parents=True, exist_ok=True)
    for place, result in enumerate(results, 1):
        if result.error:
            continue
        name = path if asked == 1 else Path(f"{path}.{place}")
        lines = "".join(f"{url}\n" for url in as_urls(graph, result.order))
        name.write_text(lines, encoding="utf-8")


def check_plots(plots: list[Path], panels: list[str]) -> list[str]:
    """The panels to draw; complains of what cannot be drawn or written before the work."""
    for path in plots:
        if path.suffix.lower() not in (*PLOT_TYPES, CURVES):
            kinds = ", ".join((*PLOT_TYPES, CURVES))
            raise UsageError(f"--plot writes {kinds} files, not '{path.name}'.")
        check_file(path, "--plot")
    if panels and not plots:
        raise UsageError("--panel says what --plot draws; give --plot a file to write.")
    for name in panels:
        if name not in PANELS:
            raise UsageError(f"--panel must be one of {', '.join(PANELS)}, not '{name}'.")
    return list(dict.fromkeys(panels)) or list(PANELS)


def write_report_of(
    path: Path, graph: Graph, results: list[Result], source: Source, plan: Plan
) -> None:
    """The report of the strategies that did not fail, and why others did."""
    from langcrawl.report.page import write_report
    from langcrawl.simulate.facts import facts_of

    good = [result for result in results if not result.error]
    if good:
        lang = source.lang or graph.config.lang
        lead = f"{graph.relevant_total:,} pages in {lang} are in the log."
        failed = [f"{result.name} failed: {result.error}" for result in results if result.error]
        facts = [*failed, *facts_of(graph, source, plan)]
        write_report(path, f"Simulation of {source.directory}", lead, good, facts)


def write_plots(plots: list[Path], results: list[Result], panels: list[str]) -> None:
    """The curves of the strategies that did not fail, as pictures or as numbers."""
    good = [result for result in results if not result.error]
    for path in plots if good else ():
        if path.suffix.lower() == CURVES:
            from langcrawl.report.curves import write_curves

            write_curves(good, path)
        else:
            from langcrawl.report.charts import save_plot

            save_plot(good, path, panels)
