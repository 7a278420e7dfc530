"""Paper 001 from nothing: a Mongolian web, its three experiments, its measures hour by hour.

    python examples/mongolian_2014.py --pages 300000 --seeds 2

The paper's pages are not public, and it says little of them. The profile mongolian-2014 has
what it says; the rest was assumed before any crawl was run. One download at a time, in its
recorded time. An hour has 3,600 seconds on a web of 3 M pages, and fewer in proportion on a
smaller one, so that 12 hours are enough for about every Mongolian page and no more.

The weights of the correlation degree and the threshold of its n-gram judge, which the paper
found by "the collecting experiment", are found on another web, with `langcrawl.simulate.tune`.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

import numpy as np
from tables import put, spread

from langcrawl.crawl import Limits
from langcrawl.measure.collection import Collected, by_hour
from langcrawl.simulate import Plan, Source, open_graph, simulate
from langcrawl.simulate.tune import Question, tune
from langcrawl.strategy import make_strategy
from langcrawl.virtualweb.graph import load_graph
from langcrawl.virtualweb.synth import generate, load_profile

FULL_PAGES, HOURS = 3_000_000, 12
TUNING_SEED = 1001
INTERVAL = "code-interval"
# Table 4: the accuracy rate by hour. Table 5: accuracy, information sum (Mb), speed (Mb/h).
TABLE_4 = {
    "B_Crawl": (0.29, 0.30, 0.31, 0.29, 0.31, 0.30, 0.31, 0.31, 0.30, 0.31, 0.31, 0.32),
    "G_Crawl": (0.37, 0.51, 0.45, 0.50, 0.47, 0.48, 0.49, 0.48, 0.49, 0.49, 0.51, 0.51),
    "N_Crawl": (0.91, 0.83, 0.79, 0.85, 0.82, 0.81, 0.84, 0.85, 0.83, 0.83, 0.82, 0.83),
}
TABLE_5 = {
    "B_Crawl": (0.31, 357.0, 9.22), "G_Crawl": (0.48, 772.0, 31.52), "N_Crawl": (0.83, 685.0, 47.38)
}  # fmt: skip
NAMES = tuple(TABLE_4)


class Setting(NamedTuple):
    """An experiment of Table 2: how URLs are ordered, and how Mongolian is recognised."""

    strategy: str
    judge: str


class Run(NamedTuple):
    """What an experiment collected by hour: all that it downloaded, and what it stored."""

    downloaded: list[Collected]
    stored: list[Collected]


def hour_of(pages: int) -> float:
    """The seconds of an hour on a web of this size."""
    return 3600.0 * pages / FULL_PAGES


def crawl(directory: Path, setting: Setting) -> Run:
    """Crawl for 12 hours; a page is stored where the judge calls it Mongolian."""
    graph, truth = open_graph(Source(directory, judge=setting.judge)), load_graph(directory)
    order = simulate(graph, make_strategy(setting.strategy), Plan(points=1)).order
    ends = np.cumsum(graph.arrays.elapsed[order], dtype=np.float64)
    order = order[ends <= HOURS * hour_of(graph.pages)]
    ends, sizes = ends[: len(order)], graph.arrays.bytes[order]
    correct, kept = truth.relevant[order] == 1, graph.relevant[order] == 1
    seconds = hour_of(graph.pages)
    return Run(
        by_hour(ends, sizes, correct, HOURS, seconds),
        by_hour(ends[kept], sizes[kept], correct[kept], HOURS, seconds),
    )


def learn(pages: int, tries: int) -> tuple[str, str]:
    """The judge and the strategy of N_Crawl, from a web that no experiment is made on."""
    with tempfile.TemporaryDirectory() as folder:
        directory = Path(folder) / "web"
        say("generating the web to learn on", pages)
        generate(directory, load_profile("mongolian-2014"), pages, TUNING_SEED)
        judge = f"mean-distance:threshold={_threshold(directory):g}"
        budget = int(HOURS * hour_of(pages) / 0.5)
        source, plan = Source(directory, judge=judge), Plan(limits=Limits(max_pages=budget))
        say("looking for weights, with the judge", judge)
        found = tune(Question(source, plan, "auc", 0.0, 1), "correlation", tries)
    return judge, found.best.name


def _threshold(directory: Path) -> float:
    """Where n-grams divide Mongolian from other pages best (F1), in steps of 0.05."""
    graph = open_graph(Source(directory, judge="mean-distance:threshold=0.01"))
    truth = load_graph(directory).relevant == 1

    def f1(threshold: float) -> float:
        found = graph.score >= threshold
        return 2 * np.count_nonzero(found & truth) / (np.count_nonzero(found) + truth.sum())

    return float(max((round(0.05 * k, 2) for k in range(3, 14)), key=f1))


def settings_of(judge: str, strategy: str) -> dict[str, Setting]:
    """Table 2, and what tells the two changes from G_Crawl to N_Crawl apart."""
    return {
        "B_Crawl": Setting("bfs", INTERVAL),
        "G_Crawl": Setting("best-first", INTERVAL),
        "N_Crawl": Setting(strategy, judge),
        "N_Crawl's order with G_Crawl's judge": Setting(strategy, INTERVAL),
        "G_Crawl's order with N_Crawl's judge": Setting("best-first", judge),
        "N_Crawl without anchors": Setting("correlation:wt=0,ws=0.7,wd=0.3", judge),
    }


def experiment(pages: int, seed: int, settings: dict[str, Setting]) -> dict[str, Any]:
    """One web and all experiments on it."""
    with tempfile.TemporaryDirectory() as folder:
        directory = Path(folder) / "web"
        say("generating web", seed)
        made = generate(directory, load_profile("mongolian-2014"), pages, seed)
        truth = load_graph(directory)
        hosts = len(np.unique(truth.arrays.host[: truth.pages][truth.relevant == 1]))
        found: dict[str, Any] = {"relevant": made.relevant, "hosts": 100 * hosts / made.hosts}
        for name, setting in settings.items():
            say(f"web {seed}: {name}", setting.strategy)
            found[name] = crawl(directory, setting)
    return found


def say(*words: object) -> None:
    print(*words, file=sys.stderr, flush=True)


def hourly_table(runs: Sequence[dict[str, Any]]) -> list[str]:
    """Tables 3 and 4: pages and accuracy rate by hour, the paper's beside ours."""
    heads = [f"{name} {what}" for name in NAMES for what in ("pages", "AR paper", "AR ours")]
    lines = [f"| hour | {' | '.join(heads)} |", "| ---: |" + " ---: |" * len(heads)]
    for hour in range(HOURS):
        cells = []
        for name in NAMES:
            rows = [run[name].downloaded[hour] for run in runs]
            cells += [
                f"{mean(row.pages for row in rows):,.0f}",
                f"{TABLE_4[name][hour]:.2f}",
                f"{mean(row.accuracy for row in rows):.2f}",
            ]
        lines.append(f"| {hour + 1} | {' | '.join(cells)} |")
    return lines


