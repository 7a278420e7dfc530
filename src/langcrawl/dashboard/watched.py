"""One crawl as the dashboard sees it: asked through its channel while it runs, else read.

Nothing here changes the crawl. What is read is kept for a moment, so that many open pages cost as
much as one.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from langcrawl.archive.one_page import ArchivedPage, Place, read_page
from langcrawl.changes import LIMITS
from langcrawl.config import CrawlConfig
from langcrawl.dashboard.completeness import Completeness
from langcrawl.dashboard.shown import shown
from langcrawl.errors import BadInput, LangcrawlError
from langcrawl.script import readable
from langcrawl.store.control import ask
from langcrawl.store.database import NONSENSE, undamaged
from langcrawl.store.directory import CrawlDirectory
from langcrawl.store.events import read_events
from langcrawl.store.view import HOST_ORDERS, View, open_view, read_status

_FRESH = 0.9
"""Seconds for which a look at a crawl is kept."""
_HISTORY_FRESH = 2.0
_EVENTS = 12
_PAGES, _FAILURES = 20, 50
_SNIPPET, _WHOLE = 400, 100_000
"""Characters of a page's text in a list, and on its own page."""
_SNIPPETS_KEPT = 200
_LIVE_COLUMNS = [
    "id", "title", "status", "error", "language", "encoding", "score", "fetched_at", "warc_file",
    "warc_offset", "notes",
]  # fmt: skip


