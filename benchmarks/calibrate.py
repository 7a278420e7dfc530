"""Calibration of the estimated coverage: crawls where the truth is known, and a fit to their signs.

`benchmarks.calibration_webs` says which crawls. Written is
``src/langcrawl/measure/calibration.json``. The manuals are the crawl that ``python -m benchmarks
debian`` keeps, or ``LANGCRAWL_MANUALS``.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from itertools import combinations_with_replacement
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

import langcrawl.measure
from benchmarks.calibration_webs import Row, rows
from benchmarks.coverage import WEBS
from langcrawl.measure.estimate import ENOUGH, LEVEL, surely_left
from langcrawl.measure.signs import scaled

Floats = npt.NDArray[np.float64]
FILE = Path(langcrawl.measure.__file__).parent / "calibration.json"
_SIGNS = (
    "waiting", "found_late", "growth", "new", "new_abroad", "size", "read", "read_of_large",
    "at_giving_sites", "at_new_sites", "surprise", "alive",
)  # fmt: skip
"""None of them grows with the web: by counts of sites or draws a fit would learn how large the webs
of the calibration are, and that is what it is asked."""
LEFT = (*((name,) for name in _SIGNS), *combinations_with_replacement(_SIGNS, 2))
"""Terms of what is left for each page found, as a logarithm: the signs, and all products of two."""
_DOUBTS = (*_SIGNS, "doubt", "draws", "sites")
SPREAD = (*((name,) for name in _DOUBTS), *combinations_with_replacement(_DOUBTS, 2))
"""Terms of how far that is off, as a logarithm."""
_OF_COSTS = ("truth", "downloads_left")
_RIDGE, _SPREAD_RIDGE = 0.0005, 0.1
_PLAIN, _DEAD, _SMALL, _VARIED, _MIXED, _MANUALS = 2.0, 0.5, 0.4, 0.25, 0.8, 0.1
"""What webs of a profile weigh as they are, with dead links, small, and varied; all mixed ones;
manuals of a language."""
_AT_THE_ENDS = 0.1
"""What varied and mixed webs weigh, for how many spreads the interval reaches, where others weigh
1: it should hold on them as well, and not be wide for their sake."""


class Fit(NamedTuple):
    """What is written: both sums, and how many spreads the interval reaches down and up."""

    spans: dict[str, tuple[float, float]]
    left: Floats
    spread: Floats
    low: float
    high: float


def run() -> None:
    """fit the estimated coverage to crawls where the truth is known, and write the calibration"""
    known = rows()
    weights = _weights(known)
    print("Each profile left out, then estimated by what the others gave:")
    for name in WEBS:
        others = np.array([not row.group.endswith(name) for row in known])
        found = fit([row for row in known if not row.group.endswith(name)], weights[others])
        some = [row for row in known if row.group == name and not row.varied]
        _show(name, some, *_interval(some, found))
    _show_kinds(known, weights)
    found = fit(known, weights)
    document = {
        "made": f"{len(known)} moments of crawls, by python -m benchmarks calibrate",
        "spans": {name: [round(end, 4) for end in span] for name, span in found.spans.items()},
        "left": _written(((), *LEFT), found.left),
        "spread": _written(((), *SPREAD), found.spread),
        "low": round(found.low, 4),
        "high": round(found.high, 4),
        "downloads": [round(end, 3) for end in downloads_left(known, found)],
    }
    FILE.write_text(json.dumps(document, indent=1) + "\n", encoding="ascii")
    print(f"{len(known)} rows; written: {FILE}")


def _weights(rows: list[Row]) -> Floats:
    """What each moment weighs, so that kinds of webs do not count by their number."""
    kinds = [(row.group, row.varied, row.dead > 0) for row in rows]
    sizes = Counter(kinds)

    def whole(group: str, varied: bool, dead: bool) -> float:
        if group.startswith("manuals"):
            return _MANUALS
        if varied:
            return (_VARIED if group in WEBS else _MIXED) / 2
        if group.startswith("small"):
            return _SMALL / 2
        return _DEAD if dead else _PLAIN

    return np.array([whole(*kind) / sizes[kind] for kind in kinds])


def fit(rows: list[Row], weights: Floats) -> Fit:
    """Fit both sums. Intervals go by the errors of webs that had no part in their estimate."""
    names = sorted({name for term in (*LEFT, *SPREAD) for name in term})
    given = {name: np.array([row.signs[name] for row in rows]) for name in names}
    spans = {n: (float(v[0]), float(v[1])) for n, v in
             ((n, np.percentile(values, (1, 99))) for n, values in given.items())}  # fmt: skip
    left_terms, spread_terms = (_design(rows, terms, spans) for terms in (LEFT, SPREAD))
    truth = np.array([row.truth for row in rows])
    wanted = np.log((1 - truth) / truth)
    folds = np.array([row.fold for row in rows])
    said = _by_others(
        left_terms, folds, lambda some: _ridge(left_terms[some], wanted[some], weights[some])
    )
    constant, slope = _against(wanted, said, weights)
    left = _ridge(left_terms, wanted, weights) / slope
    left[0] -= constant / slope
    errors = wanted - np.maximum((said - constant) / slope, _surely(rows))
    spread = _scale(spread_terms, errors, weights)
    sizes = _by_others(
        spread_terms, folds, lambda some: _scale(spread_terms[some], errors[some], weights[some])
    )
    ratio = errors / np.exp(sizes)
    counts = weights * np.array([_AT_THE_ENDS if row.varied else 1.0 for row in rows])
    by_size = np.argsort(ratio)
    upto = np.cumsum(counts[by_size]) / counts.sum()
    low, high = (float(ratio[by_size][np.searchsorted(upto, at)]) for at in (0.05, 0.95))
    return Fit(spans, left, spread, low, high)


def _by_others(
    terms: Floats, folds: npt.NDArray[np.int64], fitted: Callable[[npt.NDArray[np.bool_]], Floats]
) -> Floats:
    """The sum for each row, by numbers that were fitted without the webs of its fold."""
    found = np.empty(len(terms))
    for fold in np.unique(folds):
        out = folds == fold
        found[out] = terms[out] @ fitted(~out)
    return found


def downloads_left(rows: list[Row], found: Fit) -> tuple[float, float]:
    """By which factors the harvest of now misleads on the downloads until most is found.

    They are chosen so that, with the ends of the interval of the coverage, nine of ten intervals
    of these downloads hold the truth.
    """
    some = [row for row in rows if row.truth < ENOUGH - 0.01 and row.harvest > 0]
    low, high = _interval(some, found)
    truth, left = (np.array([getattr(row, name) for row in some]) for name in _OF_COSTS)
    each = np.array([np.exp(row.signs["size"] + row.signs["sites"]) / row.harvest for row in some])
    off = np.log(np.maximum(left, 1) / ((ENOUGH / truth - 1) * each))
    weights = _weights(some)
    ends = (0.0, 0.0)
    for outside in np.arange(0.5, 0.0, -0.01):
        ends = tuple(np.exp(np.quantile(off, (outside, 1 - outside))))
        least = np.maximum(0, ENOUGH / high - 1) * each * ends[0]
        most = np.maximum(0, ENOUGH / low - 1) * each * ends[1]
        if np.average((least <= left) & (left <= most), weights=weights) >= LEVEL:
            break
    return float(ends[0]), float(ends[1])


def _interval(rows: list[Row], found: Fit) -> tuple[Floats, Floats]:
    """Both ends of the estimated coverage."""
    left = np.maximum(_design(rows, LEFT, found.spans) @ found.left, _surely(rows))
    spread = np.exp(_design(rows, SPREAD, found.spans) @ found.spread)
    low, high = (1 / (1 + np.exp(left + q * spread)) for q in (found.high, found.low))
    return low, high


def _surely(rows: list[Row]) -> Floats:
    """What the draws alone make sure of."""
    return np.array([surely_left(row.signs) for row in rows])


def _design(
    rows: list[Row], terms: tuple[tuple[str, ...], ...], spans: dict[str, tuple[float, float]]
) -> Floats:
    known = [scaled(row.signs, spans) for row in rows]
    values = {name: np.array([row[name] for row in known]) for name in spans}
    columns = [np.prod([values[name] for name in term], axis=0) for term in terms]
    return np.stack([np.ones(len(rows)), *columns], axis=1)


def _ridge(terms: Floats, wanted: Floats, weights: Floats) -> Floats:
    """Least squares with a little shrinkage."""
    scaled, back = _standard(terms, weights)
    share = weights / weights.sum()
    mean = float(share @ wanted)
    square = (scaled * share[:, None]).T @ scaled + _RIDGE * np.eye(scaled.shape[1])
    return back(np.linalg.solve(square, (scaled * share[:, None]).T @ (wanted - mean)), mean)


def _against(truth: Floats, said: Floats, weights: Floats) -> tuple[float, float]:
    """What least squares say as a line over the truth, without the twentieth that is furthest off.

    They draw to the middle: what is far from done seems nearer. Turning the line back mends that.
    """
    near = np.ones(len(truth), bool)
    for _ in range(3):
        slope, constant = np.polyfit(truth[near], said[near], 1, w=np.sqrt(weights[near]))
        off = np.abs(said - constant - slope * truth)
        near = off <= np.percentile(off, 95)
    return float(constant), float(slope)


def _scale(terms: Floats, errors: Floats, weights: Floats) -> Floats:
    """The size of errors, as if they had a Laplace distribution."""
    scaled, back = _standard(terms, weights)
    share, sizes = weights / weights.sum(), np.abs(errors)

    def loss(at: Floats) -> tuple[float, Floats]:
        logs = at[0] + scaled @ at[1:]
        ratio = sizes * np.exp(-logs)
        slope = np.concatenate([[share @ (1 - ratio)], scaled.T @ (share * (1 - ratio))])
        slope[1:] += 2 * _SPREAD_RIDGE * at[1:]
        return float(share @ (ratio + logs) + _SPREAD_RIDGE * at[1:] @ at[1:]), slope

    begin = np.zeros(terms.shape[1])
    begin[0] = np.log(share @ sizes)
    best = minimize(loss, begin, jac=True, method="BFGS").x
    return back(best[1:], float(best[0]))


def _standard(terms: Floats, weights: Floats) -> tuple[Floats, Callable[[Floats, float], Floats]]:
    """The terms but the first with mean 0 and deviation 1, and the way back for their numbers."""
    mean = np.average(terms[:, 1:], axis=0, weights=weights)
    size = np.sqrt(np.average((terms[:, 1:] - mean) ** 2, axis=0, weights=weights)) + 1e-9

    def back(numbers: Floats, constant: float) -> Floats:
        return np.concatenate([[constant - numbers / size @ mean], numbers / size])

    return (terms[:, 1:] - mean) / size, back


def _written(terms: tuple[tuple[str, ...], ...], numbers: Floats) -> dict[str, float]:
    pairs = zip(terms, numbers, strict=True)
    return {" ".join(term): round(float(number), 5) for term, number in pairs}


def _show_kinds(rows: list[Row], weights: Floats) -> None:
    """The same for each kind of webs, estimated by those of four other fifths."""
    print("A fifth of the webs left out, then estimated by what the others gave:")
    folds = np.array([row.fold for row in rows])
    low, high = np.empty(len(rows)), np.empty(len(rows))
    for fold in np.unique(folds):
        out = folds == fold
        found = fit([rows[at] for at in np.flatnonzero(~out)], weights[~out])
        low[out], high[out] = _interval([rows[at] for at in np.flatnonzero(out)], found)
    kinds = np.array([_kind(row) for row in rows])
    for kind in np.unique(kinds):
        some = np.flatnonzero(kinds == kind)
        _show(kind, [rows[at] for at in some], low[some], high[some])


def _kind(row: Row) -> str:
    group = row.group.split()[0]
    if group not in ("manuals", "small", "mixed"):
        group = "varied" if row.varied else "as they are"
    return group + (", dead links" if row.dead else "")


def _show(name: str, rows: list[Row], low: Floats, high: Floats) -> None:
    """How often intervals hold the truth, and how wide they are."""
    for level in (0.2, 0.5, 0.8):
        some = np.array([row.level == level for row in rows])
        truth = np.array([row.truth for row in rows])[some]
        holds = np.mean((low[some] <= truth) & (truth <= high[some]))
        width = np.median(high[some] - low[some]) / 2
        print(f"{name} at {level:.0%}: {np.sum(some)} crawls, {holds:.0%} hold, half {width:.3f}")
