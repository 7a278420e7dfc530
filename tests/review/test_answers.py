"""Answers on the disk: what is read of a file that others wrote to, and what is exported."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langcrawl.errors import BadInput
from langcrawl.review import (
    ANSWERS,
    Answer,
    ReviewFile,
    ReviewTexts,
    Sample,
    SampledPage,
    Stratum,
    draw_sample,
    read_answers,
    write_answers,
)
from langcrawl.review.answers import FILE
from langcrawl.review.sample import _shares
from webs import P, write_web

PAGES = tuple(
    SampledPage(n, f"http://a.th/{n}", n % 2, not n % 2, 0.5, "th", "", '"x", y', "", 0, "", False)
    for n in range(4)
)  # fmt: skip
SAMPLE = Sample(12.5, 3, (Stratum("a, with a comma", 10, True), Stratum("b", 5, False)), PAGES)


@pytest.fixture
def kept(tmp_path: Path) -> ReviewFile:
    """A file with a sample, and no crawl behind it."""
    (tmp_path / FILE).write_text(json.dumps({"sample": SAMPLE.as_json()}) + "\n")
    return ReviewFile(tmp_path)


def test_a_sample_comes_back_as_it_was_drawn() -> None:
    assert Sample.from_json(json.loads(json.dumps(SAMPLE.as_json()))) == SAMPLE


def test_without_a_file_there_is_neither_sample_nor_answer(tmp_path: Path) -> None:
    assert ReviewFile(tmp_path).read() == (None, [])


@pytest.mark.parametrize(
    "line",
    [
        "", "half a li", "null", "[1, 2]", '"answer"', "{}", '{"answer": "yes"}', "\xff",
        '{"page": 1, "answer": "yes", "reviewer": "x"}', "[" * 100_000,
    ],
)  # fmt: skip
def test_lines_that_are_no_answers_are_passed_over(kept: ReviewFile, line: str) -> None:
    kept.add(0, "yes", "a")
    with kept.path.open("a", encoding="latin-1") as file:
        file.write(line)
    kept.add(1, "spam", "a")
    assert [(given.page, given.answer) for given in kept.read()[1]] == [(0, "yes"), (1, "spam")]


def test_answers_before_the_sample_and_to_other_pages_do_not_count(kept: ReviewFile) -> None:
    kept.add(0, "yes", "a")
    kept.add(77, "yes", "a")
    assert [given.page for given in kept.read()[1]] == [0]
    with kept.path.open("a") as file:
        file.write(json.dumps({"sample": SAMPLE._replace(seed=4).as_json()}) + "\n")
    sample, answers = kept.read()
    assert sample is not None
    assert (sample.seed, answers) == (4, [])


def test_each_reviewer_has_one_answer_a_page(kept: ReviewFile) -> None:
    for word, reviewer in (("yes", "a"), ("spam", "b"), ("mixed", "a"), ("yes", " a ")):
        kept.add(2, word, reviewer)
    assert [(given.answer, given.reviewer) for given in kept.read()[1]] == [
        ("spam", "b"), ("yes", "a"),
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["", "  ", "x" * 61, "a\tb", "a\x1b[31m"])
def test_names_that_nobody_has_are_refused(kept: ReviewFile, name: str) -> None:
    with pytest.raises(BadInput, match="--reviewer"):
        kept.add(0, "yes", name)
    assert kept.add(0, "yes", "ผู้ตรวจ").reviewer == "ผู้ตรวจ"


def test_a_file_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / FILE).mkdir()
    with pytest.raises(BadInput, match=r"cannot be written .* check its permissions"):
        ReviewFile(tmp_path).add(0, "yes", "a")


WORDS = st.sampled_from([word for word, _ in ANSWERS.values()])
GIVEN = st.lists(
    st.builds(
        Answer, st.integers(0, 3), WORDS, st.sampled_from(["a", "ข, ค", '"q"']), st.just(1.5)
    ),
    unique_by=lambda given: (given.page, given.reviewer),
)


@pytest.mark.parametrize("ending", ["csv", "jsonl", "json"])
@given(answers=GIVEN)
def test_what_is_exported_can_be_read_as_answers_again(
    tmp_path_factory: pytest.TempPathFactory, ending: str, answers: list[Answer]
) -> None:
    path = tmp_path_factory.getbasetemp() / f"answers.{ending}"
    assert write_answers(path, SAMPLE, answers) == len(answers)
    if not answers and ending != "csv":
        return  # an empty file has no line to read
    found = list(read_answers(path.read_text("utf-8"), SAMPLE, "nobody"))
    assert found == [(given.page, given.answer, given.reviewer) for given in answers]


def test_an_export_says_what_the_judge_said(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    write_answers(path, SAMPLE, [Answer(1, "spam", "a", 2.5)])
    with path.open(newline="", encoding="utf-8") as file:
        (row,) = csv.DictReader(file)
    assert row == {
        "url": "http://a.th/1", "answer": "spam", "reviewer": "a", "at": "2.5",
        "relevant": "False", "score": "0.5", "language": "th", "stratum": "b",
    }  # fmt: skip
    assert [each.name for each in tmp_path.iterdir()] == ["a.csv"]
    with pytest.raises(BadInput, match=r"'a\.xlsx' is neither"):
        write_answers(tmp_path / "a.xlsx", SAMPLE, [])


def test_a_key_stands_for_its_word() -> None:
    lines = "\n".join(["url,answer", *(f"http://a.th/0,{key}" for key in ANSWERS)])
    found = [answer for _, answer, _ in read_answers(lines, SAMPLE, "me")]
    assert found == [word for word, _ in ANSWERS.values()]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "begins with the line 'url,answer'"),
        ("http://a.th/0,yes", "begins with the line 'url,answer'"),
        ("url;answer\nhttp://a.th/0;yes", "begins with the line 'url,answer'"),
        ("url,answer\nhttp://b.th/,yes", "line 1 is about 'http://b.th/'"),
        ('{"url": "http://a.th/0", "answer": "y"}\n[1]', "line 2 of the answers is no JSON object"),
        ('{"url": ', "line 1 of the answers is no JSON object"),
        ('{"answer": "y"}', "line 1 is about ''"),
    ],
)
def test_a_file_of_answers_that_makes_no_sense_is_refused(text: str, words: str) -> None:
    with pytest.raises(BadInput, match=words.replace("(", r"\(")):
        list(read_answers(text, SAMPLE, "me"))


class TestSample:
    """Which pages are drawn of a log."""

    @pytest.fixture
    def log(self, tmp_path: Path) -> Path:
        web = {f"big.th/{n}": P("th", score=0.3 + 0.01 * n) for n in range(30)}
        web |= {f"small{n}.th/": P("th", score=0.9) for n in range(10)}
        web |= {f"big.th/en{n}": P("en") for n in range(10)}
        web |= {f"far.com/{n}": P("en") for n in range(10)}
        web |= {f"big.th/dead{n}": P("th", status=404) for n in range(10)}
        web |= {f"big.th/r{n}": P("th", status=200, redirect="big.th/0") for n in range(10)}
        return write_web(tmp_path / "log", web, ["big.th/0"])

    def test_only_pages_with_a_text_are_drawn(self, log: Path) -> None:
        sample = draw_sample(log, 50, 1)
        assert sum(stratum.size for stratum in sample.strata) == 60
        assert not [page for page in sample.pages if "dead" in page.url or "/r" in page.url]
        assert len({page.page for page in sample.pages}) == len(sample.pages) == 50

    def test_strata_are_hosts_cut_by_score_and_others_by_where_they_are(self, log: Path) -> None:
        strata = draw_sample(log, 50, 1).strata
        names = [stratum.name for stratum in strata]
        assert sum(name.startswith("big.th, score") for name in names) >= 2
        assert any(name.startswith("hosts with few pages") for name in names)
        others = {stratum.name: stratum.size for stratum in strata if not stratum.relevant}
        assert others == {
            "not relevant, on hosts with relevant pages": 10, "not relevant, on other hosts": 10,
        }  # fmt: skip
        assert sum(stratum.size for stratum in strata if stratum.relevant) == 40

    def test_a_sample_larger_than_the_log_is_all_of_it(self, log: Path) -> None:
        sample = draw_sample(log, 1000, 1)
        assert len(sample.pages) == 60

    def test_a_log_without_a_relevant_page_has_nothing_to_review(self, tmp_path: Path) -> None:
        log = write_web(tmp_path, {"a/": P("en")}, ["a/"])
        with pytest.raises(BadInput, match="nothing to review"):
            draw_sample(log, 20, 1)

    def test_a_page_without_an_archive_has_no_text_to_show(self, log: Path) -> None:
        texts = ReviewTexts(log)
        page = draw_sample(log, 20, 1).pages[0]
        assert texts.archived(page) is None
        assert texts.text(page) == ""


@given(st.lists(st.integers(1, 5000), min_size=1, max_size=30), st.integers(1, 200))
def test_shares_add_up_to_what_is_wanted_or_to_all_there_is(sizes: list[int], most: int) -> None:
    shares = _shares(sizes, most)
    assert sum(shares) == min(most, sum(sizes))
    assert all(0 <= share <= size for share, size in zip(shares, sizes, strict=True))
    if 2 * len(sizes) <= most:
        assert all(share >= min(2, size) for share, size in zip(shares, sizes, strict=True))
