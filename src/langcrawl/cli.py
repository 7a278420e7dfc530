"""The command line: arguments in, tables or JSON out, one sentence when something is wrong."""

from __future__ import annotations

import inspect
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from pydantic import ValidationError
from rich.console import Console
from rich.table import Table
from typer.exceptions import TyperException

from langcrawl import __version__
from langcrawl.config import FILE, CrawlConfig, first_problem, read_seeds
from langcrawl.crawl import Limits
from langcrawl.errors import BadInput, LangcrawlError, UsageError
from langcrawl.progress import Interrupt, ProgressBoard, ProgressLine

if TYPE_CHECKING:
    from langcrawl.simulate import Result
    from langcrawl.virtualweb.graph import Graph

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]
Log = Annotated[Path, typer.Argument(help="The directory of a crawl, an import or a demo.")]
MaxPages = Annotated[int | None, typer.Option(min=0, help="Stop after so many pages.")]
MaxDepth = Annotated[int | None, typer.Option(min=0, help="Discard links deeper than this.")]
MaxPerHost = Annotated[
    int | None, typer.Option(min=0, help="Discard links to a host that has had so many downloads.")
]
Seeds = Annotated[
    list[str] | None, typer.Option(help="A URL, or a file of URLs; may be given several times.")
]
INTERRUPTED = 130
PLOT_TYPES = (".png", ".svg", ".pdf")


