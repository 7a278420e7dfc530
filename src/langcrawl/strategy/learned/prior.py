"""What an earlier crawl has learned, as a small file that another crawl starts from.

What links, anchors and names of languages are worth serves every target. What words of anchors,
kinds of files, hosts and domains have shown serves the same target only. It counts little: a
few pages of the new crawl outweigh it.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Final

from langcrawl.errors import BadInput, UsageError
from langcrawl.strategy.learned.clues import WORD_SLOTS
from langcrawl.strategy.learned.places import SLOTS
from langcrawl.strategy.learned.rates import Rate
from langcrawl.strategy.learned.start import CLUES, SAID
from langcrawl.strategy.learned.tongues import targets_of
from langcrawl.strategy.learned.weights import LIMIT

if TYPE_CHECKING:
    from langcrawl.strategy.learned.adaptive import Adaptive

FORMAT: Final = "langcrawl-prior-1"
PLACE: Final = Path("models") / "prior.json"
"""Where a crawl directory keeps one."""
FOR_ALL, FOR_ONE = ("clues", "said"), ("kinds", "words")
"""The weights that serve every target, and those that serve the same one only."""
MOST_PAGES: Final = 4.0
"""A host or domain of the earlier crawl counts for at most so many pages."""
MOST_HOSTS: Final = 20_000
SIZES: Final = {"clues": CLUES, "said": len(SAID), "kinds": SLOTS, "words": WORD_SLOTS}
"""How long the tables of weights are."""
_TRIED: Final = 4.0
"""How sure the weights are at most, as the sum of their squared errors: they go on learning."""


@dataclass(frozen=True, slots=True)
class Prior:
    """What one crawl has learned."""

    lang: str
    pages: int
    weights: dict[str, dict[str, tuple[float, float]]]
    """Tables of weights by number: each with its value and how often it was tried."""
    rates: dict[str, tuple[float, float]]
    """Top-level domains, domains and hosts: relevant pages and pages."""

    def write(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps({"format": FORMAT, **asdict(self)}, sort_keys=True)
        path.write_text(text + "\n", encoding="utf-8")

    def teach(self, learner: Adaptive, lang: str) -> None:
        """Let a learner that knows nothing yet start from this."""
        same = targets_of(lang).codes == targets_of(self.lang).codes
        for name in (*FOR_ALL, *FOR_ONE) if same else FOR_ALL:
            for number, (value, tried) in self.weights.get(name, {}).items():
                getattr(learner, name).give(int(number), value, min(tried, _TRIED))
        for key, (hits, pages) in self.rates.items() if same else ():
            share = min(1.0, MOST_PAGES / pages)
            learner.rates.give(key, Rate(hits * share, pages * share))


def _weights(table: dict[str, tuple[float, float]], size: int) -> dict[str, tuple[float, float]]:
    """A table of weights as it was read, if it can be one: numbers within it, nothing endless."""
    for number, (value, tried) in table.items():
        if not (0 <= int(number) < size and abs(value) <= LIMIT and 0.0 <= tried < inf):
            raise ValueError
    return {number: (float(value), float(tried)) for number, (value, tried) in table.items()}


def _rate(hits: float, pages: float) -> tuple[float, float]:
    if not 0.0 <= hits <= pages < inf:
        raise ValueError
    return float(hits), float(pages)


def prior_of(learner: Adaptive, lang: str) -> Prior:
    """What a learner knows at the end of a crawl."""
    weights = {name: getattr(learner, name).tried() for name in (*FOR_ALL, *FOR_ONE)}
    places = [
        (key, (rate.hits, rate.pages))
        for key, rate in learner.rates.known.items()
        if key and "/" not in key and "|" not in key and rate.pages >= 1.0
    ]
    places.sort(key=lambda place: (-place[1][1], place[0]))
    return Prior(lang, learner.downloads, weights, dict(places[:MOST_HOSTS]))


def read_prior(place: str) -> Prior:
    """The prior in a file, or in a crawl directory."""
    path = Path(place)
    if path.is_dir():
        path = path / PLACE
        if not path.exists():
            raise UsageError(
                f"'{place}' has no prior; make one with 'langcrawl export {place} --to prior'."
            )
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
        if told.pop("format") != FORMAT:
            raise ValueError
        return Prior(
            str(told["lang"]),
            int(told["pages"]),
            {name: _weights(table, SIZES[name]) for name, table in told["weights"].items()},
            {key: _rate(*sums) for key, sums in told["rates"].items() if sums[1] > 0},
        )
    except OSError as error:
        raise UsageError(f"the prior '{path}' cannot be read ({error.strerror}).") from error
    except (ValueError, TypeError, KeyError, AttributeError, IndexError) as error:
        raise BadInput(
            f"'{path}' is no prior; name a file that 'langcrawl export --to prior' wrote."
        ) from error
