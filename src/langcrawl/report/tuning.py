"""What a search for parameters tried: a table, and a chart of the score over each parameter."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import altair as alt

from langcrawl.report.page import Section, write_page

_SAID = {
    "auc": "mean coverage over the crawl",
    "coverage": "coverage at the end",
    "harvest": "harvest rate",
}


def rows(document: dict[str, Any], most: int | None = None) -> tuple[list[str], list[list[str]]]:
    """The table of a search: its heads, and a row for each of the best."""
    heads = ["strategy", document["measure"], "on held-out hosts", "pages"]
    cells = [
        [trial["name"], f"{trial['score']:.4f}", _or_dash(trial["held_out"]), f"{trial['pages']:,}"]
        for trial in document["tried"][:most]
    ]
    if document["given"] not in [row[0] for row in cells]:
        cells.append([f"{document['given']} (as given)", "-", _or_dash(document["given_held_out"]),
                      "-"])  # fmt: skip
    return heads, cells


def _or_dash(score: float | None) -> str:
    return "-" if score is None else f"{score:.4f}"


def charts(document: dict[str, Any], width: int = 280) -> dict[str, alt.Chart]:
    """The score of each trial over the values of each parameter that was varied."""
    tried = [(_values(trial["name"]), trial) for trial in document["tried"]]
    names = [key for key in tried[0][0] if len({values[key] for values, _ in tried}) > 1]
    drawn = {}
    for name in names:
        data = [
            {"value": values[name], "score": trial["score"], "strategy": trial["name"],
             "best": trial["name"] == document["best"]}
            for values, trial in tried
        ]  # fmt: skip
        kind = "Q" if all(_is_number(values[name]) for values, _ in tried) else "N"
        drawn[f"tune_{name}"] = (
            alt.Chart(alt.InlineData(data), title=name, width=width, height=220)
            .mark_circle(size=70)
            .encode(
                x=alt.X(f"value:{kind}", title=name),
                y=alt.Y("score:Q", title=_SAID[document["measure"]], scale=alt.Scale(zero=False)),
                color=alt.Color("best:N", title="the best"),
                tooltip=["strategy:N", alt.Tooltip("score:Q", format=".4f")],
            )
        )
    return drawn


def _values(name: str) -> dict[str, str]:
    """The parameters of a strategy as it is written."""
    items = name.rpartition(":")[2].split(",")
    return {key: value for key, _, value in (item.partition("=") for item in items)}


def _is_number(text: str) -> bool:
    return text.replace(".", "", 1).isdigit()


def write_tuning(path: Path, document: dict[str, Any], facts: Sequence[str]) -> None:
    """The search as an HTML page."""
    heads, cells = rows(document)
    drawn = {name: chart.to_dict() for name, chart in charts(document).items()}
    title = f"Parameters of {document['strategy']} on {document['log']}"
    write_page(path, title, f"The best: {document['best']}", [Section(heads, cells, drawn)], facts)


def save_tuning_plot(path: Path, document: dict[str, Any]) -> None:
    """The charts side by side as a picture, by the ending of the file's name."""
    path.parent.mkdir(parents=True, exist_ok=True)
    picture = alt.hconcat(*charts(document).values())
    picture.save(path, scale_factor=2.0 if path.suffix == ".png" else 1.0)
