"""Names of charsets as pages write them, the codecs that read them, and whose charsets they are."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langcrawl.languages import known_languages
from langcrawl.languages.charset_users import DETECTED, USERS
from langcrawl.languages.charsets import charset_name as name_of
from langcrawl.languages.charsets import codec_name, reading_codec

LABELS = [
    ("utf-8", "utf-8"), ("UTF8", "utf-8"), ("utf8mb4", "utf-8"), ("unicode-1-1-utf-8", "utf-8"),
    ("windows-874", "cp874"), ("x-windows-874", "cp874"), ("dos-874", "cp874"),
    ("tis620", "tis-620"), ("TIS-620", "tis-620"), ("x-sjis", "shift_jis"),
    ("Shift_JIS", "shift_jis"), ("windows-31j", "cp932"), ("x-euc-jp", "euc_jp"),
    ("EUC-JP", "euc_jp"), ("ks_c_5601-1987", "euc_kr"), ("windows-949", "cp949"),
    ("x-gbk", "gbk"), ("cn-gb", "gb2312"), ("csgb2312", "gb2312"), ("x-x-big5", "big5"),
    ("windows-950", "cp950"), ("koi", "koi8-r"), ("koi8-ru", "koi8-u"), ("x-cp1251", "cp1251"),
    ("windows-1258", "cp1258"), ("iso-8859-8-i", "iso8859-8"), ("visual", "iso8859-8"),
    ("x-mac-cyrillic", "mac-cyrillic"), ("macintosh", "mac-roman"), ("latin1", "iso8859-1"),
]  # fmt: skip


@pytest.mark.parametrize(("label", "codec"), LABELS)
@pytest.mark.parametrize("written", ["{}", " {} ", '"{}"', "'{}'"])
def test_labels_of_the_web_have_one_codec(label: str, codec: str, written: str) -> None:
    assert codec_name(written.format(label)) == codec
    assert codec_name(written.format(label.upper())) == codec


@pytest.mark.parametrize(
    "label",
    [
        "utf-7", "UTF7", "idna", "punycode", "undefined", "unicode_escape", "raw_unicode_escape",
        "rot13", "base64", "hex", "zip", "bz2", "uu", "quopri",
    ],
)  # fmt: skip
def test_codecs_that_are_no_charsets_are_refused(label: str) -> None:
    """Some would run over ordinary text, and others would unpack what a page sends."""
    codecs.lookup(label)  # Python has it
    assert codec_name(label) == ""


@pytest.mark.parametrize("label", ["", " ", "none", "x-user-defined", "a\0b", "ü", "utf-8, utf-8"])
def test_what_nobody_knows_has_no_codec_and_keeps_its_name(label: str) -> None:
    assert codec_name(label) == ""
    assert name_of(label) == label.strip()


@settings(max_examples=8)  # each unknown one is looked for among Python's modules
@given(st.one_of(st.text(max_size=20), st.sampled_from([label for label, _ in LABELS])))
def test_no_label_makes_trouble_and_a_codec_can_always_read(label: str) -> None:
    found = codec_name(label)
    if found:
        assert isinstance(b"plain".decode(reading_codec(found), "replace"), str)
        assert codec_name(found) == found


@pytest.mark.parametrize(
    ("label", "data", "text"),
    [
        ("tis-620", b"\x80\xa1", "\u20ac\u0e01"),  # the euro is of Windows alone
        ("iso-8859-11", b"\x93\xa1\x94", "\u201c\u0e01\u201d"),
        ("iso-8859-1", b"\x93a\x94", "\u201ca\u201d"),
        ("us-ascii", b"\x85", "\u2026"),
        ("iso-8859-9", b"\x80\xf0", "\u20ac\u011f"),
        ("shift_jis", b"\x87\x40", "\u2460"),
        ("euc-kr", b"\x81\x41", "\uac02"),
        ("gb2312", b"\x81\x40", "\u4e02"),
        ("gbk", b"\x80\x20"[1:] + b"\xa2\xe3", " \u20ac"),
        ("utf-16", "ก".encode("utf-16-le"), "ก"),
    ],
)
def test_pages_are_read_with_what_vendors_added(label: str, data: bytes, text: str) -> None:
    assert data.decode(reading_codec(codec_name(label))) == text


@pytest.mark.parametrize("codec", ["utf-8", "cp1251", "koi8-r", "iso8859-8", "cp874"])
def test_other_codecs_read_themselves(codec: str) -> None:
    assert reading_codec(codec) == codec


@pytest.mark.parametrize(
    ("label", "users"),
    [
        ("koi8-u", ("uk",)), ("windows-1255", ("he",)), ("iso-8859-7", ("el",)),
        ("big5", ("zh",)), ("euc-kr", ("ko",)), ("tscii", ("ta",)), ("viscii", ("vi",)),
        ("windows-1256", ("ar", "fa", "ur")), ("windows-1257", ("lt", "lv", "et")),
    ],
)  # fmt: skip
def test_a_charset_tells_whose_it_is(label: str, users: tuple[str, ...]) -> None:
    assert USERS[name_of(label)] == users


@pytest.mark.parametrize("label", ["utf-8", "utf-16", "utf-32", "us-ascii"])
def test_what_all_languages_use_tells_nothing(label: str) -> None:
    assert name_of(label) not in USERS
    assert name_of(label) not in DETECTED


def test_charsets_are_kept_by_the_one_name_that_a_label_becomes() -> None:
    for table in (USERS, DETECTED):
        for name in table:
            assert name_of(name) == name


def test_every_language_that_owns_a_charset_can_be_collected() -> None:
    packs = known_languages()
    primaries = {tag.split("-")[0] for tag in packs}
    for name, users in USERS.items():
        assert set(users) <= primaries, name


def test_bytes_tell_less_than_a_declaration() -> None:
    assert DETECTED["koi8-r"] == ("ru", "uk")
    assert USERS["koi8-r"] == ("ru",)
    assert set(DETECTED) < set(USERS)
    for name in ("cp862", "mac-greek", "cp1125"):
        assert name in USERS
        assert name not in DETECTED
