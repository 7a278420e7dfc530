"""Words of pages, names of countries, and what a model makes of them."""

from __future__ import annotations

import json
import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from langcrawl.errors import BadInput, UnknownName, UsageError
from langcrawl.records import Content, Links
from langcrawl.topic.back_links import _urls, check_service
from langcrawl.topic.document import write_document
from langcrawl.topic.gazetteer import (
    add_names,
    count_votes,
    country_code,
    is_latin,
    load_gazetteer,
    make_gazetteer,
    read_names,
    user_file,
    write_sheet,
)
from langcrawl.topic.learn import fit, make_table, platt, to_model, under_sample
from langcrawl.topic.model import Term, TopicModel, load_model, save_model
from langcrawl.topic.terms import Terms, stop_words, words_of


class TestTerms:
    """Stems of a page, by either recipe."""

    PAGE = Content("Diving schools of 2014 and the dive", title="My Divers")

    def test_places_count_title_and_first_words_once_more(self) -> None:
        found = Terms("en").count(self.PAGE)
        assert found["dive"] >= 2
        assert found["#4"] == 1  # a number by its length
        assert found["the"] == 1  # stop words stay
        assert found["title:my"] == found["first:school"] == 1
        assert sum(found.values()) > len(words_of(self.PAGE.text)) + 2

    def test_the_paper_leaves_out_stop_words_numbers_and_places(self) -> None:
        found = Terms("en", "paper").count(self.PAGE)
        assert not {"the", "and", "my", "#4", "2014"} & set(found)
        assert not any(":" in term for term in found)
        assert found["school"] == 1

    def test_a_language_without_a_stemmer_keeps_its_words(self) -> None:
        assert set(Terms("xx", "paper").count(Content("Diving schools"))) == {"diving", "schools"}
        assert stop_words("xx") == frozenset()
        assert "the" in stop_words("en")

    def test_anchors_outside_of_the_text_are_read_and_those_inside_once(self) -> None:
        links = Links(("http://a/", "http://b/"), ("coral reef", "dive"))
        found = Terms("en", "paper").count(Content("a dive", links=links))
        assert found == Counter({"dive": 1, "coral": 1, "reef": 1})

    @pytest.mark.parametrize(
        ("text", "phrase"),
        [
            ("We rented apartments there", "rent apartment"),
            ("apartments to rent", ""),
            ("", ""),
            ("an apartment for rent", "for rent"),
        ],
    )
    def test_a_phrase_is_found_in_any_form_but_only_as_a_whole(
        self, text: str, phrase: str
    ) -> None:
        wanted = ("rent apartment", "for rent")
        assert Terms("en").has_any(Content(text), wanted) == phrase

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("It's 2 O'Clock", ["it's", "2", "o'clock"]),
            ("ไทยกบ", ["ไท", "ทย", "ยก", "กบ"]),
            ("a日本語b", ["a日", "日本", "本語", "語b"]),
            ("under_score", ["under", "score"]),
            ("ก", ["ก"]),
            ("น้ำดี", ["น้", "้ำ", "ำด", "ดี"]),
            ("हिन्दी भाषा, l'été", ["हिन्दी", "भाषा", "l'été"]),
        ],
    )
    def test_writing_without_spaces_is_read_in_pairs(self, text: str, words: list[str]) -> None:
        assert words_of(text) == words


def model(classifier: str = "logistic", **more: float) -> TopicModel:
    terms = {"dive": Term(2.0, 1.5), "court": Term(-3.0, 1.0), "plain": Term(0.0, 1.0)}
    return TopicModel("diving", "en", classifier, "places", terms, **({"bias": 0.1} | more))


WORDS = st.dictionaries(st.sampled_from(["dive", "court", "plain", "unknown"]), st.integers(1, 50))


