"""Webs for tests, written in a few lines, and a plain second reading of the order rules.

`reference` follows docs/architecture.md word by word with lists and scans: slow, obvious,
and written without looking at the loop. The loop has to agree with it to the page.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
from hypothesis import strategies as st

from langcrawl.config import CrawlConfig
from langcrawl.log.graph import Graph, build_graph
from langcrawl.log.schema import TABLES
from langcrawl.log.segments import write_segment
from langcrawl.ports import Strategy
from langcrawl.records import Facts


@dataclass
class P:
    """A page of a test web."""

    language: str = "en"
    links: tuple[str, ...] = ()
    status: int = 200
    redirect: str = ""
    score: float | None = None
    anchors: tuple[float | None, ...] = ()
    """Scores of the anchors of the links; None and what is missing: not judged."""


Web = dict[str, P]


def url(name: str) -> str:
    """``a/x`` is page x on host a."""
    return f"http://{name if '/' in name else name + '/'}"


def name_of(address: str) -> str:
    return address.removeprefix("http://").removesuffix("/")


def tables_of(web: Web, lang: str = "th") -> dict[str, pa.Table]:
    """The three tables of a log with exactly these pages."""
    names = list(dict.fromkeys([*web, *(t for p in web.values() for t in (*p.links, p.redirect))]))
    ids = {name: number for number, name in enumerate(name for name in names if name)}
    pages = [
        {
            "id": ids[name],
            "status": page.status,
            "redirect": ids[page.redirect] if page.redirect else None,
            "language": page.language,
            "score": page.score,
            "bytes": 100,
            "elapsed": 0.25,
            "relevant": page.language == lang and page.status == 200 and not page.redirect,
        }
        for name, page in web.items()
    ]
    links = [
        {
            "src": ids[name],
            "dst": ids[target],
            "position": position,
            "anchor": "anchor",
            "anchor_score": dict(enumerate(page.anchors)).get(position),
        }
        for name, page in web.items()
        for position, target in enumerate(page.links)
    ]
    urls = [{"id": n, "url": url(name), "host": name.split("/")[0]} for name, n in ids.items()]
    rows = {"urls": urls, "pages": pages, "links": links}
    return {name: pa.Table.from_pylist(rows[name], schema=TABLES[name]) for name in TABLES}


def write_web(directory: Path, web: Web, seeds: Iterable[str] = ()) -> Path:
    """A crawl directory with exactly these pages."""
    write_segment(directory, 0, tables_of(web))
    CrawlConfig(lang="th", seeds=tuple(map(url, seeds))).save(directory)
    return directory


def graph_of(web: Web, seeds: Iterable[str] = ()) -> Graph:
    return build_graph(CrawlConfig(lang="th", seeds=tuple(map(url, seeds))), tables_of(web))


@dataclass
class Told:
    """What the plain reading says a crawl does."""

    order: list[str] = field(default_factory=list)
    queues: list[int] = field(default_factory=list)
    discards: Counter[str] = field(default_factory=Counter)


@dataclass
class _Waiting:
    facts: Facts
    priority: float
    parent: str
    arrival: int
    first: int
    anchor: float = 0.0
    shares: float = 0.0


def reference(
    web: Web,
    seeds: Iterable[str],
    strategy: Strategy,
    max_depth: int = 1 << 30,
    max_pages_per_host: int = 1 << 30,
) -> Told:
    """The rules of the exact order, one after the other."""
    told = Told()
    waiting: dict[str, _Waiting] = {}
    downloads: Counter[str] = Counter()
    hits: Counter[str] = Counter()
    counter = 0
    group_state = strategy.group_state or (lambda downloads, hits: 0)

    def host(name: str) -> str:
        return name.split("/")[0]

    def offer(
        name: str, facts: Facts, parent: str, anchor: float = 0.0, share: float = 0.0
    ) -> None:
        nonlocal counter
        if name in told.order:
            return
        if facts.depth > max_depth:
            told.discards["max-depth"] += 1
            return
        if downloads[host(name)] >= max_pages_per_host:
            told.discards["max-pages-per-host"] += 1
            return
        state = group_state(downloads[host(name)], hits[host(name)])
        facts = facts._replace(
            same_host=int(bool(parent) and host(parent) == host(name)),
            host_downloads=downloads[host(name)],
            host_hits=hits[host(name)],
            group_state=state,
        )
        if strategy.gathers:
            if name in waiting:
                anchor = max(waiting[name].anchor, anchor)
                share = waiting[name].shares + share
            slashes = max(1, name.count("/"))
            facts = facts._replace(anchor_score=anchor, parent_share=share, path_slashes=slashes)
        priority = strategy.rank(facts)
        if priority < 0:
            told.discards[strategy.reasons[int(-priority) - 1]] += 1
            return
        if strategy.highest_first:
            priority = -priority
        counter += 1
        if name not in waiting:
            waiting[name] = _Waiting(facts, priority, parent, counter, counter, anchor, share)
            return
        old = waiting[name]
        run = min(old.facts.run, facts.run)
        depth = min(old.facts.depth, facts.depth)
        if priority < old.priority:
            kept = facts._replace(run=run, depth=depth)
            waiting[name] = _Waiting(kept, priority, parent, counter, old.first, anchor, share)
        else:
            old.facts = old.facts._replace(run=run, depth=depth)
            old.anchor, old.shares = anchor, share

    def known(names: Iterable[str]) -> list[str]:
        kept = []
        for name in dict.fromkeys(names):
            if name in web:
                kept.append(name)
            else:
                told.discards["not-in-log"] += 1
        return kept

    for name in known(seeds):
        offer(name, Facts(0, 0, 1, 0, 1.0, 0, 0, 0, 0), "")
    told.queues.append(len(waiting))
    while waiting:
        sign = -1 if strategy.last_first else 1
        name = min(waiting, key=lambda n: (waiting[n].priority, sign * waiting[n].arrival))
        visit, page = waiting.pop(name), web[name]
        told.order.append(name)
        before = group_state(downloads[host(name)], hits[host(name)])
        relevant = page.status == 200 and not page.redirect and page.language == "th"
        downloads[host(name)] += 1
        hits[host(name)] += relevant
        state = group_state(downloads[host(name)], hits[host(name)])
        if state != before:
            group = sorted((w.first, n) for n, w in waiting.items() if host(n) == host(name))
            for _, other in group:
                entry = waiting[other]
                entry.facts = entry.facts._replace(
                    host_downloads=downloads[host(name)],
                    host_hits=hits[host(name)],
                    group_state=state,
                    anchor_score=entry.anchor,
                    parent_share=entry.shares,
                )
                priority = strategy.rank(entry.facts)
                if priority < 0:
                    told.discards[strategy.reasons[int(-priority) - 1]] += 1
                    del waiting[other]
                elif (priority := -priority if strategy.highest_first else priority) != (
                    entry.priority
                ):
                    counter += 1
                    entry.priority, entry.arrival = priority, counter
        if page.redirect:
            for target in known([page.redirect]):
                offer(target, visit.facts, visit.parent, visit.anchor, visit.shares)
        elif page.status == 200:
            english = int(page.language == "en")
            score = float(relevant) if page.score is None else page.score
            run = 0 if relevant else visit.facts.run + 1
            facts = Facts(run, visit.facts.depth + 1, int(relevant), english, score, 0, 0, 0, 0)
            share = score / len(set(page.links)) if page.links else 0.0
            for target in known(page.links):
                anchors = [
                    page.anchors[k] or 0.0
                    for k, linked in enumerate(page.links)
                    if linked == target and k < len(page.anchors)
                ]
                offer(target, facts, name, max(anchors, default=0.0), share)
        told.queues.append(len(waiting))
    return told


@st.composite
def random_webs(draw: st.DrawFn) -> tuple[Web, list[str]]:
    """Webs with hosts, languages, failures, redirects, repeated links and several seeds."""
    hosts = draw(st.integers(1, 4))
    names = [
        f"h{draw(st.integers(0, hosts - 1))}/{draw(st.sampled_from(['', '', 'a/', 'a/b/']))}{n}"
        for n in range(draw(st.integers(1, 14)))
    ]
    places = st.sampled_from([*names, "h0/gone", "nowhere/x"])
    web: Web = {}
    for name in names:
        kind = draw(st.sampled_from(["page"] * 8 + ["error", "redirect"]))
        language = draw(st.sampled_from(["th", "th", "en", "ja", "und"]))
        links = tuple(draw(st.lists(places, max_size=6)))
        score = draw(st.sampled_from([None, None, 0.25, 0.5]))
        if kind == "page":
            anchors = tuple(draw(st.sampled_from([None, 0.0, 0.25, 1.0])) for _ in links)
            web[name] = P(language, links, score=score, anchors=anchors)
        elif kind == "error":
            web[name] = P("und", links, status=draw(st.sampled_from([0, 404, 503])))
        else:
            web[name] = P("und", status=301, redirect=draw(places))
    seeds = draw(st.lists(st.sampled_from(names), min_size=1, max_size=3))
    return web, seeds
