"""Paper 001 from nothing: a Mongolian web, its three experiments, its measures hour by hour.

    python examples/mongolian_2014.py --pages 1000000 --seeds 3

The paper's pages are not public, and it says little of them. The profile mongolian-2014 has
what it says; the rest was assumed before any crawl was run. One download at a time, in its
recorded time. An hour has 3,600 seconds on a web of 3 M pages, and fewer in proportion on a
smaller one, so that 12 hours are enough for about every Mongolian page and no more.

The weights of the correlation degree and the threshold of its n-gram judge, which the paper
found by "the collecting experiment", are found on another web, with `langcrawl.simulate.tune`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

import numpy as np
from common import Claim, claims_table, generated, options, say, show, spread, table

from langcrawl.log.graph import Graph, load_graph
from langcrawl.measure.collection import Collected, by_hour
from langcrawl.records import Limits
from langcrawl.simulate import Plan, Source, open_graph, simulate
from langcrawl.simulate.tune import Question, tune
from langcrawl.strategy import make_strategy

PROFILE = "mongolian-2014"
FULL_PAGES, HOURS = 3_000_000, 12
TUNING_SEED, TUNING_PAGES = 1001, 300_000
INTERVAL, NGRAMS = "code-interval:plain=true", "mean-distance:over=sentences"
"""How Mongolian is recognised in Table 2, to the letter: the share, and Algorithms 1 and 2."""
# Table 3 by hour: the information sum (Mb), pages, correct pages. Table 4: the accuracy rate.
TABLE_3 = {
    "B_Crawl": (
        (99, 145, 225, 300, 301, 314, 323, 336, 347, 354, 355, 357),
        (9900, 14498, 22501, 30004, 30099, 31401, 32302, 33598, 34697, 35396, 35503, 35702),
        (2900, 4400, 6975, 8800, 9250, 9331, 10013, 10441, 10459, 11031, 11038, 11321),
    ),
    "G_Crawl": (
        (102, 158, 245, 380, 450, 681, 700, 721, 734, 746, 750, 772),
        (10200, 15801, 24499, 38003, 44991, 68094, 70012, 72111, 73404, 74616, 75019, 77199),
        (3801, 8011, 11036, 19006, 21009, 33021, 34612, 34802, 36045, 36230, 38021, 39033),
    ),
    "N_Crawl": (
        (88, 132, 210, 260, 316, 368, 405, 460, 541, 589, 610, 685),
        (8800, 13197, 21091, 25991, 31611, 36821, 40506, 46018, 53989, 59023, 61007, 68504),
        (8000, 10956, 16500, 22011, 26021, 29913, 34043, 39005, 45013, 49002, 50010, 57001),
    ),
}
TABLE_4 = {
    "B_Crawl": (0.29, 0.30, 0.31, 0.29, 0.31, 0.30, 0.31, 0.31, 0.30, 0.31, 0.31, 0.32),
    "G_Crawl": (0.37, 0.51, 0.45, 0.50, 0.47, 0.48, 0.49, 0.48, 0.49, 0.49, 0.51, 0.51),
    "N_Crawl": (0.91, 0.83, 0.79, 0.85, 0.82, 0.81, 0.84, 0.85, 0.83, 0.83, 0.82, 0.83),
}
# Table 5: accuracy, information sum (Mb), speed (Mb/h).
TABLE_5 = {
    "B_Crawl": (0.31, 357.0, 9.22), "G_Crawl": (0.48, 772.0, 31.52), "N_Crawl": (0.83, 685.0, 47.38)
}  # fmt: skip
NAMES = tuple(TABLE_5)
Runs = Sequence[dict[str, Any]]


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
    seconds = hour_of(graph.pages)
    ended = min(float(ends[-1]), HOURS * seconds)
    order = order[ends <= ended]
    ends, sizes = ends[: len(order)], graph.arrays.bytes[order]
    correct, kept = truth.relevant[order] == 1, graph.relevant[order] == 1
    return Run(
        by_hour(ends, sizes, correct, HOURS, seconds, ended),
        by_hour(ends[kept], sizes[kept], correct[kept], HOURS, seconds, ended),
    )


def learn(pages: int, tries: int) -> Setting:
    """N_Crawl's strategy and judge, from a web that no experiment is made on."""
    with generated(PROFILE, pages, TUNING_SEED) as directory:
        judge = f"{NGRAMS},threshold={_threshold(directory):g}"
        budget = int(HOURS * hour_of(pages) / 0.5)
        source, plan = Source(directory, judge=judge), Plan(limits=Limits(max_pages=budget))
        say("looking for weights, with the judge", judge)
        found = tune(Question(source, plan, "auc", 0.0, 1), "correlation", tries)
    return Setting(found.best.name, judge)


