"""URLs that are reconsidered in the midst of all else: both frontiers take the same, in order."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from langcrawl.frontier import ahead as ahead_of_hosts
from langcrawl.frontier import sqlite
from langcrawl.frontier import waiting as waiting_urls
from langcrawl.frontier.ahead import MOST, Ahead, LookAhead, Next
from langcrawl.frontier.memory import MemoryFrontier
from langcrawl.frontier.sqlite import SqliteFrontier
from langcrawl.ports import Frontier, QueueState
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
            what = (self.put, self.put, self.take, self.take, self.take, self.revise, self.other)
            self.rng.choice(what)()
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

    def revise(self) -> None:
        """A shorter way is found to a URL that waits, or a better page that links to it."""
        if self.known:
            url, depth = self.rng.choice(sorted(self.known)), self.rng.randrange(9)
            (state,) = self.frontier.lookup([url])
            if self.rng.random() < 0.5:
                self.frontier.revise(state._replace(depth=depth), self.rng.choice(("x", None)))
            else:
                facts = FACTS._replace(depth=depth)
                parent = f"http://p/{depth}"
                self.frontier.lookup([parent])
                self.frontier.put(Visit(url, url[7:9], facts, state.priority, parent))

    def take(self) -> bool:
        """Each URL that is looked at may turn out to be worth less, up to a bound."""

        def reconsider(visit: Visit) -> float:
            self.told.append(visit.url)
            worse = visit.priority + self.rng.choice((0.0, 0.0, 1.0, 3.0))
            return worse if worse < 12 else visit.priority

        visit = self.frontier.take(lambda host: True, True, reconsider)
        self.told.append(visit and tuple(visit))
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


@pytest.fixture(params=["all", "few hosts", "few urls"])
def kept(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """How much is known of what comes next."""
    if request.param == "few hosts":
        monkeypatch.setattr(ahead_of_hosts, "_URLS_KEPT", 2)
        monkeypatch.setattr(ahead_of_hosts, "_BETWEEN", 1)
    elif request.param == "few urls":
        monkeypatch.setattr(ahead_of_hosts, "MOST", 2)
        monkeypatch.setattr(ahead_of_hosts, "_MOST_KEPT", 3)
        monkeypatch.setattr(waiting_urls, "MOST", 2)
        monkeypatch.setattr(sqlite, "_AHEAD", 2)


@pytest.mark.usefixtures("kept")
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


def waiting(name: str, priority: float, arrival: int) -> Next:
    visit = Visit(f"http://h/{name}", "h", FACTS, priority, "")
    return Next(priority, arrival, arrival, arrival, None, visit)


def places(ahead: Ahead) -> list[str]:
    """What is known to come next, in order."""
    found = []
    while (first := ahead.first) is not None:
        ahead.remove(first.visit.url)
        found.append(first.visit.url.removeprefix("http://h/"))
    return found


def test_a_url_that_waits_on_finds_its_place_among_those_that_are_known() -> None:
    ahead = Ahead([waiting("a", 0.0, 1), waiting("b", 1.0, 2)], asked=16)
    ahead.put(waiting("a", 3.0, 9))
    assert ahead.head("h") == (1.0, 2, "h")
    assert places(ahead) == ["b", "a"]


def test_behind_the_last_that_was_read_nobody_knows_who_comes_next() -> None:
    ahead = Ahead([waiting("a", 0.0, 1), waiting("b", 1.0, 2)], asked=2)
    assert ahead.shows_two
    ahead.put(waiting("a", 3.0, 9))
    ahead.put(waiting("c", 1.0, 3))
    assert not ahead.shows_two
    ahead.put(waiting("d", 0.5, 10))
    assert places(ahead) == ["d", "b"]


def test_more_than_are_kept_are_cut_off_behind() -> None:
    ahead = Ahead([], asked=2)
    for number in range(3 * MOST, 0, -1):
        ahead.put(waiting(str(number), 1.0, number))
    ahead.put(waiting("late", 2.0, 1))
    found = places(ahead)
    assert found == [str(number) for number in range(1, len(found) + 1)]
    assert MOST <= len(found) <= 2 * MOST
    assert not ahead.shows_two


def test_what_is_learned_of_a_url_leaves_it_in_its_place() -> None:
    ahead = Ahead([waiting("a", 0.0, 1), waiting("b", 1.0, 2)], asked=16)
    ahead.revise(QueueState("http://h/a", 0.0, 5, 6, 0.5, 0.25), "heard")
    ahead.revise(QueueState("http://h/unknown", 0.0, 5, 6, 0.5, 0.25), "heard")
    first = ahead.first
    assert first is not None
    assert first[:5] == (0.0, 1, 1, 1, None)
    facts = FACTS._replace(run=5, depth=6, anchor_score=0.5, parent_share=0.25)
    assert first.visit == Visit("http://h/a", "h", facts, 0.0, "", evidence="heard")
    ahead.revise(QueueState("http://h/a", 0.0, 5, 6, 0.5, 0.25), None)
    assert ahead.first == first


def test_a_host_without_waiting_urls_has_no_head() -> None:
    assert Ahead([], asked=2).head("h") is None
    assert Ahead([], asked=2).shows_two


def test_the_host_that_was_asked_about_the_longest_ago_is_forgotten(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ahead_of_hosts, "_URLS_KEPT", 6)
    monkeypatch.setattr(ahead_of_hosts, "_BETWEEN", 1)
    known = LookAhead()
    two = [waiting("1", 0.0, 1), waiting("2", 1.0, 2)]
    for host in ("a", "b", "a", "c"):
        known.keep(host, Ahead(two, asked=2))
    assert [host for host in "abc" if known.of(host)] == ["a", "c"]
    known.keep("empty", Ahead([], asked=2))
    assert [host for host in ("a", "c", "empty") if known.of(host)] == ["c", "empty"]


def test_room_is_made_now_and_then_and_what_was_read_last_stays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ahead_of_hosts, "_URLS_KEPT", 1)
    monkeypatch.setattr(ahead_of_hosts, "_BETWEEN", 3)
    known = LookAhead()
    hosts = [f"h{number}" for number in range(7)]
    for host in hosts:
        known.keep(host, Ahead([], asked=2))
    assert [host for host in hosts if known.of(host) is not None] == ["h5", "h6"]
