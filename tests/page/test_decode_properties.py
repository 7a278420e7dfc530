"""Any text that a charset can write is read back where the charset is declared."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langcrawl.languages.charsets import codec_name, reading_codec
from langcrawl.page.decode import declared_charset, decode, without_mark
from langcrawl.virtualweb.phrases import PHRASES

WRITTEN = {
    "th": ("tis-620", "windows-874", "iso-8859-11", "utf-8", "utf-16-le", "utf-16-be"),
    "ja": ("shift_jis", "euc-jp", "iso-2022-jp", "utf-8", "utf-16-le", "utf-32-le"),
    "zh": ("gb2312", "gbk", "gb18030", "utf-8", "utf-16-be"),
    "my": ("utf-8", "utf-16-le", "utf-16-be", "utf-32-be"),
    "en": ("us-ascii", "iso-8859-1", "windows-1252", "utf-8"),
}
CASES = [(tag, charset) for tag, charsets in WRITTEN.items() for charset in charsets]


@pytest.mark.parametrize(("tag", "charset"), CASES)
@pytest.mark.parametrize("where", ["header", "meta", "both"])
def test_a_page_is_read_in_the_charset_that_it_names(tag: str, charset: str, where: str) -> None:
    named = f"<meta charset='{charset}'>" if where != "header" else ""
    text = f"<html><head>{named}</head><p>" + "</p><p>".join(PHRASES[tag])
    header = f"text/html; charset={charset}" if where != "meta" else "text/html"
    decoded = decode(text.encode(codec_name(charset)), header)
    assert decoded.text == text
    if where != "meta":
        assert decoded.charsets.header == charset
    if where != "header" and not charset.startswith(("utf-16", "utf-32")):
        assert decoded.charsets.meta == charset


@given(st.text(max_size=200))
def test_utf_8_is_read_back_whatever_else_is_declared(text: str) -> None:
    body = text.encode("utf-8", "surrogatepass")
    if text.isascii() or "\0" in text or text.startswith(("\ufeff", "\ufffe")):
        return
    for declared in ("", "text/html; charset=tis-620", "text/html; charset=iso-8859-1"):
        decoded = decode(body, declared)
        try:
            assert decoded.text == body.decode("utf-8")
        except UnicodeDecodeError:  # a lone half of a pair is no UTF-8
            continue
        assert decoded.codec == "utf-8"
        assert decoded.utf_8 == body


@given(st.binary(max_size=400), st.sampled_from(["", "charset=utf-16", "charset=big5", "x=;;\xff"]))
def test_no_bytes_make_decoding_fail_and_what_it_gives_can_be_written(
    body: bytes, declared: str
) -> None:
    decoded = decode(body, declared)
    decoded.text.encode("utf-8", "replace")
    assert decode(body, declared) == decoded
    assert len(decoded.text) <= len(body)


@pytest.mark.parametrize(
    ("header", "charset"),
    [
        ("text/html; charset=UTF-8", "utf-8"),
        ('text/html;charset="TIS-620"', "tis-620"),
        ("text/html; charset = 'euc-jp'", "euc-jp"),
        ("text/html; Charset=x-sjis; boundary=a", "x-sjis"),
        ("text/html", ""),
        ("text/html; charset=", ""),
        ("text/html; charset=;", ""),
        ("", ""),
    ],
)
def test_the_charset_of_a_header_is_in_small_letters(header: str, charset: str) -> None:
    assert declared_charset(header) == charset


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("tag", ["th", "en", "my", "mn"])
def test_wide_text_without_a_mark_is_recognised(codec: str, tag: str) -> None:
    text = "<p>" + " ".join(PHRASES[tag])
    assert without_mark(text.encode(codec)) == codec
    assert decode(text.encode(codec)).text == text


@pytest.mark.parametrize("tag", ["th", "en", "ja", "my"])
def test_narrow_text_is_not_taken_for_wide(tag: str) -> None:
    assert without_mark(" ".join(PHRASES[tag]).encode()) == ""


def test_zeros_strewn_into_text_do_not_make_it_wide() -> None:
    text = "\0".join(PHRASES["th"])
    assert without_mark(text.encode()) == ""


@pytest.mark.parametrize("cut", range(1, 6))
def test_a_character_cut_off_at_the_end_costs_that_character_only(cut: int) -> None:
    text = " ".join(PHRASES["th"])
    for charset in ("utf-8", "utf-16-le"):
        body = text.encode(charset)[:-cut]
        found = decode(body, f"text/html; charset={charset}").text
        whole = body.decode(charset, "ignore")
        assert found.rstrip("\ufffd") == whole


@pytest.mark.parametrize(
    ("label", "codec", "reads"),
    [
        ("TIS-620", "tis-620", "cp874"),
        ("windows-874", "cp874", "cp874"),
        (" 'utf8' ", "utf-8", "utf-8"),
        ("x-sjis", "shift_jis", "cp932"),
        ("Shift_JIS", "shift_jis", "cp932"),
        ("ISO-8859-1", "iso8859-1", "cp1252"),
        ("us-ascii", "ascii", "cp1252"),
        ("gb2312", "gb2312", "gb18030"),
        ("macintosh", "mac-roman", "mac-roman"),
    ],
)
def test_labels_of_the_web_have_codecs_that_read_the_vendors_additions(
    label: str, codec: str, reads: str
) -> None:
    assert codec_name(label) == codec
    assert reading_codec(codec) == reads


@pytest.mark.parametrize(
    "label",
    ["", "none", "utf-7", "idna", "punycode", "unicode_escape", "raw_unicode_escape", "undefined",
     "rot13", "base64", "hex", "zip", "a\0b", "../utf_8"],
)  # fmt: skip
def test_what_is_no_charset_of_pages_has_no_codec(label: str) -> None:
    assert codec_name(label) == ""
