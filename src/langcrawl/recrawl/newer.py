"""Captures of pages in an archive that are newer than what the log knows: taken in as visits.

So that a database and a log that are made anew from the archive have the newest answer of each page
as its row, and the others as its history.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from math import inf
from pathlib import Path

from langcrawl.crawl import Crawl
from langcrawl.frontier.sqlite import SqliteFrontier
from langcrawl.log.visits import set_up_visits
from langcrawl.log.writer import LogWriter
from langcrawl.parallel import Stop
from langcrawl.records import Page, Verdict
from langcrawl.recrawl.outcomes import Outcomes, Round
from langcrawl.recrawl.plan import Plan, Wanted

Answers = Callable[[], Iterator[tuple[Page, Verdict]]]
"""Goes through the answers in an archive."""


def take_newer(
    directory: Path,
    crawl: Crawl,
    frontier: SqliteFrontier,
    log: LogWriter,
    urls: Iterable[str],
    answers: Answers,
    stop: Stop,
) -> int:
    """Take in the newer answers for these URLs, one of each page at a time; how many there were.

    A segment of the log can hold one row of a page only.
    """
    done = Round(0.0, {})
    outcomes, connection = Outcomes(done, crawl, log), frontier.connection
    frontier.at_commit.insert(0, outcomes.save)
    before = -1
    while before < done.asked and not stop():
        before = done.asked
        frontier.commit()
        connection.execute("BEGIN")
        set_up_visits(connection)
        log.save(connection, all_of_it=True)
        connection.execute("COMMIT")
        wanted = Wanted(everything=True, numbers=frontier.ids_of(urls))
        plan = Plan(directory, connection, wanted, inf, inf)
        due = {page.visit.url: page for page in plan.pages()}
        for page, verdict in answers():
            known = due.get(page.url)
            if known is not None and page.fetched_at > known.asked_at:
                del due[page.url]
                outcomes.take(known, page, verdict)
    frontier.commit()
    return done.asked
