"""Which documents stay: against a plain second reading of docs/corpus.md."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus.pages import sentences
from corpus.parts import Doc, parts_of
from langcrawl.corpus.duplicates import KEEP, Decision, Rules, decide

NOTICE = "สงวนลิขสิทธิ์ตามกฎหมาย"


def decided(documents: list[Doc], rules: Rules, at_a_time: int = 100) -> Decision:
    bundles = [documents[at : at + at_a_time] for at in range(0, len(documents), at_a_time)]
    with TemporaryDirectory() as folder:
        return decide(parts_of(Path(folder) / "work", *bundles), rules, 1)


def plain(documents: list[Doc], rules: Rules) -> tuple[list[int], list[list[str]], Counter[str]]:
    """What stays, its paragraphs, and how many go for which reason, word by word."""

    def by(number: int) -> tuple[float, ...]:
        each = documents[number]
        best, longest, newest = -each.score, -len(each.text), -each.fetched_at
        orders = {
            "best": (best, longest, newest), "newest": (newest, best, longest),
            "longest": (longest, best, newest),
        }  # fmt: skip
        return orders[rules.keep]

    order = sorted(range(len(documents)), key=by)
    dropped: Counter[str] = Counter()

    def first_of_each(value: str, reason: str) -> None:
        seen: set[object] = set()
        for number in list(order):
            found = getattr(documents[number], value)
            if found in seen:
                order.remove(number)
                dropped[reason] += 1
            seen.add(found)

    first_of_each("url", "same-url")
    if rules.exact:
        first_of_each("text", "exact")
    paragraphs = {number: list(documents[number].paragraphs) for number in order}
    if rules.site_repeats is not None:
        pages: dict[tuple[str, str], list[int]] = {}
        for number in order:
            for line in dict.fromkeys(documents[number].paragraphs):
                pages.setdefault((documents[number].host, line), []).append(number)
        for (_, line), numbers in pages.items():
            if len(numbers) >= rules.site_repeats:
                for number in numbers[1:]:
                    paragraphs[number] = [each for each in paragraphs[number] if each != line]
        for number in list(order):
            text = "\n".join(paragraphs[number])
            if text != documents[number].text and len(text) < max(rules.min_chars, 1):
                order.remove(number)
                dropped["short-without-repeats"] += 1
    left = sorted(order)
    return left, [paragraphs[number] for number in left], dropped


DOCUMENTS = st.lists(
    st.builds(
        Doc,
        st.sampled_from([f"http://{host}/{page}" for host in "ab" for page in range(5)]),
        st.lists(st.sampled_from(["a", "bb", "ccc", "dddd", NOTICE]), min_size=1, max_size=4).map(
            tuple
        ),
        st.sampled_from([0.5, 1.0]),
        st.sampled_from([0, 1000, 2000]),
    ),
    max_size=9,
)


@settings(max_examples=80)
@given(
    DOCUMENTS,
    st.builds(
        Rules,
        st.sampled_from(KEEP),
        st.booleans(),
        st.none(),
        st.sampled_from([None, 1, 2, 3]),
        st.sampled_from([0, 4]),
    ),
    st.sampled_from([2, 100]),
)
def test_what_stays_is_what_the_plain_reading_says(
    documents: list[Doc], rules: Rules, at_a_time: int
) -> None:
    found = decided(documents, rules, at_a_time)
    left, paragraphs, dropped = plain(documents, rules)
    assert found.stays.nonzero()[0].tolist() == left
    assert +found.dropped == dropped
    kept = []
    for number in left:
        begin, end = found.first_paragraph[number], found.first_paragraph[number + 1]
        flags = found.paragraphs[begin:end].tolist()
        lines = zip(documents[number].paragraphs, flags, strict=True)
        kept.append([line for line, stays in lines if stays])
    assert kept == paragraphs
    gone = sum(len(documents[n].paragraphs) for n in left) - sum(map(len, paragraphs))
    assert found.paragraphs_dropped == gone


def test_nothing_to_decide_is_decided() -> None:
    for rules in (Rules(), Rules(near=None), Rules(site_repeats=None)):
        found = decided([], rules)
        assert len(found.stays) == 0
        assert not +found.dropped


@pytest.mark.parametrize("at_a_time", [1, 2, 100])
def test_near_duplicates_are_found_across_parts_and_name_the_one_that_stays(
    at_a_time: int,
) -> None:
    base = tuple(sentences(1, count=10))
    documents = [
        Doc("http://a/1", base),
        Doc("http://b/other", tuple(sentences(2, count=10))),
        Doc("http://c/3", (*base, "แก้ไข")),
        Doc("http://d/4", tuple(sentences(3, count=10))),
        Doc("http://e/5", base[1:], score=0.5),
    ]
    found = decided(documents, Rules(), at_a_time)
    assert found.stays.tolist() == [False, True, True, True, False]
    assert found.instead.tolist() == [2, -1, -1, -1, 2]
    assert +found.dropped == {"near": 2}


def test_texts_are_compared_without_the_paragraphs_that_go() -> None:
    """Two short texts under one long notice are not the same text."""
    notice = " ".join(sentences(5, count=20))
    documents = [Doc(f"http://a/{n}", (*sentences(n, count=2), notice)) for n in range(4)]
    assert +decided(documents, Rules(site_repeats=None)).dropped == {"near": 3}
    assert not +decided(documents, Rules(site_repeats=3)).dropped


def test_how_alike_is_alike_enough_can_be_chosen() -> None:
    base = tuple(sentences(1, count=10))
    half = (*base[:5], *sentences(2, count=5))
    documents = [Doc("http://a/1", base), Doc("http://a/2", half)]
    assert decided(documents, Rules(near=0.8)).stays.all()
    assert decided(documents, Rules(near=0.3)).stays.tolist().count(True) == 1
