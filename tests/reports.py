"""Reading a report as a browser does."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from resiliparse.parse.html import HTMLTree

HOSTILE = (
    "<script>alert(1)</script>",
    "</script><script>alert(2)</script>",
    "</title></style><svg onload=alert(3)>",
    '"><img src=x onerror=alert(4)>',
    "' onmouseover='alert(5)",
    "<!-- <script>",
    "{{ 7 * 7 }}{% raw %}",
    "&lt;b&gt; &amp; \u2028 \u202e",
    "javascript:alert(6)",
)
"""Names that try to get out of the place where they stand."""
TAGS = {
    "html", "head", "meta", "title", "style", "body", "h1", "h2", "p", "ul", "li", "div", "table",
    "thead", "tbody", "tr", "th", "td", "script", "footer",
    "svg", "g", "path", "line", "text", "rect", "defs", "clippath", "clipPath",
}  # fmt: skip
ATTRIBUTES = {"lang", "charset", "http-equiv", "name", "content", "class", "id", "type"}

DRAWN = {
    "xmlns", "version", "class", "width", "height", "viewbox", "viewBox", "role", "fill", "stroke",
    "stroke-miterlimit", "transform", "aria-roledescription", "aria-hidden", "aria-label", "d",
    "pointer-events", "x2", "y2", "x", "y", "opacity", "stroke-width", "text-anchor",
    "font-family", "font-size", "font-weight", "stroke-dasharray", "display", "clip-path",
    "stroke-linecap", "fill-opacity", "stroke-opacity", "dominant-baseline", "rx", "ry",
}  # fmt: skip
"""Attributes of pictures."""


@dataclass(frozen=True)
class Report:
    """What a browser finds in a report."""

    title: str
    heading: str
    lead: str
    facts: list[str]
    headings: list[str]
    tables: list[list[list[str]]]
    specs: dict[str, Any]
    places: list[str]
    """The ids of the elements into which charts are drawn."""
    tags: set[str]
    attributes: set[str]
    scripts: int


def read_report(path: Path) -> Report:
    """Parse a report, by the rules that browsers follow."""
    tree = HTMLTree.parse(path.read_text("utf-8"))
    elements = list(tree.document.query_selector_all("*"))

    def texts(selector: str) -> list[str]:
        return [element.text for element in tree.document.query_selector_all(selector)]

    data = tree.document.get_element_by_id("specs")
    return Report(
        title=tree.title,
        heading=texts("h1")[0],
        lead=texts("p.lead")[0],
        facts=texts("li"),
        headings=texts("h2"),
        tables=[
            [
                [cell.text for cell in row.query_selector_all("th, td")]
                for row in table.query_selector_all("tr")
            ]
            for table in tree.document.query_selector_all("table")
        ],
        specs=json.loads(data.text) if data else {},
        places=[place.getattr("id") for place in tree.document.query_selector_all(".charts > div")],
        tags={element.tag for element in elements},
        attributes={name for element in elements for name in element.attrs},
        scripts=len(texts("script")),
    )


def rows_of(spec: dict[str, Any]) -> list[dict[str, Any]]:
    """The data of a chart with one table."""
    (rows,) = spec["datasets"].values()
    return list(rows)


def check_harmless(report: Report) -> None:
    """Nothing is there but what the templates have: no element, attribute or script more."""
    assert report.tags <= TAGS
    assert report.attributes <= ATTRIBUTES | DRAWN
    assert report.scripts == bool(report.specs)  # the numbers of the charts: data, not a program
    assert report.places == [f"chart-{name}" for name in report.specs]
