"""The segment crawler against three others: on generated webs, on WebKB and on Wikispeedia.

WebKB: a university is crawled by what was learned from the others. Wikispeedia: one half of the
articles is crawled by what was learned from the other half; an article is a segment of its own,
and a category is the topic. There a page is relevant by its label, and scores 1 or 0.

On WebKB, s and d are also chosen, and s, d and floor: for each university by crawls of the two
others, each with a model of the archives that are left, so that nothing of a university is known
when it is crawled.
"""

from __future__ import annotations

import random
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from statistics import mean, pstdev
from urllib.parse import unquote

import numpy as np
import numpy.typing as npt

from benchmarks.topics import ARCHIVES, TOPICS, WEBKB
from langcrawl.config import CrawlConfig
from langcrawl.importers.labelled import read_labels
from langcrawl.importers.warc import import_warc
from langcrawl.judge import make_judge
from langcrawl.languages import load_pack
from langcrawl.log.graph import Graph, build_graph, load_graph
from langcrawl.log.schema import log_table
from langcrawl.parallel import silent
from langcrawl.records import Limits
from langcrawl.simulate import Plan, simulate
from langcrawl.simulate.plan import hits_of
from langcrawl.simulate.segment_pairs import Question, read_pairs
from langcrawl.strategy import make_strategy
from langcrawl.topic.expectation_learn import learn_expectation
from langcrawl.topic.gazetteer import load_gazetteer
from langcrawl.topic.predictor import save_segment_model
from langcrawl.topic.segment_learn import Example, chosen, fit, to_model
from langcrawl.virtualweb.topical import generate_topical, load_topical_profile

WIKISPEEDIA = WEBKB.parent / "graphs" / "wikispeedia"
CATEGORIES = ("Science", "Geography", "People", "History")
BY_ALL = "segments, divide=all"
CRAWLERS = ("segments", "best-segment", "best-first", "bfs", BY_ALL)
SEEDS = (1, 2, 3)
FIRST_PAGES = 3
"""Relevant pages from which a crawl of real pages starts."""
PAGES, BUDGET = 20_000, 10_000
REACHES = tuple((s, d) for s in (1, 2, 4, 8) for d in (2, 4, 1000))
"""Irrelevant pages in a row, and segments in a row, among which is chosen."""
FLOORS = (0.0, 0.1, 1.0)
CHOSEN, CHOSEN_FLOOR = "segments, s and d chosen", "segments, and floor"


