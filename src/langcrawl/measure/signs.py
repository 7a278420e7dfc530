"""What a crawl shows of how far it has come: a few numbers, the same for any crawl.

The first is what waits. Every known URL has a chance to be relevant: 1 or 0 once it is downloaded,
else by the draws among URLs like it. The others tell of what lies behind, and how sure that is:
how fast known pages still grow, how pages are found, how many sites there are.
`langcrawl.measure.estimate` makes an estimate of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
_PRIOR = 4.0
"""Draws that all downloads of a stratum count for, where draws are few."""
_LATELY = 0.8
"""Growth is looked at since so much of the relevant pages was found."""
_STRATA = 28


@dataclass(frozen=True, slots=True)
class Crawled:
    """A crawl as the estimate sees it: a row for each URL that is known."""

    place: Numbers
    """The number of its download, from 0; -1 while it waits."""
    relevant: Flags
    """Whether the download is relevant."""
    found_at: Numbers
    """After how many downloads it was known; 0 for a seed."""
    host: Numbers
    links: Numbers
    """How many relevant pages link to it."""
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
    values: dict[str, float]


def signs_of(crawl: Crawled) -> Signs:
    """The signs of a crawl that has drawn something and found something relevant."""
    order = crawl.order
    chance, error = _chances(crawl, order)
    found = np.count_nonzero(crawl.relevant)
    waiting = float(chance[crawl.waits].sum())
    unlinked = float(chance[crawl.links == 0].sum())
    values = {
        "waiting": np.log((waiting + 1) / found),
        "doubt": np.log(error / (waiting + 1) + 0.02),
        "draws": np.log(np.count_nonzero(crawl.drawn)),
        "growth": np.log(_growth(crawl, chance, order) + 0.02),
        "unlinked": np.log((unlinked + 1) / (found + waiting)),
    }
    return Signs(waiting, {name: float(value) for name, value in (values | _sites(crawl)).items()})


def _chances(crawl: Crawled, order: Numbers) -> tuple[Floats, float]:
    """The chance of every known URL to be relevant, and the standard error of their sum."""
    stratum = strata_of(crawl, order)
    all_alike = np.full(_STRATA, np.count_nonzero(crawl.relevant) / len(order))
    usual, _ = _rates(stratum, ~crawl.waits, crawl.relevant, 0.5, all_alike)
    late = crawl.drawn & (crawl.place >= len(order) // 2)  # what waits now was there then
    rate, draws = _rates(stratum, late, crawl.relevant, _PRIOR, usual)
    rows = np.bincount(stratum[crawl.waits], minlength=_STRATA)
    error = float(np.sqrt(np.sum(rows**2 * rate * (1 - rate) / draws)))
    return np.where(crawl.waits, rate[stratum], crawl.relevant).astype(np.float64), error


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


def _growth(crawl: Crawled, chance: Floats, order: Numbers) -> float:
    """How many relevant pages became known lately, for each one found."""
    found = np.cumsum(crawl.relevant[order])
    since = int(np.searchsorted(found, _LATELY * found[-1] - 1e-9)) + 1
    known = float(chance[crawl.found_at < since].sum())
    before = max(known, float(found[since - 1]))
    return float((chance.sum() - before + 0.5) / (found[-1] - found[since - 1] + 0.5))


def _sites(crawl: Crawled) -> dict[str, float]:
    """How many sites gave something, and which part of it the largest three gave."""
    hits = np.bincount(crawl.host[crawl.relevant])
    return {
        "sites": np.log(np.count_nonzero(hits)),
        "largest": np.log(np.sort(hits)[-3:].sum() / hits.sum()),
    }