class TestModels:
    """A sum over words, made a chance."""

    @given(WORDS)
    def test_a_score_is_a_chance_and_unknown_words_change_nothing(
        self, found: dict[str, int]
    ) -> None:
        for made in (model(), model("naive-bayes")):
            score = made.score(Counter(found))
            assert 0.0 <= score <= 1.0
            more = Counter(found) + Counter({"never seen": 7})
            assert made.score(more) == pytest.approx(score)

    def test_values_are_worked_out_as_the_file_says(self) -> None:
        found = Counter({"dive": 3, "court": 1})
        assert model("naive-bayes").value(found) == pytest.approx(3 * 2.0 - 3.0 + 0.1)
        worth = np.array([(1 + math.log(3)) * 1.5, 1.0])
        expected = worth @ [2.0, -3.0] / np.linalg.norm(worth) + 0.1
        assert model().value(found) == pytest.approx(expected)
        assert model(slope=2.0, offset=-0.2).score(found) == pytest.approx(
            1 / (1 + math.exp(-(2 * expected - 0.2)))
        )
        assert model("naive-bayes", bias=-1e6).score(Counter()) == 0.0

    def test_words_that_decide_are_named_for_and_against(self) -> None:
        assert model().words() == ["dive"]
        assert model().words(against=True) == ["court"]
        found = Counter({"dive": 1, "court": 9, "unknown": 99})
        assert model().reasons(found) == ["court", "dive"]
        assert model().reasons(found, most=1) == ["court"]

    def test_a_model_comes_back_from_its_file(self, tmp_path: Path) -> None:
        for classifier in ("logistic", "naive-bayes"):
            made = model(classifier, slope=1.25, offset=0.5)
            save_model(made, tmp_path / "m.json")
            again = load_model(tmp_path / "m.json")
            assert again == made
            assert again.stamp == made.stamp
        assert model(bias=0.2).stamp != model().stamp

    @pytest.mark.parametrize(
        ("change", "words"),
        [
            ({"classifier": "magic"}, "classifier or recipe is not known"),
            ({"recipe": "soup"}, "classifier or recipe is not known"),
            ({"bias": float("nan")}, "no finite number"),
        ],
    )
    def test_a_file_that_makes_no_sense_is_refused(
        self, tmp_path: Path, change: dict[str, object], words: str
    ) -> None:
        from dataclasses import replace

        save_model(replace(model(), **change), tmp_path / "m.json")  # type: ignore[arg-type]
        with pytest.raises(BadInput, match=words):
            load_model(tmp_path / "m.json")

    def test_words_that_were_cut_at_vowel_signs_are_refused(self, tmp_path: Path) -> None:
        """Models of earlier versions: those in Latin letters are as good as before."""
        for word, fits in (("dive", True), ("हन", False)):
            terms = {word: Term(1.0, 1.0)}
            save_model(TopicModel("x", "hi", "logistic", "places", terms, 0.0), tmp_path / "m.json")
            document = json.loads((tmp_path / "m.json").read_text())
            del document["marks"], document["checksum"]
            write_document(tmp_path / "m.json", document)
            if fits:
                assert load_model(tmp_path / "m.json").terms == terms
            else:
                with pytest.raises(BadInput, match="cut at every vowel sign"):
                    load_model(tmp_path / "m.json")


class TestLearning:
    """A classifier from pages, small enough to look at."""

    @staticmethod
    def pages(count: int) -> tuple[list[Counter[str]], np.ndarray, list[str]]:
        pages = [
            Counter({"sea": 1, ("dive" if n % 2 else "court"): 2, f"only{n}": 1})
            for n in range(count)
        ]
        return pages, np.arange(count) % 2 == 1, [f"s{n // 2}" for n in range(count)]

    def test_words_of_hardly_any_page_are_left_out(self) -> None:
        table = make_table(*self.pages(20))
        assert table.words == ["court", "dive", "sea"]
        assert table.counts.shape == (20, 3)
        assert table.rows(np.array([1, 3])).counts.toarray().tolist() == [[0, 2, 1], [0, 2, 1]]
        with pytest.raises(BadInput, match="no words in common"):
            make_table([Counter({"a": 1}), Counter({"b": 1})], np.array([True, False]), ["x", "y"])

    @pytest.mark.parametrize("classifier", ["logistic", "naive-bayes"])
    def test_what_parts_the_classes_is_learned(self, classifier: str) -> None:
        table = make_table(*self.pages(60))
        made = fit(table, classifier, np.random.default_rng(1))
        kept = to_model(table, made, "diving", "en", "places", {})
        good, bad = Counter({"dive": 2, "sea": 1}), Counter({"court": 2, "sea": 1})
        assert kept.score(good) > 0.8
        assert kept.score(bad) < 0.2
        assert kept.words(1) == ["dive"]
        scores = made.scores(table.counts)
        assert scores[1] == pytest.approx(kept.score(good), abs=1e-5)

    @given(st.lists(st.booleans(), min_size=2, max_size=60).filter(lambda x: 0 < sum(x) < len(x)))
    def test_an_under_sample_has_all_of_the_smaller_class(self, labels: list[bool]) -> None:
        flags = np.array(labels)
        rows = under_sample(flags, np.random.default_rng(1))
        few = min(flags.sum(), (~flags).sum())
        assert flags[rows].sum() == (~flags[rows]).sum() == few
        assert len(set(rows.tolist())) == len(rows)

    def test_calibration_keeps_the_order_and_the_middle(self) -> None:
        values = np.concatenate([np.linspace(-3, 1, 50), np.linspace(-1, 3, 50)])
        slope, offset = platt(values, np.arange(100) >= 50)
        assert slope > 0
        assert offset == pytest.approx(0.0, abs=0.05)


