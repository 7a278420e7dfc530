"""``langcrawl analyze``: text, JSON, the report, and what it says when something is wrong."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from tests.conftest import Cli
from tests.webs import P, tables_of, write_web

from langcrawl.cli.progress import interruptible
from langcrawl.config import CrawlConfig
from langcrawl.log.build import code_hosts
from langcrawl.log.graph import load_graph
from langcrawl.log.segments import read_table, write_segment
from langcrawl.measure.webgraph import Analysis, analyze_graph
from langcrawl.report.analysis import lead, tables


@pytest.fixture(scope="module")
def found(small_crawl: Path) -> Analysis:
    return analyze_graph(load_graph(small_crawl), "th", top=3)


def test_the_json_is_one_document_whose_numbers_agree(cli: Cli, small_crawl: Path) -> None:
    done = cli("analyze", small_crawl, "--json", "--top", "2")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    graph = load_graph(small_crawl)
    assert (told["pages"], told["urls"], told["links"]) == (graph.pages, graph.nodes, graph.links)
    assert told["relevant"] == graph.relevant_total == sum(told["relevant_by_tld"].values())
    by_language = told["languages_by_tld"]
    assert sum(sum(row.values()) for row in by_language.values()) == told["pages"]
    assert sum(by_language["th"].values()) == told["relevant"]
    assert sum(sum(row.values()) for row in told["groups_by_tld"].values()) == told["pages"]
    for source in ("header", "meta", "detected"):
        table = told["charsets_by_tld"][source]
        assert sum(sum(row.values()) for row in table.values()) == told["relevant"]
    for source in ("relevant", "irrelevant"):
        assert list(told["locality"][source]) == [
            "all", "same_host", "other_host", "same_domain", "other_domain",
        ]  # fmt: skip
        assert 0 <= told["locality"][source]["all"] <= 1
    assert sum(told["distance"].values()) + told["unreached"] == told["relevant"]
    assert sum(told["host_pages"].values()) == told["hosts"]
    assert len(told["top_hosts"]) == 2


def test_links_add_up(found: Analysis) -> None:
    counted = found.self_links + sum(
        source.parts["all"].links + source.unfetched for source in found.locality.values()
    )
    assert counted == found.sizes.links


def test_the_text_shows_the_papers_tables(cli: Cli, small_crawl: Path) -> None:
    done = cli("analyze", small_crawl)
    assert done.returncode == 0, done.stderr
    for words in (
        "Languages by top-level domain",
        "Links that lead to relevant pages",
        "from irrelevant pages",
        "Relevant pages by distance",
        "Charsets in META",
        "Hosts by number of relevant pages",
    ):
        assert words in done.stdout
    rows = [line.split() for line in done.stdout.splitlines()]
    assert any(row[:1] == ["th"] for row in rows)
    assert any(row[:1] == ["unknown"] for row in rows)


def test_beyond_the_largest_domains_there_is_one_column(found: Analysis) -> None:
    shown = {table.name: table for table in tables(found, top=1)}
    assert shown["languages"].heads[2:] == ["other TLDs", "total", "share"]
    assert shown["languages"].rows[-1][-1] == "100.0%"
    whole = {table.name: table for table in tables(found, top=100)}
    assert "other TLDs" not in whole["languages"].heads
    assert shown["languages"].rows[-1][-2] == whole["languages"].rows[-1][-2]


def test_the_bridge_language_can_be_the_target(small_crawl: Path) -> None:
    told = analyze_graph(load_graph(small_crawl, "en"), "en")
    languages = next(table for table in tables(told, 3) if table.name == "languages")
    assert [row[0] for row in languages.rows].count("en") == 1
    assert languages.rows[0][-2] == f"{told.sizes.relevant:,}"


def test_the_report_is_one_file_with_every_table_and_its_charts(
    cli: Cli, small_crawl: Path, tmp_path: Path
) -> None:
    done = cli("analyze", small_crawl, "--report", "sub/web.html", "--lang", "tha")
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "sub" / "web.html").read_text("utf-8")
    names = ("languages", "domains", "locality", "distance", "degrees", "host_pages")
    for name in (*names, "host_relevant", "host_shares", "charset_meta"):
        assert f'<div id="chart-{name}"><svg' in page
    for head in ("Languages by top-level domain", "Strongly connected components"):
        assert f"<h2>{head}</h2>" in page
    assert 'src="http' not in page


def test_a_log_without_pages_or_without_the_language_gives_zeros(cli: Cli, tmp_path: Path) -> None:
    tables_ = {name: table.slice(0, 0) for name, table in tables_of({"a/1": P()}).items()}
    write_segment(tmp_path / "empty", 0, tables_)
    CrawlConfig(lang="th").save(tmp_path / "empty")
    write_web(tmp_path / "english", {"a/1": P("en", ("a/2",)), "a/2": P("en")})
    done = cli("analyze", "empty", "--json", "--report", "empty.html")
    assert done.returncode == 0, done.stderr
    assert all(line.startswith("analyze: ") for line in done.stderr.splitlines())
    told = json.loads(done.stdout, parse_constant=lambda word: pytest.fail(word))
    assert (told["pages"], told["relevant"], told["distance"]) == (0, 0, {})
    assert told["locality"]["relevant"]["all"] is None
    done = cli("analyze", "english")
    assert done.returncode == 0, done.stderr
    assert all(line.startswith("analyze: ") for line in done.stderr.splitlines())
    assert "0 are relevant (th)" in done.stdout


@pytest.mark.parametrize(
    ("words", "status", "says"),
    [
        (("nowhere",), 1, "there is no directory 'nowhere'"),
        ((".",), 1, "is not a crawl directory"),
        (("{log}", "--lang", "klingonish"), 2, "there is no language 'klingonish'"),
        (("{log}", "--top", "0"), 2, "--top"),
        (("{log}", "--report", "."), 2, "--report names the directory '.'"),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(
    cli: Cli, small_crawl: Path, words: tuple[str, ...], status: int, says: str
) -> None:
    done = cli("analyze", *(word.format(log=small_crawl) for word in words))
    assert done.returncode == status
    assert says in done.stderr
    assert done.stderr.startswith("langcrawl: ")
    assert "Traceback" not in done.stderr


def test_a_crawl_without_a_log_yet_is_no_traceback(cli: Cli, tmp_path: Path) -> None:
    CrawlConfig(lang="th").save(tmp_path / "new")
    done = cli("analyze", "new")
    assert done.returncode == 1
    assert "has no log yet" in done.stderr


def test_ctrl_c_ends_work_that_does_not_listen() -> None:
    code = (
        "import os, signal, threading, time\n"
        "from langcrawl.cli.progress import interruptible\n"
        "threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
        "interruptible(lambda: time.sleep(60))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=20)
    assert b"KeyboardInterrupt" in done.stderr
    assert done.returncode in (1, 130, -signal.SIGINT)


def test_errors_of_the_work_come_back_to_the_caller() -> None:
    with pytest.raises(ZeroDivisionError):
        interruptible(lambda: 1 // 0)
    assert interruptible(lambda: 7) == 7


def test_hosts_have_their_names_after_reopening(small_crawl: Path) -> None:
    urls = read_table(small_crawl, "urls", ["host"])["host"].to_pylist()
    for graph in (load_graph(small_crawl), load_graph(small_crawl)):
        names = graph.hosts.to_pylist()
        found = [names[code] for code in graph.arrays.host]
        assert found == [urls[number] for number in graph.arrays.url_id]


def test_hosts_are_numbered_in_order_of_appearance_over_all_chunks() -> None:
    column = pa.chunked_array([["b", "a"], [], ["a", "c", "b"]], pa.string())
    codes, names = code_hosts(column)
    assert (codes.tolist(), names.to_pylist()) == ([0, 1, 1, 2, 0], ["b", "a", "c"])
    assert code_hosts(pa.chunked_array([], pa.string()))[0].dtype == np.int32


def test_the_lead_names_the_sizes(found: Analysis) -> None:
    sizes = found.sizes
    assert f"{sizes.pages:,} pages of {sizes.urls:,} known URLs" in lead(found)
