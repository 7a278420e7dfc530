"""Learn to tell the content of pages from what stands around it.

``python -m langcrawl.page.build_main_text PAGES [FILE]``, where PAGES is a gzip file of JSON lines
with ``url``, ``html`` and ``text``, the main text as people see it (for the file that comes with
langcrawl, the development part of github.com/Murrough-Foley/web-content-extraction-benchmark).

The words of each page are laid against those of its main text in order; a block is content as far
as its words are found. One site in ten is never learned from: it is for tests. lightgbm must be
installed.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

import numba
import numpy as np
import numpy.typing as npt

from langcrawl.page.blocks import FEATURES, Floats, describe, odds_of_elements
from langcrawl.page.classifier import FILE, Blocks, read_blocks, save, text_of
from langcrawl.page.forest import Model, Trees, open_table
from langcrawl.page.markup import Hashes, Ints
from langcrawl.url import domain_of, host_of

_WORD = re.compile(r"\w+")
_MOST_CELLS = 400_000_000
_TREES = 150
_PARTS, HELD_OUT = 4, 10
"""What names tell of a page is learned from three parts of the others; one site in ten is held out
for tests."""
_FEWEST, _DOUBT = 3, 2.0
"""Pages that a name must be on to count, and how many pages of both kinds are added to them."""
_SETTINGS = {
    "objective": "cross_entropy", "learning_rate": 0.1, "num_leaves": 31, "min_data_in_leaf": 100,
    "min_sum_hessian_in_leaf": 0.1, "feature_fraction": 0.5, "bagging_fraction": 0.8,
    "bagging_freq": 1, "lambda_l2": 5.0, "max_bin": 63, "seed": 7, "num_threads": 1,
    "deterministic": True, "verbose": -1,
}  # fmt: skip


class Labelled(NamedTuple):
    """A page with what its blocks are."""

    url: str
    kind: str
    html: bytes
    text: str
    """Its main text."""
    blocks: Blocks
    content: Floats
    """How much of each block is content, 0 to 1."""
    weight: Floats
    """What each block counts: its words, as a share of the main text."""
    names: Hashes
    told: Floats
    """For each name on the page, how much of the text within its elements is content."""


def read_pages(path: Path, wanted: Callable[[str], bool] = lambda url: True) -> Iterator[Labelled]:
    """The pages of a file whose URLs are wanted, each block with its label."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            url, html = row["url"] or row["id"], row["html"].encode("utf-8", "replace")
            if wanted(url):
                yield label(url, row.get("type", ""), html, row["text"])


def label(url: str, kind: str, html: bytes, text: str) -> Labelled:
    """Find out which blocks of a page make its main text."""
    blocks = read_blocks(html)
    count = len(blocks.markup.block)
    alone = np.zeros(count, np.uint8)
    words = []
    for number in range(count):
        alone[number] = 1
        words.append(_WORD.findall(text_of(blocks, alone).lower()))
        alone[number] = 0
    wanted = _WORD.findall(text.lower())
    content = _found(words, wanted)
    counts = np.array([len(each) + 1 for each in words], np.float32)
    weight = counts / np.float32(max(len(wanted), 50))
    markup = blocks.markup
    names, where = np.unique(markup.name, return_inverse=True)
    held, good = _within(markup.parent, markup.block, blocks.lengths.chars, content)
    total = np.bincount(where, held[markup.name_of], len(names))
    right = np.bincount(where, good[markup.name_of], len(names))
    seen = total > 0
    told = (right[seen] / total[seen]).astype(np.float32)
    return Labelled(url, kind, html, text, blocks, content, weight, names[seen], told)