def _threshold(directory: Path) -> float:
    """Where n-grams divide Mongolian from other pages best (F1), in steps of 0.05."""
    graph = open_graph(Source(directory, judge=f"{NGRAMS},threshold=0.01"))
    truth = load_graph(directory).relevant == 1

    def f1(threshold: float) -> float:
        found = graph.score >= threshold
        return 2 * int((found & truth).sum()) / int(found.sum() + truth.sum())

    return float(max((round(0.05 * k, 2) for k in range(3, 14)), key=f1))


def settings_of(learnt: Setting) -> dict[str, Setting]:
    """Table 2, and what tells the changes from G_Crawl to N_Crawl apart."""
    return {
        "B_Crawl": Setting("bfs", INTERVAL),
        "G_Crawl": Setting("best-first", INTERVAL),
        "N_Crawl": learnt,
        "N_Crawl's order with G_Crawl's judge": learnt._replace(judge=INTERVAL),
        "G_Crawl's order with N_Crawl's judge": learnt._replace(strategy="best-first"),
        "N_Crawl without anchors": learnt._replace(strategy="correlation:wt=0,ws=0.7,wd=0.3"),
        "N_Crawl by anchors alone": learnt._replace(strategy="correlation:wt=1,ws=0,wd=0"),
    }


def links_of(graph: Graph) -> dict[str, float]:
    """What an order can go by, in per cent of links to fetched pages."""
    source = np.repeat(np.arange(graph.pages), np.diff(graph.arrays.offsets))
    fetched = graph.arrays.dst < graph.pages
    ours = graph.relevant[source[fetched]] == 1
    to_ours = graph.relevant[graph.arrays.dst[fetched]] == 1
    written = np.asarray(graph.anchor_scores)[fetched] > 0

    def share(of: Any, among: Any) -> float:
        return 100 * float(np.mean(of[among]))

    return {
        "links of other pages that lead to Mongolian ones": share(to_ours, ~ours),
        "links of Mongolian pages that lead to Mongolian ones": share(to_ours, ours),
        "the same, where the anchor is Mongolian": share(to_ours, ours & written),
        "the same, where it is not": share(to_ours, ours & ~written),
        "links between Mongolian pages that have a Mongolian anchor": share(
            written, ours & to_ours
        ),
        "links from Mongolian pages to others that have one": share(written, ours & ~to_ours),
    }


def experiment(pages: int, seed: int, settings: dict[str, Setting]) -> dict[str, Any]:
    """One web and all experiments on it."""
    with generated(PROFILE, pages, seed) as directory:
        truth = load_graph(directory)
        hosts = truth.arrays.host[: truth.pages]
        share = len(np.unique(hosts[truth.relevant == 1])) / len(np.unique(hosts))
        found: dict[str, Any] = {"relevant": truth.relevant_total, "hosts": 100 * share}
        found["links"] = links_of(truth)
        for name, setting in settings.items():
            say(f"web {seed}: {name}", setting.strategy)
            found[name] = crawl(directory, setting)
    return found


def links_table(runs: Runs) -> list[str]:
    """Why an order that knows parents beats none, and one that knows anchors beats that."""
    rows = [(name, f"{spread([run['links'][name] for run in runs], 1)} %")
            for name in runs[0]["links"]]  # fmt: skip
    return table(("links to fetched pages", "share"), rows)


def hourly_table(runs: Runs) -> list[str]:
    """Table 3: what was collected by hour, the paper's number and ours."""
    heads = [f"{name} {what}" for what in ("IS (MB)", "pages", "correct") for name in NAMES]
    rows = []
    for hour in range(HOURS):
        cells = []
        for number, measure in enumerate(("information_mb", "pages", "correct")):
            for name in NAMES:
                ours = mean(getattr(run[name].downloaded[hour], measure) for run in runs)
                cells.append(f"{TABLE_3[name][number][hour]:,} / {ours:,.0f}")
        rows.append((str(hour + 1), *cells))
    return table(("hour", *heads), rows, 0)


def accuracy_table(runs: Runs) -> list[str]:
    """Table 4: the accuracy rate by hour."""
    heads = [f"{name} {who}" for name in NAMES for who in ("paper", "ours")]
    rows = []
    for hour in range(HOURS):
        cells = []
        for name in NAMES:
            ours = [run[name].downloaded[hour].accuracy for run in runs]
            cells += [f"{TABLE_4[name][hour]:.2f}", spread(ours, 2)]
        rows.append((str(hour + 1), *cells))
    return table(("hour", *heads), rows, 0)


