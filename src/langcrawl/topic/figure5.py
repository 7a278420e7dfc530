"""Figure 5 of paper 004 as it is printed, to compare with.

It combines consecutive tokens to the end of the text and takes the last combination that is in
the dictionary, or whose Soundex code is that of an entry. A code keeps a letter and three digits.
Once a combination has these, more tokens do not change it: a first token that sounds like an entry
swallows all that follows. What is not changed by this is only how fast it ends: a code that is
full is not worked out again, and no combination longer than any entry is looked up.
"""

from __future__ import annotations

from collections.abc import Iterable

import jellyfish

from langcrawl.topic.gazetteer import tokens_of
from langcrawl.topic.tokenizer import Found, Tokens


class LiteralTokenizer:
    """The paper's text tokenizer."""

    def __init__(self, names: Iterable[str]) -> None:
        entries = [tokens_of(name) for name in names]
        self._entries = {" ".join(tokens) for tokens in entries}
        self._codes = {phrase_code(entry) for entry in self._entries}
        self._longest = max(map(len, entries), default=0)

    def read(self, text: str) -> Tokens:
        tokens = tokens_of(text)
        names: list[Found] = []
        at = 0
        while at < len(tokens):
            found = self._last(tokens, at)
            if found.last > at:
                names.append(found)
            at = max(found.last, at + 1)
        return Tokens(tokens, names)

    def _last(self, tokens: list[str], first: int) -> Found:
        """The last combination from `first` on that is in one of the dictionaries."""
        last, exact, word = first, False, ""
        for at in range(first, len(tokens)):
            word = f"{word} {tokens[at]}".strip()
            code = phrase_code(word)
            entry = word in self._entries
            if entry or code in self._codes:
                last, exact = at + 1, entry
            if code and not code.endswith("0"):
                if code in self._codes:  # so it is for every longer combination
                    return Found(first, len(tokens), False)
                if at + 1 - first >= self._longest:
                    break
        return Found(first, last, exact)


def phrase_code(phrase: str) -> str:
    """Soundex of all letters of a phrase, as Apache Commons Codec has it; empty without letters."""
    letters = "".join(letter for letter in phrase if letter.isalpha())
    return jellyfish.soundex(letters) if letters else ""
