"""Who is silent, and whose fault that is: one host's, or that of the network here."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langcrawl.frontier.memory import MemoryFrontier
from langcrawl.outage import Silence, is_silence
from langcrawl.politeness import Politeness
from langcrawl.records import Facts, Later, Page, Refused, Sitemap, Visit
from scripted import Answer, SteppedClock, Told, crawl_of, page, silent

URL = "http://a.th/"
FACTS = Facts(0, 0, 1, 0, 1.0, 0, 0, 0, 0)


class Watch:
    """A watch over silence, with all that it looks at."""

    def __init__(self, hosts: Iterable[str] = (), retries: int = 2) -> None:
        self.frontier, self.politeness = MemoryFrontier(), Politeness(backoff=1.0)
        self.clock, self.told = SteppedClock(), Told()
        for host in hosts:
            self.frontier.put(Visit(f"http://{host}/", host, FACTS, 0.0, ""))
        self.silence = Silence(self.frontier, self.politeness, self.clock, retries, self.told)

    def say_nothing(self, host: str, why: str = "timeout", before: bool = False) -> None:
        self.clock.sleep_until(self.clock.now() + 1.0)
        self.politeness.begin(host)
        self.politeness.end(host, self.clock.now(), trouble=True, silent=True)
        self.silence.of(host, why, before)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (Page(URL, 0, error="dns"), True),
        (Page(URL, 503), False),
        (Later(silence="timeout"), True),
        (Later(Page(URL, 0)), True),
        (Later(Page(URL, 429)), False),
        (Later(Refused("robots-unreachable")), False),
        (Later(), False),
        (Refused("robots"), False),
        (Sitemap(()), False),
    ],
)
def test_silence_is_no_answer_and_nothing_else(answer: Answer, expected: bool) -> None:
    assert is_silence(answer) is expected


def test_twenty_silences_of_five_hosts_in_a_row_are_an_outage() -> None:
    watch = Watch()
    for at in range(20):
        assert not watch.silence.is_outage
        watch.say_nothing(f"h{at % 5}.th", ["timeout", "dns"][at % 2])
    assert watch.silence.is_outage
    ((event, words, about),) = watch.told.events
    assert (event, about["hosts"]) == ("outage", 5)
    assert about["why"] == {"timeout": 10, "dns": 10}
    assert words.startswith("nobody answers (timeout, dns; 5 asked)")


@pytest.mark.parametrize(("hosts", "times"), [(4, 100), (20, 19)])
def test_fewer_hosts_or_fewer_requests_are_none(hosts: int, times: int) -> None:
    watch = Watch()
    for at in range(times):
        watch.say_nothing(f"h{at % hosts}.th")
    assert not watch.silence.is_outage


def test_an_answer_in_between_begins_the_row_anew() -> None:
    watch = Watch()
    for at in range(60):
        watch.say_nothing(f"h{at % 7}.th", before=True)
        if at % 19 == 18:
            watch.silence.broken_by("fine.th")
    assert not watch.silence.is_outage
    assert "outage" not in watch.told.names


def test_hosts_that_never_answered_are_no_outage_once_somebody_has() -> None:
    watch = Watch()
    watch.silence.broken_by("fine.th")
    for at in range(100):
        watch.say_nothing(f"dead{at}.th", "dns")
    assert not watch.silence.is_outage
    watch.say_nothing("fine.th", before=True)
    assert watch.silence.is_outage


def test_no_host_is_blamed_for_an_outage() -> None:
    watch = Watch()
    for at in range(20):
        watch.say_nothing(f"h{at % 5}.th")
    now = watch.clock.now()
    assert [watch.politeness.ready_at(f"h{n}.th") for n in range(5)] == [now] * 5
    watch.say_nothing("h0.th")
    assert not watch.politeness.is_dead("h0.th")


def test_the_crawl_asks_ever_more_seldom_whether_an_outage_is_over() -> None:
    watch = Watch()
    for at in range(20):
        watch.say_nothing(f"h{at % 5}.th")
    assert watch.silence.next_try <= watch.clock.now(), "somebody is asked at once"
    waits = []
    for _ in range(8):
        watch.say_nothing("h0.th")
        waits.append(watch.silence.next_try - watch.clock.now())
    assert waits == [2, 4, 8, 16, 32, 60, 60, 60]


def test_whoever_answers_ends_an_outage_which_began_with_the_first_silence() -> None:
    watch = Watch()
    for at in range(20):
        watch.say_nothing(f"h{at % 5}.th")
    assert watch.silence.lasts() == 19.0
    watch.silence.broken_by("h3.th")
    assert (watch.silence.is_outage, watch.silence.lasts(), watch.silence.next_try) == (False, 0, 0)
    event, words, about = watch.told.events[-1]
    assert (event, about) == ("outage-over", {"host": "h3.th", "seconds": 19.0})
    assert words == "h3.th answers again, after 19 s without an answer from anybody."
    for at in range(20):  # and the next one begins as patiently as the first
        watch.say_nothing(f"h{at % 5}.th", before=True)
    watch.say_nothing("h0.th")
    assert watch.silence.next_try - watch.clock.now() == 2


def test_after_an_outage_every_host_begins_anew() -> None:
    watch = Watch(["h0.th"], retries=1)
    for at in range(20):
        watch.say_nothing(f"h{at % 5}.th")
    watch.silence.broken_by("h4.th")
    watch.say_nothing("h0.th")
    assert not watch.silence.is_all_that_is_left(), "it was silent once, and has another try"
    watch.say_nothing("h0.th")
    assert watch.silence.is_all_that_is_left()


def test_a_host_that_is_silent_too_often_is_parked_and_the_others_go_on() -> None:
    watch = Watch(["a.th", "b.th"], retries=1)
    watch.silence.broken_by("b.th")
    for _ in range(2):
        watch.say_nothing("a.th")
    found = watch.frontier.take(lambda host: True, overtake=False)
    assert found is not None
    assert found.host == "b.th"


def test_the_crawl_is_over_when_only_silent_hosts_are_left() -> None:
    watch = Watch(["a.th", "b.th"], retries=1)
    watch.silence.broken_by("c.th")
    for host in ("a.th", "a.th", "b.th"):
        watch.say_nothing(host)
    assert not watch.silence.is_all_that_is_left(), "b.th has another try"
    watch.say_nothing("b.th")
    assert watch.silence.is_all_that_is_left()
    watch.silence.broken_by("a.th")
    assert not watch.silence.is_all_that_is_left()


def test_where_nobody_was_ever_heard_all_that_is_left_is_an_outage() -> None:
    watch = Watch(["a.th", "b.th"])
    watch.say_nothing("a.th")
    assert not watch.silence.is_all_that_is_left()
    assert not watch.silence.is_outage, "b.th has not been asked"
    watch.say_nothing("b.th")
    assert not watch.silence.is_all_that_is_left()
    assert watch.silence.is_outage


def test_a_host_that_is_given_up_for_its_silence_is_told_of() -> None:
    watch = Watch()
    watch.silence.broken_by("fine.th")
    for _ in range(10):
        watch.say_nothing("a.th", "refused")
    assert watch.told.names == ["host-silent"]
    assert "a.th has not answered for a long time (refused)" in watch.told.events[0][1]


def test_a_crawl_waits_for_its_network_and_loses_no_page_by_it() -> None:
    told, down = Told(), range(20, 70)

    def says(visit: Visit) -> Answer:
        if len(crawl.web.asked) in down:
            return silent(visit)
        number = int(visit.url.rsplit("/", 1)[1])
        near = range(number + 1, min(number + 13, 60))
        return page(visit, [f"http://h{n % 6}.th/{n}" for n in near])

    crawl = crawl_of(
        says, politeness=Politeness(backoff=5.0), retries=2, connections=4,
        failures_are_pages=False, tell=told,
    )  # fmt: skip
    outcome = crawl.run(["http://h0.th/0"])
    assert (outcome.stopped, outcome.counts.pages) == ("queue-empty", 60)
    assert outcome.counts.failures == 0
    assert told.names == ["outage", "outage-over"]
    assert outcome.counts.requests == 60 + outcome.counts.silences["timeout"]


def test_an_outage_without_an_end_ends_the_crawl_and_keeps_the_queue() -> None:
    seeds = [f"http://h{n}.th/" for n in range(8)]
    crawl = crawl_of(
        silent, politeness=Politeness(backoff=5.0), retries=2, connections=4, max_outage=600.0,
        failures_are_pages=False,
    )  # fmt: skip
    outcome = crawl.run(seeds)
    assert (outcome.stopped, outcome.queue, outcome.counts.failures) == ("outage", 8, 0)
    assert 600 <= outcome.counts.spent < 700


@settings(max_examples=25)
@given(st.lists(st.tuples(st.integers(0, 8), st.booleans()), max_size=60))
def test_an_outage_is_told_as_often_as_its_end_or_once_more(turns: list[tuple[int, bool]]) -> None:
    watch = Watch()
    for number, answers in turns * 2:
        if answers:
            watch.clock.sleep_until(watch.clock.now() + 1.0)
            watch.silence.broken_by(f"h{number}.th")
        else:
            watch.say_nothing(f"h{number}.th", before=True)
    told = [name for name in watch.told.names if name.startswith("outage")]
    assert told == ["outage", "outage-over"] * (len(told) // 2) + ["outage"] * (len(told) % 2)
    assert watch.silence.is_outage is (len(told) % 2 == 1)
