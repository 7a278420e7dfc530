"""Charsets that one language owns give it away; of others the evidence says whose they are."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from langcrawl.judge import make_judge
from langcrawl.languages import load_pack
from langcrawl.languages.charset_users import DETECTED, USERS
from langcrawl.languages.charsets import codec_name
from langcrawl.languages.packs import charset_languages
from langcrawl.page import decode
from langcrawl.records import Charsets, Content, Verdict

# Real pages by folder: the language that their charset gives away, where one owns it.
FOLDERS = {
    "Big5": "zh", "CP949": "ko", "EUC-KR": "ko", "EUC-JP": "ja", "GB2312": "zh", "Johab": "ko",
    "SHIFT_JIS": "ja", "CP932": "ja", "TIS-620": "th", "iso-2022-jp": "ja", "iso-2022-kr": "ko",
    "iso-8859-6-arabic": "ar", "iso-8859-7-greek": "el", "iso-8859-9-turkish": "tr",
    "windows-1254-turkish": "tr", "windows-1255-hebrew": "he",
}  # fmt: skip


def heard(label: str, source: str = "meta", lang: str = "th") -> Verdict:
    judge = make_judge(load_pack(lang), f"charset:from={source}")
    return judge.judge(Content("", Charsets(**{source: label})))


@pytest.mark.parametrize(
    ("labels", "language"),
    [
        ("EUC-KR ISO-2022-KR johab ks_c_5601-1987 windows-949 cp949", "ko"),
        ("GB2312 gbk GB18030 hz-gb-2312 x-gbk big5 Big5-HKSCS x-x-big5 EUC-TW cn-gb", "zh"),
        ("KOI8-R koi", "ru"),
        ("KOI8-U koi8-ru", "uk"),
        ("windows-1255 ISO-8859-8 ISO-8859-8-I x-cp1255 hebrew", "he"),
        ("windows-1253 iso-8859-7 greek x-mac-greek", "el"),
        ("windows-1254 iso-8859-9 latin5", "tr"),
        ("windows-1258 VISCII TCVN x-viet-vps", "vi"),
        ("iso-8859-6 asmo-708 arabic", "ar"),
        ("armscii-8", "hy"),
        ("koi8-t", "tg"),
        ("tis-620 windows-874 iso-8859-11", "th"),
        ("euc-jp shift_jis iso-2022-jp", "ja"),
    ],
)
def test_a_charset_of_one_language_names_it(labels: str, language: str) -> None:
    for label in labels.split():
        verdict = heard(label, lang=language)
        assert (verdict.language, verdict.relevant, verdict.score) == (language, True, 1.0), label
        assert verdict.evidence == (f"META declares {label}, a charset of {language}",)
        assert heard(label, "header", "en").language == language
        assert heard(label, "header", "en").score == 0.0


@pytest.mark.parametrize(
    ("label", "languages"),
    [
        ("windows-1251", ["ru", "bg", "sr", "mk", "be", "uk", "kk", "mn"]),
        ("ISO-8859-5", ["ru", "bg", "uk"]),
        ("windows-1256", ["ar", "fa", "ur"]),
        ("windows-1250", ["pl", "cs", "hu", "ro"]),
        ("iso-8859-1", ["en", "de", "fr", "es"]),
        ("windows-1257", ["lt", "lv", "et"]),
    ],
)
def test_of_a_shared_charset_the_evidence_names_who_shares_it(
    label: str, languages: list[str]
) -> None:
    verdict = heard(label, lang="ru")
    assert (verdict.language, verdict.relevant, verdict.score) == ("und", False, 0.0)
    said = verdict.evidence[0].removesuffix(" share").replace(",", " ").split()
    assert set(languages) <= set(said)


def test_other_charsets_say_why_they_tell_nothing() -> None:
    said = heard("utf-8").evidence[0]
    assert said == "META declares utf-8, in which every language can be written"
    assert heard("klingon-8").evidence[0].endswith("no charset that is known")
    assert "many languages use" not in str(heard("windows-1251").evidence)


def test_the_detector_calls_koi8_u_koi8_r_so_that_names_two_languages() -> None:
    verdict = heard("koi8-r", "detected", "ru")
    assert verdict.language == "und"
    assert verdict.evidence[0].endswith("a charset that ru and uk share")
    assert decode("Це українська сторінка, її читають.".encode("koi8-u") * 9).charsets.detected == (
        "koi8-r"
    )


def test_the_table_of_paper_002_is_whole() -> None:
    table = {
        "ja": ("EUC-JP", "Shift_JIS", "ISO-2022-JP"),
        "th": ("TIS-620", "WINDOWS-874", "ISO-8859-11"),
    }
    for language, labels in table.items():
        for label in labels:
            for source in ("meta", "header", "detected"):
                assert heard(label, source, language).relevant, (label, source)


def test_every_language_of_the_table_can_be_asked_for() -> None:
    for languages in (*USERS.values(), *DETECTED.values()):
        assert languages
        for language in languages:
            assert load_pack(language).target.primary == language
    assert len(USERS) > 70
    assert all(codec_name(name) == name for name in DETECTED if codec_name(name))
    assert set(charset_languages()) > set(USERS)


def test_real_pages_are_told_by_the_bytes_and_by_what_they_declare(shared: Path) -> None:
    told, wrong = Counter[str](), []
    for folder in sorted((shared / "charsets").iterdir()):
        for path in sorted(folder.iterdir()) if folder.is_dir() else ():
            charsets = decode(path.read_bytes()).charsets
            verdict = make_judge(load_pack("th"), "charset:from=detected").judge(
                Content("", charsets)
            )
            if verdict.language != "und":
                told[verdict.language] += 1
                if verdict.language != FOLDERS.get(folder.name, ""):
                    wrong.append((folder.name, path.name, verdict.language))
    assert sum(told.values()) - len(wrong) >= 195, told
    assert len(told) >= 7
    assert len(wrong) <= 4, wrong
