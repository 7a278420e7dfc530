"""HTML reports: one file, its scripts inside, no network needed."""

from __future__ import annotations

import html
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import vl_convert

from langcrawl.errors import BadInput
from langcrawl.report.charts import MEASURES, chart
from langcrawl.report.table import rows

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 76rem; padding: 0 1rem;
       color: #222; }
h1 { margin-bottom: 0; } .lead { color: #555; margin-top: .2rem; }
table { border-collapse: collapse; margin: 1.5rem 0; }
th, td { padding: .3rem .9rem; text-align: right; border-bottom: 1px solid #ddd; }
th:first-child, td:first-child { text-align: left; }
.charts { display: flex; flex-wrap: wrap; gap: 2rem; }
"""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a report: a heading and a remark, if any, a table, and charts by name."""

    heads: Sequence[str]
    cells: Sequence[Sequence[str]]
    charts: dict[str, Any] = field(default_factory=dict)
    """Vega-Lite, as a dictionary; a name is used once in a report."""
    heading: str = ""
    remark: str = ""


def write_report(
    path: Path, title: str, lead: str, results: Sequence[dict[str, Any]], facts: Sequence[str] = ()
) -> None:
    """Write the report of a simulation: facts, a table and the charts."""
    heads, cells = rows(results)
    charts = {measure: chart(results, measure).to_dict() for measure in MEASURES}
    write_page(path, title, lead, [Section(heads, cells, charts)], facts)


def write_page(
    path: Path, title: str, lead: str, sections: Sequence[Section], facts: Sequence[str] = ()
) -> None:
    """Write a report of sections into one file, which is in place when it is complete."""
    scripts = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    specs = {name: spec for section in sections for name, spec in section.charts.items()}
    parts = [
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{html.escape(title)}</title><style>{_STYLE}</style>",
        f"<script>{scripts}</script></head><body>",
        f'<h1>{html.escape(title)}</h1><p class="lead">{html.escape(lead)}</p>',
        "<ul>" + "".join(f"<li>{html.escape(fact)}</li>" for fact in facts) + "</ul>",
        *(part for section in sections for part in _section(section)),
        f"<script>const specs = {_in_script(specs)};",
        "for (const name in specs) vegaEmbed('#' + name, specs[name], {actions: false});",
        "</script></body></html>\n",
    ]
    if path.is_dir():
        raise BadInput(f"'{path}' is a directory; give the name of a file for the report.")
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.tmp")
    draft.write_text("\n".join(parts), encoding="utf-8")
    draft.replace(path)


def _section(section: Section) -> list[str]:
    parts = []
    if section.heading:
        parts.append(f"<h2>{html.escape(section.heading)}</h2>")
    if section.remark:
        parts.append(f"<p>{html.escape(section.remark)}</p>")
    parts.append(_table(section.heads, section.cells))
    if section.charts:
        places = "".join(f'<div id="{name}"></div>' for name in section.charts)
        parts.append(f'<div class="charts">{places}</div>')
    return parts


def _table(heads: Sequence[str], cells: Sequence[Sequence[str]]) -> str:
    head = "".join(f"<th>{html.escape(text)}</th>" for text in heads)
    body = "".join(
        "<tr>" + "".join(f"<td>{html.escape(text)}</td>" for text in row) + "</tr>\n"
        for row in cells
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>\n{body}</tbody></table>"


def _in_script(value: object) -> str:
    """JSON that cannot end the script it stands in."""
    return json.dumps(value).replace("<", "\\u003c")
