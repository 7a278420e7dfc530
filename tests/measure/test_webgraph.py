"""The web graph in numbers, worked out by hand, and against plain second readings."""

from __future__ import annotations

import json
from collections import Counter, deque
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from tests.webs import P, Web, graph_of, random_webs, tables_of, write_web

from langcrawl.config import CrawlConfig
from langcrawl.log.graph import build_graph, load_graph
from langcrawl.log.schema import TABLES
from langcrawl.log.segments import write_segment
from langcrawl.measure.components import component_sizes
from langcrawl.measure.distance import distances, redirect_goals
from langcrawl.measure.webgraph import analyze_graph

PORTAL, SHOP, FAR = "www.portal.co.th", "shop.portal.co.th", "www.far.com"
THAI: Web = {
    f"{PORTAL}/1": P("th", (f"{PORTAL}/2", f"{SHOP}/1", f"{FAR}/1", f"{FAR}/gone", f"{PORTAL}/1")),
    f"{PORTAL}/2": P("en", (f"{PORTAL}/1", f"{SHOP}/1", f"{SHOP}/1", f"{FAR}/2")),
    f"{SHOP}/1": P("th", (f"{PORTAL}/1", f"{FAR}/3")),
    f"{FAR}/1": P("en", (f"{FAR}/2",)),
    f"{FAR}/2": P("ja", (f"{FAR}/4", f"{FAR}/gone")),
    f"{FAR}/3": P("und", status=301, redirect=f"{FAR}/4"),
    f"{FAR}/4": P("th"),
    "10.0.0.1/x": P("th", status=404),
}


def analyze(web: Web, lang: str = "th") -> dict[str, Any]:
    return analyze_graph(graph_of(web), lang).as_json()


def test_sizes_by_hand() -> None:
    told = analyze(THAI)
    sizes = {"pages": 8, "relevant": 3, "urls": 9, "links": 13, "hosts": 4, "domains": 3}
    sizes |= {"ok_pages": 6, "redirects": 1, "failed": 1, "self_links": 1, "known_hosts": 4}
    assert {key: told[key] for key in sizes} == sizes


def test_languages_by_domain_are_counted_as_they_stand_in_the_log(tmp_path: Path) -> None:
    told = analyze_graph(load_graph(write_web(tmp_path, THAI)), "th").as_json()
    assert told["languages_by_tld"] == {
        "th": {".th": 2, ".com": 1, "ip": 1},
        "en": {".com": 1, ".th": 1},
        "ja": {".com": 1},
        "und": {".com": 1},
    }
    assert told["groups_by_tld"] == {
        "target": {".th": 2, ".com": 1, "ip": 1},
        "bridge": {".com": 1, ".th": 1},
        "other": {".com": 1},
        "unknown": {".com": 1},
    }
    assert told["relevant_by_tld"] == {".th": 2, ".com": 1}


def test_locality_by_hand() -> None:
    told = analyze(THAI)
    assert told["locality"]["relevant"] == {
        "all": 2 / 5,  # portal/1 to portal/2, shop/1*, far/1; shop/1 to portal/1*, far/3
        "same_host": 0.0,
        "other_host": 2 / 4,
        "same_domain": 2 / 3,
        "other_domain": 0.0,
    }
    assert told["locality"]["irrelevant"] == {
        "all": 3 / 5,  # portal/2 to portal/1*, shop/1*, far/2; far/1 to far/2; far/2 to far/4*
        "same_host": 2 / 3,
        "other_host": 1 / 2,
        "same_domain": 3 / 4,
        "other_domain": 0.0,
    }
    counts = told["locality_links"]
    assert counts["relevant"]["other_host"] == {"links": 4, "relevant": 2}
    assert (counts["relevant"]["unfetched"], counts["irrelevant"]["unfetched"]) == (1, 1)


def test_distance_by_hand_with_a_redirect_that_is_no_step() -> None:
    told = analyze(THAI)
    # portal/1 and shop/1 link to each other; shop/1 links to far/4 by way of a redirect.
    assert (told["distance"], told["unreached"]) == ({"1": 3}, 0)
    web = {**THAI, f"{SHOP}/1": P("th", (f"{PORTAL}/1",))}
    # portal/1 to far/1 to far/2 to far/4
    assert analyze(web)["distance"] == {"1": 2, "3": 1}


def test_a_way_back_to_the_same_page_is_no_distance() -> None:
    loop = {"a/1": P("th", ("a/2", "a/1")), "a/2": P("en", ("a/1",))}
    told = analyze(loop)
    assert (told["distance"], told["unreached"]) == ({}, 1)
    told = analyze({**loop, "b/1": P("th", ("b/2",)), "b/2": P("en", ("a/2",))})
    assert (told["distance"], told["unreached"]) == ({"3": 1}, 1)


