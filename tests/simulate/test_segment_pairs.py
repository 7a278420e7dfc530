"""Pairs of segments for training: what is known of each when the crawl comes to it, and no more."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from langcrawl.errors import BadInput
from langcrawl.log.graph import Graph
from langcrawl.simulate.segment_pairs import Question, back_links, read_pairs
from webs import P, Web, graph_of, url

ENGLISH = Question("en")
WEB: Web = {
    "a.th/": P("en", ("b.th/x/1", "c.com/y/1")),
    "b.th/x/1": P("th", ("b.th/x/2", "c.com/y/1", "d.org/z/1")),
    "b.th/x/2": P("th", ("d.org/z/2",)),
    "c.com/y/1": P("en", ("c.com/y/2",)),
    "c.com/y/2": P("th"),
    "d.org/z/1": P("en"),
    "d.org/z/2": P("en"),
}


def pairs_of(question: Question = ENGLISH, web: Web = WEB, seeds: Iterable[str] = ("a.th/",)):  # type: ignore[no-untyped-def]
    return read_pairs(graph_of(web, seeds), question)


def names(pairs) -> set[tuple[str, str]]:  # type: ignore[no-untyped-def]
    return {(example.source, example.goal) for example in pairs.examples}


def test_each_segment_that_links_to_another_makes_one_example() -> None:
    pairs = pairs_of()
    assert names(pairs) == {
        ("a.th/", "b.th/x/"), ("a.th/", "c.com/y/"), ("b.th/x/", "c.com/y/"),
        ("b.th/x/", "d.org/z/"),
    }  # fmt: skip
    assert len(pairs.examples) == 4  # two pages of x link to z, and that is one pair
    assert (pairs.segments, pairs.pages) == (4, 7)


def test_what_a_segment_was_is_counted_over_all_its_pages() -> None:
    by_goal = {example.goal: example for example in pairs_of().examples}
    half = by_goal["c.com/y/"]
    assert (half.pages, half.hits, half.relevant) == (2, 1, True)  # half are enough for 0.5
    assert (by_goal["b.th/x/"].pages, by_goal["b.th/x/"].hits) == (2, 2)
    assert (by_goal["d.org/z/"].hits, by_goal["d.org/z/"].relevant) == (0, False)


@pytest.mark.parametrize(("threshold", "relevant"), [(0.01, 2), (0.5, 2), (0.51, 1), (1.0, 1)])
def test_the_threshold_says_which_segments_are_relevant(threshold: float, relevant: int) -> None:
    pairs = pairs_of(ENGLISH._replace(threshold=threshold))
    assert pairs.relevant == relevant
    assert {e.goal for e in pairs.examples if e.relevant} == {"b.th/x/", "c.com/y/"} - (
        {"c.com/y/"} if relevant == 1 else set()
    )


def test_a_source_is_known_only_as_far_as_it_was_read_when_the_goal_came() -> None:
    degree = {(e.source, e.goal): e.features.degree for e in pairs_of().examples}
    assert degree["a.th/", "b.th/x/"] == 0
    assert degree["b.th/x/", "d.org/z/"] == 9  # the last of ten steps
    early = dict(WEB)
    early["b.th/x/2"] = P("en", ("d.org/z/2",))  # a segment is read as a whole before the next
    soon = {(e.source, e.goal): e.features.degree for e in pairs_of(web=early).examples}
    assert soon["b.th/x/", "c.com/y/"] == 5
    late = WEB | {"c.com/y/2": P("en", ("b.th/x/3",)), "b.th/x/3": P("en")}
    later = {(e.source, e.goal): e.features.degree for e in pairs_of(web=late).examples}
    assert later["b.th/x/", "c.com/y/"] == 9  # x/3 was found in y, which does not know of it


def test_domains_of_both_ends_are_features() -> None:
    for example in pairs_of().examples:
        assert example.features.source_domain == "." + example.source.split("/")[0].split(".")[-1]
        assert example.features.goal_domain == "." + example.goal.split("/")[0].split(".")[-1]
        assert example.features.source_country is None  # without a table of countries


@pytest.mark.parametrize(("hops", "pages"), [(0, 1), (1, 3), (2, 6), (None, 7)])
def test_nothing_is_read_beyond_so_many_links(hops: int | None, pages: int) -> None:
    assert pairs_of(ENGLISH._replace(hops=hops)).pages == pages


def test_nothing_more_is_read_of_a_host_that_has_had_enough() -> None:
    pairs = pairs_of(ENGLISH._replace(pages_per_host=1))
    assert pairs.pages == 4
    assert all(example.pages == 1 for example in pairs.examples)


def test_a_segment_without_a_page_is_no_example() -> None:
    web = {"a.th/": P("th", ("b.th/x/1", "b.th/lost/1")), "b.th/x/1": P("th")}
    assert names(pairs_of(web=web)) == {("a.th/", "b.th/x/")}
    failing = web | {"b.th/lost/1": P(status=404)}
    assert names(pairs_of(web=failing)) == {("a.th/", "b.th/x/")}


def test_words_come_from_anchors_and_from_the_urls_that_were_known() -> None:
    web = {"a.th/": P("en", ("b.th/phuket/beach1",)), "b.th/phuket/beach1": P("th")}
    (example,) = pairs_of(web=web).examples
    assert "anchor" in example.words
    assert any("phuket" in word for word in example.words)


def test_seeds_of_the_question_take_the_place_of_those_of_the_log() -> None:
    assert pairs_of(ENGLISH._replace(seeds=(url("c.com/y/1"),))).pages == 2
    with pytest.raises(BadInput, match="none of the 1 seeds"):
        pairs_of(ENGLISH._replace(seeds=(url("nowhere/"),)))


def linking(graph: Graph, *seeds: str) -> set[str]:
    return {each.removeprefix("http://") for each in back_links(graph, [url(s) for s in seeds])}


def test_back_links_lead_to_relevant_pages_from_other_segments() -> None:
    graph = graph_of(WEB, ["a.th/"])
    assert linking(graph) == {"a.th/"}  # those within x and y are within one segment
    assert linking(graph, "c.com/y/1") == {"a.th/", "b.th/x/1"}
    assert linking(graph, "d.org/z/2", "b.th/x/1") == {"b.th/x/2", "a.th/"}
    assert linking(graph, "nowhere/", "a.th/") == set()


def test_progress_is_told_on_the_way() -> None:
    chain = {f"h/{n}": P("th", (f"h/{n + 1}",) if n < 1199 else ()) for n in range(1200)}
    told: list[tuple[int, float | None]] = []
    question = ENGLISH._replace(pages_per_host=None)
    read_pairs(graph_of(chain, ["h/0"]), question, lambda done, share: told.append((done, share)))
    assert [done for done, _ in told] == [500, 1000]
    assert told[0][1] == pytest.approx(500 / 1200)
