"""Zawgyi-One and Unicode: one text, however it was typed."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langcrawl.script import convert, zawgyi, zawgyi_glyphs
from langcrawl.virtualweb.phrases import PHRASES

ZAWGYI = "".join(sorted(map(chr, zawgyi.KNOWN)))


@pytest.mark.parametrize(
    ("typed", "unicode"),
    [
        ("ျမန္မာ", "မြန်မာ"),
        ("ၾကက္", "ကြက်"),
        ("ႏိုင္ငံ", "နိုင်ငံ"),
        ("ႏုိင္ငံ", "နိုင်ငံ"),
        ("အဂၤလိပ္", "အင်္ဂလိပ်"),
        ("ကမ႓ာ", "ကမ္ဘာ"),
        ("ပုဂၢိဳလ္", "ပုဂ္ဂိုလ်"),
        ("ဥစၥာ", "ဥစ္စာ"),
        ("ပညာ", "ပညာ"),
        ("ဥာဏ္", "ဥာဏ်"),
        ("ၪာဏ္", "ဉာဏ်"),
        ("ပစၥဳပၸန္", "ပစ္စုပ္ပန်"),
        ("ေဒၚ", "ဒေါ်"),
        ("ေတာ္", "တော်"),
        ("ကၽြႏု္ပ္", "ကျွန်ုပ်"),
        ("ေယာက္်ား", "ယောက်ျား"),
        ("စ်ေး", "ဈေး"),
        ("၎", "၎င်း"),
        ("၎င္း", "၎င်း"),
        ("၄င္း", "၎င်း"),
        ("ေ၀", "ဝေ"),
        ("၀န္", "ဝန်"),
        ("၁၀", "၁၀"),
        ("၇ွိ", "ရှိ"),
        ("သို႔", "သို့"),
        ("လူ႕", "လူ့"),
    ],
)
def test_a_syllable_becomes_what_it_shows(typed: str, unicode: str) -> None:
    done = zawgyi.to_unicode(typed)
    assert (done.text, done.unmapped) == (unicode, {})


@pytest.mark.parametrize("orders", [("ကို", "ကုိ"), ("ကံု", "ကုံ"), ("ကို႔", "က႔ို", "ကု႔ိ"), ("ေၾက", "ၾေက"),
                                    ("ျပီး", "ၿပီး"), ("ဆံုး", "ဆုံး"), ("တြဲ႕", "တြ႕ဲ")])  # fmt: skip
def test_all_orders_and_widths_of_one_syllable_are_one(orders: tuple[str, ...]) -> None:
    assert len({zawgyi.to_unicode(typed).text for typed in orders}) == 1


def test_a_mark_typed_twice_is_kept_once_and_counted() -> None:
    done = zawgyi.to_unicode("ကိိ")
    assert (done.text, done.merged) == ("ကိ", {"ိ": 1})


def test_a_code_that_zawgyi_does_not_use_stays_and_is_counted() -> None:
    done = zawgyi.to_unicode("က\u109a \u109a")
    assert done.text == "က\u109a \u109a"
    assert done.unmapped == {"\u109a": 2}


@given(
    st.text(alphabet=[c for c in ZAWGYI if c not in "\u1005\u1025\u1040\u1044\u1047\u104e\u1065"])
)
def test_no_sign_is_lost_without_a_count(typed: str) -> None:
    done = zawgyi.to_unicode(typed)
    shown = "".join(zawgyi._SHOWN.get(each, each) for each in typed)
    expected = Counter(shown.replace("\ufdd0", "\u1004\u103a\u1039"))
    kept = Counter(done.text)
    for mark, number in done.merged.items():
        kept.update(mark * number)
    assert kept == expected


@given(st.text())
def test_text_without_myanmar_letters_is_left_alone(text: str) -> None:
    plain = "".join(each for each in text if not "\u1000" <= each <= "\u109f")
    assert zawgyi.to_unicode(plain).text == plain


@pytest.mark.parametrize("sentence", PHRASES["my"])
def test_unicode_goes_to_zawgyi_and_comes_back(sentence: str) -> None:
    there = zawgyi_glyphs.from_unicode(sentence)
    assert there.text != sentence
    assert there.unmapped == {}
    assert zawgyi.to_unicode(there.text).text == sentence


def test_letters_that_zawgyi_lacks_are_counted_on_the_way_there() -> None:
    assert zawgyi_glyphs.from_unicode("ၵၢၼ်").unmapped == {"ၵ": 1, "ၢ": 1, "ၼ": 1}
    assert zawgyi_glyphs.from_unicode("က္ဟ").unmapped == {"္ဟ": 1}


def test_a_text_that_cannot_be_converted_for_good_is_left_as_it_is_and_says_so() -> None:
    text = "\u1004\u108e\u1067"  # as Unicode it is Zawgyi again, and so on
    _, conversion = convert(text)
    assert conversion.text == text
    assert conversion.unmapped == dict.fromkeys(text, 1)
