"""Runs that are kept on disk: used again, and only where nothing that decides has changed."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.kept_runs import Runs, code_of

from benchmarks import kept_runs
from webs import P, graph_of

WEB = {"a/": P("th", ("a/1", "b/")), "a/1": P("th"), "b/": P("en", ("b/1",)), "b/1": P("th")}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(kept_runs, "FOLDER", tmp_path / "runs")
    return tmp_path / "runs"


def test_a_run_is_kept_and_used_again(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = Runs(graph_of(dict(WEB), ["a/"]))
    first, seconds = runs.order("soft")
    monkeypatch.delattr(kept_runs, "simulate")
    again, same = runs.order("soft")
    assert again.tolist() == first.tolist()
    assert same == seconds


def test_another_web_strategy_limit_or_label_is_another_run(folder: Path) -> None:
    graph = graph_of(dict(WEB), ["a/"])
    runs = Runs(graph)
    runs.order("soft")
    runs.order("bfs")
    assert len(runs.order("bfs", pages=2)[0]) == 2
    graph.relevant[0] = 0
    Runs(graph).order("soft")
    Runs(graph_of({**WEB, "b/1": P("en")}, ["a/"])).order("soft")
    assert len(list(folder.iterdir())) == 5


def test_a_change_of_adaptive_runs_only_adaptive_again() -> None:
    assert code_of("adaptive") != code_of("")
    assert code_of("") == code_of.__wrapped__("")
