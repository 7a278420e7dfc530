"""Tags and packs."""

from __future__ import annotations

import pytest

from langcrawl.errors import UnknownName
from langcrawl.judge import make_judge
from langcrawl.languages import known_languages, load_pack, parse_tag
from langcrawl.languages.scripts import script_shares
from langcrawl.records import Content
from langcrawl.virtualweb.legacy import write_in
from langcrawl.virtualweb.phrases import PHRASES


@pytest.mark.parametrize(
    ("given", "standard"),
    [("th", "th"), ("tha", "th"), ("khk-cyrl", "mn-Cyrl"), ("MYA", "my"), ("zh-hant-TW", "zh-Hant"),
     ("", "und"), ("not a tag!", "und")],
)  # fmt: skip
def test_tags_have_one_form(given: str, standard: str) -> None:
    assert str(parse_tag(given)) == standard


@pytest.mark.parametrize(
    ("target", "language", "script", "matches"),
    [
        ("th", "th", "", True),
        ("th", "th-TH", "Thai", True),
        ("th", "en", "", False),
        ("mn-Cyrl", "mn", "Cyrl", True),
        ("mn-Cyrl", "mn-Cyrl", "", True),
        ("mn-Cyrl", "mn", "Mong", False),
        ("mn-Cyrl", "mn", "", False),
        ("mn", "mn-Mong", "", True),
        ("und", "und", "", False),
    ],
)
def test_a_page_matches_by_language_and_by_script_where_one_is_named(
    target: str, language: str, script: str, matches: bool
) -> None:
    assert parse_tag(target).matches(language, script) is matches


def test_the_packs_of_the_papers_are_there() -> None:
    for tag in ("th", "ja", "my", "mn-Mong", "mn-Cyrl", "en"):
        pack = load_pack(tag)
        assert (pack.tag, str(pack.target)) == (tag, tag)
        assert pack.scripts
    assert load_pack("mn-Mong").bridge == "zh"
    assert "tis-620" in load_pack("tha").charsets


def test_languages_without_a_file_of_their_own_have_a_plain_pack() -> None:
    assert len(known_languages()) > 80
    assert load_pack("km").name == "Khmer"
    assert load_pack("kk-Arab").tag == "kk-Arab"


def test_an_unknown_language_is_named_with_the_nearest() -> None:
    with pytest.raises(UnknownName, match="there is no language 'thh'"):
        load_pack("thh")
    with pytest.raises(UnknownName, match="language"):
        load_pack("xx")


def test_scripts_are_counted_by_letters() -> None:
    shares = script_shares("ไทย abcd 1234 !!")
    assert shares == {"Latn": 4 / 7, "Thai": 3 / 7}
    assert next(iter(script_shares("東京へ行きます"))) == "Jpan"
    assert script_shares("12 !?") == {}


@pytest.mark.parametrize("encoding", ["unicode", "menksoft", "saiyin"])
def test_mongolian_of_no_script_is_mongolian_in_either(encoding: str) -> None:
    text = write_in(" ".join(PHRASES["mn"]), encoding)
    verdict = make_judge(load_pack("mn")).judge(Content(text))
    assert (verdict.language, verdict.relevant, verdict.encoding) == ("mn", True, encoding)
    cyrillic = Content("Хүүхдүүд сургуульд монгол хэл сурч байна. Эмээ үлгэр ярьж өгнө.")
    assert make_judge(load_pack("mn")).judge(cyrillic).relevant
