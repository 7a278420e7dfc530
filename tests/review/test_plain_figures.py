"""Figures of a review against plain second readings, and files of answers that are damaged."""

from __future__ import annotations

import json
from collections import Counter
from math import sqrt
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commands import run_here
from langcrawl.errors import BadInput
from langcrawl.review import (
    ANSWERS,
    Answer,
    ReviewFile,
    Sample,
    SampledPage,
    Stratum,
    read_answers,
    write_answers,
)
from langcrawl.review.answers import FILE
from langcrawl.review.figures import (
    Judged,
    agreement,
    cohen,
    estimate,
    figures,
    fleiss,
    settled,
    weigh,
    wilson,
)
from webs import P, write_web

WORDS = [word for word, _ in ANSWERS.values()]
Z = 1.959964


def page(number: int, stratum: int = 0, relevant: bool = True, score: float = 0.5) -> SampledPage:
    url = f"http://a.th/{number}"
    return SampledPage(number, url, stratum, relevant, score, "th", "", "", "", 0, "", False)


ANSWERED = st.lists(
    st.builds(
        Answer, st.integers(0, 5), st.sampled_from(WORDS), st.sampled_from("abc"), st.just(0.0)
    ),
    max_size=20,
    unique_by=lambda given_answer: (given_answer.page, given_answer.reviewer),
)


@settings(max_examples=40)
@given(st.floats(0, 1), st.integers(1, 5000))
def test_wilsons_interval_is_where_the_share_is_just_not_refuted(share: float, size: int) -> None:
    """Its ends are the shares p with |share - p| = z sqrt(p (1 - p) / n)."""
    low, high = wilson(share, size)
    assert 0.0 <= low <= share + 1e-12
    assert share <= high + 1e-12 <= 1.0 + 2e-12
    for end in (low, high):
        assert abs(share - end) == pytest.approx(Z * sqrt(end * (1 - end) / size), abs=1e-6)


def test_an_endless_sample_leaves_no_doubt_and_more_pages_leave_less() -> None:
    assert wilson(0.3, float("inf")) == (0.3, 0.3)
    widths = [wilson(0.3, size)[1] - wilson(0.3, size)[0] for size in (5, 50, 500)]
    assert widths == sorted(widths, reverse=True)


@settings(max_examples=40)
@given(ANSWERED)
def test_most_reviewers_settle_a_page_and_a_draw_settles_none(answers: list[Answer]) -> None:
    sample = Sample(0.0, 0, (Stratum("all", 9, True),), tuple(page(n) for n in range(6)))
    judged, unsettled = settled(sample, answers)
    votes = {
        number: [each.answer for each in answers if each.page == number and each.answer != "unsure"]
        for number in {each.page for each in answers}
    }
    right = {n: 2 * words.count("yes") > len(words) for n, words in votes.items()}
    clear = {n for n, words in votes.items() if 2 * words.count("yes") != len(words)}
    assert {one.page.page: one.is_right for one in judged} == {n: right[n] for n in clear}
    assert unsettled == len(votes) - len(clear)
    for one in judged:
        wrong = [word for word in votes[one.page.page] if word != "yes"]
        assert one.kind == "yes" if one.is_right else one.kind in wrong


@settings(max_examples=40)
@given(st.lists(st.integers(0, 50), min_size=1, max_size=6), st.data())
def test_weights_share_out_all_pages_of_all_strata(sizes: list[int], data: st.DataObject) -> None:
    places = data.draw(st.lists(st.integers(0, len(sizes) - 1), min_size=1, max_size=10))
    judged = [Judged(page(n, at), True, "yes") for n, at in enumerate(places)]
    weights = weigh(sizes, judged)
    assert set(weights) == set(places)
    assert sum(size for _, _, size in weights.values()) == sum(sizes)
    for at, (weight, answered, size) in weights.items():
        assert answered == places.count(at)
        assert weight == size / answered


@settings(max_examples=40)
@given(st.lists(st.booleans(), min_size=1, max_size=30), st.integers(0, 500))
def test_one_stratum_gives_the_plain_share(right: list[bool], more: int) -> None:
    judged = [Judged(page(n), each, "yes" if each else "spam") for n, each in enumerate(right)]
    found = estimate([len(right) + more], judged)
    assert found is not None
    assert found.estimate == pytest.approx(sum(right) / len(right))
    assert found.pages == len(right)
    assert found.low - 1e-9 <= found.estimate <= found.high + 1e-9
    if not more:
        assert (found.low, found.high) == (found.estimate, found.estimate)


