"""Papers 000 and 002 from nothing: generate their Thai web, measure it, crawl it, compare.

    python examples/thai_2005.py --pages 1000000 --seeds 5

The profile thai-2005 was set by the statistics that the papers publish, before any crawl was
run on a web of it. The first tables show those statistics; the others show what nothing was
tuned to. Numbers of pages are scaled to the 14.0 M pages of the papers' data set.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from common import generated, options, say, show, spread, table

from langcrawl.log.graph import Graph
from langcrawl.measure.webgraph import Analysis, analyze_graph
from langcrawl.parallel import never, silent
from langcrawl.simulate import Plan, Result, Source, open_graph, simulate_all
from langcrawl.simulate.plan import hits_of

PAPER_PAGES = 13_999_847
META = "charset:from=meta"
BY_META = (
    "bfs", "hard", "soft", "limited:n=1", "limited:n=2", "limited:n=3", "limited:n=4",
    "limited:n=1,prioritized=true", "limited:n=2,prioritized=true",
    "limited:n=3,prioritized=true", "limited:n=4,prioritized=true",
)  # fmt: skip
BY_BOTH = ("bfs", "hard", "soft", "lswc:s=1,t=1", "lswc:s=2,t=1", "lswc:s=3,t=5", "perfect")

ROWS = {"target": "Thai", "bridge": "English", "other": "other languages", "unknown": "unknown"}
# Table 2 of paper 000: languages in per cent of the pages of a domain.
TABLE_2 = {
    ".th": (51.5, 30.2, 2.3, 16.0),
    ".com": (13.9, 18.5, 2.0, 65.6),
    ".net": (8.1, 18.2, 3.2, 70.5),
    "other": (2.6, 14.3, 5.3, 77.8),
    "all": (12.2, 17.8, 3.4, 66.6),
}
# Table 3: per cent of links to fetched pages that lead to Thai pages.
TABLE_3 = {
    ("relevant", "all"): 71.3, ("relevant", "same_domain"): 83.0,
    ("relevant", "other_domain"): 30.7, ("relevant", "same_host"): 84.1,
    ("relevant", "other_host"): 38.5, ("irrelevant", "all"): 3.1,
    ("irrelevant", "same_domain"): 2.3, ("irrelevant", "other_domain"): 6.2,
    ("irrelevant", "same_host"): 3.0, ("irrelevant", "other_host"): 3.2,
}  # fmt: skip
DOMAINS = {".com": 46.4, ".jp": 11.0, ".th": 8.2, ".de": 6.7, ".net": 6.2, ".org": 5.7}

Numbers = dict[str, float]


def statistics_of(graph: Graph, found: Analysis, by_meta: Graph) -> Numbers:
    """What the papers say of their data set, of ours."""
    groups, sizes = found.groups_by_tld, found.sizes
    pages = sizes.pages
    numbers: Numbers = {}
    for tld in TABLE_2:
        for row, name in ROWS.items():
            whole = sum(_of_domain(groups[each], tld) for each in groups)
            numbers[f"{name} in {tld}"] = 100 * _of_domain(groups[row], tld) / max(1, whole)
    for source, kind in TABLE_3:
        numbers[_links(source, kind)] = 100 * (found.locality[source].parts[kind].share or 0.0)
    for tld in DOMAINS:
        here = sum(_of_domain(groups[each], tld) for each in groups)
        numbers[f"pages in {tld}"] = 100 * here / pages
    numbers["OK pages"] = 100 * sizes.ok_pages / pages
    numbers["Thai by META of Thai"] = 100 * by_meta.relevant_total / graph.relevant_total
    numbers["pages per server"] = pages / sizes.hosts
    numbers["URLs per page"] = sizes.urls / pages
    numbers["links per page"] = sizes.links / pages
    return numbers


def _links(source: str, kind: str) -> str:
    pages = "Thai" if source == "relevant" else "non-Thai"
    where = {"all": "", "same_host": ", same server", "other_host": ", different server"}
    where |= {"same_domain": ", same domain", "other_domain": ", different domain"}
    return f"links of {pages} pages to Thai ones{where[kind]}"


def _of_domain(row: dict[str, int], tld: str) -> int:
    if tld == "all":
        return sum(row.values())
    if tld == "other":
        return sum(row.values()) - sum(row.get(name, 0) for name in (".th", ".com", ".net"))
    return row.get(tld, 0)


def published() -> Numbers:
    """The same numbers in the papers."""
    numbers: Numbers = {}
    for tld, shares in TABLE_2.items():
        for name, share in zip(ROWS.values(), shares, strict=True):
            numbers[f"{name} in {tld}"] = share
    numbers |= {_links(*row): share for row, share in TABLE_3.items()}
    numbers |= {f"pages in {tld}": share for tld, share in DOMAINS.items()}
    return numbers | {
        "OK pages": 27.8, "Thai by META of Thai": 86.0, "pages per server": 20.93,
        "URLs per page": 2.79, "links per page": 8.85,
    }  # fmt: skip


def results_of(graph: Graph, results: Sequence[Result], first: float) -> dict[str, Numbers]:
    """What each strategy did; `first` is the share of the web whose harvest is asked for."""
    scale = PAPER_PAGES / graph.pages / 1e6
    found = {}
    for result in results:
        early = hits_of(graph, result.order[: int(first * graph.pages)])
        found[result.name] = {
            "early harvest": 100 * float(early.mean()),
            "pages": result.summary.pages * scale,
            "coverage": 100 * result.summary.coverage,
            "harvest": 100 * result.summary.harvest,
            "queue": result.max_queue * scale,
        }
    return found


def experiment(pages: int, seed: int) -> dict[str, Any]:
    """One web: its statistics and the crawls of both papers."""
    with generated("thai-2005", pages, seed) as directory:
        return _experiment(directory)


def _experiment(directory: Path) -> dict[str, Any]:
    both, meta = Source(directory), Source(directory, judge=META)
    graph, by_meta = open_graph(both), open_graph(meta)
    say("measuring it")
    numbers = statistics_of(graph, analyze_graph(graph, "th"), by_meta)
    say("crawling it")
    return {
        "statistics": numbers,
        "000": results_of(*_simulate(both, BY_BOTH), first=1 / 14),
        "002": results_of(*_simulate(meta, BY_META), first=2 / 14),
    }


def _simulate(source: Source, names: Sequence[str]) -> tuple[Graph, list[Result]]:
    return simulate_all(source, names, Plan(), silent, never)


def statistics_table(runs: Sequence[dict[str, Any]]) -> list[str]:
    """Paper against ours, and the largest difference of a share, in points."""
    worst, rows = 0.0, []
    for name, paper in published().items():
        ours = [run["statistics"][name] for run in runs]
        per = " per " in name
        unit, digits = ("", 2) if per else (" %", 1)
        rows.append((name, f"{paper:g}{unit}", f"{spread(ours, digits)}{unit}"))
        if not per:
            worst = max(worst, *(abs(value - paper) for value in ours))
    lines = table(("statistic", "paper", "ours"), rows)
    return [*lines, "", f"No share is further from the paper's than {worst:.1f} points."]


def results_table(runs: Sequence[dict[str, Any]], paper: str, first: str) -> list[str]:
    """What every strategy did, over all webs."""
    heads = (
        "strategy", f"harvest over the first {first}", "stops after (M pages)", "coverage",
        "largest queue (M)",
    )  # fmt: skip
    rows = []
    for name in runs[0][paper]:
        over = {key: [run[paper][name][key] for run in runs] for key in runs[0][paper][name]}
        harvest, coverage = (f"{spread(over[key], 1)} %" for key in ("early harvest", "coverage"))
        ends, queue = spread(over["pages"], 1), spread(over["queue"], 2)
        rows.append((f"`{name}`", harvest, ends, coverage, queue))
    return table(heads, rows)


def document(runs: Sequence[dict[str, Any]], pages: int) -> str:
    """All tables as Markdown."""
    last = len(runs)
    webs = f"Webs of {pages:,} pages, seeds 1 to {last}: mean (and range)."
    return "\n".join([
        webs if last > 1 else f"One web of {pages:,} pages, seed 1.",
        "", *statistics_table(runs),
        "", "Paper 002, pages judged by META charset:", "", *results_table(runs, "002", "2 M"),
        "", "Paper 000, by charset and n-grams:", "", *results_table(runs, "000", "1 M"),
    ])  # fmt: skip


def main() -> None:
    """Run the experiment and print it as Markdown."""
    chosen = options(__doc__, pages=1_000_000, seeds=3).parse_args()
    runs = [experiment(chosen.pages, seed) for seed in range(1, chosen.seeds + 1)]
    show(document(runs, chosen.pages), chosen.into, f"thai_2005 {chosen.pages}")


if __name__ == "__main__":
    main()
