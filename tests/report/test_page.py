"""Pages: one file that needs no network, and in which nothing from outside becomes HTML."""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from tests.reports import HOSTILE, check_harmless, read_report, rows_of
from tests.webs import P, graph_of

from langcrawl.errors import BadInput
from langcrawl.report.page import Section, write_page, write_report
from langcrawl.report.table import Table
from langcrawl.simulate import Plan, Result, simulate
from langcrawl.strategy import make_strategy


def drawing(title: str) -> dict[str, object]:
    """A chart of one point."""
    point = {"values": [{"x": 1, "name": title}]}
    encoding = {"x": {"field": "x"}, "y": {"field": "name"}}
    return {"title": title, "data": point, "mark": "point", "encoding": encoding}


ROOT = Path(__file__).resolve().parents[2]
WEB = {"s/": P("th", ("s/1", "h/1")), "s/1": P("en", ("h/2",)), "h/1": P("th"), "h/2": P("th")}


@pytest.fixture(scope="module")
def result() -> Result:
    return simulate(graph_of(WEB, ["s/"]), make_strategy("bfs"), Plan())


def test_a_report_shows_what_a_simulation_did(tmp_path: Path, result: Result) -> None:
    write_report(tmp_path / "r.html", "Two", "Both.", [result, replace(result, name="b")], ["One."])
    report = read_report(tmp_path / "r.html")
    assert (report.title, report.heading, report.lead) == ("Two", "Two", "Both.")
    assert report.facts == ["One."]
    ((heads, *rows),) = report.tables
    assert heads[:3] == ["strategy", "pages", "relevant"]
    assert [row[:3] for row in rows] == [["bfs", "4", "3"], ["b", "4", "3"]]
    assert list(report.specs) == ["harvest", "coverage", "queue"]
    drawn = rows_of(report.specs["coverage"])
    assert [row["value"] for row in drawn if row["strategy"] == "b"] == [
        point.coverage for point in result.summary.curve
    ]
    check_harmless(report)


def test_hostile_names_stay_text_to_the_letter(tmp_path: Path, result: Result) -> None:
    results = [replace(result, name=name) for name in HOSTILE]
    for number, name in enumerate(HOSTILE):
        path = tmp_path / f"{number}.html"
        write_report(path, name, name, results, HOSTILE)
        report = read_report(path)
        check_harmless(report)
        assert (report.heading, report.lead) == (name, name)
        assert report.facts == list(HOSTILE)
        assert [row[0] for row in report.tables[0][1:]] == list(HOSTILE)
        for spec in report.specs.values():
            drawn = dict.fromkeys(row["strategy"] for row in rows_of(spec))
            assert list(drawn) == list(HOSTILE)


def test_hostile_tables_and_charts_stay_where_they_are(tmp_path: Path) -> None:
    sections = [
        Section(Table([name], [[name]], title=name), {f"{number}{name}": drawing(name)}, name)
        for number, name in enumerate(HOSTILE)
    ]
    write_page(tmp_path / "p.html", "t", "l", sections)
    report = read_report(tmp_path / "p.html")
    check_harmless(report)
    assert report.headings == list(HOSTILE)
    assert report.tables == [[[name], [name]] for name in HOSTILE]
    assert [spec["title"] for spec in report.specs.values()] == list(HOSTILE)


def test_no_value_ends_the_script_in_which_it_stands(tmp_path: Path, result: Result) -> None:
    plain, hostile = tmp_path / "plain.html", tmp_path / "hostile.html"
    write_report(plain, "t", "l", [result])
    write_report(hostile, "t", "l", [replace(result, name="</SCRIPT><script>alert(1)//<!--")])
    ends = [len(re.findall("</script", p.read_text("utf-8"), re.I)) for p in (plain, hostile)]
    assert ends == [1, 1]
    assert "alert(1)//<" not in hostile.read_text("utf-8")


def test_a_page_forbids_itself_to_run_or_load_anything(tmp_path: Path, result: Result) -> None:
    write_report(tmp_path / "r.html", "t", "l", [result])
    page = (tmp_path / "r.html").read_text("utf-8")
    head = page[: page.index("</head>")]
    assert "Content-Security-Policy" in head
    assert "default-src &#39;none&#39;" in head
    assert "unsafe" not in head
    assert "script-src" not in head
    assert not {"src", "href"} & read_report(tmp_path / "r.html").attributes


def test_a_page_without_charts_has_no_script(tmp_path: Path) -> None:
    write_page(tmp_path / "p.html", "t", "l", [Section(Table(["a", "b"], [["x", "1"]]))])
    report = read_report(tmp_path / "p.html")
    assert report.scripts == 0
    assert (report.facts, report.headings) == ([], [])
    assert report.tables == [[["a", "b"], ["x", "1"]]]


def test_a_report_is_not_written_over_a_directory(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="is a directory"):
        write_page(tmp_path, "t", "l", [])


def test_a_report_replaces_the_one_before_and_leaves_no_draft(tmp_path: Path) -> None:
    path = tmp_path / "new" / "p.html"
    for lead in ("first", "second"):
        write_page(path, "t", lead, [])
    assert read_report(path).lead == "second"
    assert list(path.parent.iterdir()) == [path]


def test_a_name_that_is_no_utf_8_is_written_as_codes(tmp_path: Path) -> None:
    name = b"caf\xe9".decode("utf-8", "surrogateescape")
    section = Section(Table([name], []), {"c": drawing(name)})
    write_page(tmp_path / "p.html", name, name, [section])
    report = read_report(tmp_path / "p.html")
    assert report.heading == r"caf\udce9"
    assert report.specs["c"]["title"] == name


def test_the_wheel_has_the_templates(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True, timeout=120)
    (wheel,) = tmp_path.glob("*.whl")
    packed = set(zipfile.ZipFile(wheel).namelist())
    here = ROOT / "src" / "langcrawl" / "report" / "templates"
    assert {f"langcrawl/report/templates/{path.name}" for path in here.iterdir()} <= packed
