"""Links on their way between shards: handed over once they are committed, and taken once."""

from __future__ import annotations

import sqlite3
from collections import deque
from math import inf
from pathlib import Path
from typing import Any

from langcrawl.cluster.exchange import Exchange
from langcrawl.cluster.messages import Ack, Batch, Down, Report, Start, Stop, Up
from langcrawl.cluster.owners import Owners
from langcrawl.cluster.wire import as_text, pack
from langcrawl.config import CrawlConfig
from langcrawl.crawl import Crawl
from langcrawl.frontier.sqlite import SqliteFrontier
from langcrawl.ports import Download
from langcrawl.records import Facts, Found, Link, Links, Page, Tally, Verdict, Visit
from langcrawl.store.state import CrawlState
from langcrawl.strategy import make_strategy, start_ranker
from langcrawl.web.clock import VirtualClock

SHARDS = 2
SEED = "http://seed.th/"


def host_of_shard(number: int) -> str:
    owners = Owners(SHARDS)
    return next(host for at in range(99) if owners.of(host := f"h{at}.th") == number)


MINE, THEIRS = host_of_shard(0), host_of_shard(1)


class Lines:
    """A channel whose other end is the test."""

    def __init__(self) -> None:
        self.inbound: deque[Down] = deque()
        self.sent: list[Up] = []

    def poll(self, seconds: float) -> bool:
        return bool(self.inbound)

    def receive(self) -> Down:
        return self.inbound.popleft()

    def send(self, message: Up) -> None:
        self.sent.append(message)

    def taken(self, kind: type) -> list[Any]:
        found = [message for message in self.sent if isinstance(message, kind)]
        self.sent = [message for message in self.sent if not isinstance(message, kind)]
        return found


class NoWeb:
    clock = VirtualClock()

    def begin(self, visits: list[Visit]) -> None: ...


class OneShard:
    """A shard on a real database, without a web; `die` and make another to resume it."""

    def __init__(self, directory: Path, number: int = 0, strategy: str = "bfs") -> None:
        self.lines = Lines()
        config = CrawlConfig(lang="th", seeds=(SEED,))
        start = Start(directory, number, SHARDS, config, inf, None)
        self.exchange = Exchange(start, self.lines)
        ranker = start_ranker(make_strategy(strategy), "th")
        self.frontier = SqliteFrontier(directory / "frontier.db")
        web: Any = NoWeb()
        self.crawl = Crawl(web, self.frontier, ranker, peers=self.exchange)
        state = CrawlState(self.crawl, self.frontier.connection)
        state.restore()
        self.frontier.at_commit += [state.save, self.exchange.save]
        self.exchange.join(self.crawl, self.frontier, None)  # type: ignore[arg-type]

    def find(self, *urls: str) -> None:
        """As if a relevant page had these links."""
        origin = Facts(0, 1, 1, 0, 1.0, 0, 0, 0, 0)
        self.crawl.offer(Found(Links(urls), origin, SEED))

    def commit_and_turn(self) -> bool:
        self.frontier.commit()
        return self.exchange.turn()

    def die(self) -> None:
        self.frontier.connection.rollback()
        self.frontier.close()

    def waiting(self) -> set[str]:
        return {state.url for state in self.frontier.waiting()}


def test_links_to_others_are_handed_over_after_the_commit_and_not_before(tmp_path: Path) -> None:
    shard = OneShard(tmp_path)
    shard.find(f"http://{MINE}/a", f"http://{THEIRS}/b")
    shard.exchange.turn()
    assert not shard.lines.taken(Batch)
    shard.commit_and_turn()
    (batch,) = shard.lines.taken(Batch)
    assert (batch.sender, batch.receiver, batch.number) == (0, 1, 1)
    assert THEIRS in batch.offers
    assert shard.waiting() == {f"http://{MINE}/a"}


