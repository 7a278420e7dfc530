"""URLs that are reconsidered in the midst of all else: both frontiers take the same, in order."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from langcrawl.frontier.memory import MemoryFrontier
from langcrawl.frontier.rows import Ahead
from langcrawl.frontier.sqlite import SqliteFrontier
from langcrawl.ports import Frontier
from langcrawl.records import Facts, Visit

FACTS = Facts(0, 0, 1, 0, 1.0, 0, 0, 0, 0)
HOSTS, URLS, STEPS = 3, 90, 400


class Story:
    """What happens to a frontier, drawn by chance: the same for every frontier."""

    def __init__(self, frontier: Frontier, seed: int) -> None:
        self.frontier, self.rng = frontier, random.Random(seed)
        self.told: list[object] = []
        self.taken: list[Visit] = []
        self.known: set[str] = set()

    def run(self) -> list[object]:
        for _ in range(STEPS):
            self.rng.choice((self.put, self.put, self.take, self.take, self.take, self.other))()
            self.told.append(len(self.frontier))
        while self.take():
            """Until nothing waits."""
        return self.told

    def put(self) -> None:
        number, priority = self.rng.randrange(URLS), float(self.rng.randrange(8))
        host = f"h{number % HOSTS}"
        for state in self.frontier.lookup([f"http://{host}/{number}"]):
            if priority < state.priority:
                self.frontier.put(Visit(state.url, host, FACTS, priority, ""))
                self.known.add(state.url)

    def take(self) -> bool:
        """Each URL that is looked at may turn out to be worth less, up to a bound."""

        def reconsider(visit: Visit) -> float:
            self.told.append(visit.url)
            worse = visit.priority + self.rng.choice((0.0, 0.0, 1.0, 3.0))
            return worse if worse < 12 else visit.priority

        visit = self.frontier.take(lambda host: True, True, reconsider)
        self.told.append(visit and (visit.url, visit.priority))
        if visit is not None:
            self.taken.append(visit)
            self.known.discard(visit.url)
        return visit is not None

    def other(self) -> None:
        what = self.rng.randrange(4)
        if what == 0:
            self.frontier.commit()
        elif what == 1 and self.known:
            url = self.rng.choice(sorted(self.known))
            self.known.remove(url)
            self.frontier.drop(url)
        elif what == 2 and self.taken:
            visit = self.taken.pop()
            self.known.add(visit.url)
            self.frontier.put_back(visit)
        elif what == 3 and self.known:
            visit_or_none = self.frontier.take_url(self.rng.choice(sorted(self.known)))
            assert visit_or_none is not None
            self.known.remove(visit_or_none.url)
            self.taken.append(visit_or_none)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("last_first", [False, True])
def test_both_frontiers_look_at_the_same_urls_in_the_same_order(
    tmp_path: Path, seed: int, last_first: bool
) -> None:
    on_disk = SqliteFrontier(tmp_path / "frontier.db", last_first)
    try:
        told = Story(on_disk, seed).run()
    finally:
        on_disk.close()
    assert told == Story(MemoryFrontier(last_first), seed).run()
    assert sum(isinstance(each, tuple) for each in told) > 50


def row(name: str, priority: float, arrival: int) -> tuple[object, ...]:
    return f"http://h/{name}", arrival, arrival, priority, arrival, "the rest"


def test_a_row_that_waits_on_keeps_all_but_its_place() -> None:
    ahead = Ahead([row("a", 0.0, 1), row("b", 1.0, 2)], most=16)
    ahead.first_waits_on(3.0, 9)
    assert ahead.rows == [row("b", 1.0, 2), ("http://h/a", 1, 1, 3.0, 9, "the rest")]
    assert ahead.head("h") == (1.0, 2, "h")


def test_behind_the_last_row_that_was_read_nobody_knows_who_comes_next() -> None:
    ahead = Ahead([row("a", 0.0, 1), row("b", 1.0, 2)], most=2)
    assert ahead.shows_two
    ahead.first_waits_on(3.0, 9)
    assert ahead.rows == [row("b", 1.0, 2)]
    assert not ahead.shows_two


def test_a_host_without_waiting_urls_has_no_head() -> None:
    assert Ahead([], most=2).head("h") is None
    assert Ahead([], most=2).shows_two
