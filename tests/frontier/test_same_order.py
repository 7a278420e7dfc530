"""Both frontiers, driven by the same random operations, give the same answers."""

from __future__ import annotations

import tempfile
from math import inf
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from langcrawl.frontier import moves, url_index, url_table
from langcrawl.frontier.memory import MemoryFrontier
from langcrawl.frontier.sqlite import SqliteFrontier
from langcrawl.ports import QueueState
from langcrawl.records import Facts, Visit
from langcrawl.url import host_of

HOSTS = ("a", "b", "c", "d")
URLS = [f"http://{host}/{number}" for host in HOSTS for number in range(5)]

urls = st.sampled_from(URLS)
operations = st.one_of(
    st.tuples(
        st.just("offer"), st.lists(urls, max_size=8, unique=True), st.sampled_from((0.0, 0.5, 1.0))
    ),
    st.tuples(st.just("drop"), urls),
    st.tuples(st.just("rank again"), st.sampled_from(HOSTS), st.sampled_from((0.0, 0.5))),
    st.tuples(st.just("take")),
    st.tuples(st.just("answer"), st.integers(0, 9), st.booleans()),
    st.tuples(st.just("commit")),
    st.tuples(st.just("reopen")),
)


@pytest.fixture(autouse=True, params=["index", "no room", "too many kinds", "table"])
def small(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """So small that all that is kept in memory overflows, and the database is asked."""
    monkeypatch.setattr(url_table, "_LATELY", 4)
    monkeypatch.setattr(url_table, "_BATCH", 3)
    monkeypatch.setattr(url_table, "LOOK_UP", 2)
    monkeypatch.setattr(moves, "_MANY", 2)
    monkeypatch.setattr(url_index, "_SLOTS", 4)
    if request.param == "no room":
        monkeypatch.setattr(url_index, "_LARGEST", 2)
    elif request.param == "too many kinds":
        monkeypatch.setattr(url_index, "_MOST_KINDS", 3)
    if request.param in ("no room", "table"):
        monkeypatch.setattr(url_index, "_MANY", 6)


class Pair:
    """The two frontiers, and a crawl's side of the contract: who is busy, what is in flight."""

    def __init__(self, path: Path, last_first: bool, overtake: bool) -> None:
        self.path, self.last_first, self.overtake = path, last_first, overtake
        self.memory = MemoryFrontier(last_first)
        self.sqlite = SqliteFrontier(path, last_first)
        self.busy: set[str] = set()
        self.in_flight: list[Visit] = []
        self.ids: dict[str, int] = {}

    def state(self, offered: list[str]) -> list[QueueState]:
        answers = self.memory.lookup(offered)
        assert self.sqlite.lookup(offered) == answers
        for url in offered:
            self.ids.setdefault(url, len(self.ids))
            assert self.sqlite.id_of(url) == self.ids[url]
        return answers

    def put(self, visit: Visit) -> None:
        self.memory.put(visit)
        self.sqlite.put(visit)

    def offer(self, offered: list[str], priority: float) -> None:
        for depth, (url, before, *_) in enumerate(self.state(offered)):
            facts = Facts(depth, len(self.ids), 1, 0, 0.25, 1, 2, 1, 0, 0.5, 0.125, 3)
            if before == inf or depth % 3 == 1:
                self.put(Visit(url, host_of(url), facts, priority, offered[0], "link"))
            elif depth % 3 == 2:
                self.memory.revise((url, before, depth, len(self.ids), 0.75, 0.5))
                self.sqlite.revise((url, before, depth, len(self.ids), 0.75, 0.5))

    def drop(self, url: str) -> None:
        if any(priority < inf for _, priority, *_ in self.state([url])):
            self.memory.drop(url)
            self.sqlite.drop(url)
        else:
            with pytest.raises(KeyError):
                self.sqlite.drop(url)

    def rank_again(self, host: str, priority: float) -> None:
        for number, visit in enumerate(self.of_host(host)):
            if number % 3:
                self.put(visit._replace(priority=priority))
            else:
                self.drop(visit.url)

    def of_host(self, host: str) -> list[Visit]:
        visits = self.memory.of_host(host)
        assert self.sqlite.of_host(host) == visits
        return visits

    def take(self) -> Visit | None:
        visit = self.memory.take(lambda host: host not in self.busy, self.overtake)
        assert self.sqlite.take(lambda host: host not in self.busy, self.overtake) == visit
        if visit is not None:
            self.busy.add(visit.host)
            self.in_flight.append(visit)
        return visit

    def answer(self, which: int, again: bool) -> None:
        if not self.in_flight:
            return
        visit = self.in_flight.pop(which % len(self.in_flight))
        for frontier in (self.memory, self.sqlite):
            if again:
                frontier.put_back(visit)
            else:
                frontier.finish(visit.url)
            frontier.wake([visit.host])
        self.busy.remove(visit.host)

    def commit(self) -> None:
        self.sqlite.commit()

    def reopen(self) -> None:
        """A new process: the visits in flight are put back, in memory by hand."""
        self.sqlite.commit()
        self.sqlite.close()
        self.sqlite = SqliteFrontier(self.path, self.last_first)
        assert self.sqlite.leased_hosts == sorted(self.busy)
        while self.in_flight:
            self.memory.put_back(self.in_flight.pop())
        self.memory.wake(self.busy)
        self.busy.clear()


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.booleans(), st.booleans(), st.lists(operations, max_size=40))
def test_the_same_operations_have_the_same_answers(
    last_first: bool, overtake: bool, steps: list[tuple]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        pair = Pair(Path(folder) / "frontier.db", last_first, overtake)
        for name, *args in steps:
            getattr(pair, name.replace(" ", "_"))(*args)
            assert len(pair.sqlite) == len(pair.memory)
        pair.state(URLS)
        for host in HOSTS:
            pair.of_host(host)
        while pair.take() or pair.in_flight:
            pair.answer(0, again=False)
        assert len(pair.sqlite) == 0
        pair.sqlite.close()
