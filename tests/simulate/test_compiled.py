"""The compiled loop against the interpreted one, with rules nobody would write by hand."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from langcrawl.errors import BadInput, StrategyFailed
from langcrawl.ports import Strategy
from langcrawl.records import Facts, Limits
from langcrawl.simulate import Plan, Result, compiled, kernel, run, simulate
from langcrawl.simulate.compiled import _machine_code, facts_read
from langcrawl.strategy import make_strategy
from webs import P, Web, graph_of, name_of, random_webs, reference


def restless(downloads: int, hits: int) -> int:
    return (downloads + hits) % 3


def by_state(facts: Facts) -> float:
    if facts.group_state == 2 and facts.run > 0:
        return -1.0
    return float((facts.group_state + facts.same_host) % 3)


def by_everything(facts: Facts) -> float:
    if facts.depth > 4:
        return -2.0
    return facts.parent_score + 0.1 * facts.host_downloads - 0.01 * facts.host_hits + facts.run


def by_what_gathers(facts: Facts) -> float:
    if facts.run > 1 and facts.anchor_score < 0.5:
        return -1.0
    return facts.path_slashes / (0.5 + facts.anchor_score + facts.parent_share) + facts.same_host


def by_gathered_state(facts: Facts) -> float:
    if facts.group_state == 2 and facts.parent_share < 0.2:
        return -1.0
    return facts.group_state + facts.parent_share + facts.anchor_score * facts.path_slashes


REASONS = ("state", "depth")
ODD = [
    Strategy("restless", by_state, "x", REASONS, lanes=3, group_state=restless),
    Strategy("restless-stack", by_state, "x", REASONS, 3, restless, last_first=True),
    Strategy("restless-heap", by_state, "x", REASONS, group_state=restless),
    Strategy("heap", by_everything, "x", REASONS),
    Strategy("heap-stack", by_everything, "x", REASONS, last_first=True),
    Strategy("false-lanes", by_everything, "x", REASONS, lanes=2),
    Strategy("many-lanes", lambda f: float(f.depth), "x", lanes=1000),
    Strategy("gathering", by_what_gathers, "x", REASONS, gathers=True),
    Strategy("gathering-groups", by_gathered_state, "x", REASONS, 0, restless,
             highest_first=True, gathers=True),
    make_strategy("correlation:wt=0.3,ws=0.6,wd=0.1"),
    make_strategy("correlation:wt=0.2,ws=0.5,wd=0.3,min=0.25"),
    make_strategy("perfect"),
]  # fmt: skip
BFS, PERFECT = make_strategy("bfs"), ODD[-1]


def same(one: Result, other: Result) -> None:
    assert one.order.tolist() == other.order.tolist()
    assert one.discards == other.discards
    assert one.max_queue == other.max_queue
    assert one.summary == other.summary


@pytest.mark.parametrize("strategy", ODD, ids=[strategy.name for strategy in ODD])
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(random_webs())
def test_both_loops_do_the_same(strategy: Strategy, drawn: tuple[Web, list[str]]) -> None:
    web, seeds = drawn
    graph = graph_of(web, seeds)
    for limits in (Limits(), Limits(max_pages=4), Limits(max_depth=2, max_pages_per_host=2)):
        for fails in (False, True):
            plan = Plan(limits=limits, unknown_fails=fails)
            same(simulate(graph, strategy, plan), simulate(graph, strategy, plan, interpreted=True))


@pytest.mark.parametrize("strategy", ODD[:-1], ids=[strategy.name for strategy in ODD[:-1]])
@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(random_webs())
def test_odd_rules_agree_with_the_plain_reading_too(
    strategy: Strategy, drawn: tuple[Web, list[str]]
) -> None:
    web, seeds = drawn
    graph = graph_of(web, seeds)
    told = reference(web, seeds, strategy)
    result = simulate(graph, strategy, Plan())
    assert [name_of(graph.urls[node]) for node in result.order] == told.order
    assert result.discards == dict(told.discards)


@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
@given(random_webs())
def test_perfect_reaches_what_bfs_reaches_with_the_fewest_pages_of_its_tree(
    drawn: tuple[Web, list[str]],
) -> None:
    web, seeds = drawn
    graph = graph_of(web, seeds)
    all_pages = simulate(graph, BFS, Plan())
    best = simulate(graph, PERFECT, Plan())
    assert best.summary.relevant == all_pages.summary.relevant
    assert set(best.order.tolist()) <= set(all_pages.order.tolist())
    taken = best.order.tolist()
    assert taken == [node for node in all_pages.order.tolist() if node in set(taken)]
    if taken:
        assert graph.relevant[taken[-1]]  # nothing is taken in vain at the end


def test_a_rule_that_numba_cannot_compile_runs_interpreted_with_one_warning() -> None:
    seen: dict[str, int] = {}

    def rank(facts: Facts) -> float:
        seen[str(facts)] = 1
        return 0.0

    graph = graph_of({"s/": P("th", ("s/1",)), "s/1": P()}, ["s/"])
    with pytest.warns(UserWarning, match="runs interpreted"):
        result = simulate(graph, Strategy("mine", rank, "x"), Plan())
    assert result.summary.pages == 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        simulate(graph, make_strategy("bfs"), Plan())


def test_a_rule_that_fails_only_later_is_named_by_both_loops() -> None:
    graph = graph_of({"s/": P("th", ("s/1",)), "s/1": P("en", ("s/2",)), "s/2": P()}, ["s/"])

    def rank(facts: Facts) -> float:
        return 1.0 / (2 - facts.depth)

    def group_state(downloads: int, hits: int) -> int:
        return 1 // (2 - downloads)

    for rule in (
        Strategy("mine", rank, "x"),
        Strategy("mine", by_state, "x", REASONS, 3, group_state),
    ):
        for interpreted in (False, True):
            with pytest.raises(StrategyFailed, match="'mine' failed"):
                simulate(graph, rule, Plan(), interpreted=interpreted)


def test_what_a_rule_reads_is_seen_from_its_bytecode() -> None:
    def helped(facts: Facts) -> float:
        return by_state(facts)

    def indexed(facts: Facts) -> float:
        return float(facts[0])

    everything = set(Facts._fields)
    assert facts_read(make_strategy("soft").rank) == {"run", "parent_relevant"}
    assert facts_read(make_strategy("bfs").rank) == set()
    assert facts_read(by_state) == {"group_state", "run", "same_host"}

    def with_more(facts: Facts) -> float:
        more = 1
        return float(max(facts, more))  # type: ignore[type-var]

    assert facts_read(helped) == facts_read(indexed) == facts_read(with_more) == everything


def test_a_stop_keeps_what_was_done_and_marks_it_partial() -> None:
    pages = {f"s/{n}": P("th", (f"s/{n + 1}",)) for n in range(30_000)}
    graph = graph_of(pages, ["s/0"])
    for interpreted in (False, True):
        asked: list[int] = []

        def stop(asked: list[int] = asked) -> bool:
            asked.append(1)
            return len(asked) > 1

        result = simulate(graph, make_strategy("bfs"), Plan(), stop=stop, interpreted=interpreted)
        assert result.partial
        assert 0 < result.summary.pages < 30_000


def test_a_graph_that_does_not_fit_is_named_before_the_start(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(run, "_memory_available", lambda: 10.0)
    with pytest.raises(BadInput, match=r"needs 0\.0 GB of memory, and 0\.0 GB are free"):
        simulate(graph_of({"s/": P()}, ["s/"]), make_strategy("bfs"), Plan())


def test_the_memory_asked_for_covers_what_is_allocated() -> None:
    web = {f"h{n % 7}/{n}": P("th", (f"h{(n + 1) % 7}/{n + 1}",)) for n in range(5000)}
    graph = graph_of(web, ["h0/0"])
    for name in ("soft", "lswc", "best-first"):
        strategy = make_strategy(name)
        memory, _ = compiled._allocate(graph, strategy, Plan(), strategy.lanes)
        lanes = memory.lanes.nbytes + memory.lane_arrivals.nbytes  # touched once a node, not filled
        touched = sum(np.asarray(array).nbytes for array in memory) - lanes
        assert compiled.memory_needed(graph, strategy, Plan()) >= touched


def test_rules_with_other_numbers_never_share_a_file_of_compiled_code() -> None:
    """Two processes that compile at the same time would mix up what they keep in one file."""
    rules = [
        made(f"limited:n={n},prioritized={first}") for n in (0, 1, 2) for first in ("true", "false")
    ]
    names = {_machine_code(rule.rank, kernel.RANK).py_func.__qualname__ for rule in rules}
    assert len(names) == len(rules)


def test_compiled_rules_are_kept_only_where_their_numbers_are_whole_and_they_are_ours() -> None:
    def users_own(facts: Facts) -> float:
        return 1.0

    assert _is_kept(made("limited:n=1").rank)
    assert _is_kept(made("bfs").rank)
    assert not _is_kept(made("correlation").rank), "its weights are endless"
    assert not _is_kept(users_own)


def made(words: str) -> Strategy:
    rule = make_strategy(words)
    assert isinstance(rule, Strategy)
    return rule


def _is_kept(rank: Callable[[Facts], float]) -> bool:
    return _machine_code(rank, kernel.RANK).stats.cache_path is not None
