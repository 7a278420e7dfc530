"""Whether Latin letters are Burmese in Win Innwa: the odds of each ASCII code.

Logarithms of how much more often a code stands in Burmese set in Win Innwa than in text of
49 languages in Latin letters, cut off at 3. Counted on the Burmese Declaration of Human
Rights, put into the font's codes, and on every other sentence of lingua's language test data.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

_ODDS = {
    code: odds
    for odds, codes in [
        (-3, '.'), (-2.8, 'A'), (-2.7, 'M'), (-2.6, '-'), (-2.4, 'KT'), (-2.3, 'BI'),
        (-2.2, 'CEN'), (-2.1, 'Lb'), (-1.9, '()Rg'), (-1.8, '0:'), (-1.7, 'FV'), (-1.5, 'U'),
        (-1.4, 'e'), (-1.3, 'Wl'), (-1.1, '9s'), (-1, '5^an}'), (-0.9, '3'), (-0.8, '16'),
        (-0.7, '!478Yo'), (-0.6, '2Q'), (-0.5, '%t'), (-0.4, 'ir'), (-0.3, ',P'), (-0.2, 'X_'),
        (-0.1, '$+@]'), (0, '<=>`{|~'), (0.1, 'uz'), (0.2, '#O'), (0.3, 'Zh'), (0.4, 'dp'),
        (0.5, 'ckm'), (0.6, 'v'), (0.7, 'y'), (0.9, '"D'), (1, 'j'), (1.1, 'qw'), (1.2, "'"),
        (1.3, 'x'), (1.5, 'J'), (1.9, '*HS'), (2.4, '['), (2.5, '/'), (2.7, 'f'), (2.8, '\\'),
        (3, '&;?G'),
    ]
    for code in codes
}  # fmt: skip


def evidence(line: str) -> tuple[float, float]:
    """The sum of the odds over a line, and their mean; both positive for Win Innwa."""
    counts = Counter(line)
    codes = sum(number for code, number in counts.items() if "!" <= code <= "~")
    letters = sum(number for code, number in counts.items() if code.isascii() and code.isalpha())
    if 2 * letters < codes or not codes:
        return 0.0, 0.0
    total = sum(_ODDS[code] * number for code, number in counts.items() if code in _ODDS)
    return total, total / codes


_WORDS: Final = re.compile(r"\s*\S+\s*$|\s*\S+")
_CHANGE: Final = 5.0
"""What the odds of words must outweigh for a line to change from Burmese to Latin, or back."""


def runs(line: str) -> list[tuple[str, bool]]:
    """A line of Burmese in Win Innwa as runs of words, and whether each is Burmese.

    Latin words that stand together, such as a sentence in English, are a run of their own. One
    word tells too little, so of all ways to part the line that is taken whose words fit best, with
    a price for each change.
    """
    words = _WORDS.findall(line)
    burmese, latin = 0.0, -_CHANGE
    came: list[tuple[bool, bool]] = []
    """For each word: whether the one before is Burmese, if this one is, and if it is not."""
    for word in words:
        came.append((burmese >= latin - _CHANGE, burmese - _CHANGE > latin))
        burmese, latin = (
            max(burmese, latin - _CHANGE) + sum(_ODDS.get(code, 0.0) for code in word),
            max(latin, burmese - _CHANGE),
        )
    is_burmese, found = burmese >= latin, list[tuple[str, bool]]()
    for word, before in zip(reversed(words), reversed(came), strict=True):
        if found and found[-1][1] == is_burmese:
            found[-1] = (word + found[-1][0], is_burmese)
        else:
            found.append((word, is_burmese))
        is_burmese = before[0] if is_burmese else before[1]
    return found[::-1] or [(line, False)]
