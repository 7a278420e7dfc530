"""Win Innwa, Menksoft and Saiyin: fonts that put their glyphs where they liked."""

from __future__ import annotations

import pytest

from langcrawl.script import menksoft, saiyin, win_innwa


@pytest.mark.parametrize(
    ("typed", "unicode"),
    [
        ("jrefrm", "မြန်မာ"),
        ("aumif;", "ကောင်း"),
        ("t*Fvdyf", "အင်္ဂလိပ်"),
        ("ps", "ဈ"),
        ("OD;", "ဦး"),
        ("ay:", "ပေါ်"),
        ("a0", "ဝေ"),
        ("10", "၁၀"),
    ],
)
def test_win_innwa_is_read_as_it_looks(typed: str, unicode: str) -> None:
    done = win_innwa.to_unicode(typed)
    assert (done.text, done.unmapped) == (unicode, {})


def test_win_innwa_counts_what_the_font_has_no_glyph_for() -> None:
    done = win_innwa.to_unicode("u%u^")
    assert done.text == "က%က^"
    assert done.unmapped == {"%": 1, "^": 1}


def test_win_innwa_leaves_unicode_burmese_alone() -> None:
    assert win_innwa.to_unicode("မြန်မာ\n").text == "မြန်မာ\n"


def test_menksoft_shapes_become_letters() -> None:
    done = menksoft.to_unicode("\ue2f1\ue289\ue2bc\ue2ec\ue289\ue2f9")
    assert (done.text, done.unmapped) == ("ᠮᠣᠩᠭᠣᠯ", {})


def test_a_vowel_that_stands_apart_gets_its_separator() -> None:
    assert menksoft.to_unicode("\ue2b1\ue26c\ue2f3\ue26a").text == "ᠨᠠᠮ\u180eᠠ"
    assert menksoft.to_unicode("\ue26a").text == "ᠠ"


def test_menksoft_counts_codes_without_a_letter() -> None:
    done = menksoft.to_unicode("\ue2b1\ue25e\ue364")
    assert done.text == "ᠨ\ue25e\ue364"
    assert done.unmapped == {"\ue25e": 1, "\ue364": 1}


def test_saiyin_is_not_guessed_at() -> None:
    done = saiyin.to_unicode("\ue250\ue260\ue250 a")
    assert done.text == "\ue250\ue260\ue250 a"
    assert done.unmapped == {"\ue250": 2, "\ue260": 1}
