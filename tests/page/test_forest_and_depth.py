"""Trees that judge blocks, what is chosen of them, and how deep a page may be."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from langcrawl.page.budget import A_LINK, Budget, is_ordinary, link_budget
from langcrawl.page.classifier import choose, content_of, load, model, read_blocks, save, text_of
from langcrawl.page.document import read_document
from langcrawl.page.elements import ENDS_P, INLINE, KINDS, RAW, TAG, TAGS, VOID
from langcrawl.page.forest import Trees, chances, open_table
from langcrawl.page.nesting import _too_deep_at, parse

FEATURES = 3


@st.composite
def forests(draw: st.DrawFn) -> Trees:
    """Up to four trees of some nodes each; a tree may be a leaf."""
    feature, threshold, children, leaves = [], [], [], []

    def grow(depth: int) -> int:
        if depth == 0 or draw(st.booleans()):
            leaves.append(draw(st.floats(-2, 2, width=32)))
            return -len(leaves)
        node = len(feature)
        feature.append(draw(st.integers(0, FEATURES - 1)))
        threshold.append(draw(st.sampled_from([-1.0, 0.0, 0.5, 1.0])))
        children.append([0, 0])
        children[node] = [grow(depth - 1), grow(depth - 1)]
        return node

    first = [grow(3) for _ in range(draw(st.integers(1, 4)))]
    return Trees(
        np.array(first, np.int32), np.array(feature or [0], np.int32),
        np.array(threshold or [0], np.float32),
        np.array(children or [[0, 0]], np.int32), np.array(leaves, np.float32),
    )  # fmt: skip


def plain_chance(trees: Trees, row: list[float]) -> float:
    """One row down all trees, step by step."""
    total = 0.0
    for node in trees.first.tolist():
        while node >= 0:
            above = row[trees.feature[node]] > trees.threshold[node]
            node = int(trees.children[node, int(above)])
        total += float(trees.leaf[-1 - node])
    return 1 / (1 + np.exp(-total))


ROW = st.lists(st.sampled_from([-2.0, 0.0, 0.5, 0.75, 3.0]), min_size=FEATURES, max_size=FEATURES)


@given(forests(), st.lists(ROW, max_size=9))
def test_rows_judged_four_at_a_time_are_judged_as_one_by_one(
    trees: Trees, rows: list[list[float]]
) -> None:
    found = chances(trees, np.array(rows, np.float32).reshape(len(rows), FEATURES))
    assert found.shape == (len(rows),)
    for chance, row in zip(found.tolist(), rows, strict=True):
        assert chance == pytest.approx(plain_chance(trees, row), abs=1e-5)


@given(st.lists(st.integers(1, 2**64 - 1), unique=True, max_size=60))
def test_every_name_is_found_in_the_table_and_no_other(names: list[int]) -> None:
    odds = np.arange(len(names), dtype=np.float32)
    keys, values = open_table(np.array(names, np.uint64), odds)
    assert len(keys) >= 2 * len(names)
    assert np.count_nonzero(keys) == len(names)
    for name, value in zip(names, odds.tolist(), strict=True):
        place = name % len(keys)
        while int(keys[place]) != name:
            assert keys[place], "an empty place ends the search"
            place = (place + 1) % len(keys)
        assert values[place] == value


@given(st.lists(st.tuples(st.floats(0.01, 0.99), st.integers(1, 500)), min_size=1,
                max_size=12))  # fmt: skip
def test_no_other_threshold_has_a_better_f1_to_be_expected(blocks: list[tuple[float, int]]) -> None:
    chance = np.array([each for each, _ in blocks], np.float32)
    chars = np.array([size for _, size in blocks], np.int32)
    size = chars + 1.0

    def expected(taken: np.ndarray) -> float:
        return float((chance * size)[taken].sum() / (size[taken].sum() + (chance * size).sum()))

    chosen = choose(chance, chars) == 1
    assert chosen.any()
    if not chosen.all():
        assert chance[chosen].min() > chance[~chosen].max()  # the likeliest, and all of them
    best = max(expected(chance >= least) for least in chance)
    assert expected(chosen) >= best - 1e-5


def test_a_model_is_the_same_from_its_file(tmp_path: Path) -> None:
    known = model()
    save(tmp_path / "model.npz", known)
    with (tmp_path / "model.npz").open("rb") as file:
        again = load(file)
    for one, other in zip(known.trees, again.trees, strict=True):
        assert np.array_equal(one, other)
    page = (
        b"<title>x</title>" + b"<p>A long line of a story that is told here, word by word.</p>" * 9
    )
    assert content_of(page, again) == content_of(page, known)


def test_chosen_blocks_are_written_a_line_each_with_their_signs() -> None:
    blocks = read_blocks("<p>a &amp; b</p><p>ภาษา</p><ul><li>x<li>y</ul>".encode())
    count = len(blocks.markup.block)
    everything = text_of(blocks, np.ones(count, np.uint8))
    assert everything.strip().split("\n") == ["a & b", "ภาษา", "x", "y"]
    some = np.zeros(count, np.uint8)
    some[1] = 1
    assert text_of(blocks, some).strip() == "ภาษา"
    assert text_of(blocks, np.zeros(count, np.uint8)).strip() == ""


class TestDepth:
    """How deep elements lie, from the bytes alone."""

    @pytest.mark.parametrize(
        ("part", "times", "deep"),
        [
            ("<div>", 512, False), ("<div>", 513, True),
            ("<div></div>", 5000, False), ("<p>x", 5000, False), ("<li>x", 5000, False),
            ("<ul><li>", 300, True), ("<br>", 5000, False), ("<div><b></div>", 5000, False),
            ("<table><tr><td>", 200, True), ("</div>", 5000, False),
            ("<div><table></div></table></div>", 5000, False),
        ],
    )  # fmt: skip
    def test_elements_are_counted_as_long_as_they_are_open(
        self, part: str, times: int, deep: bool
    ) -> None:
        place = _too_deep_at((part * times).encode())
        assert (place is not None) == deep
        if place is not None:
            assert (part * times)[place] == "<"

    def test_a_deep_page_is_cut_where_it_is_too_deep_and_a_flat_one_is_whole(self) -> None:
        flat = "<p>ก</p>" * 3000
        assert parse(flat, flat.encode())[1] == flat
        deep = "<p>ก" + "<div>" * 20_000
        tree, sound = parse(deep, deep.encode())
        assert deep.startswith(sound)
        assert len(sound) < 3000
        assert tree.body is not None


class TestBudget:
    """What is harmless without a look, and what links may come to."""

    @pytest.mark.parametrize(
        ("body", "ordinary"),
        [
            (b"", True), (b"x" * 250_000, True), (b"x" * 250_001, False), (b"<b>" * 2000, True),
            (b"<b>" * 2001, False), (b"<b></b>" * 2000, True), (b"<b></b>" * 2001, False),
            (b"<b></b>" * 1800 + b"<b>" * 401, False), (b"<b></b>" * 1790 + b"<b>" * 400, True),
        ],
    )  # fmt: skip
    def test_small_pages_that_close_what_they_open_are_harmless(
        self, body: bytes, ordinary: bool
    ) -> None:
        assert is_ordinary(body) == ordinary

    def test_anchors_may_be_longer_on_longer_pages(self) -> None:
        urls, anchors = link_budget(0)
        assert link_budget(1000) == (urls, anchors + 8000)
        assert urls // A_LINK == 100_000
        assert Budget().patience > Budget().seconds


def test_kinds_of_elements_exclude_each_other_where_they_must() -> None:
    assert len(TAGS) == len(TAG) == len(KINDS)
    for name, number in TAG.items():
        kind = int(KINDS[number])
        assert not (kind & VOID and kind & RAW), name
        assert not (kind & INLINE and kind & ENDS_P), name
    for name, kind in (("p", ENDS_P), ("b", INLINE), ("br", VOID), ("script", RAW)):
        assert KINDS[TAG[name]] & kind


@pytest.mark.parametrize(
    ("body", "html", "codec"),
    [
        ("<html><p>ภาษา".encode(), True, "utf-8"),
        ("just words".encode("utf-16"), False, "utf-16"),
        ("<html><p>words".encode("utf-16"), True, "utf-16"),
        (b"plain words", False, ""),
        (b"", False, ""),
    ],
)
def test_a_file_is_a_page_by_its_first_letters_whatever_its_charset(
    body: bytes, html: bool, codec: str
) -> None:
    found = read_document(body)
    assert found.html == html
    assert not found.cut
    assert found.codec.startswith(codec)
    assert "<" not in found.content.text
