"""A generated web over real HTTP: what the live crawler does on it is what was foretold."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.conftest import Cli

from langcrawl.config import CrawlConfig
from langcrawl.judge import make_judge
from langcrawl.languages import load_pack
from langcrawl.log.graph import load_graph
from langcrawl.log.segments import read_table
from langcrawl.page.decode import decode
from langcrawl.page.extract import extract
from langcrawl.records import UNKNOWN, Content
from langcrawl.run import run_crawl
from langcrawl.simulate import Plan, as_urls, simulate
from langcrawl.strategy import make_strategy
from langcrawl.virtualweb.phrases import PHRASES
from langcrawl.virtualweb.serve import Server
from langcrawl.virtualweb.served import ServedLog
from langcrawl.virtualweb.synth import generate, load_profile


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("served") / "web"
    generate(directory, load_profile("thai-2005"), 1_500, 2)
    return directory


@pytest.mark.parametrize("strategy", ["soft", "lswc:s=2,t=2"])
def test_a_live_crawl_takes_the_very_pages_that_the_simulation_takes(
    strategy: str, web: Path, tmp_path: Path
) -> None:
    graph = load_graph(web)
    foretold = as_urls(graph, simulate(graph, make_strategy(strategy), Plan()).order)
    with Server(ServedLog(web).answer) as server:
        config = CrawlConfig(
            lang="th", seeds=graph.config.seeds, strategy=strategy, delay=0.0, connections=1,
            retries=0, backoff=0.0,
            connect_to=(server.connect_to,),
        )  # fmt: skip
        run_crawl(tmp_path / "crawl", config)
    pages = read_table(tmp_path / "crawl", "pages", ["id", "language"])
    urls = read_table(tmp_path / "crawl", "urls", ["url"])["url"].to_pylist()
    assert [urls[number] for number in pages["id"].to_pylist()] == foretold


def test_pages_are_written_in_their_language_and_charset(web: Path) -> None:
    graph, served = load_graph(web), ServedLog(web)
    judge = make_judge(load_pack("th"))
    declared = set()
    for node in range(0, graph.pages, 7):
        page = served.answer(graph.urls[node])
        if page.status == 200:
            decoded = decode(page.body, "text/html")
            content = extract(decoded.text, graph.urls[node], decoded.charsets)
            declared.add(content.charsets.meta)
            assert judge.judge(content).language == page.language
        else:
            assert page.language == UNKNOWN
    assert {"tis-620", ""} <= declared


@pytest.mark.parametrize("tag", PHRASES)
def test_the_sentences_of_every_language_are_judged_to_be_in_it(tag: str) -> None:
    judge = make_judge(load_pack("th"), "cld")
    assert judge.judge(Content(text=" ".join(PHRASES[tag]))).language.split("-")[0] == tag


def test_links_to_urls_never_fetched_are_left_out_unless_asked_for(web: Path) -> None:
    graph = load_graph(web)
    home = graph.config.seeds[0]
    few, many = (
        served.answer(home).body.count(b"<li>")
        for served in (ServedLog(web), ServedLog(web, unknown_fails=True))
    )
    node = graph.find([home])[0]
    begin, end = graph.arrays.offsets[node : node + 2]
    assert many == end - begin
    assert few == (graph.arrays.dst[begin:end] < graph.pages).sum()


def test_failures_break_the_connection_only_if_asked(web: Path) -> None:
    graph = load_graph(web)
    silent = graph.urls[int((graph.arrays.status == 0).argmax())]
    assert ServedLog(web).answer(silent).status == 404
    assert ServedLog(web, failures=True).answer(silent).status == 0


def test_the_command_serves_until_it_is_stopped(web: Path, cli: Cli, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "langcrawl", "serve", str(web), "--port", "0", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        said = json.loads(server.stdout.readline())
        busy = cli("serve", web, "--port", str(said["port"]))
        assert busy.returncode == 1
        assert "cannot be used" in busy.stderr
        done = cli(
            "crawl", "live", "--lang", "th", "--seeds", said["seeds"][0],
            "--connect-to", said["connect_to"], "--delay", "0", "--max-pages", "50", "--json",
        )  # fmt: skip
        assert json.loads(done.stdout)["pages"] == 50
        server.send_signal(signal.SIGINT)
        assert server.wait(timeout=20) == 0
