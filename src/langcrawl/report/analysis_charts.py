"""The charts of an analysis: bars for tables, log-log points for distributions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from langcrawl.measure.spread import HostShare
from langcrawl.measure.webgraph import Analysis
from langcrawl.report.analysis import largest_tlds, row_names
from langcrawl.report.theme import HEIGHT, SHORT_NUMBERS, WIDTH

_LEVEL = alt.Axis(labelAngle=0)
"""Labels that can be read without turning one's head."""
Row = dict[str, Any]
"""A row of the data that Vega-Lite draws, by the names of its fields."""


def analysis_charts(found: Analysis, top: int) -> dict[str, alt.Chart]:
    """The charts of an analysis, by the name of the table that they belong to."""
    hosts = found.hosts
    degrees = {
        "links to a page": found.in_degree.distribution,
        "links on a page": found.out_degree.distribution,
    }
    charsets = {
        f"charset_{source}": _stacked(_cross_rows(table, top), "relevant pages")
        for source, table in found.charsets_by_tld.items()
    }
    return {
        "languages": _stacked(_language_rows(found, top), "pages"),
        "domains": _bars(found.relevant_by_tld, top, "relevant pages"),
        "encodings": _stacked(_cross_rows(found.encodings_by_tld, top), "relevant pages"),
        "locality": _locality(found),
        "distance": _distance(found.distance),
        "degrees": _log_log(degrees, "links", "pages"),
        "host_pages": _log_log({"hosts": hosts.host_pages}, "pages of a host", "hosts"),
        "host_relevant": _log_log(
            {"hosts": hosts.host_relevant}, "relevant pages of a host", "hosts"
        ),
        "host_shares": _host_shares(hosts.relevant_by_host_share),
        **charsets,
    }


def _chart(rows: list[Row]) -> alt.Chart:
    return alt.Chart(alt.InlineData(rows), width=WIDTH, height=HEIGHT)


def _language_rows(found: Analysis, top: int) -> list[Row]:
    names = row_names(found)
    groups = found.groups_by_tld
    return _cross_rows({names[group]: row for group, row in groups.items() if row}, top)


def _cross_rows(table: dict[str, dict[str, int]], top: int) -> list[Row]:
    """The cells of a table by top-level domain, those beyond the largest together."""
    columns = largest_tlds(table.values(), top)
    rows = []
    for rank, (name, row) in enumerate(list(table.items())[:top]):
        cells = {tld: row.get(tld, 0) for tld in columns}
        cells["other"] = sum(row.values()) - sum(cells.values())
        rows += [
            {"name": name, "rank": rank, "tld": tld, "count": count}
            for tld, count in cells.items()
            if count
        ]
    return rows


def _stacked(rows: list[Row], unit: str) -> alt.Chart:
    """Bars of names over top-level domains.

    The order is a domain and not `sort`, which Vega-Lite turns into an expression of all names:
    one odd letter in a charset, and nothing would be drawn.
    """
    cells = [{row["tld"]: row["count"]} for row in rows]
    tlds = sorted(largest_tlds(cells, len(rows)), key=lambda tld: tld == "other")
    names = list(dict.fromkeys(row["name"] for row in rows))
    drawn: alt.Chart = (
        _chart(rows)
        .mark_bar()
        .encode(
            x=alt.X("tld:N", scale=alt.Scale(domain=tlds), title="top-level domain", axis=_LEVEL),
            y=alt.Y("count:Q", title=unit, axis=alt.Axis(labelExpr=SHORT_NUMBERS)),
            color=alt.Color("name:N", scale=alt.Scale(domain=names), title=None),
            order=alt.Order("rank:Q"),
            tooltip=["name:N", "tld:N", alt.Tooltip("count:Q", format=",")],
        )
    )
    return drawn


