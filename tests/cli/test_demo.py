"""The demo, as ``make demo`` runs it."""

from __future__ import annotations

import json
from pathlib import Path

from conftest import Cli
from langcrawl.log.segments import read_table
from langcrawl.virtualweb.small import SITES, make_small_web


def test_the_demo_web_is_as_large_and_mixed_as_promised() -> None:
    web = make_small_web()
    pages = [page for page in web.pages.values() if page.language != "und"]
    assert len(pages) >= 1500
    assert len(SITES) >= 12
    assert len({page.language for page in pages}) >= 4
    assert {"tis-620", "windows-874"} <= {site.charset for site in SITES}


def test_the_same_seed_makes_the_same_web_to_the_byte() -> None:
    assert make_small_web(200, 3).pages == make_small_web(200, 3).pages
    assert make_small_web(200, 3).pages != make_small_web(200, 4).pages


def test_the_demo_crawls_replays_and_reports(cli: Cli, tmp_path: Path) -> None:
    done = cli("demo", timeout=120)
    assert done.returncode == 0, done.stderr
    assert "of which 0 were asked for" in done.stdout
    readme = (Path(__file__).parents[2] / "README.md").read_text("utf-8")
    for line in done.stdout.splitlines():
        timed = line.startswith(("Live:", "robots.txt closed"))  # seconds and pauses vary
        assert timed or line.rstrip() in readme, f"the README does not show: {line}"
    for words in ("bfs", "hard", "soft", "limited:n=2", "lswc", "Written:", "Try next:"):
        assert words in done.stdout
    report = (tmp_path / "langcrawl-demo/report.html").read_text("utf-8")
    for words in ("Harvest rate", "Coverage", "<svg"):
        assert words in report
    assert "<script src" not in report
    charsets = set(read_table(tmp_path / "langcrawl-demo", "pages")["charset_meta"].to_pylist())
    assert {"tis-620", "windows-874"} <= charsets
    again = json.loads(cli("demo", "--json", timeout=120).stdout)
    assert len(again["strategies"]) == 6
    assert again["crawl"]["pages"] >= 1500
    adaptive, soft, bfs = (
        next(e for e in again["strategies"] if e["name"] == name)
        for name in ("adaptive", "soft", "bfs")
    )
    assert adaptive["coverage"] == soft["coverage"] == bfs["coverage"] == 1.0
    assert adaptive["pages_to"]["0.9"] < soft["pages_to"]["0.9"] < bfs["pages_to"]["0.9"]
