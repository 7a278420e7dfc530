"""``langcrawl simulate``: limits, seeds, unknown links and time, from the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from conftest import Cli
from webs import P, write_web

WEB = {
    "s/": P("th", ("s/1", "x/", "y/")), "s/1": P("th", ("x/1", "nowhere/")),
    "x/": P("en", ("x/1",)), "x/1": P("en", ("x/2",)), "x/2": P("th"), "y/": P("ja", ("y/1",)),
    "y/1": P("ja"),
}  # fmt: skip


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return write_web(tmp_path / "log-dir", WEB, ["s/"])


def simulated(cli: Cli, *words: str) -> dict[str, Any]:
    done = cli("simulate", "log-dir", *words, "--json")
    assert done.returncode == 0, done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def pages(cli: Cli, strategy: str, *words: str) -> int:
    entry = simulated(cli, "--strategy", strategy, *words)["strategies"][0]
    assert entry["harvest"] == pytest.approx(entry["relevant"] / max(1, entry["pages"]))
    number: int = entry["pages"]
    return number


def test_limits_bind(cli: Cli, log: Path) -> None:
    assert pages(cli, "bfs") == 7
    assert pages(cli, "bfs", "--max-pages", "3") == 3
    assert pages(cli, "bfs", "--max-pages", "0") == 0
    assert pages(cli, "bfs", "--max-depth", "0") == 1
    assert pages(cli, "bfs", "--max-depth", "1") == 4
    assert pages(cli, "bfs", "--max-pages-per-host", "1") == 3


def test_links_without_a_page_are_dropped_or_fail(cli: Cli, log: Path) -> None:
    assert pages(cli, "bfs", "--unknown", "drop") == 7
    assert pages(cli, "bfs", "--unknown", "fail") == 8


def test_seeds_and_language_can_be_others(cli: Cli, log: Path) -> None:
    assert pages(cli, "bfs", "--seeds", "http://x/1") == 2
    found = simulated(cli, "--strategy", "hard", "--lang", "ja", "--seeds", "http://y/")
    assert found["relevant_total"] == 2
    assert found["strategies"][0]["coverage"] == 1.0


def test_the_reference_loop_gives_the_same_result(cli: Cli, log: Path) -> None:
    words = [
        word for name in ("soft", "hard", "limited:n=1", "lswc") for word in ("--strategy", name)
    ]
    compiled, plain = simulated(cli, *words), simulated(cli, *words, "--interpreted")
    for entry in (*compiled["strategies"], *plain["strategies"]):
        del entry["seconds"]
    assert compiled == plain


def test_a_timed_simulation_takes_the_same_pages_where_all_are_reached(cli: Cli, log: Path) -> None:
    timed = simulated(cli, "--strategy", "bfs", "--timed", "--delay", "2", "--latency", "0.1")
    entry = timed["strategies"][0]
    assert (entry["pages"], entry["coverage"]) == (7, 1.0)


def test_a_curve_has_as_many_points_as_asked_for(cli: Cli, log: Path) -> None:
    for points in (1, 3, 7):
        found = simulated(cli, "--strategy", "bfs", "--points", str(points))
        curve = found["strategies"][0]["curve"]
        assert len(curve) == points
        assert curve[-1]["pages"] == 7
        assert [point["pages"] for point in curve] == sorted({p["pages"] for p in curve})


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--points", "0"], "points"),
        (["--connections", "0"], "connections"),
        (["--latency", "-1"], "latency"),
        (["--delay", "-1"], "delay"),
        (["--max-depth", "x"], "max-depth"),
        (["--report", "."], "name of a file"),
        (["--order", "."], "name of a file"),
        (["--judge", "chraset"], "did you mean 'charset'"),
    ],
)
def test_bad_values_give_one_sentence(cli: Cli, log: Path, words: list[str], says: str) -> None:
    done = cli("simulate", "log-dir", "--strategy", "bfs", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr
    assert len(done.stderr.splitlines()) == 1
