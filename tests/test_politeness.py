"""When a host may be asked again."""

from __future__ import annotations

from collections import Counter
from math import inf

from langcrawl.politeness import HostClock, Politeness


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


def test_a_host_bound_to_another_waits_for_both_and_lets_both_rest() -> None:
    clocks = Politeness(delay=2.0, ip_delay=1.0)
    clocks.end("b", 0.0, host_delay=5.0, ip="10.0.0.2")
    clocks.end("a", 0.0, ip="10.0.0.1")
    clocks.rested(9.0)
    clocks.begin("b")
    clocks.bind("a", "b")
    assert not clocks.is_ready("a")
    clocks.end("b", 10.0, ip="10.0.0.2")
    assert clocks.rested(14.9) == []
    assert sorted(clocks.rested(15.0)) == ["a", "b"]
    assert clocks.is_ready("a")
    clocks.begin("a")
    assert not clocks.is_ready("b")
    clocks.end("a", 20.0, ip="10.0.0.3")
    assert clocks.changed["a"] == (22.0, 0.0, "10.0.0.1", 0)  # its address is its own
    assert clocks.changed["b"] == (25.0, 5.0, "10.0.0.3", 0)
    assert clocks.rested(25.0) == ["a", "b"]
    clocks.begin("a")  # it was bound for one turn
    assert clocks.is_ready("b")


def test_hosts_bound_to_each_other_get_their_turns() -> None:
    clocks = Politeness(delay=1.0)
    clocks.bind("a", "b")
    clocks.bind("b", "a")
    for now, host in ((10.0, "a"), (20.0, "b")):
        clocks.rested(now)
        assert clocks.is_ready(host)
        clocks.begin(host)
        clocks.end(host, now)


def test_hosts_of_a_domain_share_its_slots_and_each_gets_its_turn() -> None:
    clocks = Politeness(delay=1.0, domain_slots=3)
    hosts = [f"h{number}.wild.th" for number in range(100)]
    waiting, asked, now = set(hosts), Counter[float](), 0.0
    awake = list(hosts)
    while waiting:
        for host in awake:
            if host in waiting and clocks.is_ready(host):
                clocks.begin(host)
                clocks.end(host, now)
                waiting.remove(host)
                asked[now] += 1
        assert clocks.is_ready("other.th")
        now = clocks.next_ready()
        awake = clocks.rested(now)
        assert len(awake) <= 6  # what has rested, and one for each slot that is free
    assert set(asked.values()) <= {1, 2, 3}
    assert now == 34.0


def test_a_slot_that_the_host_it_woke_does_not_use_goes_to_the_next() -> None:
    clocks = Politeness(delay=1.0, domain_slots=1)
    clocks.begin("a.wild.th")
    assert not any(clocks.is_ready(f"{name}.wild.th") for name in "bcd")
    clocks.end("a.wild.th", 0.0)
    woken = [clocks.rested(max(1.0, clocks.next_ready())) for _ in range(3)]
    assert woken == [["a.wild.th", "b.wild.th"], ["c.wild.th"], ["d.wild.th"]]
    assert clocks.next_ready() == inf


def test_a_domain_of_few_hosts_is_not_slowed() -> None:
    clocks = Politeness(delay=1.0, domain_slots=8)
    hosts = [f"h{number}.few.th" for number in range(8)]
    for now in range(1, 20):
        clocks.rested(float(now))
        for host in hosts:
            assert clocks.is_ready(host)
            clocks.begin(host)
            clocks.end(host, float(now))


def test_clocks_of_a_run_whose_clock_was_wrong_are_set_anew() -> None:
    clocks = Politeness(delay=2.0, longest=3600.0)
    assert clocks.restore("a", HostClock(100_000.0, 9.0), now=1000.0)
    assert not clocks.restore("b", HostClock(4600.0), now=1000.0)
    assert (clocks.ready_at("a"), clocks.ready_at("b")) == (1009.0, 4600.0)
    assert set(clocks.changed) == {"a"}
