"""What people call languages and countries.

``names/languages.tsv`` has a line a language: its tag, and its names, parted by semicolons. The
first is the English one; the others are English, too, or the language's own. A language that is
not there goes by the name of its pack or profile.

``names/countries.tsv`` has a line a country or region: its ISO 3166 code, its names, and the
languages that are official or widely written there, the first of all first.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from importlib import resources
from typing import NamedTuple

_FOLDER = "names"
_ACCENTS = range(0x300, 0x370)
"""Marks over and under Latin letters, which people leave out; other scripts need theirs."""
_WORDS = ("the ", " language")
"""What may stand before or after the name of a language."""


class Country(NamedTuple):
    """A country or region, and the languages written there."""

    code: str
    names: tuple[str, ...]
    tags: tuple[str, ...]


def name_key(text: str) -> str:
    """A name without what people write differently: capitals, accents, spaces and hyphens."""
    text = unicodedata.normalize("NFKC", text).casefold().strip()
    text = text.removeprefix(_WORDS[0]).removesuffix(_WORDS[1])
    apart = unicodedata.normalize("NFD", text)
    kept = "".join(c for c in apart if ord(c) not in _ACCENTS and _counts(c))
    return unicodedata.normalize("NFC", kept)


def _counts(character: str) -> bool:
    """Letters, their marks and digits make a name; what stands between them does not."""
    return unicodedata.category(character)[0] in "LMN"


@lru_cache(maxsize=1)
def language_names() -> dict[str, tuple[str, ...]]:
    """The names of languages by tag, the English one first."""
    rows = (line.split("\t") for line in _lines("languages.tsv"))
    return {tag: tuple(names.split("; ")) for tag, names in rows}


@lru_cache(maxsize=1)
def countries() -> tuple[Country, ...]:
    """The countries and their languages."""
    rows = (line.split("\t") for line in _lines("countries.tsv"))
    return tuple(
        Country(code, tuple(names.split("; ")), tuple(tags.split())) for code, names, tags in rows
    )


def by_name(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """The tags that go by each name, of (name, tag)."""
    found: dict[str, list[str]] = {}
    for name, tag in pairs:
        tags = found.setdefault(name_key(name), [])
        if tag not in tags:
            tags.append(tag)
    return found


def _lines(name: str) -> list[str]:
    text = resources.files("langcrawl.languages") / _FOLDER / name
    return text.read_text(encoding="utf-8").splitlines()


def named(lang: str) -> str:
    """Languages by their English names."""
    names = language_names()
    tags = lang.split(",")
    said = [names.get(tag, names.get(tag.split("-")[0], (tag,)))[0] for tag in tags]
    scripts = [f" ({tag})" if "-" in tag else "" for tag in tags]
    return ", ".join(f"{name}{script}" for name, script in zip(said, scripts, strict=True))


def script_name(code: str) -> str:
    """A script by its English name; its code where none is known."""
    return _SCRIPTS.get(code, code)


_SCRIPTS = {
    "Adlm": "Adlam", "Arab": "Arabic", "Armn": "Armenian", "Bali": "Balinese", "Beng": "Bengali",
    "Cakm": "Chakma", "Cans": "Canadian syllabics", "Cher": "Cherokee", "Cyrl": "Cyrillic",
    "Deva": "Devanagari", "Ethi": "Ethiopic", "Geor": "Georgian", "Gran": "Grantha",
    "Grek": "Greek", "Gujr": "Gujarati", "Guru": "Gurmukhi", "Hang": "Hangul", "Hani": "Han",
    "Hans": "Han, simplified", "Hant": "Han, traditional", "Hebr": "Hebrew", "Hira": "Hiragana",
    "Java": "Javanese", "Jpan": "Japanese", "Kana": "Katakana", "Khmr": "Khmer",
    "Knda": "Kannada", "Lana": "Tai Tham", "Laoo": "Lao", "Latn": "Latin", "Lisu": "Lisu",
    "Mlym": "Malayalam", "Mong": "Mongolian", "Mymr": "Myanmar", "Nkoo": "N'Ko",
    "Olck": "Ol Chiki", "Orya": "Odia", "Sinh": "Sinhala", "Sund": "Sundanese", "Syrc": "Syriac",
    "Tale": "Tai Le", "Talu": "New Tai Lue", "Taml": "Tamil", "Tavt": "Tai Viet",
    "Telu": "Telugu", "Tfng": "Tifinagh", "Tglg": "Tagalog", "Thaa": "Thaana", "Thai": "Thai",
    "Tibt": "Tibetan", "Vaii": "Vai", "Yiii": "Yi",
}  # fmt: skip
