"""How complete a crawl is, for its page: estimated beside everything else, and seldom.

The estimate reads the whole log. It is made in a thread of its own, and made again only after
two hundred times as long as it took, so that it costs a running crawl next to nothing.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from langcrawl.config import CrawlConfig
from langcrawl.errors import LangcrawlError
from langcrawl.measure.crawled import estimate_crawl
from langcrawl.measure.estimate import Estimate

_REST = 200
"""How many times as long as an estimate took passes until the next."""


@dataclass(slots=True)
class Completeness:
    """The estimated coverage of one crawl."""

    directory: Path
    _said: Estimate | None = None
    _pages: int = -1
    """Pages that the last estimate was made from; -1 before the first."""
    _due: float = 0.0
    """Not before this moment, unless the crawl has ended."""
    _busy: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def look(self, status: dict[str, Any]) -> dict[str, Any] | None:
        """The estimate that there is by now; None where the crawl draws no sample."""
        if not CrawlConfig.load(self.directory).sample:
            return None
        due = time.monotonic() >= self._due or not status["running"]
        if status["pages"] != self._pages and due and not self._busy:
            self._busy = True
            threading.Thread(target=self._estimate, args=(status["pages"],), daemon=True).start()
        with self._lock:
            said, pages = self._said, self._pages
        if said is None:
            return None
        speed = status["lately"] if status["running"] else None
        return said.as_json(speed) | {"advice": said.advice(), "pages": pages}

    def _estimate(self, pages: int) -> None:
        began = time.monotonic()
        try:
            said = estimate_crawl(self.directory)
            with self._lock:
                self._said, self._pages = said, pages
        except (OSError, ValueError, sqlite3.Error, LangcrawlError):
            pass  # the log is being written just now: the next look tries again
        finally:
            self._due = time.monotonic() + _REST * (time.monotonic() - began)
            self._busy = False