def test_what_was_not_acknowledged_is_sent_again_by_the_next_process(tmp_path: Path) -> None:
    shard = OneShard(tmp_path)
    for name in "abc":
        shard.find(f"http://{THEIRS}/{name}")
        shard.commit_and_turn()
    first, *_ = sent = shard.lines.taken(Batch)
    assert [batch.number for batch in sent] == [1, 2, 3]
    shard.lines.inbound.append(Ack(0, 1, first.number))
    shard.commit_and_turn()
    shard.frontier.commit()
    shard.die()
    again = OneShard(tmp_path)
    again.commit_and_turn()
    assert again.lines.taken(Batch) == sent[1:]
    again.find(f"http://{THEIRS}/d")
    again.commit_and_turn()
    assert [batch.number for batch in again.lines.taken(Batch)] == [4]


def test_a_batch_is_taken_once_in_its_turn_and_acknowledged_when_it_is_committed(
    tmp_path: Path,
) -> None:
    (tmp_path / "sender").mkdir()
    (tmp_path / "receiver").mkdir()
    sender = OneShard(tmp_path / "sender")
    for name in "abc":
        sender.find(f"http://{THEIRS}/{name}")
        sender.commit_and_turn()
    one, two, three = sender.lines.taken(Batch)
    shard = OneShard(tmp_path / "receiver", 1)
    shard.lines.inbound += [three, one]  # the third has overtaken the others
    shard.exchange.turn()
    assert not shard.lines.taken(Ack), "it is not committed yet"
    shard.commit_and_turn()
    assert shard.lines.taken(Ack) == [Ack(0, 1, 1)]
    assert shard.waiting() == {f"http://{THEIRS}/a"}
    shard.lines.inbound += [two]
    shard.exchange.turn()
    shard.die()  # before it could commit the second
    shard = OneShard(tmp_path / "receiver", 1)
    shard.lines.inbound += [one, two, two, three]
    shard.exchange.turn()
    shard.commit_and_turn()
    assert shard.lines.taken(Ack)[-1] == Ack(0, 1, 3)
    assert shard.waiting() == {f"http://{THEIRS}/{name}" for name in "abc"}
    (report, *_) = reversed(shard.lines.taken(Report))
    assert report.heard == 4


def test_a_link_is_handed_over_once_under_a_rule_that_says_the_same_every_time(
    tmp_path: Path,
) -> None:
    for strategy, batches in (("bfs", 1), ("lswc:s=1,t=1", 2)):
        directory = tmp_path / strategy.split(":")[0]
        directory.mkdir()
        shard = OneShard(directory, strategy=strategy)
        for _ in range(2):
            shard.find(f"http://{THEIRS}/b")
            shard.commit_and_turn()
        assert len(shard.lines.taken(Batch)) == batches


def test_what_a_strategy_reads_of_links_travels_with_them(tmp_path: Path) -> None:
    from langcrawl.cluster.wire import as_text, columns_for, pack, unpack

    links = Links.of([Link(f"http://{THEIRS}/b", "ข่าว", anchor_score=0.5, hreflang="th", rel="me")])
    found = Found(links, Facts(2, 3, 1, 0, 0.25, 0, 0, 0, 0), SEED, "redirect", True, 4)
    for name, kept in (("bfs", Links(links.urls)), ("adaptive", links)):
        columns = columns_for(start_ranker(make_strategy(name), "th"))
        (back,) = unpack(as_text([pack(found, columns)]))
        assert isinstance(back, Found)
        assert list(back.links) == list(kept)
        assert back[1:] == found[1:]


def learned(shard: OneShard) -> float:
    """How much more a link with a Thai anchor is worth than another, on a host of nobody's."""
    ranker: Any = shard.crawl.ranker
    facts = Facts(0, 1, 1, 0, 1.0, 1, 0, 0, 0)
    thai, other = (
        ranker.chance(Visit("http://new.th/a", "new.th", facts, 5.0, "", evidence=evidence))
        for evidence in ("0.4.0.0.|ข่าว", "0.1.0.0.|news")
    )
    return float(thai - other)


