"""The driver, with shards that say what the test has them say."""

from __future__ import annotations

from math import inf
from pathlib import Path
from typing import Any

import pytest

from langcrawl.cluster.driver import Driver, Inbox
from langcrawl.cluster.messages import Batch, Ended, Report, Start, Stop
from langcrawl.config import CrawlConfig
from langcrawl.errors import LangcrawlError
from langcrawl.run import listener
from langcrawl.store.directory import CrawlDirectory
from langcrawl.store.events import EventLog, read_events

CONFIG = CrawlConfig(lang="th", seeds=("http://h0.th/",), shards=2)


def report(heard: int = 0, outbox: int = 0, idle: str = "queue-empty", pages: int = 0) -> Report:
    return Report(heard, outbox, idle, pages, pages, 0, 0, 0, inf)


class Actor:
    """A shard that says its lines, one each time the driver looks, and ends when it is told to."""

    def __init__(self, inbox: Inbox, lines: list[Any]) -> None:
        self.inbox, self.lines, self.killed = inbox, lines, False
        self.heard: list[Any] = []

    def speak(self) -> None:
        if self.lines:
            self.inbox.put((self, self.lines.pop(0)))

    def send(self, message: Any) -> None:
        self.heard.append(message)
        if isinstance(message, Stop):
            self.inbox.put((self, Ended()))

    def end(self) -> str:
        return "signal 9"

    def kill(self) -> None:
        self.killed = True


class Stage:
    """A driver with such shards: a list of lines for each process that it starts."""

    def __init__(self, path: Path, *scripts: list[Any], config: CrawlConfig = CONFIG) -> None:
        self.path, self.scripts, self.actors = path, list(scripts), list[Actor]()
        self.turns = 0
        tell = EventLog(path, lambda event, words: None)
        self.driver = Driver(CrawlDirectory(path), config, self._start, tell, listener(), self.stop)

    def _start(self, start: Start, inbox: Inbox) -> Any:
        self.actors.append(Actor(inbox, self.scripts.pop(0)))
        return self.actors[-1]

    def stop(self) -> bool:
        self.turns += 1
        assert self.turns < 100, "it does not end"
        for actor in self.actors:
            actor.speak()
        return False

    def run(self) -> str:
        starts = [Start(self.path, number, 2, CONFIG, inf, None) for number in range(2)]
        return self.driver.run(starts, [0, 0])


def test_it_is_over_when_all_are_idle_have_heard_everything_and_are_acknowledged(
    tmp_path: Path,
) -> None:
    batch = Batch(0, 1, 1, "[]")
    first = [report(idle=""), batch, report(outbox=1), report(outbox=1), report(outbox=0)]
    second = [report(), report(), report(), report(heard=1)]
    stage = Stage(tmp_path, first, second)
    assert stage.run() == "queue-empty"
    assert not any(actor.lines for actor in stage.actors), "it ended before all was said"
    assert batch in stage.actors[1].heard


def test_hosts_that_do_not_answer_are_told_apart_from_an_empty_queue(tmp_path: Path) -> None:
    assert Stage(tmp_path, [report()], [report(idle="no-answer")]).run() == "no-answer"


@pytest.mark.parametrize(("limit", "pages"), [(10, 5), (7, 4)])
def test_a_limit_holds_for_the_sum(tmp_path: Path, limit: int, pages: int) -> None:
    config = CONFIG.model_copy(update={"max_pages": limit})
    lines = [report(idle="", pages=pages)]
    assert Stage(tmp_path, lines, list(lines), config=config).run() == "max-pages"


def test_a_shard_that_dies_is_started_anew_and_its_end_is_an_event(tmp_path: Path) -> None:
    stage = Stage(tmp_path, [report(idle=""), None], [report()], [report()])
    assert stage.run() == "queue-empty"
    assert [event["event"] for event in read_events(tmp_path)] == ["shard-died"]


def test_a_shard_that_never_gets_to_work_ends_the_crawl_with_a_sentence(tmp_path: Path) -> None:
    stage = Stage(tmp_path, [None], [report()], *([None] for _ in range(9)))
    with pytest.raises(LangcrawlError, match="ends as soon as it starts"):
        stage.run()
    assert 3 < len(stage.actors) < 9


def test_what_a_shard_fails_of_is_told_and_the_others_end_in_order(tmp_path: Path) -> None:
    stage = Stage(tmp_path, [Ended("the disk is full.")], [report(idle="")])
    with pytest.raises(LangcrawlError, match=r"shard 0: the disk is full"):
        stage.run()
    assert Stop() in stage.actors[1].heard


def test_nothing_goes_on_when_the_driver_is_stopped_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage = Stage(tmp_path, [report(idle="")], [report(idle="")])

    def interrupted() -> bool:
        raise KeyboardInterrupt

    monkeypatch.setattr(stage.driver, "_stop", interrupted)
    with pytest.raises(KeyboardInterrupt):
        stage.run()
    assert all(actor.killed for actor in stage.actors)
