"""Whether Latin letters are Burmese in Win Innwa: the odds of each ASCII code.

Logarithms of how much more often a code stands in Burmese set in Win Innwa than in text of
49 languages in Latin letters, cut off at 3. Counted on the Burmese Declaration of Human
Rights, put into the font's codes, and on every other sentence of lingua's language test data.
"""

from __future__ import annotations

from collections import Counter

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
