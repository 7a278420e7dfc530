"""The judges in their first form."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from langcrawl.errors import BadValue, UnknownName
from langcrawl.judge import make_judge
from langcrawl.languages import load_pack
from langcrawl.records import Charsets, Content, Verdict
from langcrawl.virtualweb.phrases import PHRASES


def judge(lang: str, text: str = "", spec: str = "", **charsets: str) -> Verdict:
    return make_judge(load_pack(lang), spec).judge(Content(text, Charsets(**charsets)))


@pytest.mark.parametrize("label", ["tis-620", "WINDOWS-874", "iso-8859-11"])
def test_thai_charsets_mean_thai(label: str) -> None:
    verdict = judge("th", spec="charset:from=meta", meta=label)
    assert (verdict.language, verdict.relevant, verdict.score) == ("th", True, 1.0)
    assert label in verdict.evidence[0]


@pytest.mark.parametrize("label", ["EUC-JP", "Shift_JIS", "ISO-2022-JP", "x-sjis", "windows-31j"])
def test_japanese_charsets_mean_japanese(label: str) -> None:
    assert judge("ja", spec="charset:from=meta", meta=label).relevant
    assert not judge("th", spec="charset:from=meta", meta=label).relevant


def test_each_source_of_a_charset_can_be_asked_alone() -> None:
    said = {"meta": "utf-8", "header": "tis-620", "detected": "euc_jp"}
    assert judge("th", spec="charset:from=meta", **said).language == "und"
    assert judge("th", spec="charset:from=header", **said).language == "th"
    assert judge("th", spec="charset:from=detected", **said).language == "ja"
    assert judge("th", spec="charset", **said).language == "th"


def test_a_charset_of_many_languages_says_nothing() -> None:
    verdict = judge("th", spec="charset", meta="utf-8")
    assert (verdict.language, verdict.relevant) == ("und", False)
    assert judge("th", spec="charset", meta="nonsense").language == "und"


@pytest.mark.parametrize("language", ["th", "en", "ja", "my"])
def test_cld_knows_sentences(language: str) -> None:
    for sentence in PHRASES[language]:
        verdict = judge(language, sentence, "cld")
        assert (verdict.language, verdict.relevant) == (language, True), sentence


@pytest.mark.parametrize(
    ("target", "text", "relevant"),
    [
        ("mn-Mong", "ᠮᠣᠩᠭᠣᠯ ᠬᠡᠯᠡ ᠪᠣᠯ ᠮᠣᠩᠭᠣᠯ ᠤᠯᠤᠰ ᠤᠨ ᠬᠡᠯᠡ", True),
        ("mn-Cyrl", "Монгол хэл бол Монгол улсын албан ёсны хэл юм.", True),
        ("mn-Mong", "Монгол хэл бол Монгол улсын албан ёсны хэл юм.", False),
        ("mn-Cyrl", "ᠮᠣᠩᠭᠣᠯ ᠬᠡᠯᠡ ᠪᠣᠯ ᠮᠣᠩᠭᠣᠯ ᠤᠯᠤᠰ ᠤᠨ ᠬᠡᠯᠡ", False),
        ("mn", "ᠮᠣᠩᠭᠣᠯ ᠬᠡᠯᠡ ᠪᠣᠯ ᠮᠣᠩᠭᠣᠯ ᠤᠯᠤᠰ ᠤᠨ ᠬᠡᠯᠡ", True),
    ],
)
def test_a_target_that_names_a_script_wants_that_script(
    target: str, text: str, relevant: bool
) -> None:
    assert judge(target, text, "cld").relevant is relevant


def test_a_page_partly_in_the_target_is_relevant_from_a_fair_share_on() -> None:
    half = " ".join(PHRASES["en"][:6]) + " ".join(PHRASES["th"])
    assert judge("th", half).relevant
    trace = " ".join(PHRASES["en"] * 3) + PHRASES["th"][0]
    verdict = judge("th", trace)
    assert (verdict.language, verdict.relevant, verdict.score) == ("en", False, 0.0)
    assert judge("th", trace, "cld:share=0.01").relevant


@pytest.mark.parametrize("text", ["", "ok", "12345 67890 " * 50, "\x00\x01\x02" * 100, "!?" * 99])
def test_no_text_is_unknown_and_not_a_guess(text: str) -> None:
    assert judge("th", text).language == "und"


def test_the_chain_falls_back_on_the_charset_and_keeps_all_evidence() -> None:
    verdict = judge("th", "404", meta="tis-620")
    assert (verdict.language, verdict.relevant) == ("th", True)
    assert len(verdict.evidence) == 2


def test_judges_can_be_sent_to_another_process() -> None:
    sent = pickle.loads(pickle.dumps(make_judge(load_pack("th"))))
    assert sent.judge(Content(PHRASES["th"][0])).relevant


@pytest.mark.parametrize(
    ("spec", "error", "message"),
    [
        ("charste", UnknownName, "did you mean 'charset'"),
        ("charset:from=nose", BadValue, "one of meta, header, detected, any"),
        ("cld:share=2", BadValue, "share must be above 0"),
        ("cld:shar=0.5", UnknownName, "did you mean 'share'"),
        ("cld:target=en", UnknownName, "parameter"),
    ],
)
def test_a_judge_that_cannot_be_made_says_why(
    spec: str, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        make_judge(load_pack("th"), spec)


@pytest.mark.parametrize("language", ["th", "ja", "mn", "en"])
def test_real_sentences_are_recognised(shared: Path, language: str) -> None:
    lines = (shared / "sentences" / f"{language}.txt").read_text("utf-8").splitlines()
    texts = [" ".join(lines[at : at + 5]) for at in range(0, len(lines), 5)]
    found = [judge(language, text) for text in texts]
    assert len(found) >= 80
    assert sum(verdict.relevant for verdict in found) / len(found) >= 0.99


def test_pages_in_thai_charsets_of_the_corpus_are_thai(shared: Path) -> None:
    from langcrawl.page import decode, extract

    files = sorted((shared / "charsets" / "TIS-620").iterdir())
    for path in files:
        decoded = decode(path.read_bytes(), "text/html")
        content = extract(decoded.text, "http://x.th/", decoded.charsets)
        assert make_judge(load_pack("th")).judge(content).relevant, path.name
    assert files
