"""More of what every frontier promises: groups, places, evidence, hosts that are left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from random import Random

import pytest

from langcrawl.frontier.memory import MemoryFrontier
from langcrawl.frontier.sqlite import SqliteFrontier
from langcrawl.ports import Frontier, QueueState, not_waiting
from langcrawl.records import Facts, Visit
from langcrawl.url import host_of, segment_of

FACTS = Facts(0, 0, 1, 0, 1.0, 0, 0, 0, 0)
Make = Callable[..., Frontier]


def by_segment(url: str, host: str) -> str:
    return segment_of(url)


@pytest.fixture(params=["memory", "sqlite"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Make]:
    opened: list[SqliteFrontier] = []
    numbers = count()

    def make_sqlite(last_first: bool = False, grouped: bool = False) -> SqliteFrontier:
        more = (by_segment, "segments") if grouped else ()
        opened.append(SqliteFrontier(tmp_path / f"{next(numbers)}.db", last_first, *more))
        return opened[-1]

    def make_memory(last_first: bool = False, grouped: bool = False) -> MemoryFrontier:
        return MemoryFrontier(last_first, by_segment if grouped else None)

    yield make_memory if request.param == "memory" else make_sqlite
    for frontier in opened:
        frontier.close()


def visit(name: str, priority: float = 0.0, **more: object) -> Visit:
    url = f"http://{name}"
    return Visit(url, host_of(url), FACTS, priority, "")._replace(**more)  # type: ignore[arg-type]


def fill(frontier: Frontier, *names: str, priority: float = 0.0) -> Frontier:
    for name in names:
        frontier.put(visit(name, priority))
    return frontier


def of_group(frontier: Frontier, group: str) -> list[Visit]:
    return dict(frontier.of_groups([group])).get(group, [])


def names(visits: list[Visit]) -> list[str]:
    return [each.url.removeprefix("http://") for each in visits]


def drain(frontier: Frontier, ready: Callable[[str], bool] = lambda host: True) -> list[str]:
    taken = []
    while found := frontier.take(ready, overtake=True):
        taken.append(found)
    return names(taken)


def test_a_group_is_what_the_ranker_names_whatever_the_host(make: Make) -> None:
    frontier = fill(make(grouped=True), "a/x/1", "a/y/1", "a/x/2", "b/x/1", "a/x/3")
    assert names(of_group(frontier, "a/x/")) == ["a/x/1", "a/x/2", "a/x/3"]
    assert names(frontier.of_host("a")) == ["a/x/1", "a/y/1", "a/x/2", "a/x/3"]
    assert of_group(frontier, "a") == []
    frontier.drop("http://a/x/2")
    frontier.put(visit("a/x/1", 5.0))
    assert names(of_group(frontier, "a/x/")) == ["a/x/1", "a/x/3"], "moved, and still the first"
    frontier.put(visit("a/x/2"))
    assert names(of_group(frontier, "a/x/")) == ["a/x/1", "a/x/3", "a/x/2"]


def test_what_was_taken_from_a_group_comes_back_as_its_first(make: Make) -> None:
    frontier = fill(make(grouped=True), "a/x/1", "a/x/2", "a/x/3")
    taken = frontier.take_url("http://a/x/2")
    assert taken is not None
    assert names(of_group(frontier, "a/x/")) == ["a/x/1", "a/x/3"]
    frontier.put_back(taken)
    assert set(names(of_group(frontier, "a/x/"))) == {"a/x/1", "a/x/2", "a/x/3"}
    assert drain(frontier) == ["a/x/1", "a/x/2", "a/x/3"], "in the place where it was"


def test_groups_come_in_the_order_asked_for_without_those_that_have_nothing(make: Make) -> None:
    frontier = fill(make(grouped=True), "a/x/1", "b/y/1", "a/y/1", "a/x/2")
    found = []
    for group, waiting in frontier.of_groups(["a/z/", "a/y/", "a/x/", "a/y/", "b/y/"]):
        found.append((group, names(waiting)))
        for each in waiting:
            frontier.put(each._replace(priority=3.0))
    assert found == [("a/y/", ["a/y/1"]), ("a/x/", ["a/x/1", "a/x/2"]), ("b/y/", ["b/y/1"])]
    assert drain(frontier) == ["a/y/1", "a/x/1", "a/x/2", "b/y/1"]
    assert list(frontier.of_groups(["a/x/"])) == list(frontier.of_groups([])) == []


def test_without_groups_a_group_is_a_host(make: Make) -> None:
    frontier = fill(make(), "a/1", "b/1", "a/2")
    assert names(of_group(frontier, "a")) == names(frontier.of_host("a")) == ["a/1", "a/2"]


def test_evidence_stays_with_a_url_while_it_waits_and_not_longer(make: Make) -> None:
    frontier = make()
    frontier.put(visit("a/1", evidence="one"))
    frontier.put(visit("a/2"))
    urls = ["http://a/1", "http://a/2", "http://a/3"]
    assert list(frontier.evidence(urls)) == ["one", "", ""]
    state = frontier.lookup(["http://a/1"])[0]
    frontier.revise(state, "two")
    frontier.revise(state)
    assert list(frontier.evidence(urls)) == ["two", "", ""]
    assert drain(frontier) == ["a/1", "a/2"]
    assert list(frontier.evidence(urls)) == ["", "", ""]


def test_a_visit_comes_back_with_all_that_it_had(make: Make) -> None:
    frontier = make()
    facts = Facts(2, 5, 0, 1, 0.75, 1, 9, 4, 2, 0.5, 0.25, 3)
    frontier.lookup(["http://p/"])  # a parent is met before its links are
    given = Visit(
        "http://a/1", "a", facts, 0.125, "http://p/", "redirect", 3, 2, "because", "evidence"
    )
    frontier.put(given)
    assert frontier.of_host("a") == [given]
    taken = frontier.take(lambda host: True, overtake=False)
    assert taken == given
    frontier.put_back(given._replace(tries=3))
    assert frontier.of_host("a") == [given._replace(tries=3)]


def test_all_that_waits_is_told_in_any_order_and_nothing_else(make: Make) -> None:
    frontier = fill(make(), "a/1", "b/1", "b/2", priority=1.0)
    assert drain(frontier, lambda host: host == "a") == ["a/1"]
    frontier.drop("http://b/1")
    frontier.put(visit("c/1", 0.5))
    assert sorted(frontier.waiting()) == [
        QueueState("http://b/2", 1.0, 0, 0, 0.0, 0.0),
        QueueState("http://c/1", 0.5, 0, 0, 0.0, 0.0),
    ]


def test_a_parked_host_is_left_out_until_it_is_woken_even_in_the_exact_order(make: Make) -> None:
    frontier = fill(make(), "silent/1", "silent/2", "fine/1", "fine/2")
    frontier.park("silent")
    taken = [frontier.take(lambda host: True, overtake=False) for _ in range(3)]
    assert [each and each.url for each in taken] == ["http://fine/1", "http://fine/2", None]
    assert len(frontier) == 2
    for number in (1, 2):
        frontier.wake(["silent"])  # as after each answer
        found = frontier.take(lambda host: True, overtake=False)
        assert found is not None
        assert found.url == f"http://silent/{number}"


def test_hosts_that_wait_are_named(make: Make) -> None:
    frontier = fill(make(), "a/1", "b/1", "b/2")
    assert {"a", "b"} <= set(frontier.hosts())
    drain(frontier)
    assert not [host for host in frontier.hosts() if frontier.of_host(host)]


def test_a_url_that_is_not_known_does_not_wait(make: Make) -> None:
    frontier = make()
    assert frontier.lookup(["http://a/1"]) == [not_waiting("http://a/1")]
    assert frontier.take(lambda host: True, overtake=True) is None
    assert frontier.waiting_at(0.5) == ""
    assert frontier.of_host("a") == []
    assert list(frontier.waiting()) == []


def test_what_is_answered_is_never_asked_for_again(make: Make) -> None:
    frontier = fill(make(), "a/1")
    taken = frontier.take(lambda host: True, overtake=False)
    assert taken is not None
    frontier.finish(taken.url)
    assert list(frontier.lookup(["http://a/1", "http://a/2"])) == [not_waiting("http://a/2")]
    assert frontier.take_url("http://a/1") is None


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("last_first", [False, True])
def test_the_order_is_that_of_a_plain_list(make: Make, seed: int, last_first: bool) -> None:
    """Puts, moves, drops, takes and returns by chance, against a list that is sorted each time."""
    chance, frontier = Random(seed), make(last_first=last_first)
    sign = -1 if last_first else 1
    queue: dict[str, tuple[float, int]] = {}
    out: dict[str, tuple[float, int]] = {}
    done: set[str] = set()
    for arrival in range(1, 150):
        name = f"{chance.choice('abc')}/{chance.randrange(12)}"
        url, what, priority = f"http://{name}", chance.random(), chance.choice([0.0, 0.5, 2.0])
        if what < 0.6 and url not in done and url not in out:
            frontier.lookup([url])
            frontier.put(visit(name, priority))
            if url not in queue or queue[url][0] != priority:
                queue[url] = (priority, sign * arrival)
        elif what < 0.7 and queue:
            gone = chance.choice(sorted(queue))
            frontier.drop(gone)
            del queue[gone]
        elif what < 0.9:
            found = frontier.take(lambda host: True, overtake=chance.random() < 0.5)
            first = min(queue, key=queue.__getitem__, default=None)
            assert (found and found.url) == first
            if first is not None:
                out[first] = queue.pop(first)
        elif out:
            back = chance.choice(sorted(out))
            if chance.random() < 0.5:
                queue[back] = out.pop(back)
                frontier.put_back(visit(back.removeprefix("http://"), queue[back][0]))
            else:
                del out[back]
                done.add(back)
                frontier.finish(back)
        assert len(frontier) == len(queue)
    expected = sorted(queue, key=queue.__getitem__)
    assert [f"http://{name}" for name in drain(frontier)] == expected