@dataclass(slots=True)
class WatchedCrawl:
    """A crawl directory that somebody looks at."""

    number: int
    directory: Path
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _seen: dict[str, Any] = field(default_factory=dict)
    _seen_at: float = 0.0
    _history: list[dict[str, Any]] = field(default_factory=list)
    _history_at: float = 0.0
    _snippets: dict[str, str] = field(default_factory=dict)
    _completeness: Completeness = field(init=False)

    def __post_init__(self) -> None:
        self._completeness = Completeness(self.directory)

    @property
    def name(self) -> str:
        return self.directory.name or str(self.directory)

    def look(self) -> dict[str, Any]:
        """The document of the crawl's page; at most a second old."""
        with self._lock:
            if time.monotonic() - self._seen_at > _FRESH:
                self._seen = self._look()
                self._seen_at = time.monotonic()
            return self._seen

    def look_again(self) -> None:
        """What was seen does not hold any more."""
        self._seen_at = 0.0

    def _look(self) -> dict[str, Any]:
        config = CrawlConfig.load(self.directory)
        status, live = ask(self.directory, "/status"), ask(self.directory, "/live")
        if status is None or live is None:
            status, live = self._read()
        events = list(read_events(self.directory))[-_EVENTS:][::-1]
        return {
            "crawl": self.number,
            "name": self.name,
            "directory": str(self.directory),
            "state": state_of(status, events),
            "status": status,
            "estimate": self._completeness.look(status),
            "limits": {name: getattr(config, name) for name in LIMITS},
            "seeds": len(config.seeds),
            "exclude": list(config.exclude),
            "history": self._points(status),
            "under_way": live["under_way"],
            "pages": [
                row | {"title": _title(row), "text": self._snippet(row)} for row in live["pages"]
            ],
            "failures": live["failures"],
            "events": events,
        }

    def _read(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """The same from the database, for a crawl that does not run or has no channel."""
        status = read_status(self.directory).as_json()
        with open_view(self.directory) as view:
            lists = {}
            for name, most in (("pages", _PAGES), ("failures", _FAILURES)):
                rows = view.latest(_LIVE_COLUMNS, most, relevant=name == "pages")
                url_of = view.lookup().url_of
                lists[name] = [
                    row | {"url": url_of(row["id"]), "notes": (row["notes"] or "").split()}
                    for row in rows
                ]
        return status, {"under_way": [], **lists}

    def _points(self, status: dict[str, Any]) -> list[dict[str, Any]]:
        """How the crawl has come along, with how it stands now as the last point."""
        if time.monotonic() - self._history_at > _HISTORY_FRESH:
            with open_view(self.directory) as view:
                self._history = [point._asdict() for point in view.history()]
            self._history_at = time.monotonic()
        now = {
            "spent": round(status["seconds"], 2),
            "at": round(time.time(), 1),
            "failures": sum(status["errors"].values()),
            **{name: status[name] for name in ("pages", "relevant", "queue", "bytes")},
        }
        past = [point for point in self._history if point["spent"] < now["spent"]]
        return [*past, now] if status["pages"] or past else past

    def _snippet(self, row: dict[str, Any]) -> str:
        """The first words of a page, where reading it takes a moment only."""
        url = row["url"]
        if url not in self._snippets:
            text = ""
            if row["warc_file"] and "revisit" not in row["notes"]:
                page = self._archived(Place(url, row["warc_file"], row["warc_offset"]))
                if page and page.is_harmless and page.is_readable:
                    content = page.content()
                    start = readable(content.text[: 10 * _SNIPPET], row["encoding"], content.fonts)
                    text = shown(" ".join(start.split()), _SNIPPET)
            while len(self._snippets) >= _SNIPPETS_KEPT:
                del self._snippets[next(iter(self._snippets))]
            self._snippets[url] = text
        return self._snippets[url]

    def _archived(self, place: Place, original: Place | None = None) -> ArchivedPage | None:
        limit = CrawlConfig.load(self.directory).max_page_bytes
        try:
            return read_page(self.directory, place, limit, original)
        except (OSError, ValueError, LangcrawlError):
            return None

    def hosts(self, search: str, sort: str, page: int) -> dict[str, Any]:
        """Some of the hosts."""
        if sort not in HOST_ORDERS:
            raise BadInput(f"hosts can be sorted by {', '.join(HOST_ORDERS)}, not by '{sort}'.")
        size = 50
        database = CrawlDirectory(self.directory).database
        with undamaged(database, *NONSENSE), open_view(self.directory) as view:
            total, rows = view.hosts(search, sort, page * size, size)
        return {
            "search": search, "sort": sort, "orders": list(HOST_ORDERS), "total": total,
            "page": page, "more": (page + 1) * size < total,
            "hosts": [row._asdict() for row in rows],
        }  # fmt: skip

    def page(self, url: str) -> dict[str, Any]:
        """What is known of one page, with its text."""
        with open_view(self.directory) as view:
            row = _row(view, url)
            parent = view.lookup().url_of(row["parent"]) if row["parent"] is not None else ""
        archived = self._archived_row(url, row)
        text, cut = "", False
        if archived is not None and archived.is_readable:
            content = archived.content()
            cut = len(content.text) > _WHOLE
            text = readable(content.text[:_WHOLE], row["encoding"] or "", content.fonts)
        evidence = (row.pop("evidence") or "").split("\n")
        return {
            **row, "url": url, "title": _title(row), "parent": parent,
            "evidence": [word for word in evidence if word],
            "text": text, "text_cut": cut, "archived": archived is not None,
            "is_html": archived is not None and archived.is_html,
        }  # fmt: skip

    def archived(self, url: str) -> ArchivedPage:
        """A page as it was archived."""
        with open_view(self.directory) as view:
            row = _row(view, url)
        page = self._archived_row(url, row)
        if page is None:
            raise BadInput(f"{shown(url)} is not in the archive of this crawl.")
        return page

    def _archived_row(self, url: str, row: dict[str, Any]) -> ArchivedPage | None:
        if not row["warc_file"]:
            return None
        original = None
        if "revisit" in (row["notes"] or "").split():
            with open_view(self.directory) as view:
                original = view.original_of(row["digest"])
        place = Place(url, row["warc_file"], row["warc_offset"])
        return self._archived(place, Place(*original) if original else None)


def _title(row: dict[str, Any]) -> str:
    """The title of a page, in Unicode."""
    return readable(row["title"] or "", row["encoding"] or "")


def _row(view: View, url: str) -> dict[str, Any]:
    """What the log says of a page."""
    lookup = view.lookup()
    known = lookup.known(url)
    row = lookup.pages([known.number]).get(known.number) if known else None
    if row is None:
        raise BadInput(f"{shown(url)} was not downloaded in this crawl; ask why.")
    return row


def state_of(status: dict[str, Any], events: list[dict[str, Any]]) -> str:
    """What a crawl is doing, in a word or two."""
    if status["running"]:
        return "paused" if status.get("paused") else "running"
    for event in events:
        if event["event"] == "stop":
            return f"ended ({event.get('stopped', '?')})"
        if event["event"] == "failed":
            return "failed"
        if event["event"] == "start":
            return "killed"
    return "not running"
