"""The tables of ``langcrawl analyze``, for a terminal and for a page alike."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

_LOCALITY = ("all", "same_host", "other_host", "same_domain", "other_domain")


class TableOf(NamedTuple):
    """A table with its title; `name` is what its chart is called too."""

    name: str
    title: str
    heads: list[str]
    rows: list[list[str]]


def lead(document: dict[str, Any]) -> str:
    """The size of the web in one sentence."""
    share = document["relevant"] / document["pages"] if document["pages"] else None
    return (
        f"{document['pages']:,} pages of {document['urls']:,} known URLs, on "
        f"{document['hosts']:,} hosts of {document['domains']:,} domains, with "
        f"{document['links']:,} links; {document['ok_pages']:,} pages answered, "
        f"{document['redirects']:,} redirect, {document['failed']:,} failed; "
        f"{document['relevant']:,} are relevant ({document['lang']}), {percent(share)}."
    )


def tables(document: dict[str, Any], top: int) -> list[TableOf]:
    """Every table of an analysis that has something in it, in the order in which they are read."""
    made = [
        _languages(document, top),
        _domains(document, top),
        *_charsets(document, top),
        _locality(document),
        _distance(document),
        _degrees(document),
        _components(document),
        _bins("host_pages", "Hosts by number of pages", document["host_pages"], "hosts"),
        _bins(
            "host_relevant", "Hosts by number of relevant pages", document["host_relevant"], "hosts"
        ),
        _host_shares(document),
        _top_hosts(document),
    ]
    return [table for table in made if table.rows]


def percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.1%}"


def largest_tlds(rows: Iterable[dict[str, int]], top: int) -> list[str]:
    """The top-level domains with most pages in a table."""
    sums: dict[str, int] = {}
    for row in rows:
        for tld, count in row.items():
            sums[tld] = sums.get(tld, 0) + count
    return sorted(sums, key=lambda tld: (-sums[tld], tld))[:top]


def row_names(document: dict[str, Any]) -> dict[str, str]:
    """What the rows of the first table are called."""
    return {
        "target": document["lang"],
        "bridge": document["bridge"],
        "other": "other",
        "unknown": "unknown",
    }


def _cross(name: str, title: str, table: dict[str, dict[str, int]], top: int) -> TableOf:
    """Counts by top-level domain: the largest ones, the others together, and the total."""
    columns = largest_tlds(table.values(), top)
    whole = sum(sum(row.values()) for row in table.values())
    more = len({tld for row in table.values() for tld in row}) > len(columns)
    rows = []
    totals: dict[str, int] = {}
    for row in table.values():
        for tld, count in row.items():
            totals[tld] = totals.get(tld, 0) + count
    for label, row in [*table.items(), ("total", totals)]:
        total = sum(row.values())
        cells = [row.get(tld, 0) for tld in columns]
        cells += [total - sum(cells)] if more else []
        share = percent(total / whole if whole else None)
        rows.append([label, *(f"{cell:,}" for cell in cells), f"{total:,}", share])
    heads = ["", *columns, *(["other TLDs"] if more else []), "total", "share"]
    return TableOf(name, title, heads, rows if whole else [])


def _languages(document: dict[str, Any], top: int) -> TableOf:
    names = row_names(document)
    rows = {
        names[group]: row
        for group, row in document["groups_by_tld"].items()
        if row or group == "target"
    }
    return _cross("languages", "Languages by top-level domain", rows, top)


def _domains(document: dict[str, Any], top: int) -> TableOf:
    counts: dict[str, int] = document["relevant_by_tld"]
    first = dict(list(counts.items())[:top])
    rest = sum(counts.values()) - sum(first.values())
    title = f"Pages in {document['lang']} by top-level domain"
    return _bins("domains", title, {**first, "other": rest} if rest else first, "pages")


def _charsets(document: dict[str, Any], top: int) -> list[TableOf]:
    """A table for each source of a charset, and one for encodings, unless none is recorded."""
    titles = {
        "header": "Charsets in the HTTP header",
        "meta": "Charsets in META",
        "detected": "Charsets detected",
    }
    made = [
        (f"charset_{source}", titles[source], table)
        for source, table in document["charsets_by_tld"].items()
    ]
    made.append(("encodings", "Encodings", document["encodings_by_tld"]))
    return [
        _cross(name, f"{title}, of the pages in {document['lang']}", _first(table, top), top)
        for name, title, table in made
        if set(table) - {"none"}
    ]


def _first(table: dict[str, dict[str, int]], top: int) -> dict[str, dict[str, int]]:
    """The first rows of a table, the others together."""
    names = list(table)
    kept = {name: table[name] for name in names[:top]}
    rest: dict[str, int] = {}
    for name in names[top:]:
        for tld, count in table[name].items():
            rest[tld] = rest.get(tld, 0) + count
    return {**kept, "others": rest} if rest else kept


def _locality(document: dict[str, Any]) -> TableOf:
    sources = ("relevant", "irrelevant")
    shares, counts = document["locality"], document["locality_links"]
    rows = []
    for name in _LOCALITY:
        row = [name.replace("_", " ")]
        for source in sources:
            row += [percent(shares[source][name]), f"{counts[source][name]['links']:,}"]
        rows.append(row)
    unfetched = [f"{counts[source]['unfetched']:,}" for source in sources]
    rows.append(["to unfetched URLs", "", unfetched[0], "", unfetched[1]])
    heads = ["links", "from relevant pages", "of links", "from irrelevant pages", "of links"]
    title = "Links that lead to relevant pages, of those to fetched pages"
    return TableOf("locality", title, heads, rows)


def _distance(document: dict[str, Any]) -> TableOf:
    counts = {**document["distance"], "unreached": document["unreached"]}
    title = "Relevant pages by distance from the nearest other one"
    return _bins("distance", title, counts if document["relevant"] else {}, "pages")


def _bins(name: str, title: str, counts: dict[str, int], unit: str) -> TableOf:
    whole = sum(counts.values())
    rows = [
        [label, f"{count:,}", percent(count / whole if whole else None)]
        for label, count in counts.items()
    ]
    return TableOf(name, title, ["", unit, "share"], rows)


def _degrees(document: dict[str, Any]) -> TableOf:
    rows = [
        [
            label,
            "-" if degree["mean"] is None else f"{degree['mean']:.1f}",
            "-" if degree["median"] is None else f"{degree['median']:g}",
            "-" if degree["max"] is None else f"{degree['max']:,}",
            percent(degree["zero_share"]),
            percent(degree["single_share"]),
        ]
        for label, degree in (
            ("links to a page", document["degrees"]["in"]),
            ("links on a page", document["degrees"]["out"]),
        )
    ]
    heads = ["", "mean", "median", "largest", "none", "just one"]
    return TableOf("degrees", "Links of a page", heads, rows)


def _components(document: dict[str, Any]) -> TableOf:
    parts = document["components"]
    heads = ["components", "of one page", "pages in the largest", "share of all pages"]
    rows = [
        [
            f"{parts['count']:,}",
            f"{parts['single_pages']:,}",
            f"{parts['largest']:,}",
            percent(parts["largest_share"]),
        ]
    ]
    return TableOf("components", "Strongly connected components", heads, rows)


def _host_shares(document: dict[str, Any]) -> TableOf:
    shares = document["relevant_by_host_share"]
    whole = sum(part["relevant"] for part in shares)
    rows = [
        [
            f"up to {part['up_to']:.0%}",
            f"{part['hosts']:,}",
            f"{part['relevant']:,}",
            percent(part["relevant"] / whole),
        ]
        for part in shares
        if whole
    ]
    title = "Relevant pages by how much of their host is relevant"
    return TableOf("host_shares", title, ["host is relevant", "hosts", "pages", "share"], rows)


def _top_hosts(document: dict[str, Any]) -> TableOf:
    rows = [
        [
            host["host"],
            f"{host['relevant']:,}",
            f"{host['pages']:,}",
            percent(host["relevant"] / host["pages"]),
        ]
        for host in document["top_hosts"]
    ]
    title = "Hosts with most relevant pages"
    return TableOf("top_hosts", title, ["host", "relevant", "pages", "share"], rows)
