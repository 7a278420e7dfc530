"""Which documents are left out for what they are, each for one reason that is counted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final
from unicodedata import category

import numpy as np
import numpy.typing as npt

_KNOWN = 1 << 17
"""Codes whose kind is looked up; those beyond are rare ideographs and count as letters."""

REASONS: Final = {
    "not-text": "pictures, programs and other things that are no text",
    "unreadable": "pages whose record is lost, damaged, still being written or too dear to read",
    "other-language": "pages that are not in the target",
    "host": "hosts that are left out by `--host` or `--not-host`",
    "date": "pages downloaded before `--since` or after `--until`",
    "score": "a score below `--min-score`",
    "no-text": "no main text at all",
    "short": "fewer characters than `--min-chars`",
    "long": "more characters than `--max-chars`",
    "short-lines": "shorter paragraphs on average than `--min-mean-line`",
    "repeated-lines": "more text in lines that stood before than `--max-repeated-lines`",
    "symbols": "more characters that are neither letters nor digits than `--max-symbols`",
    "same-url": "another capture of the same address",
    "exact": "the same text as another document",
    "short-without-repeats": "fewer characters than `--min-chars` without repeated paragraphs",
    "near": "nearly the same text as another document",
}
"""Why a page is not in the corpus, in the order in which it is asked."""
KEPT_BY: Final = {
    "other-language": "--any-language",
    "short": "--min-chars 0",
    "long": "--max-chars none",
    "symbols": "--max-symbols none",
    "repeated-lines": "--max-repeated-lines none",
    "short-lines": "--min-mean-line none",
    "exact": "--no-exact",
    "short-without-repeats": "--no-site-paragraphs",
    "near": "--no-near",
}
"""The option that keeps pages which would be left out for a reason, where there is one."""


@dataclass(frozen=True, slots=True)
class Filters:
    """Thresholds; None is no bound."""

    min_score: float | None = None
    min_chars: int = 100
    max_chars: int | None = None
    since: float | None = None
    until: float | None = None
    hosts: tuple[str, ...] = ()
    """Only these, and those below them: ``example.org`` stands for ``www.example.org`` too."""
    not_hosts: tuple[str, ...] = ()
    max_symbols: float | None = 0.3
    max_repeated_lines: float | None = 0.3
    min_mean_line: float | None = 10.0

    def before_reading(self, host: str, fetched_at: float) -> str:
        """Why a page need not be read; empty where it must."""
        if (self.hosts and not _is_below(host, self.hosts)) or _is_below(host, self.not_hosts):
            return "host"
        if self.since is not None and fetched_at < self.since:
            return "date"
        if self.until is not None and fetched_at >= self.until:
            return "date"
        return ""

    def reason(self, score: float, paragraphs: Sequence[str]) -> str:
        """Why a document is left out; empty where it stays."""
        return next(self._reasons(score, paragraphs), "")

    def _reasons(self, score: float, paragraphs: Sequence[str]) -> Iterator[str]:
        if self.min_score is not None and score < self.min_score:
            yield "score"
        if not paragraphs:
            yield "no-text"
            return
        length = text_length(paragraphs)
        if length < self.min_chars:
            yield "short"
        if self.max_chars is not None and length > self.max_chars:
            yield "long"
        if self.min_mean_line is not None and length / len(paragraphs) < self.min_mean_line:
            yield "short-lines"
        repeated = self.max_repeated_lines
        if repeated is not None and repeated_share(paragraphs) > repeated:
            yield "repeated-lines"
        if self.max_symbols is not None and symbol_share("".join(paragraphs)) > self.max_symbols:
            yield "symbols"


def most_left_out(dropped: Mapping[str, int]) -> str:
    """The reason that costs most pages, of those that an option takes away, in a sentence."""
    reason = max(KEPT_BY, key=lambda reason: dropped.get(reason, 0))
    count = dropped.get(reason, 0)
    if not count:
        return ""
    one = count == 1
    return (
        f"{count:,} {'was' if one else 'were'} left out as {reason}: "
        f"{KEPT_BY[reason]} keeps {'it' if one else 'them'}."
    )


def text_length(paragraphs: Sequence[str]) -> int:
    """The characters of a text with a line for each paragraph."""
    return sum(map(len, paragraphs)) + max(len(paragraphs) - 1, 0)


def repeated_share(paragraphs: Sequence[str]) -> float:
    """The share of a text's characters in lines that stood in it before."""
    once = sum(map(len, set(paragraphs)))
    return 1.0 - once / max(sum(map(len, paragraphs)), 1)


def symbol_share(text: str) -> float:
    """The share of characters, white space apart, that are neither letters, marks nor digits."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    kinds = _kinds().take(codes, mode="clip")
    counts = np.bincount(kinds, minlength=3)
    return float(counts[_SYMBOL] / max(counts[_SYMBOL] + counts[_LETTER], 1))


_LETTER, _SYMBOL, _SPACE = 0, 1, 2


@lru_cache(maxsize=1)
def _kinds() -> npt.NDArray[np.uint8]:
    """Letter, symbol or white space, of each code; the last stands for all that follow."""
    kinds = np.zeros(_KNOWN + 1, np.uint8)
    for code in range(_KNOWN):
        kind = category(chr(code))
        if kind == "Zs" or chr(code).isspace() or kind == "Cf":
            kinds[code] = _SPACE
        elif kind[0] in "PSC":
            kinds[code] = _SYMBOL
    return kinds


def _is_below(host: str, names: Sequence[str]) -> bool:
    """Whether a host is one of these, or one below them, whatever its port."""
    bare = host.partition(":")[0]
    return any(name in (host, bare) or bare.endswith(f".{name}") for name in names)
