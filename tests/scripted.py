"""A web whose answers are written down in advance, for crawls that run in virtual time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

from langcrawl.changes import Changes
from langcrawl.config import CrawlConfig
from langcrawl.crawl import Crawl
from langcrawl.draws import Draws
from langcrawl.frontier.memory import MemoryFrontier
from langcrawl.frontier.sqlite import SqliteFrontier
from langcrawl.log.writer import LogWriter
from langcrawl.politeness import Politeness
from langcrawl.ports import Ranker
from langcrawl.records import (
    UNJUDGED,
    Asked,
    Finished,
    Later,
    Links,
    Outcome,
    Page,
    Refused,
    Sitemap,
    Verdict,
    Visit,
)
from langcrawl.settings import limits_of, scope_of
from langcrawl.store.state import CrawlState
from langcrawl.strategy import make_strategy, start_ranker

THAI = Verdict("th", score=1.0, relevant=True)
ENGLISH = Verdict("en")
Answer = Page | Sitemap | Refused | Later
Says = Callable[[Visit], Answer | tuple[Answer, Verdict]]


class SteppedClock:
    """Virtual seconds; a sleep returns early, as that of the wall clock does."""

    def __init__(self) -> None:
        self._now = 0.0

    def now(self) -> float:
        return self._now

    def sleep_until(self, moment: float) -> None:
        self._now = max(self._now, min(moment, self._now + 1.0))


class ScriptedWeb:
    """Answers each visit with what a function says, a second later."""

    def __init__(self, says: Says) -> None:
        self.clock = SteppedClock()
        self.asked: list[str] = []
        """URLs in the order in which they were asked for, as often as they were."""
        self._says = says
        self._under_way: list[tuple[float, Visit]] = []

    def begin(self, visits: Sequence[Visit]) -> None:
        self.asked += [visit.url for visit in visits]
        self._under_way += [(self.clock.now(), visit) for visit in visits]

    def next_done(self, until: float) -> Sequence[Finished]:
        began, visit = self._under_way[0]
        if until < began + 1.0:
            self.clock.sleep_until(until)
            return ()
        self.clock.sleep_until(began + 1.0)
        del self._under_way[0]
        said = self._says(visit)
        answer, verdict = said if type(said) is tuple else (said, UNJUDGED)
        # asked at 0 would mean that the host was not asked at all
        return [Finished(visit, answer, verdict, Asked(began + 1.0, 0.0))]

    def stop(self) -> Sequence[Finished]:
        self._under_way.clear()
        return ()

    def close(self) -> None:
        self._under_way.clear()


class Told:
    """Takes what a crawl tells, as `langcrawl.ports.Tell` does."""

    def __init__(self) -> None:
        self.events: list[tuple[str, str, dict[str, object]]] = []

    def __call__(self, event: str, words: str, /, **about: object) -> None:
        self.events.append((event, words, about))

    @property
    def names(self) -> list[str]:
        return [event for event, _, _ in self.events]


def page(visit: Visit, links: Iterable[str] = (), **more: Any) -> Page:
    """A page that was downloaded, with these links."""
    return Page(visit.url, **{"status": 200, "links": Links(tuple(links)), **more})


def silent(visit: Visit, why: str = "timeout") -> Later:
    """Nobody answered."""
    return Later(Page(visit.url, 0, error=why), silence=why)


def crawl_of(says: Says, ranker: Ranker | str = "bfs", **more: Any) -> Crawl:
    """A crawl of a scripted web, with its queue in memory."""
    if isinstance(ranker, str):
        ranker = start_ranker(make_strategy(ranker))
    frontier = MemoryFrontier(ranker.last_first, ranker.group_of if ranker.grouped else None)
    return Crawl(ScriptedWeb(says), frontier, ranker, **more)


def waiting(crawl: Crawl) -> list[str]:
    """What waits, without a change to it: the URLs in the order in which they would be taken."""
    states = enumerate(crawl.frontier.waiting())
    ranked = sorted(states, key=lambda row: (row[1].priority, row[0]))
    assert all(state.priority < inf for _, state in ranked)
    return [state.url for _, state in ranked]


class Kept(NamedTuple):
    """A crawl in a directory, as a process of the real program has it."""

    crawl: Crawl
    frontier: SqliteFrontier
    changes: Changes
    told: Told

    def run(self) -> Outcome:
        return self.crawl.run(self.changes.config.seeds)


@contextmanager
def kept_crawl(directory: Path, says: Says, config: CrawlConfig | None = None) -> Iterator[Kept]:
    """Begin or resume a crawl of a scripted web; at the end all of it stands in the directory."""
    if config is not None:
        config.save(directory)
    config = CrawlConfig.load(directory)
    ranker = start_ranker(make_strategy(config.strategy), config.lang, config.connections)
    grouped = (ranker.group_of, ranker.name) if ranker.grouped else (None, "")
    scope, told = scope_of(config), Told()
    with closing(
        SqliteFrontier(directory / "frontier.db", ranker.last_first, *grouped)
    ) as frontier:
        log = LogWriter(directory, frontier.connection, frontier.ids_of)
        crawl = Crawl(
            ScriptedWeb(says), frontier, ranker, politeness=Politeness(backoff=0.0), scope=scope,
            bridge=config.bridge, limits=limits_of(config), connections=config.connections,
            retries=config.retries, sinks=(log,), failures_are_pages=False, tell=told,
            draws=Draws(config.sample) if config.sample else None,
        )  # fmt: skip
        state = CrawlState(crawl, frontier.connection, scope)
        state.restore(frontier.leased_hosts)
        frontier.at_commit += [log.save, state.save]
        changes = Changes(directory, config, crawl, frontier, scope, told)
        changes.review()
        yield Kept(crawl, frontier, changes, told)
        frontier.at_commit += [partial(save, all_of_it=True) for save in (log.save, state.save)]
        frontier.write_all()


def kept(directory: Path, says: Says, **about: Any) -> Path:
    """A crawl that has run to its end in a directory."""
    fixed = {"lang": "th", "strategy": "bfs", "connections": 1, "delay": 0.0, "retries": 0}
    with kept_crawl(directory, says, CrawlConfig(**fixed | about)) as found:
        found.run()
    return directory
