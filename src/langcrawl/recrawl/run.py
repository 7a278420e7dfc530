"""A recrawl from its options to its figures: pages that are due first, then the new ones."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from langcrawl.config import CrawlConfig
from langcrawl.crawl import Crawl
from langcrawl.errors import BadInput
from langcrawl.log.visits import set_up_visits
from langcrawl.ports import Sink, Strategy
from langcrawl.records import Facts, Limits, Outcome, Step
from langcrawl.recrawl.due import BorrowedWeb, DueFrontier
from langcrawl.recrawl.outcomes import Answers, Outcomes, Round
from langcrawl.recrawl.plan import DuePage, Plan, Wanted
from langcrawl.run import Session, Survivor, run_crawl
from langcrawl.settings import limits_of
from langcrawl.store.database import connect, undamaged
from langcrawl.store.directory import CrawlDirectory
from langcrawl.store.watch import Audience
from langcrawl.strategy import start_ranker

_EXAMPLES = 10
_UNDECIDED = ("interrupted", "outage")
"""Ends of a run after which the round is not over."""


class Options(NamedTuple):
    """What a user asks of a recrawl."""

    wanted: Wanted = Wanted()
    max_pages: int | None = None
    """Pages that may be asked for, new ones included."""
    max_time: float | None = None

    def as_json(self) -> dict[str, Any]:
        """Those that make a round another round."""
        wanted = self.wanted
        return {
            "older_than": wanted.older_than, "hosts": sorted(wanted.hosts),
            "all": wanted.everything, "max_pages": self.max_pages,
        }  # fmt: skip


class Recrawl:
    """The errand of a run (`langcrawl.run.Errand`), and a sink of the crawl's own new pages."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self.round = Round(time.time(), options.as_json())
        self.due = self.total = 0
        """Pages to ask for: in this run, and in the round with what earlier runs asked for."""
        """Pages that are to be asked for."""
        self.left_out: dict[str, int] = {}
        self.resumed = False
        self._session: Session | None = None
        """Set while new pages are downloaded."""
        self._time_left: float | None = None
        """Seconds for new pages."""
        self._open = 0
        """URLs of the crawl itself that wait or are being asked for."""

    def take(self, step: Step) -> None:
        """A new page has been downloaded, and its links are queued."""
        session, done = self._session, self.round
        if session is None:
            return
        done.new_pages += bool(step.page.status)
        done.new_relevant += step.verdict.relevant
        done.new_bytes += step.page.wire_bytes
        before, self._open = self._open, step.queue + session.crawl.under_way
        done.new_urls += max(0, self._open - before + 1)
        self._limit_new(session)

    def close(self) -> None:
        """Nothing to release."""

    def run(self, session: Session) -> Outcome:
        began = time.monotonic()
        connection = session.frontier.connection
        session.frontier.commit()
        connection.execute("BEGIN")
        set_up_visits(connection)
        session.log.save(connection, all_of_it=True)  # what is replaced must stand in a segment
        connection.execute("COMMIT")
        last = Round.read(connection)
        if last is not None and not last.finished and last.options == self._options.as_json():
            self.round, self.resumed = last, True
        stopped = self._ask_again(session)
        queue = len(session.frontier)
        outcome = Outcome(session.crawl.counts, queue, stopped)
        if self._options.max_time is not None:
            self._time_left = max(0.0, self._options.max_time - (time.monotonic() - began))
        if stopped not in _UNDECIDED:
            outcome = self._download_new(session, outcome)
        self.round.seconds += time.monotonic() - began
        self.round.finished = outcome.stopped not in _UNDECIDED
        return outcome

    def _ask_again(self, session: Session) -> str:
        """Ask for the pages that are due; why that ended."""
        crawl, config = session.crawl, session.config
        plan = Plan(
            session.directory.path, session.frontier.connection, self._options.wanted,
            self.round.began, time.time(),
        )  # fmt: skip
        self._tell_plan(session, plan)
        budget = self._options.max_pages
        outcomes = Outcomes(self.round, crawl, session.log)

        def refused(page: DuePage, reason: str) -> None:
            outcomes.refuse(page, reason, crawl.web.clock.now())

        due = DueFrontier(plan.pages(), session.frontier.commit, session.scope.rules_out, refused)
        web = BorrowedWeb(crawl.web, session.watch.stop, due)

        def stop() -> bool:
            asking.paused = crawl.paused
            if budget is not None:
                most = asking.counts.pages + self._left(budget)
                if most != asking.limits.max_pages:
                    asking.limit(replace(asking.limits, max_pages=most))
            return session.watch.stop()

        asking = Crawl(
            web,
            due,
            start_ranker(_IN_ORDER, config.lang),
            politeness=crawl.politeness,
            limits=Limits(max_time=self._options.max_time),
            connections=config.connections,
            retries=config.retries,
            stop=stop,
            survives=Survivor(session.tell.notice),
            failures_are_pages=False,
            max_outage=config.max_outage,
            tell=session.tell,
        )
        answers = Answers(self.round, outcomes, crawl, asking, due, web)
        asking.sinks = (answers, session.watch.live)
        session.frontier.at_commit.insert(0, answers.save)
        stopped = asking.run(()).stopped
        self.left_out = dict(due.left_out)
        return stopped

    def _left(self, budget: int) -> int:
        """How many more pages may be asked for again.

        A URL that was found keeps a place in it, because a page that the crawl does not have is
        worth more than one that may have changed; but at most half of it goes to new pages.
        """
        return budget - min(self.round.new_urls, budget // 2) - self.round.asked

    def _download_new(self, session: Session, so_far: Outcome) -> Outcome:
        """Go on with the crawl itself, for as many pages as there are new URLs."""
        self._session, self._open = session, len(session.frontier)
        if so_far.stopped == "max-time" or not self._open or not self._limit_new(session):
            return so_far
        outcome = session.crawl.run(())
        if outcome.stopped in _UNDECIDED:
            return outcome
        return Outcome(outcome.counts, outcome.queue, so_far.stopped)

    def _limit_new(self, session: Session) -> bool:
        """Let the crawl download as many pages as are new and may be; whether that is any."""
        crawl, limits, done = session.crawl, limits_of(session.config), self.round
        room = done.new_urls
        if self._options.max_pages is not None:
            room = min(room, self._options.max_pages - done.asked)
        most = crawl.counts.pages + room - done.new_pages
        if limits.max_pages is not None:
            most = min(most, limits.max_pages)
        crawl.limit(replace(limits, max_pages=most, max_time=self._time_left))
        return most > crawl.counts.pages

    def _tell_plan(self, session: Session, plan: Plan) -> None:
        self.due = len(plan)
        self.total = self.round.asked + self.due
        expected = float(plan.probabilities.sum())
        verb = "resuming a recrawl" if self.resumed else "recrawling"
        session.tell(
            "recrawl",
            f"{verb}: {len(plan):,} pages are due, of which about {expected:,.0f} may have "
            "changed.",
            due=len(plan), expected=round(expected, 1), resumed=self.resumed,
        )  # fmt: skip


def _first_come(facts: Facts) -> float:
    return 0.0


_IN_ORDER = Strategy("recrawl", _first_come, "pages wait in the order in which they are due")
"""Nothing is offered to it: due pages are put into their places by the plan."""


def recrawl(
    directory: Path,
    options: Options,
    sinks: Sequence[Sink] = (),
    stop: Callable[[], bool] = lambda: False,
    audience: Audience | None = None,
    errand: Recrawl | None = None,
) -> dict[str, Any]:
    """Ask again for pages of the crawl in a directory; the JSON of ``recrawl``."""
    config = checked(directory)
    errand = errand or Recrawl(options)
    result = run_crawl(directory, config, [errand, *sinks], stop, audience, errand=errand)
    done = errand.round.as_json()
    for key in ("began", "options", "finished"):
        del done[key]
    more = {"due": errand.due, "left_out": errand.left_out, "resumed": errand.resumed}
    return done | more | {name: result[name] for name in ("pages", "relevant", "queue", "stopped",
                                                          "told_to_stop")}  # fmt: skip


def checked(directory: Path) -> CrawlConfig:
    """The settings of a crawl that can be recrawled; a sentence where it cannot."""
    config, place = CrawlConfig.load(directory), CrawlDirectory(directory)
    if whole := place.whole:
        raise BadInput(f"'{directory}' is a shard of the crawl in '{whole}'; nothing was changed.")
    if place.parts or config.shards > 1:
        raise BadInput(
            f"the crawl in '{directory}' has several shards, which 'langcrawl recrawl' cannot do "
            "yet; nothing was changed."
        )
    if not place.database.exists():
        raise BadInput(
            f"'{directory}' was not crawled here, so there is nothing to ask again for; "
            "'langcrawl crawl' starts a crawl."
        )
    return config


def try_out(directory: Path, options: Options) -> dict[str, Any]:
    """What a recrawl would ask for first, without asking anybody or changing anything."""
    checked(directory)
    place, now = CrawlDirectory(directory), time.time()
    with undamaged(place.database), closing(connect(place.database)) as connection:
        plan = Plan(directory, connection, options.wanted, now, now)
        most = len(plan) if options.max_pages is None else min(len(plan), options.max_pages)
        return {
            "dry_run": True,
            "due": len(plan),
            "asked": most,
            "expected_changes": round(float(plan.probabilities[:most].sum()), 1),
            "first": [
                {"url": url, "probability": round(float(chance), 3)}
                for url, chance in zip(
                    plan.urls(_EXAMPLES), plan.probabilities[:_EXAMPLES], strict=True
                )
            ],
        }