def _found(words: Sequence[Sequence[str]], wanted: Sequence[str]) -> Floats:
    """The share of the words of each block that is found in the main text, in its order."""
    ids: dict[str, int] = {}
    page = np.array([ids.setdefault(w, len(ids)) for block in words for w in block], np.int32)
    main = np.array([ids.setdefault(w, len(ids)) for w in wanted], np.int32)
    hits = _aligned(page, main[: _MOST_CELLS // max(1, len(page))])
    ends = np.cumsum([0, *map(len, words)])
    return np.array(
        [hits[first:last].mean() if last > first else 0.0
         for first, last in pairwise(ends)], np.float32
    )  # fmt: skip


@numba.njit(cache=True)
def _aligned(page: Ints, main: Ints) -> npt.NDArray[np.uint8]:
    """Which words of a page are those of its main text: runs of words before single ones."""
    n, m, never = len(page), len(main), -1_000_000
    back = np.zeros((n + 1, m + 1), np.uint8)
    best, run = np.zeros(m + 1, np.int32), np.full(m + 1, never, np.int32)
    for i in range(1, n + 1):
        best_before, run_before = 0, never
        for j in range(1, m + 1):
            best_up, run_up = best[j], run[j]
            step, own = 0, never
            if page[i - 1] == main[j - 1]:
                own = max(run_before + 4, best_before + 1)
                step = 4 if run_before + 4 >= best_before + 1 else 0
            if best[j - 1] > best[j]:
                best[j] = best[j - 1]
                step |= 1
            if own > best[j]:
                best[j] = own
                step = (step & 4) | 2
            run[j] = own
            back[i, j] = step
            best_before, run_before = best_up, run_up
    hits = np.zeros(n, np.uint8)
    in_run = False
    i, j = n, m
    while i > 0 and j > 0:
        step = back[i, j]
        if in_run or step & 3 == 2:
            hits[i - 1] = 1
            in_run = step & 4 != 0
            i, j = i - 1, j - 1
        elif step & 3 == 1:
            j -= 1
        else:
            i -= 1
    return hits


@numba.njit(cache=True)
def _within(
    parent: Ints, block: Ints, chars: Ints, content: Floats
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """The characters within each element, and those of them that are content."""
    held, good = np.zeros(len(parent)), np.zeros(len(parent))
    for b in range(len(block)):
        held[block[b]] += chars[b]
        good[block[b]] += chars[b] * content[b]
    for k in range(len(parent) - 1, 0, -1):
        held[parent[k]] += held[k]
        good[parent[k]] += good[k]
    return held, good


def site_number(url: str) -> int:
    """A number that all pages of a site share."""
    return crc32((domain_of(host_of(url)) if "://" in url else url).encode())


def is_held_out(url: str) -> bool:
    """Whether a page is of a site that is for tests."""
    return site_number(url) % HELD_OUT == 0


def name_odds(pages: Sequence[Labelled]) -> tuple[Hashes, Floats]:
    """What names of elements tell: for or against content, by how many pages."""
    names = np.concatenate([page.names for page in pages])
    told = np.concatenate([page.told for page in pages])
    each, where, count = np.unique(names, return_inverse=True, return_counts=True)
    good = np.bincount(where, told)
    odds = np.log((good + _DOUBT / 2) / (count - good + _DOUBT / 2)).astype(np.float32)
    kept = count >= _FEWEST
    return each[kept], odds[kept]


def features(page: Labelled, names: Hashes, odds: Floats) -> Floats:
    markup, lengths = page.blocks.markup, page.blocks.lengths
    found: Floats = describe(markup, lengths, odds_of_elements(markup, names, odds))
    return found


def train(pages: Sequence[Labelled]) -> Model:
    """Learn from pages.

    A page must not see what its own names tell, so they are learned from other sites' pages.
    """
    import lightgbm

    part = [site_number(page.url) // HELD_OUT % _PARTS for page in pages]
    tables = [
        open_table(*name_odds([page for page, at in zip(pages, part, strict=True) if at != number]))
        for number in range(_PARTS)
    ]
    rows = np.concatenate([features(p, *tables[at]) for p, at in zip(pages, part, strict=True)])
    weight = np.concatenate([page.weight for page in pages])
    data = lightgbm.Dataset(
        rows, np.concatenate([page.content for page in pages]), weight=weight / weight.mean()
    )
    names, odds = open_table(*name_odds(pages))
    return Model(names, odds, _trees(lightgbm.train(_SETTINGS, data, _TREES)))


def _trees(booster: Any) -> Trees:
    """The trees of a booster, as columns."""
    nodes: list[tuple[int, float, int, int]] = []
    leaves: list[float] = []

    def add(node: dict[str, Any]) -> int:
        if "split_feature" not in node:
            leaves.append(node["leaf_value"])
            return -len(leaves)
        place = len(nodes)
        nodes.append((0, 0.0, 0, 0))
        threshold = _not_above(node["threshold"])
        left, right = add(node["left_child"]), add(node["right_child"])
        nodes[place] = (node["split_feature"], threshold, left, right)
        return place

    first = [add(tree["tree_structure"]) for tree in booster.dump_model()["tree_info"]]
    feature, threshold, left, right = zip(*nodes, strict=True)
    return Trees(
        np.array(first, np.int32), np.array(feature, np.int32), np.array(threshold, np.float32),
        np.array([left, right], np.int32).T.copy(), np.array(leaves, np.float32),
    )  # fmt: skip


def _not_above(threshold: float) -> float:
    """The greatest single-precision number that is not above a threshold."""
    near = np.float32(threshold)
    return float(near if near <= threshold else np.nextafter(near, np.float32(-np.inf)))


def main(words: Sequence[str]) -> None:
    source = Path(words[0])
    target = Path(words[1]) if len(words) > 1 else Path(__file__).with_name(FILE)
    pages = list(read_pages(source, lambda url: not is_held_out(url)))
    model = train(pages)
    save(target, model)
    print(
        f"{len(pages):,} pages, {len(FEATURES)} features: {target}, {target.stat().st_size:,} bytes"
    )


if __name__ == "__main__":
    main(sys.argv[1:])
