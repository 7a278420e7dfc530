"""What an answer stands for: pages of its own stratum, and of none that was not asked about."""

from __future__ import annotations

from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langcrawl.review import Answer, Sample, SampledPage, Stratum
from langcrawl.review.figures import Judged, estimate, figures, settled, weigh, wilson

WORDS = ("yes", "other-language", "spam", "unsure")


def page(number: int, stratum: int, relevant: bool = True, score: float = 0.9) -> SampledPage:
    return SampledPage(
        number, f"http://a.th/{number}", stratum, relevant, score, "th", "", "", "", 0, "", False
    )  # fmt: skip


def judged(number: int, stratum: int, is_right: bool = True) -> Judged:
    return Judged(page(number, stratum), is_right, "yes" if is_right else "spam")


@pytest.mark.parametrize(
    ("sizes", "answered", "expected"),
    [
        ([100, 50], [0, 0, 1], {0: 100, 1: 50}),
        ([100, 50], [0], {0: 150}),  # what has no answer counts with the one before it
        ([100, 50], [1], {1: 150}),  # or with the first that has some
        ([10, 20, 30, 40], [1, 3], {1: 60, 3: 40}),
        ([10, 0, 30], [0], {0: 40}),
    ],
)
def test_a_stratum_without_an_answer_counts_with_its_neighbour(
    sizes: list[int], answered: list[int], expected: dict[int, int]
) -> None:
    some = [judged(number, stratum) for number, stratum in enumerate(answered)]
    found = weigh(sizes, some)
    assert {at: size for at, (_, _, size) in found.items()} == expected
    for at, (weight, answers, size) in found.items():
        assert answers == answered.count(at)
        assert weight == pytest.approx(size / answers)


@st.composite
def reviews(draw: st.DrawFn) -> tuple[Sample, list[Answer]]:
    """Samples of relevant and other strata, with answers to some of their pages."""
    flags = draw(st.lists(st.booleans(), min_size=1, max_size=5))
    strata = [Stratum(str(at), draw(st.integers(3, 500)), flag) for at, flag in enumerate(flags)]
    pages, answers = [], []
    for at, stratum in enumerate(strata):
        for _ in range(draw(st.integers(0, 3))):
            score = draw(st.sampled_from([0.25, 0.5, 0.75])) if stratum.relevant else 0.0
            pages.append(page(len(pages), at, stratum.relevant, score))
            for reviewer in "ab":
                word = draw(st.sampled_from([*WORDS, None]))
                if word:
                    answers.append(Answer(pages[-1].page, word, reviewer, 0.0))
    return Sample(0.0, 0, tuple(strata), tuple(pages)), answers


@given(reviews())
def test_every_share_lies_within_its_interval_and_every_count_adds_up(
    review: tuple[Sample, list[Answer]],
) -> None:
    sample, answers = review
    found = figures(sample, answers)
    assert found["relevant_pages"] + found["other_pages"] == sum(s.size for s in sample.strata)
    assert found["settled"] + found["unsettled"] == found["answered"] <= found["sampled"]
    assert sum(found["reviewers"].values()) == len(answers)
    for name in ("precision", "missed"):
        if each := found[name]:
            assert 0 <= each["low"] <= each["estimate"] + 1e-9
            assert each["estimate"] - 1e-9 <= each["high"] <= 1
    if found["mistakes"]:
        assert sum(each["share_of_mistakes"] for each in found["mistakes"]) == pytest.approx(1)
        seen = sum(each["seen"] for each in found["mistakes"])
        assert seen == sum(one.is_right != one.page.relevant for one in settled(sample, answers)[0])
    if found["recall"] is not None:
        assert 0 <= found["recall"] <= 1


@given(reviews())
def test_the_lowest_threshold_keeps_all_and_is_as_precise_as_all(
    review: tuple[Sample, list[Answer]],
) -> None:
    """Other pages have no part in it, however many they are."""
    sample, answers = review
    found = figures(sample, answers, wanted=0.0)
    if found["precision"]:
        lowest = found["threshold"]["likely"]
        assert lowest["kept"] == pytest.approx(1)
        assert lowest["precision"] == pytest.approx(found["precision"]["estimate"])
        assert lowest["low"] == pytest.approx(found["precision"]["low"])
    else:
        assert found["threshold"]["likely"] is None


def test_a_mistake_stands_for_pages_that_were_called_like_it() -> None:
    """Of 100 relevant pages half are spam; of 10,000 others a tenth was missed."""
    strata = (Stratum("called", 100, True), Stratum("left", 10_000, False))
    pages = [page(n, 0) for n in range(10)] + [page(n, 1, False, 0.0) for n in range(10, 20)]
    words = ["spam"] * 5 + ["yes"] * 5 + ["yes"] + ["other-language"] * 9
    answers = [Answer(n, word, "a", 0.0) for n, word in enumerate(words)]
    found = figures(Sample(0.0, 0, strata, tuple(pages)), answers)
    shares = {each["kind"]: each["share_of_mistakes"] for each in found["mistakes"]}
    assert shares == pytest.approx({"spam": 50 / 1050, "missed": 1000 / 1050})
    assert found["recall"] == pytest.approx(50 / 1050)


def test_the_largest_kind_of_mistakes_is_named_first_with_examples() -> None:
    pages = [page(n, 0) for n in range(9)]
    sample = Sample(0.0, 0, (Stratum("all", 90, True),), tuple(pages))
    words = ["mixed", *["garbled"] * 7, "yes"]
    found = figures(sample, [Answer(n, word, "a", 0.0) for n, word in enumerate(words)])
    assert [each["kind"] for each in found["mistakes"]] == ["garbled", "mixed"]
    first = found["mistakes"][0]
    assert first["examples"] == [pages[n].url for n in range(1, 6)]
    assert first["judged_as"] == {"th": 7}
    assert first["encodings"] == {"unicode": 7}


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["yes"], (True, "yes")),
        (["yes", "spam"], None),
        (["unsure"], None),
        (["unsure", "yes"], (True, "yes")),
        (["spam", "mixed", "yes"], (False, "spam")),
        (["mixed", "spam", "spam", "yes"], (False, "spam")),
        (["yes", "yes", "spam"], (True, "yes")),
    ],
)
def test_most_reviewers_decide_and_the_unsure_do_not_count(
    words: list[str], expected: tuple[bool, str] | None
) -> None:
    sample = Sample(0.0, 0, (Stratum("all", 9, True),), (page(0, 0), page(1, 0)))
    answers = [Answer(0, word, str(n), 0.0) for n, word in enumerate(words)]
    found, unsettled = settled(sample, answers)
    assert [(one.is_right, one.kind) for one in found] == ([expected] if expected else [])
    assert unsettled == (expected is None)


@given(st.floats(0, 1), st.floats(1, 1e6))
def test_an_interval_holds_its_share_and_shrinks_with_more_pages(share: float, size: float) -> None:
    low, high = wilson(share, size)
    assert 0 <= low <= share + 1e-9
    assert share - 1e-9 <= high <= 1
    closer_low, closer_high = wilson(share, 2 * size)
    assert closer_high - closer_low <= high - low + 1e-12
    assert wilson(share, inf) == (share, share)


def test_nothing_answered_is_no_estimate() -> None:
    assert estimate([10], []) is None
    assert weigh([10, 20], []) == {}
