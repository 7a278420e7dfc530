"""Terms, folds, counts and calibration."""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from scipy.optimize import minimize
from scipy.sparse import csr_array

from langcrawl.errors import BadInput
from langcrawl.records import Content, Link, Links
from langcrawl.topic.evaluate import Counts, cross_validate
from langcrawl.topic.folds import by_page, by_site, possible_folds
from langcrawl.topic.learn import fit, make_table, platt, to_model, under_sample
from langcrawl.topic.logistic import fit_logistic
from langcrawl.topic.model import load_model, save_model
from langcrawl.topic.terms import Terms

LABELS = np.array([True] * 20 + [False] * 60)


def test_an_anchor_inside_the_body_counts_once_and_one_outside_counts() -> None:
    links = Links.of([Link("http://a.example/", "beach hotels"), Link("http://b.example/", "reef")])
    found = Terms("en", "paper").count(Content("The beach\nhotels of Samui", links=links))
    assert found == Counter({"beach": 1, "hotel": 1, "samui": 1, "reef": 1})


def test_stop_words_and_numbers_are_left_out_as_the_paper_does_and_kept_by_place_otherwise() -> (
    None
):
    content = Content("My lecture is 415", title="Lectures")
    assert Terms("en", "paper").count(content) == Counter({"lectur": 2})
    placed = Terms("en").count(content)
    assert placed["my"] == placed["#3"] == placed["title:lectur"] == placed["first:my"] == 1


def test_writing_without_spaces_is_read_in_pairs() -> None:
    assert Terms("th", "paper").count(Content("ทะเลไทย"))["ทะ"] == 1


def test_a_required_phrase_is_found_in_any_form() -> None:
    terms = Terms("en")
    content = Content("They dived at the Full\nMoon party.")
    assert terms.has_any(content, ["scuba", "diving"]) == "diving"
    assert terms.has_any(content, ["full moon"]) == "full moon"
    assert terms.has_any(content, ["moon full", "part"]) == ""


def test_g_mean_is_of_counts_and_the_printed_formulas_give_another_number() -> None:
    counts = Counts(hits=8, misses=2, false_alarms=10, rejected=90)
    assert counts.g_mean == pytest.approx(math.sqrt(0.8 * 0.9))
    tp, fp, fn, tn = 0.8, 10 / 10, 2 / 100, 0.9
    assert counts.literal_g_mean == pytest.approx(math.sqrt(tp / (tp + fn) * tn / (tn + fp)))
    assert counts.precision == pytest.approx(8 / 18)
    assert Counts(0, 0, 1, 1).g_mean == 0


def test_folds_by_page_share_out_both_classes() -> None:
    fold = by_page(LABELS, 10, np.random.default_rng(0))
    assert np.bincount(fold[LABELS]).tolist() == [2] * 10
    assert np.bincount(fold[~LABELS]).tolist() == [6] * 10


def test_folds_by_site_never_part_a_site_and_each_has_positive_pages() -> None:
    sites = [f"s{at % 16}" for at in range(80)]
    fold = by_site(LABELS, sites, 5, np.random.default_rng(0))
    for site in set(sites):
        assert len({fold[at] for at in range(80) if sites[at] == site}) == 1
    assert all((LABELS & (fold == number)).any() for number in range(5))
    assert all((~LABELS & (fold == number)).any() for number in range(5))


def test_fewer_sites_than_folds_make_fewer_folds_and_one_site_is_refused() -> None:
    sites = ["a"] * 10 + ["b"] * 10 + [f"s{at}" for at in range(60)]
    assert possible_folds(LABELS, sites, 10, True) == 2
    assert possible_folds(LABELS, sites, 10, False) == 10
    with pytest.raises(BadInput, match="single site"):
        possible_folds(LABELS, ["a"] * 20 + ["b"] * 60, 10, True)
    with pytest.raises(BadInput, match="all labelled pages"):
        possible_folds(np.ones(4, bool), ["a"] * 4, 10, False)


def test_an_under_sample_has_as_many_of_both() -> None:
    rows = under_sample(LABELS, np.random.default_rng(0))
    assert len(rows) == 40
    assert LABELS[rows].sum() == 20


def noisy_table(seed: int = 0) -> tuple[list[Counter[str]], np.ndarray, list[str]]:
    """Pages whose words tell the class nine times in ten."""
    random = np.random.default_rng(seed)
    labels = random.random(600) < 0.2
    pages = []
    for label in labels:
        share = 0.35 if label else 0.15
        words = np.where(random.random(12) < share, "reef", "wall")
        extra = [f"w{number}" for number in random.integers(0, 40, 8)]
        pages.append(Counter([*words.tolist(), *extra]))
    return pages, labels, [f"s{at % 40}" for at in range(600)]


