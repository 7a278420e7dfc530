"""The report of a crawl: a real one, a hostile one, a running one, in a real browser."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote

import pytest
from playwright.sync_api import Browser
from tests.browser import opened_page
from tests.reports import HOSTILE

from conftest import Cli
from langcrawl.config import CrawlConfig
from langcrawl.measure.estimate import Estimate
from langcrawl.measure.portrait import HostFigures, Portrait, portrait_of
from langcrawl.report.crawl_page import KINDS, sentences, write_crawl_report
from langcrawl.report.samples import Sample, cut, direction_of, sample_pages
from langcrawl.store.view import read_status
from langcrawl.virtualweb.serve import Server
from running import Running, endless, wait_for
from warm import Warm

PLAIN = Sample("http://a.example/", "http://a.example/", "a.example", "th", "", "t", "x", "auto",
               "a.warc.gz", 0)  # fmt: skip
MILLION = "ก" * 1_000_000


@pytest.fixture(scope="module")
def found(small_crawl: Path) -> Portrait:
    return portrait_of(small_crawl)


def test_the_figures_are_those_of_the_crawl(small_crawl: Path, found: Portrait, cli: Cli) -> None:
    status = json.loads(cli("status", small_crawl, "--json").stdout)
    said = json.loads(cli("report", small_crawl, "--json").stdout)
    assert sum(found.statuses.values()) == status["pages"] == said["status"]["pages"]
    assert found.curve[-1].pages == status["pages"]
    assert found.curve[-1].relevant == status["relevant"] == sum(found.tlds.values())
    assert found.curve[-1].known == status["urls"]
    assert found.languages["th"] == status["relevant"]
    assert sum(said["sizes"].values()) <= status["pages"]
    for host in found.wasteful_hosts:
        assert host.wasted == host.pages - host.relevant > 0
    assert not (small_crawl / "report.html").exists()  # asked for JSON only


def test_suspicious_are_hosts_with_far_more_text_than_others() -> None:
    from langcrawl.measure.portrait import _suspicious

    hosts = [HostFigures(f"h{number}.example", 30, 20, 1000, 30) for number in range(9)]
    assert _suspicious(hosts) == []
    farm = HostFigures("farm.example", 900, 900, 90_000, 900)
    assert _suspicious([*hosts, farm]) == [farm]


def test_the_command_writes_the_page_and_every_chart_in_four_kinds(
    small_crawl: Path, tmp_path: Path, cli: Cli
) -> None:
    done = cli("report", small_crawl, "--to", "r.html", "--plots", "plots", "--strategy", "soft")
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "r.html").read_text("utf-8")
    said = "This crawl looked for pages in Thai|Over time|Sites that cost most|strategy = |"
    for words in f"{said}Strategies compared|Some of the pages|.warc.gz".split("|"):
        assert words in page, words
    assert "<script>" not in page
    links = re.findall(r'href="([^"]+\.warc\.gz)"', page)
    assert links
    assert all((tmp_path / unquote(link)).is_file() for link in links), links[0]
    files = {path.name for path in (tmp_path / "plots").iterdir()}
    names = {name.rsplit(".", 1)[0] for name in files}
    assert {"pages", "harvest", "queue", "languages", "tlds", "strategy_coverage"} <= names
    assert files == {f"{name}.{kind}" for name in names for kind in KINDS}
    rows = (tmp_path / "plots" / "languages.csv").read_text("utf-8").splitlines()
    assert rows[0] == "name,count"
    assert rows[1].startswith("Thai,")


def test_samples_are_readable_and_stand_in_the_archive(small_crawl: Path) -> None:
    shown = sample_pages(small_crawl, 6)
    assert len(shown) == 6
    assert len({page.host for page in shown}) == 6
    assert shown == sample_pages(small_crawl, 6)
    for page in shown:
        assert page.text
        assert (small_crawl / "warc" / page.warc_file).stat().st_size > page.warc_offset


@pytest.mark.parametrize("width", [1280, 500, 400])
def test_hostile_pages_do_nothing_in_a_browser(
    found: Portrait, tmp_path: Path, browser: Browser, width: int
) -> None:
    hosts = tuple(HostFigures(cut(name, 60), 3, 1, 9, 3) for name in (*HOSTILE, MILLION))
    samples = [
        replace(PLAIN, url=cut(name, 300), title=cut(name, 120), text=cut(name, 300), link="")
        for name in (*HOSTILE, MILLION)
    ]
    samples.append(replace(PLAIN, title="ᠮᠣᠩᠭᠣᠯ", text="ᠮᠣᠩᠭᠣᠯ ᠬᠡᠯᠡ", direction="vertical"))
    samples.append(replace(PLAIN, title="שלום", text="שלום עולם", direction="rtl"))
    settings = {"seeds": (*HOSTILE, MILLION), "contact": HOSTILE[1]}
    hostile = replace(
        found, directory=HOSTILE[0], best_hosts=hosts, wasteful_hosts=hosts,
        suspicious_hosts=hosts, languages=dict.fromkeys(HOSTILE, 1),
        config=found.config.model_copy(update=settings),
    )  # fmt: skip
    path = tmp_path / "hostile.html"
    write_crawl_report(path, hostile, samples)
    assert path.stat().st_size < 3_000_000
    with opened_page(browser, width, dark=width == 500) as page:
        page.goto(path.as_uri())
        assert page.evaluate("document.scripts.length") == 1  # the data of the charts
        assert page.evaluate("document.querySelectorAll('img, iframe, [onload]').length") == 0
        assert page.evaluate("[...document.links].every(a => /^(https?|file):/.test(a.href))")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate("document.querySelectorAll('.charts svg').length") >= 9
        upright = "getComputedStyle(document.querySelector('.vertical')).writingMode"
        assert page.evaluate(upright) == "vertical-lr"
        right = page.locator(".text.rtl p").bounding_box()
        assert right is not None
        colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert colour == ("rgb(22, 24, 28)" if width == 500 else "rgb(255, 255, 255)")


def test_a_text_is_shown_in_the_direction_of_its_letters() -> None:
    assert direction_of("ᠮᠣᠩᠭᠣᠯ ᠬᠡᠯᠡ 1990, Mongol") == "vertical"
    assert direction_of("שלום עולם (hello)") == "rtl"
    assert direction_of("สวัสดี") == direction_of("") == direction_of("123") == "auto"


def test_controls_of_direction_and_endless_texts_are_cut() -> None:
    assert cut("a\u202eb\u2066c", 10) == "abc"
    assert cut("a\nb\x1b[2J", 10) == "a b [2J"
    assert len(cut(MILLION, 100)) == 101


def test_a_crawl_that_has_nothing_yet_has_a_report(
    small_crawl: Path, tmp_path: Path, found: Portrait
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(small_crawl, copy)
    empty = replace(
        found, first=None, last=None, curve=(), languages={}, scripts={}, encodings={}, tlds={},
        statuses={}, sizes={}, seconds={}, best_hosts=(), wasteful_hosts=(), text_bytes=0,
    )  # fmt: skip
    write_crawl_report(tmp_path / "r.html", empty, [])
    assert "Nothing has been downloaded yet." in (tmp_path / "r.html").read_text("utf-8")
    assert sentences(found)[0].endswith(f"{len(CrawlConfig.load(copy).seeds)} seeds.")


def test_strategies_are_compared_on_a_crawl_that_runs_and_has_no_file_of_its_log_yet(
    warm: Warm, tmp_path: Path, cli: Cli
) -> None:
    directory, page = tmp_path / "crawl", tmp_path / "r.html"
    with (
        Server(endless) as server,
        Running(directory, server.connect_to, "--workers", "1", "--delay", "0.1", warm=warm),
    ):
        wait_for(lambda: len(server.requests) > 100 and read_status(directory).pages > 60)
        done = cli("report", directory, "--to", page, "--strategy", "soft", "--samples", 0)
        assert not list((directory / "log").glob("pages/*")), "else this tests nothing"
    assert done.returncode == 0, done.stderr
    assert "Strategies compared" in page.read_text("utf-8")


def test_what_cannot_be_written_is_said_before_the_work(
    cli: Cli, small_crawl: Path, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    for words in (("--to", "."), ("--plots", "file")):
        done = cli("report", small_crawl, *words)
        assert done.returncode == 2, done.stderr
        assert done.stderr.count("\n") == 1
    assert cli("report", tmp_path / "none").returncode == 1


def test_an_estimate_says_when_most_would_be_collected(found: Portrait) -> None:
    said = Estimate(0.5, 0.4, 0.6, 100, 200.0, 50.0, 80, next_percent=10.0)
    ended = replace(found, estimate=said, status=replace(found.status, running=False))
    assert "Resumed, and at the speed of before, it would reach 90% in" in sentences(ended)[-1]
    running = replace(ended, status=replace(found.status, running=True, lately=1.0))
    words = r"At this pace 90% is reached in \d+ (s|min|h) to \d+ (min|h)\.$"
    assert re.search(words, sentences(running)[-1])
    least, most = running.as_json()["estimate"]["seconds_left"]
    assert 0 < least < 250 < 625 < most  # these would be the ends if the harvest stayed as it is
    done = replace(running, estimate=replace(said, coverage=0.95, low=0.92, high=0.97))
    assert sentences(done)[-1].endswith("little left to find from these seeds.")
