"""Paper 003 from nothing: a Myanmar web, its two runs, precision, domains and encodings.

    python examples/myanmar_2014.py --pages 100000 --seeds 3

Domains and encodings of the profile myanmar-2014 are the paper's; how much of the web is not
Myanmar, how pages mix with English, and links were assumed before any crawl was run. A run
follows only the links of pages that its judge calls Myanmar, down to a depth, and stores only
those pages. It ends when nothing is left to follow, while the paper's ended by the clock.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from common import Claim, claims_table, generated, options, say, show, spread, table

from langcrawl.log.graph import load_graph
from langcrawl.log.segments import read_table
from langcrawl.records import Limits
from langcrawl.simulate import Plan, Source, open_graph, simulate
from langcrawl.strategy import make_strategy
from langcrawl.url import tld_of

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
Runs = Sequence[dict[str, Any]]
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
        **_precision("syllables", graph.relevant[order], truth[order]),
        **_precision("n-grams", ngram[order], truth[order]),
        "pages": stored,
    }


def _precision(
    name: str, said: npt.NDArray[np.uint8], truth: npt.NDArray[np.uint8]
) -> dict[str, float]:
    """How right a judge is on pages in the order in which they were downloaded."""
    right, first = int(np.count_nonzero(said & truth)), np.flatnonzero(said)[:SAMPLE]
    return {
        f"{name} sample": float(np.mean(truth[first])),
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
    with generated("myanmar-2014", pages, seed) as directory:
        found: dict[str, Any] = {"relevant": load_graph(directory).relevant_total}
        for name, setting in RUNS.items():
            say(f"web {seed}: {name}")
            judge = f"syllables:threshold={setting.threshold:g}"
            found[name] = crawl(directory, setting, judge)
        found["places"] = places(directory, found["second run"]["pages"])
    return found


def runs_table(runs: Runs) -> list[str]:
    """Table 6."""
    heads = (
        "run", "depth", "threshold", "stored, paper", "stored, ours",
        "downloaded and discarded, ours", "of all Myanmar pages",
    )  # fmt: skip
    rows = []
    for name, setting in RUNS.items():
        mine = [run[name] for run in runs]
        found = [100 * each["stored"] * each["syllables precision"] / run["relevant"]
                 for each, run in zip(mine, runs, strict=True)]  # fmt: skip
        rows.append((
            name, str(setting.depth), f"{setting.threshold:.0%}", f"{setting.downloaded:,}",
            spread([each["stored"] for each in mine], 0),
            spread([each["downloaded"] - each["stored"] for each in mine], 0),
            f"{spread(found, 1)} %",
        ))  # fmt: skip
    return table(heads, rows)


def precision_table(runs: Runs) -> list[str]:
    """Table 7: two judges on the pages of a run, a sample of each and all that it downloaded."""
    heads = (
        "run", "judge", f"precision of the first {SAMPLE:,}, paper", "ours",
        "precision on all downloads, ours", "recall on all downloads, ours",
    )  # fmt: skip
    rows = []
    for name, setting in RUNS.items():
        for judge, correct in (("syllables", setting.correct), ("n-grams", setting.ngram_correct)):
            ours = (
                f"{spread([100 * run[name][f'{judge} {what}'] for run in runs], 2)} %"
                for what in ("sample", "precision", "recall")
            )
            rows.append((name, judge, f"{100 * correct / SAMPLE:.2f} %", *ours))
    return table(heads, rows, 2)


def places_table(runs: Runs) -> list[str]:
    """Figure 8 and Table 8, of the pages that the second run stored."""
    heads = [f"{name} {who}" for name in ("share", *ENCODINGS) for who in ("paper", "ours")]
    rows = []
    for tld, share in FIGURE_8.items():
        cells = [f"{share:g} %", f"{spread([run['places'][tld] for run in runs], 1)} %"]
        for name, paper in zip(ENCODINGS, TABLE_8[tld], strict=True):
            ours = [run["places"][f"{tld} {name}"] for run in runs]
            cells += [f"{paper:g} %", f"{spread(ours, 1)} %"]
        rows.append((tld, *cells))
    return table(("domain", *heads), rows)


def claims_of(runs: Runs) -> list[Claim]:
    """What the paper concludes, and whether it holds on every web."""
    first, second = ([run[name] for run in runs] for name in RUNS)

    def percent(key: str) -> str:
        return " and ".join(f"{100 * mean(r[key] for r in each):.2f} %" for each in (first, second))

    growth = [
        after["stored"] / before["stored"] for before, after in zip(first, second, strict=True)
    ]
    paper = RUNS["second run"].downloaded / RUNS["first run"].downloaded
    every = [*first, *second]
    return [
        ("the lower threshold and the greater depth store more",
         f"{spread(growth, 3)} times as many pages", min(growth) > 1),
        (f"they store {paper:.2f} times as many", f"{spread(growth, 3)} times",
         all(abs(each - paper) < 0.1 for each in growth)),
        ("of a sample of stored pages 99.15 % and 99.54 % are Myanmar (to a point)",
         percent("syllables sample"),
         all(abs(each["syllables sample"] - 0.993) < 0.01 for each in every)),
        ("the syllable judge is more precise than n-grams",
         f"n-grams: {percent('n-grams sample')}",
         all(each["syllables sample"] > each["n-grams sample"] for each in every)),
        ("n-grams need a corpus for each font: without one they miss pages",
         f"they find {percent('n-grams recall')}, syllables {percent('syllables recall')}",
         all(each["syllables recall"] > each["n-grams recall"] for each in every)),
    ]  # fmt: skip


def document(runs: Runs, pages: int) -> str:
    """All tables as Markdown."""
    return "\n".join([
        f"{len(runs)} web{'s' if len(runs) > 1 else ''} of {pages:,} pages, mean (and range): "
        f"{spread([run['relevant'] for run in runs], 0)} of them Myanmar.",
        "", *claims_table(claims_of(runs)),
        "", "Table 6:", "", *runs_table(runs),
        "", "Table 7, both judges on the pages of the same run:", "", *precision_table(runs),
        "", "Figure 8 and Table 8, of the pages that the second run stored:",
        "", *places_table(runs),
    ])  # fmt: skip


def main() -> None:
    """Run the experiments and print them as Markdown."""
    chosen = options(__doc__, pages=40_000, seeds=2).parse_args()
    runs = [experiment(chosen.pages, seed) for seed in range(1, chosen.seeds + 1)]
    show(document(runs, chosen.pages), chosen.into, "myanmar_2014")


if __name__ == "__main__":
    main()
