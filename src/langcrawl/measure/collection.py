"""What a crawl has collected hour by hour: the measures of paper 001, section 5.

The information sum IS is the size of what was collected, the accurate information sum AIS
that of the pages in the target, the fault information sum FIS that of the others (formula 6).
The accuracy rate AR is the share of pages in the target (formula 7), the collection speed CS is
AIS / T (formula 8), where T is how long the crawl had run: where it ended within the last hour,
less than the hours that were begun.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

_MEGABYTE = 1e6


@dataclass(frozen=True, slots=True)
class Collected:
    """What there is after so many hours, from the beginning on."""

    hour: int
    pages: int
    correct: int
    """Pages in the target."""
    accurate_mb: float
    """AIS."""
    fault_mb: float
    """FIS."""
    elapsed: float
    """T: the hours that the crawl had run; a part of the last where it ended within it."""

    @property
    def information_mb(self) -> float:
        """IS = AIS + FIS."""
        return self.accurate_mb + self.fault_mb

    @property
    def accuracy(self) -> float:
        """AR = correct pages / pages; 0 where there are none."""
        return self.correct / self.pages if self.pages else 0.0

    @property
    def speed(self) -> float:
        """CS = AIS / T, in megabytes an hour; 0 where no time has passed."""
        return self.accurate_mb / self.elapsed if self.elapsed else 0.0


def by_hour(
    ends: npt.NDArray[np.float64],
    sizes: npt.NDArray[np.int64],
    correct: npt.NDArray[np.bool_],
    hours: int,
    seconds: float = 3600.0,
    ended: float | None = None,
) -> list[Collected]:
    """Rows for each hour of a crawl, by when its pages were finished, how large they are, and
    whether they are in the target; an hour may have fewer `seconds` on a smaller web.

    `ended` is when the crawl was over: with its last page, unless it is said.
    """
    order = np.argsort(ends, kind="stable")
    ends, sizes, correct = ends[order], sizes[order], correct[order]
    right = np.concatenate([[0], np.cumsum(correct)])
    accurate = np.concatenate([[0], np.cumsum(sizes * correct)])
    fault = np.concatenate([[0], np.cumsum(sizes * ~correct)])
    if ended is None:
        ended = float(ends[-1]) if len(ends) else 0.0
    rows = []
    for hour in range(1, hours + 1):
        at = int(np.searchsorted(ends, hour * seconds, side="right"))
        rows.append(
            Collected(
                hour, at, int(right[at]), float(accurate[at]) / _MEGABYTE,
                float(fault[at]) / _MEGABYTE, min(float(hour), ended / seconds),
            )
        )  # fmt: skip
    return rows
