"""Parts of the search for parameters: the space, what is tried next, scores, the notebook."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from langcrawl.errors import UsageError
from langcrawl.measure import summarize
from langcrawl.measure.results import Trial, Tuned
from langcrawl.records import Limits
from langcrawl.simulate import Plan, Source
from langcrawl.simulate.tune import (
    SPACES,
    Point,
    Question,
    _next,
    _Notebook,
    _score,
    _spec,
    search_space,
    tune,
)
from langcrawl.strategy import make_strategy
from webs import P, write_web

WEB = {"s/": P("th", ("a/", "b/", "c/")), "a/": P("th", ("a/1",)), "a/1": P("en", ("a/2",))}
WEB |= {"a/2": P("th"), "b/": P("en", ("b/1",)), "b/1": P("th"), "c/": P("en")}


def ask(log: Path, measure: str = "auc", most: int | None = None) -> Question:
    return Question(Source(log), Plan(limits=Limits(max_pages=most)), measure, 0.0, 1)


@pytest.mark.parametrize("name", SPACES)
def test_every_point_of_a_space_is_a_strategy_that_can_be_made(name: str) -> None:
    found, points = search_space(name)
    assert found == name
    specs = [_spec(name, point) for point in points]
    assert len(set(specs)) == len(specs) > 1
    for spec in (specs[0], specs[-1]):
        make_strategy(spec)


def test_values_to_try_replace_those_of_the_space_and_given_ones_win() -> None:
    some = search_space("limited:n=2", ["prioritized=true,false"])[1]
    assert [dict(point) for point in some] == [
        {"n": "2", "prioritized": "true"}, {"n": "2", "prioritized": "false"},
    ]  # fmt: skip
    points = search_space("lswc", ["s=1,9", " t = 3"])[1]
    assert {dict(point)["s"] for point in points} == {"1", "9"}


@pytest.mark.parametrize("item", ["s", "s=", "", "=1"])
def test_values_that_make_no_sense_are_refused(item: str) -> None:
    with pytest.raises(UsageError):
        search_space("lswc", [item])


def trials(points: list[Point], scores: dict[int, float]) -> dict[str, Trial]:
    return {
        _spec("lswc", points[at]): Trial(_spec("lswc", points[at]), score, 1, 0.0)
        for at, score in scores.items()
    }


def test_half_of_the_tries_are_anywhere_and_none_comes_twice() -> None:
    points = search_space("lswc")[1]
    first = _next(points, "lswc", {}, 10, 1, np.random.default_rng(1))
    assert len(first) == len(set(first)) == 5
    assert first != _next(points, "lswc", {}, 10, 1, np.random.default_rng(2))
    everything = _next(points, "lswc", {}, len(points), 1, np.random.default_rng(1))
    assert everything == points  # where all can be tried, all are, in order


def test_the_other_tries_are_near_the_best_so_far() -> None:
    points = search_space("lswc")[1]
    center = points.index((("s", 3), ("t", 3)))
    done = trials(points, {0: 0.1, center: 0.9, len(points) - 1: 0.2})
    near = _next(points, "lswc", done, 20, 1, np.random.default_rng(1))
    assert {tuple(dict(point).values()) for point in near} == {(2, 3), (4, 3), (3, 2), (3, 4)}
    assert len(_next(points, "lswc", done, 5, 1, np.random.default_rng(1))) == 2  # two are left
    assert len(_next(points, "lswc", done, 20, 6, np.random.default_rng(1))) == 12  # six at work


@given(st.lists(st.booleans(), min_size=1, max_size=30), st.integers(0, 20), st.integers(0, 20))
def test_scores_are_those_of_the_summary(hits: list[bool], more: int, relevant: int) -> None:
    """Over the whole log; with a budget, the area is that over the budget."""
    taken, total, pages = np.array(hits), max(1, sum(hits) + relevant), len(hits) + more
    summary = summarize(taken, np.zeros(len(hits), np.int32), total, pages)
    for measure in ("auc", "coverage", "harvest"):
        question = Question(Source(Path()), Plan(), measure, 0.0, 1)
        assert _score(question, taken, total, pages) == pytest.approx(getattr(summary, measure))
    within = Question(Source(Path()), Plan(limits=Limits(max_pages=len(hits))), "auc", 0.0, 1)
    assert _score(within, taken, total, pages) == pytest.approx(
        float(np.cumsum(taken).mean()) / total
    )


def test_a_crawl_of_no_page_scores_nothing() -> None:
    for measure in ("auc", "coverage", "harvest"):
        question = Question(Source(Path()), Plan(), measure, 0.0, 1)
        assert _score(question, np.zeros(0, bool), 5, 10) == 0.0


SPEC = "limited:prioritized=true"
NAMES = [f"limited:n={n},prioritized=true" for n in range(6)]


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_web(tmp_path_factory.mktemp("search") / "web", WEB, ["s/"])


@pytest.fixture(scope="module")
def first(log: Path) -> Tuned:
    return tune(ask(log), SPEC, 6)


class TestNotebook:
    """Every trial is kept at once, so that a search that was ended is resumed."""

    @pytest.fixture
    def notes(self, log: Path, first: Tuned) -> Iterator[Path]:
        """The notebook of that search, put back afterwards."""
        (path,) = (log / "log" / "graph").glob("tune-*.jsonl")
        before = path.read_text()
        yield path
        path.write_text(before)

    def test_a_search_resumes_after_its_last_whole_line(
        self, log: Path, first: Tuned, notes: Path
    ) -> None:
        lines = notes.read_text().splitlines(keepends=True)
        assert len(lines) == 6
        notes.write_text("".join(lines[:4]) + lines[4][:20])
        again = tune(ask(log), SPEC, 6)
        assert [trial.name for trial in again.trials] == [trial.name for trial in first.trials]
        assert [trial.score for trial in again.trials] == [trial.score for trial in first.trials]

    def test_only_what_is_new_is_worked_out(self, log: Path, notes: Path) -> None:
        book = _Notebook(ask(log))
        worked: list[str] = []

        def work(name: str) -> Trial:
            worked.append(name)
            return Trial(name, 0.5, 1, 0.0)

        found = list(book.through(["new:1", NAMES[2], "new:2"], False, work, 1))
        assert [trial.name for trial in found] == [NAMES[2], "new:1", "new:2"]
        assert worked == ["new:1", "new:2"]
        worked.clear()
        list(book.through([NAMES[2]], True, work, 1))  # on held-out hosts it is another question
        assert worked == [NAMES[2]]

    def test_lines_that_are_none_are_left_out(self, log: Path, notes: Path) -> None:
        strange = '\n[1]\n"x"\n{"checking": false}\n{"name": "x"}\nnull\n7\n{"a": '
        notes.write_text(f"{strange}\n{notes.read_text()}")
        found = _Notebook(ask(log)).through(NAMES, False, pytest.fail, 1)  # type: ignore[arg-type]
        assert [trial.name for trial in found] == NAMES

    def test_another_question_has_another_notebook(self, log: Path, notes: Path) -> None:
        for question in (ask(log, "harvest"), ask(log, "auc", 3)):
            tuned = tune(question, SPEC, 1)
            assert len(tuned.trials) == 1
        others = sorted(notes.parent.glob("tune-*.jsonl"))
        assert len(others) == 3
        for path in others:
            if path != notes:
                path.unlink()

    def test_a_budget_is_kept_by_every_trial(self, log: Path) -> None:
        tuned = tune(ask(log, "coverage", 3), SPEC, 2)
        assert [trial.pages for trial in tuned.trials] == [3, 3]
        assert tuned.as_json()["best"] == tuned.best.name
        assert tuned.as_json()["given_held_out"] is None
