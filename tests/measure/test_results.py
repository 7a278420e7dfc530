"""The records of simulations and searches, and the JSON that they become."""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError, replace

import pytest
from tests.webs import P, graph_of

from langcrawl.measure.results import Result, Trial, Tuned
from langcrawl.simulate import Plan, Timing, simulate
from langcrawl.strategy import make_strategy

WEB = {"s/": P("th", ("s/1", "gone/")), "s/1": P("en", ("s/2",)), "s/2": P("th")}
TRIED = Trial("lswc:s=1", 0.5, 10, 0.25)


def run(timing: Timing | None = None) -> Result:
    return simulate(graph_of(WEB, ["s/"]), make_strategy("bfs"), Plan(points=2, timing=timing))


def test_the_json_of_a_strategy_has_the_keys_that_are_promised_in_their_order() -> None:
    document = replace(run(), seconds=0.5).as_json()
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    assert list(document) == [
        "name", "pages", "relevant", "harvest", "coverage", "max_queue", "discards", "pages_to",
        "auc", "seconds", "partial", "curve",
    ]  # fmt: skip
    assert document["discards"] == {"not-in-log": 1}
    assert document["pages_to"] == {"0.5": 1, "0.8": 3, "0.9": 3, "0.99": 3}
    assert document["curve"] == [
        {"pages": 2, "harvest": 0.5, "coverage": 0.5, "queue": 1},
        {"pages": 3, "harvest": 2 / 3, "coverage": 1.0, "queue": 0},
    ]


def test_time_is_in_the_json_where_it_passed() -> None:
    document = run(Timing(delay=1.0, connections=2)).as_json()
    assert list(document)[-2:] == ["time", "curve"]
    time = document["time"]
    assert json.loads(json.dumps(time, allow_nan=False)) == time
    assert list(time) == [
        "seconds", "seconds_to", "idle", "pages_per_second", "delay", "connections", "hours",
        "without_delay", "slowed_by_delay",
    ]  # fmt: skip
    assert time["seconds"] == 3 * 0.25 + 2 * 1.0
    assert time["without_delay"] == {
        "seconds": 0.75,
        "seconds_to": {"0.5": 0.25, "0.8": 0.75, "0.9": 0.75, "0.99": 0.75},
        "idle": 0.5,
        "pages_per_second": 4.0,
        "pages": 3,
        "coverage": 1.0,
        "partial": False,
    }
    assert time["slowed_by_delay"] == 2.75 / 0.75
    (hour,) = time["hours"]
    assert list(hour) == [
        "hour", "pages", "relevant", "mb", "relevant_mb", "accuracy", "relevant_mb_per_hour",
    ]  # fmt: skip
    assert (hour["hour"], hour["pages"], hour["relevant"]) == (1, 3, 2)
    assert hour["mb"] == pytest.approx(0.0003)


def test_without_a_delay_there_is_nothing_to_compare_with() -> None:
    time = run(Timing(delay=0.0, connections=2)).as_json()["time"]
    assert "without_delay" not in time
    assert "slowed_by_delay" not in time


def test_a_run_that_was_stopped_does_not_say_what_the_delay_cost() -> None:
    calls = iter(range(100))
    plan = Plan(timing=Timing(delay=1.0, connections=1))
    stopped = simulate(
        graph_of(WEB, ["s/"]), make_strategy("bfs"), plan, stop=lambda: next(calls) > 1
    )
    assert stopped.partial
    assert stopped.time is not None
    assert (stopped.time.without_delay, stopped.time.slowed_by_delay) == (None, None)


def test_the_json_of_a_search() -> None:
    tuned = Tuned(
        log="web", strategy="lswc", measure="auc", held_out=0.3,
        trials=(TRIED, replace(TRIED, name="lswc:s=2", score=0.25)),
        checked=(replace(TRIED, score=0.125), replace(TRIED, name="lswc", score=0.1)),
        given="lswc", complete=False,
    )  # fmt: skip
    assert tuned.as_json() == {
        "log": "web", "strategy": "lswc", "measure": "auc", "held_out": 0.3, "best": "lswc:s=1",
        "given": "lswc", "given_held_out": 0.1, "partial": True,
        "tried": [
            {"name": "lswc:s=1", "score": 0.5, "held_out": 0.125, "pages": 10, "seconds": 0.25},
            {"name": "lswc:s=2", "score": 0.25, "held_out": None, "pages": 10, "seconds": 0.25},
        ],
    }  # fmt: skip
    nothing = replace(tuned, trials=(), checked=()).as_json()
    assert (nothing["best"], nothing["given_held_out"], nothing["tried"]) == (None, None, [])


def test_records_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        TRIED.score = 1.0  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        run().name = "other"  # type: ignore[misc]
