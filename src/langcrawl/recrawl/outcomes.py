"""What an answer means for a page that the crawl has: it changed, it did not, it is gone."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any

from langcrawl.crawl import Crawl, kind_of
from langcrawl.log.visits import Visited, save_visits
from langcrawl.log.writer import LogWriter
from langcrawl.records import UNCHANGED as SAME
from langcrawl.records import Page, Step, Verdict
from langcrawl.recrawl.due import BorrowedWeb, DueFrontier
from langcrawl.recrawl.history import CHANGED, FAILED, GONE, UNCHANGED
from langcrawl.recrawl.plan import DuePage
from langcrawl.store.database import read_meta, write_meta
from langcrawl.store.state import ASKED_AGAIN

_ROUND = "recrawl"
"""The key of `meta` with the last round."""
_GONE = (404, 410)
_MOST_VISITS = 50_000
"""Visits that wait in the database at most."""


@dataclass(slots=True)
class Round:
    """What a recrawl has come to; one that was interrupted is resumed."""

    began: float
    options: dict[str, Any]
    asked: int = 0
    not_modified: int = 0
    """Pages that their servers called unchanged (304)."""
    same_bytes: int = 0
    """Pages that came again, byte by byte."""
    changed: int = 0
    gone: int = 0
    failed: int = 0
    new_urls: int = 0
    """URLs that changed and new pages have brought into the queue."""
    new_pages: int = 0
    new_relevant: int = 0
    bytes: int = 0
    """Downloaded for pages that were asked for again."""
    full_bytes: int = 0
    """What these pages would have taken, had all come whole."""
    new_bytes: int = 0
    """Downloaded for new pages."""
    seconds: float = 0.0
    failures: dict[str, int] = field(default_factory=dict)
    finished: bool = False

    @classmethod
    def read(cls, connection: sqlite3.Connection) -> Round | None:
        """The last round of a crawl, if there was one."""
        try:
            return cls(**json.loads(read_meta(connection, _ROUND) or ""))
        except (ValueError, TypeError):  # none, or of another version: a new round begins
            return None

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def outcome_of(due: DuePage, page: Page) -> str:
    """What the answer to a visit says of its page."""
    before = due.page
    if SAME in page.notes:
        return UNCHANGED
    if page.status in _GONE:
        return GONE
    if page.status == 200 or page.redirect:
        same = (page.status, page.digest, page.redirect) == (
            before.status, before.digest, before.redirect,
        )  # fmt: skip
        return UNCHANGED if same and page.digest else CHANGED
    return FAILED


class Outcomes:
    """Brings a crawl, its log and its history of visits up to date with each answer."""

    def __init__(self, round_: Round, crawl: Crawl, log: LogWriter) -> None:
        self._round, self._crawl, self._log = round_, crawl, log
        self._visits: list[tuple[Visited, str | None]] = []
        self._waiting = 0

    def take(self, due: DuePage, page: Page, verdict: Verdict) -> None:
        """An answer has come for a page that is due."""
        outcome = outcome_of(due, page)
        replaces = None
        if outcome == CHANGED or (outcome == GONE and due.page.status not in _GONE):
            replaces = due.segment
            self._replace(due, page, verdict)
        elif page.warc_file:
            self._crawl.archived[page.warc_file] = page.warc_offset + page.warc_length
        self._crawl.counts.visits += 1
        self._count(outcome, page)
        self._note(due, _visited(due.number, outcome, page), replaces)

    def refuse(self, due: DuePage, reason: str, at: float) -> None:
        """Nobody was asked for a page in the end."""
        page = Page(due.visit.url, 0, fetched_at=at, error=reason)
        self._count(FAILED, page)
        self._note(due, _visited(due.number, FAILED, page), None)

    def save(self, connection: sqlite3.Connection) -> None:
        """Keep the visits since the last call; called within a transaction."""
        if self._visits:
            save_visits(connection, self._visits)
            self._waiting += len(self._visits)
            self._visits = []
        if self._waiting >= _MOST_VISITS:
            self._log.save(connection, all_of_it=True)
            self._waiting = 0

    def _note(self, due: DuePage, visited: Visited, replaces: str | None) -> None:
        if not due.has_history:
            self._visits.append((due.row, None))
        self._visits.append((visited, replaces))

    def _count(self, outcome: str, page: Page) -> None:
        done = self._round
        done.asked += 1
        done.bytes += page.wire_bytes
        done.full_bytes += page.full_bytes or page.wire_bytes
        if outcome == UNCHANGED:
            done.not_modified += page.status == 304
            done.same_bytes += page.status != 304
        elif outcome == FAILED:
            done.failed += 1
            why = page.error or str(page.status)
            done.failures[why] = done.failures.get(why, 0) + 1
        elif outcome == GONE:
            done.gone += 1
        else:
            done.changed += 1

    def _replace(self, due: DuePage, page: Page, verdict: Verdict) -> None:
        """Count a page as it is now in place of as it was, log it, and offer its links."""
        crawl, visit = self._crawl, due.visit._replace(known=None)
        recount(crawl, due, page, verdict)
        waiting = len(crawl.frontier)
        if page.redirect:
            crawl.follow(visit, page.redirect)
        elif page.links:
            crawl.offer_links(visit, page, verdict)
        self._round.new_urls += max(0, len(crawl.frontier) - waiting)
        self._log.take(Step(crawl.counts.pages, visit, page, verdict, len(crawl.frontier)))


class Answers:
    """A sink of the loop that asks for due pages."""

    def __init__(
        self, round_: Round, outcomes: Outcomes, crawl: Crawl, asking: Crawl, due: DueFrontier,
        web: BorrowedWeb,
    ) -> None:  # fmt: skip
        self._round, self._outcomes, self._crawl, self._asking = round_, outcomes, crawl, asking
        self._due, self._web = due, web
        self._saved: dict[str, str] = {}

    def take(self, step: Step) -> None:
        page = self._web.whole(step.page)
        due = self._due.settle(page.url)
        if due is not None:
            self._outcomes.take(due, page, step.verdict)

    def close(self) -> None:
        """What was not saved is in no commit."""

    def save(self, connection: sqlite3.Connection) -> None:
        """Keep visits, the round and who is being asked; called within a transaction."""
        self._crawl.archived.update(self._asking.archived)
        self._asking.archived.clear()
        self._outcomes.save(connection)
        hosts = sorted({visit.host for visit in self._asking.visits})
        for key, text in (
            (ASKED_AGAIN, json.dumps(hosts)), (_ROUND, json.dumps(self._round.as_json())),
        ):  # fmt: skip
            if self._saved.get(key) != text:
                write_meta(connection, key, text)
                self._saved[key] = text


def recount(crawl: Crawl, due: DuePage, page: Page, verdict: Verdict) -> None:
    """Have the counts of a crawl and of a host say what a page is now, and not what it was."""
    counts, before = crawl.counts, due.page
    counts.relevant += verdict.relevant - due.relevant
    counts.bytes += page.bytes - before.bytes
    if (tally := crawl.hosts.get(due.visit.host)) is not None:
        tally.hits += verdict.relevant - due.relevant
    for words, gone, new in (
        (counts.answers, [kind_of(before)], [kind_of(page)]),
        (counts.notes, before.notes, page.notes),
        (counts.errors, _error(before), _error(page)),
    ):
        words.update(new)
        _take_off(words, gone)


def _error(page: Page) -> list[str]:
    return [page.error or str(page.status)] if page.status >= 400 or not page.status else []


def _take_off(words: Counter[str], gone: Any) -> None:
    for word in gone:
        if words[word] > 1:
            words[word] -= 1
        else:
            del words[word]


def _visited(number: int, outcome: str, page: Page) -> Visited:
    archived = bool(page.warc_file)
    return Visited(
        number, page.fetched_at, outcome, page.status, page.digest, page.content_type,
        "revisit" in page.notes, page.wire_bytes or None, page.error,
        page.warc_file if archived else None, page.warc_offset if archived else None,
        page.warc_length if archived else None,
    )  # fmt: skip
