"""Pages parted into folds: by page as paper 004 did, or by site, as one must.

Pages of one site are alike, in their menus if in nothing else. A classifier that has seen some
of them knows the others, which says little about sites that it has not seen.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from langcrawl.errors import BadInput

Labels = npt.NDArray[np.bool_]
Fold = npt.NDArray[np.int64]


def by_page(labels: Labels, folds: int, random: np.random.Generator) -> Fold:
    """The fold of each page; each fold has its share of both classes."""
    fold = np.zeros(len(labels), np.int64)
    for kind in (True, False):
        members = random.permutation(np.flatnonzero(labels == kind))
        fold[members] = np.arange(len(members)) % folds
    return fold


def by_site(
    labels: Labels, sites: Sequence[str], folds: int, random: np.random.Generator
) -> Fold:  # fmt: skip
    """The fold of each page; a site is in one fold, and each fold has pages of both classes.

    Sites are dealt out one by one to the fold that has fewest of what they have: first those with
    positive pages, by positive pages, then the others, by pages.
    """
    names, site = np.unique(np.asarray(sites), return_inverse=True)
    positive = np.bincount(site, labels, len(names))
    pages = np.bincount(site, minlength=len(names)).astype(float)
    order = random.permutation(len(names))
    order = order[np.lexsort((-pages[order], -positive[order]))]
    place = np.zeros(len(names), np.int64)
    hits, load = np.zeros(folds), np.zeros(folds)
    for each in order:
        least = np.lexsort((random.random(folds), load, hits) if positive[each] else (load,))[0]
        place[each] = least
        hits[least] += positive[each]
        load[least] += pages[each] - positive[each]
    return place[site]


def possible_folds(labels: Labels, sites: Sequence[str], wanted: int, site_wise: bool) -> int:
    """As many folds as wanted, or as there are positive and negative pages (or sites) for."""
    if not labels.any() or labels.all():
        which = "about the topic" if labels.any() else "about other things"
        other = "about other things" if labels.any() else "about the topic"
        raise BadInput(
            f"all labelled pages are {which}: a classifier needs pages {other} as well; add some."
        )
    names = np.asarray(sites)
    groups = names if site_wise else np.arange(len(labels))
    most = min(len(np.unique(groups[labels])), len(np.unique(groups[~labels])))
    if most < 2:
        held = "comes from a single site" if site_wise else "has a single page"
        more = "label pages of other sites, or use --fold-by page" if site_wise else "label more"
        raise BadInput(
            f"one of the two classes {held}, so no fold would be left to learn from or to test on; "
            f"{more}."
        )
    return min(wanted, most)