def summary_table(runs: Runs, settings: dict[str, Setting]) -> list[str]:
    """Table 5, for all downloads and for what was stored only."""
    heads = (
        "experiment", "AR paper", "AR ours", "IS paper (MB)", "IS ours", "= AIS", "+ FIS",
        "CS paper (MB/h)", "CS ours", "AR of stored pages", "stored of all Mongolian pages",
    )  # fmt: skip
    rows = []
    for name in settings:
        ends, kept = ([run[name][which][-1] for run in runs] for which in (0, 1))
        paper = [f"{value:g}" for value in TABLE_5[name]] if name in TABLE_5 else ["-"] * 3
        found = [row.correct / run["relevant"] for row, run in zip(kept, runs, strict=True)]
        rows.append((
            name, paper[0], spread([row.accuracy for row in ends], 2),
            paper[1], spread([row.information_mb for row in ends], 0),
            f"{mean(row.accurate_mb for row in ends):,.0f}",
            f"{mean(row.fault_mb for row in ends):,.0f}",
            paper[2], spread([row.speed for row in ends], 1),
            spread([row.accuracy for row in kept], 2), spread(found, 2),
        ))  # fmt: skip
    return table(heads, rows)


def claims_of(runs: Runs) -> list[Claim]:
    """What the paper concludes, and whether it holds on every web."""

    def values(measure: str, hour: int = -1) -> list[list[float]]:
        rows = [[run[name].downloaded[hour] for name in NAMES] for run in runs]
        return [[float(getattr(each, measure)) for each in row] for row in rows]

    def means(of: Sequence[Sequence[float]], digits: int) -> list[str]:
        return [f"{mean(column):.{digits}f}" for column in zip(*of, strict=True)]

    rates, sums, speeds = (values(name) for name in ("accuracy", "information_mb", "speed"))
    b, g, n = means(rates, 2)
    first, wrong = means(values("accuracy", 0), 2), []
    for name in NAMES:
        share = mean(1 - run[name].stored[-1].accuracy for run in runs)
        wrong.append(f"{100 * share:.1f}")
    return [
        ("G_Crawl has a higher accuracy rate than B_Crawl", f"{g} against {b}",
         all(row[0] < row[1] for row in rates)),
        ("N_Crawl has a higher one than G_Crawl", f"{n} against {g}",
         all(row[1] < row[2] for row in rates)),
        ("N_Crawl's is 0.83 and stays there", f"{first[2]} after an hour, {n} after twelve",
         all(abs(row[2] - 0.83) < 0.05 for row in rates)),
        ("B_Crawl's is 0.31 throughout", f"{first[0]} after an hour, {b} after twelve",
         all(abs(row[0] - 0.31) < 0.05 for row in rates)),
        ("G_Crawl collects most (IS), B_Crawl least",
         "{1}, N_Crawl {2}, and {0} MB".format(*means(sums, 0)),
         all(row[0] < row[2] < row[1] for row in sums)),
        ("N_Crawl is fastest in Mongolian text (CS), B_Crawl slowest",
         "{2}, G_Crawl {1}, and {0} MB an hour".format(*means(speeds, 1)),
         all(row[0] < row[1] < row[2] for row in speeds)),
        ("N_Crawl stores fewer pages that are not Mongolian",
         "{2} % of what is stored, G_Crawl {1} %, B_Crawl {0} %".format(*wrong),
         float(wrong[2]) < min(float(wrong[0]), float(wrong[1]))),
    ]  # fmt: skip


def document(runs: Runs, pages: int, settings: dict[str, Setting]) -> str:
    """All tables as Markdown."""
    found = settings["N_Crawl"]
    relevant = spread([run["relevant"] for run in runs], 0)
    return "\n".join([
        f"{len(runs)} web{'s' if len(runs) > 1 else ''} of {pages:,} pages, mean (and range): "
        f"{relevant} of them Mongolian, on {spread([run['hosts'] for run in runs], 2)} % of the "
        f"hosts. An hour has {hour_of(pages):,.0f} seconds.",
        f"Learnt on a web of {min(pages, TUNING_PAGES):,} pages, seed {TUNING_SEED}: "
        f"`{found.strategy}`, `{found.judge}`.",
        "", *claims_table(claims_of(runs)),
        "", "Table 5, with what tells the changes from G_Crawl to N_Crawl apart:",
        "", *summary_table(runs, settings),
        "", "What an order can go by:", "", *links_table(runs),
        "", "Table 4, the accuracy rate by hour:", "", *accuracy_table(runs),
        "", "Table 3, paper / ours:", "", *hourly_table(runs),
    ])  # fmt: skip


def main() -> None:
    """Run the experiments and print them as Markdown."""
    parser = options(__doc__, pages=300_000, seeds=2)
    parser.add_argument("--tries", type=int, default=40, help="simulations to find the weights")
    chosen = parser.parse_args()
    settings = settings_of(learn(min(chosen.pages, TUNING_PAGES), chosen.tries))
    runs = [experiment(chosen.pages, seed, settings) for seed in range(1, chosen.seeds + 1)]
    show(document(runs, chosen.pages, settings), chosen.into, "mongolian_2014")


if __name__ == "__main__":
    main()
