"""What the visits of pages so far say: when each was last asked, and how often it had changed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from langcrawl.log.visits import VISITS
from langcrawl.recrawl.change_rate import Floats, Intervals, Ints

CHANGED, UNCHANGED, GONE, FAILED, NEW = "changed", "unchanged", "gone", "failed", "new"
"""What a visit came to."""


@dataclass(frozen=True, slots=True)
class History:
    """Visits of some pages, by the places that these have in `pages`."""

    asked_at: Floats
    """When each page was last asked for."""
    answered_at: Floats
    """When it last gave an answer that says something of it."""
    failures: Ints
    """Visits in a row that failed since then."""
    is_gone: npt.NDArray[np.bool_]
    visited_again: npt.NDArray[np.bool_]
    """Whether there is a history of it."""
    intervals: Intervals

    @classmethod
    def of(cls, pages: Ints, fetched_at: Floats, visits: Iterable[pa.Table]) -> History:
        """The history of pages, whose ids are sorted, with the rows of the log's visits."""
        table = pa.concat_tables([VISITS.empty_table(), *visits])
        ids, at = table["id"].to_numpy(), table["fetched_at"].to_numpy()
        outcome = np.array(table["outcome"].to_pylist(), dtype=object)
        place = np.searchsorted(pages, ids)
        there = place < len(pages)
        there[there] = pages[place[there]] == ids[there]
        place, at, outcome = place[there], at[there], outcome[there]
        order = np.lexsort((at, place))
        place, at, outcome = place[order], at[order], outcome[order]
        failed, gone = outcome == FAILED, outcome == GONE
        asked_at, answered_at = fetched_at.copy(), fetched_at.copy()
        np.maximum.at(asked_at, place, at)
        np.maximum.at(answered_at, place[~failed], at[~failed])
        failures = np.bincount(
            place[failed & (at > answered_at[place])], minlength=len(pages)
        ).astype(np.int64)
        is_gone, again = np.zeros(len(pages), bool), np.zeros(len(pages), bool)
        is_gone[place[~failed]] = gone[~failed]  # the last one counts
        again[place] = True
        return cls(
            asked_at, answered_at, failures, is_gone, again,
            _intervals(place[~failed], at[~failed], outcome[~failed]),
        )  # fmt: skip


def _intervals(place: Ints, at: Floats, outcome: npt.NDArray[np.object_]) -> Intervals:
    """Times between answers, of which a page that is gone twice has not changed."""
    same = place[1:] == place[:-1]
    gone_still = (outcome[1:] == GONE) & (outcome[:-1] == GONE)
    changed = ((outcome[1:] == CHANGED) | (outcome[1:] == GONE)) & ~gone_still
    return Intervals(place[1:][same], np.diff(at)[same], changed[same].astype(bool))
