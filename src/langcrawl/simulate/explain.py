"""What each signal of a learned strategy brought: the strategy again without it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from langcrawl.errors import UsageError
from langcrawl.measure.results import Result
from langcrawl.strategy.learned.start import SIGNALS

_LEVELS = ("0.9", "0.8", "0.5")


class Brought(NamedTuple):
    """What one signal brought to a strategy."""

    strategy: str
    signal: str
    level: str
    """The share of the relevant pages at which it is measured; empty where none was reached."""
    pages: int | None
    """Downloads to that level without the signal."""
    saved: int | None
    """How many downloads the signal saves; negative where it costs some."""

    def as_json(self) -> dict[str, Any]:
        return self._asdict()


def without_each(strategies: Sequence[str]) -> list[str]:
    """Each of the strategies that have signals, without one signal after the other."""
    named = [text for text in strategies if text.partition(":")[0] == "adaptive"]
    if not named:
        raise UsageError("--explain tells what signals bring; give it --strategy adaptive.")
    if bad := [text for text in named if "without=" in text]:
        raise UsageError(f"--explain leaves out signals itself; take 'without' out of '{bad[0]}'.")
    return [_without(text, signal) for text in named for signal in SIGNALS]


def rank_signals(strategies: Sequence[str], results: Sequence[Result]) -> list[Brought]:
    """What each signal brought, the best first, from the results of all and of `without_each`."""
    by_name = {result.name: result for result in results}
    found = []
    for text in strategies:
        if text.partition(":")[0] != "adaptive" or text not in by_name:
            continue
        whole = by_name[text].summary.pages_to
        level = next((each for each in _LEVELS if whole.get(each)), "")
        for signal in SIGNALS:
            result = by_name.get(_without(text, signal))
            if result is None or result.error:
                continue
            pages, all_signals = result.summary.pages_to.get(level), whole.get(level)
            saved = pages - all_signals if pages and all_signals else None
            found.append(Brought(text, signal, level, pages, saved))
    return sorted(found, key=_worth, reverse=True)


def _without(text: str, signal: str) -> str:
    return f"{text}{',' if ':' in text else ':'}without={signal}"


def _worth(brought: Brought) -> float:
    """A signal without which the level is never reached is worth most."""
    if brought.saved is not None:
        return brought.saved
    return float("inf") if brought.level else float("-inf")
