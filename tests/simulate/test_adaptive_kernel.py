"""The compiled `adaptive` against the strategy itself, to the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from langcrawl.config import CrawlConfig
from langcrawl.log.graph import Graph, build_graph, load_graph
from langcrawl.measure.results import Result
from langcrawl.ports import Learned
from langcrawl.records import Limits
from langcrawl.simulate import Plan, run, simulate
from langcrawl.simulate.adaptive.run import simulate_adaptive
from langcrawl.simulate.plan import find_seeds
from langcrawl.simulate.timing import Timing
from langcrawl.strategy import make_strategy
from langcrawl.strategy.learned.adaptive import Adaptive
from langcrawl.strategy.learned.misses import UNNAMED
from langcrawl.strategy.learned.places import Directory, File
from langcrawl.strategy.learned.prior import prior_of
from langcrawl.strategy.learned.start import SIGNALS
from webs import P, tables_of, url

HOSTS = ("a.example", "th.b.example", "c.example.th", "ja.d.example", "e.example", "f.example")
FOLDERS = ("", "th/", "th-TH/news/", "ja/", "manual/th/a/b/c/d/e/", "list/", "x/y/")
FILES = ("{}.html", "{}.th.html", "{}.ja.html", "?page={}", "page.php?lang=th&n={}", "{}/a?b=/c")
ANCHORS = ("", "ภาษาไทย", "ข่าววันนี้", "日本語", "read more", "news " * 30, "café", "next", "12")
TONGUES = ("th", "th", "ja", "en", "und")


def wild_web(seed: int, pages: int = 400, tongues: Sequence[str] = TONGUES) -> Graph:
    """A web in which every clue of the strategy occurs: names, anchors, redirects, failures."""
    chance = Random(seed)
    names = ["a.example/"]
    for number in range(pages):
        file = chance.choice(FILES).format(number)
        names.append(f"{chance.choice(HOSTS)}/{chance.choice(FOLDERS)}{file}")
    web = {}
    for name in names:
        tongue = "th" if "th" in name and chance.random() < 0.6 else chance.choice(tongues)
        links = chance.sample(names, chance.randint(0, 12))
        if chance.random() < 0.1:
            links.append(f"{name}-is-not-there")
        web[name] = P(tongue, tuple(links), status=200 if chance.random() < 0.9 else 404)
        if chance.random() < 0.1:
            web[name] = P("und", (), 301, chance.choice(names))
    web["a.example/"] = P(tongues[-1], tuple(chance.sample(names, 30)))
    tables = tables_of(web)
    links = tables["links"]
    for column, texts in (
        ("anchor", ANCHORS), ("hreflang", ("", "", "th", "ja")), ("tag_path", ("", "ul/li", "p")),
    ):  # fmt: skip
        at = links.schema.get_field_index(column)
        values = pa.array([chance.choice(texts) for _ in range(len(links))], pa.string())
        links = links.set_column(at, links.schema.field(at), values.cast(links.schema.types[at]))
    config = CrawlConfig(lang="th", seeds=(url("a.example"), url(names[5])))
    return build_graph(config, {**tables, "links": links})


def compiled(graph: Graph, learner: Adaptive, plan: Plan | None = None) -> Result:
    plan = plan or Plan()
    seeds = find_seeds(graph, plan)
    return simulate_adaptive(graph, learner, plan, seeds, lambda *said: None, lambda: False)


def interpreted(graph: Graph, learner: Adaptive, plan: Plan | None = None) -> Result:
    strategy = Learned(learner.name, lambda _: learner)
    return simulate(graph, strategy, plan or Plan(), interpreted=True)


def same(one: Result, other: Result) -> None:
    assert one.order.tolist() == other.order.tolist()
    assert one.discards == other.discards
    assert one.max_queue == other.max_queue
    assert one.summary == other.summary


@pytest.mark.parametrize("seed", range(8))
def test_both_take_the_same_pages_and_learn_the_same(seed: int) -> None:
    graph = wild_web(seed)
    one, other = Adaptive("th"), Adaptive("th")
    found = compiled(graph, one)
    same(found, interpreted(graph, other))
    assert len(found.order) > 100
    assert prior_of(one, "th") == prior_of(other, "th")


class _AsksAnew(Adaptive):
    """Looks at a place anew each time."""

    def _place_now(self, directory: Directory, file: File) -> Any:
        return self._place(directory, file)


@pytest.mark.parametrize("seed", [61, 62])
@pytest.mark.parametrize("timing", [None, Timing(delay=0.1, connections=4)])
def test_what_is_kept_of_places_is_what_would_be_found_anew(
    seed: int, timing: Timing | None
) -> None:
    graph, plan = wild_web(seed), Plan(timing=timing)
    one = interpreted(graph, Adaptive("th"), plan)
    same(one, interpreted(graph, _AsksAnew("th"), plan))
    assert len(one.order) > 100


def test_a_judge_that_names_no_other_language_is_the_same_to_both() -> None:
    graph = wild_web(51, tongues=("th", "und", "und"))
    one, other = Adaptive("th"), Adaptive("th")
    same(compiled(graph, one), interpreted(graph, other))
    assert one.misses.unnamed == other.misses.unnamed > UNNAMED
    assert prior_of(one, "th") == prior_of(other, "th")


@pytest.mark.parametrize("seed", [53, 54])
def test_a_topic_is_the_same_to_both(seed: int) -> None:
    """Most pages are in the language that is looked for, and few of them are relevant."""
    graph = wild_web(seed, tongues=("th", "th", "th", "ja"))
    topic = [int(at % 5 == 0) for at in range(graph.pages)]
    graph.relevant[:] = graph.relevant * np.array(topic, np.uint8)
    one, other = Adaptive("th"), Adaptive("th")
    same(compiled(graph, one), interpreted(graph, other))
    assert one.misses.own == other.misses.own > 20
    assert one.misses.trust == other.misses.trust < 0.5
    assert prior_of(one, "th") == prior_of(other, "th")


def test_several_targets_are_the_same_to_both() -> None:
    graph = wild_web(52)
    one = compiled(graph, Adaptive("ja,th"))
    same(one, interpreted(graph, Adaptive("ja,th")))
    assert one.order.tolist() != compiled(graph, Adaptive("th")).order.tolist()


@pytest.mark.parametrize("signal", SIGNALS)
def test_both_do_the_same_without_a_signal(signal: str) -> None:
    graph = wild_web(11)
    plan = Plan(limits=Limits(max_pages=150))
    one = compiled(graph, Adaptive("th", without=signal), plan)
    same(one, interpreted(graph, Adaptive("th", without=signal), plan))
    assert len(one.order) == 150


def test_both_start_from_the_same_prior(tmp_path: Path) -> None:
    earlier = Adaptive("th")
    compiled(wild_web(21), earlier)
    path = tmp_path / "prior.json"
    prior_of(earlier, "th").write(path)
    graph = wild_web(22)
    one = compiled(graph, Adaptive("th", prior=str(path)))
    same(one, interpreted(graph, Adaptive("th", prior=str(path))))
    assert one.order.tolist() != compiled(graph, Adaptive("th")).order.tolist()


def test_a_web_without_some_hosts_is_the_same_to_both() -> None:
    whole = wild_web(31)
    gone = pa.compute.is_in(whole.hosts, pa.array(["e.example"])).to_numpy(zero_copy_only=False)
    graph = whole.without_hosts(gone)
    same(compiled(graph, Adaptive("th")), interpreted(graph, Adaptive("th")))


def test_a_large_simulation_is_compiled_and_a_sampled_one_is_not(
    small_crawl: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph, strategy = load_graph(small_crawl), make_strategy("adaptive")
    slow = simulate(graph, strategy, Plan(), interpreted=True)
    monkeypatch.setattr(run, "simulate_interpreted", None)
    monkeypatch.setattr(run, "_WORTH_COMPILING", 100)
    same(simulate(graph, strategy, Plan()), slow)
    for plan in (Plan(sample=0.1), Plan(limits=Limits(max_depth=3)), Plan(unknown_fails=True)):
        with pytest.raises(TypeError):  # the interpreted loop is asked for
            simulate(graph, strategy, plan)


def test_it_can_be_stopped_and_says_how_far_it_is() -> None:
    graph, told = wild_web(41), list[int]()
    plan = Plan()
    result = simulate_adaptive(
        graph, Adaptive("th"), plan, find_seeds(graph, plan),
        lambda pages, *rest: told.append(pages), lambda: bool(told),
    )  # fmt: skip
    assert told == [len(result.order)]
    stopped = simulate_adaptive(
        graph, Adaptive("th"), plan, replace(find_seeds(graph, plan), lost=2),
        lambda *said: None, lambda: True,
    )  # fmt: skip
    assert stopped.partial
    assert not len(stopped.order)
    assert stopped.discards == {"not-in-log": 2}
