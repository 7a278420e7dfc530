"""Paper 004 from nothing: English webs with sections about Thailand, a predictor, four crawlers.

    python examples/thai_related_2014.py --pages 20000 --seeds 3

The profiles thai-tourism-2014, thai-estate-2014 and thai-diving-2014 were set by the ratios of
Tables 5 to 7 before any crawl was run on a web of them. The predictor of each topic is trained on
one web, and the crawlers run on others, from the same seeds, for half of the web or 10,000 pages.
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
from langcrawl.simulate import Plan, simulate
from langcrawl.simulate.plan import hits_of
from langcrawl.simulate.segment_pairs import Question, read_pairs
from langcrawl.strategy import make_strategy
from langcrawl.topic.gazetteer import load_gazetteer
from langcrawl.topic.predictor import save_segment_model
from langcrawl.topic.segment_learn import chosen, fit, to_model, try_out
from langcrawl.topic.tokenizer import Tokenizer
from langcrawl.url import segment_of
from langcrawl.virtualweb.topical import generate_topical, load_topical_profile

TOPICS = ("tourism", "estate", "diving")
NAMES = ("segments", "best-segment", "best-first", "bfs")
CALLED = dict(zip(NAMES, ("TFLSWC", "Best-segment", "Best-page", "Breadth-First"), strict=True))
TRAINED_ON = 1000
"""The seed of the webs that predictors are trained on."""
BUDGET, PER_HOST = 10_000, 300
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
    relevant: int
    others: int
    by_pair: dict[str, float]
    by_site: dict[str, float]


class Run(NamedTuple):
    """Four crawlers on one web."""

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
    with web(topic, pages, TRAINED_ON) as graph:
        examples = chosen(read_pairs(graph, Question("en", names)).examples, "remove")
    trials = [try_out(examples, site_wise=by_site, times=times) for by_site in (False, True)]
    by_pair, by_site = [
        {part: 100 * getattr(trial, part).mean("g_mean") for part in ("links", "words", "both")}
        for trial in trials
    ]
    path = folder / f"{topic}.json"
    model = to_model(
        fit(examples, np.random.default_rng(0)), topic=topic, language="en", names=names,
        sounds=True, threshold=0.5, about={},
    )  # fmt: skip
    save_segment_model(model, path)
    relevant = sum(example.relevant for example in examples)
    return Training(path, relevant, len(examples) - relevant, by_pair, by_site)


def experiment(topic: str, pages: int, seed: int, model: Path) -> Run:
    """The four crawlers, the oracle and the ratios on one web."""
    limits = Limits(max_pages=min(BUDGET, pages // 2), max_pages_per_host=PER_HOST)
    with web(topic, pages, seed) as graph:
        names = {name: f"segments:model={model}" if name == "segments" else name for name in NAMES}
        results = {
            name: simulate(graph, make_strategy(text), Plan(limits=limits))
            for name, text in names.items()
        }
        found = [results[name].order for name in ("segments", "best-segment", "bfs")]
        facts = Segments(graph)
        oracle = {each: facts.oracle(each) for each in THRESHOLDS}
        budget = limits.max_pages or 0
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


def document(runs: Runs, trained: dict[str, Training], pages: int) -> str:
    count = len(next(iter(runs.values())))
    return "\n".join([
        f"Webs of {pages:,} pages, {count} of each topic (mean and range); predictors were "
        "trained on other webs.",
        "", "Calibrated, over the links that three crawlers found:", "", *calibrated(runs),
        "", "Untuned. The oracle of Table 3, then Table 4 and the G-means:", "",
        *untuned(runs, trained),
        "", "Figures 12 to 14, harvest in per cent:", *figures(runs),
        "", *claims_table(claims(runs, trained)),
    ])  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the experiment and print it as Markdown."""
    parser = options(__doc__, pages=20_000, seeds=3)
    parser.add_argument("--times", type=int, default=2, help="how often ten folds are tried")
    chosen_options = parser.parse_args(arguments)
    pages, seeds = chosen_options.pages, range(1, chosen_options.seeds + 1)
    runs: Runs = {}
    trained: dict[str, Training] = {}
    with tempfile.TemporaryDirectory() as folder:
        for topic in TOPICS:
            trained[topic] = train(topic, pages, chosen_options.times, Path(folder))
            runs[topic] = [experiment(topic, pages, each, trained[topic].model) for each in seeds]
    show(document(runs, trained, pages), chosen_options.into, "thai_related_2014")


if __name__ == "__main__":
    main()
