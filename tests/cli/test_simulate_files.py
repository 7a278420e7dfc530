"""``langcrawl simulate``: the files that it writes, and what a report says of how it was made."""

from __future__ import annotations

import csv
import json
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from conftest import Cli
from langcrawl import __version__
from langcrawl.cli.simulate_command import PANELS
from langcrawl.report.charts import MEASURES
from reports import read_report
from webs import P, write_web

WEB = {"s/": P("th", ("s/1", "x/")), "s/1": P("th", ("x/1",)), "x/": P("en", ("x/1",)),
       "x/1": P("th")}  # fmt: skip


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return write_web(tmp_path / "web", WEB, ["s/"])


def simulated(cli: Cli, *words: str | Path) -> None:
    done = cli("simulate", "web", "--strategy", "bfs", "--strategy", "hard", *words)
    assert (done.returncode, done.stderr) == (0, "")


def test_every_plot_is_written_as_its_name_says(cli: Cli, log: Path) -> None:
    names = ["out/a.png", "out/a.svg", "b.pdf", "B.PDF", "c.csv"]
    simulated(cli, *(word for name in names for word in ("--plot", name)))
    heads = [(log.parent / name).read_bytes()[:8] for name in names]
    assert [head[:4] for head in heads[:4]] == [b"\x89PNG", b"<svg", b"%PDF", b"%PDF"]
    svg = (log.parent / "out/a.svg").read_text("utf-8")
    assert all(title in svg for title in ("Harvest rate", "Coverage", "Queue"))


def test_one_panel_at_a_time(cli: Cli, log: Path) -> None:
    simulated(cli, "--plot", "one.svg", "--panel", "coverage")
    one = (log.parent / "one.svg").read_text("utf-8")
    assert "Coverage" in one
    assert "Harvest rate" not in one
    simulated(cli, "--plot", "two.svg", "--panel", "queue", "--panel", "harvest")
    two = (log.parent / "two.svg").read_text("utf-8")
    assert two.index("Queue") < two.index("Harvest rate")  # in the order given
    assert "Coverage" not in two


def test_with_panel_in_the_name_each_is_a_file(cli: Cli, log: Path) -> None:
    simulated(cli, "--plot", "fig-{panel}.svg", "--plot", "fig.csv")
    written = {path.name for path in log.parent.glob("fig*")}
    assert written == {"fig.csv", *(f"fig-{panel}.svg" for panel in MEASURES)}
    assert tuple(MEASURES) == PANELS
    for panel, measure in MEASURES.items():
        text = (log.parent / f"fig-{panel}.svg").read_text("utf-8")
        shown = [other.title for other in MEASURES.values() if f">{other.title}<" in text]
        assert shown == [measure.title]


def test_curves_are_written_as_csv_point_by_point(cli: Cli, log: Path) -> None:
    words = ["web", "--strategy", "bfs", "--strategy", "hard", "--plot", "c.csv", "--json"]
    printed = json.loads(cli("simulate", *words).stdout)["strategies"]
    with (log.parent / "c.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    points = [{"strategy": each["name"], **point} for each in printed for point in each["curve"]]
    assert len(rows) == len(points) > 4
    for row, point in zip(rows, points, strict=True):
        assert row["strategy"] == point["strategy"]
        for key in ("pages", "harvest", "coverage", "queue"):
            assert float(row[key]) == point[key]


def test_the_report_says_seeds_date_version_and_what_was_asked(cli: Cli, log: Path) -> None:
    before = datetime.now(UTC).replace(second=0, microsecond=0)
    simulated(cli, "--report", "r.html", "--max-depth", "3", "--timed", "--latency", "0.5",
              "--seed", "7")  # fmt: skip
    page = (log.parent / "r.html").read_text("utf-8")
    made = re.search(r"Made by langcrawl (\S+) on (\S+) at (\S+) UTC", page)
    assert made
    assert made.group(1) == __version__
    moment = datetime.fromisoformat(f"{made.group(2)}T{made.group(3)}+00:00")
    assert before <= moment <= datetime.now(UTC)
    facts = " ".join(read_report(log.parent / "r.html").facts)
    assert "Seeds (1, those of the log): http://s/." in facts
    assert "max_depth 3" in facts
    assert "random seed 7" in facts
    assert "Log: web" in facts
    simulated(cli, "--report", "r.html", "--seeds", "http://x/", "--seeds", "http://s/1")
    facts = " ".join(read_report(log.parent / "r.html").facts)
    assert "Seeds (2): http://x/, http://s/1." in facts


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--plot", "a.png", "--plot", "b.gif"], "--plot writes .png, .svg, .pdf, .csv files"),
        (["--plot", "a.png", "--panel", "depth"], "--panel must be one of harvest, coverage"),
        (["--panel", "queue"], "--panel says what --plot draws"),
        (["--plot", "folder.png"], "names the directory 'folder.png'"),
    ],
)
def test_what_cannot_be_drawn_is_said_before_the_work(
    cli: Cli, log: Path, words: list[str], says: str
) -> None:
    (log.parent / "folder.png").mkdir()
    done = cli("simulate", "web", "--strategy", "bfs", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr
    assert not (log.parent / "a.png").exists()
