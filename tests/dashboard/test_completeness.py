"""How complete a crawl is, on its page: where it draws a sample, and only there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from dashboards import Dashboard, linked_copy, served
from langcrawl.config import CrawlConfig
from langcrawl.dashboard.shown import ended, reason
from langcrawl.measure.crawled import estimate_crawl
from langcrawl.run import run_crawl
from langcrawl.virtualweb.serve import Server
from langcrawl.virtualweb.small import SmallWeb
from running import wait_for
from warm import Warm


@pytest.fixture(scope="module")
def sampled(small_web: SmallWeb, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A crawl that was stopped half way, with a fifth of its downloads drawn by chance."""
    directory = tmp_path_factory.mktemp("sampled") / "thai"
    with Server(small_web.answer) as server:
        config = CrawlConfig(
            lang="th", seeds=small_web.seeds, strategy="soft", delay=0.0, connections=1, workers=1,
            sample=0.2, max_pages=150, connect_to=(server.connect_to,),
        )  # fmt: skip
        run_crawl(directory, config)
    return directory


@pytest.fixture(scope="module")
def dashboard(
    warm: Warm, sampled: Path, small_crawl: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Dashboard]:
    plain = linked_copy(small_crawl, tmp_path_factory.mktemp("crawls") / "small")
    with served(warm, sampled, plain) as running:
        yield running


def test_a_crawl_with_a_sample_shows_how_complete_it_is(
    dashboard: Dashboard, sampled: Path
) -> None:
    wait_for(lambda: dashboard.json("/crawls/1.json")["estimate"] is not None)
    shown = dashboard.json("/crawls/1.json")["estimate"]
    said = estimate_crawl(sampled)
    assert said is not None
    assert shown == said.as_json() | {"advice": said.advice(), "pages": 150}
    for path in ("/crawls/1", "/"):
        _, _, page = dashboard.ask(path)
        assert f"{said.coverage:.1%}" in page
        assert f"{said.low:.1%} to {said.high:.1%}" in page


def test_a_crawl_without_a_sample_shows_nothing_of_it(dashboard: Dashboard) -> None:
    assert dashboard.json("/crawls/2.json")["estimate"] is None
    _, _, page = dashboard.ask("/crawls/2")
    assert "by estimate" not in page


def test_plain_words_stand_for_codes(dashboard: Dashboard) -> None:
    _, _, page = dashboard.ask("/crawls/1")
    assert "In Thai" in page
    assert "The crawl has ended: the limit of pages is reached." in page
    assert "ended (max-pages)" not in page


def test_reasons_and_endings_are_told_in_words() -> None:
    assert reason("sample 1/1086") == "drawn by chance from 1,086 URLs that waited"
    assert reason("sample 1/<b>") == "sample 1/<b>"
    assert ended("max-time") == "the limit of time is reached"
    assert ended("queue-empty") == "no URL is left"
