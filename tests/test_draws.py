"""Pages drawn by chance: how often, from what, with which mark, and the same again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langcrawl.draws import MARK, Draws, reason_in_words
from langcrawl.frontier.memory import MemoryFrontier
from langcrawl.records import Facts, Step, Visit
from scripted import crawl_of, page

FACTS = Facts(0, 0, 1, 0, 1.0, 0, 0, 0, 0)


def frontier_of(urls: Iterable[str]) -> MemoryFrontier:
    frontier = MemoryFrontier()
    for url in urls:
        frontier.put(Visit(url, url.split("/")[2], FACTS, 0.0, ""))
    return frontier


def anybody(host: str) -> bool:
    return True


def test_a_share_of_the_downloads_is_drawn_and_each_url_is_as_likely() -> None:
    urls = [f"http://h{n}.th/" for n in range(5)]
    frontier, draws = frontier_of(urls), Draws(0.25, seed=1)
    drawn: Counter[str] = Counter()
    for number in range(8000):
        visit = draws.take(frontier, number, anybody)
        if visit is not None:
            drawn[visit.url] += 1
            draws.marked(visit)
            frontier.put_back(visit)
    assert 1850 < drawn.total() < 2150
    assert set(drawn) == set(urls)
    assert all(330 < count < 470 for count in drawn.values())


@pytest.mark.parametrize(("share", "expected"), [(0.0, 0), (1.0, 200)])
def test_none_and_all_can_be_drawn(share: float, expected: int) -> None:
    frontier, draws = frontier_of(f"http://h{n}.th/" for n in range(200)), Draws(share)
    found = [draws.take(frontier, number, anybody) for number in range(200)]
    assert len([visit for visit in found if visit is not None]) == expected


@settings(max_examples=20)
@given(st.integers(0, 2**32), st.integers(0, 50))
def test_what_is_drawn_follows_from_the_seed_and_the_number_of_the_download(
    seed: int, start: int
) -> None:
    def drawn(first: int) -> list[str]:
        frontier, draws = frontier_of(f"http://h{n}.th/" for n in range(40)), Draws(0.5, seed)
        found = []
        for number in range(first, 60):
            visit = draws.take(frontier, number, anybody)
            found.append(draws.marked(visit).url if visit else "")
            if visit:
                frontier.put_back(visit)
        return found

    assert drawn(start) == drawn(0)[start:], "a crawl that was killed draws the same again"


def test_a_drawn_url_waits_for_its_host_and_keeps_its_mark() -> None:
    frontier, draws = frontier_of(["http://busy.th/1"]), Draws(1.0)
    assert draws.take(frontier, 0, lambda host: False) is None
    frontier.put(Visit("http://free.th/", "free.th", FACTS, 0.0, ""))
    visit = draws.take(frontier, 0, anybody)
    assert visit is not None
    assert visit.url == "http://busy.th/1"
    assert draws.marked(visit).reason == f"{MARK}1", "one URL waited when it was drawn"
    assert draws.marked(visit).reason == "", "and its mark is given once"


def test_a_number_is_drawn_for_once_however_often_it_is_asked_for() -> None:
    frontier, draws = frontier_of(f"http://h{n}.th/" for n in range(50)), Draws(1.0)
    assert draws.take(frontier, 0, anybody) is not None
    assert draws.take(frontier, 0, anybody) is None
    assert draws.take(frontier, 1, anybody) is not None


def test_a_drawn_url_that_was_taken_in_its_turn_is_not_taken_twice() -> None:
    frontier, draws = frontier_of(["http://a.th/"]), Draws(1.0)
    assert draws.take(frontier, 0, lambda host: False) is None
    taken = frontier.take(anybody, overtake=False)
    assert taken is not None
    assert draws.take(frontier, 0, anybody) is None
    assert draws.marked(taken).reason == f"{MARK}1", "it was drawn all the same"


def test_nothing_is_drawn_from_an_empty_queue() -> None:
    assert Draws(1.0).take(MemoryFrontier(), 0, anybody) is None


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        (f"{MARK}12345", "drawn by chance from 12,345 URLs that waited"),
        (f"{MARK}many", f"{MARK}many"),
        (MARK, MARK),
        ("its host has 3 hits of 4", "its host has 3 hits of 4"),
        ("", ""),
    ],
)
def test_a_drawn_page_says_so_in_words(reason: str, words: str) -> None:
    assert reason_in_words(reason) == words


def test_a_crawl_with_draws_takes_every_page_once_and_logs_which_were_drawn() -> None:
    steps: list[Step] = []

    class Keeps:
        take = staticmethod(steps.append)

        def close(self) -> None: ...

    def says(visit: Visit) -> object:
        number = int(visit.url.rsplit("/", 1)[1])
        return page(visit, [f"http://a.th/{2 * number + n}" for n in (1, 2) if number < 100])

    crawl = crawl_of(says, draws=Draws(0.2, seed=3), sinks=(Keeps(),))  # type: ignore[arg-type]
    outcome = crawl.run(["http://a.th/0"])
    assert outcome.counts.pages == len({step.visit.url for step in steps}) == 201
    drawn = [step for step in steps if step.visit.reason.startswith(MARK)]
    assert 20 < len(drawn) < 60
    queue = ["http://a.th/0"]
    for step in steps:  # first come, first served, but for those that were drawn
        if step in drawn:
            assert step.visit.reason == f"{MARK}{len(queue)}"
        else:
            assert step.visit.url == queue[0]
        queue.remove(step.visit.url)
        queue += step.page.links.urls
