"""What a search for parameters tried: a table, and a chart of the score over each parameter."""

from __future__ import annotations

import math
from pathlib import Path

import altair as alt

from langcrawl.measure.results import Tuned
from langcrawl.report.charts import save_side_by_side
from langcrawl.report.page import Section, write_page
from langcrawl.report.table import Table

_SAID = {
    "auc": "mean coverage over the crawl",
    "coverage": "coverage at the end",
    "harvest": "harvest rate",
}


def tuning_table(tuned: Tuned, most: int | None = None) -> Table:
    """The table of a search: a row for each of the best, and one for the strategy as given."""
    rows = [
        [
            trial.name,
            f"{trial.score:.4f}",
            _or_dash(tuned.on_held_out(trial.name)),
            f"{trial.pages:,}",
        ]
        for trial in tuned.trials[:most]
    ]
    if tuned.given not in [row[0] for row in rows]:
        held_out = _or_dash(tuned.on_held_out(tuned.given))
        rows.append([f"{tuned.given} (as given)", "-", held_out, "-"])
    return Table(["strategy", tuned.measure, "on held-out hosts", "pages"], rows)


def _or_dash(score: float | None) -> str:
    return "-" if score is None else f"{score:.4f}"


def tuning_charts(tuned: Tuned, width: int = 280) -> dict[str, alt.Chart]:
    """The score of each trial over the values of each parameter that was varied."""
    values = {trial.name: _values(trial.name) for trial in tuned.trials}
    names = dict.fromkeys(name for chosen in values.values() for name in chosen)
    varied = [name for name in names if len({chosen.get(name) for chosen in values.values()}) > 1]
    return {f"tune_{name}": _chart(tuned, name, values, width) for name in varied}


def _chart(tuned: Tuned, name: str, values: dict[str, dict[str, str]], width: int) -> alt.Chart:
    tried = [(trial, values[trial.name].get(name, "")) for trial in tuned.trials]
    numbers = all(_is_number(value) for _, value in tried)
    data = [
        {
            "value": float(value) if numbers else value,
            "score": trial.score,
            "strategy": trial.name,
            "best": "best" if trial == tuned.best else "other",
        }
        for trial, value in reversed(tried)  # the best lies on top
    ]
    drawn: alt.Chart = (
        alt.Chart(alt.InlineData(data), title=name, width=width, height=220)
        .mark_circle(size=70)
        .encode(
            x=alt.X("value:O", title=name, axis=alt.Axis(labelAngle=0)),
            y=alt.Y("score:Q", title=_SAID[tuned.measure], scale=alt.Scale(zero=False, padding=8)),
            color=alt.Color("best:N", title=None, sort=["other", "best"]),
            tooltip=["strategy:N", alt.Tooltip("score:Q", format=".4f")],
        )
    )
    return drawn


def _values(name: str) -> dict[str, str]:
    """The parameters of a strategy as it is written."""
    items = name.rpartition(":")[2].split(",")
    return {key: value for key, equals, value in (item.partition("=") for item in items) if equals}


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def write_tuning(path: Path, tuned: Tuned) -> None:
    """The search as an HTML page."""
    drawn = {name: chart.to_dict() for name, chart in tuning_charts(tuned).items()}
    facts = [f"Measured: {_SAID[tuned.measure]} ({tuned.measure})."]
    if tuned.held_out:
        facts.append(
            f"Held out: {tuned.held_out:.0%} of the hosts; the search ran on the web without them, "
            "and the held-out column counts their pages only."
        )
    write_page(
        path,
        f"Parameters of {tuned.strategy} on {tuned.log}",
        f"The best: {tuned.best.name}",
        [Section(tuning_table(tuned), drawn)],
        facts,
    )


def save_tuning_plot(path: Path, tuned: Tuned) -> None:
    """The charts side by side as a picture, by the ending of the file's name."""
    save_side_by_side(list(tuning_charts(tuned).values()), path)