def see_pages(shard: OneShard, host: str, count: int) -> None:
    """As if links with Thai anchors had led to Thai pages, and others not."""
    ranker = shard.crawl.ranker
    for number in range(count):
        url, is_thai = f"http://{host}/{number}", number % 2 == 0
        evidence = "0.4.0.0.|ข่าว" if is_thai else "0.1.0.0.|news"
        facts = Facts(0, 1, 1, 0, 1.0, 1, 0, 0, 0)
        visit = Visit(url, host, facts, 5.0, "", evidence=evidence)
        verdict = Verdict("th" if is_thai else "en", relevant=is_thai)
        group = ranker.group_of(url, host)
        ranker.saw(Download(visit, Page(url, 200), verdict, group, Tally(1, 1, 0)))
    shard.crawl.counts.pages += count


def test_one_shard_learns_what_another_has_seen_once_whatever_dies(tmp_path: Path) -> None:
    for name in ("sender", "receiver"):
        (tmp_path / name).mkdir()
    sender = OneShard(tmp_path / "sender", 0, "adaptive")
    see_pages(sender, MINE, 60)
    sender.exchange.turn()
    assert not sender.lines.taken(Batch), "it is not committed yet"
    sender.die()
    sender = OneShard(tmp_path / "sender", 0, "adaptive")  # it has lost the pages with the message
    see_pages(sender, MINE, 60)
    sender.exchange.turn()
    sender.commit_and_turn()
    (batch,) = sender.lines.taken(Batch)
    shard = OneShard(tmp_path / "receiver", 1, "adaptive")
    untaught = learned(shard)
    shard.lines.inbound.append(batch)
    shard.exchange.turn()
    taught = learned(shard)
    assert taught > untaught + 0.1
    shard.die()  # before it could commit
    shard = OneShard(tmp_path / "receiver", 1, "adaptive")
    assert learned(shard) == untaught
    shard.lines.inbound += [batch, batch]
    shard.commit_and_turn()
    shard.commit_and_turn()
    assert shard.lines.taken(Ack)[-1] == Ack(0, 1, 1)
    shard.die()
    shard = OneShard(tmp_path / "receiver", 1, "adaptive")
    shard.lines.inbound.append(batch)  # the word that it had come was lost
    shard.commit_and_turn()
    assert learned(shard) == taught
    assert not shard.lines.taken(Batch), "what others have learned is not told again"


def test_a_shard_that_is_told_to_stop_stops(tmp_path: Path) -> None:
    shard = OneShard(tmp_path)
    assert not shard.commit_and_turn()
    shard.lines.inbound.append(Stop())
    assert shard.commit_and_turn()


def test_the_database_of_a_crawl_without_shards_has_no_tables_of_theirs(tmp_path: Path) -> None:
    frontier = SqliteFrontier(tmp_path / "frontier.db")
    frontier.close()
    names = sqlite3.connect(tmp_path / "frontier.db").execute("SELECT name FROM sqlite_master")
    assert not {"outbox", "exchanged"} & {name for (name,) in names}


def test_links_of_others_wait_until_visits_have_begun(tmp_path: Path) -> None:
    shard = OneShard(tmp_path)
    shard.find(f"http://{MINE}/a")
    shard.crawl._begin()
    assert shard.crawl.under_way == 1
    origin = Facts(0, 1, 1, 0, 1.0, 0, 0, 0, 0)
    offers = as_text([pack(Found(Links([f"http://{MINE}/b"]), origin, SEED), ("urls",))])
    shard.lines.inbound.append(Batch(1, 0, 1, offers))
    shard.commit_and_turn()
    assert shard.waiting() == set()
    shard.exchange.meanwhile()
    assert shard.waiting() == {f"http://{MINE}/b"}
    assert not shard.lines.taken(Ack), "it is not committed yet"
    shard.commit_and_turn()
    assert shard.lines.taken(Ack) == [Ack(1, 0, 1)]
