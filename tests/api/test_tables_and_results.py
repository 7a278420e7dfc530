"""The Python interface on small logs: tables against the log itself, results, and mistakes."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import get_args, get_type_hints

import pytest
from hypothesis import HealthCheck, given, settings

import langcrawl
from langcrawl import api
from langcrawl.api.crawling import CrawlKeys, _as_options
from langcrawl.api.simulating import _strategy
from langcrawl.api.tables import CrawlLog
from langcrawl.config import CrawlConfig
from langcrawl.errors import BadInput, BadValue, NoSuchLog, UnknownName, UsageError
from langcrawl.ports import Strategy
from langcrawl.url import domain_of
from webs import P, Web, random_webs, reference, url, write_web

WEB: Web = {
    "www.a.co.th/": P("th", ("www.a.co.th/1", "b.com/", "gone.org/")),
    "www.a.co.th/1": P("th", ("b.com/",), score=0.75),
    "b.com/": P("en", ("www.a.co.th/1", "c.jp/")),
    "b.com/old": P("und", status=301, redirect="b.com/"),
    "c.jp/": P("ja", status=404),
}


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> CrawlLog:
    return langcrawl.open_log(
        write_web(tmp_path_factory.mktemp("api") / "web", WEB, ["www.a.co.th/", "b.com/old"])
    )


def test_pages_are_rows_with_urls(log: CrawlLog) -> None:
    rows = log.pages(["url", "host", "status", "language", "relevant", "redirect"]).to_pylist()
    assert [row["url"] for row in rows] == [url(name) for name in WEB]
    assert [row["host"] for row in rows] == [name.split("/")[0] for name in WEB]
    assert [row["status"] for row in rows] == [page.status for page in WEB.values()]
    assert [row["relevant"] for row in rows] == [True, True, False, False, False]
    assert [row["redirect"] for row in rows] == [None, None, None, "http://b.com/", None]


def test_links_are_rows_with_urls_in_document_order(log: CrawlLog) -> None:
    rows = log.links(["src", "dst", "position", "src_host", "dst_host"]).to_pylist()
    assert [(row["src"], row["dst"], row["position"]) for row in rows] == [
        (url(name), url(target), at)
        for name, page in WEB.items() for at, target in enumerate(page.links)
    ]  # fmt: skip
    assert rows[2]["dst_host"] == "gone.org"  # a link to what was never downloaded


def test_hosts_are_what_counting_pages_gives(log: CrawlLog) -> None:
    rows = log.hosts().to_pylist()
    assert [row["host"] for row in rows] == ["www.a.co.th", "b.com", "c.jp", "gone.org"]
    pages = Counter(name.split("/")[0] for name in WEB)
    for row in rows:
        assert row["domain"] == domain_of(row["host"])
        assert row["pages"] == pages[row["host"]]
        assert row["bytes"] == 100 * pages[row["host"]]
    assert [(row["ok"], row["relevant"], row["urls"]) for row in rows] == [
        (2, 2, 2), (1, 0, 2), (0, 0, 1), (0, 0, 1),
    ]  # fmt: skip


@settings(max_examples=6, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(drawn=random_webs())
def test_tables_of_any_web_agree_with_it(
    drawn: tuple[Web, list[str]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    web, seeds = drawn
    log = langcrawl.open_log(write_web(tmp_path_factory.mktemp("any"), web, seeds))
    assert log.pages(["url"])["url"].to_pylist() == [url(name) for name in web]
    parts = [batch.num_rows for batch in log.link_batches(["src"])]
    assert sum(parts) == log.links().num_rows == sum(len(page.links) for page in web.values())
    hosts = {row["host"]: row for row in log.hosts().to_pylist()}
    assert sum(row["pages"] for row in hosts.values()) == len(web)
    ranks = [(-row["relevant"], -row["pages"], row["host"]) for row in hosts.values()]
    assert ranks == sorted(ranks)


def test_columns_come_in_the_order_asked_for_and_each_once(log: CrawlLog) -> None:
    assert log.pages(["status", "url"]).column_names == ["status", "url"]
    assert log.links(["dst_id", "src_id", "dst"]).column_names == ["dst_id", "src_id", "dst"]
    assert log.pages([]).column_names == []
    assert "id" not in log.pages().column_names
    assert {"src", "dst", "anchor"} <= set(log.links().column_names)


@pytest.mark.parametrize(
    ("columns", "error", "says"),
    [
        ("url", BadValue, "columns must be a list of names"),
        (["urll"], UnknownName, "did you mean 'url'"),
        (["src"], UnknownName, "there is no column of pages 'src'"),
    ],
)
def test_wrong_columns_are_named_before_anything_is_read(
    log: CrawlLog, columns: list[str], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        log.pages(columns)
    with pytest.raises(error, match=says):
        log.page_batches(columns)


def test_a_log_without_pages_has_tables_without_rows(tmp_path: Path) -> None:
    log = langcrawl.open_log(write_web(tmp_path, {}, ["a.th/"]))
    assert (log.pages().num_rows, log.links().num_rows, log.hosts().num_rows) == (0, 0, 0)
    assert log.pages(["url", "status"]).schema == log.pages(["url", "status"]).slice(0, 0).schema
    assert str(log) == f"CrawlLog({str(tmp_path)!r}, lang='th')"


def test_what_is_no_log_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(BadInput, match="is a file; give the directory of a crawl"):
        langcrawl.open_log(tmp_path / "file")
    with pytest.raises(NoSuchLog, match="there is no directory"):
        langcrawl.open_log(str(tmp_path / "absent"))
    with pytest.raises(NoSuchLog, match=r"has no crawl\.toml"):
        langcrawl.open_log(tmp_path)


def test_a_simulation_takes_the_pages_that_the_plain_reading_takes(log: CrawlLog) -> None:
    from langcrawl.strategy import make_rule

    found = langcrawl.simulate(log, ["bfs", "soft", "hard"], interpreted=True, points=3)
    assert (len(found), found.lang, found.relevant_total) == (3, "th", 2)
    for name in ("bfs", "soft", "hard"):
        told = reference(WEB, ["www.a.co.th/", "b.com/old"], make_rule(name))
        assert found.urls(name) == [url(each) for each in told.order]
        assert found[name].pages == len(told.order)
    assert [result.name for result in found] == ["bfs", "soft", "hard"]
    rows = found.table().to_pylist()
    assert [row["relevant"] for row in rows] == [2, 2, 2]
    assert set(rows[0]) >= {"strategy", "pages", "harvest", "coverage", "auc", "pages_to_90"}
    assert found.curves().num_rows == sum(len(result.curve) for result in found)


def test_limits_seeds_and_language_of_a_simulation(log: CrawlLog) -> None:
    def pages(**more: object) -> int:
        return langcrawl.simulate(log, "bfs", interpreted=True, **more)["bfs"].pages  # type: ignore[arg-type]

    assert pages(max_pages=2) == 2
    assert pages(seeds="http://c.jp/") == 1
    assert pages(seeds=["http://c.jp/", "http://b.com/old"]) == 4
    assert pages(max_depth=0) == 2 + 1  # a redirect is no step
    assert pages(unknown="fail") == pages() + 1
    assert langcrawl.simulate(log, "bfs", lang="English", interpreted=True).relevant_total == 1


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({"strategies": []}, BadValue, "there is no strategy to simulate"),
        ({"strategies": "sofft"}, UnknownName, "did you mean 'soft'"),
        ({"strategies": "bfs", "unknown": "ask"}, UsageError, "drop or fail, not 'ask'"),
        ({"strategies": "bfs", "lang": "klingon"}, UnknownName, "there is no language 'klingon'"),
        ({"strategies": [3]}, BadValue, "'int' is no strategy"),
        ({"strategies": dict}, BadValue, "'dict' is no strategy"),
    ],
)
def test_what_cannot_be_simulated_is_said(
    log: CrawlLog, arguments: dict[str, object], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        langcrawl.simulate(log, **arguments)  # type: ignore[arg-type]


def test_a_result_is_found_by_name_or_place_and_another_is_named(log: CrawlLog) -> None:
    found = langcrawl.simulate(log, ["bfs", "soft"], interpreted=True)
    assert found[1] is found["soft"]
    with pytest.raises(UnknownName, match="no strategy in this simulation 'sof'; did you mean"):
        found["sof"]
    with pytest.raises(UnknownName, match="there is no panel 'depth'"):
        found.chart("depth")
    with pytest.raises(BadValue, match="as_ must be 'arrow' or 'pandas', not 'numpy'"):
        found.curves(as_="numpy")  # type: ignore[call-overload]


def test_a_strategy_and_what_makes_one_are_both_taken() -> None:
    rule = Strategy("mine", lambda facts: 0.0, "all", lanes=1)
    assert _strategy(rule) is rule
    assert _strategy("soft") == "soft"
    assert _strategy(lambda: rule) is rule


@pytest.mark.parametrize("path", ["x.gif", "x", "x.txt"])
def test_a_figure_of_another_kind_is_refused_and_not_written(
    log: CrawlLog, tmp_path: Path, path: str
) -> None:
    found = langcrawl.simulate(log, "bfs", interpreted=True)
    with pytest.raises(UsageError, match="--plot writes"):
        found.save(tmp_path / path)
    assert list(tmp_path.iterdir()) == []
    found.save(tmp_path / "x.csv")
    lines = (tmp_path / "x.csv").read_text().splitlines()
    assert lines[0] == "strategy,pages,harvest,coverage,queue"
    assert len(lines) == 1 + found["bfs"].pages


def test_keys_of_a_crawl_are_those_of_its_config_with_the_same_choices() -> None:
    hints, fields = get_type_hints(CrawlKeys), CrawlConfig.model_fields
    for key in ("store", "normalize", "types"):
        assert set(get_args(hints[key])) == set(get_args(fields[key].annotation)), key
    assert _as_options({"seeds": "http://a.th/", "max_pages": None}) == {
        "seeds": ["http://a.th/"], "max_pages": None,
    }  # fmt: skip
    assert _as_options({"block_hosts": Path("x")}) == {"block_hosts": [Path("x")]}
    with pytest.raises(UnknownName, match="there is no key 'langs'; did you mean 'lang'"):
        _as_options({"langs": "th"})


@pytest.mark.parametrize(
    ("keys", "says"),
    [
        ({"lang": "th"}, "a new crawl needs --seeds"),
        ({"seeds": "http://a.th/"}, "a new crawl needs --lang"),
        ({"lang": "klingon", "seeds": "http://a.th/"}, "there is no language 'klingon'"),
        ({"lang": "th", "seeds": "http://a.th/", "delay": -1.0}, "delay"),
        ({"lang": "th", "seeds": "http://a.th/", "store": "some"}, "store"),
    ],
)
def test_a_crawl_that_cannot_begin_is_refused_and_leaves_nothing(
    tmp_path: Path, keys: dict[str, object], says: str
) -> None:
    with pytest.raises((UsageError, BadInput), match=says):
        langcrawl.crawl(tmp_path / "new", **keys)  # type: ignore[arg-type]
    assert not (tmp_path / "new").exists()


def test_the_interface_is_four_functions() -> None:
    assert {langcrawl.crawl, langcrawl.simulate, langcrawl.identify, langcrawl.open_log} == {
        api.crawl, api.simulate, api.identify, api.open_log,
    }  # fmt: skip