def test_scores_are_calibrated_to_equal_classes() -> None:
    pages, labels, sites = noisy_table()
    made = fit(make_table(pages, labels, sites), "logistic", np.random.default_rng(0))
    fresh, truth, places = noisy_table(1)
    table = make_table(pages, labels, sites)
    known = [
        Counter({word: n for word, n in page.items() if word in table.words}) for page in fresh
    ]
    model = to_model(table, made, "reef", "en", "paper", {})
    scores = np.array([model.score(page) for page in known])
    weight = np.where(truth, 0.5 / truth.mean(), 0.5 / (1 - truth.mean()))
    for low, high in pairwise((0.0, 0.35, 0.65, 1.01)):
        inside = (scores >= low) & (scores < high)
        assert inside.any()
        assert np.average(truth[inside], weights=weight[inside]) == pytest.approx(
            np.average(scores[inside], weights=weight[inside]), abs=0.13
        )
    assert places


def test_weights_minimise_the_loss_with_both_classes_weighing_the_same() -> None:
    random = np.random.default_rng(5)
    rows = csr_array(random.random((80, 12)) * (random.random((80, 12)) < 0.4))
    found = fit_logistic(rows, LABELS, np.zeros(13))
    worth = np.where(LABELS, 80 / 40, 80 / 120)

    def loss(point: npt.NDArray[np.float64]) -> float:
        margin = np.where(LABELS, 1.0, -1.0) * (rows @ point[:-1] + point[-1])
        return float(8 * worth @ np.log1p(np.exp(-margin)) + 0.5 * point[:-1] @ point[:-1])

    least = loss(found)
    for column in range(13):
        for step in (-0.05, 0.05):
            assert loss(found + step * np.eye(13)[column]) > least


def test_the_search_ends_where_another_one_does_wherever_it_begins() -> None:
    random = np.random.default_rng(6)
    rows = csr_array(random.random((80, 300)) * (random.random((80, 300)) < 0.1))
    worth = 8 * np.where(LABELS, 80 / 40, 80 / 120)
    signs = np.where(LABELS, 1.0, -1.0)

    def loss(point: npt.NDArray[np.float64]) -> tuple[float, npt.NDArray[np.float64]]:
        margin = signs * (rows @ point[:-1] + point[-1])
        pull = -signs * worth / (1 + np.exp(margin))
        cost = float(worth @ np.log1p(np.exp(-margin)) + 0.5 * point[:-1] @ point[:-1])
        return cost, np.append(rows.T @ pull + point[:-1], pull.sum())

    least = minimize(loss, np.zeros(301), jac=True, method="L-BFGS-B", options={"ftol": 1e-12}).fun
    for start in (np.zeros(301), random.normal(size=301)):
        assert loss(fit_logistic(rows, LABELS, start))[0] == pytest.approx(least, rel=2e-4)


def test_naive_bayes_is_surer_of_itself_than_it_should_be() -> None:
    pages, labels, sites = noisy_table()
    table = make_table(pages, labels, sites)
    made = fit(table, "naive-bayes", np.random.default_rng(0))
    calm = fit(table, "logistic", np.random.default_rng(0))
    sure = [np.abs(each.scores(table.counts) - 0.5).mean() for each in (made, calm)]
    assert sure[0] > sure[1]


def test_a_model_scores_alike_in_the_table_in_memory_and_from_its_file(tmp_path: Path) -> None:
    pages, labels, sites = noisy_table()
    table = make_table(pages, labels, sites)
    for classifier in ("logistic", "naive-bayes"):
        made = fit(table, classifier, np.random.default_rng(0))
        model = to_model(table, made, "reef", "en", "paper", {"positive": 1.0})
        save_model(model, tmp_path / "m.json")
        again = load_model(tmp_path / "m.json")
        assert again == model
        assert again.stamp == model.stamp
        scores = [again.score(page) for page in pages]
        assert np.allclose(scores, made.scores(table.counts), atol=1e-5)


def test_trials_repeat_exactly_and_another_seed_gives_others() -> None:
    pages, labels, sites = noisy_table()
    table = make_table(pages, labels, sites)
    rounds = [
        cross_validate(table, "logistic", site_wise=True, folds=4, times=2, seed=seed).rounds
        for seed in (0, 0, 1)
    ]
    assert rounds[0] == rounds[1] != rounds[2]
    assert all(sum(counts) == 600 for counts in rounds[0])
    assert rounds[0][0] != rounds[0][1]


def test_values_that_part_the_classes_perfectly_have_a_finite_slope() -> None:
    slope, offset = platt(np.array([-3.0, -2.0, 2.0, 3.0]), np.array([False, False, True, True]))
    assert 0 < slope < 50
    assert abs(offset) < 1
