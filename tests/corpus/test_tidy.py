"""Text as it goes into a corpus: normalised, without what nobody sees, a line a paragraph."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langcrawl.corpus.tidy import tidy

ZAWGYI = "မြန်မာစာ", "ျမန္မာစာ"


@pytest.mark.parametrize(
    ("text", "paragraphs"),
    [
        ("", []),
        (" \n\t\r\n ", []),
        ("one\n\n\ntwo", ["one", "two"]),
        ("  many   spaces\tand tabs ", ["many spaces and tabs"]),
        ("a\r\nb\rc\u2028d", ["a", "b", "c", "d"]),
        ("e\u0301t\u00e9", ["\u00e9t\u00e9"]),
        ("soft\u00adhyphen", ["softhyphen"]),
        ("\ufeffmark", ["mark"]),
        ("nul\x00bell\x07", ["nulbell"]),
        ("half\ud800", ["half"]),
        ("\u00a0space\u3000of\u2003all kinds", ["space of all kinds"]),
        ("\x01\n\x02", []),
    ],
)
def test_what_nobody_sees_goes_and_paragraphs_are_lines(text: str, paragraphs: list[str]) -> None:
    assert tidy(text) == paragraphs


@pytest.mark.parametrize("text", ["می\u200cخواهم", "क्\u200dष", "ကို\u200bသာ", "ภาษา\u200bไทย"])
def test_joiners_and_spaces_of_no_width_stay(text: str) -> None:
    assert tidy(text) == [text]


def test_a_legacy_encoding_is_converted_whether_or_not_the_judge_has_named_it() -> None:
    right, typed = ZAWGYI
    long = typed * 8
    assert tidy(long, "zawgyi") == tidy(long) == [right * 8]
    assert tidy(right * 8, "unicode") == [right * 8]


TEXTS = st.text(
    st.one_of(
        st.characters(max_codepoint=0x0FFF, codec="utf-8"),
        st.sampled_from(" \n\r\t\u00ad\ufeff\u200b\u200d\u2028\x00"),
    )
)


@given(TEXTS)
def test_tidy_text_is_left_as_it_is(text: str) -> None:
    once = tidy(text)
    assert tidy("\n".join(once)) == once


@given(TEXTS)
def test_a_paragraph_is_never_empty_has_no_end_of_line_and_is_composed(text: str) -> None:
    for line in tidy(text):
        assert line == " ".join(line.split())
        assert line.splitlines() == [line]
        assert unicodedata.is_normalized("NFC", line)
        line.encode("utf-8")
