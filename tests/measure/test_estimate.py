"""The estimated coverage: where the truth is known, and of a live crawl."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from conftest import Cli
from langcrawl.config import CrawlConfig
from langcrawl.draws import MARK
from langcrawl.log.graph import Graph, load_graph
from langcrawl.log.segments import read_table
from langcrawl.measure.crawled import estimate_crawl, of_simulation
from langcrawl.measure.estimate import Estimate, _calibration, estimate
from langcrawl.measure.signs import Crawled, signs_of, strata_of
from langcrawl.run import run_crawl
from langcrawl.simulate import Plan, simulate
from langcrawl.strategy import make_strategy
from langcrawl.virtualweb.serve import Server
from langcrawl.virtualweb.small import SmallWeb
from langcrawl.virtualweb.synth import generate, load_profile


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    directory = tmp_path_factory.mktemp("webs") / "thai"
    generate(directory, load_profile("thai-2005"), 12_000, 5)
    return load_graph(directory)


def at_level(web: Graph, level: float, seed: int) -> tuple[float, Estimate | None]:
    """The truth and the estimate, where so much of the relevant pages is found."""
    result = simulate(web, make_strategy("soft"), Plan(sample=0.1, sample_seed=seed))
    assert result.drawn is not None
    found = np.cumsum(web.relevant[result.order] != 0)
    end = int(np.searchsorted(found, level * found[-1])) + 1
    drawn = result.drawn[result.drawn < end]
    said = estimate(of_simulation(web, result.order[:end], drawn))
    return float(found[end - 1] / found[-1]), said


def test_the_interval_holds_the_truth_on_a_generated_web(web: Graph) -> None:
    held = []
    for level in (0.2, 0.5, 0.8):
        truth, said = at_level(web, level, 1)
        assert said is not None
        assert 0 < said.low < said.coverage < said.high < 1
        held.append(said.low <= truth <= said.high)
    assert sum(held) >= 2  # nine of ten is measured by `python -m benchmarks coverage`


def test_draws_are_a_share_of_the_downloads_and_follow_from_the_seed(web: Graph) -> None:
    plan = Plan(sample=0.05, sample_seed=3)
    one, same = (simulate(web, make_strategy("soft"), plan) for _ in range(2))
    other = simulate(web, make_strategy("soft"), Plan(sample=0.05, sample_seed=4))
    assert one.drawn is not None
    assert same.drawn is not None
    assert other.drawn is not None
    assert np.array_equal(one.order, same.order)
    assert np.array_equal(one.drawn, same.drawn)
    assert not np.array_equal(one.order, other.order)
    assert 0.04 < len(one.drawn) / len(one.order) < 0.06
    assert len(np.unique(one.order)) == len(one.order)


def test_a_complete_crawl_is_found_to_be_complete(web: Graph) -> None:
    _, said = at_level(web, 1.0, 1)
    assert said is not None
    assert said.coverage > 0.9
    assert said.high > 0.97


def crawl_of(relevant: list[bool], found_at: list[int], drawn: list[int], **more: int) -> Crawled:
    """A crawl of one host that took its pages in order; `waiting` URLs were found `at` a moment."""
    taken, waiting = len(relevant), more.get("waiting", 0)
    place = np.concatenate([np.arange(taken), np.full(waiting, -1)])
    by_chance = np.zeros(taken + waiting, bool)
    by_chance[drawn] = True
    return Crawled(
        place,
        np.concatenate([np.array(relevant), np.zeros(waiting, bool)]),
        np.concatenate([np.ones(taken, bool), np.zeros(waiting, bool)]),
        np.concatenate([np.array(found_at), np.full(waiting, more.get("at", 0))]),
        np.zeros(taken + waiting, np.int64),
        np.ones(taken + waiting, np.int64),
        np.zeros(taken + waiting, np.int64),
        by_chance,
    )


def test_too_few_draws_say_nothing() -> None:
    assert estimate(crawl_of([True] * 50, [0] * 50, list(range(5)), waiting=50)) is None


def test_where_nothing_waits_the_crawl_is_complete() -> None:
    said = estimate(crawl_of([True] * 50, [0] * 50, list(range(25))))
    assert said is not None
    assert (said.low, said.coverage, said.high) == (1.0, 1.0, 1.0)
    assert said.advice().startswith("There is little left")
    assert said.seconds_left(10.0) is None


def test_urls_are_told_apart_by_their_host_and_by_the_page_that_they_were_found_on() -> None:
    crawl = Crawled(
        place=np.array([0, 1, 2, -1, -1, -1]),
        relevant=np.array([True, False, True, False, False, False]),
        page=np.array([True, True, True, False, False, False]),
        found_at=np.array([0, 1, 2, 1, 2, 3]),
        host=np.array([0, 1, 0, 0, 1, 2]),
        links=np.zeros(6, np.int64),
        abroad=np.zeros(6, np.int64),
        drawn=np.zeros(6, bool),
    )
    records, finders = strata_of(crawl, crawl.order) // 4, strata_of(crawl, crawl.order) % 4
    assert records.tolist() == [6, 0, 6, 6, 1, 0]  # without what a download says itself
    assert finders.tolist() == [2, 2, 0, 3, 1, 2]  # 2: on a relevant page, 1: on its own host


def test_what_waits_is_counted_by_draws_of_its_own_kind() -> None:
    """Nine of ten waiting URLs are on a host whose draws were never relevant."""
    crawl = Crawled(
        place=np.concatenate([np.arange(200), np.full(1000, -1)]),
        relevant=np.concatenate([np.arange(200) % 2 == 0, np.zeros(1000, bool)]),
        page=np.arange(1200) < 200,
        found_at=np.zeros(1200, np.int64),
        host=np.concatenate([np.arange(200) % 2, (np.arange(1000) % 10 > 0).astype(np.int64)]),
        links=np.ones(1200, np.int64),
        abroad=np.zeros(1200, np.int64),
        drawn=np.concatenate([np.ones(200, bool), np.zeros(1000, bool)]),
    )
    assert signs_of(crawl).waiting == pytest.approx(100, abs=10)


def test_only_errors_of_lately_and_on_giving_sites_tell_of_dead_links() -> None:
    """A fourth of the newer downloads of host 0 are errors; host 1 gave nothing."""
    number = np.arange(400)
    host = number % 2
    error = (host == 1) | ((number >= 200) & (number % 8 == 0))
    crawl = Crawled(
        place=number,
        relevant=(host == 0) & ~error,
        page=~error,
        found_at=np.zeros(400, np.int64),
        host=host,
        links=np.ones(400, np.int64),
        abroad=np.zeros(400, np.int64),
        drawn=number % 5 == 0,
    )
    assert signs_of(crawl).values["alive"] == pytest.approx(0.75, abs=0.01)


def test_a_list_of_links_that_makes_a_site_known_at_once_does_not_promise_many_more() -> None:
    """As on real manuals: after a quarter of its pages, one page links to all the others."""
    found_at = [*range(250), *[250] * 250]
    crawl = crawl_of([True] * 500, found_at, list(range(255, 495, 8)), waiting=500, at=250)
    said = estimate(crawl)
    assert said is not None
    assert said.waiting == pytest.approx(500, abs=20)
    assert said.low < 0.5 < said.high
    assert said.coverage == pytest.approx(0.5, abs=0.1)


def test_time_is_told_from_the_ends_of_the_interval_and_the_harvest_may_change() -> None:
    said = Estimate(0.5, 0.4, 0.6, 500, 1000.0, 300.0, 40, next_percent=20.0)
    assert said.seconds_left(None) is None
    left = said.seconds_left(2.0)
    assert left is not None
    # 10 relevant pages cost 20 downloads, 10 s: 250 to go if 500 are 60 %, 625 if they are 40 %.
    least, most = _calibration()["downloads"]
    assert least < 1 < most
    assert left == (pytest.approx(250.0 * least), pytest.approx(625.0 * most))


def test_time_is_longer_where_few_hosts_have_what_is_left() -> None:
    """A thousand pages wait: on one host, which rests a second after each, or on a hundred."""
    said = []
    for hosts in (1, 100):
        number = np.arange(2000)
        crawl = Crawled(
            place=np.where(number < 1000, number, -1),
            relevant=number < 1000,
            page=number < 1000,
            found_at=number // 3,
            host=number % hosts,
            links=np.ones(2000, np.int64),
            abroad=np.zeros(2000, np.int64),
            drawn=(number < 1000) & (number % 10 == 0),
        )
        said.append(estimate(crawl, delay=1.0))
    few, many = said
    assert few is not None
    assert many is not None
    assert few.host_seconds[0] > 300
    assert many.host_seconds[1] < 100
    left = few.seconds_left(1000.0)
    assert left is not None
    assert left >= few.host_seconds


def crawl_small(web: SmallWeb, directory: Path, **limits: int) -> Path:
    with Server(web.answer) as server:
        config = CrawlConfig(
            lang="th", seeds=web.seeds, strategy="soft", delay=0.0, connections=1, workers=1,
            sample=0.2, connect_to=(server.connect_to,), **limits,
        )  # fmt: skip
        run_crawl(directory, config)
    return directory


def drawn_of(directory: Path) -> list[tuple[int, bool]]:
    """The pages of a log in order, and which were drawn."""
    table = read_table(directory, "pages", ["id", "reason"])
    rows = zip(table["id"].to_pylist(), table["reason"].to_pylist(), strict=True)
    return [(page, (reason or "").startswith(MARK)) for page, reason in rows]


def test_a_live_crawl_draws_the_same_after_it_was_interrupted(
    small_web: SmallWeb, tmp_path: Path, cli: Cli
) -> None:
    whole = crawl_small(small_web, tmp_path / "whole")
    for end in (40, 110, 100_000):
        parts = crawl_small(small_web, tmp_path / "parts", max_pages=end)
    assert drawn_of(whole) == drawn_of(parts)
    drawn = sum(mark for _, mark in drawn_of(whole))
    assert 0.1 < drawn / len(drawn_of(whole)) < 0.3
    said = estimate_crawl(whole)
    assert said is not None
    assert said.coverage > 0.9  # nothing was left out
    status = json.loads(cli("status", whole, "--json").stdout)
    assert status["estimate"]["found"] == status["relevant"]
    assert "How complete is it?" in cli("status", whole).stdout
    report = json.loads(cli("report", whole, "--json").stdout)
    assert report["estimate"] == status["estimate"]


def test_a_share_is_read_as_people_write_it(cli: Cli, tmp_path: Path) -> None:
    done = cli("crawl", tmp_path / "c", "--lang", "th", "--seeds", "http://a.th/", "--sample", "x")
    assert done.returncode == 2
    assert "2%" in done.stderr
