"""The charts of a simulation: harvest rate, coverage and queue size over pages downloaded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import altair as alt

from langcrawl.measure.curve import Point
from langcrawl.measure.results import Result
from langcrawl.report.theme import HEIGHT, SHORT_NUMBERS, WIDTH, save


@dataclass(frozen=True, slots=True)
class Measure:
    """What is drawn over the pages downloaded."""

    title: str
    axis: str
    number: str
    """How numbers are written on the axis."""
    value: Callable[[Point], float]

    def number_axis(self) -> alt.Axis:
        if self.number == "%":
            return alt.Axis(format=self.number)
        return alt.Axis(labelExpr=SHORT_NUMBERS)


MEASURES = {
    "harvest": Measure(
        "Harvest rate", "relevant, of the pages downloaded", "%", lambda point: point.harvest
    ),
    "coverage": Measure(
        "Coverage",
        "found, of the relevant pages",
        "%",
        lambda point: point.coverage,
    ),
    "queue": Measure("Queue", "URLs waiting", "~s", lambda point: point.queue),
}


def chart(results: Sequence[Result], measure: str, width: int = WIDTH) -> alt.Chart:
    """One measure of every strategy, as lines over the pages downloaded."""
    asked = MEASURES[measure]
    rows: list[dict[str, str | float]] = [
        {"strategy": result.name, "pages": point.pages, "value": asked.value(point)}
        for result in results
        for point in result.summary.curve
    ]
    return line_chart(rows, asked, asked.title, width)


def line_chart(
    rows: Sequence[dict[str, str | float]], asked: Measure, title: str, width: int = WIDTH
) -> alt.Chart:
    """Rows of ``strategy``, ``pages`` and ``value`` as a line for each strategy."""
    # By a domain and not by `sort`, which Vega-Lite turns into an expression of all names:
    # one odd letter in a name, and nothing would be drawn.
    scale = alt.Scale(domain=list(dict.fromkeys(row["strategy"] for row in rows)))
    # Below the chart and never cut: names of strategies are long, and some are file names.
    # Its symbols are strokes long enough to show how each line is dashed.
    legend = alt.Legend(
        orient="bottom", columns=1, labelLimit=width, symbolType="stroke", symbolSize=700
    )
    drawn: alt.Chart = (
        alt.Chart(alt.InlineData(rows), title=title, width=width, height=HEIGHT)
        .mark_line()
        .encode(
            x=alt.X("pages:Q", title="pages downloaded", axis=alt.Axis(labelExpr=SHORT_NUMBERS)),
            y=alt.Y("value:Q", title=asked.axis, axis=asked.number_axis()),
            color=alt.Color("strategy:N", scale=scale, title=None, legend=legend),
            strokeDash=alt.StrokeDash("strategy:N", scale=scale, title=None, legend=legend),
            tooltip=[
                alt.Tooltip("strategy:N"),
                alt.Tooltip("pages:Q", format=","),
                alt.Tooltip("value:Q", title=asked.title, format=".3~f"),
            ],
        )
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
        save_side_by_side([chart(results, panel) for panel in panels], path)


def save_side_by_side(charts: Sequence[alt.Chart], path: Path) -> None:
    """Charts as one picture: PNG, SVG or PDF, by the ending of the file's name."""
    save(alt.hconcat(*charts).to_dict(), path)
