"""What a crawl comes to, and where it ends."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Limits:
    """Where a crawl ends, whatever its strategy; None means without end."""

    max_pages: int | None = None
    max_bytes: int | None = None
    max_time: float | None = None
    max_depth: int | None = None
    max_pages_per_host: int | None = None


class Tally:
    """How a host has done so far."""

    __slots__ = ("downloads", "hits", "state")

    def __init__(self, downloads: int, hits: int, state: int) -> None:
        self.downloads = downloads
        self.hits = hits
        self.state = state


@dataclass(slots=True)
class Counts:
    """What a crawl has come to so far."""

    pages: int = 0
    relevant: int = 0
    bytes: int = 0
    max_queue: int = 0
    spent: float = 0.0
    """Seconds that the crawl has run, in all its runs."""
    errors: Counter[str] = field(default_factory=Counter)
    """Downloads that got no page, by why: a word for no answer, else the status."""
    discards: Counter[str] = field(default_factory=Counter)
    notes: Counter[str] = field(default_factory=Counter)
    """Of how many downloads the web noted what: ``truncated``, ``javascript``, ..."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a crawl ended."""

    counts: Counts
    queue: int
    stopped: str
    """``queue-empty``, ``max-pages``, ``max-bytes``, ``max-time`` or ``interrupted``."""
