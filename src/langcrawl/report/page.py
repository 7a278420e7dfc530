"""HTML reports: one file, pictures and style inside, no program and no network needed.

What a report says comes from strangers: URLs, host names and titles from the web, names of
strategies and directories from whoever runs it. So all HTML is in `templates/`, filled by
Jinja2, which escapes every value; charts are drawn before, by a program that escapes what they
say, and their numbers stand beside them as JSON; and the page forbids itself to run or to load
anything.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from langcrawl import __version__
from langcrawl.errors import BadInput
from langcrawl.measure.results import Result
from langcrawl.report.charts import MEASURES, chart
from langcrawl.report.table import Table, results_table
from langcrawl.report.theme import Spec, draw

_POLICY = "default-src 'none'; style-src '{style}'; base-uri 'none'; form-action 'none'"
"""The one style sheet of the page, by its digest; no script, and nothing is fetched."""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a report: a table with its title, a remark, and charts by name."""

    table: Table
    charts: dict[str, Spec] = field(default_factory=dict)
    """A name is used once in a report."""
    remark: str = ""
    title: str = ""
    """Where it is not that of the table."""


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
    write_filled(path, "page.html", title, sections, {"lead": lead, "facts": facts})


def write_filled(
    path: Path, template: str, title: str, sections: Sequence[Section], more: Mapping[str, Any]
) -> None:
    """Fill a template with sections and more, into one file."""
    if path.is_dir():
        raise BadInput(f"'{path}' is a directory; give the name of a file for the report.")
    style = _style()
    digest = b64encode(sha256(style.encode()).digest()).decode()
    specs = {name: spec for section in sections for name, spec in section.charts.items()}
    page = (
        _templates()
        .get_template(template)
        .render(
            policy=_POLICY.format(style=f"sha256-{digest}"),
            style=Markup(style),
            title=title,
            sections=sections,
            specs=specs,
            pictures={name: draw(spec) for name, spec in specs.items()},
            made=f"Made by langcrawl {__version__} on {datetime.now(UTC):%Y-%m-%d at %H:%M} UTC.",
            **more,
        )
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.tmp")
    # A file name whose bytes are no UTF-8 has codes such as \udcff in it, here as in JSON.
    draft.write_text(page, encoding="utf-8", errors="backslashreplace")
    draft.replace(path)


@cache
def _style() -> str:
    """The style sheet: the only text of a page that is not escaped, besides its pictures."""
    text: str = _templates().get_template("style.css").render()
    return text


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
