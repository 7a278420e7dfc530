"""What is expected of a segment, and how it is learned."""

from __future__ import annotations

import math

import numpy as np
import pytest

from langcrawl.topic.expectation import Expectation
from langcrawl.topic.expectation_learn import held_out_chances, learn_expectation
from langcrawl.topic.predictor import Features
from langcrawl.topic.segment_learn import Example

PLAIN = Features(None, None, None, None, None, ".example", ".example")
PAGES = 12


def example(goal: str, words: str, share: float, random: np.random.Generator) -> Example:
    hits = int(random.binomial(PAGES, share))
    return Example(
        "source.example/", goal, PLAIN, tuple(words.split()), 2 * hits >= PAGES, PAGES, hits
    )


def some(all_or_nothing: bool, sites: int = 60, seed: int = 1) -> list[Example]:
    """Links say beach or court, and 0.7 or 0.1 of what they lead to is relevant, in two ways."""
    random = np.random.default_rng(seed)
    found = []
    for number in range(sites):
        for place, (words, mean) in enumerate((("beach sand", 0.7), ("court tax", 0.1))):
            share = float(random.random() < mean) if all_or_nothing else mean
            found.append(example(f"h{number}.example/{place}/", words, share, random))
    return found


def expected(made: Expectation, words: float) -> float:
    return made.chance(made.said(0.5, words), 1)


def test_the_chance_is_the_share_of_relevant_pages_behind_such_links() -> None:
    made = learn_expectation(some(all_or_nothing=False), np.random.default_rng(0))
    examples = some(all_or_nothing=False, seed=2)
    said = held_out_chances(examples, np.random.default_rng(0))[:, 1]
    for word, share in (("beach", 0.7), ("court", 0.1)):
        ours = [float(each) for each, row in zip(said, examples, strict=True) if word in row.words]
        assert expected(made, float(np.mean(ours))) == pytest.approx(share, abs=0.07)


def test_the_chance_counts_for_few_pages_where_segments_are_all_or_nothing() -> None:
    alike = learn_expectation(some(all_or_nothing=False), np.random.default_rng(0))
    mixed = learn_expectation(some(all_or_nothing=True), np.random.default_rng(0))
    assert mixed.strength < 1 < 10 < alike.strength
    assert mixed.share(0.7, 0.0, 1) < 0.35 < 0.6 < alike.share(0.7, 0.0, 1)
    assert mixed.share(0.1, 1.0, 1) > 0.5 > alike.share(0.1, 1.0, 1)


def test_what_is_learned_of_a_site_is_not_used_to_judge_it() -> None:
    random = np.random.default_rng(3)
    examples = [
        example(f"h{site}.example/{page}/", f"menu{site}", float(site < 10), random)
        for site in range(20)
        for page in range(4)
    ]
    assert held_out_chances(examples, random)[:, 1] == pytest.approx(0.5)


def test_many_sources_speak_for_a_segment_where_they_did_in_the_training() -> None:
    random = np.random.default_rng(4)
    examples = [
        example(f"h{site}.example/", "link", 0.9 if count > 1 else 0.1, random)
        for site in range(60)
        for count in (1 + 5 * (site % 2),)
        for _ in range(count)
    ]
    made = learn_expectation(examples, random)
    assert made.chance(0.0, 6) > 0.6 > 0.4 > made.chance(0.0, 1)


def test_a_single_site_and_a_class_in_one_fold_do_not_stop_the_training() -> None:
    random = np.random.default_rng(5)
    examples = [example(f"h.example/{at}/", "beach", float(at == 0), random) for at in range(9)]
    made = learn_expectation(examples, random)
    assert all(map(math.isfinite, made))
    assert made.strength > 0