def test_without_an_answer_there_is_no_estimate() -> None:
    assert estimate([10], []) is None


@settings(max_examples=40)
@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=30))
def test_cohens_kappa_by_the_table_of_both_reviewers(votes: list[tuple[bool, bool]]) -> None:
    cells, count = Counter(votes), len(votes)
    same = (cells[True, True] + cells[False, False]) / count
    rows = [(cells[each, True] + cells[each, False]) / count for each in (True, False)]
    columns = [(cells[True, each] + cells[False, each]) / count for each in (True, False)]
    chance = rows[0] * columns[0] + rows[1] * columns[1]
    found = cohen(votes)
    assert found["agreement"] == pytest.approx(same)
    if chance < 1:
        assert found["kappa"] == pytest.approx((same - chance) / (1 - chance))
    else:
        assert found["kappa"] is None


@settings(max_examples=40)
@given(
    st.integers(2, 5).flatmap(
        lambda raters: st.lists(
            st.lists(st.booleans(), min_size=raters, max_size=raters), min_size=1, max_size=12
        )
    )
)
def test_fleiss_kappa_by_pairs_of_votes(votes: list[list[bool]]) -> None:
    raters = len(votes[0])
    agreeing = [
        sum(vote[a] == vote[b] for a in range(raters) for b in range(raters) if a != b)
        / (raters * (raters - 1))
        for vote in votes
    ]
    every = [each for vote in votes for each in vote]
    yes = sum(every) / len(every)
    chance = yes**2 + (1 - yes) ** 2
    found = fleiss(votes)
    if chance == 1:
        assert found is None
    else:
        assert found == pytest.approx((sum(agreeing) / len(votes) - chance) / (1 - chance))


def test_who_is_unsure_neither_agrees_nor_disagrees() -> None:
    given_answers = [
        Answer(0, "yes", "a", 0), Answer(0, "unsure", "b", 0), Answer(1, "spam", "a", 0),
        Answer(1, "garbled", "b", 0),
    ]  # fmt: skip
    found = agreement(given_answers)
    assert found is not None
    (pair,) = found["pairs"]
    assert (pair["reviewers"], pair["pages"], pair["agreement"]) == (["a", "b"], 1, 1.0)
    assert (found["fleiss_kappa"], found["pages_by_all"]) == (None, 1)
    assert agreement([Answer(0, "unsure", "b", 0), Answer(0, "yes", "a", 0)]) is None


def test_a_threshold_names_the_lowest_score_that_is_precise_enough() -> None:
    scores = [0.2, 0.4, 0.4, 0.6, 0.8]
    words = ["spam", "spam", "yes", "yes", "yes"]
    sample = Sample(0.0, 0, (Stratum("all", 5, True),),
                    tuple(page(n, score=score) for n, score in enumerate(scores)))  # fmt: skip
    answers = [Answer(n, word, "a", 0.0) for n, word in enumerate(words)]
    likely = figures(sample, answers, 0.7)["threshold"]["likely"]
    assert (likely["score"], likely["precision"], likely["kept"]) == (0.4, 0.75, pytest.approx(0.8))
    assert figures(sample, answers, 1.0)["threshold"]["likely"]["score"] == 0.6
    assert figures(sample, answers, 0.6)["threshold"]["likely"]["score"] == 0.2


@pytest.fixture
def kept(tmp_path: Path) -> ReviewFile:
    """A crawl of fourteen pages, all of them in its sample, and one answer."""
    write_web(tmp_path / "web", {f"a.th/{n}": P("th" if n < 9 else "en") for n in range(14)})
    found = ReviewFile(tmp_path / "web")
    first = next(one for one in found.sample(100, 0).pages if one.relevant)
    found.add(first.page, "yes", "mali")
    return found