def _bars(counts: dict[str, int], top: int, unit: str) -> alt.Chart:
    rows = [{"tld": tld, "count": count} for tld, count in list(counts.items())[:top]]
    drawn: alt.Chart = (
        _chart(rows)
        .mark_bar()
        .encode(
            x=alt.X("tld:N", sort=None, title="top-level domain", axis=_LEVEL),
            y=alt.Y("count:Q", title=unit, axis=alt.Axis(labelExpr=SHORT_NUMBERS)),
            tooltip=["tld:N", alt.Tooltip("count:Q", format=",")],
        )
    )
    return drawn


def _locality(found: Analysis) -> alt.Chart:
    rows: list[Row] = [
        {"source": f"from {source} pages", "links": name.replace("_", " "), "share": part.share}
        for source, links in found.locality.items()
        for name, part in links.parts.items()
        if part.share is not None
    ]
    order = list(dict.fromkeys(row["links"] for row in rows))
    drawn: alt.Chart = (
        _chart(rows)
        .mark_bar()
        .encode(
            x=alt.X("links:N", sort=order, title="links", axis=_LEVEL),
            xOffset=alt.XOffset("source:N", sort="descending"),
            y=alt.Y("share:Q", title="lead to relevant pages", axis=alt.Axis(format="%")),
            color=alt.Color("source:N", sort="descending", title=None),
            tooltip=["source:N", "links:N", alt.Tooltip("share:Q", format=".1%")],
        )
    )
    return drawn


def _distance(counts: dict[str, int]) -> alt.Chart:
    known = {int(at): count for at, count in counts.items()}
    last = max(known, default=0)
    rows = [{"distance": at, "pages": known.get(at) or None} for at in range(1, last + 1)]
    drawn: alt.Chart = (
        _chart(rows)
        .mark_line(point=True)
        .encode(
            x=alt.X("distance:O", title="links from the nearest other relevant page", axis=_LEVEL),
            y=alt.Y("pages:Q", title="relevant pages", scale=alt.Scale(type="log")),
            tooltip=["distance:Q", alt.Tooltip("pages:Q", format=",")],
        )
    )
    return drawn


def _log_log(lines: dict[str, dict[str, int]], x: str, y: str) -> alt.Chart:
    """Distributions over powers of two; 0 has no place on such an axis."""
    rows = [row for name, bins in lines.items() for row in _binned(name, bins)]
    log = alt.Scale(type="log")
    drawn: alt.Chart = (
        _chart(rows)
        .mark_line(point=True)
        .encode(
            x=alt.X("from:Q", title=f"{x} (from 1, 2, 4, 8, ... up to the next)", scale=log),
            y=alt.Y("count:Q", title=y, scale=log),
            color=alt.Color("line:N", title=None, legend=alt.Legend() if len(lines) > 1 else None),
            tooltip=["line:N", "bin:N", alt.Tooltip("count:Q", format=",")],
        )
    )
    return drawn


def _binned(name: str, bins: dict[str, int]) -> list[Row]:
    """The bins of a line from the first to the last; an empty one parts the line."""
    known = {int(label.split("-")[0]): (label, count) for label, count in bins.items() if count}
    known.pop(0, None)
    rows, power = [], 1
    while known and power <= max(known):
        if power >= min(known):
            label, count = known.get(power, (str(power), None))
            rows.append({"line": name, "from": power, "bin": label, "count": count})
        power *= 2
    return rows


def _host_shares(parts: Sequence[HostShare]) -> alt.Chart:
    rows = [
        {"share": f"{part.up_to:.0%}", "pages": part.relevant, "hosts": part.hosts}
        for part in parts
    ]
    drawn: alt.Chart = (
        _chart(rows)
        .mark_bar()
        .encode(
            x=alt.X("share:N", sort=None, title="of the host is relevant, up to", axis=_LEVEL),
            y=alt.Y("pages:Q", title="relevant pages", axis=alt.Axis(labelExpr=SHORT_NUMBERS)),
            tooltip=["share:N", alt.Tooltip("pages:Q", format=","), "hosts:Q"],
        )
    )
    return drawn
