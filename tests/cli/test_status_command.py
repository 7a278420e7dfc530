"""``langcrawl status``: how a crawl stands, and what is no crawl."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conftest import Cli
from langcrawl.log.graph import load_graph
from webs import P, write_web


def test_a_crawl_that_has_ended_is_told_in_two_sentences_and_tables(
    cli: Cli, small_crawl: Path
) -> None:
    done = cli("status", small_crawl)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"{small_crawl}: not running, " in done.stdout
    assert "0 URLs wait, 0 are under way" in done.stdout
    assert "404" in done.stdout


def test_json_agrees_with_the_log(cli: Cli, small_crawl: Path) -> None:
    found = json.loads(cli("status", small_crawl, "--json").stdout)
    graph = load_graph(small_crawl)
    assert (found["pages"], found["relevant"]) == (graph.pages, graph.relevant_total)
    assert found["harvest"] == pytest.approx(graph.relevant_total / graph.pages)
    assert (found["running"], found["queue"], found["under_way"]) == (False, 0, 0)
    assert found["lang"] == "th"
    assert found["urls"] >= found["pages"]
    assert found["discards"]["robots"] > 0


def test_status_changes_nothing(cli: Cli, small_crawl: Path) -> None:
    def state() -> dict[str, tuple[int, int]]:
        return {
            str(path): (path.stat().st_size, path.stat().st_mtime_ns)
            for path in small_crawl.rglob("*")
            if path.is_file() and "graph" not in path.parts and "-shm" not in path.name
        }

    before = state()
    cli("status", small_crawl)
    assert state() == before


@pytest.mark.parametrize(
    ("name", "says"), [("absent", "there is no directory"), (".", "is not a crawl directory")]
)
def test_what_is_no_crawl_is_told_in_a_sentence(cli: Cli, name: str, says: str) -> None:
    done = cli("status", name)
    assert (done.returncode, done.stdout) == (1, "")
    assert says in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_an_imported_web_has_no_status(cli: Cli, tmp_path: Path) -> None:
    write_web(tmp_path / "web", {"s/": P("th")}, ["s/"])
    done = cli("status", "web")
    assert (done.returncode, done.stdout) == (1, "")
    assert "Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) == 1
