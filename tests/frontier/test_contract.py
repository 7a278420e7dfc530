"""What every frontier promises; each back end runs the same suite."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from langcrawl.frontier.memory import MemoryFrontier
from langcrawl.frontier.sqlite import SqliteFrontier
from langcrawl.ports import Frontier, not_waiting
from langcrawl.records import Facts, Visit
from langcrawl.url import host_of

FACTS = Facts(0, 0, 1, 0, 1.0, 0, 0, 0, 0)
Make = Callable[..., Frontier]


@pytest.fixture(params=["memory", "sqlite"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Make]:
    opened: list[SqliteFrontier] = []
    numbers = count()

    def make_sqlite(last_first: bool = False) -> SqliteFrontier:
        opened.append(SqliteFrontier(tmp_path / f"{next(numbers)}.db", last_first))
        return opened[-1]

    yield MemoryFrontier if request.param == "memory" else make_sqlite
    for frontier in opened:
        frontier.close()


def visit(name: str, priority: float = 0.0, depth: int = 0) -> Visit:
    url = f"http://{name}"
    return Visit(url, host_of(url), FACTS._replace(depth=depth), priority, "")


def drain(frontier: Frontier, ready: Callable[[str], bool] = lambda host: True) -> list[str]:
    taken = []
    while found := frontier.take(ready, overtake=True):
        taken.append(found.url.removeprefix("http://"))
    return taken


def test_lowest_priority_first_then_first_come(make: Make) -> None:
    frontier = make()
    for name, priority in [("a/1", 1.0), ("a/2", 0.0), ("b/1", 1.0), ("b/2", 0.5), ("c/1", 0.0)]:
        frontier.put(visit(name, priority))
    assert len(frontier) == 5
    assert drain(frontier) == ["a/2", "c/1", "b/2", "a/1", "b/1"]
    assert len(frontier) == 0


def test_last_come_first_served_where_asked(make: Make) -> None:
    frontier = make(last_first=True)
    for name in ("a/1", "a/2", "a/3"):
        frontier.put(visit(name))
    assert drain(frontier) == ["a/3", "a/2", "a/1"]


def test_a_new_priority_moves_to_the_end_of_its_lane_and_the_same_one_stays(make: Make) -> None:
    frontier = make()
    for name in ("a/1", "a/2", "a/3"):
        frontier.put(visit(name, 1.0))
    frontier.put(visit("a/0", 0.0))
    frontier.put(visit("a/3", 0.0))
    frontier.put(visit("a/1", 1.0, depth=7))
    ((_, priority, _, depth, _, _),) = frontier.lookup(["http://a/1"])
    assert (priority, depth) == (1.0, 7)
    assert len(frontier) == 4
    assert drain(frontier) == ["a/0", "a/3", "a/1", "a/2"]


def test_a_better_path_changes_the_facts_of_a_waiting_url_and_not_its_place(make: Make) -> None:
    frontier = make()
    for name in ("a/1", "a/2"):
        frontier.put(visit(name, 1.0, depth=7))
    better = ("http://a/1", 1.0, 2, 3, 0.5, 0.25)
    frontier.revise(better)
    assert list(frontier.lookup(["http://a/1"])) == [better]
    first, second = frontier.of_host("a")
    assert first.facts == second.facts._replace(run=2, depth=3, anchor_score=0.5, parent_share=0.25)
    assert drain(frontier) == ["a/1", "a/2"]


def test_taken_is_for_good_and_dropped_is_forgotten(make: Make) -> None:
    frontier = make()
    frontier.put(visit("a/1"))
    frontier.put(visit("a/2"))
    frontier.drop("http://a/2")
    assert drain(frontier) == ["a/1"]
    assert frontier.lookup(["http://a/1", "http://a/2"]) == [not_waiting("http://a/2")]
    frontier.put(visit("a/2"))
    assert drain(frontier) == ["a/2"]


def test_the_urls_of_a_host_come_in_the_order_first_queued(make: Make) -> None:
    frontier = make()
    for name in ("a/1", "b/1", "a/2", "a/3"):
        frontier.put(visit(name, 1.0))
    frontier.put(visit("a/1", 0.0))
    frontier.drop("http://a/2")
    frontier.put(visit("a/2", 0.0))
    assert [v.url for v in frontier.of_host("a")] == ["http://a/1", "http://a/3", "http://a/2"]
    assert frontier.of_host("nowhere") == []


def test_without_overtaking_the_head_of_the_queue_is_waited_for(make: Make) -> None:
    frontier = make()
    frontier.put(visit("busy/1"))
    frontier.put(visit("free/1"))
    assert frontier.take(lambda host: host != "busy", overtake=False) is None
    first = frontier.take(lambda host: True, overtake=False)
    assert first is not None
    assert first.url == "http://busy/1"


def test_with_overtaking_parked_urls_come_back_when_their_host_wakes(make: Make) -> None:
    frontier = make()
    for name, priority in [("busy/1", 0.0), ("busy/2", 1.0), ("busy/3", 0.5), ("free/1", 2.0)]:
        frontier.put(visit(name, priority))
    assert drain(frontier, lambda host: host != "busy") == ["free/1"]
    assert len(frontier) == 3
    asked: list[str] = []
    while len(frontier):
        frontier.wake(["busy"])
        found = frontier.take(lambda host: True, overtake=True)
        assert found is not None
        asked.append(found.url)
    assert asked == ["http://busy/1", "http://busy/3", "http://busy/2"]


def test_a_host_is_not_lost_when_its_parked_head_is_dropped_or_moved(make: Make) -> None:
    frontier = make()
    for number in range(4):
        frontier.put(visit(f"busy/{number}", float(number)))
    assert drain(frontier, lambda host: False) == []
    frontier.wake(["busy"])
    frontier.drop("http://busy/0")
    frontier.put(visit("busy/3", 0.0))
    asked = []
    while len(frontier):
        found = frontier.take(lambda host: True, overtake=True)
        assert found is not None
        asked.append(found.url.removeprefix("http://"))
        frontier.wake(["busy"])
    assert asked == ["busy/3", "busy/1", "busy/2"]


@pytest.mark.parametrize("overtake", [False, True])
def test_a_url_that_is_reconsidered_waits_on_and_the_next_is_looked_at(
    make: Make, overtake: bool
) -> None:
    frontier = make()
    for name, priority in [("a/1", 0.0), ("a/2", 1.0), ("b/1", 2.0), ("b/2", 4.0)]:
        frontier.put(visit(name, priority))
    now = {"http://a/1": 3.0, "http://a/2": 0.5, "http://b/1": 5.0}
    asked, taken = [], []

    def reconsider(found: Visit) -> float:
        asked.append(found.url)
        return now.get(found.url, found.priority)

    while found := frontier.take(lambda host: True, overtake, reconsider):
        taken.append((found.url.removeprefix("http://"), found.priority))
    assert taken == [("a/2", 1.0), ("a/1", 3.0), ("b/2", 4.0), ("b/1", 5.0)]
    assert [url[-3:] for url in asked] == ["a/1", "a/2", "b/1", "a/1", "b/2", "b/1"]
    assert len(frontier) == 0


def test_a_url_is_taken_by_name_whatever_comes_before_it(make: Make) -> None:
    frontier = make()
    for name in ("a/1", "a/2", "b/1"):
        frontier.put(visit(name))
    found = frontier.take_url("http://a/2")
    assert found is not None
    assert found.url == "http://a/2"
    assert len(frontier) == 2
    assert frontier.take_url("http://a/2") is None
    assert frontier.take_url("http://c/1") is None
    frontier.put_back(found)
    assert len(frontier) == 3
    again = frontier.take_url("http://a/1")
    assert again is not None
    frontier.finish(again.url)
    assert drain(frontier) == ["a/2", "b/1"]


def test_every_waiting_url_has_a_place_of_its_own(make: Make) -> None:
    frontier = make()
    names = [f"{host}/{number}" for host in "abc" for number in range(4)]
    for name in names:
        frontier.put(visit(name))
    for name in names[::3]:
        assert frontier.take_url(f"http://{name}") is not None
    places = [frontier.waiting_at((at + 0.5) / 1200) for at in range(1200)]
    wanted = {f"http://{name}" for name in names} - {f"http://{name}" for name in names[::3]}
    assert {url for url in places if url} == wanted
    assert {places.count(url) for url in wanted} == {100}
