"""Paper 004 from nothing: English webs with sections about Thailand, a predictor, four crawlers.

    python examples/thai_related_2014.py --pages 20000 --budget 1000 --plot curves.svg

The profiles thai-tourism-2014, thai-estate-2014 and thai-diving-2014 were set by the ratios of
Tables 5 to 7 before any crawl was run on a web of them. The predictor of each topic is trained on
one web, and the crawlers run on others, from the same seeds. The paper's web has no end, so these
are 20 times as large as what is downloaded: of a small web the crawlers soon have found all that is
relevant, and then see links to other segments only.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import mean
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from common import Claim, claims_table, options, say, show, spread, table

from langcrawl.log.details import LinkDetails
from langcrawl.log.graph import Graph, load_graph
from langcrawl.measure.results import Result
from langcrawl.records import Limits
from langcrawl.report.charts import MEASURES, line_chart, save_side_by_side
from langcrawl.simulate import Plan, simulate
from langcrawl.simulate.plan import hits_of
from langcrawl.simulate.segment_pairs import Question, read_pairs
from langcrawl.strategy import make_strategy
from langcrawl.topic.gazetteer import load_gazetteer
from langcrawl.topic.predictor import save_segment_model
from langcrawl.topic.segment_learn import Example, chosen, fit, to_model, try_out
from langcrawl.topic.tokenizer import Tokenizer
from langcrawl.url import segment_of
from langcrawl.virtualweb.topical import generate_topical, load_topical_profile

TOPICS = ("tourism", "estate", "diving")
NAMES = ("segments", "best-segment", "best-first", "bfs")
CALLED = dict(zip(NAMES, ("TFLSWC", "Best-segment", "Best-page", "Breadth-First"), strict=True))
TRAINED_ON = 1000
"""The seed of the webs that predictors are trained on."""
PER_HOST = 300
NETWORKS = ("10.66.0.0/16\tTH", "10.1.0.0/16\tUS", "10.49.0.0/16\tDE", "10.44.0.0/16\tGB")
"""The countries of the generated hosts, by their addresses."""
VARIANTS = ("segments, countries of hosts", "segments:divide=all", "best-segment:divide=all")
SHOWN = 200
"""Points of a curve that is drawn."""
THRESHOLDS = (0.25, 0.5, 0.75, 1.0)
POINTS = 10
# Table 3: harvest, coverage and F in per cent, by threshold. Table 4: relevant and other samples.
TABLE_3 = {
    "tourism": ((94.8, 91.6, 93.2), (96.6, 90.6, 93.5), (98.4, 86.4, 92.0), (99.5, 76.0, 86.2)),
    "estate": ((91.1, 85.5, 88.2), (91.7, 85.1, 88.3), (98.0, 75.4, 85.2), (99.1, 70.4, 82.3)),
    "diving": ((93.8, 93.7, 93.8), (97.8, 91.2, 94.4), (98.5, 89.8, 93.9), (99.5, 66.0, 79.4)),
}
TABLE_4 = {"tourism": (9550, 33669), "estate": (1900, 10710), "diving": (1120, 4467)}
G_MEANS = {"tourism": 87.3, "estate": 88.6, "diving": 85.6}
# Tables 5 to 7: per cent of links to relevant segments, by what is there and what is not.
RATIOS = {
    "tourism": ((82.35, 0.46), (83.73, 37.55), (91.98, 36.81)),
    "estate": ((59.39, 22.01), (63.42, 48.14), (80.41, 45.81)),
    "diving": ((62.47, 6.73), (69.10, 39.29), (81.45, 40.70)),
}
ASKED = ("source relevant / not (Table 5)", "name at the anchor / none (Table 6)",
         "name in the URL / none (Table 7)")  # fmt: skip


class Training(NamedTuple):
    """What was learned of a topic, and how it was tried."""

    model: Path
    with_countries: Path
    networks: Path
    relevant: int
    others: int
    by_pair: dict[str, float]
    by_site: dict[str, float]
    countries: tuple[float, float]
    """P_E by pair and by site, with the countries of hosts."""


class Run(NamedTuple):
    """Four crawlers, and variants of two of them, on one web."""

    harvest: dict[str, npt.NDArray[np.float64]]
    """After each download up to the budget; who has ended before finds no more."""
    pages: dict[str, int]
    oracle: dict[float, tuple[float, float, float]]
    ratios: list[tuple[float, float]]


@contextmanager
def web(topic: str, pages: int, seed: int) -> Iterator[Graph]:
    with tempfile.TemporaryDirectory() as folder:
        say(f"thai-{topic}-2014, web {seed}: generating {pages:,} pages")
        profile = load_topical_profile(f"thai-{topic}-2014")
        generate_topical(Path(folder) / "web", profile, pages, seed)
        yield load_graph(Path(folder) / "web")


def train(topic: str, pages: int, times: int, folder: Path) -> Training:
    """The predictor of a topic, from a web of its own; pairs within a site are removed."""
    names = tuple(load_gazetteer("Thailand").names)
    networks = folder / "networks.tsv"
    networks.write_text("\n".join(NETWORKS))
    models, trials, examples = [], [], []
    with web(topic, pages, TRAINED_ON) as graph:
        for countries in ("", str(networks)):
            asked = Question("en", names, countries=countries)
            examples = chosen(read_pairs(graph, asked).examples, "remove")
            trials += [_try(examples, by_site, times) for by_site in (False, True)]
            models.append(folder / f"{topic}-{len(models)}.json")
            made = fit(examples, np.random.default_rng(0))
            model = to_model(made, topic=topic, language="en", names=names, sounds=True,
                             threshold=0.5, about={})  # fmt: skip
            save_segment_model(model, models[-1])
    relevant = sum(example.relevant for example in examples)
    return Training(
        models[0], models[1], networks, relevant, len(examples) - relevant, trials[0], trials[1],
        (trials[2]["both"], trials[3]["both"]),
    )  # fmt: skip


def _try(examples: Sequence[Example], by_site: bool, times: int) -> dict[str, float]:
    """The G-means of P_L, P_W and P_E in per cent."""
    trial = try_out(examples, site_wise=by_site, times=times)
    return {part: 100 * getattr(trial, part).mean("g_mean") for part in ("links", "words", "both")}


def experiment(topic: str, pages: int, budget: int, seed: int, trained: Training) -> Run:
    """The four crawlers and three variants, the oracle and the ratios on one web."""
    limits = Limits(max_pages=budget, max_pages_per_host=PER_HOST)
    strategies = {name: name for name in NAMES} | {
        "segments": f"segments:model={trained.model}",
        VARIANTS[0]: f"segments:model={trained.with_countries},countries={trained.networks}",
        VARIANTS[1]: f"segments:model={trained.model},divide=all",
        VARIANTS[2]: "best-segment:divide=all",
    }
    with web(topic, pages, seed) as graph:
        results = {
            name: simulate(graph, make_strategy(text), Plan(limits=limits))
            for name, text in strategies.items()
        }
        found = [results[name].order for name in ("segments", "best-segment", "bfs")]
        facts = Segments(graph)
        oracle = {each: facts.oracle(each) for each in THRESHOLDS}
        curves = {name: harvest(graph, result, budget) for name, result in results.items()}
        ends = {name: result.summary.pages for name, result in results.items()}
        return Run(curves, ends, oracle, facts.ratios(np.unique(np.concatenate(found))))


def harvest(graph: Graph, result: Result, budget: int) -> npt.NDArray[np.float64]:
    """Relevant pages found by the n-th download, divided by n, in per cent."""
    hits = np.zeros(budget)
    hits[: len(result.order)] = hits_of(graph, result.order)
    found: npt.NDArray[np.float64] = 100 * np.cumsum(hits) / np.arange(1, budget + 1)
    return found


class Segments:
    """The segments of a web as they are, which no crawler knows."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        numbers: dict[str, int] = {}
        self.of: npt.NDArray[np.int64] = np.array(
            [numbers.setdefault(segment_of(url), len(numbers)) for url in graph.urls]
        )
        pages = np.bincount(self.of, minlength=len(numbers))
        self.degree = np.bincount(self.of, graph.relevant, len(numbers)) / pages

    def oracle(self, threshold: float) -> tuple[float, float, float]:
        """Harvest, coverage and F of a crawl that follows links to relevant segments only."""
        arrays = self.graph.arrays
        good = self.degree[self.of] >= threshold
        queue = list(dict.fromkeys(self.graph.find(self.graph.config.seeds)))
        seen = set(queue)
        for page in queue:
            for goal in arrays.dst[arrays.offsets[page] : arrays.offsets[page + 1]].tolist():
                if good[goal] and goal not in seen:
                    seen.add(goal)
                    queue.append(goal)
        hits = int(self.graph.relevant[queue].sum())
        harvest, coverage = hits / len(queue), hits / self.graph.relevant_total
        return (
            100 * harvest,
            100 * coverage,
            200 * harvest * coverage / max(1e-9, harvest + coverage),
        )

    def ratios(self, pages: npt.NDArray[np.int32]) -> list[tuple[float, float]]:
        """Tables 5 to 7 over the links between segments on these pages."""
        graph, arrays = self.graph, self.graph.arrays
        tokenizer = Tokenizer(load_gazetteer("Thailand").names)
        details = LinkDetails.of(graph)
        good = self.degree >= 0.5
        at_anchor: dict[tuple[int, int], bool] = {}
        in_url: dict[int, bool] = {}
        for page in pages.tolist():
            places = list(range(int(arrays.offsets[page]), int(arrays.offsets[page + 1])))
            goals = arrays.dst[places].tolist()
            texts = details.links([graph.urls[goal] for goal in goals], places, ())
            for goal, link in zip(goals, texts, strict=True):
                pair = (int(self.of[page]), int(self.of[goal]))
                if pair[0] != pair[1]:
                    said = f"{link.anchor} {link.context}"
                    at_anchor[pair] = at_anchor.get(pair) or bool(tokenizer.read(said).names)
                    path = link.url[link.url.find("/", 8) :]
                    in_url[pair[1]] = in_url.get(pair[1]) or bool(tokenizer.read(path).names)
        goals_good = {pair: bool(good[pair[1]]) for pair in at_anchor}
        return [
            _both(goals_good, {pair: bool(good[pair[0]]) for pair in at_anchor}),
            _both(goals_good, at_anchor),
            _both(goals_good, {pair: in_url[pair[1]] for pair in at_anchor}),
        ]


