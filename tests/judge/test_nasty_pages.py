"""The nastiest pages of the web, in every language that has a pack, read as `identify` reads them.

What a reader would see as the language is the language, however it is written down; what a
reader could not read is not.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
from tests.judge.tongues import TONGUES

from langcrawl.importers.files import identify_bytes, make_any
from langcrawl.judge import make_judge
from langcrawl.languages import load_pack, parse_tag
from langcrawl.page import understand
from langcrawl.virtualweb.legacy import write_in
from langcrawl.virtualweb.phrases import PHRASES

TEXTS = {tag: " ".join(lines) for tag, lines in TONGUES.items()}
LEGACY = {
    "zawgyi": ("my", write_in(TEXTS["my"], "zawgyi")),
    "win-innwa": ("my", write_in(TEXTS["my"], "win-innwa")),
    "menksoft": ("mn-Mong", write_in(TEXTS["mn-Mong"], "menksoft")),
    "saiyin": ("mn-Mong", write_in(TEXTS["mn-Mong"], "saiyin")),
}
ENGLISH = " ".join(PHRASES["en"])
WORDS = "Home,About us,Contact,Login,Register,Privacy policy,Sitemap,Help,Search,Archive,Terms,News"
MENU = "".join(f'<li><a href="/{word}">{word}</a>' for word in WORDS.split(","))
CODE = "<pre><code>for (int i = 0; i &lt; n; i++) { result.push_back(values[i] * 2); }</code></pre>"
REPLIES = "".join(f"<p>{PHRASES[tag][0]}</p>" for tag in ("de", "en", "ru"))


def page(body: str, head: str = "<meta charset=utf-8>") -> str:
    return f"<!DOCTYPE html><html><head>{head}<title>page</title></head><body>{body}</body></html>"


def utf_8(body: str, head: str = "<meta charset=utf-8>") -> bytes:
    return page(body, head).encode()


def escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")


def between(text: str, what: str) -> bytes:
    """A page with something between all the letters of its text."""
    return utf_8("<p>" + what.join(map(escaped, text)) + "</p>")


READABLE: dict[str, Callable[[str], bytes]] = {
    "an English menu": lambda t: utf_8(f"<ul>{MENU}</ul><p>{escaped(t)}</p><p>Copyright 2026</p>"),
    "code": lambda t: utf_8(f"<p>{escaped(t)}</p>{CODE}"),
    "replies in other languages": lambda t: utf_8(f"<p>{escaped(t)}</p>{REPLIES}"),
    "only links": lambda t: utf_8("".join(f"<a href=/{n}>{escaped(w)}</a> | "
                                          for n, w in enumerate(t.split()))),
    "addresses shown": lambda t: utf_8("".join(
        f"<p>{escaped(t[at : at + 60])} http://www.example.com/archives/2026/{at}/index.html"
        for at in range(0, len(t), 60))),
    "decimal entities": lambda t: utf_8("".join(f"&#{ord(c)};" for c in t), ""),
    "hexadecimal entities": lambda t: utf_8("".join(f"&#x{ord(c):X};" for c in t), ""),
    "META says Latin 1": lambda t: utf_8(escaped(t), "<meta charset=iso-8859-1>"),
    "META says Shift_JIS": lambda t: utf_8(escaped(t), "<meta charset=shift_jis>"),
    "META says TIS-620": lambda t: utf_8(escaped(t), "<meta charset=tis-620>"),
    "META says nonsense": lambda t: utf_8(escaped(t), "<meta charset=x-nobody-knows>"),
    "no META": lambda t: utf_8(escaped(t), ""),
    "UTF-16 with a mark": lambda t: page(escaped(t)).encode("utf-16"),
    "UTF-16, little end first": lambda t: page(escaped(t)).encode("utf-16-le"),
    "UTF-16, big end first": lambda t: page(escaped(t)).encode("utf-16-be"),
    "UTF-16 and no tag": lambda t: t.encode("utf-16-le"),
    "UTF-16, a long title": lambda t: page(
        escaped(t), f"<title>{escaped(t) * 8}</title>").encode("utf-16-le"),
    "cut within a letter": lambda t: utf_8(escaped(t)).split(b"</body>")[0][:-1],
    "bytes that are no UTF-8": lambda t: utf_8(escaped(t)) + b"\xff\xa9 \xe9t\xe9",
    "a footer in Latin 1": lambda t: utf_8(escaped(t)) + "<p>Café Müller ©".encode("latin-1"),
    "zeros here and there": lambda t: utf_8("\0".join(
        escaped(t[at : at + 7]) for at in range(0, len(t), 7))),
    "zeros everywhere": lambda t: between(t, "\0"),
    "all in noscript": lambda t: utf_8(f"<script>go()</script><noscript>{escaped(t)}</noscript>"),
    "English in scripts": lambda t: utf_8(f"<script>x = '{ENGLISH * 3}'</script>{escaped(t)}"),
    "English in comments": lambda t: utf_8(f"<!-- {ENGLISH * 3} --><p>{escaped(t)}</p>"),
    "marks of direction": lambda t: utf_8(
        "\u202b" + " \u200f".join(map(escaped, t.split(" "))) + "\u202c"),
    "zero-width spaces": lambda t: between(t, "\u200b"),
    "zero-width non-joiners": lambda t: between(t, "\u200c"),
    "word joiners": lambda t: between(t, "&#8288;"),
    "soft hyphens": lambda t: between(t, "&shy;"),
    "places to break": lambda t: between(t, "<wbr>"),
    "a span for each letter": lambda t: between(t, "</span><span>"),
    "a font for each letter": lambda t: between(t, "</font><font color=red>"),
    "no html element": lambda t: f"<div><p>{escaped(t)}</p></div>".encode(),
    "plain text": lambda t: t.encode(),
    "plain text with a mark": lambda t: b"\xef\xbb\xbf" + t.encode(),
    "XHTML": lambda t: ('<?xml version="1.0" encoding="UTF-8"?>\n'
                        f'<html xmlns="http://www.w3.org/1999/xhtml">{escaped(t)}</html>').encode(),
}  # fmt: skip

UNREADABLE: dict[str, Callable[[str], bytes]] = {
    "numbers": lambda _: utf_8("".join(f"<tr><td>{n}<td>{n * 7919 % 10007}" for n in range(300))),
    "text in attributes": lambda t: utf_8(f'<img title="{t}" src=x><div data-x="{t}"></div>'),
    "UTF-8 read as Windows-1252": lambda t: utf_8(t.encode().decode("cp1252", "replace")),
    "UTF-8 read as Latin 1": lambda t: utf_8(t.encode().decode("latin-1")),
    "and once more": lambda t: utf_8(
        t.encode().decode("latin-1").encode().decode("latin-1")),
    "UTF-8 read as Windows-874": lambda t: utf_8(t.encode().decode("cp874", "replace")),
    "question marks": lambda t: utf_8("".join("?" if c != " " else c for c in t)),
    "nothing but what was lost": lambda t: utf_8("\ufffd" * len(t)),
    "all in a template": lambda t: utf_8(f"<template><p>{t}</p></template>"),
}  # fmt: skip


def judged(body: bytes, lang: str = "") -> dict[str, Any]:
    return identify_bytes("page", body, make_any(lang, ""), bool(lang))


@pytest.mark.parametrize("kind", READABLE)
@pytest.mark.parametrize("lang", TEXTS)
def test_the_language_of_a_readable_page_is_found(lang: str, kind: str) -> None:
    body = READABLE[kind](TEXTS[lang])
    assert judged(body, lang)["relevant"]
    anyone = judged(body)
    assert parse_tag(lang).matches(anyone["language"], anyone["script"]), anyone


@pytest.mark.parametrize("kind", READABLE)
@pytest.mark.parametrize("encoding", LEGACY)
def test_the_legacy_encoding_of_a_readable_page_is_found(encoding: str, kind: str) -> None:
    lang, text = LEGACY[encoding]
    found = judged(READABLE[kind](text), lang)
    assert (found["relevant"], found["encoding"]) == (True, encoding)


@pytest.mark.parametrize("kind", UNREADABLE)
@pytest.mark.parametrize("lang", TEXTS)
def test_a_page_that_nobody_can_read_is_in_no_language(lang: str, kind: str) -> None:
    found = judged(UNREADABLE[kind](TEXTS[lang]), lang)
    assert not found["relevant"]
    # Of a page of pairs of Latin letters fastText is sometimes sure; of the rest nobody is.
    assert found["language"] == "und" or kind == "UTF-8 read as Latin 1"


@pytest.mark.parametrize("codec", ["euc_jp", "shift_jis", "iso2022_jp", "cp874", "cp1251"])
@pytest.mark.parametrize("meta", ["", "<meta charset=utf-8>", "<meta charset=iso-8859-1>"])
@pytest.mark.parametrize("header", ["text/html", "text/html; charset=utf-8",
                                    "text/html; charset=windows-1252"])  # fmt: skip
def test_legacy_charsets_are_read_whatever_is_declared(codec: str, meta: str, header: str) -> None:
    lang = {"cp874": "th", "cp1251": "mn-Cyrl"}.get(codec, "ja")
    text = TEXTS[lang] if lang != "mn-Cyrl" else " ".join(PHRASES["ru"])
    body = page(f"<ul>{MENU}</ul><p>{text}</p>", meta).encode(codec)
    judge = make_judge(load_pack("ru" if lang == "mn-Cyrl" else lang))
    _, verdict, _ = understand("http://a.test/", 200, header, "", body, judge)
    assert verdict.relevant, verdict


@pytest.mark.parametrize("lang", TEXTS)
def test_a_server_may_call_utf_16_a_page(lang: str) -> None:
    """Half of its bytes are control characters, and yet it is no image."""
    body = page(TEXTS[lang] * 4, f"<title>{TEXTS[lang]}</title>").encode("utf-16-le")
    judge = make_judge(load_pack(lang))
    seen, verdict, _ = understand("http://a.test/", 200, "text/html", "", body, judge)
    assert verdict.relevant
    assert "binary" not in seen.notes


@pytest.mark.parametrize("lang", ["th", "my", "ja", "mn-Mong", "am"])
def test_ten_megabytes_on_one_line_are_judged_in_seconds(lang: str) -> None:
    line = TEXTS[lang] + " "
    body = utf_8(line * (10_000_000 // len(line.encode())))
    began = time.process_time()
    assert judged(body, lang)["relevant"]
    assert time.process_time() - began < 10
