"""The links of a page as columns: rows in, rows out, chosen ones, and each URL once."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from langcrawl.records import NO_LINKS, Link, Links

TEXT = st.sampled_from(["", "a", "ข", "word"])
LINK = st.builds(
    Link,
    st.sampled_from(["http://a/", "http://b/", "http://c/"]),
    TEXT,
    st.booleans(),
    st.none() | st.floats(0, 1),
    TEXT,
    TEXT,
    TEXT,
    TEXT,
)
ROWS = st.lists(LINK, max_size=12)


@given(ROWS)
def test_rows_come_back_as_they_went_in(rows: list[Link]) -> None:
    links = Links.of(rows)
    assert list(links) == rows
    assert len(links) == len(rows)
    assert bool(links) == bool(rows)


@given(ROWS)
def test_a_column_is_complete_or_empty(rows: list[Link]) -> None:
    links = Links.of(rows)
    columns = (
        (links.anchors, any(row.anchor for row in rows)),
        (links.contexts, any(row.context for row in rows)),
        (links.hreflangs, any(row.hreflang for row in rows)),
        (links.rels, any(row.rel for row in rows)),
        (links.tag_paths, any(row.tag_path for row in rows)),
        (links.anchor_scores, any(row.anchor_score is not None for row in rows)),
    )
    assert [len(column) for column, _ in columns] == [len(rows) * known for _, known in columns]


def test_plain_addresses_are_links_of_which_nothing_else_is_known() -> None:
    assert Links.of(["http://a/"]) == Links(("http://a/",))
    assert Links.of([]) is NO_LINKS


@given(ROWS, st.data())
def test_the_links_at_some_places(rows: list[Link], data: st.DataObject) -> None:
    places = data.draw(st.lists(st.integers(0, len(rows) - 1)) if rows else st.just([]))
    assert list(Links.of(rows).at(places)) == [rows[place] for place in places]


@given(ROWS)
def test_distinct_keeps_each_url_once_with_the_first_words_for_it(rows: list[Link]) -> None:
    distinct = list(Links.of(rows).distinct())
    assert [link.url for link in distinct] == list(dict.fromkeys(row.url for row in rows))
    for link in distinct:
        same = [row for row in rows if row.url == link.url]
        assert link.nofollow == same[0].nofollow
        for name in ("anchor", "context", "hreflang", "rel", "tag_path"):
            said = [getattr(row, name) for row in same]
            assert getattr(link, name) == next(filter(None, said), "")
        scores = [row.anchor_score for row in same if row.anchor_score is not None]
        assert (link.anchor_score or 0.0) == max(scores, default=0.0)


@given(ROWS)
def test_distinct_links_are_distinct_already(rows: list[Link]) -> None:
    once = Links.of(rows).distinct()
    assert once.distinct() is once
