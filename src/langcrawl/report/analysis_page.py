"""The HTML report of ``langcrawl analyze``."""

from __future__ import annotations

from pathlib import Path

from langcrawl.measure.webgraph import Analysis
from langcrawl.report.analysis import lead, tables
from langcrawl.report.analysis_charts import analysis_charts
from langcrawl.report.page import Section, write_page

_REMARKS = {
    "languages": "As recorded in the log.",
    "domains": "Where the language lives.",
    "locality": "Each target counts once a page; a page's link to itself is left out, and so are "
    "links to URLs that were never fetched.",
    "distance": "1: another relevant page links to it; d: at least d - 1 irrelevant pages lie "
    "between; unreached: no other relevant page leads to it.",
    "degrees": "Links from fetched pages; each target counts once a page.",
    "components": "Sets of pages that can all be reached from one another.",
    "host_relevant": "It helps to choose the threshold s of the strategy lswc.",
}


def write_analysis(path: Path, log: str, found: Analysis, top: int) -> None:
    """Write the tables of an analysis, each with its chart if it has one."""
    charts = analysis_charts(found, top)
    sections = [
        Section(
            table,
            {table.name: charts[table.name].to_dict()} if table.name in charts else {},
            _REMARKS.get(table.name, ""),
        )
        for table in tables(found, top)
    ]
    write_page(path, f"The web of {log}", lead(found), sections)