class TestGazetteers:
    """The names of a country, and those that a user adds."""

    @pytest.fixture(autouse=True)
    def _own_folder(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("LANGCRAWL_KEYWORDS", str(tmp_path / "keywords"))

    @pytest.mark.parametrize("name", ["th", "THA", " Thailand "])
    def test_a_country_is_named_in_three_ways(self, name: str) -> None:
        assert country_code(name) == "TH"
        with pytest.raises(UnknownName, match="Thailand"):
            country_code("Tailand")

    def test_names_that_tell_nothing_are_stopped(self) -> None:
        made = make_gazetteer("XX", {
            "Hot": "city", "Don": "city", "Xanadoria": "city", "Qx": "name",
            "Xan Dor": "city",
        })  # fmt: skip
        assert set(made.names) == {"Xanadoria", "Xan Dor"}
        assert made.stopped == ("Don", "Hot", "Qx")
        with pytest.raises(BadInput, match="the gazetteer of XX is empty"):
            make_gazetteer("XX", {"Hot": "city"})

    def test_names_that_a_user_adds_are_kept_apart_and_counted_once(self) -> None:
        assert add_names("TH", {"Vangviengia": "place"}) == 1
        assert add_names("TH", {"Vangviengia": "place", "Pakxongia": "place"}) == 1
        assert user_file("TH").read_text("utf-8") == "Pakxongia\tplace\nVangviengia\tplace\n"
        assert load_gazetteer("thailand").names["Pakxongia"] == "place"

    @pytest.mark.parametrize(
        ("text", "names"),
        [
            ("\ufeffOne\n# not\n\n Two  Words \n", {"One": "name", "Two Words": "name"}),
            ("id,name,kind\n1,One,city\n2,,\n3,Two,\n", {"One": "city", "Two": "name"}),
            ("\t".join(["1", "Uno", "Uno", "Eins,หนึ่ง,UNO", *[""] * 4, "LA", *[""] * 10]),
             {"Uno": "place", "Eins": "place"}),
        ],
    )  # fmt: skip
    def test_names_come_from_three_kinds_of_files(
        self, tmp_path: Path, text: str, names: dict[str, str]
    ) -> None:
        (tmp_path / "names").write_text(text, "utf-8")
        assert read_names(tmp_path / "names", "LA") == names

    def test_a_file_without_a_name_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "names").write_text("# nothing\n")
        with pytest.raises(BadInput, match="there is no name of LA"):
            read_names(tmp_path / "names", "LA")
        with pytest.raises(BadInput, match="there is no file"):
            read_names(tmp_path / "absent", "LA")

    @pytest.mark.parametrize(
        ("name", "latin"),
        [("Phuket", True), ("BKK", False), ("BANGKOK", True), ("ภูเก็ต", False), ("É", False),
         ("Đà Nẵng", True), ("12", False), ("Ko ก", False)],
    )  # fmt: skip
    def test_latin_names_are_told_from_codes_and_other_letters(
        self, name: str, latin: bool
    ) -> None:
        assert is_latin(name) == latin

    def test_a_sheet_is_voted_on_by_three(self, tmp_path: Path) -> None:
        path = tmp_path / "sheet.tsv"
        write_sheet(path, ["b", "a", "b", "c"])
        lines = path.read_text().splitlines()
        assert [line.split("\t")[0] for line in lines] == ["name", "a", "b", "c"]
        path.write_text("name\tx\ty\tz\na\tyes\tno\t+\nb\t0\tn\t1\nc\tyes\tyes\n")
        assert count_votes(path) == (("a",), ("b",), ("c",))
        path.write_text("a\tyes\tperhaps\tno\n")
        with pytest.raises(BadInput, match=r"line 1 of .* has the vote 'perhaps'"):
            count_votes(path)


@pytest.mark.parametrize(
    ("answer", "urls"),
    [
        (["http://A.th/#x", "no url", 5, None], ["http://a.th/"]),
        ([{"url": "http://a.th/"}, {"link": "http://b.th/"}, {"x": 1}],
         ["http://a.th/", "http://b.th/"]),
        ({"data": {"results": [{"url": "http://a.th/"}]}, "more": 3}, ["http://a.th/"]),
        ({"a": {"b": {"c": {"d": {"e": ["http://a.th/"]}}}}}, []),  # too deep
        ({}, []),
    ],
)  # fmt: skip
def test_urls_are_found_in_many_kinds_of_answers(answer: object, urls: list[str]) -> None:
    assert list(_urls(answer, 0)) == urls


@pytest.mark.parametrize("service", ["https://api.test/links", "ftp://api.test/{url}", "{url}", ""])
def test_a_service_needs_an_address_with_a_place_for_the_url(service: str) -> None:
    with pytest.raises(UsageError, match="must be 'log', or the address of a search API"):
        check_service(service)
    check_service("https://api.test/links?to={url}")
