"""The tables of ``langcrawl analyze``, for a terminal and for a page alike."""

from __future__ import annotations

from collections.abc import Iterable

from langcrawl.measure.locality import SOURCES
from langcrawl.measure.spread import DegreeSummary
from langcrawl.measure.tally import NONE
from langcrawl.measure.webgraph import Analysis
from langcrawl.report.table import Table, percent

_CHARSETS = {
    "header": "Charsets in the HTTP header",
    "meta": "Charsets in META",
    "detected": "Charsets detected",
}


def lead(found: Analysis) -> str:
    """The size of the web in one sentence."""
    sizes = found.sizes
    share = sizes.relevant / sizes.pages if sizes.pages else None
    return (
        f"{sizes.pages:,} pages of {sizes.urls:,} known URLs, on "
        f"{sizes.hosts:,} hosts of {sizes.domains:,} domains, with "
        f"{sizes.links:,} links; {sizes.ok_pages:,} pages answered, "
        f"{sizes.redirects:,} redirect, {sizes.failed:,} failed; "
        f"{sizes.relevant:,} are relevant ({_of_each(sizes.languages)}), {percent(share)}."
    )


def _of_each(languages: dict[str, int]) -> str:
    """The target; of several, each with its pages."""
    if len(languages) == 1:
        return next(iter(languages))
    return ", ".join(f"{tag} {count:,}" for tag, count in languages.items())


def tables(found: Analysis, top: int) -> list[Table]:
    """Every table of an analysis that has something in it, in the order in which they are read."""
    hosts = found.hosts
    made = [
        _languages(found, top),
        _domains(found, top),
        *_charsets(found, top),
        _locality(found),
        _distance(found),
        _degrees(found),
        _components(found),
        _bins("host_pages", "Hosts by number of pages", hosts.host_pages, "hosts"),
        _bins("host_relevant", "Hosts by number of relevant pages", hosts.host_relevant, "hosts"),
        _host_shares(found),
        _top_hosts(found),
    ]
    return [table for table in made if table.rows]


def largest_tlds(rows: Iterable[dict[str, int]], top: int) -> list[str]:
    """The top-level domains with most pages in a table."""
    sums: dict[str, int] = {}
    for row in rows:
        for tld, count in row.items():
            sums[tld] = sums.get(tld, 0) + count
    return sorted(sums, key=lambda tld: (-sums[tld], tld))[:top]


def row_names(found: Analysis) -> dict[str, str]:
    """What the rows of the first table are called."""
    return {
        "target": found.sizes.lang,
        "bridge": found.sizes.bridge,
        "other": "other",
        "unknown": "unknown",
    }


def _cross(name: str, title: str, table: dict[str, dict[str, int]], top: int) -> Table:
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
    return Table(heads, rows if whole else [], title, name)


def _languages(found: Analysis, top: int) -> Table:
    names = row_names(found)
    rows = {
        names[group]: row for group, row in found.groups_by_tld.items() if row or group == "target"
    }
    return _cross("languages", "Languages by top-level domain", rows, top)


def _domains(found: Analysis, top: int) -> Table:
    counts = found.relevant_by_tld
    first = dict(list(counts.items())[:top])
    rest = sum(counts.values()) - sum(first.values())
    title = f"Pages in {found.sizes.lang} by top-level domain"
    return _bins("domains", title, {**first, "other": rest} if rest else first, "pages")


def _charsets(found: Analysis, top: int) -> list[Table]:
    """A table for each source of a charset, and one for encodings, unless none is recorded."""
    made = [
        (f"charset_{source}", _CHARSETS[source], table)
        for source, table in found.charsets_by_tld.items()
    ]
    made.append(("encodings", "Encodings", found.encodings_by_tld))
    return [
        _cross(name, f"{title}, of the pages in {found.sizes.lang}", _first(table, top), top)
        for name, title, table in made
        if set(table) - {NONE}
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


def _locality(found: Analysis) -> Table:
    sources = [found.locality[source] for source in SOURCES[::-1]]
    rows = []
    for name in sources[0].parts:
        row = [name.replace("_", " ")]
        for source in sources:
            part = source.parts[name]
            row += [percent(part.share), f"{part.links:,}"]
        rows.append(row)
    unfetched = [f"{source.unfetched:,}" for source in sources]
    rows.append(["to unfetched URLs", "", unfetched[0], "", unfetched[1]])
    heads = ["links", "from relevant pages", "of links", "from irrelevant pages", "of links"]
    title = "Links that lead to relevant pages, of those to fetched pages"
    return Table(heads, rows, title, "locality")


def _distance(found: Analysis) -> Table:
    counts = {**found.distance, "unreached": found.unreached}
    title = "Relevant pages by distance from the nearest other one"
    return _bins("distance", title, counts if found.sizes.relevant else {}, "pages")


def _bins(name: str, title: str, counts: dict[str, int], unit: str) -> Table:
    whole = sum(counts.values())
    rows = [
        [label, f"{count:,}", percent(count / whole if whole else None)]
        for label, count in counts.items()
    ]
    return Table(["", unit, "share"], rows, title, name)


def _degrees(found: Analysis) -> Table:
    heads = ["", "mean", "median", "largest", "none", "just one"]
    rows = [
        _degree_row("links to a page", found.in_degree),
        _degree_row("links on a page", found.out_degree),
    ]
    return Table(heads, rows, "Links of a page", "degrees")


def _degree_row(label: str, degree: DegreeSummary) -> list[str]:
    return [
        label,
        "-" if degree.mean is None else f"{degree.mean:.1f}",
        "-" if degree.median is None else f"{degree.median:g}",
        "-" if degree.max is None else f"{degree.max:,}",
        percent(degree.zero_share),
        percent(degree.single_share),
    ]


def _components(found: Analysis) -> Table:
    parts = found.components
    heads = ["components", "of one page", "pages in the largest", "share of all pages"]
    row = [
        f"{parts.count:,}",
        f"{parts.single_pages:,}",
        f"{parts.largest:,}",
        percent(parts.largest_share),
    ]
    return Table(heads, [row], "Strongly connected components", "components")


def _host_shares(found: Analysis) -> Table:
    shares = found.hosts.relevant_by_host_share
    whole = sum(part.relevant for part in shares)
    rows = [
        [
            f"up to {part.up_to:.0%}",
            f"{part.hosts:,}",
            f"{part.relevant:,}",
            percent(part.relevant / whole),
        ]
        for part in shares
        if whole
    ]
    title = "Relevant pages by how much of their host is relevant"
    return Table(["host is relevant", "hosts", "pages", "share"], rows, title, "host_shares")


def _top_hosts(found: Analysis) -> Table:
    rows = [
        [host.host, f"{host.relevant:,}", f"{host.pages:,}", percent(host.relevant / host.pages)]
        for host in found.hosts.top_hosts
    ]
    heads = ["host", "relevant", "pages", "share"]
    return Table(heads, rows, "Hosts with most relevant pages", "top_hosts")
