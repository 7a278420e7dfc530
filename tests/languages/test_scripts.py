"""Scripts of characters and texts."""

from __future__ import annotations

import sys
import unicodedata
from pathlib import Path
from statistics import mean, median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langcrawl.languages.build_profiles import read
from langcrawl.languages.scripts import BYTES_NEEDED, parts_of, script_of, script_shares

WHOLE = 80
"""A file of the Declaration with fewer paragraphs lacks some of it."""

NAMES = {
    "LATIN": "Latn", "CYRILLIC": "Cyrl", "GREEK": "Grek", "THAI": "Thai", "LAO": "Laoo",
    "MYANMAR": "Mymr", "KHMER": "Khmr", "TIBETAN": "Tibt", "MONGOLIAN": "Mong", "ARABIC": "Arab",
    "HEBREW": "Hebr", "DEVANAGARI": "Deva", "BENGALI": "Beng", "TAMIL": "Taml", "TELUGU": "Telu",
    "GEORGIAN": "Geor", "ARMENIAN": "Armn", "ETHIOPIC": "Ethi", "HIRAGANA": "Hira",
    "KATAKANA": "Kana", "HANGUL": "Hang", "SINHALA": "Sinh", "MALAYALAM": "Mlym",
}  # fmt: skip


@pytest.mark.parametrize("word", NAMES)
def test_letters_are_of_the_script_that_their_names_say(word: str) -> None:
    """By Unicode's own names; letters for special uses lie elsewhere."""
    letters = [
        chr(code)
        for code in range(0x30, 0xFB00)
        if unicodedata.name(chr(code), "").startswith(f"{word} ")
        and unicodedata.category(chr(code)) in ("Ll", "Lu", "Lo")
    ]
    assert len(letters) > 25
    right = sum(script_of(letter) == NAMES[word] for letter in letters)
    assert right >= 0.75 * len(letters)
    assert {script_of(letter) for letter in letters} <= {NAMES[word], ""}


@pytest.mark.parametrize("character", list(" 0123456789.,!?-_\n\t\u200b\ufffd\ue000\U0001f600"))
def test_digits_marks_and_pictures_are_of_no_script(character: str) -> None:
    assert script_of(character) == ""
    assert script_shares(character) == {}


@given(st.text())
def test_shares_sum_up_to_one_and_the_largest_comes_first(text: str) -> None:
    shares = list(script_shares(text).values())
    if shares:
        assert sum(shares) == pytest.approx(1)
    assert shares == sorted(shares, reverse=True)


@given(st.text(st.characters(max_codepoint=0x2FFF)))
def test_shares_are_those_of_the_characters_one_by_one(text: str) -> None:
    scripts = [script_of(character) for character in text if script_of(character)]
    expected = {script: scripts.count(script) / len(scripts) for script in set(scripts)}
    assert script_shares(text) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("東京都", "Hani"),
        ("東京に行く", "Jpan"),
        ("カタカナ", "Jpan"),
        ("漢" * 100 + "の", "Hani"),
        ("漢" * 100 + "の" * 6, "Jpan"),
        ("한국어", "Hang"),
    ],
)
def test_han_with_a_fair_share_of_kana_is_japanese(text: str, first: str) -> None:
    assert next(iter(script_shares(text))) == first


def test_kana_and_han_belong_to_japanese_and_han_alone_to_chinese_too() -> None:
    assert all(script_of(character) in parts_of("Jpan") for character in "東のカ")
    assert script_of("東") in parts_of("Hani")
    assert script_of("の") not in parts_of("Hani")
    assert script_of("a") not in parts_of("Jpan")


def test_the_last_character_of_unicode_and_half_a_pair_do_no_harm() -> None:
    assert script_of(chr(sys.maxunicode)) == ""
    assert script_shares("\ud800abc") == {"Latn": 1.0}


def test_the_bytes_that_a_script_needs_are_those_of_the_declaration(shared: Path) -> None:
    """The median over its languages, of files that hold the whole text, over that of Latin."""
    lengths: dict[str, dict[str, list[int]]] = {}
    for path in sorted((shared / "udhr").glob("udhr_*.xml")):
        file = read(path)
        if file.script and file.text.count("\n") >= WHOLE:
            by_tag = lengths.setdefault(file.script, {})
            by_tag.setdefault(file.tag.primary, []).append(len(file.text.encode()))
    needed = {script: median(map(mean, tags.values())) for script, tags in lengths.items()}
    assert len(needed) > 30
    assert {script: round(length / needed["Latn"], 1) for script, length in needed.items()} == (
        BYTES_NEEDED
    )
