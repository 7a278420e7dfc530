"""What a report says of a simulation has to be enough to repeat it."""

from __future__ import annotations

from pathlib import Path

import pytest

from langcrawl.records import Limits
from langcrawl.simulate import Plan, Source, Timing
from langcrawl.simulate.facts import facts_of
from webs import P, graph_of, url

WEB = {"a/": P("th", ("b/", "c/")), "b/": P("en")}
SOURCE = Source(Path("some/log"))


def facts(plan: Plan, source: Source = SOURCE) -> list[str]:
    return facts_of(graph_of(WEB, ["a/", "b/"]), source, plan)


def test_the_log_and_its_seeds_are_always_named() -> None:
    log, seeds = facts(Plan())
    assert log.startswith("Log: some/log (")
    assert log.endswith("2 pages and 2 links.")
    assert seeds == f"Seeds (2, those of the log): {url('a/')}, {url('b/')}."


def test_seeds_that_were_given_are_not_those_of_the_log_and_count_once() -> None:
    assert facts(Plan(seeds=(url("b/"),) * 3))[1] == f"Seeds (1): {url('b/')}."


@pytest.mark.parametrize(
    ("count", "more"), [(50, ""), (51, " and 1 more"), (2050, " and 2,000 more")]
)
def test_of_many_seeds_fifty_are_written_out(count: int, more: str) -> None:
    line = facts(Plan(seeds=tuple(url(f"h{n}/") for n in range(count))))[1]
    assert line.startswith(f"Seeds ({count:,}): ")
    assert line.count("http://") == 50
    assert line.endswith(f"http://h49/{more}.")


@pytest.mark.parametrize(
    ("plan", "sentence"),
    [
        (Plan(limits=Limits(max_pages=5000)), "Limits: max_pages 5,000."),
        (
            Plan(limits=Limits(max_depth=3, max_pages_per_host=10)),
            "Limits: max_depth 3, max_pages_per_host 10.",
        ),
        (Plan(limits=Limits(max_depth=0)), "Limits: max_depth 0."),
        (Plan(unknown_fails=True), "Links that have no page in the log fail."),
        (
            Plan(timing=Timing(0.5, 1200)),
            "Time was simulated: a delay of 0.5 s, 1,200 connections, recorded times.",
        ),
        (
            Plan(timing=Timing(2.0, 4, latency=0.25, seed=9)),
            "Time was simulated: a delay of 2 s, 4 connections, a latency of 0.25 s drawn with "
            "the random seed 9.",
        ),
    ],
)
def test_each_thing_that_was_asked_is_one_sentence(plan: Plan, sentence: str) -> None:
    assert facts(plan)[2:] == [sentence]


def test_another_judge_is_named_and_all_sentences_come_together() -> None:
    plan = Plan(limits=Limits(max_pages=7), unknown_fails=True, timing=Timing())
    lines = facts(plan, SOURCE._replace(judge="charset:from=meta"))
    assert lines[2] == "The pages were judged again by charset:from=meta."
    assert [line.split(":")[0].split()[0] for line in lines[3:]] == ["Limits", "Links", "Time"]
