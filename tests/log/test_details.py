"""What only learning strategies read: a replayed web gives it back as the log has it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from langcrawl.config import CrawlConfig
from langcrawl.log.anchors import anchor_scores, link_texts
from langcrawl.log.details import LinkDetails, PageDetails, Texts
from langcrawl.log.graph import Graph, build_graph, load_graph
from langcrawl.log.schema import TABLES, log_table
from langcrawl.log.segments import read_table
from langcrawl.records import Page, Verdict
from webs import P, tables_of

WEB = {"a/": P("th", ("a/1", "a/2", "a/1", "b/")), "a/1": P("en", ("b/",)), "a/2": P("en")}


def with_links(**columns: list[Any]) -> dict[str, pa.Table]:
    """The tables of the web, with these columns of its five links."""
    tables = tables_of(WEB)
    given = tables["links"].to_pydict() | columns
    links = pa.Table.from_pydict(given, schema=TABLES["links"])
    return tables | {"links": links}


def graph_with(**columns: list[Any]) -> Graph:
    return build_graph(CrawlConfig(lang="th", seeds=()), with_links(**columns))


def test_of_several_links_to_a_url_the_first_that_says_something_counts() -> None:
    graph = graph_with(
        anchor=["", "two", "again", None, "from one"],
        hreflang=[None, "th", "en", None, None],
        rel=[None] * 5,
        tag_path=["nav a"] * 5,
    )
    details = LinkDetails.of(graph)
    assert set(details.columns) == {"anchors", "hreflangs", "tag_paths"}
    urls = [graph.urls[node] for node in graph.arrays.dst]
    links = details.links(urls, list(range(len(urls))), [])
    assert urls == ["http://a/1", "http://a/2", "http://b/", "http://b/"]
    assert links.anchors == ["again", "two", "", "from one"]
    assert links.hreflangs == ["en", "th", "", ""]
    assert links.tag_paths == ["nav a"] * 4


def test_a_part_of_a_graph_keeps_the_texts_of_its_links() -> None:
    graph = graph_with(anchor=["one", "two", "", "bee", "bee again"])
    fewer = graph.without_hosts(np.array([False, True]))  # b was never fetched: links to it stay
    assert fewer.links == 4
    part = graph.without_hosts(np.array([True, False]))
    assert part.links == 0
    details = LinkDetails.of(fewer)
    links = details.links(["http://b/"], [3], [])
    assert links.anchors == ["bee again"]


def test_a_log_that_says_nothing_of_links_costs_no_columns() -> None:
    assert LinkDetails.of(graph_with(anchor=[None] * 5)).columns == {}


def test_pages_and_verdicts_are_filled_from_the_log(small_crawl: Path) -> None:
    graph = load_graph(small_crawl)
    details = PageDetails.of(graph)
    rows = {row["id"]: row for row in read_table(small_crawl, "pages").to_pylist()}
    seen = set()
    for node in range(graph.pages):
        row = rows[int(graph.arrays.url_id[node])]
        page, verdict = details.filled(node, Page(graph.urls[node], row["status"]), Verdict("th"))
        assert page.title == row["title"]
        assert page.html_lang == row["html_lang"]
        assert page.text_bytes == row["text_bytes"]
        assert page.charsets.meta == row["charset_meta"]
        assert page.notes == tuple(row["notes"].split())
        assert "\n".join(verdict.evidence) == row["evidence"]
        seen.add((bool(page.title), bool(verdict.evidence)))
    assert (True, True) in seen  # the crawl had titles and evidence to lose


def test_texts_of_a_column_without_rows_are_empty() -> None:
    texts = Texts.of(pa.chunked_array([], pa.string()), np.empty(0, np.int64))
    assert texts[0] == ""


@pytest.mark.parametrize(
    ("scores", "wanted"),
    [
        ([0.5, 0.25, 0.75, 0.0, 1.0], [0.75, 0.25, 0.0, 1.0]),  # of two links to one URL, the best
        ([None] * 5, [1.0, 0.0, 1.0, 0.0]),  # not judged: by the letters of the anchor
        ([None, None, 0.25, None, 0.5], [1.0, 0.0, 1.0, 0.5]),
    ],
)
def test_anchors_are_scored_by_the_log_or_else_by_their_letters(
    scores: list[float | None], wanted: list[float]
) -> None:
    anchors = ["หน้าแรก", "home", "home", "ไทย English", "a"]
    graph = graph_with(anchor=anchors, anchor_score=scores)
    if scores[0] is None:
        anchors[3] = "ภาษาไทย"
        graph = graph_with(anchor=anchors, anchor_score=scores)
    table = graph.link_table
    assert table is not None
    found = anchor_scores(graph.arrays, lambda columns: iter([table.select(columns)]), "th")
    assert found.tolist() == wanted
    assert graph.anchor_scores.tolist() == wanted


def test_texts_come_from_as_many_batches_as_there_are() -> None:
    graph = graph_with(anchor=["one", "two", "three", "four", "five"])
    table = graph.link_table
    assert table is not None

    def batches(columns: list[str]) -> Any:
        return (table.select(columns).slice(at, 2) for at in range(0, len(table), 2))

    texts, rows = link_texts(graph.arrays, batches)
    assert [texts[row] for row in rows] == ["one", "two", "four", "five"]


def test_columns_that_are_not_given_are_null() -> None:
    table = log_table("links", 2, {"src": [1, 2], "dst": [3, 4]})
    assert table.schema.equals(TABLES["links"])
    assert table["anchor"].null_count == 2
