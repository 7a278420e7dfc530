"""Parts of topic models: names in texts, folds, counts, addresses, and models as files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from langcrawl.errors import BadInput
from langcrawl.topic.clues import STEPS, TextReader, step_of
from langcrawl.topic.countries import Countries
from langcrawl.topic.document import (
    checksum_of,
    load_document,
    read_document,
    short,
    words_of,
    write_document,
)
from langcrawl.topic.evaluate import Counts, Trial, count, sum_counts
from langcrawl.topic.expectation import Expectation, logistic
from langcrawl.topic.folds import by_page, by_site, possible_folds
from langcrawl.topic.gazetteer import tokens_of
from langcrawl.topic.predictor import Features
from langcrawl.topic.segment_learn import Example, check_examples, chosen, fit
from langcrawl.topic.tokenizer import Tokenizer

TOKENS = st.lists(st.sampled_from(["koh", "tao", "samui", "bay", "red", "x"]), max_size=8)


@given(st.lists(TOKENS.filter(bool), max_size=5), TOKENS)
def test_the_longest_name_from_the_left_is_found(names: list[list[str]], text: list[str]) -> None:
    """Against a plain search."""
    known = {tuple(name) for name in names}
    expected, at = [], 0
    while at < len(text):
        ends = [end for end in range(len(text), at, -1) if tuple(text[at:end]) in known]
        if ends:
            expected.append((at, ends[0]))
        at = ends[0] if ends else at + 1
    tokenizer = Tokenizer([" ".join(name) for name in names], sounds=False)
    read = tokenizer.read(" ".join(text))
    assert [(found.first, found.last) for found in read.names] == expected
    assert all(found.exact for found in read.names)
    inside = sum(last - first for first, last in expected)
    assert len(read.words) == len(text) - inside
    assert 0.0 <= read.ratio() <= 1.0


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Koh-Tao's BAY_x", ["koh", "tao's", "bay", "x"]),
        ("", []),
        ("...", []),
        ("ภูเก็ต 42", [*tokens_of("ภูเก็ต"), "42"]),
        ("STRASSE Straße", ["strasse", "strasse"]),
    ],
)
def test_tokens_stand_between_white_space_and_signs(text: str, tokens: list[str]) -> None:
    assert tokens_of(text) == tokens


class TestTextReader:
    """What anchors and URLs say."""

    reader = TextReader(Tokenizer(["Phuket", "Koh Tao"], sounds=False), "en", tuple)

    def test_names_are_counted_apart_from_words_and_stop_words_not_at_all(self) -> None:
        said = self.reader.link("The beaches of Phuket", "from Koh Tao in 2014")
        assert (said.keywords, said.rest) == (2, 1)
        assert said.names == ("phuket", "koh tao")
        assert said.worth == ("beaches", "phuket", "koh", "tao")

    def test_a_url_says_what_its_path_says(self) -> None:
        said = self.reader.url("http://phuket.example/html/phuket/hotels-1.html?koh+tao")
        assert (said.keywords, said.rest) == (2, 1)
        assert self.reader.url("http://phuket.example/").keywords == 0

    def test_only_the_first_names_are_kept_and_each_once(self) -> None:
        reader = TextReader(Tokenizer("abcd", sounds=False), "en", len)
        assert reader.read("a a b c d").names == ("a", "b", "c")
        assert reader.read("a a b c d").keywords == 5


@given(st.integers(0, 100), st.integers(0, 100))
def test_a_share_lies_in_one_of_ten_steps(part: int, whole: int) -> None:
    step = step_of(min(part, whole), whole)
    if not whole:
        assert step is None
        return
    assert step is not None
    share = min(part, whole) / whole
    assert step / STEPS <= share + 1e-12
    assert share < (step + 1) / STEPS + 1e-12 or (share == 1.0 and step == STEPS - 1)


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 8)), min_size=4, max_size=80),
       st.integers(2, 10), st.integers(0, 9))  # fmt: skip
def test_folds_part_all_pages_evenly_and_never_a_site(
    pages: list[tuple[bool, int]], wanted: int, seed: int
) -> None:
    labels = np.array([label for label, _ in pages])
    sites = [f"s{site}" for _, site in pages]
    for site_wise in (False, True):
        try:
            folds = possible_folds(labels, sites, wanted, site_wise)
        except BadInput:
            continue
        random = np.random.default_rng(seed)
        assert 2 <= folds <= wanted
        if site_wise:
            fold = by_site(labels, sites, folds, random)
            assert len(set(zip(sites, fold.tolist(), strict=True))) == len(set(sites))
            hits = np.bincount(fold[labels], minlength=folds)
            assert (hits > 0).all()
        else:
            fold = by_page(labels, folds, random)
            for kind in (True, False):
                sizes = np.bincount(fold[labels == kind], minlength=folds)
                assert sizes.max() - sizes.min() <= 1
        assert ((fold >= 0) & (fold < folds)).all()


COUNTS = st.builds(Counts, *[st.integers(0, 50)] * 4)


@given(COUNTS)
def test_every_measure_lies_within_0_and_1(counts: Counts) -> None:
    for name in ("g_mean", "literal_g_mean", "precision", "recall"):
        assert 0.0 <= getattr(counts, name) <= 1.0
    if counts.misses == counts.false_alarms == 0 and counts.hits and counts.rejected:
        assert counts.g_mean == counts.literal_g_mean == counts.precision == counts.recall == 1.0


@given(st.lists(COUNTS, min_size=1, max_size=6))
def test_rounds_are_added_up_and_averaged(rounds: list[Counts]) -> None:
    whole = sum_counts(rounds)
    assert sum(whole) == sum(sum(each) for each in rounds)
    trial = Trial(3, True, tuple(rounds))
    assert trial.mean("recall") == pytest.approx(np.mean([each.recall for each in rounds]))
    assert trial.deviation("recall") >= 0.0


def test_a_score_of_one_half_counts_as_found() -> None:
    scores, labels = np.array([0.5, 0.49, 0.9, 0.1]), np.array([True, True, False, False])
    assert count(scores, labels) == Counts(1, 1, 1, 1)


class TestCountries:
    """The country of an address, by a file of networks."""

    @pytest.fixture
    def table(self, tmp_path: Path) -> Path:
        path = tmp_path / "nets.tsv"
        path.write_text(
            "# networks\n10.0.0.0/8\tde\n10.66.0.0/16\tTH\n10.66.7.1/32\t fr \n\n"
            "2001:db8::/32\tjp\n"
        )
        return path

    @pytest.mark.parametrize(
        ("address", "country"),
        [
            ("10.1.2.3", "DE"), ("10.66.1.1", "TH"), ("10.66.7.1", "FR"), ("10.66.7.2", "TH"),
            ("192.0.2.1", None), ("2001:db8::1", "JP"), ("2001:db9::1", None), ("", None),
            ("no address", None), ("10.66", None),
        ],
    )  # fmt: skip
    def test_the_narrowest_network_decides(
        self, table: Path, address: str, country: str | None
    ) -> None:
        found = Countries(str(table))
        assert found
        assert found.of(address) == country

    def test_without_a_file_nothing_is_known(self) -> None:
        assert not Countries()
        assert Countries().of("10.1.2.3") is None

    @pytest.mark.parametrize("line", ["10.0.0.0/8 TH", "10.0.0.0/99\tTH", "x\tTH", "1.2.3.4\tTHA"])
    def test_a_line_that_is_none_is_named(self, tmp_path: Path, line: str) -> None:
        (tmp_path / "nets.tsv").write_text(f"10.0.0.0/8\tTH\n{line}\n")
        with pytest.raises(BadInput, match=r"line 2 of .*two letters of a country"):
            Countries(str(tmp_path / "nets.tsv"))

    def test_a_file_that_is_no_database_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(BadInput, match="there is no file"):
            Countries(str(tmp_path / "none.mmdb"))
        (tmp_path / "x.mmdb").write_bytes(b"nothing")
        with pytest.raises(BadInput, match="is no database of addresses"):
            Countries(str(tmp_path / "x.mmdb"))


class TestDocuments:
    """Models are files of words and numbers, and what was changed in them is noticed."""

    HOW = ("langcrawl-x", 2, "model of x", "make one")

    def written(self, path: Path, **more: object) -> Path:
        document = {"format": "langcrawl-x", "version": 2, "words": ["ก", "b"], "odds": [1, 2.5]}
        write_document(path, document | more)
        return path

    def test_a_document_comes_back_without_its_checksum(self, tmp_path: Path) -> None:
        path = self.written(tmp_path / "deep" / "m.json")
        found = read_document(path, *self.HOW)
        assert found["words"] == ["ก", "b"]
        assert "checksum" not in found
        assert "ก" in path.read_text("utf-8")

    @given(st.dictionaries(st.text(), st.integers() | st.floats(allow_nan=False) | st.text()))
    def test_the_order_of_keys_changes_no_checksum_and_a_value_does(
        self, document: dict[str, object]
    ) -> None:
        turned = dict(reversed(list(document.items())))
        assert checksum_of(turned) == checksum_of(document)
        assert checksum_of(document | {"one more": 1}) != checksum_of(document | {"one more": 2})

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            (None, "there is no model"),
            ("{", "is no model of x; make one"),
            ("[]", "is no model of x"),
            ("[" * 100_000, "is no model of x"),
            ('{"format": "langcrawl-y"}', "is no model of x"),
            ('{"format": "langcrawl-x", "version": 3, "langcrawl": "9.0"}', "reads version 2"),
            ('{"format": "langcrawl-x", "version": 2}', "is damaged or was changed"),
        ],
    )
    def test_what_is_no_such_model_is_refused(
        self, tmp_path: Path, text: str | None, words: str
    ) -> None:
        path = tmp_path / "m.json"
        if text is not None:
            path.write_text(text)
        with pytest.raises(BadInput, match=words):
            read_document(path, *self.HOW)

    def test_one_changed_number_is_noticed(self, tmp_path: Path) -> None:
        path = self.written(tmp_path / "m.json")
        document = json.loads(path.read_text())
        document["odds"][0] = 1.0001
        path.write_text(json.dumps(document))
        with pytest.raises(BadInput, match="was changed; train it anew"):
            read_document(path, *self.HOW)

    @pytest.mark.parametrize(
        ("more", "words"),
        [
            ({"odds": [1]}, "not equally many"),
            ({"odds": [1, float("inf")]}, "no finite number"),
            ({"odds": [1, "x"]}, "cannot be used"),
            ({"words": ["a", 7]}, "a word is no text"),
            ({"odds": None}, "cannot be used"),
        ],
    )
    def test_words_and_weights_that_do_not_fit_are_refused(
        self, tmp_path: Path, more: dict[str, object], words: str
    ) -> None:
        path = self.written(tmp_path / "m.json", **more)
        with pytest.raises(BadInput, match=words):
            load_document(path, *self.HOW, lambda document: words_of(document, "odds"))

    def test_a_place_that_cannot_be_written_is_said(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("x")
        with pytest.raises(BadInput, match="choose another place"):
            write_document(tmp_path / "file" / "m.json", {})

    @given(st.floats(allow_nan=False, allow_infinity=False))
    def test_seven_digits_are_kept(self, value: float) -> None:
        assert short(value) == pytest.approx(value, rel=1e-6)
        assert short(short(value)) == short(value)


FEATURES = Features(1, 2, None, None, None, ".th", ".com")


def example(source: str, goal: str, relevant: bool = True, *words: str) -> Example:
    return Example(source, goal, FEATURES, words or ("word",), relevant)


class TestExamples:
    """Pairs of segments that a predictor learns from."""

    NEAR = (example("a/", "a/x/"), example("a/y/", "a/x/"), example("a/", "a/z/", False))
    FAR = (example("a/", "b/"), example("a/", "b/"))

    def test_pairs_within_a_site_are_removed_kept_once_or_kept(self) -> None:
        both = [*self.NEAR, *self.FAR]
        assert chosen(both, "keep") == both
        assert chosen(both, "remove") == list(self.FAR)
        assert chosen(both, "dedupe") == [self.NEAR[0], self.NEAR[2], *self.FAR]

    @pytest.mark.parametrize(
        ("examples", "within", "words"),
        [
            ((), "remove", "no links between sites .* --within-site dedupe"),
            ((), "keep", "no links to a segment"),
            (FAR, "remove", "lead to relevant ones: a predictor needs both"),
            ((NEAR[2],), "keep", "lead to irrelevant ones"),
        ],
    )
    def test_what_nothing_can_be_learned_from_is_refused(
        self, examples: tuple[Example, ...], within: str, words: str
    ) -> None:
        with pytest.raises(BadInput, match=words):
            check_examples(examples, within)

    def test_words_of_relevant_goals_speak_for_a_segment(self) -> None:
        examples = [example(f"a{n}/", f"b{n}/", True, "beach", "sea") for n in range(20)]
        examples += [example(f"c{n}/", f"d{n}/", False, "court", "sea") for n in range(20)]
        check_examples(examples, "remove")
        made = fit(examples, np.random.default_rng(1))
        assert made.words["beach"] > 0 > made.words["court"]
        assert made.words["sea"] == pytest.approx(0.0, abs=0.01)
        likely, unlikely = made.chances(examples[0]), made.chances(examples[-1])
        assert likely[1] > 0.7
        assert unlikely[1] < 0.3
        for chances in (likely, unlikely):
            assert chances[2] == pytest.approx((chances[0] + chances[1]) / 2)

    def test_a_value_or_word_that_was_never_seen_says_nothing(self) -> None:
        examples = [example("a/", "b/", True, "x"), example("c/", "d/", False, "y")] * 3
        made = fit(examples, np.random.default_rng(1))
        strange = Example("e/", "f/", FEATURES._replace(goal_domain=".zz"), ("unseen",), True)
        assert made.chances(strange)[1] == pytest.approx(0.5)


@given(st.floats(-1e6, 1e6))
def test_a_chance_lies_within_0_and_1_and_turns_around(value: float) -> None:
    assert 0.0 <= logistic(value) <= 1.0
    assert logistic(value) + logistic(-value) == pytest.approx(1.0)


@given(st.floats(0, 1), st.floats(0, 50), st.integers(0, 50))
def test_pages_that_were_read_move_the_expectation_towards_what_they_are(
    chance: float, strength: float, pages: int
) -> None:
    expected = Expectation(0.0, 1.0, 1.0, 0.1, strength + 0.01)
    assert expected.share(chance, 0.0, 0) == pytest.approx(chance)
    bad, good = expected.share(chance, 0.0, pages), expected.share(chance, float(pages), pages)
    assert bad - 1e-9 <= chance <= good + 1e-9
