"""Two segment crawlers against three others: on generated webs, on WebKB and on Wikispeedia.

WebKB: a university is crawled by what was learned from the others. Wikispeedia: one half of the
articles is crawled by what was learned from the other half; an article is a segment of its own,
and a category is the topic. There a page is relevant by its label, and scores 1 or 0. Training
starts from the pages that link to relevant ones (Figure 11 of paper 004) on all webs.

On WebKB, s and d of `segments` are also chosen: for each university by crawls of the two others,
each with a model of the archives that are left, so that nothing of a university is known when it
is crawled. `likely-segment` has nothing to choose.
"""

from __future__ import annotations

import random
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import mean, pstdev
from typing import Any
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
from langcrawl.simulate.segment_pairs import Question, back_links, read_pairs
from langcrawl.strategy import make_strategy
from langcrawl.topic.expectation_learn import learn_expectation
from langcrawl.topic.gazetteer import load_gazetteer
from langcrawl.topic.predictor import save_segment_model
from langcrawl.topic.segment_learn import Example, chosen, fit, to_model
from langcrawl.virtualweb.topical import generate_topical, load_topical_profile

WIKISPEEDIA = WEBKB.parent / "graphs" / "wikispeedia"
CATEGORIES = ("Science", "Geography", "People", "History")
BY_ALL = "segments, divide=all"
CRAWLERS = ("likely-segment", "segments", "best-segment", "best-first", "bfs", BY_ALL)
SEEDS = (1, 2, 3)
FIRST_PAGES = 3
"""Relevant pages from which a crawl of real pages starts."""
PAGES, BUDGET = 20_000, 10_000
REACHES = tuple((s, d) for s in (1, 2, 4, 8) for d in (2, 4, 1000))
"""Irrelevant pages in a row, and segments in a row, among which is chosen."""
CHOSEN = "segments, s and d chosen"


def run() -> None:
    """segment crawlers, best-first and bfs: area under the harvest curve, on three webs"""
    heads = (*CRAWLERS, CHOSEN)
    print(f"{'web':28}" + "".join(f"{name:>26}" for name in heads), flush=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if WEBKB.is_dir():
            _real_webs(folder)
        else:
            print("WebKB and Wikispeedia need the data folder ../shared/data")
        for topic in ("tourism", "estate", "diving"):
            _print(f"generated, {topic}", _generated(folder, f"thai-{topic}-2014"))


def _real_webs(folder: Path) -> None:
    logs = {archive: import_webkb(folder, archive) for archive in ARCHIVES}
    for topic in TOPICS:
        _print(f"WebKB, {topic}", _webkb(folder, logs, topic))
    for category in CATEGORIES:
        _print(f"Wikispeedia, {category}", _wikispeedia(folder, category))


def run_speed() -> None:
    """segments: pages a second replayed, with best-segment and soft in the same run"""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        names = tuple(load_gazetteer("Thailand").names)
        graph = _web(folder, "thai-tourism-2014", 10_000, 1)
        model = _train(folder, read_pairs(graph, Question("en", names)).examples, names)
        for strategy in (f"segments:model={model}", f"likely-segment:model={model}", "best-segment",
                         "soft"):  # fmt: skip
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
    question = Question("en", names, seeds=back_links(graph))
    model = _train(folder, chosen(read_pairs(graph, question).examples, "remove"), names)
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
    question = Question("en", (), seeds=back_links(known), pages_per_host=None)
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
    columns: dict[str, dict[str, list[Any]]] = {
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
        name: read_pairs(graph, Question("en", (), seeds=back_links(graph))).examples
        for name, graph in graphs.items()
    }
    found: list[Areas] = []
    for apart in ARCHIVES[:-1]:
        reach = _chosen_reach(folder, graphs, pairs, apart)
        print(f"  {topic}, {apart}, by the others: {reach}", flush=True)
        model = _train_without(folder, pairs, {apart})
        graph = graphs[apart]
        webs = [(graph, first_pages(graph, seed)) for seed in SEEDS]
        areas = _areas(iter(webs), model, ",pages=0")
        areas[CHOSEN] = [_area(*web, f"segments:model={model},pages=0,{reach}", None)
                         for web in webs]  # fmt: skip
        found.append(areas)
    return {
        name: [mean(each[name][at] for each in found) for at in range(len(SEEDS))]
        for name in found[0]
    }


def _chosen_reach(
    folder: Path, graphs: dict[str, Graph], pairs: dict[str, list[Example]], apart: str
) -> str:
    """The s and d that harvest most at the universities other than this one."""
    sums: dict[str, float] = defaultdict(float)
    for other in ARCHIVES[:-1]:
        if other != apart:
            model = _train_without(folder, pairs, {apart, other})
            seeds = first_pages(graphs[other], 4)
            for s, d in REACHES:
                text = f"segments:model={model},pages=0,s={s},d={d}"
                sums[f"s={s},d={d}"] += _area(graphs[other], seeds, text, None)
    return max(sums, key=lambda each: sums[each])


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
             "likely-segment": f"likely-segment:model={model}{more}",
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
