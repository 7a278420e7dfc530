"""What a running crawl shows beside its figures: what it asks for now, and what came last.

A sink that remembers the last few relevant pages and failures, at the price of a few
microseconds a page. The document of ``/live`` in the local channel is made of it once a second.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable
from itertools import islice
from typing import Any

from langcrawl.records import NO_LINKS, Step, Visit

_PAGES, _FAILURES, _VISITS = 20, 50, 100
"""Relevant pages, failures and visits under way that are shown."""
_LONGEST = 300
"""Characters of a title, a URL or an error that are shown."""


class Live:
    """Remembers what came last; a sink."""

    def __init__(self) -> None:
        self._pages: deque[Step] = deque(maxlen=_PAGES)
        self._failures: deque[Step] = deque(maxlen=_FAILURES)
        self._since: dict[str, float] = {}
        """When each visit that is under way was first seen."""

    def take(self, step: Step) -> None:
        if step.verdict.relevant:
            self._pages.append(_light(step))
        elif step.page.status >= 400 or not step.page.status:
            self._failures.append(_light(step))

    def close(self) -> None:
        """Nothing to release."""

    def document(self, visits: Collection[Visit], now: float) -> dict[str, Any]:
        """The document of ``/live``; the newest stands first, the longest visit too."""
        since = self._since
        self._since = {visit.url: since.get(visit.url, now) for visit in visits}
        shown = islice(visits, _VISITS)
        return {
            "under_way": [
                {
                    "url": _cut(visit.url),
                    "host": visit.host,
                    "seconds": round(now - self._since[visit.url], 1),
                    "found_by": visit.found_by,
                }
                for visit in shown
            ],
            "under_way_total": len(visits),
            "pages": _rows(self._pages),
            "failures": _rows(self._failures),
        }


def _light(step: Step) -> Step:
    """A step without the links of its page, which may be many."""
    return step._replace(page=step.page._replace(links=NO_LINKS))


def _rows(steps: Collection[Step]) -> list[dict[str, Any]]:
    return [_row(step) for step in reversed(list(steps))]


def _row(step: Step) -> dict[str, Any]:
    page, verdict = step.page, step.verdict
    return {
        "url": _cut(page.url),
        "title": _cut(page.title),
        "status": page.status,
        "error": _cut(page.error),
        "language": verdict.language,
        "encoding": verdict.encoding,
        "score": round(verdict.score, 3),
        "fetched_at": round(page.fetched_at, 1),
        "warc_file": page.warc_file,
        "warc_offset": page.warc_offset,
        "notes": _words(page.notes),
    }


def _words(notes: Iterable[str]) -> list[str]:
    return [_cut(note) for note in notes]


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
