"""N-grams of a text: its words, cut into pieces of one to five letters, the frequent first.

Cavnar and Trenkle (1994), whose method is TextCat's: a word is written between two marks, so
that a piece knows whether it begins or ends one. Digits, punctuation and capitals say nothing.
A script without spaces has long words, and is treated alike.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache

from langcrawl.letters import letters

_JOINTS = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\x00]")
_PROBE = 7
"""Of so many characters one is looked at: enough to find what stands between most letters."""
_ENDS = re.compile(
    "[.!?\u2026\u3002\uff01\uff0e\uff1f\u0964\u0965\u06d4\u061f\u104a\u104b\u1362\u1367\u1368"
    "\u17d4\u17d5\u1803\u1809\n\r]+"
)
"""What ends a sentence in the scripts of the packs, and a line."""
PiecesOf = Callable[[str], list[str]]
"""Cuts a text into what a window slides over: `words` or `sentences`."""
EDGE = "_"
"""Stands before and after a word."""
LONGEST = 5


@lru_cache(maxsize=1)
def _word() -> re.Pattern[str]:
    """A word in any letters with their marks."""
    return re.compile(letters())


def without_joints(text: str) -> str:
    """A text without its invisible characters, where they stand between most of its letters.

    Some programs put zero-width spaces or soft hyphens after every letter, so that long words
    can be broken anywhere. Where they are fewer, they part words, as in Khmer.
    """
    if not _JOINTS.search(text[::_PROBE]):
        return text
    bare = _JOINTS.sub("", text)
    return bare if len(text) - len(bare) > len(text) // 4 else text


def words(text: str) -> list[str]:
    """The words of a text in small letters; what is no letter parts them."""
    return _word().findall(unicodedata.normalize("NFC", text.lower()))


def count_ngrams(text: str) -> Counter[str]:
    """How often each piece of one to five letters occurs."""
    pieces: list[str] = []
    for word, times in Counter(words(text)).items():
        marked = f"{EDGE}{word}{EDGE}"
        length = len(marked)
        found = [
            marked[at : at + size]
            for size in range(1, LONGEST + 1)
            for at in range(length - size + 1)
        ]
        pieces += found * times
    counts = Counter(pieces)
    del counts[EDGE]
    return counts


def rank(counts: Counter[str], most: int) -> list[str]:
    """The most frequent pieces, the first come first where two are equally frequent."""
    return [piece for piece, _ in counts.most_common(most)]


def sentences(text: str) -> list[str]:
    """The sentences of a text in small letters: its words, with a space between each two."""
    return [" ".join(found) for part in _ENDS.split(text) if (found := words(part))]


def mean_distance(
    places: Mapping[str, int], text: str, size: int, pieces_of: PiecesOf = words
) -> float:
    """Paper 001, Algorithm 2 and formulas 1 and 2: the mean difference in rank of a text's n-grams.

    `places` are the ranks of a model, whose length is MAX: the distance of an n-gram that it
    has not, of two ranks further apart, and of a text without n-grams.
    """
    most = len(places)
    found = [piece for piece, _ in count_windows([text], size, pieces_of).most_common()]
    if not found:
        return float(most)
    apart = (
        min(abs(places[piece] - at), most) if piece in places else most
        for at, piece in enumerate(found)
    )
    return sum(apart) / len(found)


def likeness(model: Sequence[str], text: str, size: int) -> float:
    """How like a text is to a model, from 0 to 1: 1 - mean distance / MAX; 0 without a model."""
    if not model:
        return 0.0
    places = {piece: at for at, piece in enumerate(model)}
    return 1 - mean_distance(places, text, size) / len(model)


def count_windows(texts: Iterable[str], size: int, pieces_of: PiecesOf = words) -> Counter[str]:
    """How often each window of so many letters occurs in the texts, word by word or as asked."""
    counts: Counter[str] = Counter()
    for text in texts:
        for piece in pieces_of(text):
            counts.update(piece[at : at + size] for at in range(len(piece) - size + 1))
    return counts
