"""The hyperlink correlation degree of paper 001, section 3: formulas 3 to 5 and Algorithm 3."""

from __future__ import annotations

from langcrawl.errors import BadValue
from langcrawl.ports import Strategy
from langcrawl.records import Facts


def correlation(wt: float = 0.5, ws: float = 0.3, wd: float = 0.2, min_: float = 0.0) -> Strategy:
    """Rank by anchors, by pages that link to it and by the path; drop those with min or less.

    R = wt Rt + ws Rs + wd Rd, the higher the sooner. Formula 4 could also be read
    recursively, with the parent's own R; Algorithm 3, line 12, takes the similarity of the
    parent's text, and line 10 adds to it while the URL waits.
    """
    for name, weight in (("wt", wt), ("ws", ws), ("wd", wd)):
        if not 0 <= weight <= 1:
            raise BadValue(f"correlation's {name} must be from 0 to 1, not {weight:g}.")
    if abs(wt + ws + wd - 1) > 1e-6:
        raise BadValue(f"correlation's wt, ws and wd must add up to 1, not {wt + ws + wd:g}.")
    if not 0 <= min_ < 1:
        raise BadValue(f"correlation's min must be from 0 to below 1, not {min_:g}.")

    def rank(facts: Facts) -> float:
        if facts.depth == 0:  # a seed
            return 1.0
        depth = 1.0 / facts.path_slashes
        degree = wt * facts.anchor_score + ws * facts.parent_share + wd * depth
        return degree if degree > min_ else -1.0

    says = (
        f"by {wt:g} x the anchor's similarity + {ws:g} x what its parents pass on "
        f"+ {wd:g} / the slashes in its path, the highest first"
    )
    reasons = ("low-correlation",)
    return Strategy("correlation", rank, says, reasons, highest_first=True, gathers=True)
