"""The page of an analysis: its tables, its charts, and a log full of hostile names."""

from __future__ import annotations

from pathlib import Path

import pytest
import vl_convert
from tests.reports import HOSTILE, Report, check_harmless, read_report, rows_of
from tests.webs import P, Web, graph_of, tables_of

from langcrawl.config import CrawlConfig
from langcrawl.log.graph import load_graph
from langcrawl.log.schema import TABLES
from langcrawl.log.segments import write_segment
from langcrawl.measure.webgraph import Analysis, analyze_graph
from langcrawl.report.analysis import tables
from langcrawl.report.analysis_charts import analysis_charts
from langcrawl.report.analysis_page import write_analysis

WEB: Web = {
    "a.co.th/1": P("th", ("a.co.th/2", "b.com/1", "b.com/gone")),
    "a.co.th/2": P("en", ("b.com/2",)),
    "b.com/1": P("th", ("a.co.th/1",)),
    "b.com/2": P("ja"),
    "c.net/1": P("th"),
}


@pytest.fixture(scope="module")
def found() -> Analysis:
    return analyze_graph(graph_of(WEB), "th")


def page_of(tmp_path: Path, found: Analysis, top: int = 5, log: str = "web") -> Report:
    write_analysis(tmp_path / "a.html", log, found, top)
    return read_report(tmp_path / "a.html")


def test_every_table_is_on_the_page_as_it_is_printed(tmp_path: Path, found: Analysis) -> None:
    report = page_of(tmp_path, found)
    shown = tables(found, 5)
    assert report.heading == "The web of web"
    assert report.lead.startswith("5 pages of 6 known URLs, on 3 hosts of 3 domains")
    assert report.headings == [table.title for table in shown]
    assert report.tables == [[list(table.heads), *table.rows] for table in shown]
    check_harmless(report)


def test_a_chart_is_drawn_beside_each_table_that_has_one(tmp_path: Path, found: Analysis) -> None:
    names = [table.name for table in tables(found, 5)]
    charts = analysis_charts(found, 5)
    assert list(page_of(tmp_path, found).specs) == [name for name in names if name in charts]
    assert set(names) - set(charts) == {"components", "top_hosts"}


def test_charts_show_the_numbers_of_the_tables(found: Analysis) -> None:
    charts = analysis_charts(found, 5)
    names = ("languages", "domains", "locality", "distance", "degrees", "host_shares")
    drawn = {name: rows_of(charts[name].to_dict()) for name in names}
    languages = {(row["name"], row["tld"]): row["count"] for row in drawn["languages"]}
    assert languages == {
        ("th", ".th"): 1, ("th", ".com"): 1, ("th", ".net"): 1, ("en", ".th"): 1,
        ("other", ".com"): 1,
    }  # fmt: skip
    assert {row["tld"]: row["count"] for row in drawn["domains"]} == found.relevant_by_tld
    shares = {(row["source"], row["links"]): row["share"] for row in drawn["locality"]}
    assert shares["from relevant pages", "all"] == 2 / 3
    assert shares["from irrelevant pages", "other domain"] == 0.0
    assert ("from irrelevant pages", "same host") not in shares  # it has no such link
    assert drawn["distance"] == [{"distance": 1, "pages": 2}]
    points = [(row["from"], row["count"]) for row in drawn["degrees"] if row["line"][6:8] == "to"]
    assert points == [(1, 4)]  # every page but c.net/1 has one link to it
    assert sum(row["pages"] for row in drawn["host_shares"]) == 3


def test_beyond_the_largest_domains_the_others_are_one_bar(found: Analysis) -> None:
    rows = rows_of(analysis_charts(found, 1)["languages"].to_dict())
    assert {row["tld"] for row in rows} == {".com", "other"}


def test_a_web_without_the_language_still_makes_a_page(tmp_path: Path) -> None:
    report = page_of(tmp_path, analyze_graph(graph_of({"a/1": P("en")}), "th"))
    assert "0 are relevant (th), 0.0%." in report.lead
    assert "Relevant pages by distance from the nearest other one" not in report.headings


def test_hostile_hosts_charsets_and_languages_stay_text(tmp_path: Path) -> None:
    """Everything that a log takes from the web, and the name of the log itself."""
    hosts = [name.replace("/", "∕") for name in HOSTILE]
    logged = tables_of({f"{host}/x": P("th", (f"{hosts[0]}/x",)) for host in hosts})
    rows = logged["pages"].to_pylist()
    for row, name in zip(rows, HOSTILE, strict=True):
        row |= dict.fromkeys(("charset_header", "charset_meta", "charset_detected"), name)
        row |= {"encoding": name, "relevant": True, "language": "th"}
    logged["pages"] = logged["pages"].from_pylist(rows, schema=TABLES["pages"])
    write_segment(tmp_path / "log", 0, logged)
    CrawlConfig(lang="th").save(tmp_path / "log")
    found = analyze_graph(load_graph(tmp_path / "log"), "th", top=20)
    for log in HOSTILE:
        report = page_of(tmp_path, found, 20, log)
        check_harmless(report)
        assert report.heading == f"The web of {log}"
    by_title = dict(zip(report.headings, report.tables, strict=True))
    names = {row[0] for row in by_title["Hosts with most relevant pages"][1:]}
    assert names == set(hosts)
    for place in ("in the HTTP header", "in META", "detected"):
        table = by_title[f"Charsets {place}, of the pages in th"]
        assert {row[0] for row in table[1:-1]} == {name.lower() for name in HOSTILE}
    drawn = rows_of(report.specs["charset_meta"])
    assert {row["name"] for row in drawn} == {name.lower() for name in HOSTILE}
    for spec in report.specs.values():
        assert (
            "mark-rect" in (picture := vl_convert.vegalite_to_svg(spec)) or "mark-line" in picture
        )
