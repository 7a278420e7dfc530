"""Pages that say little, nothing, or two things at once, before the default chain of each pack."""

from __future__ import annotations

import random

import pytest

from langcrawl.judge import make_judge
from langcrawl.languages import load_pack
from langcrawl.page import decode, extract
from langcrawl.records import Content, Verdict
from langcrawl.virtualweb.phrases import PHRASES

PACKS = ["th", "ja", "my", "mn-Mong", "mn-Cyrl", "en", "km", "lo", "shn", "de"]
every_chain = pytest.mark.parametrize("lang", PACKS)
THAI, ENGLISH = " ".join(PHRASES["th"]), " ".join(PHRASES["en"])


def page(lang: str, body: bytes, content_type: str = "text/html") -> Verdict:
    """What the default chain says of the bytes of a page."""
    decoded = decode(body, content_type)
    content = extract(decoded.text, "http://host.test/", decoded.charsets)
    return make_judge(load_pack(lang)).judge(content)


def text(lang: str, words: str) -> Verdict:
    return make_judge(load_pack(lang)).judge(Content(words))


def gibberish(seed: int, words: int, letters: str = "abcdefghijklmnopqrstuvwxyz") -> str:
    chance = random.Random(seed)
    return " ".join(
        "".join(chance.choice(letters) for _ in range(chance.randint(3, 8))) for _ in range(words)
    )


@every_chain
@pytest.mark.parametrize(
    "words", ["", " \n\t", "ok", "Home", "404 not", "สวัสดี", "日本", "12 345,67 " * 60, "1+1=2 €%&"]
)
def test_little_text_and_numbers_are_unknown(lang: str, words: str) -> None:
    verdict = text(lang, words)
    assert (verdict.language, verdict.relevant) == ("und", False)


@every_chain
def test_a_row_of_keys_is_no_language(lang: str) -> None:
    for words in ("asdf qwer zxcv", "asdf qwer zxcv " * 5, "qwertz uiop jklö yxcvbnm " * 3):
        assert text(lang, words).language == "und", words


@every_chain
def test_random_letters_are_no_language(lang: str) -> None:
    found = [text(lang, gibberish(seed, 40)) for seed in range(50)]
    assert not any(verdict.relevant for verdict in found)
    assert sum(verdict.language == "und" for verdict in found) >= 49


@every_chain
def test_letters_written_as_entities_are_letters(lang: str) -> None:
    written = "".join(f"&#{ord(c)};" if c != " " else c for c in THAI).encode("ascii")
    verdict = page(lang, b"<html><body><p>" + written)
    assert (verdict.language, verdict.relevant) == ("th", lang == "th")


def test_a_page_in_two_languages_says_how_much_is_in_each() -> None:
    half = f"<p>{THAI}</p><p>{' '.join(PHRASES['en'][:8])}</p>".encode()
    said = " ".join(page("th", half).evidence)
    assert page("th", half).relevant
    assert "th " in said
    assert "en " in said
    assert said.count("%") == 2
    burmese = f"<p>{' '.join(PHRASES['my'])}</p><p>{' '.join(PHRASES['en'][:4])}</p>".encode()
    assert page("my", burmese).relevant
    assert "135 Myanmar syllables to 216 other characters" in page("my", burmese).evidence[0]


MOSTLY_ENGLISH = " ".join(PHRASES["en"][:6])


@pytest.mark.parametrize(("lang", "words"), [
    ("uk", "назад далі початок догори зміст покажчик довідник користувача програми розділ"),
    ("ru", "назад далее начало содержание указатель справочник пользователя программы раздел"),
    ("hi", "पिछला अगला प्रारंभ सामग्री अनुक्रमणिका उपयोगकर्ता मार्गदर्शिका अध्याय"),
])  # fmt: skip
def test_letters_of_many_bytes_do_not_count_for_more(lang: str, words: str) -> None:
    """More of the page is in English, but fewer of its bytes are."""
    page = f"{words} {MOSTLY_ENGLISH[: int(1.4 * len(words))]}"
    assert len(words.encode()) > len(page.encode()) / 2
    assert text("th", page).language == "en", text("th", page).evidence
    half = f"{words} {MOSTLY_ENGLISH[: int(0.7 * len(words))]}"
    assert text("th", half).language == lang, text("th", half).evidence


@pytest.mark.parametrize("lang", ["th", "ja", "my"])
def test_a_menu_in_another_language_does_not_hide_the_text(lang: str) -> None:
    menu = "<ul><li>Home<li>About us<li>Contact<li>Login<li>Privacy policy<li>Sitemap</ul>"
    body = f"<html><body>{menu}<p>{' '.join(PHRASES[lang])}</p><p>Copyright 2026</p>"
    assert page(lang, body.encode()).relevant
    menu = "".join(f"<li>{phrase[:12]}" for phrase in PHRASES[lang][:2])
    body = f"<html><body><ul>{menu}</ul><p>{ENGLISH * 2}</p>"
    assert not page(lang, body.encode()).relevant


@every_chain
def test_bytes_that_are_no_text_are_not_relevant(lang: str) -> None:
    for seed in range(20):
        body = random.Random(seed).randbytes(4000)
        assert not page(lang, body).relevant, f"random bytes {seed}"
        assert not page(lang, b"\x89PNG\r\n\x1a\n" + body, "text/plain").relevant


@pytest.mark.parametrize("lang", ["th", "ja", "my", "en"])
@pytest.mark.parametrize("codec", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le"])
def test_utf_16_and_utf_32_are_read_with_and_without_a_mark(lang: str, codec: str) -> None:
    body = f"<html><head><title>page</title></head><body><p>{' '.join(PHRASES[lang])}</p></body>"
    verdict = page(lang, body.encode(codec))
    assert (verdict.language, verdict.relevant) == (lang, True)


@every_chain
@pytest.mark.parametrize(
    ("source", "written", "read"),
    [
        ("vi", "utf-8", "cp1252"),
        ("ru", "cp1251", "cp1252"),
        ("ru", "cp1251", "cp874"),
        ("ru", "utf-8", "cp874"),
        ("ja", "shift_jis", "cp874"),
        ("zh", "gb18030", "cp932"),
        ("th", "cp874", "cp1252"),
    ],
)
def test_text_read_in_the_wrong_charset_is_not_relevant(
    lang: str, source: str, written: str, read: str
) -> None:
    garbled = " ".join(PHRASES[source]).encode(written, "replace").decode(read, "replace")
    assert not text(lang, garbled).relevant, garbled[:60]


def test_names_in_latin_letters_do_not_hide_a_language_of_another_script() -> None:
    names = " ".join(["Template Toolkit perl_magick GTK wx SDL OpenGL"] * 3)
    lines = [f"{names} {n}. Форум о языке программ, вопросы и ответы. " for n in range(8)]
    verdict = text("th", "\n".join(lines))
    assert (verdict.language, verdict.script) == ("ru", "Cyrl")
