"""The classifier of blocks: decision trees, as columns of numbers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from langcrawl.page.blocks import Floats, Lengths, describe, odds_of_elements
from langcrawl.page.compiled import compiled
from langcrawl.page.markup import Hashes, Ints, Markup


class Trees(NamedTuple):
    """Decision trees: a node asks whether a feature is at most a threshold.

    A negative child is a leaf: -1 the first, -2 the second.
    """

    first: Ints
    """The node at which each tree begins; negative for a tree that is one leaf."""
    feature: Ints
    threshold: Floats
    children: Ints
    """Two columns: where a row goes on that is at most the threshold, and one that is above."""
    leaf: Floats


class Model(NamedTuple):
    """All that is learned: what names of elements tell, and the trees."""

    names: Hashes
    """An open table of names."""
    odds: Floats
    trees: Trees


@compiled
def chances(trees: Trees, rows: Floats) -> Floats:
    """How likely each row is content.

    Four rows go down a tree side by side, which halves the time: the processor need not wait for
    one of them. The last ones may be the same.
    """
    feature, threshold, children = trees.feature, trees.threshold, trees.children
    total = np.zeros(len(rows) + 3, np.float32)
    last = len(rows) - 1
    for first in trees.first:
        for k in range(0, len(rows), 4):
            k1, k2, k3 = min(k + 1, last), min(k + 2, last), min(k + 3, last)
            a = b = c = d = first
            while a >= 0 or b >= 0 or c >= 0 or d >= 0:
                if a >= 0:
                    a = children[a, np.int64(rows[k, feature[a]] > threshold[a])]
                if b >= 0:
                    b = children[b, np.int64(rows[k1, feature[b]] > threshold[b])]
                if c >= 0:
                    c = children[c, np.int64(rows[k2, feature[c]] > threshold[c])]
                if d >= 0:
                    d = children[d, np.int64(rows[k3, feature[d]] > threshold[d])]
            total[k] += trees.leaf[-1 - a]
            total[k + 1] += trees.leaf[-1 - b]
            total[k + 2] += trees.leaf[-1 - c]
            total[k + 3] += trees.leaf[-1 - d]
    return (1.0 / (1.0 + np.exp(-total[: len(rows)]))).astype(np.float32)


def judge_blocks(markup: Markup, lengths: Lengths, model: Model) -> Floats:
    """How likely each block of a page is content."""
    odds = odds_of_elements(markup, model.names, model.odds)
    found: Floats = chances(model.trees, describe(markup, lengths, odds))
    return found


def open_table(names: Hashes, odds: Floats) -> tuple[Hashes, Floats]:
    """A table in which a name is found at once, half of it empty."""
    size = 16
    while size < 2 * len(names):
        size *= 2
    keys, values = np.zeros(size, np.uint64), np.zeros(size, np.float32)
    for name, value in zip(names.tolist(), odds.tolist(), strict=True):
        place = name % size
        while keys[place]:
            place = (place + 1) % size
        keys[place], values[place] = name, value
    return keys, values
