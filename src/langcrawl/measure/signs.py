"""What a crawl shows of how far it has come: a few numbers, the same for any crawl.

The first is what waits. Every known URL has a chance to be relevant: 1 or 0 once it is downloaded,
else by the draws among URLs like it. The others tell of what lies behind, and how sure that is:
how many links of the newest pages lead to something new, how far the known sites are read, how many
sites there are. `langcrawl.measure.estimate` makes an estimate of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
_PRIOR = 4.0
"""Draws that all downloads of a stratum count for, where draws are few."""
_LATELY = 0.8
"""What is new is looked at since so much of the relevant pages was found."""
_STRATA = 28
DOUBT = 0.02
"""Added to the relative error of what waits, so that it has a logarithm."""


@dataclass(frozen=True, slots=True)
class Crawled:
    """A crawl as the estimate sees it: a row for each URL that is known."""

    place: Numbers
    """The number of its download, from 0; -1 while it waits."""
    relevant: Flags
    """Whether the download is relevant."""
    page: Flags
    """Whether the download is a page: its status is 200."""
    found_at: Numbers
    """After how many downloads it was known; 0 for a seed."""
    host: Numbers
    links: Numbers
    """How many relevant pages of lately (`lately`) link to it."""
    abroad: Numbers
    """How many of these are on other hosts."""
    drawn: Flags
    """Whether it was drawn by chance."""

    @property
    def waits(self) -> Flags:
        return self.place < 0

    @property
    def order(self) -> Numbers:
        """The rows of the downloads, in the order taken."""
        taken = np.flatnonzero(self.place >= 0)
        return taken[np.argsort(self.place[taken], kind="stable")]


@dataclass(frozen=True, slots=True)
class Signs:
    """The numbers by name, and what waits."""

    waiting: float
    """Relevant pages that wait, by the draws."""
    chance: Floats
    """The chance of each known URL to be relevant."""
    values: dict[str, float]


def lately(relevant: Flags) -> int:
    """The number of the download with which lately begins, by whether each is relevant."""
    found = np.cumsum(relevant)
    return int(np.searchsorted(found, _LATELY * found[-1] - 1e-9)) + 1 if len(found) else 0


def scaled(values: Mapping[str, float], spans: Mapping[str, Sequence[float]]) -> dict[str, float]:
    """Signs from -1 to 1 over what is usual; what is further out counts as the end of it."""
    return {
        name: min(max((2 * values[name] - low - high) / (high - low), -1.0), 1.0)
        for name, (low, high) in spans.items()
    }


def signs_of(crawl: Crawled) -> Signs:
    """The signs of a crawl that has drawn something and found something relevant."""
    order = crawl.order
    chances = _chances(crawl, order)
    chance = chances.of
    found = np.count_nonzero(crawl.relevant)
    waiting = float(chance[crawl.waits].sum())
    values = {
        "waiting": np.log((waiting + 1) / found),
        "doubt": np.log(chances.error / (waiting + 1) + DOUBT),
        "surprise": chances.surprise,
        "draws": np.log(np.count_nonzero(crawl.drawn)),
        "found_late": chance[crawl.waits]
        @ crawl.found_at[crawl.waits]
        / (waiting + 1)
        / len(order),
    }
    values |= _news(crawl, chance, order) | _sites(crawl, chance)
    values["alive"] = _alive(crawl)
    return Signs(waiting, chance, {name: float(value) for name, value in values.items()})


class _Chances(NamedTuple):
    """What the draws say of every known URL."""

    of: Floats
    """The chance of each to be relevant."""
    error: float
    """The standard error of the sum of those that wait."""
    surprise: float
    """How relevant late draws were, against downloads like them; as a logarithm. Below 0 where
    what waits is worse than what was taken, as dead links make it."""


def _chances(crawl: Crawled, order: Numbers) -> _Chances:
    stratum = strata_of(crawl, order)
    all_alike = np.full(_STRATA, np.count_nonzero(crawl.relevant) / len(order))
    usual, _ = _rates(stratum, ~crawl.waits, crawl.relevant, 0.5, all_alike)
    late = crawl.drawn & (crawl.place >= len(order) // 2)  # what waits now was there then
    rate, draws = _rates(stratum, late, crawl.relevant, _PRIOR, usual)
    rows = np.bincount(stratum[crawl.waits], minlength=_STRATA)
    error = float(np.sqrt(np.sum(rows**2 * rate * (1 - rate) / draws)))

    hits, expected = np.count_nonzero(crawl.relevant[late]), usual[stratum[late]].sum()
    surprise = float(np.log((hits + 2) / (expected + 2)))
    return _Chances(
        np.where(crawl.waits, rate[stratum], crawl.relevant).astype(np.float64), error,
        surprise,
    )  # fmt: skip


def _rates(
    stratum: Numbers, among: Flags, relevant: Flags, prior: float, usual: Floats
) -> tuple[Floats, Floats]:
    """The share of relevant rows in each stratum, and how many rows it goes by."""
    hits = np.bincount(stratum[among & relevant], minlength=_STRATA)
    rows = np.asarray(np.bincount(stratum[among], minlength=_STRATA) + prior, np.float64)
    return np.asarray((hits + prior * usual) / rows, np.float64), rows


def strata_of(crawl: Crawled, order: Numbers) -> Numbers:
    """The stratum of each URL: by what else its host gave, and by the page it was found on."""
    size = int(crawl.host.max(initial=0)) + 1
    taken = ~crawl.waits
    asked = np.bincount(crawl.host[taken], minlength=size)[crawl.host] - taken
    hits = np.bincount(crawl.host[crawl.relevant], minlength=size)[crawl.host] - crawl.relevant
    rate = hits / np.maximum(asked, 1)
    kinds = [asked == 0, (hits == 0) & (asked < 5), hits == 0, rate < 0.2, rate < 0.5, rate < 0.8]
    record = np.select(kinds, range(6), 6)
    seed = crawl.found_at <= 0
    finder = order[np.clip(crawl.found_at - 1, 0, len(order) - 1)]
    by_relevant = seed | crawl.relevant[finder]
    same_host = ~seed & (crawl.host[finder] == crawl.host)
    return np.asarray((record * 2 + by_relevant) * 2 + same_host, np.int64)


def _news(crawl: Crawled, chance: Floats, order: Numbers) -> dict[str, float]:
    """What relevant pages of lately led to: how much of it was new.

    Were links to fall on relevant pages by chance, the share of them that leads to something new
    would be the share of pages that nobody knows yet.
    """
    found = np.cumsum(crawl.relevant[order])
    since = lately(crawl.relevant[order])
    known = float(chance[crawl.found_at < since].sum())
    before = max(known, float(found[since - 1]))
    growth = (chance.sum() - before + 0.5) / (found[-1] - found[since - 1] + 0.5)
    finder = order[np.clip(crawl.found_at - 1, 0, len(order) - 1)]
    new = (crawl.found_at > since) & crawl.relevant[finder] & (crawl.links > 0)
    far = new & (crawl.host[finder] != crawl.host)
    return {
        "growth": np.log(growth + 0.02),
        "new": np.log((chance[new].sum() + 0.5) / (chance @ crawl.links + 1)),
        "new_abroad": np.log((chance[far].sum() + 0.5) / (chance @ crawl.abroad + 1)),
    }


def _alive(crawl: Crawled) -> float:
    """Of the newer half of downloads on sites that gave something, the share that is a page."""
    giving = np.bincount(crawl.host[crawl.relevant], minlength=int(crawl.host.max()) + 1) > 0
    late = (crawl.place > crawl.place.max() // 2) & giving[crawl.host]
    return float((np.count_nonzero(crawl.page & late) + 1) / (np.count_nonzero(late) + 1))


def _sites(crawl: Crawled, chance: Floats) -> dict[str, float]:
    """How many sites gave something, how large they are, and how far they are read."""
    hits = np.bincount(crawl.host[crawl.relevant], minlength=int(crawl.host.max()) + 1)
    waiting = np.bincount(crawl.host, weights=chance * crawl.waits, minlength=len(hits))
    asked = np.bincount(crawl.host[~crawl.waits], minlength=len(hits))
    giving, whole = hits > 0, waiting.sum() + 1
    read = hits[giving] / (hits + waiting)[giving]
    return {
        "sites": np.log(np.count_nonzero(giving)),
        "size": np.log(hits.sum() / np.count_nonzero(giving)),
        "read": float(np.mean(read)),
        "read_of_large": float(np.average(read, weights=hits[giving])),
        "at_giving_sites": np.log((waiting[giving].sum() + 0.5) / whole),
        "at_new_sites": np.log((waiting[asked == 0].sum() + 0.5) / whole),
    }
