"""The charts of a simulation, as Vega-Lite and as pictures."""

from __future__ import annotations

from dataclasses import replace
from html import escape
from pathlib import Path

import pytest
from tests.reports import HOSTILE, rows_of
from tests.webs import P, graph_of

from langcrawl.report.charts import chart, save_plot
from langcrawl.report.theme import draw
from langcrawl.simulate import Plan, Result, simulate
from langcrawl.strategy import make_strategy

WEB = {"s/": P("th", ("s/1", "s/2", "s/3")), "s/1": P("en"), "s/2": P("th"), "s/3": P("en")}


def run(name: str) -> Result:
    return simulate(graph_of(WEB, ["s/"]), make_strategy(name), Plan())


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        ("harvest", [1, 1 / 2, 2 / 3, 2 / 4]),
        ("coverage", [1 / 2, 1 / 2, 1, 1]),
        ("queue", [3, 2, 1, 0]),
    ],
)
def test_a_measure_is_drawn_point_by_point(measure: str, expected: list[float]) -> None:
    values = rows_of(chart([run("bfs")], measure).to_dict())
    assert [row["pages"] for row in values] == [1, 2, 3, 4]
    assert [row["value"] for row in values] == pytest.approx(expected)


def test_strategies_stand_in_the_order_given_under_their_own_names() -> None:
    names = ["soft", "bfs", "dfs"]
    spec = chart([run(name) for name in names], "harvest").to_dict()
    assert spec["encoding"]["color"]["scale"]["domain"] == names
    assert list(dict.fromkeys(row["strategy"] for row in rows_of(spec))) == names


def test_legends_show_how_lines_are_dashed() -> None:
    encoding = chart([run("bfs"), run("soft")], "harvest").to_dict()["encoding"]
    for channel in ("color", "strokeDash"):
        assert encoding[channel]["legend"]["symbolType"] == "stroke"
    picture = draw(chart([run("bfs"), run("soft")], "harvest").to_dict())
    legend = picture[picture.index("role-legend-symbol") :]
    assert "stroke-dasharray" in legend[: legend.index("role-legend-label")]


@pytest.mark.parametrize(
    ("ending", "magic"), [("png", b"\x89PNG"), ("svg", b"<svg"), ("pdf", b"%PDF")]
)
def test_a_picture_is_of_the_kind_that_its_name_says(
    tmp_path: Path, ending: str, magic: bytes
) -> None:
    path = tmp_path / "new" / f"plot.{ending}"
    save_plot([run("bfs"), run("soft")], path)
    assert path.read_bytes().startswith(magic)


def test_a_picture_names_the_strategies_and_keeps_markup_as_text(tmp_path: Path) -> None:
    save_plot([replace(run("bfs"), name=name) for name in HOSTILE], tmp_path / "plot.svg")
    picture = (tmp_path / "plot.svg").read_text("utf-8")
    assert "Harvest rate" in picture
    for name in HOSTILE:
        name = name.replace("\u2028", " ")  # which would end a line of a program
        assert escape(name, quote=False) in picture.replace("&quot;", '"')
    assert "<script" not in picture
