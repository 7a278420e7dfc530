"""The terms of a page: stems of its title, body and anchors, with how often each is there.

The recipe ``paper`` is section 1 of paper 004: stop words and numbers are left out, and a term
counts the same wherever it stands. The recipe ``places`` keeps stop words (a page with "my" and
"our" is a person's or a group's), writes a number by its length, and counts the terms of the
title and of the first lines once more by their place.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import Stemmer

from langcrawl.letters import letters
from langcrawl.records import Content

RECIPES = ("places", "paper")
_HEAD = 30
"""Words at the beginning of a page that tell what it is."""
_MOST = 200_000
"""Characters of a page that are read; few pages have more."""
_TITLE, _FIRST = "title:", "first:"
_PLAIN = re.compile(r"[a-z]+(?:'[a-z]+)*|\d+")
"""A word of ASCII letters, or a number."""
MARKED = re.compile(r"[\u0900-\u109f\u1780-\u17ff]")
"""Writing whose vowels are marks: of India, Thai, Lao, Tibetan, Burmese, Khmer."""
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]{2,}")
"""Writing that leaves no space between words: it is read in pairs of letters."""
_STEMMERS = {
    "ar": "arabic", "hy": "armenian", "eu": "basque", "ca": "catalan", "cs": "czech",
    "da": "danish", "nl": "dutch", "en": "english", "eo": "esperanto", "et": "estonian",
    "fi": "finnish", "fr": "french", "de": "german", "el": "greek", "hi": "hindi",
    "hu": "hungarian", "id": "indonesian", "ga": "irish", "it": "italian", "lt": "lithuanian",
    "ne": "nepali", "no": "norwegian", "nb": "norwegian", "fa": "persian", "pl": "polish",
    "pt": "portuguese", "ro": "romanian", "ru": "russian", "sr": "serbian", "es": "spanish",
    "sv": "swedish", "ta": "tamil", "tr": "turkish", "yi": "yiddish",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Terms:
    """Makes terms of pages in one language, by one recipe."""

    language: str
    """The primary subtag, such as ``en``; one without a stemmer keeps its words whole."""
    recipe: str = "places"

    def count(self, content: Content) -> Counter[str]:
        """The terms of a page, and how often each is there."""
        body, title = self._terms(_body(content)), self._terms(content.title)
        found = Counter(body)
        found.update(title)
        if self.recipe == "places":
            found.update(_TITLE + term for term in title)
            found.update(_FIRST + term for term in body[:_HEAD])
        return found

    def has_any(self, content: Content, phrases: Iterable[str]) -> str:
        """The first of these words or phrases that a page has in some form; empty if none."""
        text = f" {' '.join(self._stems(f'{content.title} . {_body(content)}'))} "
        for phrase in phrases:
            if f" {' '.join(self._stems(phrase))} " in text:
                return phrase
        return ""

    def _terms(self, text: str) -> list[str]:
        words = words_of(text)
        if self.recipe == "paper":
            stop = stop_words(self.language)
            words = [word for word in words if word not in stop and not word.isdigit()]
        else:
            words = [f"#{len(word)}" if word.isdigit() else word for word in words]
        return _stemmed(words, self.language)

    def _stems(self, text: str) -> list[str]:
        return _stemmed(words_of(text), self.language)


def words_of(text: str) -> list[str]:
    """The words of a text in small letters."""
    pattern = _PLAIN if text.isascii() else _word()
    words: list[str] = pattern.findall(text[:_MOST].casefold())
    if text.isascii() or not _UNSPACED.search(text):
        return words
    return [piece for word in words for piece in _pieces(word)]


@lru_cache(maxsize=1)
def _word() -> re.Pattern[str]:
    """A word in any letters with their marks, or a number."""
    return re.compile(rf"{letters()}(?:['’]{letters()})*|\d+")


def _pieces(word: str) -> Sequence[str]:
    if not _UNSPACED.search(word):
        return (word,)
    return [word[at : at + 2] for at in range(len(word) - 1)]


def _body(content: Content) -> str:
    """The text, and the anchors that are not part of it: one inside the body counts once."""
    text = content.text[:_MOST]
    plain = " ".join(text.split())
    apart = {anchor for anchor in content.links.anchors if anchor and anchor not in plain}
    return "\n".join((text, *sorted(apart)))


def _stemmed(words: list[str], language: str) -> list[str]:
    stemmer = _stemmer(language)
    if stemmer is None:
        return words
    stems: list[str] = stemmer.stemWords(words)
    return stems


@lru_cache(maxsize=8)
def _stemmer(language: str) -> Stemmer.Stemmer | None:
    name = _STEMMERS.get(language)
    return Stemmer.Stemmer(name) if name else None


@lru_cache(maxsize=8)
def stop_words(language: str) -> frozenset[str]:
    """The stop words of a language; none where none are known."""
    import stopwordsiso  # not needed by most commands

    known = language in stopwordsiso.langs()
    return frozenset(stopwordsiso.stopwords(language)) if known else frozenset()
