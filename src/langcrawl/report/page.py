"""HTML reports: one file, its scripts inside, no network needed.

What a report says comes from strangers: URLs, host names and charsets from the web, names of
strategies and directories from whoever runs it. So all HTML is in `templates/`, filled by
Jinja2, which escapes every value; charts go in as JSON that cannot end its script; and the
page forbids itself to load anything or to send anything anywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import vl_convert
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from langcrawl import __version__
from langcrawl.errors import BadInput
from langcrawl.measure.results import Result
from langcrawl.report.charts import MEASURES, chart
from langcrawl.report.table import Table, results_table

Spec = dict[str, Any]
"""A chart in Vega-Lite, as JSON."""
_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; "
    "img-src data: blob:; base-uri 'none'; form-action 'none'"
)
"""Scripts stand in the page, and Vega makes functions of its expressions; nothing is fetched."""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a report: a table with its title, a remark, and charts by name."""

    table: Table
    charts: dict[str, Spec] = field(default_factory=dict)
    """A name is used once in a report."""
    remark: str = ""


def write_report(
    path: Path, title: str, lead: str, results: Sequence[Result], facts: Sequence[str] = ()
) -> None:
    """Write the report of a simulation: facts, a table and the charts."""
    charts = {measure: chart(results, measure).to_dict() for measure in MEASURES}
    write_page(path, title, lead, [Section(results_table(results), charts)], facts)


def write_page(
    path: Path, title: str, lead: str, sections: Sequence[Section], facts: Sequence[str] = ()
) -> None:
    """Write a report of sections into one file, which is in place when it is complete."""
    if path.is_dir():
        raise BadInput(f"'{path}' is a directory; give the name of a file for the report.")
    page = (
        _templates()
        .get_template("page.html")
        .render(
            policy=_POLICY,
            title=title,
            lead=lead,
            facts=facts,
            sections=sections,
            specs={name: spec for section in sections for name, spec in section.charts.items()},
            scripts=_scripts(),
            made=f"Made by langcrawl {__version__} on {datetime.now(UTC):%Y-%m-%d at %H:%M} UTC.",
        )
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.tmp")
    # A file name whose bytes are no UTF-8 has codes such as \udcff in it, here as in JSON.
    draft.write_text(page, encoding="utf-8", errors="backslashreplace")
    draft.replace(path)


@cache
def _templates() -> Environment:
    """The templates of this package; a name that they use and nobody gives is an error."""
    made = Environment(
        loader=PackageLoader("langcrawl.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.policies["json.dumps_kwargs"] = {}  # in the order in which a chart was made
    return made


@cache
def _scripts() -> Markup:
    """The programs that draw charts: the only text of a page that is not escaped."""
    return Markup(vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;"))
