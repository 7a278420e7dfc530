"""How complete is a crawl? An estimate, where nobody knows how much there is.

Three parts of the relevant pages that the seeds lead to are told apart:

- those downloaded, which are known;
- those known and not downloaded. Draws from the queue (`langcrawl.draws`) are a random sample of
  them, so their number is estimated by design, within strata of hosts and of pages that link;
- those that nothing downloaded links to yet. No sample reaches them. Their number is read off how
  the known part grew while the downloaded part grew: near the end, new pages lead to known ones
  only. The curve is that of pages with unequally many links to them (a gamma mixture).

The interval holds the chance of the draws, and how far the curve was off on generated webs. Pages
that no link from a downloaded page can lead to are not part of the whole that is meant.
docs/decisions/0014-how-complete-a-crawl-is.md says what was measured.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.int64]
LEVEL = 0.9
_NORMAL = 1.6449
_SPREAD = 3.0
"""The shape of the mixture: the smaller, the more unequal are the pages."""
_BACK = (0.7, 0.8, 0.9, 1.0)
"""The moments that are looked at, by the share of the relevant pages found by then: late ones,
since one list of links that came before makes most of a site known at once."""
_WHOLES = 1 + np.concatenate(([0.0005], np.geomspace(0.002, 30, 180)))
"""How many times the known pages the whole may be."""
_FEWEST_DRAWS, _FEWEST_FOUND = 20, 20
_REPEATS = 200
_MODEL_ERROR = 0.30
"""The standard error of the curve, in log-odds of the coverage."""


@dataclass(frozen=True, slots=True)
class Crawled:
    """A crawl as the estimate sees it; times are numbers of downloads."""

    relevant: npt.NDArray[np.bool_]
    """Whether each download is relevant, in the order taken."""
    found_at: Numbers
    """After how many downloads the URL of each download was known."""
    stratum: Numbers
    """The stratum of each download: by its host, without what the download itself says of it, and
    by the page that it was found on."""
    drawn: Numbers
    """The places of the downloads that were drawn by chance."""
    waiting_found_at: Numbers
    """The same as `found_at`, of the URLs that wait."""
    waiting_stratum: Numbers


@dataclass(frozen=True, slots=True)
class Estimate:
    """How complete a crawl is, with an interval that holds the truth nine times of ten."""

    coverage: float
    low: float
    high: float
    found: int
    """Relevant pages that were downloaded."""
    whole: float
    """Relevant pages that the seeds lead to."""
    waiting: float
    """Those of them that are known and not downloaded."""
    draws: int
    next_percent: float | None
    """Downloads that the next hundredth of the whole will cost, at the harvest of lately."""

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    def sentence(self) -> str:
        """The estimate in words."""
        said = (
            f"about {self.coverage:.0%} of the relevant pages that these seeds lead to are "
            f"collected ({self.low:.0%} to {self.high:.0%}, by {self.draws:,} random draws)"
        )
        if self.next_percent is not None:
            said += f"; the next percent costs about {self.next_percent:,.0f} downloads"
        return said


def estimate(crawl: Crawled, seed: int = 0) -> Estimate | None:
    """Estimate the coverage; None where there are too few draws or relevant pages to say."""
    found = np.cumsum(crawl.relevant)
    if len(crawl.drawn) < _FEWEST_DRAWS or found[-1] < _FEWEST_FOUND:
        return None
    moments = np.searchsorted(found, np.array(_BACK) * found[-1]) + 1
    downloaded = found[moments - 1].astype(np.float64)
    known = np.array(
        [np.count_nonzero(crawl.relevant & (crawl.found_at < at)) for at in moments], np.float64
    )
    strata = int(max(crawl.stratum.max(), crawl.waiting_stratum.max(initial=0))) + 1
    waiting = np.array(
        [
            np.bincount(crawl.waiting_stratum[crawl.waiting_found_at < at], minlength=strata)
            for at in moments
        ],
        np.float64,
    )
    hits, misses = _of_draws(crawl, strata)
    rates = (hits + 0.5 * _pooled(hits, misses)) / (hits + misses + 0.5)
    whole = _whole(downloaded, known + waiting @ rates)
    rng = np.random.default_rng(seed)
    logits = []
    for _ in range(_REPEATS):
        chance = rng.beta(hits + 0.5 * _pooled(hits, misses) + 1e-6,
                          misses + 0.5 * (1 - _pooled(hits, misses)) + 1e-6)  # fmt: skip
        drawn = _whole(downloaded, known + waiting @ chance)
        logits.append(_logit(downloaded[-1] / drawn))
    center = _logit(downloaded[-1] / whole)
    error = float(np.hypot(np.std(logits), _MODEL_ERROR))
    recent = crawl.relevant[-max(200, len(crawl.relevant) // 10) :]
    harvest = float(recent.mean())
    return Estimate(
        coverage=float(downloaded[-1] / whole),
        low=_share(center - _NORMAL * error),
        high=_share(center + _NORMAL * error),
        found=int(downloaded[-1]),
        whole=float(whole),
        waiting=float((waiting @ rates)[-1]),
        draws=len(crawl.drawn),
        next_percent=0.01 * float(whole) / harvest if harvest else None,
    )


def _of_draws(crawl: Crawled, strata: int) -> tuple[Floats, Floats]:
    """Relevant and other draws by stratum, of the later half: what waits now was there then."""
    late = crawl.drawn[crawl.drawn >= len(crawl.relevant) // 2]
    hit = crawl.relevant[late]
    hits = np.bincount(crawl.stratum[late][hit], minlength=strata).astype(np.float64)
    misses = np.bincount(crawl.stratum[late][~hit], minlength=strata).astype(np.float64)
    return hits, misses


def _pooled(hits: Floats, misses: Floats) -> float:
    return float((hits.sum() + 0.5) / (hits.sum() + misses.sum() + 1))


def _whole(downloaded: Floats, known: Floats) -> float:
    """The number of relevant pages at which the curve of the known ones ends."""
    known = np.maximum.accumulate(np.maximum(known, downloaded))
    wholes = known[-1] * _WHOLES
    left = -np.log1p(-np.minimum(downloaded / wholes[:, None], 1 - 1e-9))
    share = np.minimum(known / wholes[:, None], 1 - 1e-9)
    links = _SPREAD * ((1 - share) ** (-1 / _SPREAD) - 1) / left
    mean = np.exp(np.mean(np.log(np.maximum(links, 1e-3)), axis=1, keepdims=True))
    curve = wholes[:, None] * (1 - (1 + mean / _SPREAD * left) ** -_SPREAD)
    return float(wholes[np.argmin(np.sum(((curve - known) / known) ** 2, axis=1))])


def strata_of(downloads: Numbers, hits: Numbers) -> Numbers:
    """The stratum of a host, by its downloads and how many were relevant."""
    rate = hits / np.maximum(downloads, 1)
    kinds = np.select([downloads == 0, hits == 0, rate < 0.5], [0, 1, 2], 3)
    return kinds.astype(np.int64)


def split_by_finder(
    stratum: Numbers, found_at: Numbers, relevant: npt.NDArray[np.bool_]
) -> Numbers:
    """Strata in two: URLs first found on a relevant page, or seeds, and all others.

    A strategy takes the first kind first, so of what waits less and less is of it.
    """
    finder = np.minimum(found_at, len(relevant)) - 1
    return stratum * 2 + np.where(finder < 0, True, relevant[finder]).astype(np.int64)


def _logit(share: float) -> float:
    inside = min(max(share, 1e-4), 1 - 1e-4)
    return float(np.log(inside / (1 - inside)))


def _share(logit: float) -> float:
    return float(1 / (1 + np.exp(-logit)))
