"""The charts of an analysis: bars for tables, log-log points for distributions."""

from __future__ import annotations

from typing import Any

import altair as alt

from langcrawl.report.analysis import largest_tlds, row_names

_WIDTH, _HEIGHT = 480, 300
_LOCALITY = ("all", "same_host", "other_host", "same_domain", "other_domain")


def analysis_charts(document: dict[str, Any], top: int) -> dict[str, dict[str, Any]]:
    """The charts of an analysis as Vega-Lite, by the name of the table that they belong to."""
    degrees = {
        label: document["degrees"][key]["distribution"]
        for label, key in (("links to a page", "in"), ("links on a page", "out"))
    }
    drawn = {
        "languages": _stacked(_language_rows(document, top), "pages"),
        "domains": _bars(document["relevant_by_tld"], top, "relevant pages"),
        "encodings": _stacked(_cross_rows(document["encodings_by_tld"], top), "relevant pages"),
        "locality": _locality(document),
        "distance": _distance(document["distance"]),
        "degrees": _log_log(degrees, "links", "pages"),
        "host_pages": _log_log({"hosts": document["host_pages"]}, "pages of a host", "hosts"),
        "host_relevant": _log_log(
            {"hosts": document["host_relevant"]}, "relevant pages of a host", "hosts"
        ),
        "host_shares": _host_shares(document["relevant_by_host_share"]),
    }
    drawn |= {
        f"charset_{source}": _stacked(_cross_rows(table, top), "relevant pages")
        for source, table in document["charsets_by_tld"].items()
    }
    return {name: chart.to_dict() for name, chart in drawn.items()}


def _chart(rows: list[dict[str, Any]]) -> alt.Chart:
    return alt.Chart(alt.InlineData(rows), width=_WIDTH, height=_HEIGHT)


def _language_rows(document: dict[str, Any], top: int) -> list[dict[str, Any]]:
    names = row_names(document)
    groups = document["groups_by_tld"]
    return _cross_rows({names[group]: row for group, row in groups.items() if row}, top)


def _cross_rows(table: dict[str, dict[str, int]], top: int) -> list[dict[str, Any]]:
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


def _stacked(rows: list[dict[str, Any]], unit: str) -> alt.Chart:
    named = [row for row in rows if row["tld"] != "other"]
    order = [*largest_tlds(({row["tld"]: row["count"]} for row in named), len(named)), "other"]
    drawn: alt.Chart = (
        _chart(rows)
        .mark_bar()
        .encode(
            x=alt.X("tld:N", sort=order, title="top-level domain"),
            y=alt.Y("count:Q", title=unit, axis=alt.Axis(format="~s")),
            color=alt.Color(
                "name:N", sort=list(dict.fromkeys(row["name"] for row in rows)), title=None
            ),
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
            x=alt.X("tld:N", sort=None, title="top-level domain"),
            y=alt.Y("count:Q", title=unit, axis=alt.Axis(format="~s")),
            tooltip=["tld:N", alt.Tooltip("count:Q", format=",")],
        )
    )
    return drawn


def _locality(document: dict[str, Any]) -> alt.Chart:
    order = [name.replace("_", " ") for name in _LOCALITY]
    rows = [
        {"source": f"from {source} pages", "links": name.replace("_", " "), "share": share}
        for source, shares in document["locality"].items()
        for name, share in shares.items()
        if share is not None
    ]
    drawn: alt.Chart = (
        _chart(rows)
        .mark_bar()
        .encode(
            x=alt.X("links:N", sort=order, title="links"),
            xOffset=alt.XOffset("source:N", sort="descending"),
            y=alt.Y("share:Q", title="lead to relevant pages", axis=alt.Axis(format="%")),
            color=alt.Color("source:N", sort="descending", title=None),
            tooltip=["source:N", "links:N", alt.Tooltip("share:Q", format=".1%")],
        )
    )
    return drawn


def _distance(counts: dict[str, int]) -> alt.Chart:
    rows = [{"distance": int(at), "pages": count} for at, count in counts.items()]
    drawn: alt.Chart = (
        _chart(rows)
        .mark_line(point=True)
        .encode(
            x=alt.X("distance:O", title="links from the nearest other relevant page"),
            y=alt.Y("pages:Q", title="relevant pages", scale=alt.Scale(type="log")),
            tooltip=["distance:Q", alt.Tooltip("pages:Q", format=",")],
        )
    )
    return drawn


def _log_log(lines: dict[str, dict[str, int]], x: str, y: str) -> alt.Chart:
    """Distributions over powers of two; 0 has no place on such an axis."""
    rows = [
        {"line": name, "from": int(label.split("-")[0]), "bin": label, "count": count}
        for name, bins in lines.items()
        for label, count in bins.items()
        if count and label != "0"
    ]
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


def _host_shares(parts: list[dict[str, Any]]) -> alt.Chart:
    rows = [
        {"share": f"up to {part['up_to']:.0%}", "pages": part["relevant"], "hosts": part["hosts"]}
        for part in parts
    ]
    drawn: alt.Chart = (
        _chart(rows)
        .mark_bar()
        .encode(
            x=alt.X("share:N", sort=None, title="of the host is relevant"),
            y=alt.Y("pages:Q", title="relevant pages", axis=alt.Axis(format="~s")),
            tooltip=["share:N", alt.Tooltip("pages:Q", format=","), "hosts:Q"],
        )
    )
    return drawn
