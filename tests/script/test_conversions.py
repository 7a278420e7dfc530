"""Legacy encodings and syllables: what holds for any text, by generated examples."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langcrawl.errors import UnknownName, UsageError
from langcrawl.script import ENCODINGS, convert, detect, menksoft, saiyin, win_innwa, zawgyi
from langcrawl.script.conversion import Conversion, joined
from langcrawl.script.myanmar import KINZI_SIGN, logical
from langcrawl.script.syllables import (
    count_others,
    count_syllables,
    count_zawgyi_syllables,
    myanmar_language,
    split_syllables,
)
from langcrawl.virtualweb.legacy import write_in
from langcrawl.virtualweb.phrases import PHRASES, WORDS

MYANMAR = st.text(st.characters(min_codepoint=0x1000, max_codepoint=0x109F), max_size=30)
PRIVATE = st.text(st.characters(min_codepoint=0xE234, max_codepoint=0xE4AB), max_size=30)
BURMESE = st.lists(st.sampled_from([*PHRASES["my"], *WORDS["my"]]), min_size=1, max_size=4)


@given(st.text(max_size=60) | MYANMAR | PRIVATE)
@settings(max_examples=200)
def test_any_text_is_converted_without_a_loss_that_is_not_counted(text: str) -> None:
    found, done = convert(text)
    assert found.encoding in {*ENCODINGS, ""}
    for letter, number in done.unmapped.items():
        assert done.text.count(letter) >= 1
        assert number >= 1


@given(st.text(max_size=60) | MYANMAR | PRIVATE)
@settings(max_examples=200)
def test_what_was_converted_stays_when_it_is_converted_again(text: str) -> None:
    once = convert(text)[1].text
    assert convert(once)[1].text == once


@given(BURMESE, st.sampled_from(["zawgyi", "win-innwa"]))
def test_burmese_comes_back_from_either_font(parts: list[str], encoding: str) -> None:
    text = "\n".join(parts)
    assert convert(write_in(text, encoding), encoding)[1] == Conversion(text)


@given(st.lists(st.sampled_from([*PHRASES["mn"], *WORDS["mn"]]), min_size=1, max_size=4))
def test_mongolian_comes_back_from_menksoft(parts: list[str]) -> None:
    text = "\n".join(parts)
    assert menksoft.to_unicode(write_in(text, "menksoft")) == Conversion(text)


@given(BURMESE)
def test_syllables_lie_side_by_side_and_are_as_many_in_zawgyi(parts: list[str]) -> None:
    text = " ".join(parts)
    cut = split_syllables(text)
    assert len(cut) == count_syllables(text)
    assert text.endswith("".join(cut))
    in_zawgyi = count_zawgyi_syllables(write_in(text, "zawgyi"))
    assert in_zawgyi == pytest.approx(count_syllables(text), rel=0.1, abs=1)


@given(st.text(max_size=50) | MYANMAR)
def test_every_character_counts_once_at_most(text: str) -> None:
    assert 0 <= count_syllables(text) + count_others(text) <= len(text)
    assert count_syllables(text + " " + text) == 2 * count_syllables(text)


@given(MYANMAR)
def test_order_is_changed_and_no_letter_is_made_up(run: str) -> None:
    merged: Counter[str] = Counter()
    ordered = logical(run, merged)
    stand_ins = "\u101b\u101d\u1004\u103a\u1038\u1039\u104e"
    assert set(ordered) - set(run) <= set(stand_ins)
    lost = Counter(run) - Counter(ordered) - merged
    assert set(lost) <= set("\u1040\u1044\u1047" + stand_ins + KINZI_SIGN)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("\u1031\u1000", "\u1000\u1031"),
        ("\u103c\u1000", "\u1000\u103c"),
        ("\u1031\u103c\u1000\u102c", "\u1000\u103c\u1031\u102c"),
        ("\u1000\u1037\u103a", "\u1000\u1037\u103a"),
        ("\u1000\u103a\u1037", "\u1000\u1037\u103a"),
        ("\u1000\u102f\u102d", "\u1000\u102d\u102f"),
        ("\u1040\u102d", "\u101d\u102d"),
        ("\u1040\u1041", "\u1040\u1041"),
        ("\u1005\u103b", "\u1008"),
        ("\u1025\u102e", "\u1026"),
    ],
)
def test_signs_typed_in_the_order_of_the_eye_follow_their_letter(typed: str, meant: str) -> None:
    assert logical(typed, Counter()) == meant


def test_a_mark_that_is_written_twice_is_kept_once_and_counted() -> None:
    merged: Counter[str] = Counter()
    assert logical("\u1000\u102d\u102d\u102d", merged) == "\u1000\u102d"
    assert merged == {"\u102d": 2}


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("မြန်မာစာ", "my"),
        ("ၵႂၢမ်းတႆးၶဝ်ႈၸႂ်", "shn"),
        ("ဘာသာမန်ၚ်ၜိုတ်", "mnw"),
        ("", "my"),
    ],
)
def test_letters_of_their_own_give_languages_away(text: str, language: str) -> None:
    found, share = myanmar_language(text)
    assert found == language
    assert (share > 0) == (language != "my")


def test_saiyin_is_recognised_and_not_read() -> None:
    text = write_in(PHRASES["mn"][0], "saiyin")
    assert detect(text).encoding == "saiyin"
    done = saiyin.to_unicode(text)
    assert done.text == text
    assert sum(done.unmapped.values()) == sum("\ue244" <= each <= "\ue293" for each in text)


def test_codes_that_a_font_has_not_are_counted_and_stay() -> None:
    done = zawgyi.to_unicode("\u1000\u1098\u1098")
    assert done.unmapped == {"\u1098": 2}
    assert done.text.count("\u1098") == 2
    assert win_innwa.to_unicode("\u00ff\u00ff").unmapped == {"\u00ff": 2}
    assert win_innwa.to_unicode("\u00a0 ").unmapped == {}


def test_parts_are_joined_with_their_counts() -> None:
    whole = joined([Conversion("a", {"x": 1}, {"m": 1}), Conversion("b", {"x": 2, "y": 1})])
    assert whole == Conversion("ab", {"x": 3, "y": 1}, {"m": 1})
    assert joined([]) == Conversion("")


def test_an_encoding_that_is_none_is_refused() -> None:
    with pytest.raises(UnknownName, match="did you mean 'menksoft'"):
        convert("x", "menksof")
    with pytest.raises(UsageError, match="unicode or zawgyi"):
        convert("x", target="saiyin")
