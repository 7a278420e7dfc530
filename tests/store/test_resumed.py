"""A crawl that is stopped and resumed again and again decides as one that never was."""

from __future__ import annotations

import shutil
from pathlib import Path
from random import Random
from typing import Any

import pytest

from langcrawl.config import CrawlConfig
from langcrawl.draws import MARK
from langcrawl.log.segments import read_table
from langcrawl.records import Link, Links, Page, Verdict, Visit
from langcrawl.store.view import open_view, read_status
from scripted import kept_crawl

SEEDS = ("http://h0.th/", "http://h1.com/en/0")
WORDS = {"th": "ข่าว วันนี้", "en": "news today", "ja": "ニュース"}
STRATEGIES = [
    "bfs", "dfs", "hard", "soft:n=2", "limited:n=2,prioritized=true", "lswc:s=2,t=3", "best-first",
    "correlation:wt=0.4,ws=0.4,wd=0.2,min=0.05", "adaptive", "tag-paths", "url-classifier",
    "best-segment",
]  # fmt: skip


def web_of(seed: int, pages: int) -> dict[str, tuple[Page, Verdict]]:
    """A web by chance: languages go by directory, links have anchors, some pages are not there."""
    chance = Random(seed)
    urls = list(SEEDS)
    for number in range(2, pages):
        host = chance.choice(["h0.th", "h1.com", "h2.th", "h3.org", "h4.th"])
        urls.append(f"http://{host}/{chance.choice(['th', 'en', 'ja', 'x/y'])}/{number}")
    web = {}
    for url in urls:
        here = url.split("/")[3]
        language = here if here in WORDS else "th"
        targets = chance.sample(urls, chance.randint(2, 7))
        links = Links.of(
            Link(
                target, WORDS.get(target.split("/")[3], "x"), anchor_score=chance.random(),
                tag_path=chance.choice(["html body p", "html body ul.menu li"]),
            )
            for target in targets
        )  # fmt: skip
        score = round(chance.uniform(0.5, 1), 3) if language == "th" else 0.0
        verdict = Verdict(language, score=score, relevant=language == "th")
        kind = chance.random()
        if kind < 0.1:
            web[url] = (Page(url, 404), Verdict())
        elif kind < 0.2:
            web[url] = (Page(url, 302, targets[0]), Verdict())
        else:
            web[url] = (Page(url, 200, links=links, bytes=100, title=f"of {url}"), verdict)
    web[SEEDS[0]] = (Page(SEEDS[0], 200, links=Links(tuple(urls[1:9]))), Verdict("th", score=1.0,
                     relevant=True))  # fmt: skip
    return web


WEB = web_of(7, 50)


def says(visit: Visit) -> tuple[Page, Verdict]:
    return WEB[visit.url]


def crawl(directory: Path, strategy: str, stops: tuple[int, ...] = (), **more: Any) -> list[str]:
    """Crawl in as many runs as there are stops, and one more; the URLs in the order asked for."""
    fixed: dict[str, Any] = {"lang": "th", "strategy": strategy, "connections": 1, "seeds": SEEDS}
    config = CrawlConfig(**fixed | {"delay": 0.0, "retries": 0} | more)
    asked: list[str] = []
    for stop in (*stops, None):
        with kept_crawl(directory, says, config.model_copy(update={"max_pages": stop})) as found:
            found.run()
            asked += found.crawl.web.asked
    return asked


def logged(directory: Path) -> list[dict[str, Any]]:
    """The rows of the pages in the log, without what differs from run to run."""
    rows: list[dict[str, Any]] = read_table(directory, "pages").to_pylist()
    return [{key: row[key] for key in row if key not in ("fetched_at", "elapsed")} for row in rows]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_same_pages_in_the_same_order_for_the_same_reasons(
    strategy: str, tmp_path: Path
) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    order = crawl(whole, strategy)
    assert len(order) == len(set(order)) > 5
    assert crawl(parts, strategy, (1, 9, 20)) == order
    assert logged(parts) == logged(whole)
    one, other = read_status(whole), read_status(parts)
    assert other.discards == one.discards
    assert (other.pages, other.relevant, other.queue, other.bytes, other.errors) == (
        one.pages, one.relevant, one.queue, one.bytes, one.errors,
    )  # fmt: skip


def test_limits_go_on_where_they_were(tmp_path: Path) -> None:
    limits = {"max_pages_per_host": 4, "max_depth": 3}
    order = crawl(tmp_path / "whole", "bfs", **limits)
    assert crawl(tmp_path / "parts", "bfs", (3, 8), **limits) == order
    assert len(order) < len(crawl(tmp_path / "free", "bfs"))


def test_what_is_drawn_by_chance_is_drawn_again(tmp_path: Path) -> None:
    order = crawl(tmp_path / "whole", "soft", sample=0.3)
    assert crawl(tmp_path / "parts", "soft", (5, 12), sample=0.3) == order
    drawn = [row["reason"] for row in logged(tmp_path / "parts") if row["reason"]]
    assert len(drawn) > 5
    assert all(reason.startswith(MARK) for reason in drawn)


def test_another_strategy_goes_on_without_what_the_first_has_learned(tmp_path: Path) -> None:
    directory = tmp_path / "c"
    config = CrawlConfig(lang="th", strategy="adaptive", connections=1, seeds=SEEDS, max_pages=20)
    with kept_crawl(directory, says, config) as found:
        found.run()
    with open_view(directory) as view:
        assert view.lookup().learned()
    update = {"strategy": "soft", "max_pages": None}
    with kept_crawl(directory, says, config.model_copy(update=update)) as found:
        found.run()
    with open_view(directory) as view:
        assert view.lookup().learned() == {}
    reachable = crawl(tmp_path / "plain", "bfs")
    assert read_status(directory).pages == len(reachable)


def test_a_run_that_was_not_committed_never_was(tmp_path: Path) -> None:
    directory, copy = tmp_path / "c", tmp_path / "copy"
    order = crawl(tmp_path / "whole", "soft")
    config = CrawlConfig(lang="th", strategy="soft", connections=1, seeds=SEEDS, max_pages=12)
    with kept_crawl(directory, says, config) as found:
        found.run()
        shutil.copytree(directory, copy)  # as a process leaves it that dies here
        before = read_status(copy)
        found.crawl.limit(found.crawl.limits.__class__(max_pages=15))
        found.run()
    assert before.pages == 12
    with kept_crawl(copy, says, config.model_copy(update={"max_pages": None})) as found:
        found.run()
        assert found.crawl.web.asked == order[12:]


def test_a_view_sees_one_moment_however_the_crawl_goes_on(tmp_path: Path) -> None:
    directory = tmp_path / "c"
    config = CrawlConfig(lang="th", strategy="bfs", connections=1, seeds=SEEDS, max_pages=5)
    with kept_crawl(directory, says, config) as found:
        found.run()
        found.frontier.commit()
        with open_view(directory) as view:
            waiting, pages = sorted(view.waiting()), len(view.taken())
            found.crawl.limit(found.crawl.limits.__class__(max_pages=20))
            found.run()
            found.frontier.commit()
            assert (sorted(view.waiting()), len(view.taken())) == (waiting, pages)
        with open_view(directory) as view:
            assert len(view.taken()) == 20
