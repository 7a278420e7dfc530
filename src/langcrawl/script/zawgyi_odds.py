"""How likely Myanmar text is Zawgyi: the model of myanmartools, a whole text at once.

Its detector adds up, for each pair of neighbouring characters, the odds that the pair stands in
Unicode rather than in Zawgyi text. It does so character by character, which takes longer than to
parse the page; here numpy looks up all pairs. The figures are the detector's own.
"""

from __future__ import annotations

from functools import lru_cache
from math import exp

import numpy as np
import numpy.typing as npt
from myanmartools import ZawgyiDetector

_MOST = 700.0
"""Odds beyond this are as good as certain, and more than a number can hold."""


def probability(text: str, sample: int) -> float | None:
    """The probability of Zawgyi, from 0 to 1; None where no character of the text tells.

    Of the characters that tell, so many are looked at: half of them from each end.
    """
    states, odds = _model()
    codes = np.frombuffer(f" {text} ".encode("utf-16-le", errors="surrogatepass"), np.uint16)
    found = states.take(codes)
    telling = np.flatnonzero(found)
    if not len(telling):
        return None
    if len(telling) > sample:
        half = sample // 2
        found = np.concatenate((found[: telling[half]], [0], found[telling[-half] :]))
    total = float(odds.take(found[:-1] * len(odds) + found[1:]).sum())
    return 1 / (1 + exp(min(total, _MOST)))


@lru_cache(maxsize=1)
def _model() -> tuple[npt.NDArray[np.intp], npt.NDArray[np.float64]]:
    """The state of each code of 16 bits, 0 for all that do not tell; the odds of pairs of them."""
    detector = ZawgyiDetector()
    states = np.zeros(1 << 16, dtype=np.intp)
    for character in detector._chars:
        states[ord(character)] = detector._state(character)
    size = len(detector._chars) + 1
    odds = np.nan_to_num(np.array(detector._params, dtype=np.float64)).reshape(size, size)
    return states, odds
