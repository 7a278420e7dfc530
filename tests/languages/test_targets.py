"""Several languages as one target, names of languages and scripts, and keys of names."""

from __future__ import annotations

import unicodedata
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langcrawl.errors import UnknownName, UsageError
from langcrawl.languages import bridges_of, find_targets, load_packs
from langcrawl.languages.find import tag_or_unknown
from langcrawl.languages.names import by_name, language_names, name_key, named, script_name
from langcrawl.languages.scripts import BYTES_NEEDED
from langcrawl.languages.tags import parse_tag, parse_targets

TAGS = ["th", "lo", "my", "mn", "mn-Mong", "mn-Cyrl", "ja", "en"]


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("th", ["th"]), ("my,shn,mnw", ["my", "shn", "mnw"]), ("tha,th,TH", ["th"]),
        ("mn-Mong,mn-cyrl", ["mn-Mong", "mn-Cyrl"]), ("khk-cyrl", ["mn-Cyrl"]),
        (" th , lo ", ["th", "lo"]),
    ],
)  # fmt: skip
def test_targets_are_tags_in_standard_form_each_once(text: str, tags: list[str]) -> None:
    targets = parse_targets(text)
    assert [str(tag) for tag in targets.tags] == tags
    assert str(targets) == ",".join(tags)
    assert parse_targets(str(targets)) == targets


@settings(max_examples=30)
@given(
    st.lists(st.sampled_from(TAGS), min_size=1, max_size=4),
    st.sampled_from([*TAGS, "und", "", "klingon"]),
    st.sampled_from(["", "Thai", "Cyrl", "Mong"]),
)
def test_a_page_is_in_the_target_if_it_is_in_any_of_its_languages(
    tags: list[str], language: str, script: str
) -> None:
    targets = parse_targets(",".join(tags))
    alone = [tag for tag in tags if parse_tag(tag).matches(language, script)]
    assert targets.matches(language, script) is bool(alone)
    found = targets.of(language, script)
    assert found in alone if alone else found == ""
    if any("-" in tag for tag in alone):
        assert "-" in found  # one that names the script comes first


def test_nothing_matches_a_language_that_is_not_known() -> None:
    assert not parse_targets("und").matches("und")
    assert not parse_targets("th,und").matches("und", "Thai")
    assert parse_targets("th,und").of("und") == ""


def test_the_languages_of_targets_without_their_scripts() -> None:
    assert parse_targets("mn-Mong,mn-Cyrl,th").primaries == {"mn", "th"}


@settings(max_examples=30)
@given(
    st.lists(
        st.tuples(
            st.tuples(st.sampled_from(["th", "lo", "ja", "en"]), st.just("")), st.integers(0, 9)
        ),
        max_size=8,
    )
)
def test_a_tally_adds_up_and_loses_no_page(counts: list[tuple[tuple[str, str], int]]) -> None:
    several = parse_targets("th,lo").tally(counts)
    assert list(several)[:2] == ["th", "lo"]
    expected: Counter[str] = Counter()
    for (language, _), count in counts:
        expected[language] += count
    assert Counter(several) == expected
    one = parse_targets("th").tally(counts)
    assert one == {"th": sum(count for _, count in counts)}


def test_a_page_counts_for_the_target_of_its_script() -> None:
    counts = [(("mn", "Cyrl"), 3), (("mn", "Mong"), 2), (("mn-Cyrl", ""), 1), (("mn", ""), 4)]
    assert parse_targets("mn-Mong,mn-Cyrl").tally(counts) == {"mn-Mong": 2, "mn-Cyrl": 4, "mn": 4}


def test_packs_are_loaded_each_once_and_in_the_order_given() -> None:
    assert [pack.tag for pack in load_packs("lo,Thai,tha")] == ["lo", "th"]
    assert [pack.tag for pack in load_packs(["lo,th", "ja"])] == ["lo", "th", "ja"]
    assert find_targets(["Burmese", "shn"]) == "my,shn"
    assert bridges_of(load_packs("lo,th")) == "en"


@pytest.mark.parametrize("nothing", ["", " ", ",", [], ["", ","]])
def test_a_list_without_a_language_is_refused(nothing: str | list[str]) -> None:
    with pytest.raises(UsageError, match="no language is named"):
        load_packs(nothing)


def test_one_wrong_language_in_a_list_is_named() -> None:
    with pytest.raises(UnknownName, match="there is no language 'klingon'"):
        load_packs("th,klingon,lo")


@pytest.mark.parametrize(
    ("text", "tag"),
    [
        ("Thai", "th"), ("tha", "th"), ("", "und"), ("gibberish", "und"), ("Chinese", "zh"),
        ("x", "und"), ("tlh", "tlh"), ("sr-Latn", "sr-Latn"),
    ],
)  # fmt: skip
def test_words_in_a_users_data_become_tags_or_unknown(text: str, tag: str) -> None:
    assert str(tag_or_unknown(text)) == tag


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Thai", "thai"), ("THE THAI LANGUAGE", "thai"), ("Norwegian Bokmål", "norwegian-bokmal"),
        ("N'Ko", "nko"), ("Français", "francais"), ("ＴＨＡＩ", "thai"), ("ไทย", " ไทย "),
    ],
)  # fmt: skip
def test_names_are_compared_without_what_people_write_differently(one: str, other: str) -> None:
    assert name_key(one) == name_key(other)


def test_the_vowels_of_other_scripts_are_no_accents() -> None:
    assert name_key("ไทย") != name_key("ทย")
    assert name_key("हिन्दी") != name_key("हनद")


@settings(max_examples=30)
@given(st.text(max_size=30))
def test_a_key_is_letters_marks_and_digits_only(text: str) -> None:
    key = name_key(text)
    assert all(unicodedata.category(letter)[0] in "LMN" for letter in key)
    assert not any(0x300 <= ord(letter) < 0x370 for letter in unicodedata.normalize("NFD", key))


def test_tags_by_name_are_listed_once_in_their_order() -> None:
    found = by_name([("Malay", "ms"), ("malay", "zsm"), ("MALAY", "ms"), ("Thai", "th")])
    assert found == {"malay": ["ms", "zsm"], "thai": ["th"]}


@pytest.mark.parametrize(
    ("lang", "said"),
    [
        ("th", "Thai"), ("th,lo", "Thai, Lao"),
        ("mn-Mong", "Mongolian (traditional script) (mn-Mong)"),
        ("qqq", "qqq"), ("th-Latn,my", "Thai (th-Latn), Burmese"),
    ],
)  # fmt: skip
def test_languages_are_called_by_their_english_names(lang: str, said: str) -> None:
    assert named(lang) == said


def test_every_language_has_an_english_name_that_can_be_read() -> None:
    for tag, names in language_names().items():
        assert names[0].strip(), tag
        assert names[0].isprintable(), tag
        assert len(set(names)) == len(names), tag


def test_scripts_go_by_their_names() -> None:
    assert (script_name("Mymr"), script_name("Hant")) == ("Myanmar", "Han, traditional")
    assert script_name("Zzzz") == "Zzzz"
    assert all(script_name(code) != code for code in BYTES_NEEDED if code not in ("Thai", "Lisu"))