@app.callback(invoke_without_command=True)
def top(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Collect the web of one language.

    \b
    Try:  langcrawl demo
          langcrawl crawl thai --lang th --seeds https://www.example.co.th/ --max-pages 1000
          langcrawl simulate thai --strategy soft --strategy lswc:s=3,t=5
    """
    if version:
        print(f"langcrawl {__version__}")
    elif context.invoked_subcommand is None:
        print(context.get_help())


@app.command()
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
    _announce_compiling()
    from langcrawl.demo import make_way, run_demo
    from langcrawl.virtualweb.small import SITES

    make_way(directory)
    say = Console(stderr=as_json, highlight=False, soft_wrap=True)
    say.print(f"Crawling a small generated web of {len(SITES)} hosts on loopback for Thai pages.")
    with Interrupt() as stop, ProgressLine("crawling") as line:
        done = run_demo(directory, [line], stop)
    if as_json:
        _print_json({"crawl": done.crawl, "strategies": done.results, "report": str(done.report)})
    else:
        for fact in done.facts:
            say.print(fact)
        say.print("\nThe same web, replayed from the crawl's log under five strategies:")
        _print_results(done.results)
        say.print(f"\nWritten: {done.report} (open it in a browser), {directory}/log (Parquet).")
        say.print(f"Try next:  langcrawl simulate {directory} --strategy soft:n=1 --strategy dfs")
        say.print("           langcrawl crawl thai --lang th --seeds URL --contact YOUR-ADDRESS")
    if done.crawl["stopped"] == "interrupted":
        raise typer.Exit(INTERRUPTED)


@app.command()
def crawl(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="Where the crawl is kept.")],
    lang: Annotated[
        str | None, typer.Option(help="The language to collect, as th or mn-Mong.")
    ] = None,
    seeds: Seeds = None,
    strategy: Annotated[
        str | None, typer.Option(help="Which links to follow; see 'langcrawl strategies'.")
    ] = None,
    judge: Annotated[
        str | None, typer.Option(help="How to tell the language; see 'langcrawl judges'.")
    ] = None,
    max_pages: MaxPages = None,
    max_bytes: Annotated[int | None, typer.Option(min=0, help="Stop after so many bytes.")] = None,
    max_time: Annotated[
        float | None, typer.Option(min=0, help="Stop after so many seconds.")
    ] = None,
    max_depth: MaxDepth = None,
    max_pages_per_host: MaxPerHost = None,
    delay: Annotated[
        float | None, typer.Option(min=0, help="Seconds to leave a host alone between requests.")
    ] = None,
    connections: Annotated[
        int | None, typer.Option(min=1, help="Requests under way at once; 1 keeps exact order.")
    ] = None,
    user_agent: Annotated[str | None, typer.Option(help="The name to show to servers.")] = None,
    contact: Annotated[
        str | None, typer.Option(help="A URL or address for those who mind the crawl.")
    ] = None,
    connect_to: Annotated[
        list[str] | None,
        typer.Option(help="HOST1:PORT1:HOST2:PORT2, as in curl; may be given several times."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Start a crawl in DIR, or go on with the one that is there.

    \b
    Example:  langcrawl crawl thai --lang th --seeds https://www.example.co.th/ --max-pages 1000
              langcrawl crawl thai --max-pages 5000
    """
    given = {key: value for key, value in locals().items() if value is not None}
    del given["directory"], given["as_json"]
    from langcrawl.run import run_crawl

    config = _config(directory, given)
    with Interrupt() as stop, ProgressLine("crawling", config.max_pages) as line:
        result = run_crawl(directory, config, [line], stop)
    if as_json:
        _print_json(result)
    else:
        print(
            f"{result['pages']:,} pages, {result['relevant']:,} of them in {config.lang} "
            f"({result['harvest']:.1%}), {result['queue']:,} waiting; {result['stopped']}."
        )
        if result["discards"] and not result["pages"]:
            reasons = ", ".join(f"{reason} {n:,}" for reason, n in result["discards"].items())
            print(f"Nothing was downloaded; links were left out for: {reasons}.")
        print(f"Try next:  langcrawl simulate {directory} --strategy soft --strategy lswc")
    if result["stopped"] == "interrupted":
        raise typer.Exit(INTERRUPTED)


@app.command()
def simulate(
    log: Log,
    strategy: Annotated[
        list[str], typer.Option(help="See 'langcrawl strategies'; may be given several times.")
    ],
    seeds: Seeds = None,
    lang: Annotated[
        str | None, typer.Option(help="Call pages in this language relevant, not the crawl's.")
    ] = None,
    max_pages: MaxPages = None,
    max_depth: MaxDepth = None,
    max_pages_per_host: MaxPerHost = None,
    unknown: Annotated[
        str, typer.Option(help="What happens to links that have no page in the log: drop or fail.")
    ] = "drop",
    points: Annotated[int, typer.Option(min=1, help="How many points a curve has.")] = 200,
    order: Annotated[
        Path | None, typer.Option(help="Write the URLs in the order taken to this file.")
    ] = None,
    report: Annotated[Path | None, typer.Option(help="Write an HTML report.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Write the curves as PNG, SVG or PDF.")] = None,
    timed: Annotated[
        bool, typer.Option("--timed", help="Let time pass: downloads take long, hosts rest.")
    ] = False,
    delay: Annotated[
        float, typer.Option(min=0, help="With --timed: seconds that a host rests.")
    ] = 1.0,
    connections: Annotated[
        int, typer.Option(min=1, help="With --timed: downloads under way at once.")
    ] = 16,
    latency: Annotated[
        float | None,
        typer.Option(min=0, help="With --timed: typical seconds to an answer, not those recorded."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="With --latency: which web is drawn.")] = 1,
    interpreted: Annotated[
        bool, typer.Option("--interpreted", help="Use the reference loop, which is slow.")
    ] = False,
    as_json: Json = False,
) -> None:
    """What a strategy would have done on the web of a log.

    \b
    Example:  langcrawl simulate thai --strategy bfs --strategy soft --report thai.html
              langcrawl simulate thai --strategy soft --timed --delay 5 --connections 100
    """
    _announce_compiling()
    from langcrawl.languages import load_pack
    from langcrawl.simulate import Plan, Timing, simulate_all

    if unknown not in ("drop", "fail"):
        raise UsageError(f"--unknown is drop or fail, not '{unknown}'.")
    if plot and plot.suffix.lower() not in PLOT_TYPES:
        raise UsageError(f"--plot makes {', '.join(PLOT_TYPES)} files, not '{plot.name}'.")
    limits = Limits(max_pages=max_pages, max_depth=max_depth, max_pages_per_host=max_pages_per_host)
    timing = Timing(delay, connections, latency, seed) if timed else None
    plan = Plan(read_seeds(seeds or ()), limits, unknown == "fail", points, timing)
    tag = load_pack(lang).tag if lang else ""
    with Interrupt() as stop, ProgressBoard(strategy) as board:
        graph, results = simulate_all(log, tag, strategy, plan, board.show, stop, interpreted)
    if order:
        _write_orders(order, graph, results)
    entries = [result.as_json() for result in results]
    document = {"log": str(log), "relevant_total": graph.relevant_total, "strategies": entries}
    _write_pictures(document, lang or graph.config.lang, report, plot)
    if as_json:
        _print_json(document)
    else:
        _print_results(entries)
    if stop.requested:
        raise typer.Exit(INTERRUPTED)


@app.command("import")
def import_(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="A new directory.")],
    lang: Annotated[str, typer.Option(help="The language that counts as relevant.")],
    pages: Annotated[
        Path, typer.Option(help="CSV with url,language and optionally status,bytes,score,redirect.")
    ],
    links: Annotated[
        Path | None, typer.Option(help="CSV with src,dst and optionally anchor.")
    ] = None,
    seeds: Seeds = None,
    as_json: Json = False,
) -> None:
    """Make a crawl directory, ready to simulate on, of CSV files.

    \b
    Example:  langcrawl import web --pages pages.csv --links links.csv --seeds seeds.txt --lang th
    """
    from langcrawl.languages import load_pack
    from langcrawl.virtualweb.csv_import import import_csv

    pack = load_pack(lang)
    config = CrawlConfig(
        source="import", lang=pack.tag, bridge=pack.bridge, seeds=read_seeds(seeds or ())
    )
    done = import_csv(directory, pages, links, config)._asdict()
    if as_json:
        _print_json(done)
        return
    print(
        f"{done['pages']:,} pages, {done['relevant']:,} of them in {pack.tag}, "
        f"and {done['links']:,} links are in {directory}."
    )
    if done["bad_languages"]:
        print(f"{done['bad_languages']:,} pages have a language that is no BCP-47 tag: unknown.")
    left_out = {key: done[key] for key in ("bad_pages", "repeated_pages", "bad_links") if done[key]}
    if left_out:
        words = ", ".join(f"{key.replace('_', ' ')}: {count:,}" for key, count in left_out.items())
        print(f"Rows left out: {words}.")


