"""The charts of a simulation: harvest rate, coverage and queue size over pages downloaded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import altair as alt

from langcrawl.measure.curve import Point
from langcrawl.measure.results import Result


@dataclass(frozen=True, slots=True)
class Measure:
    """What is drawn over the pages downloaded."""

    title: str
    axis: str
    number: str
    """How numbers are written on the axis."""
    value: Callable[[Point], float]


MEASURES = {
    "harvest": Measure(
        "Harvest rate", "relevant pages / pages downloaded", "%", lambda point: point.harvest
    ),
    "coverage": Measure(
        "Coverage",
        "relevant pages found / relevant pages in the log",
        "%",
        lambda point: point.coverage,
    ),
    "queue": Measure("Queue", "URLs waiting", "~s", lambda point: point.queue),
}


def chart(results: Sequence[Result], measure: str, width: int = 500) -> alt.Chart:
    """One measure of every strategy, as lines over the pages downloaded."""
    asked = MEASURES[measure]
    rows = [
        {"strategy": result.name, "pages": point.pages, "value": asked.value(point)}
        for result in results
        for point in result.summary.curve
    ]
    # By a domain and not by `sort`, which Vega-Lite turns into an expression of all names:
    # one odd letter in a name, and nothing would be drawn.
    scale = alt.Scale(domain=list(dict.fromkeys(result.name for result in results)))
    # Below the chart and never cut: names of strategies are long, and some are file names.
    legend = alt.Legend(orient="bottom", columns=2, labelLimit=width)
    pick = alt.selection_point(name=f"pick_{measure}", fields=["strategy"], bind="legend")
    drawn: alt.Chart = (
        alt.Chart(alt.InlineData(rows), title=asked.title, width=width, height=300)
        .mark_line()
        .encode(
            x=alt.X("pages:Q", title="pages downloaded"),
            y=alt.Y("value:Q", title=asked.axis, axis=alt.Axis(format=asked.number)),
            color=alt.Color("strategy:N", scale=scale, title=None, legend=legend),
            strokeDash=alt.StrokeDash("strategy:N", scale=scale, title=None, legend=legend),
            opacity=alt.condition(pick, alt.value(1.0), alt.value(0.15)),
            tooltip=[
                alt.Tooltip("strategy:N"),
                alt.Tooltip("pages:Q", format=","),
                alt.Tooltip("value:Q", title=asked.title, format=".3~f"),
            ],
        )
        .add_params(pick)
    )
    return drawn


PANEL = "{panel}"
"""In the name of a file: one file for each panel, with its name here."""


def save_plot(
    results: Sequence[Result], path: Path, panels: Sequence[str] = tuple(MEASURES)
) -> None:
    """The charts as a picture, by the ending of the file's name: side by side, or a file each."""
    if PANEL in path.name:
        for panel in panels:
            save_plot(results, path.with_name(path.name.replace(PANEL, panel)), [panel])
    else:
        width = 360 if len(panels) > 1 else 500
        save_side_by_side([chart(results, panel, width) for panel in panels], path)


def save_side_by_side(charts: Sequence[alt.Chart], path: Path) -> None:
    """Charts as one picture: PNG, SVG or PDF, by the ending of the file's name."""
    path.parent.mkdir(parents=True, exist_ok=True)
    drawn = alt.hconcat(*charts)
    kind: Any = path.suffix.lower()
    drawn.save(path, format=kind[1:], scale_factor=2.0 if kind == ".png" else 1.0)
