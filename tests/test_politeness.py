"""When a host may be asked again."""

from __future__ import annotations

from math import inf

from langcrawl.politeness import Politeness


def test_a_host_rests_for_the_delay_after_its_answer() -> None:
    clocks = Politeness(delay=2.0)
    assert clocks.is_ready("a")
    clocks.begin("a")
    assert clocks.ready_at("a") == inf
    clocks.end("a", answered_at=10.0)
    assert clocks.ready_at("a") == clocks.next_ready() == 12.0
    assert clocks.rested(11.9) == []
    assert not clocks.is_ready("a")
    assert clocks.rested(12.0) == ["a"]
    assert clocks.is_ready("a")
    assert clocks.next_ready() == inf


def test_a_host_that_asks_for_more_gets_more() -> None:
    clocks = Politeness(delay=1.0)
    for host, own in (("a", 5.0), ("b", 0.2)):
        clocks.begin(host)
        clocks.end(host, 0.0, host_delay=own)
    assert (clocks.ready_at("a"), clocks.ready_at("b")) == (5.0, 1.0)
    clocks.rested(5.0)
    clocks.begin("a")
    clocks.end("a", 10.0)  # no answer came that could have said so again
    assert clocks.ready_at("a") == 15.0


def test_hosts_that_have_rested_are_forgotten() -> None:
    clocks = Politeness(delay=1.0)
    for number in range(1000):
        clocks.begin(f"h{number}")
        clocks.end(f"h{number}", float(number))
        clocks.rested(float(number))
    assert sum(not clocks.is_ready(f"h{number}") for number in range(1000)) <= 2


def test_hosts_at_one_address_take_turns() -> None:
    clocks = Politeness(delay=0.0, ip_delay=2.0)
    for host in ("a", "b", "c"):
        clocks.begin(host)
        clocks.end(host, 0.0, ip="10.0.0.1" if host != "c" else "10.0.0.2")  # looked up only
    assert clocks.rested(1.0) == ["a", "b", "c"]
    clocks.begin("a")
    assert [clocks.is_ready(host) for host in "abc"] == [False, False, True]
    clocks.end("a", 10.0, ip="10.0.0.1")
    assert clocks.rested(11.9) == ["a"]
    assert not clocks.is_ready("b")
    assert clocks.next_ready() == 12.0
    assert clocks.rested(12.0) == ["b"]
    assert clocks.is_ready("a")
    assert clocks.is_ready("b")


def test_a_host_in_trouble_is_left_alone_for_longer_each_time() -> None:
    clocks = Politeness(delay=1.0, backoff=10.0)
    waits = []
    for number in range(12):
        clocks.begin("a")
        clocks.end("a", 0.0, trouble=True)
        waits.append(clocks.ready_at("a"))
        clocks.rested(inf)
        assert clocks.is_dead("a") == (number >= 9)
    assert waits[:4] == [10.0, 20.0, 40.0, 80.0]
    assert max(waits) == 3600.0
    clocks.begin("a")
    clocks.end("a", 5.0)
    assert (clocks.ready_at("a"), clocks.is_dead("a")) == (6.0, False)


def test_what_a_server_asks_for_is_kept_to() -> None:
    clocks = Politeness(delay=1.0, backoff=10.0)
    clocks.begin("a")
    clocks.end("a", 100.0, wait=300.0, trouble=True)
    assert clocks.ready_at("a") == 400.0


def test_clocks_outlast_the_process() -> None:
    before = Politeness(delay=5.0, ip_delay=1.0)
    before.begin("a")
    before.end("a", 100.0, host_delay=9.0, ip="10.0.0.1", trouble=True)
    after = Politeness(delay=5.0, ip_delay=1.0)
    for host, clock in before.changed.items():
        after.restore(host, clock)
    assert after.ready_at("a") == before.ready_at("a") == 130.0
    after.rested(130.0)
    after.begin("a")
    after.end("a", 200.0, trouble=True)
    assert after.changed["a"] == (260.0, 9.0, "10.0.0.1", 2)
