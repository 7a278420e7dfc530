"""The charts of a simulation: harvest rate, coverage and queue size over pages downloaded."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import altair as alt

MEASURES = {
    "harvest": ("Harvest rate", "relevant pages / pages downloaded", "%"),
    "coverage": ("Coverage", "relevant pages found / relevant pages in the log", "%"),
    "queue": ("Queue", "URLs waiting", "~s"),
}


def chart(results: Sequence[dict[str, Any]], measure: str, width: int = 560) -> alt.Chart:
    """One measure of every strategy, as lines over the pages downloaded."""
    title, axis, number = MEASURES[measure]
    rows = [
        {"strategy": result["name"], "pages": point["pages"], "value": point[measure]}
        for result in results
        for point in result["curve"]
    ]
    order = [result["name"] for result in results]
    pick = alt.selection_point(name=f"pick_{measure}", fields=["strategy"], bind="legend")
    drawn: alt.Chart = (
        alt.Chart(alt.InlineData(rows), title=title, width=width, height=300)
        .mark_line()
        .encode(
            x=alt.X("pages:Q", title="pages downloaded"),
            y=alt.Y("value:Q", title=axis, axis=alt.Axis(format=number)),
            color=alt.Color("strategy:N", sort=order, title="strategy"),
            strokeDash=alt.StrokeDash("strategy:N", sort=order, legend=None),
            opacity=alt.condition(pick, alt.value(1.0), alt.value(0.15)),
            tooltip=[
                alt.Tooltip("strategy:N"),
                alt.Tooltip("pages:Q", format=","),
                alt.Tooltip("value:Q", title=title, format=".3~f"),
            ],
        )
        .add_params(pick)
    )
    return drawn


def save_plot(results: Sequence[dict[str, Any]], path: Path) -> None:
    """The charts side by side as a picture, by the ending of the file's name."""
    path.parent.mkdir(parents=True, exist_ok=True)
    charts = [chart(results, measure, width=360) for measure in MEASURES]
    alt.hconcat(*charts).save(path, scale_factor=2.0 if path.suffix == ".png" else 1.0)