def test_redirects_are_followed_to_their_end_and_circles_lead_nowhere() -> None:
    redirect = np.array([1, 2, -1, 4, 3, 9, 3], dtype=np.int32)
    assert redirect_goals(redirect, 7).tolist()[:2] == [2, 2]
    assert redirect_goals(redirect, 7).tolist()[3:] == [-1, -1, 9, -1]


def test_degrees_components_and_hosts_by_hand() -> None:
    told = analyze(THAI)
    # in: portal/1 2, portal/2 1, shop/1 2, far/1 1, far/2 2, far/3 1, far/4 1, the address 0
    degree = told["degrees"]["in"]
    assert degree["distribution"] == {"0": 1, "1": 4, "2-3": 3}
    assert (degree["mean"], degree["median"], degree["max"]) == (10 / 8, 1.0, 2)
    assert (degree["zero_share"], degree["single_share"]) == (1 / 8, 4 / 8)
    # out: 4, 3, 2, 1, 2, and nothing of the last three
    assert told["degrees"]["out"]["distribution"] == {"0": 3, "1": 1, "2-3": 3, "4-7": 1}
    assert told["components"]["count"] == 6
    assert (told["components"]["largest"], told["components"]["largest_share"]) == (3, 3 / 8)
    assert told["host_pages"] == {"1": 2, "2-3": 1, "4-7": 1}
    assert told["host_relevant"] == {"0": 1, "1": 3}
    assert told["top_hosts"][0] == {"host": FAR, "pages": 4, "relevant": 1}
    shares = {part["up_to"]: part["relevant"] for part in told["relevant_by_host_share"]}
    assert {up_to: n for up_to, n in shares.items() if n} == {0.3: 1, 0.5: 1, 1.0: 1}


def test_charsets_and_encodings_of_relevant_pages_by_domain(tmp_path: Path) -> None:
    tables = tables_of(THAI)
    rows = tables["pages"].to_pylist()
    rows[0] |= {"charset_meta": "TIS-620", "encoding": "unicode"}
    rows[1] |= {"charset_meta": "utf-8"}  # not relevant
    rows[2] |= {"charset_meta": "tis-620", "charset_header": "UTF-8", "encoding": "zawgyi"}
    tables["pages"] = tables["pages"].from_pylist(rows[::-1], schema=TABLES["pages"])
    write_segment(tmp_path, 0, tables)
    CrawlConfig(lang="th").save(tmp_path)
    told = analyze_graph(load_graph(tmp_path), "th").as_json()
    assert told["charsets_by_tld"] == {
        "header": {"none": {".com": 1, ".th": 1}, "utf-8": {".th": 1}},
        "meta": {"tis-620": {".th": 2}, "none": {".com": 1}},
        "detected": {"none": {".th": 2, ".com": 1}},
    }
    assert told["encodings_by_tld"] == {
        "none": {".com": 1}, "unicode": {".th": 1}, "zawgyi": {".th": 1},
    }  # fmt: skip


@pytest.mark.parametrize("first", [{}, {"a/1": P("th")}])
def test_what_a_running_crawl_adds_meanwhile_is_left_out(tmp_path: Path, first: Web) -> None:
    write_segment(tmp_path, 0, tables_of({**first, "a/2": P("en")}))
    CrawlConfig(lang="th").save(tmp_path)
    graph = load_graph(tmp_path)
    added = [{"id": 9, "status": 200, "language": "ja", "relevant": False}]
    tables = {name: table.slice(0, 0) for name, table in tables_of(first or {"b": P()}).items()}
    tables["pages"] = tables["pages"].from_pylist(added, schema=TABLES["pages"])
    write_segment(tmp_path, 1, tables)
    assert "ja" not in analyze_graph(graph, "th").languages_by_tld


@pytest.mark.parametrize("web", [{}, {"a/1": P("en", ("a/2",))}, {"a/1": P("th")}])
def test_nothing_to_count_gives_zeros_and_nulls_and_never_nan(web: Web) -> None:
    told = analyze(web)
    json.dumps(told, allow_nan=False)
    assert told["pages"] == len(web)
    assert told["locality"]["relevant"]["all"] is None
    assert told["distance"] == {}


def test_another_language_is_the_target_where_it_is_asked_for() -> None:
    graph = build_graph(CrawlConfig(lang="th"), tables_of(THAI), "ja")
    told = analyze_graph(graph, "ja").as_json()
    assert (told["relevant"], told["unreached"]) == (1, 1)
    assert told["groups_by_tld"]["target"] == {".com": 1}


def plain_distances(web: Web) -> Counter[int]:
    """From each relevant page on its own, breadth first, through whatever lies between."""
    nearest: dict[str, int] = {}
    for start in web:
        if not relevant(web[start]):
            continue
        seen, queue = {start: 0}, deque([start])
        while queue:
            name = queue.popleft()
            for target in ends(web, name):
                if target not in seen:
                    seen[target] = seen[name] + 1
                    queue.append(target)
        for name, steps in seen.items():
            if name != start and relevant(web[name]):
                nearest[name] = min(nearest.get(name, steps), steps)
    return Counter(nearest.values())


