"""Figures of a review: right where the truth is known, and as sure as they say."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from langcrawl.review import Answer, Sample, SampledPage, Stratum
from langcrawl.review.figures import agreement, cohen, figures, fleiss, wilson
from langcrawl.review.sample import _shares


def page(number: int, stratum: int, *, relevant: bool = True, score: float = 0.9) -> SampledPage:
    url = f"http://a.th/{number}"
    return SampledPage(
        number, url, stratum, relevant, score, "th", "", "", "", 0, "", False
    )  # fmt: skip


def answer(number: int, word: str, reviewer: str = "a") -> Answer:
    return Answer(number, word, reviewer, 0.0)


def test_wilson_is_wilson() -> None:
    assert wilson(0.8, 10) == pytest.approx((0.4901625, 0.9433178), abs=1e-6)
    assert wilson(1.0, 20) == pytest.approx((0.8388748, 1.0), abs=1e-6)
    assert wilson(0.0, 20)[0] == 0.0


def test_each_page_stands_for_its_stratum() -> None:
    strata = (Stratum("large", 900, True), Stratum("small", 100, True))
    sample = Sample(0.0, 0, strata, tuple(page(n, int(n >= 10)) for n in range(20)))
    given = [answer(n, "yes" if n < 10 or n % 2 else "spam") for n in range(20)]
    found = figures(sample, given)
    assert found["precision"]["estimate"] == pytest.approx(0.9 * 1.0 + 0.1 * 0.5)
    assert found["precision"]["low"] < 0.95 < found["precision"]["high"]
    (mistake,) = found["mistakes"]
    assert (mistake["kind"], mistake["seen"]) == ("spam", 5)
    part = figures(sample, given[:10])  # of the small stratum nothing is known yet
    assert part["precision"]["estimate"] == 1.0
    assert figures(sample, [])["precision"] is None


def test_a_whole_population_leaves_no_doubt() -> None:
    sample = Sample(0.0, 0, (Stratum("all", 4, True),), tuple(page(n, 0) for n in range(4)))
    found = figures(sample, [answer(n, "yes" if n else "mixed") for n in range(4)])
    assert found["precision"] == {"estimate": 0.75, "low": 0.75, "high": 0.75, "pages": 4}


def test_the_threshold_that_meets_a_precision() -> None:
    scores = [0.1 * (n % 10) for n in range(200)]
    strata = (Stratum("all", 20_000, True),)
    sample = Sample(0.0, 0, strata, tuple(page(n, 0, score=s) for n, s in enumerate(scores)))
    given = [answer(n, "yes" if s >= 0.45 else "other-language") for n, s in enumerate(scores)]
    found = figures(sample, given, 0.9)["threshold"]
    assert found["likely"]["score"] == pytest.approx(0.5)
    assert found["likely"]["kept"] == pytest.approx(0.5)
    assert found["sure"]["low"] >= 0.9
    assert figures(sample, [answer(n, "spam") for n in range(200)])["threshold"]["likely"] is None


def test_what_the_judge_missed_is_counted_apart() -> None:
    strata = (Stratum("relevant", 100, True), Stratum("other", 400, False))
    pages = [page(n, 0) for n in range(10)]
    pages += [page(n, 1, relevant=False, score=0.0) for n in range(10, 20)]
    given = [answer(n, "yes") for n in range(11)]
    given += [answer(n, "other-language") for n in range(11, 20)]
    found = figures(Sample(0.0, 0, strata, tuple(pages)), given)
    assert found["precision"]["estimate"] == 1.0
    assert found["missed"]["estimate"] == pytest.approx(0.1)
    assert found["recall"] == pytest.approx(100 / 140)
    assert [one["kind"] for one in found["mistakes"]] == ["missed"]


def test_kappas_of_textbooks() -> None:
    votes = [(True, True)] * 20 + [(True, False)] * 5 + [(False, True)] * 10
    votes += [(False, False)] * 15
    assert cohen(votes) == {"agreement": 0.7, "kappa": pytest.approx(0.4)}
    assert cohen([(True, True)] * 5) == {"agreement": 1.0, "kappa": None}
    assert cohen([]) == {"agreement": None, "kappa": None}
    # P = (1 + 1/3 + 1/3 + 1) / 4, P_e = (7/12)^2 + (5/12)^2
    rated = [[True] * 3, [True, True, False], [True, True, False], [False] * 3]
    chance = (7 / 12) ** 2 + (5 / 12) ** 2
    assert fleiss(rated) == pytest.approx((2 / 3 - chance) / (1 - chance))


def test_several_reviewers() -> None:
    sample = Sample(0.0, 0, (Stratum("all", 400, True),), tuple(page(n, 0) for n in range(4)))
    given = [answer(n, "yes") for n in range(4)]
    given += [answer(n, "yes" if n else "garbled", "b") for n in range(4)]
    found = figures(sample, given)
    assert found["unsettled"] == 1
    assert found["settled"] == 3
    assert found["agreement"]["pairs"][0]["agreement"] == 0.75
    given += [answer(n, "unsure" if n else "garbled", "c") for n in range(4)]
    found = figures(sample, given)
    assert found["settled"] == 4
    assert found["mistakes"][0]["kind"] == "garbled"
    assert found["agreement"]["pages_by_all"] == 1
    assert agreement(given[:4]) is None


@pytest.mark.parametrize(("sizes", "most"), [([1000, 10, 1], 20), ([5, 5], 100), ([9] * 40, 30)])
def test_shares_add_up_and_leave_no_stratum_out(sizes: list[int], most: int) -> None:
    shares = _shares(sizes, most)
    assert sum(shares) == min(most, sum(sizes))
    assert all(share <= size for share, size in zip(shares, sizes, strict=True))
    if len(sizes) <= most:
        assert all(shares)
    ranked = [share for _, share in sorted(zip(sizes, shares, strict=True))]
    assert all(one <= other for one, other in pairwise(ranked))


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    """95 of 100 intervals, over webs in which hosts and scores differ in how right they are."""
    rng = np.random.default_rng(7)
    held = runs = 0
    for _ in range(600):
        sizes = rng.integers(20, 4000, 12)
        truth = [rng.random(size) < rng.choice([0.6, 0.9, 0.97, 1.0]) for size in sizes]
        shares = _shares(sizes.tolist(), 80)
        pages, given = [], []
        for at, (right, share) in enumerate(zip(truth, shares, strict=True)):
            for is_right in rng.choice(right, share, replace=False):
                number = len(pages)
                pages.append(page(number, at))
                given.append(answer(number, "yes" if is_right else "spam"))
        strata = tuple(Stratum(str(at), int(size), True) for at, size in enumerate(sizes))
        found = figures(Sample(0.0, 0, strata, tuple(pages)), given)["precision"]
        whole = sum(right.sum() for right in truth) / sizes.sum()
        held += found["low"] <= whole <= found["high"]
        runs += 1
    assert 0.93 <= held / runs <= 0.99, held / runs