@pytest.mark.parametrize(
    "line",
    [
        '{"page": [1], "answer": "yes", "reviewer": "x", "at": 1}',
        '{"page": 1, "answer": "yes", "reviewer": {"a": 1}, "at": 1}',
        '{"page": {}, "answer": [], "reviewer": [], "at": null}',
        '{"page": 1, "answer": "maybe", "reviewer": "x", "at": 1}',
        '{"page": 1, "answer": "yes", "reviewer": 7, "at": 1}',
        '{"sample": 3}', '{"sample": null}', '{"sample": {}}', '{"sample": {"pages": [1]}}',
        '{"sample": {"drawn_at": 0, "seed": 0, "strata": 5, "pages": []}}',
    ],
)  # fmt: skip
def test_lines_of_a_damaged_file_are_passed_over(kept: ReviewFile, line: str) -> None:
    before = kept.read()
    with kept.path.open("a") as file:
        file.write(f"{line}\n")
    assert kept.read() == before
    done = run_here(kept.directory.parent, "review", "web", "--json")
    assert done.json["reviewers"] == {"mali": 1}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("page,answer\nx,yes\n", "begins with the line 'url,answer'"),
        ("", "begins with the line 'url,answer'"),
        ("url,answer\nhttp://b.th/,yes\n", "line 1 is about 'http://b.th/', which is not in"),
        ("url,answer\nhttp://a.th/0,perhaps\n", "'perhaps' is no answer; there are: yes,"),
        ("url,answer\nhttp://a.th/0\n", "is no answer"),
        ('{"url": "http://a.th/0", "answer": "y"}\n[1]\n', "line 2 of the answers is no JSON"),
        ('{"url": "http://a.th/0"', "line 1 of the answers is no JSON object"),
        ('url,answer\n"' + "x" * 200_000 + '",yes\n', "answers"),
    ],
)
def test_answers_that_cannot_be_used_are_refused_in_a_sentence(
    kept: ReviewFile, text: str, says: str
) -> None:
    folder = kept.directory.parent
    done = run_here(folder, "review", "web", "--answers", "-", given=text.encode())
    done.check_refused(1, says)


def test_lines_of_answers_may_end_as_on_any_machine(kept: ReviewFile) -> None:
    sample, _ = kept.read()
    assert sample is not None
    for end in ("\n", "\r\n", "\r"):
        text = end.join(["url,answer", "http://a.th/0,yes", "http://a.th/1,s", ""])
        assert [word for _, word, _ in read_answers(text, sample, "a")] == ["yes", "spam"]


def test_answers_from_a_file_are_counted_and_exported_again(kept: ReviewFile) -> None:
    folder = kept.directory.parent
    urls = [f"http://a.th/{n}" for n in range(4)]
    lines = [f"{urls[0]},y", f"{urls[1]},spam", f"{urls[2]},n", f"{urls[3]},yes"]
    (folder / "in.csv").write_text("\ufeffurl,answer\n" + "\n".join(lines) + "\n")
    words = ("review", "web", "--answers", "in.csv", "--reviewer", "dao", "--export", "out.jsonl")
    found = run_here(folder, *words, "--json").json
    assert found["reviewers"]["dao"] == 4
    assert {"precision", "missed", "recall", "threshold", "mistakes", "agreement", "sample",
            "sampled", "answered", "settled", "unsettled", "confidence"} <= set(found)  # fmt: skip
    rows = [json.loads(line) for line in (folder / "out.jsonl").read_text().splitlines()]
    given_by_dao = {row["url"]: row["answer"] for row in rows if row["reviewer"] == "dao"}
    assert given_by_dao == dict(zip(urls, ["yes", "spam", "no-text", "yes"], strict=True))
    sample, _ = kept.read()
    assert sample is not None
    again = list(read_answers((folder / "out.jsonl").read_text(), sample, "nobody"))
    assert {(number, word, who) for number, word, who in again} == {
        (each.page, each.answer, each.reviewer) for each in kept.read()[1]
    }


def test_figures_are_told_in_sentences(kept: ReviewFile) -> None:
    done = run_here(kept.directory.parent, "review", "web")
    assert (done.status, done.err) == (0, "")
    assert done.out.startswith("1 of 14 pages answered by mali.\nPrecision 100.0%, 95% interval ")
    other = run_here(kept.directory.parent, "review", "web", "--size", "10")
    assert "the sample of 14 pages that was drawn before is used; --new draws another" in other.err
    new = run_here(kept.directory.parent, "review", "web", "--new", "--size", "10")
    assert "0 of 10 pages answered by nobody" in new.out
    assert "There is no answer to a relevant page yet, so no figure." in new.out


def test_an_export_of_another_kind_is_refused_and_leaves_no_file(
    kept: ReviewFile, tmp_path: Path
) -> None:
    sample, answers = kept.read()
    assert sample is not None
    with pytest.raises(BadInput, match=r"exported as \.csv or \.jsonl; 'x\.xls' is neither"):
        write_answers(tmp_path / "x.xls", sample, answers)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["web"]
    assert write_answers(tmp_path / "x.csv", sample, answers) == 1
    assert (tmp_path / "x.csv").read_text().startswith("url,answer,reviewer,at,relevant,score")
    assert FILE not in {path.name for path in tmp_path.iterdir()}
