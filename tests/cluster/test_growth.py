"""More shards for a crawl: what moves, what stays, and that a growth may be cut off."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from langcrawl.cluster import growth
from langcrawl.cluster.growth import grow
from langcrawl.cluster.owners import Owners
from langcrawl.cluster.run import prepare
from langcrawl.config import CrawlConfig
from langcrawl.errors import BadInput, UsageError
from langcrawl.frontier.sqlite import SqliteFrontier
from langcrawl.ports import tell_nobody
from langcrawl.records import Facts, Visit
from langcrawl.store.checks import database_problems
from langcrawl.store.database import TAKEN
from langcrawl.store.directory import CrawlDirectory

HOSTS = [f"h{number}.th" for number in range(40)]
DOWNLOADED, WAITING, ASKED = range(3)
CONFIG = CrawlConfig(lang="th", seeds=("http://h0.th/",), shards=2, delay=9.0)


@pytest.fixture
def place(tmp_path: Path) -> CrawlDirectory:
    """A crawl of two shards: each host has a page, a URL that waits and one under way."""
    place = CrawlDirectory(tmp_path / "crawl")
    prepare(place, CONFIG, tell_nobody)
    for number in range(2):
        frontier = SqliteFrontier(CrawlDirectory(place.part(number)).database)
        facts = Facts(0, 1, 1, 0, 1.0, 0, 0, 0, 0)
        mine = [host for host in HOSTS if Owners(2).of(host) == number]
        for host in mine:
            for page in (DOWNLOADED, ASKED, WAITING):
                url = f"http://{host}/{page}"
                frontier.lookup([url])
                frontier.put(Visit(url, host, facts, 0.0, "http://h0.th/"))
        for host in mine:
            frontier.take_url(f"http://{host}/{DOWNLOADED}")
            frontier.finish(f"http://{host}/{DOWNLOADED}")
            frontier.take_url(f"http://{host}/{ASKED}")  # and then the process dies
        rows = [(host, 1, 1, 5.0, 2.0, "", 0, 0) for host in mine]
        frontier.commit()
        frontier.connection.execute("BEGIN")
        frontier.connection.executemany(
            f"INSERT INTO hosts ({growth._HOSTS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows
        )
        frontier.connection.execute("COMMIT")
        frontier.close()
    return place


def hosts_of(place: CrawlDirectory, number: int) -> dict[str, float]:
    with closing(sqlite3.connect(CrawlDirectory(place.part(number)).database)) as connection:
        return dict(connection.execute("SELECT name, ready_at FROM hosts WHERE downloads = 1"))


def taken_by(place: CrawlDirectory, number: int) -> set[str]:
    with closing(sqlite3.connect(CrawlDirectory(place.part(number)).database)) as connection:
        assert not list(database_problems(connection))
        query = f"SELECT url FROM known JOIN urls USING (id) WHERE state = {TAKEN}"
        return {url for (url,) in connection.execute(query)}


def check(place: CrawlDirectory, shards: int) -> None:
    """All is where it belongs."""
    owners = Owners(shards)
    for number in range(shards):
        mine = {host for host in HOSTS if owners.of(host) == number}
        clocks = hosts_of(place, number)
        assert clocks.keys() == mine
        assert all(ready > time.time() for ready in clocks.values()), "they rest a full delay"
        downloaded = {f"http://{host}/{DOWNLOADED}" for host in mine}
        taken = taken_by(place, number)
        assert downloaded <= taken
        if number >= 2:
            assert taken == downloaded, "what was only asked for waits, and is handed over"


def test_growing_moves_what_is_known_of_hosts_to_the_new_shards(place: CrawlDirectory) -> None:
    config = prepare(place, CONFIG.model_copy(update={"shards": 5}), tell_nobody)
    assert config.shards == CrawlConfig.load(place.path).shards == 5
    check(place, 5)
    frontier = SqliteFrontier(CrawlDirectory(place.part(3)).database)
    (url, *_) = (f"http://{host}/{DOWNLOADED}" for host in HOSTS if Owners(5).of(host) == 3)
    assert frontier.lookup([url]) == [], "it is never asked for again"
    frontier.close()


@pytest.mark.parametrize("steps", range(8))
def test_a_growth_that_is_cut_off_is_completed_by_the_next_start(
    place: CrawlDirectory, monkeypatch: pytest.MonkeyPatch, steps: int
) -> None:
    class Dies(Exception):
        pass

    made = [0]

    def counted(name: str) -> None:
        work = getattr(growth, name)

        def step(*about: object) -> object:
            if made[0] == steps:
                raise Dies
            made[0] += 1
            return work(*about)

        monkeypatch.setattr(growth, name, step)

    for name in ("_give", "_let_go"):
        counted(name)
    with pytest.raises(Dies):
        prepare(place, CONFIG.model_copy(update={"shards": 5}), tell_nobody)
    monkeypatch.undo()
    assert CrawlConfig.load(place.path).shards == 2
    assert prepare(place, CONFIG, tell_nobody).shards == 5
    check(place, 5)
    assert grow(place, CONFIG.model_copy(update={"shards": 5}), 2) == 0, "nothing is left to move"


def test_fewer_shards_and_a_crawl_that_has_none_are_refused(
    place: CrawlDirectory, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match="not fewer"):
        prepare(place, CONFIG.model_copy(update={"shards": 1}), tell_nobody)
    plain = CrawlDirectory(tmp_path / "plain")
    CONFIG.model_copy(update={"shards": 1}).save(plain.path)
    SqliteFrontier(plain.database).close()
    with pytest.raises(BadInput, match="without --shards"):
        prepare(plain, CONFIG, tell_nobody)
