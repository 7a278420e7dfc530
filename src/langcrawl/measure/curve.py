"""Harvest rate, coverage and queue size over the course of a crawl."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

LEVELS = (0.5, 0.8, 0.9, 0.99)


@dataclass(frozen=True, slots=True)
class Point:
    """Where a crawl stands after so many pages."""

    pages: int
    harvest: float
    coverage: float
    queue: int


@dataclass(frozen=True, slots=True)
class Summary:
    """A crawl in numbers; the keys of the JSON that ``simulate`` prints."""

    pages: int
    relevant: int
    harvest: float
    coverage: float
    pages_to: dict[str, int | None]
    """Downloads needed for each level of coverage; None where it was not reached."""
    auc: float
    """Mean coverage over as many downloads as the log has pages; 1 would be all at once."""
    curve: tuple[Point, ...]


def summarize(
    hits: npt.NDArray[np.bool_],
    queue: npt.NDArray[np.int32],
    relevant_total: int,
    log_pages: int,
    points: int = 200,
) -> Summary:
    """Sum up a crawl: whether each page was relevant, and the queue after it.

    `relevant_total` of the log's `log_pages` pages are relevant.
    """
    found = np.cumsum(hits, dtype=np.int64)
    pages, relevant = len(found), int(found[-1]) if len(found) else 0
    total = max(relevant_total, 1)
    area = float(found.sum()) + relevant * max(log_pages - pages, 0)
    return Summary(
        pages=pages,
        relevant=relevant,
        harvest=relevant / pages if pages else 0.0,
        coverage=relevant / total,
        pages_to={f"{level:g}": _pages_to(found, level * relevant_total) for level in LEVELS},
        auc=area / (total * max(log_pages, pages, 1)),
        curve=tuple(
            Point(
                pages=int(at) + 1,
                harvest=float(found[at] / (at + 1)),
                coverage=float(found[at] / total),
                queue=int(queue[at]),
            )
            for at in _sample(pages, points)
        ),
    )


def _sample(pages: int, points: int) -> npt.NDArray[np.int64]:
    """At most `points` places spread evenly over the pages, the last page among them."""
    if pages == 0 or points <= 0:
        return np.empty(0, dtype=np.int64)
    return np.unique(np.ceil(np.linspace(pages / min(points, pages), pages, min(points, pages)))
                     .astype(np.int64)) - 1  # fmt: skip


def _pages_to(found: npt.NDArray[np.int64], wanted: float) -> int | None:
    """The number of downloads after which at least that many relevant pages are found."""
    if wanted <= 0 or not len(found) or found[-1] < wanted - 1e-9:
        return None
    return int(np.searchsorted(found, wanted - 1e-9)) + 1
