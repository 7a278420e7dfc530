"""``langcrawl demo``: a small web on loopback, crawled live for Thai, replayed and reported."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from langcrawl.cli.common import INTERRUPTED, Json, announce_compiling, print_json, print_results
from langcrawl.cli.progress import CrawlProgress, Interrupt, ProgressDisplay
from langcrawl.config import FILE, CrawlConfig
from langcrawl.errors import BadInput
from langcrawl.records import UNKNOWN

if TYPE_CHECKING:
    from langcrawl.log.graph import Graph
    from langcrawl.measure.results import Result
    from langcrawl.ports import Sink
    from langcrawl.virtualweb.serve import Request
    from langcrawl.virtualweb.small import SmallWeb

SOURCE = "demo"
DELAY = 0.05
STRATEGIES = (
    "bfs",
    "hard",
    "soft",
    "limited:n=2,prioritized=true",
    "lswc:s=3,t=5",
    "adaptive",
)


@dataclass(frozen=True, slots=True)
class Demo:
    """What the demo did and found."""

    crawl: dict[str, Any]
    results: list[Result]
    facts: list[str]
    report: Path


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
    from langcrawl.virtualweb.small import SITES

    make_way(directory)
    say = Console(stderr=as_json, highlight=False, soft_wrap=True)
    say.print(f"Crawling a small generated web of {len(SITES)} hosts on loopback for Thai pages.")
    with Interrupt() as stop, ProgressDisplay("crawling") as display:
        done = run_demo(directory, [CrawlProgress(display.show)], stop)
    if as_json:
        print_json(
            {
                "crawl": done.crawl,
                "strategies": [result.as_json() for result in done.results],
                "report": str(done.report),
            }
        )
    else:
        for fact in done.facts:
            say.print(fact)
        say.print("\nThe same web, replayed from the crawl's log under six strategies:")
        print_results(done.results)
        say.print(f"\nWritten: {done.report} (open it in a browser), {directory}/log (Parquet).")
        say.print(f"Try next:  langcrawl simulate {directory} --strategy soft:n=1 --strategy dfs")
        say.print("           langcrawl crawl thai --lang th --seeds URL --contact YOUR-ADDRESS")
    if done.crawl["stopped"] == "interrupted":
        raise typer.Exit(INTERRUPTED)


def run_demo(
    directory: Path, sinks: Sequence[Sink] = (), stop: Callable[[], bool] = lambda: False
) -> Demo:
    """Serve the small web, crawl it live, replay the log and write a report."""
    from langcrawl.log.graph import load_graph
    from langcrawl.report.page import write_report
    from langcrawl.run import run_crawl
    from langcrawl.simulate import Plan, simulate
    from langcrawl.strategy import make_strategy
    from langcrawl.virtualweb.serve import Server
    from langcrawl.virtualweb.small import make_small_web

    web = make_small_web()
    with Server(web.answer) as server:
        config = CrawlConfig(
            source=SOURCE,
            lang="th",
            seeds=web.seeds,
            strategy="bfs",
            delay=DELAY,
            connections=32,
            connect_to=(server.connect_to,),
        )
        crawl = run_crawl(directory, config, sinks, stop)
        asked = list(server.requests)
    graph = load_graph(directory)
    results = [simulate(graph, make_strategy(name), Plan()) for name in STRATEGIES]
    facts = _facts(crawl, graph, web, asked)
    report = directory / "report.html"
    title = "Five strategies looking for Thai pages"
    lead = "A small generated web, crawled live on loopback and replayed from its log."
    write_report(report, title, lead, results, facts)
    return Demo(crawl, results, facts, report)


def make_way(directory: Path) -> None:
    """An earlier demo may be overwritten, anything else not."""
    if not directory.exists() or not any(directory.iterdir()):
        return
    if not (directory / FILE).exists() or CrawlConfig.load(directory).source != SOURCE:
        raise BadInput(f"'{directory}' is not empty; name another directory with --dir.")
    shutil.rmtree(directory)


def _facts(
    crawl: dict[str, Any], graph: Graph, web: SmallWeb, asked: Sequence[Request]
) -> list[str]:
    """What the live crawl showed, in sentences."""
    from langcrawl.virtualweb.small import SITES

    judged = [
        (bool(relevant), web.answer(url).language == "th")
        for url, relevant in zip(graph.urls, graph.relevant.tolist(), strict=False)
        if web.answer(url).language != UNKNOWN
    ]
    agreed = sum(found == true for found, true in judged)
    closed = crawl["discards"].get("robots", 0)
    read = sum("/private/" in request.path for request in asked)
    return [
        f"Live: {crawl['pages']:,} pages from {len(SITES)} hosts in {crawl['seconds']:.1f} s, "
        f"{crawl['relevant']:,} of them judged Thai.",
        f"The judge agreed with the author of the page on {agreed:,} of {len(judged):,} pages.",
        f"robots.txt closed {closed} URLs, of which {read} were asked for; the shortest pause "
        f"between two requests to one host was {_shortest_pause(asked)} "
        f"(asked: {DELAY * 1000:.0f} ms).",
    ]


def _shortest_pause(asked: Sequence[Request]) -> str:
    """In words, because a demo that is interrupted at once has asked no host twice."""
    by_host: dict[str, list[float]] = {}
    for request in asked:
        by_host.setdefault(request.host, []).append(request.at)
    pauses = [b - a for times in by_host.values() for a, b in pairwise(times)]
    return f"{min(pauses) * 1000:.0f} ms" if pauses else "not measured"
