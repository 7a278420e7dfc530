"""What of a crawl outlasts its process."""

from __future__ import annotations

from pathlib import Path

from langcrawl.crawl import Crawl
from langcrawl.frontier.sqlite import SqliteFrontier
from langcrawl.ledger import Ledger
from langcrawl.politeness import Politeness
from langcrawl.records import Facts, Visit
from langcrawl.strategy import make_strategy
from langcrawl.web.replay import ReplayedWeb
from webs import P, graph_of

DELAY = 5.0


class Process:
    """One process of a crawl that dies when `kill` is called."""

    def __init__(self, path: Path, now: float) -> None:
        web = ReplayedWeb(graph_of({"h/1": P("th"), "h/2": P("th")}))
        web.clock.sleep_until(now)
        self.frontier = SqliteFrontier(path)
        self.crawl = Crawl(web, self.frontier, make_strategy("bfs"), politeness=Politeness(DELAY))
        ledger = Ledger(self.crawl, self.frontier)
        ledger.restore()
        self.frontier.at_commit.append(ledger.save)

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
    assert second.crawl.politeness.ready_at("h") == 106.0
    second.frontier.commit()
    second.kill()  # before the host is asked again: the lease is gone, the clock is not
    third = Process(path, 102.0)
    assert third.crawl.politeness.ready_at("h") == 106.0
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
