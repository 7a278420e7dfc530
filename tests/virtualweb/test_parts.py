"""The parts of generated webs: sentences, chance by place, sizes with heavy tails, profiles."""

from __future__ import annotations

import unicodedata

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langcrawl.errors import BadInput
from langcrawl.languages import load_pack
from langcrawl.languages.scripts import script_shares
from langcrawl.virtualweb.legacy import write_in
from langcrawl.virtualweb.phrases import PHRASES, WORDS
from langcrawl.virtualweb.synth import load_profile, profiles
from langcrawl.virtualweb.synth.chance import units
from langcrawl.virtualweb.synth.encodings import encoding_names, text_shares
from langcrawl.virtualweb.synth.names import _word
from langcrawl.virtualweb.synth.sizes import domain_sizes, host_sizes, popularities, rounded


@pytest.mark.parametrize("tag", PHRASES)
def test_sentences_and_words_of_a_language_are_distinct_and_in_its_script(tag: str) -> None:
    assert tag in WORDS
    assert len(set(PHRASES[tag])) == len(PHRASES[tag]) >= 6
    assert len(set(WORDS[tag])) == len(WORDS[tag]) >= 4
    scripts = load_pack(tag if tag != "mn" else "mn-Mong").scripts
    for text in (*PHRASES[tag], *WORDS[tag]):
        assert text == text.strip()
        assert unicodedata.normalize("NFC", text) == text
    if scripts:
        assert next(iter(script_shares(" ".join(PHRASES[tag])))) in scripts


@pytest.mark.parametrize("encoding", ["", "unicode", "latin"])
def test_text_in_no_legacy_encoding_stays_as_it_is(encoding: str) -> None:
    assert write_in(PHRASES["my"][0], encoding) == PHRASES["my"][0]


@pytest.mark.parametrize("encoding", ["zawgyi", "win-innwa", "menksoft", "saiyin"])
def test_latin_text_is_the_same_in_every_encoding(encoding: str) -> None:
    if encoding != "win-innwa":  # which has its letters on those codes
        assert write_in("Latin 123, text.", encoding) == "Latin 123, text."


@given(st.integers(0, 2**40), st.integers(0, 10**6), st.integers(1, 60), st.integers(0, 200))
@settings(max_examples=50)
def test_what_is_drawn_for_a_page_depends_on_the_page_alone(
    seed: int, first: int, count: int, stream: int
) -> None:
    whole = units(seed, first, first + count, stream)
    assert ((whole >= 0) & (whole < 1)).all()
    middle = first + count // 2
    parts = [units(seed, first, middle, stream), units(seed, middle, first + count, stream)]
    assert np.array_equal(whole, np.concatenate(parts))


def test_chance_is_even_and_streams_and_seeds_have_nothing_in_common() -> None:
    drawn = units(1, 0, 100_000, 7)
    counts = np.histogram(drawn, bins=20, range=(0, 1))[0]
    assert abs(counts - 5_000).max() < 400
    for other in (units(2, 0, 100_000, 7), units(1, 0, 100_000, 8), units(1, 1, 100_001, 7)):
        assert abs(np.corrcoef(drawn, other)[0, 1]) < 0.02


@given(
    st.integers(0, 2**32), st.floats(0.6, 3), st.integers(0, 5_000), st.floats(1, 50),
    st.integers(1, 3_000),
)  # fmt: skip
@settings(max_examples=80)
def test_host_sizes_sum_up_exactly_and_keep_to_the_largest(
    seed: int, tail: float, pages: int, mean: float, largest: int
) -> None:
    sizes = host_sizes(np.random.default_rng(seed), tail, pages, mean, largest)
    assert sizes.sum() == pages
    if pages:
        assert sizes.min() >= 1
        assert sizes.max() <= largest


def test_host_sizes_have_a_tail_that_is_heavier_for_a_smaller_exponent() -> None:
    heavy, light = (
        np.sort(host_sizes(np.random.default_rng(1), tail, 200_000, 20, 100_000))[::-1]
        for tail in (0.8, 3.0)
    )
    top = len(heavy) // 100
    assert heavy[:top].sum() > 2 * light[:top].sum()


@given(st.integers(0, 2**32), st.integers(0, 3_000), st.floats(1.0, 3.0))
@settings(max_examples=80)
def test_domains_have_all_hosts_between_them(seed: int, hosts: int, mean: float) -> None:
    sizes = domain_sizes(np.random.default_rng(seed), hosts, mean)
    assert sizes.sum() == hosts
    assert (sizes >= 1).all()


def test_larger_hosts_are_more_popular() -> None:
    sizes = np.array([1] * 500 + [400] * 500, np.int32)
    drawn = popularities(np.random.default_rng(1), 1.0, sizes)
    assert (drawn > 0).all()
    assert np.median(drawn[500:]) > 10 * np.median(drawn[:500])


def test_rounding_keeps_the_mean() -> None:
    exact = np.full(50_000, 2.3)
    whole = rounded(np.random.default_rng(1), exact)
    assert set(whole.tolist()) == {2, 3}
    assert whole.mean() == pytest.approx(2.3, abs=0.02)


def test_every_number_has_a_word_of_its_own_that_can_be_a_domain() -> None:
    words = [_word(number) for number in range(50_000)]
    assert len(set(words)) == len(words)
    assert all(word.isascii() and word.isalpha() and word.islower() for word in words)
    assert max(map(len, words)) <= 20


@pytest.mark.parametrize("name", profiles())
def test_every_profile_that_is_shipped_says_what_it_is(name: str) -> None:
    profile = load_profile(name)
    assert profile.name == name
    assert profile.says.strip()
    assert load_pack(profile.lang).tag == profile.lang
    assert all(domain.startswith(".") for domain in profile.domains)
    encodings = encoding_names(profile)
    assert encodings[0] == ""
    assert len(set(encodings)) == len(encodings)


def test_shares_of_text_are_near_those_of_the_profile_and_never_above_one() -> None:
    found = text_shares({"0.1": 1.0, "0.9": 3.0}, 1, 0, 20_000)
    assert found.max() <= 1.0
    high = found > 0.5
    assert high.mean() == pytest.approx(0.75, abs=0.02)
    assert found[high].mean() == pytest.approx(0.9, abs=0.03)
    assert found[~high].mean() == pytest.approx(0.1, abs=0.01)


def test_an_unknown_profile_is_told_with_those_there_are() -> None:
    with pytest.raises(BadInput, match="there is no profile and no file 'thai-2006'") as found:
        load_profile("thai-2006")
    assert all(name in str(found.value) for name in profiles())
