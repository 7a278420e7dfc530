"""`adaptive` where language says little: topics, a site without labels, and hosts that must rest.

WebKB: a department of 1997 is crawled for the pages of one class, from three of them. Hollins: one
university's site, of which only links are known; the pages of a directory are the target. Time:
webs of which every page takes its modelled time and every host rests between requests.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from statistics import geometric_mean
from urllib.parse import urlsplit

import numpy as np

from benchmarks.kept_runs import Runs
from benchmarks.segments import SEEDS, first_pages, import_webkb, labelled
from benchmarks.topics import ARCHIVES, TOPICS, WEBKB
from langcrawl.config import CrawlConfig
from langcrawl.importers.csv import import_csv
from langcrawl.log.graph import Graph, load_graph
from langcrawl.simulate import Plan, Timing, simulate
from langcrawl.strategy import make_strategy
from langcrawl.virtualweb.synth import generate, load_profile

OTHERS = (
    "bfs", "soft", "best-first", "correlation", "lswc:s=3,t=5", "lswc:s=100,t=5",
    "url-classifier", "tag-paths",
)  # fmt: skip
LEVELS = (0.5, 0.8, 0.9)
HOLLINS = WEBKB.parent / "graphs" / "hollins"
DIRECTORIES = 7
"""So many directories of Hollins, the largest, are a target each."""
TIMED = (("thai-2005", 41), ("myanmar-2014", 41))
PACES = ((10_000, 1.0, 16, 0.5), (10_000, 5.0, 100, 0.5), (30_000, 1.0, 4, 1.0))
"""Pages, seconds between two requests to a host, connections, and how much hosts differ in latency.
In the last, connections are scarce and some hosts are slow."""
TIMED_RULES = ("bfs", "soft", "lswc:s=3,t=5", "adaptive:without=pace", "adaptive")


def run_topics() -> None:
    """adaptive on topics: WebKB's classes, and the directories of a site without labels"""
    if not WEBKB.is_dir():
        print("this needs the data folder ../shared/data, which is not part of the project")
        return
    print("| target | webs | " + " | ".join(f"{level:.0%}" for level in LEVELS) + " |")
    print("| --- | ---: |" + " --- |" * len(LEVELS))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        logs = [import_webkb(folder, archive) for archive in ARCHIVES[:-1]]
        for topic in TOPICS:
            graphs = [labelled(log, topic) for log in logs]
            webs = [(graph, first_pages(graph, 1)) for graph in graphs]
            print(_line(f"WebKB, {topic}", webs), flush=True)
        for directory, graph in _hollins(folder):
            webs = [(graph, first_pages(graph, seed)) for seed in SEEDS]
            print(_line(f"Hollins, {directory}", webs), flush=True)


def _hollins(folder: Path) -> Iterator[tuple[str, Graph]]:
    config = CrawlConfig(source="import", lang="en")
    import_csv(folder / "hollins", HOLLINS / "links.dat", HOLLINS / "hollins.dat", config)
    graph = load_graph(folder / "hollins")
    first = [urlsplit(url).path.split("/")[1:2] for url in graph.urls[: graph.pages]]
    names = [part[0] if part and "." not in part[0] else "" for part in first]
    for name, _ in Counter(filter(None, names)).most_common(DIRECTORIES):
        relevant = np.array([each == name for each in names], np.uint8)
        yield f"/{name}/", replace(graph, relevant=relevant, score=relevant.astype(np.float64))


def _line(name: str, webs: list[tuple[Graph, tuple[str, ...]]]) -> str:
    """Downloads of adaptive over those of the best other, and of bfs, in the mean over webs."""
    found = [_needed(*web) for web in webs]
    cells = []
    for at in range(len(LEVELS)):
        ratios = {
            rule: geometric_mean(row["adaptive"][at] / row[rule][at] for row in found)
            for rule in OTHERS
            if all(row[rule][at] for row in found)
        }
        best = max(ratios, key=lambda rule: ratios[rule])
        cells.append(f"{ratios[best]:.2f} `{best}`, {ratios['bfs']:.2f} `bfs`")
    return f"| {name} | {len(webs)} | {' | '.join(cells)} |"


def _needed(graph: Graph, seeds: tuple[str, ...]) -> dict[str, list[int]]:
    """Downloads until so much is found of what can be reached; 0 where that never is."""
    rules = (*OTHERS, "adaptive")
    runs = Runs(graph)
    orders = {rule: runs.order(rule, seeds=seeds)[0] for rule in rules}
    reachable = int(graph.relevant[orders["bfs"]].sum())
    needed = {}
    for rule, order in orders.items():
        found = np.cumsum(graph.relevant[order])
        at = [int(np.searchsorted(found, level * reachable - 1e-9)) for level in LEVELS]
        needed[rule] = [each + 1 if each < len(found) else 0 for each in at]
    return needed


def run_timed() -> None:
    """adaptive where hosts must rest: relevant pages a second on the way to so much coverage"""
    print("| web | pages, delay, connections, spread | strategy | seconds to 50 % | 80 % | 90 % |")
    print("| --- | --- | --- | ---: | ---: | ---: |")
    for profile, seed in TIMED:
        for pages, delay, connections, spread in PACES:
            with tempfile.TemporaryDirectory() as name:
                generate(Path(name) / "web", load_profile(profile), pages, seed)
                graph = load_graph(Path(name) / "web")
                timing = Timing(delay, connections, 0.2, spread=spread)
                for rule in TIMED_RULES:
                    time = simulate(graph, make_strategy(rule), Plan(timing=timing)).time
                    assert time is not None
                    cells = " | ".join(
                        "-" if (each := time.seconds_to.get(level)) is None else f"{each:,.0f}"
                        for level in ("0.5", "0.8", "0.9")
                    )
                    case = f"{pages:,}, {delay:g} s, {connections}, {spread:g}"
                    print(f"| {profile} {seed} | {case} | `{rule}` | {cells} |", flush=True)
