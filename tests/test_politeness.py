"""When a host may be asked again."""

from __future__ import annotations

from math import inf

from langcrawl.politeness import Politeness


def test_a_host_rests_for_the_delay_after_its_answer() -> None:
    clocks = Politeness(delay=2.0)
    assert "a" not in clocks
    clocks.begin("a")
    assert clocks.ready_at("a") == inf
    clocks.end("a", answered_at=10.0)
    assert clocks.ready_at("a") == clocks.next_ready() == 12.0
    assert clocks.rested(11.9) == []
    assert "a" in clocks
    assert clocks.rested(12.0) == ["a"]
    assert "a" not in clocks
    assert clocks.next_ready() == inf


def test_a_host_that_asks_for_more_gets_more() -> None:
    clocks = Politeness(delay=1.0)
    for host, own in (("a", 5.0), ("b", 0.2)):
        clocks.begin(host)
        clocks.end(host, 0.0, host_delay=own)
    assert (clocks.ready_at("a"), clocks.ready_at("b")) == (5.0, 1.0)


def test_hosts_that_have_rested_are_forgotten() -> None:
    clocks = Politeness(delay=1.0)
    for number in range(1000):
        clocks.begin(f"h{number}")
        clocks.end(f"h{number}", float(number))
        clocks.rested(float(number))
    assert sum(f"h{number}" in clocks for number in range(1000)) <= 2
