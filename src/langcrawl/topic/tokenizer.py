"""Finds the names of a country in a text: longest match, exact or by sound (004, section 2).

The automaton reads tokens. Its states are the beginnings of names; a token leads on by itself, or
by its Soundex code if it is long enough and no ordinary word. So a code stands for one token and
never for a phrase, of which it would keep the first letters and swallow whatever follows. At
equal length an exact match wins, which only matters for what is said of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import jellyfish

from langcrawl.topic.gazetteer import Gazetteer, tokens_of, word_lists
from langcrawl.topic.terms import stop_words

_SHORTEST = 4
"""Letters of a token that may be matched by its sound."""
_MOST_KNOWN = 1 << 18
"""Tokens whose codes are remembered."""


class Found(NamedTuple):
    """A name in a text: the tokens from `first` up to, not including, `last`."""

    first: int
    last: int
    exact: bool


class Tokens(NamedTuple):
    """A text as Figure 5 leaves it: names, and words that belong to none."""

    tokens: list[str]
    names: list[Found]

    @property
    def keywords(self) -> list[str]:
        return [" ".join(self.tokens[found.first : found.last]) for found in self.names]

    @property
    def words(self) -> list[str]:
        inside = {at for found in self.names for at in range(found.first, found.last)}
        return [token for at, token in enumerate(self.tokens) if at not in inside]

    def ratio(self, stop: frozenset[str] = frozenset()) -> float:
        """The share of names among names and words that are no stop words: a feature of 4.2.1.2."""
        rest = sum(word not in stop for word in self.words)
        return len(self.names) / (len(self.names) + rest) if self.names else 0.0


class _State:
    """A beginning of some names; which tokens or codes lead on from it."""

    __slots__ = ("ends", "on")

    def __init__(self) -> None:
        self.on: dict[str, _State] = {}
        self.ends = False


class Tokenizer:
    """Finds names; made once for a gazetteer."""

    def __init__(
        self, names: Iterable[str], *, sounds: bool = True, language: str = "en", guard: bool = True
    ) -> None:
        """Without `sounds`, exact matches only.

        Stop words and short tokens are never matched by sound; with `guard`, nor are words that
        an English encyclopedia has, unless they are names of the country.
        """
        entries = [tokens_of(name) for name in names]
        self._quiet = stop_words(language)
        if guard and sounds:
            own = {tokens[0] for tokens in entries if len(tokens) == 1}
            self._quiet |= word_lists().ordinary | (word_lists().familiar - own)
        self._codes: dict[str, str] = {}
        self._exact, self._sound = _State(), _State()
        for tokens in entries:
            _put(self._exact, tokens)
            _put(self._sound, [self._symbol(token) for token in tokens] if sounds else tokens)
        self._sounds = sounds

    @classmethod
    def of(cls, gazetteer: Gazetteer, *, sounds: bool = True) -> Tokenizer:
        return cls(gazetteer.names, sounds=sounds)

    def read(self, text: str) -> Tokens:
        """The tokens of a text, and the names among them from left to right."""
        tokens = tokens_of(text)
        symbols = self._symbols(tokens) if self._sounds else tokens
        names: list[Found] = []
        begins, end, at = self._sound.on, len(tokens), 0
        while at < end:
            if symbols[at] not in begins:
                at += 1
                continue
            last = _longest(self._sound, symbols, at)
            if last > at:
                names.append(Found(at, last, _longest(self._exact, tokens, at) == last))
            at = max(last, at + 1)
        return Tokens(tokens, names)

    def _symbols(self, tokens: list[str]) -> list[str]:
        known = self._codes
        if len(known) > _MOST_KNOWN:
            known.clear()
        for token in set(tokens).difference(known):
            known[token] = self._symbol(token)
        return [known[token] for token in tokens]

    def _symbol(self, token: str) -> str:
        """The code of a token, with a mark that no token has; the token where it has no code."""
        if len(token) < _SHORTEST or token in self._quiet or not token.isalpha():
            return token
        return f"={jellyfish.soundex(token)}"


def _put(state: _State, symbols: Iterable[str]) -> None:
    for symbol in symbols:
        state = state.on.setdefault(symbol, _State())
    state.ends = True


def _longest(state: _State, symbols: list[str], first: int) -> int:
    """Where the longest name that begins at `first` ends; `first` where none does."""
    last = at = first
    while at < len(symbols):
        after = state.on.get(symbols[at])
        if after is None:
            break
        state, at = after, at + 1
        if state.ends:
            last = at
    return last