def _both(
    good: dict[tuple[int, int], bool], there: dict[tuple[int, int], bool]
) -> tuple[float, float]:
    """Per cent of pairs with, and without, something that lead to relevant segments."""
    shares = []
    for wanted in (True, False):
        some = [good[pair] for pair in good if there[pair] is wanted]
        shares.append(100 * sum(some) / max(1, len(some)))
    return shares[0], shares[1]


Runs = dict[str, list[Run]]


def calibrated(runs: Runs) -> list[str]:
    """Tables 5 to 7."""
    rows = []
    for topic, each in runs.items():
        for number, asked in enumerate(ASKED):
            paper = RATIOS[topic][number]
            ours = [spread([run.ratios[number][side] for run in each], 1) for side in (0, 1)]
            rows.append((topic, asked, f"{paper[0]} / {paper[1]}", " / ".join(ours)))
    return table(("topic", "links to relevant segments, %", "paper", "ours"), rows, 2)


def untuned(runs: Runs, trained: dict[str, Training]) -> list[str]:
    """Tables 3 and 4, and G-means."""
    rows = []
    for topic, each in runs.items():
        for threshold, paper in zip(THRESHOLDS, TABLE_3[topic], strict=True):
            ours = [spread([run.oracle[threshold][at] for run in each], 1) for at in range(3)]
            printed = " / ".join(map(str, paper))
            rows.append((topic, f"{threshold}", printed, " / ".join(ours)))
    lines = table(("topic", "threshold", "paper: harvest / coverage / F", "ours"), rows, 2)
    rows = []
    for topic, training in trained.items():
        of_each = [" / ".join(f"{by[part]:.1f}" for part in ("links", "words", "both"))
                   for by in (training.by_pair, training.by_site)]  # fmt: skip
        sizes = f"{TABLE_4[topic][0]:,} + {TABLE_4[topic][1]:,}"
        ours = f"{training.relevant:,} + {training.others:,}"
        rows.append((topic, sizes, ours, f"{G_MEANS[topic]}", *of_each))
    heads = ("topic", "paper: pairs, relevant + others", "ours", "paper: G-mean of P_E",
             "ours by pair: P_L / P_W / P_E", "ours by site")  # fmt: skip
    return [*lines, "", *table(heads, rows)]


