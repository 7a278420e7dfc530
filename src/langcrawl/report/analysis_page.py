"""The HTML report of ``langcrawl analyze``."""

from __future__ import annotations

from pathlib import Path

from langcrawl.measure.webgraph import Analysis
from langcrawl.report.analysis import lead, tables
from langcrawl.report.analysis_charts import analysis_charts
from langcrawl.report.page import Section, write_page

_REMARKS = {
    "languages": "As recorded in the log (paper 000, Table 2).",
    "domains": "Where the language lives (paper 003, Figure 8).",
    "encodings": "Paper 003, Table 8.",
    "locality": "Each target counts once a page; a page's link to itself is left out, and so are "
    "links to URLs that were never fetched (paper 000, Table 3).",
    "distance": "1: another relevant page links to it; d: at least d - 1 irrelevant pages lie "
    "between; unreached: no other relevant page leads to it (paper 000, Figure 1).",
    "degrees": "Links from fetched pages; each target counts once a page.",
    "components": "Sets of pages that can all be reached from one another.",
    "host_relevant": "What paper 000, section 4.2 asks for to choose its threshold S.",
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
