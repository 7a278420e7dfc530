"""N-grams: words, pieces, ranks and distances, against plain rules."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langcrawl.languages.ngrams import (
    count_ngrams,
    count_windows,
    likeness,
    mean_distance,
    rank,
    without_joints,
    words,
)

WORDS = st.lists(st.text("abcก้", min_size=1, max_size=6), max_size=6)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", []),
        ("one, TWO; three!", ["one", "two", "three"]),
        ("a1b2", ["a", "b"]),
        ("snake_case", ["snake", "case"]),
        ("don't", ["don", "t"]),
        ("น้ำใจ", ["น้ำใจ"]),
        ("e\u0301te\u0301", ["été"]),
        ("မြန်မာ", ["မြန်မာ"]),
        ("हिन्दी", ["हिन्दी"]),
        ("𞤀𞤣𞤤𞤢𞤥", ["𞤢𞤣𞤤𞤢𞤥"]),
    ],
)
def test_words_are_letters_with_their_marks_in_small_letters(text: str, found: list[str]) -> None:
    assert words(text) == found


@given(st.text())
def test_words_have_no_digits_no_spaces_and_no_capitals(text: str) -> None:
    for word in words(text):
        assert word
        assert not any(c.isspace() or c.isdecimal() or c == "_" for c in word)


@given(st.lists(st.text("abc", min_size=1, max_size=7), max_size=8))
def test_pieces_are_counted_as_one_by_one(given_words: list[str]) -> None:
    expected: Counter[str] = Counter()
    for word in given_words:
        marked = f"_{word}_"
        for size in range(1, 6):
            for at in range(len(marked) - size + 1):
                expected[marked[at : at + size]] += 1
    del expected["_"]
    assert count_ngrams(" ".join(given_words)) == expected


@given(st.lists(st.text("abc", min_size=1, max_size=7), max_size=8), st.integers(1, 4))
def test_windows_lie_within_words(given_words: list[str], size: int) -> None:
    counts = count_windows([" ".join(given_words)], size)
    assert sum(counts.values()) == sum(max(0, len(word) - size + 1) for word in given_words)
    assert all(len(piece) == size for piece in counts)


def test_the_frequent_come_first_and_of_equals_the_first_come() -> None:
    assert rank(Counter("bbaacdd"), 2) == ["b", "a"]
    assert rank(Counter(), 5) == []


def test_the_distance_of_a_model_to_its_own_text_is_none() -> None:
    text = "aab aab aac"
    model = rank(count_windows([text], 2), 100)
    assert mean_distance({piece: at for at, piece in enumerate(model)}, text, 2) == 0.0
    assert likeness(model, text, 2) == 1.0


@given(st.text("abcd ", max_size=30), st.text("abcd ", max_size=30))
def test_likeness_is_from_0_to_1_and_0_where_nothing_is_shared(first: str, second: str) -> None:
    model = rank(count_windows([first], 2), 50)
    found = likeness(model, second, 2)
    assert 0.0 <= found <= 1.0
    if not set(model) & set(count_windows([second], 2)):
        assert found == 0.0


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("\u200b".join("ภาษาไทย" * 5), "ภาษาไทย" * 5),
        ("\u00ad".join("hyphens" * 5), "hyphens" * 5),
        ("ខ្មែរ\u200bភាសា" * 5, "ខ្មែរ\u200bភាសា" * 5),
        ("plain", "plain"),
        ("", ""),
    ],
)
def test_invisible_characters_between_most_letters_are_taken_away(text: str, bare: str) -> None:
    assert without_joints(text) == bare