def figures(runs: Runs) -> list[str]:
    """Figures 12 to 14 as numbers, and the area under each curve."""
    lines: list[str] = []
    for topic, each in runs.items():
        budget = len(each[0].harvest["bfs"])
        rows = []
        for part in range(1, POINTS + 1):
            at = budget * part // POINTS
            cells = [mean(run.harvest[name][at - 1] for run in each) for name in NAMES]
            rows.append((f"{at:,}", *(f"{cell:.1f}" for cell in cells)))
        rows.append(("area", *(spread(areas(each, name), 1) for name in NAMES)))
        ends = [spread([run.pages[name] for run in each], 0) for name in NAMES]
        rows.append(("pages at the end", *ends))
        heads = (f"{topic}: pages", *(f"`{name}` ({CALLED[name]})" for name in NAMES))
        lines += ["", *table(heads, rows)]
    return lines


def areas(runs: Iterable[Run], name: str) -> list[float]:
    """The area under the harvest curve of each web: its mean over the downloads."""
    return [float(run.harvest[name].mean()) for run in runs]


def variants(runs: Runs, trained: dict[str, Training]) -> list[str]:
    """What countries of hosts, and formula 8 read otherwise, change."""
    rows = []
    for topic, each in runs.items():
        cells = [spread(areas(each, name), 1) for name in ("segments", *VARIANTS[:2])]
        others = [spread(areas(each, name), 1) for name in ("best-segment", VARIANTS[2])]
        by_pair, by_site = trained[topic].countries
        rows.append((topic, *cells, *others, f"{by_pair:.1f} / {by_site:.1f}"))
    heads = ("topic: area", "`segments`", "with countries", "`divide=all`", "`best-segment`",
             "`divide=all`", "G-mean of P_E with countries, by pair / by site")  # fmt: skip
    return table(heads, rows)


