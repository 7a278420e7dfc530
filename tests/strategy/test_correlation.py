"""Paper 001's hyperlink correlation degree, worked out by hand on webs of a few pages."""

from __future__ import annotations

from pathlib import Path

import pytest

from langcrawl.config import CrawlConfig
from langcrawl.errors import UsageError
from langcrawl.log.build import slashes_in_paths
from langcrawl.log.graph import build_graph, load_graph
from langcrawl.records import Facts
from langcrawl.simulate import Plan, simulate
from langcrawl.strategy import make_strategy
from langcrawl.url import path_slashes
from webs import P, Web, graph_of, name_of, tables_of, write_web

LINK = Facts(0, 1, 1, 0, 1.0, 0, 0, 0, 0)


def order(web: Web, strategy: str, seeds: tuple[str, ...] = ("s/",)) -> list[str]:
    """The pages in the order taken, the same in both loops."""
    graph = graph_of(web, seeds)
    taken = []
    for interpreted in (False, True):
        result = simulate(graph, make_strategy(strategy), Plan(), interpreted=interpreted)
        taken.append([name_of(graph.urls[node]) for node in result.order])
    assert taken[0] == taken[1]
    return taken[0]


def test_the_degree_is_the_weighted_sum_of_formula_3() -> None:
    rank = make_strategy("correlation:wt=0.5,ws=0.3,wd=0.2").rank
    link = LINK._replace(anchor_score=0.8, parent_share=0.25, path_slashes=2)
    assert rank(link) == 0.5 * 0.8 + 0.3 * 0.25 + 0.2 * (1 / 2)
    assert rank(LINK._replace(depth=0)) == 1.0


def test_a_degree_at_the_threshold_is_not_enough() -> None:
    rank = make_strategy("correlation:wt=1,ws=0,wd=0,min=0.5").rank
    assert rank(LINK._replace(anchor_score=0.5)) == -1.0
    assert rank(LINK._replace(anchor_score=0.51)) == 0.51


def test_the_better_anchor_goes_first() -> None:
    web = {
        "s/": P("th", ("s/a", "s/b", "s/c"), anchors=(0.1, 0.9, 0.5)),
        **{f"s/{x}": P() for x in "abc"},
    }
    assert order(web, "correlation:wt=1,ws=0,wd=0") == ["s", "s/b", "s/c", "s/a"]


def test_of_several_links_to_one_url_on_a_page_the_best_anchor_counts_and_the_share_once() -> None:
    web = {
        "s/": P("th", ("s/a", "s/b", "s/a"), anchors=(0.0, 0.5, 1.0)),
        "s/a": P(),
        "s/b": P(),
    }
    assert order(web, "correlation:wt=1,ws=0,wd=0") == ["s", "s/a", "s/b"]


def test_a_url_that_many_pages_link_to_moves_ahead_while_it_waits() -> None:
    """s passes on 1/4 to each; a and b then add 1/2 and 1/1 to d, which overtakes c."""
    web = {
        "s/": P("th", ("s/a", "s/b", "s/c", "s/d")),
        "s/a": P("th", ("s/d", "s/e"), score=1.0),
        "s/b": P("th", ("s/d",), score=1.0),
        "s/c": P("th"),
        "s/d": P("th"),
        "s/e": P("th"),
    }
    assert order(web, "correlation:wt=0,ws=1,wd=0") == ["s", "s/a", "s/d", "s/e", "s/b", "s/c"]


def test_links_that_the_log_has_no_page_for_stand_on_the_page_all_the_same() -> None:
    """a passes on 1/3 to c, though two of its three links lead nowhere; b passes on 1/2."""
    web = {
        "s/": P("th", ("s/a", "s/b")),
        "s/a": P("th", ("s/c", "s/x", "s/y"), score=1.0),
        "s/b": P("th", ("s/d", "s/a"), score=1.0),
        "s/c": P(),
        "s/d": P(),
    }
    assert order(web, "correlation:wt=0,ws=1,wd=0") == ["s", "s/a", "s/b", "s/d", "s/c"]


def test_short_paths_go_first_and_the_query_is_no_path() -> None:
    web = {
        "s/": P("th", ("s/a/b/c", "s/a/b", "s/a", "s/d?x=/1/2/3")),
        **{f"s/{x}": P() for x in ("a/b/c", "a/b", "a", "d?x=/1/2/3")},
    }
    taken = order(web, "correlation:wt=0,ws=0,wd=1")
    assert taken == ["s", "s/a", "s/d?x=/1/2/3", "s/a/b", "s/a/b/c"]


def test_slashes_are_counted_alike_one_by_one_and_by_the_million() -> None:
    urls = ["http://a/", "http://a/b", "https://a:8/b/c/", "http://a/?q=/x/y", "http://a/b//c"]
    column = tables_of({})["urls"]["url"].cast("string")
    assert len(slashes_in_paths(column)) == 0
    import pyarrow as pa

    found = slashes_in_paths(pa.chunked_array([pa.array(urls[:2]), pa.array(urls[2:])]))
    assert found.tolist() == [path_slashes(url) for url in urls] == [1, 1, 3, 1, 3]


def test_a_redirect_hands_on_what_has_gathered() -> None:
    web = {
        "s/": P("th", ("s/a", "s/b"), anchors=(0.9, 0.5)),
        "s/a": P("und", status=301, redirect="s/c"),
        "s/b": P(),
        "s/c": P("th"),
    }
    assert order(web, "correlation:wt=1,ws=0,wd=0") == ["s", "s/a", "s/c", "s/b"]


def test_a_log_without_anchor_scores_goes_by_the_script_and_keeps_what_it_found(
    tmp_path: Path,
) -> None:
    web = {"s/": P("th", ("s/a", "s/b", "s/c", "s/d")), **{f"s/{x}": P() for x in "abcd"}}
    tables = tables_of(web)
    anchors = ["news", "ข่าว", "", "ข่าว and news today"]
    links = tables["links"]
    place = links.schema.get_field_index("anchor")
    tables["links"] = links.set_column(place, links.schema.field(place), [anchors])
    graph = build_graph(CrawlConfig(lang="th", seeds=("http://s/",)), tables)
    assert graph.anchor_scores.tolist() == [0.0, 1.0, 0.0, 0.0]
    english = build_graph(CrawlConfig(lang="th"), tables, "en")
    assert english.anchor_scores.tolist() == [1.0, 0.0, 0.0, 1.0]

    directory = write_web(tmp_path / "web", web, ["s/"])
    assert load_graph(directory).anchor_scores.tolist() == [0.0] * 4
    kept = list((directory / "log" / "graph").glob("anchors-th-*.npy"))
    assert len(kept) == 1
    assert load_graph(directory).anchor_scores.tolist() == [0.0] * 4


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("correlation:wt=0.9", "must add up to 1, not 1.4"),
        ("correlation:wt=-1,ws=1,wd=1", "correlation's wt must be from 0 to 1"),
        ("correlation:min=1", "correlation's min must be from 0 to below 1"),
    ],
)
def test_weights_that_make_no_sense_are_refused(spec: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        make_strategy(spec)
