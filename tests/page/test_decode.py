"""Bytes to text."""

from __future__ import annotations

from pathlib import Path

import pytest

from langcrawl.languages.charsets import codec_name
from langcrawl.page import decode

THAI = "ภาษาไทยเป็นภาษาที่มีระดับเสียงของคำแน่นอน วันนี้อากาศดีมากและท้องฟ้าแจ่มใส"
META = '<html><head><meta http-equiv="Content-Type" content="text/html; charset={}"></head><p>'


@pytest.mark.parametrize("charset", ["tis-620", "windows-874", "ISO-8859-11", "utf-8"])
def test_a_declared_charset_is_used(charset: str) -> None:
    body = (META.format(charset) + THAI).encode(codec_name(charset))
    decoded = decode(body, "text/html")
    assert THAI in decoded.text
    assert decoded.charsets.meta == charset.lower()


def test_the_header_counts_before_meta_and_utf_8_that_fits_before_both() -> None:
    body = (META.format("iso-8859-5") + THAI).encode("cp874")
    assert THAI in decode(body, 'text/html; charset="windows-874"').text
    body = (META.format("windows-874") + THAI).encode()
    decoded = decode(body, "text/html; charset=ISO-8859-1")
    assert THAI in decoded.text
    assert decoded.charsets.header == "iso-8859-1"


@pytest.mark.parametrize("declared", ["", "iso-8859-1", "no-such-charset", "base64"])
def test_thai_bytes_are_recognised_behind_a_missing_weak_or_false_declaration(
    declared: str,
) -> None:
    body = (META.format(declared) + THAI * 3).encode("cp874")
    assert THAI in decode(body, "text/html").text


@pytest.mark.parametrize("codec", ["utf-16", "utf-16-le", "utf-8-sig", "utf-32"])
def test_a_byte_order_mark_decides(codec: str) -> None:
    mark = b"\xff\xfe" if codec == "utf-16-le" else b""
    assert decode(mark + THAI.encode(codec), "text/html; charset=tis-620").text == THAI


def test_a_character_cut_off_at_the_end_is_no_reason_to_change_the_charset() -> None:
    assert decode(THAI.encode()[:-1], "").text[:-1] == THAI[:-1]


@pytest.mark.parametrize("body", [b"", b"\x00\x01\x02\xff\xfe", bytes(range(256)), b"\x1b$B"])
def test_bytes_that_are_no_text_do_not_fail(body: bytes) -> None:
    assert isinstance(decode(body, "text/html; charset=iso-2022-jp").text, str)


def test_most_files_of_the_charset_corpus_are_read_as_their_folder_says(shared: Path) -> None:
    right, files = 0, sorted((shared / "charsets").glob("*/*"))
    for path in files:
        body = path.read_bytes()
        folder = path.parent.name
        label = folder if codec_name(folder) else "-".join(folder.split("-")[:-1])
        truth = body.decode(codec_name(label) or "utf-8", errors="replace").lstrip("\ufeff")
        found = decode(body, "text/html").text
        letters = [(a, b) for a, b in zip(truth, found, strict=False) if a.isalpha()]
        right += sum(a == b for a, b in letters) >= 0.99 * len(letters)
    assert len(files) > 300
    assert right / len(files) >= 0.98
