"""What of a crawl outlasts its process."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from langcrawl.crawl import Crawl
from langcrawl.frontier.sqlite import SqliteFrontier
from langcrawl.politeness import Politeness
from langcrawl.records import Asked, Facts, Finished, Later, Page, Visit
from langcrawl.store.state import CrawlState
from langcrawl.strategy import make_strategy, start_ranker
from langcrawl.web.clock import VirtualClock
from langcrawl.web.replay import ReplayedWeb
from webs import P, graph_of

DELAY = 5.0


class Process:
    """One process of a crawl that dies when `kill` is called."""

    def __init__(self, path: Path, now: float) -> None:
        web = ReplayedWeb(graph_of({"h/1": P("th"), "h/2": P("th")}))
        web.clock.sleep_until(now)
        self.frontier = SqliteFrontier(path)
        ranker = start_ranker(make_strategy("bfs"))
        self.crawl = Crawl(web, self.frontier, ranker, politeness=Politeness(DELAY))
        state = CrawlState(self.crawl, self.frontier.connection)
        state.restore(self.frontier.leased_hosts)
        self.frontier.at_commit.append(state.save)

    def kill(self) -> None:
        self.frontier.close()


def test_a_host_that_was_being_asked_rests_a_full_delay_however_often_we_die(
    tmp_path: Path,
) -> None:
    path = tmp_path / "frontier.db"
    first = Process(path, 100.0)
    first.frontier.put(Visit("http://h/1", "h", Facts(0, 0, 1, 0, 1.0, 0, 0, 0, 0), 0.0, ""))
    assert first.frontier.take(lambda host: True, overtake=False)
    first.frontier.commit()
    first.kill()  # while the host is being asked
    second = Process(path, 101.0)
    assert second.crawl.politeness.ready_at("h") == 106.5  # and what a worker may outlive us
    second.frontier.commit()
    second.kill()  # before the host is asked again: the lease is gone, the clock is not
    third = Process(path, 102.0)
    assert third.crawl.politeness.ready_at("h") == 106.5  # and what a worker may outlive us
    third.kill()


def test_counts_and_tallies_are_there_again(tmp_path: Path) -> None:
    path = tmp_path / "frontier.db"
    first = Process(path, 0.0)
    first.crawl.run(["http://h/1", "http://h/2"])
    first.kill()
    second = Process(path, 0.0)
    assert (second.crawl.counts.pages, second.crawl.counts.relevant) == (2, 2)
    tally = second.crawl.hosts["h"]
    assert (tally.downloads, tally.hits) == (2, 2)
    second.kill()


class Failing:
    """A web whose only page never answers, or redirects without end."""

    def __init__(self, redirects: bool = False) -> None:
        self.clock, self.redirects = VirtualClock(), redirects
        self.asked: list[str] = []
        self._visits: list[Visit] = []

    def begin(self, visits: Sequence[Visit]) -> None:
        self._visits += visits

    def next_done(self, until: float) -> list[Finished]:
        done = []
        for visit in self._visits:
            self.asked.append(visit.url)
            answer: Page | Later = Later(Page(visit.url, 0, error="timeout"))
            if self.redirects:
                answer = Page(visit.url, 301, f"{visit.url}x")
            done.append(Finished(visit, answer, asked=Asked(self.clock.now())))
        self._visits = []
        return done

    def stop(self) -> list[Finished]:
        return []

    def close(self) -> None: ...


def run_once(path: Path, web: Failing, answers: int, retries: int, redirects: float) -> Crawl:
    """A process that is killed after so many answers."""
    frontier = SqliteFrontier(path)
    before = len(web.asked)
    crawl = Crawl(
        web,
        frontier,
        start_ranker(make_strategy("bfs")),
        politeness=Politeness(0.0, backoff=0.0),
        retries=retries,
        max_redirects=redirects,
        stop=lambda: len(web.asked) - before >= answers,
    )
    state = CrawlState(crawl, frontier.connection)
    state.restore(frontier.leased_hosts)
    frontier.at_commit.append(state.save)
    crawl.run(["http://h/1"])
    frontier.close()
    return crawl


def test_tries_are_counted_over_several_runs(tmp_path: Path) -> None:
    web = Failing()
    for _ in range(6):
        crawl = run_once(tmp_path / "frontier.db", web, answers=1, retries=3, redirects=5)
    assert len(web.asked) == 4  # once, and three times more
    assert crawl.counts.errors == {"timeout": 1}


def test_redirects_in_a_row_are_counted_over_several_runs(tmp_path: Path) -> None:
    web = Failing(redirects=True)
    for _ in range(9):
        crawl = run_once(tmp_path / "frontier.db", web, answers=1, retries=0, redirects=5)
    assert len(web.asked) == 6
    assert crawl.counts.discards == {"redirects": 1}