def draw(runs: Runs, path: Path) -> None:
    """Figures 12 to 14 as one picture: the mean harvest of the four crawlers over the downloads."""
    charts = []
    for number, (topic, each) in enumerate(runs.items(), 12):
        budget = len(each[0].harvest["bfs"])
        step = max(1, budget // SHOWN)
        rows: list[dict[str, str | float]] = [
            {"strategy": f"{name} ({CALLED[name]})", "pages": at,
             "value": mean(float(run.harvest[name][at - 1]) for run in each) / 100}
            for name in NAMES
            for at in range(step, budget + 1, step)
        ]  # fmt: skip
        title = f"Figure {number}: Thai-{topic}"
        charts.append(line_chart(rows, MEASURES["harvest"], title))
    save_side_by_side(charts, path)


def claims(runs: Runs, trained: dict[str, Training]) -> list[Claim]:
    found: list[Claim] = []
    for topic, each in runs.items():
        ours = {name: mean(areas(each, name)) for name in NAMES}
        words = ", ".join(f"{name} {value:.1f}" for name, value in ours.items())
        best = max(ours, key=lambda name: ours[name]) == "segments"
        found.append((f"{topic}: the segment crawler harvests most", words, best))
        best_f = max(THRESHOLDS, key=lambda at: mean(run.oracle[at][2] for run in each))
        found.append((f"{topic}: a threshold of 0.5 has the best F", f"{best_f}", best_f == 0.5))
    g_means = [training.by_pair["both"] for training in trained.values()]
    words = ", ".join(f"{value:.1f} %" for value in g_means)
    found.append(("predictors have a G-mean of 85 % or more", words, min(g_means) >= 85))
    return found


def document(runs: Runs, trained: dict[str, Training], pages: int, learned: int) -> str:
    first = next(iter(runs.values()))
    return "\n".join([
        f"Webs of {pages:,} pages, {len(first)} of each topic (mean and range), of which "
        f"{len(first[0].harvest['bfs']):,} are downloaded; predictors were trained on other webs "
        f"of {learned:,} pages.",
        "", "Calibrated, over the links that three crawlers found:", "", *calibrated(runs),
        "", "Untuned. The oracle of Table 3, then Table 4 and the G-means:", "",
        *untuned(runs, trained),
        "", "Figures 12 to 14, harvest in per cent:", *figures(runs),
        "", "The segment crawler with the countries of hosts, and with formula 8 divided by all "
        "downloaded segments:", "", *variants(runs, trained),
        "", *claims_table(claims(runs, trained)),
    ])  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the experiment and print it as Markdown."""
    parser = options(__doc__, pages=200_000, seeds=3)
    parser.add_argument("--budget", type=int, default=10_000, help="downloads of each crawl")
    parser.add_argument("--learn", type=int, default=20_000, help="pages of the webs learned from")
    parser.add_argument("--times", type=int, default=2, help="how often ten folds are tried")
    parser.add_argument("--plot", type=Path, help="draw Figures 12 to 14: .svg, .png or .pdf")
    asked = parser.parse_args(arguments)
    pages, learned = asked.pages, min(asked.pages, asked.learn)
    budget = min(asked.budget, pages // 2)
    runs: Runs = {}
    trained: dict[str, Training] = {}
    with tempfile.TemporaryDirectory() as folder:
        for topic in TOPICS:
            trained[topic] = train(topic, learned, asked.times, Path(folder))
            runs[topic] = [experiment(topic, pages, budget, seed, trained[topic])
                           for seed in range(1, asked.seeds + 1)]  # fmt: skip
    if asked.plot:
        draw(runs, asked.plot)
    show(document(runs, trained, pages, learned), asked.into, "thai_related_2014")


if __name__ == "__main__":
    main()
