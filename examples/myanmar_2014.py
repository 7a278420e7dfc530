"""Paper 003 from nothing: a Myanmar web, its two runs, precision, domains and encodings.

    python examples/myanmar_2014.py --pages 40000 --seeds 2

Domains and encodings of the profile myanmar-2014 are the paper's; how much of the web is not
Myanmar, how pages mix with English, and links were assumed before any crawl was run. A run
follows only the links of pages that its judge calls Myanmar, down to a depth, and stores only
those pages. It ends when nothing is left to follow, while the paper's ended by the clock.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from tables import put, spread

from langcrawl.crawl import Limits
from langcrawl.simulate import Plan, Source, open_graph, simulate
from langcrawl.strategy import make_strategy
from langcrawl.url import tld_of
from langcrawl.virtualweb.graph import load_graph
from langcrawl.virtualweb.log import read_table
from langcrawl.virtualweb.synth import generate, load_profile

SAMPLE = 1300
NGRAM = "ngram"


class Setting(NamedTuple):
    """A run of Table 6, and what the paper says of it."""

    depth: int
    threshold: float
    downloaded: int
    correct: int
    """Of 1,300 pages, by Table 7."""
    ngram_correct: int


RUNS = {
    "first run": Setting(7, 0.04, 8960, 1289, 1192),
    "second run": Setting(10, 0.03, 12582, 1294, 1268),
}
# Figure 8: per cent of the Myanmar pages. Table 8: Zawgyi-One, Win Innwa, Unicode (Myanmar3 and
# Padauk), in per cent of each domain; "other" stands under .biz in the profile.
FIGURE_8 = {".com": 83.08, ".mm": 7.0, ".org": 5.2, ".net": 3.24, ".info": 0.92, "other": 0.56}
ENCODINGS = ("zawgyi", "win-innwa", "unicode")
TABLE_8 = {
    ".com": (82.3, 7.0, 10.7), ".mm": (76.5, 2.0, 21.5), ".org": (87.4, 4.0, 8.6),
    ".net": (86.0, 4.0, 10.0), ".info": (92.7, 4.0, 3.3), "other": (92.9, 2.0, 5.1),
}  # fmt: skip


def crawl(directory: Path, setting: Setting, judge: str) -> dict[str, Any]:
    """One run: what it downloaded, stored and discarded, and how right that was."""
    graph, truth = open_graph(Source(directory, judge=judge)), load_graph(directory).relevant
    plan = Plan(limits=Limits(max_depth=setting.depth), points=1)
    order = simulate(graph, make_strategy("hard"), plan).order
    stored = order[graph.relevant[order] == 1]
    ngram = open_graph(Source(directory, judge=NGRAM)).relevant
    return {
        "downloaded": len(order),
        "stored": len(stored),
        "sample": float(np.mean(truth[stored[:SAMPLE]])),
        "sample_size": len(stored[:SAMPLE]),
        **_precision("judge", graph.relevant[order], truth[order]),
        **_precision("ngram", ngram[order], truth[order]),
        "pages": stored,
    }


def _precision(
    name: str, said: npt.NDArray[np.uint8], truth: npt.NDArray[np.uint8]
) -> dict[str, float]:
    right = int(np.count_nonzero(said & truth))
    return {
        f"{name} precision": right / max(1, int(said.sum())),
        f"{name} recall": right / max(1, int(truth.sum())),
    }


def places(directory: Path, stored: npt.NDArray[np.int32]) -> dict[str, float]:
    """Figure 8 and Table 8 of the pages that a run stored."""
    graph = load_graph(directory)
    pages = read_table(directory, "pages", ["id", "encoding"])
    encoding = np.array(pages["encoding"].to_pylist())[np.argsort(pages["id"].to_numpy())]
    tlds = [tld_of(name) for name in graph.hosts.to_pylist()]
    found = Counter(
        (tlds[host] if tlds[host] in FIGURE_8 else "other", name)
        for host, name in zip(
            graph.arrays.host[stored].tolist(), encoding[stored].tolist(), strict=True
        )
    )
    numbers = {}
    for tld in FIGURE_8:
        here = sum(count for (place, _), count in found.items() if place == tld)
        numbers[tld] = 100 * here / max(1, len(stored))
        for name in ENCODINGS:
            numbers[f"{tld} {name}"] = 100 * found[tld, name] / max(1, here)
    return numbers


def experiment(pages: int, seed: int) -> dict[str, Any]:
    """One web and both runs on it."""
    with tempfile.TemporaryDirectory() as folder:
        directory = Path(folder) / "web"
        print(f"web {seed}: generating", file=sys.stderr, flush=True)
        made = generate(directory, load_profile("myanmar-2014"), pages, seed)
        found: dict[str, Any] = {"relevant": made.relevant}
        for name, setting in RUNS.items():
            print(f"web {seed}: {name}", file=sys.stderr, flush=True)
            judge = f"syllables:threshold={setting.threshold:g}"
            found[name] = crawl(directory, setting, judge)
        found["places"] = places(directory, found["second run"]["pages"])
    return found


def runs_table(runs: Sequence[dict[str, Any]]) -> list[str]:
    """Table 6."""
    lines = [
        "| run | depth | threshold | stored, paper | stored, ours | downloaded and discarded, ours "
        "| of all Myanmar pages |",
        "| --- |" + " ---: |" * 6,
    ]
    for name, setting in RUNS.items():
        mine = [run[name] for run in runs]
        found = [each["stored"] * each["judge precision"] / run["relevant"]
                 for each, run in zip(mine, runs, strict=True)]  # fmt: skip
        lines.append(
            f"| {name} | {setting.depth} | {setting.threshold:.0%} | {setting.downloaded:,} "
            f"| {spread([each['stored'] for each in mine], 0)} "
            f"| {spread([each['downloaded'] - each['stored'] for each in mine], 0)} "
            f"| {spread([100 * share for share in found], 1)} % |"
        )
    growth = [run["second run"]["stored"] / run["first run"]["stored"] for run in runs]
    paper = RUNS["second run"].downloaded / RUNS["first run"].downloaded
    return [*lines, "", f"The second run stores {spread(growth, 3)} times as many pages as the "
            f"first; in the paper {paper:.2f} times."]  # fmt: skip


def precision_table(runs: Sequence[dict[str, Any]]) -> list[str]:
    """Table 7: a sample of stored pages, and an n-gram judge on all downloaded ones."""
    lines = [
        f"| run | precision of the first {SAMPLE:,} stored pages, paper | ours "
        "| n-gram judge, paper | ours, on all pages that the run downloaded "
        "| recall of syllables there | recall of n-grams there |",
        "| --- |" + " ---: |" * 6,
    ]
    for name, setting in RUNS.items():
        keys = ("sample", "ngram precision", "judge recall", "ngram recall")
        over = {key: [100 * run[name][key] for run in runs] for key in keys}
        lines.append(
            f"| {name} | {100 * setting.correct / SAMPLE:.2f} % | {spread(over['sample'], 2)} % "
            f"| {100 * setting.ngram_correct / SAMPLE:.2f} % "
            f"| {spread(over['ngram precision'], 2)} % "
            f"| {spread(over['judge recall'], 1)} % | {spread(over['ngram recall'], 1)} % |"
        )
    return lines


def places_table(runs: Sequence[dict[str, Any]]) -> list[str]:
    """Figure 8 and Table 8, of the pages that the second run stored."""
    heads = [f"{name} {who}" for name in ("share", *ENCODINGS) for who in ("paper", "ours")]
    lines = [f"| domain | {' | '.join(heads)} |", "| --- |" + " ---: |" * len(heads)]
    for tld, share in FIGURE_8.items():
        cells = [f"{share:g} %", f"{spread([run['places'][tld] for run in runs], 1)} %"]
        for name, paper in zip(ENCODINGS, TABLE_8[tld], strict=True):
            ours = [run["places"][f"{tld} {name}"] for run in runs]
            cells += [f"{paper:g} %", f"{spread(ours, 1)} %"]
        lines.append(f"| {tld} | {' | '.join(cells)} |")
    return lines


def document(runs: Sequence[dict[str, Any]], pages: int) -> str:
    """All tables as Markdown."""
    return "\n".join([
        f"{len(runs)} web{'s' if len(runs) > 1 else ''} of {pages:,} pages, mean (and range): "
        f"{spread([run['relevant'] for run in runs], 0)} of them Myanmar.",
        "", *runs_table(runs), "", *precision_table(runs), "", *places_table(runs),
    ])  # fmt: skip


def main() -> None:
    """Run the experiments and print them as Markdown."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--pages", type=int, default=40_000, help="pages of each web")
    parser.add_argument("--seeds", type=int, default=2, help="how many webs, from seed 1 on")
    parser.add_argument("--into", type=Path, help="a file with marks to put the tables between")
    chosen = parser.parse_args()
    runs = [experiment(chosen.pages, seed) for seed in range(1, chosen.seeds + 1)]
    text = document(runs, chosen.pages)
    if chosen.into:
        put(text, chosen.into, "myanmar_2014")
    else:
        print(text)


if __name__ == "__main__":
    main()
