"""The odds of Zawgyi are those of myanmartools, whose model they are taken from."""

from __future__ import annotations

import random

import pytest
from myanmartools import ZawgyiDetector

from langcrawl.script import zawgyi
from langcrawl.script.syllables import count_syllables, count_zawgyi_syllables
from langcrawl.script.zawgyi_glyphs import from_unicode
from langcrawl.script.zawgyi_odds import probability
from langcrawl.virtualweb.phrases import PHRASES

BURMESE = "\n".join(PHRASES["my"])
LETTERS = [
    *map(chr, range(0x1000, 0x10A0)),
    *map(chr, range(0xAA60, 0xAA80)),
    *" a\u200b\U0001f600",
]


def test_the_probability_is_that_of_the_detector() -> None:
    detector, rng = ZawgyiDetector(), random.Random(1)
    for _ in range(500):
        text = "".join(rng.choices(LETTERS, k=rng.randrange(1, 30)))
        theirs = detector.get_zawgyi_probability(f"\u1000{text}")
        assert probability(f"\u1000{text}", 2000) == pytest.approx(theirs)


def test_text_without_a_character_that_tells_has_no_probability() -> None:
    for text in ("", "abc", "๑๒๓", "\ud800"):
        assert probability(text, 2000) is None


def test_of_a_long_text_both_ends_are_looked_at() -> None:
    old = from_unicode(BURMESE).text
    assert probability(f"{BURMESE}{' x' * 5000}{BURMESE}", 100) == pytest.approx(0, abs=1e-6)
    assert probability(f"{old}{' x' * 5000}{old}", 100) == pytest.approx(1, abs=1e-6)
    middle = f"{BURMESE}{old * 3}{BURMESE}"
    assert probability(middle, 100) == pytest.approx(0, abs=1e-6)


def test_syllables_are_counted_in_zawgyi_as_in_unicode() -> None:
    old = from_unicode(BURMESE).text
    exact = count_syllables(zawgyi.to_unicode(old).text)
    assert count_zawgyi_syllables(old) == pytest.approx(exact, rel=0.02)
