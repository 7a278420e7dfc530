"""Where links lead: by how near, from which pages, to which."""

from __future__ import annotations

from tests.webs import P, Web, graph_of

from langcrawl.measure.locality import LinkCounts, Links, Locality, count_links, locality
from langcrawl.measure.places import places_of

NEAR, SISTER, FAR = "a.site.com", "b.site.com", "other.org"
WEB: Web = {
    f"{NEAR}/1": P("th", (f"{NEAR}/2", f"{SISTER}/1", f"{FAR}/1", f"{NEAR}/1", f"{FAR}/gone")),
    f"{NEAR}/2": P("th"),
    f"{SISTER}/1": P("en", (f"{NEAR}/1", f"{FAR}/1")),
    f"{FAR}/1": P("th", (f"{FAR}/1",)),
}


def counted(web: Web) -> Links:
    graph = graph_of(web)
    return count_links(graph, places_of(graph))


def test_links_by_hand() -> None:
    found = locality(counted(WEB))
    assert list(found) == ["relevant", "irrelevant"]
    assert found["relevant"] == Locality(
        {
            "all": LinkCounts(3, 2),
            "same_host": LinkCounts(1, 1),
            "other_host": LinkCounts(2, 1),
            "same_domain": LinkCounts(2, 1),
            "other_domain": LinkCounts(1, 1),
        },
        unfetched=1,
    )
    assert found["irrelevant"].parts["all"] == LinkCounts(2, 2)
    assert found["irrelevant"].unfetched == 0


def test_degrees_leave_out_links_to_oneself_and_count_those_to_unfetched_urls() -> None:
    links = counted(WEB)
    assert links.self_links == 2
    assert links.out_degree.tolist() == [4, 0, 2, 0]
    assert sorted(links.in_degree.tolist()) == [1, 1, 1, 1, 2]
    assert links.in_degree.sum() == links.out_degree.sum()


def test_a_share_of_no_links_is_unknown() -> None:
    assert (LinkCounts(0, 0).share, LinkCounts(4, 1).share) == (None, 0.25)
    found = locality(counted({"a/1": P("th")}))
    assert set(found["irrelevant"].shares().values()) == {None}


def test_the_counts_of_the_json_hold_every_part_and_the_unfetched() -> None:
    counts = locality(counted(WEB))["relevant"].counts()
    assert counts["other_host"] == {"links": 2, "relevant": 1}
    assert list(counts)[-1] == "unfetched"
    shares = locality(counted(WEB))["relevant"].shares()
    assert list(shares) == list(counts)[:-1]
    assert shares["other_host"] == 0.5
