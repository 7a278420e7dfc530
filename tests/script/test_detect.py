"""Which encoding a text is in, and texts that make that hard."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langcrawl.errors import UnknownName, UsageError
from langcrawl.script import convert, detect, zawgyi_glyphs
from langcrawl.virtualweb.phrases import PHRASES

BURMESE = "\n".join(PHRASES["my"])
ZAWGYI = zawgyi_glyphs.from_unicode(BURMESE).text
WIN_INNWA = "tajumif;w&m;ajumifh jzpfay:vmjuaom tusdk;w&m;udk a[mjum;awmfrlonf/"
MENKSOFT = "\ue2f1\ue289\ue2bc\ue2ec\ue289\ue2f9 \ue2b1\ue26c\ue2f3\ue26a"


@pytest.mark.parametrize(
    ("text", "encoding", "script"),
    [
        (BURMESE, "unicode", "Mymr"),
        (ZAWGYI, "zawgyi", "Mymr"),
        (WIN_INNWA, "win-innwa", "Mymr"),
        (MENKSOFT, "menksoft", "Mong"),
        ("\ue245\ue250\ue261 \ue270\ue262\ue251", "saiyin", "Mong"),
        ("\ue266\ue26c\ue268 \ue271\ue276\ue273", "", "Mong"),
        ("ᠮᠣᠩᠭᠣᠯ ᠬᠡᠯᠡ", "unicode", "Mong"),
        ("The quick brown fox; it jumps & runs.", "unicode", ""),
        ("", "unicode", ""),
        ("၁၂၃ ၅၂၀", "unicode", ""),
    ],
)
def test_the_encoding_is_found(text: str, encoding: str, script: str) -> None:
    found = detect(text)
    assert (found.encoding, found.script) == (encoding, script)
    assert found.evidence


@pytest.mark.parametrize(
    "text",
    [
        "Home \uf015 Search \uf002 Menu \uf0c9",
        "\ue250 user  \ue260 menu  \ue24d cut",
        "\ue2c7 \ue2c8 \ue2cc \ue314 \ue324",
        "\ue88a\ue8b6\ue5d2 Mail \ue2c0\ue2c3\ue2c6",
        "rated \ue28a\ue28a\ue28a\ue28a",
        "\ue316\ue335\ue30a buttons in a row",
    ],
)
def test_icons_are_not_mongolian(text: str) -> None:
    found, done = convert(text)
    assert (found.encoding, found.script, done.text) == ("unicode", "", text)


def test_the_text_outweighs_the_font_that_is_declared() -> None:
    assert detect(ZAWGYI, ["Myanmar3", "Padauk"]).encoding == "zawgyi"
    assert detect(BURMESE, ["Zawgyi-One"]).encoding == "unicode"
    assert detect("hello world, this is English", ["Win Innwa"]).encoding == "unicode"


def test_a_declared_font_decides_where_the_text_does_not() -> None:
    assert detect("အ").encoding == detect("အ", ["Padauk"]).encoding == "unicode"
    assert detect("အ", ["ZawgyiOne"]).encoding == "zawgyi"
    assert detect("vGSrf;rdk;").encoding == "unicode"
    assert detect("vGSrf;rdk;", ["Win Innwa"]).encoding == "win-innwa"


def test_a_page_that_mixes_zawgyi_and_unicode_is_read_line_by_line() -> None:
    here, there = BURMESE.splitlines(), ZAWGYI.splitlines()
    mixed = [pair[number % 2] for number, pair in enumerate(zip(here, there, strict=True))]
    assert convert("\n".join(mixed))[1].text == BURMESE


def test_a_page_that_mixes_two_scripts_is_converted_whole() -> None:
    _, done = convert(f"{MENKSOFT}\n{ZAWGYI}\nEnglish")
    assert done.text == f"ᠮᠣᠩᠭᠣᠯ ᠨᠠᠮ\u180eᠠ\n{BURMESE}\nEnglish"
    _, done = convert(f"{WIN_INNWA}\nHome page in English\n")
    assert done.text.startswith("အကြောင်းတရားကြောင့်")
    assert done.text.endswith("\nHome page in English\n")


PIECES = [*BURMESE.split(), *ZAWGYI.split(), *WIN_INNWA.split(), *MENKSOFT.split(), "a", "\uf015"]


@given(
    st.lists(
        st.sampled_from(PIECES) | st.text("\u1000\u1031\u1039\u103a\u103b\u1060\ue266\ue268 ab;")
    ),
    st.sampled_from([" ", "\n", ""]),
)
def test_what_is_converted_once_stays_when_converted_again(pieces: list[str], between: str) -> None:
    once = convert(between.join(pieces))[1].text
    assert convert(once)[1].text == once


@pytest.mark.parametrize("encoding", ["zawgyi", "menksoft", "saiyin", "unicode"])
def test_unicode_passes_unchanged_even_where_told_otherwise(encoding: str) -> None:
    assert convert(BURMESE)[1].text == BURMESE
    assert convert(BURMESE, encoding)[1].text == BURMESE


def test_zawgyi_can_be_asked_for() -> None:
    assert convert(BURMESE, target="zawgyi")[1].text == ZAWGYI
    assert convert(ZAWGYI, target="zawgyi")[1].text == ZAWGYI


def test_an_encoding_that_does_not_exist_is_named() -> None:
    with pytest.raises(UnknownName, match="did you mean 'zawgyi'"):
        convert("x", "zawgy")
    with pytest.raises(UsageError, match="unicode or zawgyi"):
        convert("x", target="menksoft")
