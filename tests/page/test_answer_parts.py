"""The small parts of reading an answer: digests, fingerprints, redirects, cleaned headers."""

from __future__ import annotations

import base64
import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langcrawl.page.answer import clean, digest_of, fingerprint, redirect_target
from langcrawl.url import canonical


@given(st.binary(max_size=100))
def test_a_digest_is_that_of_warc_files(body: bytes) -> None:
    kind, _, value = digest_of(body).partition(":")
    assert kind == "sha1"
    assert base64.b32decode(value) == hashlib.sha1(body).digest()


def test_the_digest_of_nothing_is_the_known_one() -> None:
    assert digest_of(b"") == "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        (b"page 1 of 20", b"page 12 of 1999", True),
        (b"a  b\nc", b"abc", True),
        (b"visitor 7", b"visitor", True),
        (b"abc", b"abd", False),
        (b"abc", b"ABC", False),
    ],
)
def test_a_fingerprint_overlooks_numbers_and_white_space(
    first: bytes, second: bytes, same: bool
) -> None:
    assert (fingerprint(first) == fingerprint(second)) is same


@given(st.binary(max_size=50))
def test_a_fingerprint_fits_into_a_database(text: bytes) -> None:
    assert -(2**63) <= fingerprint(text) < 2**63
    assert (fingerprint(text) == 0) == (not text.translate(None, b"0123456789 \t\r\n"))


@pytest.mark.parametrize(
    ("location", "target"),
    [
        ("/b", "http://a.th/b"),
        ("b", "http://a.th/x/b"),
        ("http://c.th", "http://c.th/"),
        ("//c.th/d", "http://c.th/d"),
        ("?q=1", "http://a.th/x/y?q=1"),
        ("/b#there", "http://a.th/b"),
        ("/ก", "http://a.th/%E0%B8%81"),
        ("/\udcb9\udcb2", "http://a.th/%B9%B2"),
        ("/a b", "http://a.th/a%20b"),
        ("/100%", "http://a.th/100%"),
        ("", None),
        ("mailto:a@b.th", None),
        ("http://[x", None),
        ("javascript:alert(1)", None),
    ],
)
def test_redirects_lead_to_canonical_urls(location: str, target: str | None) -> None:
    assert redirect_target("http://a.th/x/y", location) == target


@given(st.binary(max_size=40))
def test_no_location_makes_a_redirect_fail(raw: bytes) -> None:
    found = redirect_target("http://a.th/", raw.decode("utf-8", "surrogateescape"))
    assert found is None or canonical(found) == found


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("text/html", "text/html"),
        ("  text/html \t; x", "text/html ; x"),
        ("a\r\nb", "a b"),
        ("\udcb9", "?"),
        ("", ""),
    ],
)
def test_what_a_server_says_is_one_line_that_can_be_written(said: str, kept: str) -> None:
    assert clean(said) == kept
