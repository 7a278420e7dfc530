"""Politeness under random use: hosts and addresses rest, and none is forgotten while it rests."""

from __future__ import annotations

from math import inf

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from langcrawl.politeness import HostClock, Politeness

HOSTS = tuple("abcdef")
ADDRESS = {"a": "10.0.0.1", "b": "10.0.0.1", "c": "10.0.0.2", "d": "10.0.0.2", "e": "", "f": ""}
DELAY, IP_DELAY, BACKOFF, LONGEST = 2.0, 0.5, 4.0, 50.0


class Crawler(RuleBasedStateMachine):
    """Asks whatever may be asked, remembers when, and checks every pause by itself."""

    def __init__(self) -> None:
        super().__init__()
        self.clocks = Politeness(DELAY, IP_DELAY, BACKOFF, LONGEST)
        self.now = 100.0
        self.under_way: set[str] = set()
        self.not_before = dict.fromkeys(HOSTS, 0.0)
        self.address_not_before: dict[str, float] = {}
        self.own = dict.fromkeys(HOSTS, 0.0)
        self.troubles = dict.fromkeys(HOSTS, 0)
        self.known_address: dict[str, str] = {}

    @rule(seconds=st.sampled_from([0.1, 0.5, 1.0, 2.0, 10.0]))
    def time_passes(self, seconds: float) -> None:
        self.now += seconds
        for host in self.clocks.rested(self.now):
            assert host not in self.under_way
            assert self.now >= self.not_before[host]

    @rule(host=st.sampled_from(HOSTS))
    def ask(self, host: str) -> None:
        if host in self.under_way or not self.clocks.is_ready(host):
            return
        assert self.now >= self.not_before[host], "it was asked too soon"
        address = self.known_address.get(host)
        if address:
            assert self.now >= self.address_not_before.get(address, 0.0)
            self.address_not_before[address] = inf
        self.clocks.begin(host)
        self.under_way.add(host)

    @precondition(lambda self: self.under_way)
    @rule(
        choice=st.randoms(use_true_random=False),
        own=st.sampled_from([0.0, 0.0, 1.0, 5.0, 500.0]),
        wait=st.sampled_from([0.0, 0.0, 7.0]),
        trouble=st.booleans(),
    )
    def answer(self, choice: object, own: float, wait: float, trouble: bool) -> None:
        host = choice.choice(sorted(self.under_way))  # type: ignore[attr-defined]
        self.now += 0.2
        self.clocks.end(host, self.now, own, wait, ADDRESS[host], trouble=trouble)
        self.under_way.discard(host)
        self.own[host] = own or self.own[host]
        self.troubles[host] = self.troubles[host] + 1 if trouble else 0
        if trouble:
            wait = max(wait, BACKOFF * 2 ** (self.troubles[host] - 1))
        self.not_before[host] = self.now + max(DELAY, min(max(self.own[host], wait), LONGEST))
        if before := self.known_address.get(host):
            self.address_not_before[before] = self.now + IP_DELAY
        if ADDRESS[host]:
            self.known_address[host] = ADDRESS[host]

    @rule()
    def start_anew(self) -> None:
        """The process ends; another takes over what was kept, and lets leased hosts rest."""
        kept = self.clocks.changed
        self.clocks = Politeness(DELAY, IP_DELAY, BACKOFF, LONGEST)
        for host, clock in kept.items():
            self.clocks.restore(host, clock)
        for host in self.under_way:
            self.clocks.rest_again(host, self.now)
            full = max(DELAY, min(self.own[host], LONGEST))
            self.not_before[host] = max(self.not_before[host], self.now + full)
        self.clocks.changed = {**kept, **self.clocks.changed}
        self.under_way = set()
        self.address_not_before = {}  # addresses rest less than a host, and begin anew

    @invariant()
    def who_is_asked_is_not_ready(self) -> None:
        for host in self.under_way:
            assert self.clocks.ready_at(host) == inf
            assert not self.clocks.is_ready(host)

    @invariant()
    def ten_troubles_in_a_row_are_the_end(self) -> None:
        for host in HOSTS:
            assert self.clocks.is_dead(host) == (self.troubles[host] >= 10)

    @invariant()
    def somebody_wakes_whoever_rests(self) -> None:
        resting = [host for host in HOSTS if 0 < self.clocks.ready_at(host) < inf]
        if resting:
            assert self.clocks.next_ready() <= min(map(self.clocks.ready_at, resting))

    def teardown(self) -> None:
        """In the end every host that is not being asked becomes ready."""
        for host in list(self.under_way):
            self.clocks.end(host, self.now, 0.0, 0.0, ADDRESS[host])
        self.clocks.rested(self.now + 10 * LONGEST)
        assert all(self.clocks.is_ready(host) for host in HOSTS)
        assert self.clocks.next_ready() == inf


TestCrawler = pytest.mark.filterwarnings("ignore")(Crawler.TestCase)
TestCrawler.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)


def test_a_host_that_was_not_asked_after_all_is_free_at_once_but_for_our_delay() -> None:
    clocks = Politeness(delay=0.0)
    clocks.begin("a")
    clocks.end("a", 0.0)
    assert clocks.rested(0.0) == ["a"]
    assert clocks.is_ready("a")


def test_troubles_are_kept_where_a_host_was_not_asked() -> None:
    clocks = Politeness(delay=1.0, backoff=5.0)
    clocks.end("a", 10.0, trouble=True)
    clocks.end("a", 0.0)
    assert clocks.changed["a"].troubles == 1
    clocks.end("a", 20.0)
    assert clocks.changed["a"].troubles == 0


@pytest.mark.parametrize(
    ("own", "wait", "rests"),
    [(0, 0, 1), (0.5, 0, 1), (7, 0, 7), (7, 9, 9), (9999, 0, 60), (0, 9999, 60)],
)
def test_no_host_keeps_us_waiting_for_longer_than_the_longest(
    own: float, wait: float, rests: float
) -> None:
    clocks = Politeness(delay=1.0, longest=60.0)
    clocks.end("a", 100.0, own, wait)
    assert clocks.ready_at("a") == 100.0 + rests


def test_resting_again_never_shortens_a_rest() -> None:
    clocks = Politeness(delay=1.0)
    clocks.restore("a", HostClock(ready_at=500.0, delay=3.0, ip="10.0.0.1", troubles=2))
    clocks.rest_again("a", 10.0)
    assert clocks.changed["a"] == (500.0, 3.0, "10.0.0.1", 2)
    clocks.rest_again("a", 1000.0)
    assert clocks.ready_at("a") == 1003.0
