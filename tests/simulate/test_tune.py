"""The search for parameters: what it tries, what it holds out, and that it goes on."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from tests.conftest import Cli

from langcrawl.errors import BadInput, UsageError
from langcrawl.simulate import Plan, Source, open_graph, simulate
from langcrawl.simulate.tune import Question, search_space, tune
from langcrawl.strategy import make_strategy
from langcrawl.virtualweb.synth import generate, load_profile
from webs import P, write_web


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("tune") / "web"
    generate(directory, load_profile("thai-2005"), 8_000, 4)
    return directory


def ask(web: Path, measure: str = "auc", held_out: float = 0.3, seed: int = 1) -> Question:
    return Question(Source(web), Plan(), measure, held_out, seed)


def test_what_is_given_stays_and_what_cannot_be_is_not_tried() -> None:
    name, points = search_space("correlation:min=0.1")
    assert name == "correlation"
    assert len(points) == 66
    for point in points:
        values = dict(point)
        assert float(values["wt"]) + values["ws"] + values["wd"] == pytest.approx(1)
        assert values["min"] == "0.1"
    assert len(search_space("lswc:s=2", ["t=0,4"])[1]) == 2


@pytest.mark.parametrize(
    ("text", "more", "message"),
    [
        ("bfs", (), "leaves nothing to try"),
        ("lswc", ("s",), "--try takes a parameter"),
        ("lswc", ("s=0,-1",), "s of 1 or more"),
        ("lswc", ("q=1,2",), "no parameter of lswc 'q'"),
        ("sotf", ("n=1,2",), "did you mean 'soft'"),
    ],
)
def test_a_search_that_makes_no_sense_is_refused(
    text: str, more: tuple[str, ...], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        search_space(text, more)


def test_the_best_is_what_a_full_search_finds(web: Path) -> None:
    tuned = tune(ask(web, held_out=0), "limited", 12)
    graph = open_graph(Source(web))
    scores = {
        trial.name: simulate(graph, make_strategy(trial.name), Plan()).summary.auc
        for trial in tuned.trials
    }
    assert len(scores) == 12
    assert tuned.best.score == pytest.approx(max(scores.values()))
    assert [trial.score for trial in tuned.trials] == sorted(scores.values(), reverse=True)
    assert not tuned.checked


def test_the_search_never_sees_a_page_of_a_held_out_host(web: Path) -> None:
    graph = open_graph(Source(web))
    gone = np.zeros(int(graph.arrays.host.max()) + 1, bool)
    gone[::3] = True
    seed_hosts = graph.arrays.host[graph.find(graph.config.seeds)]
    gone[seed_hosts] = False
    part = graph.without_hosts(gone)
    for name in ("bfs", "correlation", "lswc"):
        taken = simulate(part, make_strategy(name), Plan()).order
        assert len(taken) > 1000
        assert not gone[graph.arrays.host[taken]].any()
        other = simulate(part, make_strategy(name), Plan(), interpreted=True).order
        assert np.array_equal(taken, other)
    assert len(part.anchor_scores) == part.links < graph.links


def test_the_same_question_is_not_worked_out_twice_and_another_is(web: Path) -> None:
    first = tune(ask(web, seed=7), "lswc", 6)
    assert len(first.trials) == 6
    assert {trial.name for trial in first.checked} >= {first.best.name, "lswc"}
    again = tune(ask(web, seed=7), "lswc", 6)
    assert again == first  # to the second: the trials were read, not run
    assert tune(ask(web, seed=8), "lswc", 6).trials[0].seconds != first.trials[0].seconds


def test_a_search_that_is_stopped_keeps_what_it_has(web: Path) -> None:
    done: list[int] = []
    tuned = tune(
        ask(web, seed=9), "lswc", 20, (), lambda n, _: done.append(n), lambda: len(done) >= 3
    )
    assert len(tuned.trials) == 3
    assert not tuned.complete


def test_too_few_hosts_are_named(tmp_path: Path) -> None:
    web = write_web(tmp_path / "web", {"s/": P("th", ("s/1",)), "s/1": P("th")}, ["s/"])
    with pytest.raises(BadInput, match="too few hosts"):
        tune(ask(web), "lswc", 4)
    assert tune(ask(web, held_out=0), "lswc", 4).best.score > 0
    none = write_web(tmp_path / "none", {"s/": P("en")}, ["s/"])
    with pytest.raises(BadInput, match="no relevant page"):
        tune(ask(none), "lswc", 4)


def test_the_command_prints_a_table_and_writes_what_it_tried(
    web: Path, cli: Cli, tmp_path: Path
) -> None:
    words = ["tune", web, "--strategy", "correlation:min=0", "--tries", "6", "--max-pages", "2000"]
    done = cli(*words, "--json", "--report", "tried.html", "--plot", "tried.svg")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["best"] == found["tried"][0]["name"]
    assert found["tried"][0]["held_out"] is not None
    assert len(found["tried"]) == 6
    page = (tmp_path / "tried.html").read_text("utf-8")
    assert found["best"] in page
    assert "tune_wt" in page
    assert "<svg" in (tmp_path / "tried.svg").read_text("utf-8")
    table = cli(*words)
    assert f"--strategy {found['best']}" in table.stdout
    assert cli("tune", web, "--strategy", "lswc", "--measure", "luck").returncode == 2
    own = Path(__file__).resolve().parents[2] / "examples" / "own_strategy.py"
    mine = cli("tune", web, "--strategy", f"{own}:near", "--try", "most=1,3", "--json")
    assert json.loads(mine.stdout)["best"] in (f"{own}:near:most=1", f"{own}:near:most=3")
