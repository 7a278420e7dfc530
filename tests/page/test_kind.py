"""What an answer is, by its declared type and its first bytes."""

from __future__ import annotations

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langcrawl.page.kind import is_binary, is_html, is_text, media_type
from langcrawl.virtualweb.phrases import PHRASES

PAGE = b"<!DOCTYPE html><html><body><p>Hello"
PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(64))
BINARY = {
    "pdf": b"%PDF-1.7\n", "png": PNG, "gif": b"GIF89a....", "jpeg": b"\xff\xd8\xff\xe0\0\x10JFIF",
    "zip": b"PK\x03\x04....", "gzip": gzip.compress(PAGE), "riff": b"RIFF....WAVE",
    "ogg": b"OggS\0", "elf": b"\x7fELF\x02", "rar": b"Rar!\x1a", "ole": b"\xd0\xcf\x11\xe0\xa1",
    "ico": b"\x00\x00\x01\x00\x01", "mp3": b"ID3\x03", "noise": bytes(range(1, 32)) * 20,
}  # fmt: skip


@pytest.mark.parametrize(
    ("header", "kind"),
    [
        ("text/html", "text/html"),
        ("Text/HTML; Charset=UTF-8", "text/html"),
        ("  text/plain ;x", "text/plain"),
        ("", ""),
        (";charset=x", ""),
        ("nonsense", "nonsense"),
    ],
)
def test_a_media_type_has_no_parameters(header: str, kind: str) -> None:
    assert media_type(header) == kind


@pytest.mark.parametrize(
    ("declared", "body", "html"),
    [
        ("text/html", b"no tags at all", True),
        ("text/html", b"", True),
        ("application/xhtml+xml", b"<x/>", True),
        ("text/html", PNG, False),
        ("", PAGE, True),
        ("", b"\xef\xbb\xbf  <HTML>", True),
        ("", b"<!-- a remark --><p>x", True),
        ("", b"just words", False),
        ("text/plain", PAGE, True),
        ("text/plain", b"<!-- a remark --><p>x", False),
        ("application/octet-stream", b"<?xml version='1.0'?>\n<html>", True),
        ("application/xml", b"<?xml version='1.0'?><rss>", False),
        ("text/xml", b"<body>", True),
        ("image/png", PAGE, False),
        ("application/json", PAGE, False),
        ("text/css", b"<html>", False),
    ],
)
def test_a_page_is_what_says_so_or_begins_so(declared: str, body: bytes, html: bool) -> None:
    assert is_html(declared, body) is html


@pytest.mark.parametrize("name", BINARY)
def test_files_that_are_no_text_are_told_by_their_first_bytes(name: str) -> None:
    assert is_binary(BINARY[name])
    assert not is_html("text/html", BINARY[name])
    assert not is_text("text/plain", BINARY[name])


@pytest.mark.parametrize(
    "codec", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"]
)
@pytest.mark.parametrize("tag", PHRASES)
def test_text_in_any_unicode_is_no_binary_data(codec: str, tag: str) -> None:
    for text in (" ".join(PHRASES[tag]), "".join(f"<p>{each}</p>" for each in PHRASES[tag])):
        assert not is_binary(text.encode(codec))


@pytest.mark.parametrize("codec", ["cp874", "shift_jis", "euc_jp", "iso2022_jp", "koi8-r", "cp949"])
def test_nor_is_text_in_an_old_charset(codec: str) -> None:
    tag = {"cp874": "th", "koi8-r": "en", "cp949": "en"}.get(codec, "ja")
    body = " ".join(PHRASES[tag]).encode(codec)
    assert not is_binary(body)
    assert is_text("text/plain; charset=x", body)
    assert not is_text("text/html", body)


@given(st.text(st.characters(exclude_categories=["C"]), max_size=300))
def test_whatever_can_be_printed_is_text(text: str) -> None:
    body = text.encode()
    if not body.startswith((b"%PDF-", b"GIF8", b"RIFF", b"ID3", b"OggS", b"Rar!")):
        assert not is_binary(body)


@given(st.binary(max_size=200), st.sampled_from(["", "text/html", "text/plain", "image/gif"]))
def test_no_bytes_make_the_question_fail(body: bytes, declared: str) -> None:
    assert isinstance(is_html(declared, body), bool)
    assert not (is_text(declared, body) and is_binary(body))


def test_only_the_beginning_is_looked_at() -> None:
    assert not is_binary(b"a" * 1024 + b"\x01" * 10_000)