def summary_table(runs: Sequence[dict[str, Any]], settings: dict[str, Setting]) -> list[str]:
    """Table 5, for all downloads and for what was stored only."""
    lines = [
        "| experiment | AR paper | AR ours | IS paper (MB) | IS ours | CS paper (MB/h) | CS ours "
        "| AR of stored pages | stored of all Mongolian pages |",
        "| --- |" + " ---: |" * 8,
    ]
    for name in settings:
        rows = [run[name].downloaded[-1] for run in runs]
        kept = [run[name].stored[-1] for run in runs]
        paper = [f"{value:g}" for value in TABLE_5[name]] if name in TABLE_5 else ["-"] * 3
        found = [row.correct / run["relevant"] for row, run in zip(kept, runs, strict=True)]
        lines.append(
            f"| {name} | {paper[0]} | {spread([row.accuracy for row in rows], 2)} "
            f"| {paper[1]} | {spread([row.information_mb for row in rows], 0)} "
            f"| {paper[2]} | {spread([row.speed for row in rows], 1)} "
            f"| {spread([row.accuracy for row in kept], 2)} | {spread(found, 2)} |"
        )
    return lines


def verdict(runs: Sequence[dict[str, Any]]) -> str:
    """Whether the paper's order of the three comes out, on every web."""
    rates = [[run[name].downloaded[-1].accuracy for name in NAMES] for run in runs]
    above = [sum(b < g for b, g, _ in rates), sum(g < n for _, g, n in rates)]
    return (
        f"G_Crawl has a higher accuracy rate than B_Crawl on {above[0]} of {len(runs)} webs, "
        f"N_Crawl a higher one than G_Crawl on {above[1]}."
    )


def document(runs: Sequence[dict[str, Any]], pages: int, settings: dict[str, Setting]) -> str:
    """All tables as Markdown."""
    found = settings["N_Crawl"]
    relevant = spread([run["relevant"] for run in runs], 0)
    return "\n".join([
        f"{len(runs)} web{'s' if len(runs) > 1 else ''} of {pages:,} pages, mean (and range): "
        f"{relevant} of them Mongolian, on {spread([run['hosts'] for run in runs], 2)} % of the "
        f"hosts. An hour has {hour_of(pages):,.0f} seconds.",
        f"Learnt on a web of seed {TUNING_SEED}: `{found.strategy}`, `{found.judge}`.",
        "", verdict(runs), "", *summary_table(runs, settings), "", *hourly_table(runs),
    ])  # fmt: skip


def main() -> None:
    """Run the experiments and print them as Markdown."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--pages", type=int, default=300_000, help="pages of each web")
    parser.add_argument("--seeds", type=int, default=2, help="how many webs, from seed 1 on")
    parser.add_argument("--tries", type=int, default=40, help="simulations to find the weights")
    parser.add_argument("--into", type=Path, help="a file with marks to put the tables between")
    chosen = parser.parse_args()
    settings = settings_of(*learn(chosen.pages, chosen.tries))
    runs = [experiment(chosen.pages, seed, settings) for seed in range(1, chosen.seeds + 1)]
    text = document(runs, chosen.pages, settings)
    if chosen.into:
        put(text, chosen.into, "mongolian_2014")
    else:
        print(text)


if __name__ == "__main__":
    main()