def run() -> None:
    """segments, best-segment, best-first and bfs: area under the harvest curve, on three webs"""
    heads = (*CRAWLERS, CHOSEN, CHOSEN_FLOOR)
    print(f"{'web':28}" + "".join(f"{name:>26}" for name in heads), flush=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for topic in ("tourism", "estate", "diving"):
            _print(f"generated, {topic}", _generated(folder, f"thai-{topic}-2014"))
        if not WEBKB.is_dir():
            print("the others need the data folder ../shared/data")
            return
        for category in CATEGORIES:
            _print(f"Wikispeedia, {category}", _wikispeedia(folder, category))
        logs = {archive: import_webkb(folder, archive) for archive in ARCHIVES}
        for topic in TOPICS:
            _print(f"WebKB, {topic}", _webkb(folder, logs, topic))


def run_speed() -> None:
    """segments: pages a second replayed, with best-segment and soft in the same run"""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        names = tuple(load_gazetteer("Thailand").names)
        graph = _web(folder, "thai-tourism-2014", 10_000, 1)
        model = _train(folder, read_pairs(graph, Question("en", names)).examples, names)
        for strategy in (f"segments:model={model}", "best-segment", "soft"):
            cpu = time.process_time()
            result = simulate(graph, make_strategy(strategy), Plan(), interpreted=True)
            cpu = time.process_time() - cpu
            print(
                f"{strategy.partition(':')[0]:14} {result.summary.pages / result.seconds:8,.0f} "
                f"pages/s; {result.summary.pages:,} pages, {cpu:.1f} s of processor with opening"
            )


Areas = dict[str, list[float]]


def _generated(folder: Path, profile: str) -> Areas:
    """Trained on one web, tried on others."""
    names = tuple(load_gazetteer("Thailand").names)
    graph = _web(folder, profile, PAGES, 1000)
    pairs = chosen(read_pairs(graph, Question("en", names)).examples, "remove")
    model = _train(folder, pairs, names)
    webs = (_web(folder, profile, PAGES, seed) for seed in SEEDS)
    return _areas(((graph, graph.config.seeds) for graph in webs), model, "")


def _web(folder: Path, profile: str, pages: int, seed: int) -> Graph:
    directory = folder / f"{profile}-{seed}"
    generate_topical(directory, load_topical_profile(profile), pages, seed)
    return load_graph(directory)


def _wikispeedia(folder: Path, category: str) -> Areas:
    """Trained on one half of the articles, tried on the other."""
    lines = [line.split("\t") for line in _lines("categories.tsv")]
    inside = {name for name, path in lines if path.split(".")[1] == category}
    articles = [line for line in _lines("articles.tsv") if line]
    random.Random(0).shuffle(articles)
    half = len(articles) // 2
    known, test = (_articles(part, inside) for part in (articles[:half], articles[half:]))
    question = Question("en", (), seeds=first_pages(known, 0), pages_per_host=None)
    model = _train(folder, chosen(read_pairs(known, question).examples, "keep"), ())
    return _areas(((test, first_pages(test, seed)) for seed in SEEDS), model, ",pages=0")


def _lines(name: str) -> list[str]:
    text = (WIKISPEEDIA / name).read_text("utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def _articles(names: Sequence[str], inside: set[str]) -> Graph:
    """Articles and the links between them; the anchor is the name of the article."""
    number = {name: at for at, name in enumerate(names)}
    ends = [line.split("\t") for line in _lines("links.tsv")]
    links = [(number[a], number[b]) for a, b in ends if a in number and b in number]
    relevant = [name in inside for name in names]
    columns = {
        "urls": {"id": list(range(len(names))), "host": ["wiki.example"] * len(names),
                 "url": [f"http://wiki.example/{name}/" for name in names]},
        "pages": {"id": list(range(len(names))), "status": [200] * len(names),
                  "language": ["en"] * len(names), "relevant": relevant,
                  "score": [float(each) for each in relevant]},
        "links": {"src": [a for a, _ in links], "dst": [b for _, b in links],
                  "position": list(range(len(links))),
                  "anchor": [unquote(names[b]).replace("_", " ") for _, b in links]},
    }  # fmt: skip
    tables = {name: log_table(name, len(next(iter(rows.values()))), rows)
              for name, rows in columns.items()}  # fmt: skip
    return build_graph(CrawlConfig(lang="en"), tables)


def import_webkb(folder: Path, archive: str) -> Path:
    config = CrawlConfig(source="import", lang="en", context=True)
    files = [WEBKB / f"{archive}.warc.gz"]
    import_warc(folder / archive, files, make_judge(load_pack("en")), config, silent)
    return folder / archive


def _webkb(folder: Path, logs: dict[str, Path], topic: str) -> Areas:
    """Each university by what was learned from the others; the mean of them for each seed."""
    graphs = {name: labelled(log, topic) for name, log in logs.items()}
    pairs = {
        name: read_pairs(graph, Question("en", (), seeds=first_pages(graph, 0, 20))).examples
        for name, graph in graphs.items()
    }
    found: list[Areas] = []
    for apart in ARCHIVES[:-1]:
        chosen_by = _chosen_settings(folder, graphs, pairs, apart)
        print(f"  {topic}, {apart}, by the others: {chosen_by}", flush=True)
        model = _train_without(folder, pairs, {apart})
        graph = graphs[apart]
        webs = [(graph, first_pages(graph, seed)) for seed in SEEDS]
        areas = _areas(iter(webs), model, ",pages=0")
        for name, more in chosen_by.items():
            areas[name] = [_area(*web, f"segments:model={model},pages=0,{more}", None)
                           for web in webs]  # fmt: skip
        found.append(areas)
    return {
        name: [mean(each[name][at] for each in found) for at in range(len(SEEDS))]
        for name in found[0]
    }


def _chosen_settings(
    folder: Path, graphs: dict[str, Graph], pairs: dict[str, list[Example]], apart: str
) -> dict[str, str]:
    """What harvests most at the universities other than this one: s and d; s, d and floor."""
    sums: dict[tuple[int, int, float], float] = defaultdict(float)
    for other in ARCHIVES[:-1]:
        if other != apart:
            model = _train_without(folder, pairs, {apart, other})
            seeds = first_pages(graphs[other], 4)
            for (s, d), floor in product(REACHES, FLOORS):
                text = f"segments:model={model},pages=0,s={s},d={d},floor={floor}"
                sums[s, d, floor] += _area(graphs[other], seeds, text, None)
    best = {
        CHOSEN: max((each for each in sums if not each[2]), key=lambda each: sums[each]),
        CHOSEN_FLOOR: max(sums, key=lambda each: sums[each]),
    }
    return {name: f"s={s},d={d},floor={floor:g}" for name, (s, d, floor) in best.items()}


def _train_without(folder: Path, pairs: dict[str, list[Example]], apart: set[str]) -> Path:
    kept = [pair for name, some in pairs.items() if name not in apart for pair in some]
    return _train(folder, chosen(kept, "dedupe"), ())


def labelled(log: Path, topic: str) -> Graph:
    graph = load_graph(log)
    labels, _ = read_labels([WEBKB / f"{log.name}.tsv"])
    relevant = np.array([labels.get(url) == topic for url in graph.urls[: graph.pages]], np.uint8)
    return replace(graph, relevant=relevant, score=relevant.astype(np.float64))


def first_pages(graph: Graph, seed: int, count: int = FIRST_PAGES) -> tuple[str, ...]:
    """Some relevant pages with links, drawn at random."""
    degree = np.diff(graph.arrays.offsets)
    there = np.flatnonzero((graph.relevant != 0) & (degree >= 3)).tolist()
    drawn = random.Random(seed).sample(there, min(count, len(there)))
    return tuple(graph.urls[node] for node in drawn)


def _train(folder: Path, pairs: Sequence[Example], names: tuple[str, ...]) -> Path:
    made = fit(pairs, np.random.default_rng(0))
    expected = learn_expectation(pairs, np.random.default_rng(0))
    model = to_model(made, topic="", language="en", names=names, sounds=True, threshold=0.5,
                     about={}, expected=expected)  # fmt: skip
    save_segment_model(model, folder / "model.json")
    return folder / "model.json"


def _areas(webs: Iterator[tuple[Graph, tuple[str, ...]]], model: Path, more: str) -> Areas:
    """The area of each crawler on each web."""
    found: Areas = {name: [] for name in CRAWLERS}
    texts = {"segments": f"segments:model={model}{more}",
             BY_ALL: f"segments:model={model}{more},divide=all",
             "best-segment": f"best-segment:{more.lstrip(',') or 'pages=300'}"}  # fmt: skip
    for graph, seeds in webs:
        for name in CRAWLERS:
            text = texts.get(name, name)
            found[name].append(_area(graph, seeds, text, None if more else 300))
    return found


def _area(graph: Graph, seeds: tuple[str, ...], strategy: str, per_host: int | None) -> float:
    """The mean of relevant pages found by n downloads / n, up to half of the web."""
    budget = min(BUDGET, graph.pages // 2)
    limits = Limits(max_pages=budget, max_pages_per_host=per_host)
    result = simulate(graph, make_strategy(strategy), Plan(seeds, limits))
    hits: npt.NDArray[np.float64] = np.zeros(budget)
    hits[: len(result.order)] = hits_of(graph, result.order)
    return 100 * float((np.cumsum(hits) / np.arange(1, budget + 1)).mean())


def _print(name: str, found: Areas) -> None:
    cells = [f"{mean(areas):6.1f} +- {pstdev(areas):4.1f}" for areas in found.values()]
    print(f"{name:28}" + "".join(f"{cell:>26}" for cell in cells), flush=True)