@app.command()
def strategies(as_json: Json = False) -> None:
    """List the strategies, a line each."""
    from langcrawl.strategy import STRATEGIES

    _print_makers(dict(STRATEGIES), as_json)


@app.command()
def judges(as_json: Json = False) -> None:
    """List the judges, a line each."""
    from langcrawl.judge import JUDGES

    _print_makers(dict(JUDGES), as_json)


@app.command()
def languages(as_json: Json = False) -> None:
    """List the languages that can be collected, a line each."""
    from langcrawl.languages import known_languages

    packs = known_languages()
    if as_json:
        _print_json([pack.model_dump() for pack in packs.values()])
        return
    for tag, pack in packs.items():
        print(f"{tag:10} {pack.name}")


def _config(directory: Path, given: dict[str, Any]) -> CrawlConfig:
    """The config of a new crawl, or that of the crawl in the directory with changes."""
    from langcrawl.languages import load_pack

    if "lang" in given:
        given["lang"] = load_pack(given["lang"]).tag
    if "seeds" in given:
        given["seeds"] = read_seeds(given["seeds"])
    if (directory / FILE).exists():
        before = CrawlConfig.load(directory)
        if before.source != "crawl":
            raise BadInput(
                f"'{directory}' was made by '{before.source}' and cannot be crawled on; "
                "name a new directory."
            )
        for key in ("lang", "seeds"):
            if key in given and given[key] != getattr(before, key):
                raise BadInput(
                    f"the crawl in '{directory}' has other {key}; start a new one in another "
                    "directory, or go on without that option."
                )
        fields = before.model_dump() | {"version": __version__}
    elif directory.is_file():
        raise BadInput(f"'{directory}' is a file; name a new directory.")
    elif directory.is_dir() and any(name.name != ".lock" for name in directory.iterdir()):
        raise BadInput(f"'{directory}' is not empty and holds no crawl; name a new directory.")
    else:
        missing = [f"--{key}" for key in ("lang", "seeds") if key not in given]
        if missing:
            raise UsageError(f"a new crawl needs {' and '.join(missing)}.")
        fields = {"bridge": load_pack(given["lang"]).bridge}
    try:
        return CrawlConfig(**(fields | given))
    except ValidationError as error:
        raise UsageError(f"{first_problem(error)}.") from None


def _announce_compiling() -> None:
    """Say why the very first simulation takes its time: the compiled loop is not on disk yet."""
    kept = Path(__file__).parent / "simulate" / "__pycache__"
    if not any(kept.glob("kernel.advance*.nbi")):
        print("compiling the simulator, once: about half a minute", file=sys.stderr, flush=True)


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


def _print_results(results: list[dict[str, Any]]) -> None:
    from langcrawl.report.table import rows

    heads, cells = rows(results)
    table = Table(box=None, pad_edge=False, header_style="bold")
    for head in heads:
        table.add_column(head, justify="left" if head == "strategy" else "right", no_wrap=True)
    for row in cells:
        table.add_row(*row)
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = 200
    console.print(table)
    if any(result["partial"] for result in results):
        print("Interrupted: the last line is partial.")


def _print_makers(makers: dict[str, Any], as_json: bool) -> None:
    """Parts by name with their parameters and what they say of themselves."""
    found: list[dict[str, Any]] = []
    for name, maker in makers.items():
        parameters = {
            key.rstrip("_"): None if each.default is each.empty else each.default
            for key, each in inspect.signature(maker).parameters.items()
            if key != "target"
        }
        found.append({"name": name, "parameters": parameters, "says": inspect.getdoc(maker)})
    if as_json:
        _print_json(found)
        return
    for entry in found:
        shown = [f"{key}=" for key in entry["parameters"]]
        spec = f"{entry['name']}:{','.join(shown)}" if shown else entry["name"]
        print(f"{spec:24} {entry['says']}")


def _print_json(document: Any) -> None:
    print(json.dumps(document, ensure_ascii=False))


def main() -> None:
    """Run a command; every error that a user can cause ends in one sentence."""
    try:
        status = app(standalone_mode=False)
    except LangcrawlError as error:
        status = _complain(str(error), error.exit_status)
    except TyperException as error:
        status = _complain(error.format_message(), 2)
    except KeyboardInterrupt:
        status = INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 1
    except OSError as error:
        status = _complain(str(error), 1)
    sys.exit(status if isinstance(status, int) else 0)


def _complain(sentence: str, status: int) -> int:
    print(f"langcrawl: {sentence}", file=sys.stderr)
    return status
