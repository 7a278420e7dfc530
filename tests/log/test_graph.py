"""A log as arrays: they say what its tables say, whatever befell them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba.core.dispatcher import Dispatcher

from langcrawl.config import CrawlConfig
from langcrawl.log import anchors, build
from langcrawl.log.build import Arrays, hash_strings, slashes_in_paths
from langcrawl.log.graph import Graph, arrays_problem, build_graph, load_graph
from langcrawl.log.segments import mark_outdated, write_segment
from langcrawl.url import path_slashes
from webs import P, Web, graph_of, random_webs, tables_of, url, write_web

SMALL: Web = {
    "a/": P("th", ("a/1", "b/", "a/1")),
    "a/1": P("en", ("b/", "never/")),
    "b/": P("th", ("a/",)),
    "b/old": P("und", status=301, redirect="b/"),
}


def links_of(graph: Graph) -> dict[str, list[str]]:
    """Where each page leads to, as the arrays have it."""
    offsets, dst = graph.arrays.offsets, graph.arrays.dst
    return {
        graph.urls[page]: [graph.urls[goal] for goal in dst[offsets[page] : offsets[page + 1]]]
        for page in range(graph.pages)
    }


@given(random_webs())
def test_the_arrays_say_what_the_web_is(drawn: tuple[Web, list[str]]) -> None:
    web, _ = drawn
    graph, found = graph_of(web), links_of(graph_of(web))
    assert found == {
        url(name): list(dict.fromkeys(map(url, page.links)))
        if page.status == 200 and not page.redirect
        else []
        for name, page in web.items()
    }
    for node, name in enumerate(graph.urls[: graph.pages]):
        page = web[name.removeprefix("http://")]
        assert graph.arrays.status[node] == page.status
        goal = graph.arrays.redirect[node]
        assert (graph.urls[goal] if goal >= 0 else "") == (url(page.redirect) * bool(page.redirect))
    assert graph.find(graph.urls) == list(range(graph.nodes))


@given(random_webs(), st.data())
def test_a_log_of_several_segments_is_the_log_of_one(
    drawn: tuple[Web, list[str]], data: st.DataObject
) -> None:
    tables = tables_of(drawn[0])
    pages, links = tables["pages"], tables["links"]
    order = data.draw(st.permutations(range(len(pages))))
    mixed = tables | {
        "pages": pages.take(pa.array(order, pa.int64())),
        "links": pa.concat_tables(
            links.filter(pa.compute.equal(links["src"], pages["id"][place])) for place in order
        ),
    }
    config = CrawlConfig(lang="th", seeds=())
    one, other = build_graph(config, tables), build_graph(config, mixed)
    for name in Arrays.__dataclass_fields__:
        if name != "tongue":
            np.testing.assert_array_equal(getattr(one.arrays, name), getattr(other.arrays, name))
    named = [[graph.tongues[code] if code < len(graph.tongues) else None
              for code in graph.arrays.tongue] for graph in (one, other)]  # fmt: skip
    assert named[0] == named[1]


@given(random_webs(), st.sets(st.sampled_from(["h0", "h1", "h2", "h3"])))
def test_without_a_host_nothing_leads_to_it_or_from_it(
    drawn: tuple[Web, list[str]], gone: set[str]
) -> None:
    graph = graph_of(drawn[0])
    flags = np.array([name in gone for name in graph.hosts.to_pylist()], bool)
    fewer = graph.without_hosts(flags)

    def lost(address: str) -> bool:
        name = address.removeprefix("http://")
        return name in drawn[0] and name.split("/")[0] in gone

    assert links_of(fewer) == {
        page: [] if lost(page) else [goal for goal in goals if not lost(goal)]
        for page, goals in links_of(graph).items()
    }
    assert not any(
        fewer.relevant[node] for node, name in enumerate(graph.urls[: graph.pages]) if lost(name)
    )


@given(st.lists(st.text(st.characters(codec="utf-8"), max_size=30), max_size=20))
def test_hashes_are_those_of_the_published_function(texts: list[str]) -> None:
    def fnv1a(text: str) -> int:
        value = 0xCBF29CE484222325
        for byte in text.encode():
            value = (value ^ byte) * 0x100000001B3 % 2**64
        return value

    assert hash_strings(pa.chunked_array([pa.array(texts, pa.string())])).tolist() == [
        fnv1a(text) for text in texts
    ]


def test_kernels_are_compiled_for_named_types_only() -> None:
    """Two processes that meet different types first would mix up what they keep on disk."""
    kernels = [
        each for module in (anchors, build) for each in vars(module).values()
        if isinstance(each, Dispatcher)
    ]  # fmt: skip
    assert len(kernels) >= 7
    for kernel in kernels:
        assert kernel.signatures
        with pytest.raises(TypeError, match="No matching definition"):
            kernel(*[None] * len(kernel.signatures[0]))


def test_slashes_are_counted_as_for_one_url() -> None:
    urls = ["http://a/", "http://a/b", "http://a/b/c/", "https://a.b/?x=/y/z", "http://a//"]
    column = pa.chunked_array([pa.array(urls[:2]), pa.array(urls[2:])])
    assert slashes_in_paths(column).tolist() == [path_slashes(each) for each in urls]


@pytest.mark.parametrize("name", ["dst", "offsets", "host", "redirect", "tongue", "hash_node"])
def test_arrays_that_lead_astray_are_made_anew(tmp_path: Path, name: str) -> None:
    write_web(tmp_path, SMALL, ["a/"])
    right = links_of(load_graph(tmp_path))
    path = tmp_path / "log/graph" / f"{name}.npy"
    array = np.load(path)
    array[-1] = 1_000
    np.save(path, array)
    assert name in arrays_problem(tmp_path)
    assert links_of(load_graph(tmp_path)) == right
    assert arrays_problem(tmp_path) == ""


def test_arrays_that_were_cut_or_renamed_are_made_anew(tmp_path: Path) -> None:
    write_web(tmp_path, SMALL, ["a/"])
    right = links_of(load_graph(tmp_path))
    folder = tmp_path / "log/graph"
    for harm in (
        lambda: (folder / "status.npy").write_bytes(b"\x93NUMPY"),
        lambda: (folder / "url_id.npy").unlink(),
        lambda: (folder / "hosts.parquet").write_bytes(b"PAR1"),
        lambda: (folder / "meta.json").write_text("[]"),
        lambda: (folder / "meta.json").write_text(
            json.dumps(json.loads((folder / "meta.json").read_text()) | {"tongues": 3})
        ),
    ):
        harm()
        assert links_of(load_graph(tmp_path)) == right


def test_rows_that_count_no_more_are_left_out_of_the_arrays(tmp_path: Path) -> None:
    write_web(tmp_path, SMALL, ["a/"])
    assert load_graph(tmp_path).pages == 4
    mark_outdated(tmp_path, {"000000.parquet": [0]})
    graph = load_graph(tmp_path)
    assert (graph.pages, graph.nodes) == (3, 5)
    assert url("a/") not in links_of(graph)
    later = tables_of({"a/": P("th", ("b/",))})
    later["urls"] = later["urls"].slice(0, 0)
    later["links"] = later["links"].set_column(1, "dst", pa.array([2], pa.int64()))
    write_segment(tmp_path, 1, later)
    assert links_of(load_graph(tmp_path))[url("a/")] == [url("b/")]