def ends(web: Web, name: str) -> list[str]:
    """The pages that the links of a page lead to, redirects followed."""
    found = []
    for link in web[name].links if web[name].status == 200 else ():
        trail = []
        while link in web and web[link].redirect and link not in trail:
            trail.append(link)
            link = web[link].redirect
        if link in web and link not in trail:
            found.append(link)
    return found


def relevant(page: P) -> bool:
    return page.language == "th" and page.status == 200 and not page.redirect


@st.composite
def sparse_webs(draw: st.DrawFn) -> Web:
    """Webs with few relevant pages and few links, so that paths are long and lead back."""
    count = draw(st.integers(1, 16))
    places = st.integers(0, count - 1).map(lambda n: f"h/{n}")
    web: Web = {}
    for number in range(count):
        kind = draw(st.sampled_from(["th", "en", "en", "en", "en", "redirect"]))
        if kind == "redirect":
            web[f"h/{number}"] = P("und", status=302, redirect=draw(places))
        else:
            web[f"h/{number}"] = P(kind, tuple(draw(st.lists(places, max_size=2))))
    return web


@settings(max_examples=200, deadline=None)
@given(st.one_of(sparse_webs(), random_webs().map(lambda drawn: drawn[0])))
def test_distances_agree_with_a_search_from_every_page(web: Web) -> None:
    found = distances(graph_of(web))
    assert Counter(found[found > 0].tolist()) == plain_distances(web)


@settings(max_examples=100, deadline=None)
@given(random_webs())
def test_locality_agrees_with_a_plain_count(drawn: tuple[Web, list[str]]) -> None:
    web = drawn[0]
    counts: Counter[tuple[str, str]] = Counter()
    for name, page in web.items():
        if page.status != 200 or page.redirect:
            continue
        for link in dict.fromkeys(page.links):
            if link in web and link != name:
                near = "same_host" if link.split("/")[0] == name.split("/")[0] else "other_host"
                source = "relevant" if relevant(page) else "irrelevant"
                for part in ("all", near):
                    counts[source, part] += 1
                    counts[source + "+", part] += relevant(web[link])
    told = analyze(web)["locality_links"]
    for source in ("relevant", "irrelevant"):
        for part in ("all", "same_host", "other_host"):
            expected = {"links": counts[source, part], "relevant": counts[source + "+", part]}
            assert told[source][part] == expected


@settings(max_examples=200, deadline=None)
@given(st.one_of(sparse_webs(), random_webs().map(lambda drawn: drawn[0])))
def test_components_agree_with_scipy(web: Web) -> None:
    graph = graph_of(web)
    arrays = graph.arrays
    src = np.repeat(np.arange(graph.pages), np.diff(arrays.offsets))
    jumps = np.flatnonzero(arrays.redirect >= 0)
    rows = np.concatenate([src, jumps])
    columns = np.concatenate([arrays.dst, arrays.redirect[jumps]])
    inside = columns < graph.pages
    matrix = csr_array(
        (np.ones(inside.sum()), (rows[inside], columns[inside])), shape=(graph.pages,) * 2
    )
    _, labels = connected_components(matrix, connection="strong")
    assert sorted(component_sizes(graph)) == sorted(np.bincount(labels))


def test_a_real_site_has_the_degrees_and_components_that_plain_counts_give(shared: Path) -> None:
    folder = shared / "graphs" / "hollins"
    urls = [line.split()[1] for line in (folder / "links.dat").read_text("utf-8").splitlines()[1:]]
    edges = [line.split() for line in (folder / "hollins.dat").read_text("utf-8").splitlines()[1:]]
    names = [f"{address.split('/', 3)[2]}/{number}" for number, address in enumerate(urls)]
    targets: dict[str, dict[str, None]] = {name: {} for name in names}
    for start, end in edges:
        targets[names[int(start) - 1]][names[int(end) - 1]] = None
    told = analyze({name: P("th", tuple(found)) for name, found in targets.items()})
    pairs = {(name, end) for name, found in targets.items() for end in found if end != name}
    linked = Counter(end for _, end in pairs)
    assert told["pages"] == len(urls)
    assert told["hosts"] == len({name.split("/")[0] for name in names})
    assert told["degrees"]["in"]["max"] == max(linked.values())
    assert told["degrees"]["in"]["mean"] == len(pairs) / len(urls)
    assert told["distance"] == {"1": len(linked)}
    assert told["unreached"] == len(urls) - len(linked)
    place = {name: number for number, name in enumerate(names)}
    rows, columns = zip(*((place[start], place[end]) for start, end in pairs), strict=True)
    matrix = csr_array((np.ones(len(pairs)), (rows, columns)), shape=(len(urls),) * 2)
    count, labels = connected_components(matrix, connection="strong")
    assert (told["components"]["count"], told["components"]["largest"]) == (
        count, np.bincount(labels).max(),
    )  # fmt: skip
