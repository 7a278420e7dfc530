"""Tells the content of a page from what stands around it, block by block.

`markup` reads the page into blocks of text, `blocks` describes them in numbers, `forest` judges
them. What the classifier knows was learned by `langcrawl.page.build_main_text`.
"""

from __future__ import annotations

from functools import lru_cache
from html import unescape
from importlib import resources
from pathlib import Path
from typing import IO, NamedTuple

import numpy as np

from langcrawl.page.blocks import Floats, Lengths, measure
from langcrawl.page.compiled import compiled
from langcrawl.page.elements import TAG
from langcrawl.page.forest import Model, Trees, judge_blocks, open_table
from langcrawl.page.markup import Bytes, Ints, Markup, read_markup

_PRE, _TD, _TH = TAG["pre"], TAG["td"], TAG["th"]
_SPACE, _LINE = 32, 10
FILE = "main_text.npz"
"""What was learned, beside this module."""
_HARDLY_ANY, _NOTICE = 200, 100
"""Characters: fewer are hardly a page; a page that says that it needs scripts takes so many."""
_COLUMNS = {
    "first": np.int32,
    "feature": np.int32,
    "threshold": np.float32,
    "children": np.int32,
    "leaf": np.float32,
}
_SMALL = _COLUMNS | {"feature": np.uint8, "children": np.int16}


class Blocks(NamedTuple):
    """A page in blocks."""

    page: Bytes
    markup: Markup
    lengths: Lengths


def read_blocks(html: bytes) -> Blocks:
    """Read a page in UTF-8; what is for readers without scripts, where there is nothing else."""
    page = np.frombuffer(html, np.uint8)
    markup = read_markup(page, True)
    lengths = measure(page, markup)
    if int(lengths.chars.sum()) < _HARDLY_ANY and b"<noscript" in html:
        more = read_markup(page, False)
        counted = measure(page, more)
        if int(counted.chars.sum()) > int(lengths.chars.sum()) + _NOTICE:
            markup, lengths = more, counted
    return Blocks(page, markup, lengths)


@np.errstate(over="ignore")
def content_of(html: bytes, known: Model | None = None) -> str:
    """The text of the blocks of a page, in UTF-8, that are its content, a line each."""
    blocks, known = read_blocks(html), known or model()
    if not len(blocks.markup.block):
        return ""
    chance = judge_blocks(blocks.markup, blocks.lengths, known)
    return text_of(blocks, choose(chance, blocks.lengths.chars))


def choose(chance: Floats, chars: Ints) -> Bytes:
    """Which blocks to take: those that make the best F1 to be expected, by characters.

    The likeliest blocks come first, and as many are taken as raise it. So a page of which little is
    certain gives more than one whose content is plain.
    """
    order = np.argsort(-chance, kind="stable")
    size = chars + 1.0
    worth = chance * size
    expected = np.cumsum(worth[order]) / (np.cumsum(size[order]) + worth.sum())
    chosen: Bytes = (chance >= chance[order[expected.argmax()]]).astype(np.uint8)
    return chosen


def text_of(blocks: Blocks, chosen: Bytes) -> str:
    """The text of the chosen blocks, a line each."""
    raw = _written(blocks.page, blocks.markup, chosen).tobytes()
    written = raw.decode("utf-8", "replace")
    return unescape(written) if "&" in written else written


@lru_cache(maxsize=1)
def model() -> Model:
    """What was learned, from the file that comes with langcrawl."""
    with resources.files("langcrawl.page").joinpath(FILE).open("rb") as file:
        return load(file)


def load(file: IO[bytes]) -> Model:
    """A model from a file that `save` has written."""
    with np.load(file, allow_pickle=False) as kept:
        trees = Trees(*[kept[name].astype(kind) for name, kind in _COLUMNS.items()])
        names, odds = open_table(kept["names"], kept["odds"].astype(np.float32))
        return Model(names, odds, trees)


def save(path: Path, model: Model) -> None:
    """Write a model, as small as it can be."""
    used = np.flatnonzero(model.names)
    order = used[np.argsort(model.names[used])]
    columns = dict(zip(_COLUMNS, model.trees, strict=True))
    small = {
        name: column.astype(_SMALL.get(name, column.dtype)) for name, column in columns.items()
    }
    np.savez_compressed(
        path, allow_pickle=False, names=model.names[order],
        odds=model.odds[order].astype(np.float16), **small,
    )  # fmt: skip


@compiled
def _written(page: Bytes, markup: Markup, chosen: Bytes) -> Bytes:
    """The bytes of the chosen blocks, parted by line breaks; cells of a row by spaces."""
    size = 0
    for k in range(len(markup.piece_block)):
        size += 1 + markup.piece_to[k] - markup.piece_from[k]
    out, at, last = np.empty(size, np.uint8), 0, -1
    for k in range(len(markup.piece_block)):
        b = markup.piece_block[k]
        if not chosen[b]:
            continue
        element = markup.block[b]
        tag = markup.tag[element]
        gap = markup.piece_gap[k]
        if b != last:
            row = (
                last >= 0
                and (tag in (_TD, _TH))
                and (markup.parent[element] == markup.parent[markup.block[last]])
            )
            out[at] = _SPACE if row else _LINE
            at, last = at + 1, b
        elif gap == 1 or gap == 2:
            out[at] = _SPACE if gap == 1 else _LINE
            at += 1
        for place in range(markup.piece_from[k], markup.piece_to[k]):
            byte = page[place]
            out[at] = _SPACE if byte == _LINE and tag != _PRE else byte
            at += 1
    return out[:at]
